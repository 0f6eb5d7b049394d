import { expect, test } from 'vitest';
import { Judgement } from '../../src/collector/verdict.ts';
import { ClusterView } from '../../src/graph/cluster-view.ts';
import type { KubeObject, OwnerReference } from '../../src/model/object.ts';
import { object, refTo, served, types } from '../graph/fixtures.ts';

const gone = object({ uid: 'gone', type: types.configMap });
const here = object({ uid: 'here', type: types.configMap });
const node = object({ uid: 'node', type: types.node });

function judged(init: Partial<Parameters<typeof object>[0]>): string {
  const subject = object({ uid: 'subject', type: types.configMap, ...init });
  const objects: readonly KubeObject[] = [here, node, subject];
  const view = new ClusterView();
  view.settings = { ...view.settings, collector: '1.5' };
  view.apply(
    {
      types: served,
      statuses: served.map(type => ({ type, state: 'synced', count: 0, facts: true })),
      changes: objects.map(each => ({ op: 'upsert', object: each })),
    },
    0,
  );
  const found = view.graph.get(subject.uid);
  return found === undefined ? 'not there' : Judgement.of(view, found).verdict;
}

test.for<[string, Partial<Parameters<typeof object>[0]>, string]>([
  ['whose owner is gone', { owners: [refTo(gone)] }, 'DeleteBackground'],
  ['whose owner is gone, a ReplicaSet', { type: types.replicaSet, owners: [refTo(gone)] }, 'DeleteOrphan'],
  ['whose owner is gone, which orphans', { finalizers: ['orphan'], owners: [refTo(gone)] }, 'DeleteOrphan'],
  ['that has another owner, whose reference it keeps', { owners: [refTo(gone), refTo(here)] }, 'None'],
  ['that is wrong about an owner that is known', { owners: [refTo(here, { name: 'other' })] }, 'None'],
  ['in another namespace than its owner', { namespace: 'elsewhere', owners: [refTo(here)] }, 'None'],
  ['with a cluster-scoped owner beside', { owners: [refTo(gone), refTo(node)] }, 'DeleteBackground'],
  ['of a custom kind', { type: types.widget, owners: [refTo(gone)] }, 'None'],
  ['with an owner of a custom kind, which stays', { owners: [widget()] }, 'None'],
  ['with an owner of a kind that is not served', { owners: [unserved()] }, 'RetryForever'],
  ['being deleted in the foreground', { deletionTimestamp: 1, finalizers: ['foregroundDeletion'] }, 'None'],
  ['being deleted with orphan', { deletionTimestamp: 1, finalizers: ['orphan'] }, 'OrphanDependents'],
])('the first collector on an object %s', ([, init, expected]) => {
  expect(judged(init)).toBe(expected);
});

function widget(): OwnerReference {
  return refTo(object({ uid: 'widget', type: types.widget }));
}

function unserved(): OwnerReference {
  return { ...widget(), apiVersion: 'nowhere.example.com/v1' };
}
