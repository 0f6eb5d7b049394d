/** Files as they come: whole, empty, torn, binary, enormous in one line, hostile, or none at all. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { oddManifests } from '../../source/files/odd-metadata.ts';

export function fixture(name: string): string {
  return fileURLToPath(new URL(`../../source/files/fixtures/${name}`, import.meta.url));
}

const whole = [
  'all.yaml',
  'all.json',
  'crd.yaml',
  'dump.yaml',
  'dump.json',
  'dump-folder',
  'replicasets.json',
];

const cycle = `apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  namespace: shop
  uid: a
  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: b, uid: b, blockOwnerDeletion: true}]
  deletionTimestamp: "2026-11-21T11:00:00Z"
  finalizers: [foregroundDeletion]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: b
  namespace: shop
  uid: b
  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: a, uid: a, blockOwnerDeletion: true}]
`;

const hostileNames = [
  '\u001b[2J\u001b[31mred',
  'line\nbreak',
  'carriage\rreturn',
  '\u202eright-to-left',
  '$(touch x)',
  '`id`;rm -rf /',
  "it's",
  '--all',
  '\u0007bell\u009b',
  '{{.}}',
  '<script>',
  'tab\tbed',
  '\ud800lone',
  '',
];

const hostile = JSON.stringify({
  apiVersion: 'v1',
  kind: 'List',
  items: hostileNames.flatMap((name, index) => [
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name, uid: `role-${index}`, labels: { app: name }, annotations: { [name]: name } },
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name,
        namespace: name,
        uid: `map-${index}`,
        finalizers: [name, `example.com/${name}`],
        deletionTimestamp: '2026-11-21T11:00:00Z',
        ownerReferences: [
          { apiVersion: 'v1', kind: name, name, uid: `role-${index}`, controller: true },
          { apiVersion: name, kind: 'Widget', name, uid: `none-${index}`, blockOwnerDeletion: true },
        ],
      },
    },
  ]),
});

/** Workloads that create and release for ever, if nobody stops them. */
const flapping = `apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: shop, uid: d}
spec: {replicas: 2, selector: {matchLabels: {app: api}}, template: {metadata: {labels: {app: other}}, spec: {containers: [{name: a, image: a}]}}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: api-1
  namespace: shop
  uid: r
  labels: {app: api}
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: api, uid: gone, controller: true}]
spec: {replicas: 1, selector: {matchLabels: {app: api}}, template: {metadata: {labels: {app: none}}, spec: {containers: [{name: a, image: a}]}}}
`;

function deep(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}

const made: Readonly<Record<string, string | Buffer>> = {
  'empty.yaml': '',
  'blank.yaml': '\n\n---\n---\n# nothing\n',
  'binary.json': Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919 + (index >> 3)) % 256)),
  'torn.json': '{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Pod","metadata":{"na',
  'torn.yaml': 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: "a\n  labels: [',
  'huge-line.json': JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'big', namespace: 'shop', annotations: { blob: 'x'.repeat(2_000_000) } },
  }),
  'scalar.yaml': '42\n',
  'nulls.json': '{"apiVersion":"v1","kind":"List","items":[null,1,"a",[],{},{"kind":null,"metadata":null}]}',
  'wrong-types.yaml':
    'apiVersion: v1\nkind: Pod\nmetadata: {name: 7, namespace: [a], uid: {}, labels: no, ownerReferences: [1, {uid: 5}], finalizers: yes, deletionTimestamp: soon}\nspec: 3\nstatus: []\n',
  'duplicates.yaml':
    'kind: Pod\nkind: Pod\napiVersion: v1\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n',
  'aliases.yaml': 'a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n',
  'merge.yaml':
    'x: &base {namespace: shop, name: merged}\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  <<: *base\n  uid: m\n',
  'deep.json': deep(3000),
  'bom.yaml': '\ufeffapiVersion: v1\nkind: ConfigMap\nmetadata: {name: bom}\n',
  'cycle.yaml': cycle,
  'hostile.json': hostile,
  'flapping.yaml': flapping,
  'not\u001b[31m a name.yaml': cycle,
};

const reference = 'apiVersion: v1, kind: ConfigMap, name: b';
const refusedFields: Readonly<Record<string, string>> = {
  'no-uid': `ownerReferences: [{${reference}}]`,
  'empty-uid': `ownerReferences: [{${reference}, uid: ""}]`,
  'numeric-uid': `ownerReferences: [{${reference}, uid: 5}]`,
  'no-owner-name': 'ownerReferences: [{apiVersion: v1, kind: ConfigMap, uid: b}]',
  'owner-as-map': `ownerReferences: {${reference}, uid: b}`,
  'finalizers-as-text': 'finalizers: example.com/a',
  'label-as-number': 'labels: {app: 5}',
};

const unapplied = (metadata: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  ${metadata}\n  namespace: shop\n`;

/** Files that kubectl refuses for their metadata. */
export const refusedFiles: readonly string[] = Object.keys(refusedFields).map(name => `${name}.yaml`);

/** Folders with one file that can be read, and one that is left out. */
export const partlyReadFolders: readonly { readonly folder: string; readonly leftOut: string }[] = [
  { folder: 'nameless', leftOut: 'nameless-object.yaml' },
  { folder: 'kindless', leftOut: 'kindless-object.yaml' },
  { folder: 'ownerless', leftOut: 'uidless-object.yaml' },
];

const leftOut: Readonly<Record<string, string>> = {
  'nameless-object.yaml': unapplied('labels: {a: b}'),
  'kindless-object.yaml': 'apiVersion: v1\nmetadata: {name: a, namespace: shop}\n',
  'uidless-object.yaml': unapplied(`name: a\n  ${refusedFields['no-uid']}`),
};

const random = oddManifests(13, 25);

/** As `-f` takes them: below the folder that `writeOddFiles` fills, and the fixtures beside. */
export const oddFiles: readonly string[] = [
  ...whole.map(fixture),
  ...Object.keys(made),
  ...refusedFiles,
  ...partlyReadFolders.map(({ folder }) => folder),
  ...random.map(({ file }) => file),
  'nosuch.yaml',
  'folder',
  'loop',
  '/dev/null',
  '-',
];

export function writeOddFiles(folder: string): void {
  for (const [name, content] of Object.entries(made)) writeFileSync(path.join(folder, name), content);
  for (const { file, text } of random) writeFileSync(path.join(folder, file), text);
  for (const [name, field] of Object.entries(refusedFields))
    writeFileSync(path.join(folder, `${name}.yaml`), unapplied(`name: a\n  ${field}`));
  for (const partly of partlyReadFolders) {
    mkdirSync(path.join(folder, partly.folder));
    writeFileSync(path.join(folder, partly.folder, 'kept.yaml'), unapplied('name: kept'));
    writeFileSync(path.join(folder, partly.folder, partly.leftOut), leftOut[partly.leftOut] ?? '');
  }
  mkdirSync(path.join(folder, 'folder', 'inner'), { recursive: true });
  writeFileSync(path.join(folder, 'folder', 'inner', 'cycle.yaml'), cycle);
  writeFileSync(path.join(folder, 'folder', 'picture.png'), 'PNG');
  mkdirSync(path.join(folder, 'loop'));
  symlinkSync('..', path.join(folder, 'loop', 'again'));
}

export const hostileCluster = hostileNames
  .filter(name => name !== '' && name.isWellFormed())
  .map(
    name =>
      `- {kind: ConfigMap, name: ${JSON.stringify(name)}, owners: [v1 ConfigMap gone], finalizers: [example.com/a]}`,
  )
  .join('\n');
