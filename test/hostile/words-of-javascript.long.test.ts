/** Words that JavaScript has for itself mean nothing in a cluster: whatever is called so is spoken of as anything else. */
import { expect, test } from 'vitest';
import { command } from '../cli/console.ts';

/** Each with a word that is sorted as it is, and that nothing knows. */
const words = [
  ['__proto__', '__prota__'],
  ['constructor', 'constructot'],
  ['toString', 'toStrimg'],
  ['hasOwnProperty', 'hasOwnPropekty'],
  ['valueOf', 'valueOg'],
] as const;

/** WORD for every name, key and value that somebody may choose. */
const world = `
apiVersion: v1
kind: Namespace
metadata: { name: WORD, uid: uid-n, creationTimestamp: "2026-01-01T00:00:00Z", labels: { WORD: WORD }, annotations: { WORD: WORD } }
spec: { finalizers: [kubernetes, WORD] }
status: { phase: Active, conditions: [{ type: WORD, status: WORD, reason: WORD, message: WORD }] }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: WORD.WORD, uid: uid-d, creationTimestamp: "2026-01-01T00:00:00Z" }
spec:
  group: WORD
  scope: Namespaced
  names: { kind: WORD, plural: WORD, singular: WORD, listKind: WORDList, shortNames: [WORD], categories: [WORD] }
  versions: [{ name: v1, served: true, storage: true }]
status: { conditions: [{ type: WORD, status: WORD, reason: WORD, message: WORD }] }
---
apiVersion: WORD/v1
kind: WORD
metadata:
  name: WORD
  namespace: WORD
  uid: uid-c
  creationTimestamp: "2026-01-01T00:00:00Z"
  deletionTimestamp: "2026-01-02T00:00:00Z"
  deletionGracePeriodSeconds: 0
  labels: { WORD: WORD, app.kubernetes.io/managed-by: WORD, app.kubernetes.io/instance: WORD }
  annotations: { WORD: WORD, meta.helm.sh/release-name: WORD, kubectl.kubernetes.io/last-applied-configuration: WORD }
  finalizers: [WORD, WORD/WORD]
  managedFields: [{ manager: WORD, operation: Update, apiVersion: WORD, fieldsType: FieldsV1, fieldsV1: { "f:WORD": { "f:WORD": {} } } }]
status: { phase: WORD, WORD: WORD, conditions: [{ type: WORD, status: WORD, reason: WORD, message: WORD }] }
---
apiVersion: v1
kind: Pod
metadata:
  name: WORD
  namespace: WORD
  uid: uid-p
  creationTimestamp: "2026-01-01T00:00:00Z"
  labels: { WORD: WORD }
  ownerReferences:
    - { apiVersion: WORD/v1, kind: WORD, name: WORD, uid: uid-c, blockOwnerDeletion: true }
    - { apiVersion: WORD, kind: WORD, name: WORD, uid: WORD }
spec:
  nodeName: WORD
  serviceAccountName: WORD
  containers: [{ name: WORD, image: WORD }]
  volumes: [{ name: WORD, persistentVolumeClaim: { claimName: WORD } }]
  tolerations: [{ key: WORD, operator: WORD, effect: WORD }]
status: { phase: WORD, reason: WORD, message: WORD, conditions: [{ type: WORD, status: WORD, reason: WORD, message: WORD }] }
---
apiVersion: v1
kind: Node
metadata: { name: WORD, uid: uid-o, creationTimestamp: "2026-01-01T00:00:00Z", labels: { WORD: WORD } }
spec: { taints: [{ key: WORD, value: WORD, effect: NoExecute, timeAdded: "2026-01-01T00:00:00Z" }] }
status: { conditions: [{ type: Ready, status: "False", reason: WORD, message: WORD }] }
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: WORD, namespace: WORD, uid: uid-v, creationTimestamp: "2026-01-01T00:00:00Z", finalizers: [WORD/WORD, kubernetes.io/pvc-protection], deletionTimestamp: "2026-01-02T00:00:00Z" }
spec: { volumeName: WORD, storageClassName: WORD }
status: { phase: WORD }
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: { name: WORDr, namespace: WORD, uid: uid-r, creationTimestamp: "2026-01-01T00:00:00Z", ownerReferences: [{ apiVersion: apps/v1, kind: Deployment, name: WORD, uid: uid-gone, controller: true }] }
spec: { replicas: 2, selector: { matchLabels: { WORD: WORD } }, template: { metadata: { labels: { WORD: WORD } }, spec: { containers: [] } } }
---
apiVersion: v1
kind: Event
metadata: { name: WORD, namespace: WORD, uid: uid-e, creationTimestamp: "2026-01-01T00:00:00Z" }
involvedObject: { apiVersion: v1, kind: Pod, namespace: WORD, name: WORD, uid: uid-p }
type: Warning
reason: WORD
message: WORD
source: { component: WORD }
lastTimestamp: "2026-01-01T00:00:00Z"
`;

const lines = [
  ...['text', 'wide', 'json', 'yaml', 'name', 'markdown', 'dot', 'mermaid', 'svg', 'html'].map(
    format => `tree -o ${format}`,
  ),
  'tree --show-labels',
  'tree -l WORD=WORD',
  'tree WORD',
  'tree WORD/WORD -n WORD',
  ...['text', 'wide', 'json', 'yaml', 'github', 'junit', 'sarif', 'markdown'].map(
    format => `check -o ${format}`,
  ),
  'check --codes WORD',
  ...['WORD/WORD', 'pod/WORD', 'pvc/WORD', 'rs/WORDr'].flatMap(target => [
    `why ${target} -n WORD`,
    `why ${target} -n WORD -o json`,
    `plan delete ${target} -n WORD --steps`,
    `plan delete ${target} -n WORD --cascade=foreground -o json`,
    `plan unblock ${target} -n WORD --remedy WORD`,
  ]),
  'plan delete ns/WORD --steps -o wide',
  'plan delete node/WORD --steps',
  'plan taint node/WORD out-of-service --steps',
  'plan drain node/WORD',
  'plan delete crd/WORD.WORD --steps',
  'plan delete ns/WORD -o github',
  'plan delete ns/WORD -o markdown',
  'plan restart --steps',
  'plan --steps',
  'podgc -o wide',
  'podgc -o json',
  'tree --sort-by WORD',
  'tree --field-selector WORD=WORD',
  'tree --wide=WORD',
  'tree --watch=WORD',
  'plan delete pod/WORD -n WORD --cascade WORD',
  'tree -o WORD',
  'tree --WORD',
  'WORD',
  'tree --color WORD',
  'check --fail-on WORD',
  'explain WORD',
  'schema WORD',
  'completion WORD',
  'demo WORD',
  'wait pod/WORD -n WORD --timeout WORD',
];

const put = (text: string, word: string): string => text.replaceAll('WORD', word);

/** Each line with two of the words, so that each word meets two fifths of the lines. */
const cases = lines.map(
  (line, index) => [line, [0, 2].map(step => words[(index + step) % words.length]!)] as const,
);

test.each(cases)('%s', async (line, some) => {
  for (const [word, usual] of some) {
    const said = async (each: string): Promise<string> => {
      const files = /^(?:tree|check|why|plan|podgc|wait)\b/u.test(line) ? ' -f -' : '';
      const { out, err, exitCode } = await command(`${put(line, each)}${files}`, { stdin: put(world, each) });
      // Types are told in lower case, and ids are hashes.
      return `${exitCode}\n${out}\n${err}`
        .replaceAll('\\_', '_')
        .toLowerCase()
        .replaceAll(each.toLowerCase(), 'WORD')
        .replaceAll(each.toLowerCase().replace(/y$/u, 'ie'), 'WORD')
        .replace(/(?<![0-9a-f])[0-9a-f]{8,64}(?![0-9a-f])/gu, 'HASH');
    };
    expect(await said(word)).toBe(await said(usual));
  }
});
