/** Who set what on the objects of a demo, as its simulated API server tells. */
import { expect, test } from 'vitest';
import {
  finalizerSetBy,
  labelsSetByOthers,
  referenceSetBy,
} from '../../../src/diagnosis/explain/field-managers.ts';
import { ClusterView } from '../../../src/graph/cluster-view.ts';
import { type JsonRecord, list, record, text } from '../../../src/model/json/json.ts';
import { openDemo } from '../../../src/source/demo/demo-source.ts';

interface Opened {
  /** The whole object, by its kind and the beginning of its name. */
  readonly get: (kind: string, name: string) => Promise<JsonRecord>;
  readonly patch: (path: string, operations: readonly object[]) => Promise<number>;
}

async function opened(): Promise<Opened> {
  const clock = { now: () => Date.parse('2027-03-01T10:00:00Z'), every: () => () => undefined };
  const source = openDemo('shop', clock);
  const view = new ClusterView();
  await source.start(batch => view.apply(batch, 0));
  await source.factsComplete;
  return {
    async get(kind, name) {
      const node = [...view.graph.nodes()].find(
        ({ identity, object }) =>
          object !== undefined && identity.kind === kind && identity.name.startsWith(name),
      );
      const object = node?.object;
      if (object === undefined) throw new Error(`no ${kind} ${name}`);
      return (await source.get(object.type, object.namespace, object.name)) ?? {};
    },
    async patch(path, body) {
      const contentType = 'application/json-patch+json';
      return (await source.act({ method: 'PATCH', path, contentType, body })).status;
    },
  };
}

function entries(json: JsonRecord): JsonRecord[] {
  return list(record(json['metadata'])['managedFields']).map(record);
}

function writers(json: JsonRecord): string[] {
  return entries(json).map(({ manager, operation, subresource }) =>
    [text(manager), text(operation), text(subresource)].filter(Boolean).join(' '),
  );
}

test('what a manifest made is held by kubectl-create, and its status by its controller', async () => {
  const { get } = await opened();
  const deployment = await get('Deployment', 'api');
  expect(writers(deployment)).toEqual([
    'kubectl-create Update',
    // The history of the demo has a rollout.
    'kubectl-patch Update',
    'kube-controller-manager Update status',
  ]);
  const [made] = entries(deployment);
  const { 'f:metadata': metadata, 'f:spec': spec } = record(made?.['fieldsV1']);
  expect(Object.keys(record(record(metadata)['f:labels']))).toContain('.');
  expect(Object.keys(record(spec))).toContain('f:replicas');
  expect(metadata).not.toHaveProperty('f:name');
  expect(made).toMatchObject({ apiVersion: 'apps/v1', fieldsType: 'FieldsV1' });
});

test('a pod is made by kube-controller-manager, which holds its reference, and run by its kubelet', async () => {
  const { get } = await opened();
  const pod = await get('Pod', 'api-');
  const [owner] = list(record(pod['metadata'])['ownerReferences']).map(record);
  const [setBy] = referenceSetBy(pod, text(owner?.['uid']));
  expect(setBy).toMatchObject({ manager: 'kube-controller-manager', operation: 'Update', subresource: '' });
  expect(writers(pod)).toContain('kubelet Update status');
  expect(labelsSetByOthers(pod)).toEqual([]);
});

test("a finalizer is told of who set it; the garbage collector's own, which came with a deletion, of nobody", async () => {
  const { get } = await opened();
  expect(finalizerSetBy(await get('Pod', 'web-2'), 'example.com/drain')).toHaveLength(1);
  const web = await get('StatefulSet', 'web');
  expect(record(web['metadata'])['finalizers']).toContain('foregroundDeletion');
  expect(finalizerSetBy(web, 'foregroundDeletion')).toEqual([]);
  expect(writers(web)).toContain('kubectl-create Update');
});

test('a finalizer that admission adds to a claim is held by nobody', async () => {
  const { get } = await opened();
  const claim = await get('PersistentVolumeClaim', 'data-web-0');
  expect(record(claim['metadata'])['finalizers']).toEqual(['kubernetes.io/pvc-protection']);
  expect(finalizerSetBy(claim, 'kubernetes.io/pvc-protection')).toEqual([]);
  expect(writers(claim).length).toBeGreaterThan(0);
});

test('what this tool changes it holds itself, under its own name, and what is removed nobody', async () => {
  const { get, patch } = await opened();
  expect(
    await patch('/api/v1/namespaces/shop/configmaps/api-cache', [
      { op: 'remove', path: '/metadata/ownerReferences' },
      { op: 'add', path: '/metadata/finalizers', value: ['example.com/mine'] },
    ]),
  ).toBe(200);
  const cache = await get('ConfigMap', 'api-cache');
  expect(finalizerSetBy(cache, 'example.com/mine')).toMatchObject([{ manager: 'kubectl-gc-tree' }]);
  expect(JSON.stringify(entries(cache))).not.toContain('ownerReferences');
});

test('a node that was there from the start was registered by its kubelet', async () => {
  const { get } = await opened();
  expect(writers(await get('Node', 'node-1'))).toContain('kubelet Update status');
});
