import { expect, test } from 'vitest';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import { readText } from '../../source/files/reading.ts';

const now = Date.parse('2026-11-21T10:00:00Z');

/** A custom resource that is being deleted while its operator runs, beside complete lists of what it may name. */
async function messageFor(spec: string, more = '', owners = ''): Promise<string> {
  const { source, view } = await readText(
    `
apiVersion: ops.example.org/v1
kind: Database
metadata: {name: orders, namespace: shop, uid: u1, creationTimestamp: "2026-11-01T10:00:00Z", deletionTimestamp: "2026-11-20T10:00:00Z", finalizers: [ops.example.org/cleanup], ownerReferences: [${owners}]}
spec: ${spec}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ops-operator, namespace: ops, uid: u2, creationTimestamp: "2026-11-01T10:00:00Z"}
spec: {replicas: 1, selector: {matchLabels: {app: ops}}, template: {spec: {}}}
status: {replicas: 1, readyReplicas: 1}
---
{apiVersion: v1, kind: SecretList, metadata: {resourceVersion: "1"}, items: []}
---
{apiVersion: cluster.x-k8s.io/v1beta1, kind: ClusterList, metadata: {resourceVersion: "1"}, items: []}
---
{apiVersion: ops.example.org/v1, kind: InstanceList, metadata: {resourceVersion: "1"}, items: []}
${more}`,
    { closedWorld: true },
  );
  view.settings = { ...view.settings, contentOf: object => source.content(object) };
  return [...diagnoseCluster(view, now).all()].map(({ message }) => message).join('\n');
}

test.each([
  ['{secretName: login}', "seems to need Secret login, which doesn't exist"],
  ['{instanceRef: {name: main}}', "seems to need Instance main, which doesn't exist"],
])('%s names an object that is missed', async (spec, words) => {
  expect(await messageFor(spec)).toContain(words);
});

test.each(['{clusterName: main}', '{secretName: Not-A-Name}', '{bucketName: main}', '{secretName: ""}'])(
  '%s proves nothing',
  async spec => {
    expect(await messageFor(spec)).toContain('Deployment ops/ops-operator seems to be the one');
  },
);

test.each([
  ['an object without a ready pod is waited for', [0, 0], 'may be waiting until StatefulSet main-0 is ready'],
  ['an object with a ready pod proves nothing', [0, 1], 'seems to be the one that removes it'],
])('%s', async (_, ready, words) => {
  const born = 'creationTimestamp: "2026-11-01T10:00:00Z"';
  const sets = ready.map(
    (replicas, index) => `---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: main-${index}, namespace: shop, uid: s${index}, ${born}, ownerReferences: [{apiVersion: ops.example.org/v1, kind: Instance, name: main, uid: i1, controller: true}]}
spec: {replicas: 1, selector: {matchLabels: {app: main}}, template: {spec: {}}}
status: {replicas: 1, readyReplicas: ${replicas}}
`,
  );
  const instance = `---
apiVersion: ops.example.org/v1
kind: Instance
metadata: {name: main, namespace: shop, uid: i1, ${born}}
`;
  expect(await messageFor('{instanceRef: {name: main}}', instance + sets.join(''))).toContain(words);
});

test.each([
  ['a live object that names it may be waited for', '', 'may be waiting until Instance main is gone'],
  [
    'its owner is not waited for',
    '{apiVersion: ops.example.org/v1, kind: Instance, name: main, uid: i1}',
    'seems to be the one that removes it',
  ],
])('%s', async (_, owners, words) => {
  const instance = `---
apiVersion: ops.example.org/v1
kind: Instance
metadata: {name: main, namespace: shop, uid: i1, creationTimestamp: "2026-11-01T10:00:00Z"}
spec: {databaseRef: {name: orders}}
`;
  expect(await messageFor('{}', instance, owners)).toContain(words);
});

test.each([
  ['a Job created after the deletion began cleans up', '10:00:01', 'waits until Job clean is finished'],
  ['a Job of the second of the deletion may be older', '10:00:00', 'seems to be the one that removes it'],
])('%s', async (_, time, words) => {
  const job = `---
apiVersion: batch/v1
kind: Job
metadata: {name: clean, namespace: shop, uid: j1, creationTimestamp: "2026-11-20T${time}Z", ownerReferences: [{apiVersion: ops.example.org/v1, kind: Database, name: orders, uid: u1}]}
spec: {template: {spec: {}}}
`;
  expect(await messageFor('{}', job)).toContain(words);
});
