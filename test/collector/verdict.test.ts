import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DeletionState, Judgement, OwnerStanding, OwnerStatus } from '../../src/collector/verdict.ts';
import { ClusterView } from '../../src/graph/cluster-view.ts';
import type { GraphNode } from '../../src/graph/node.ts';
import type { LookUpAnswer, TypeStatus } from '../../src/model/exchange/changes.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { ResourceType } from '../../src/model/types/resource-type.ts';
import {
  blockingRefTo,
  type ObjectOptions,
  object,
  refTo,
  served,
  type,
  types,
  uid,
} from '../graph/fixtures.ts';
import { anyHistory } from '../graph/histories.ts';
import { uidOf } from '../graph/invariant.ts';

function status(type: ResourceType, state: TypeStatus['state'], namespaces?: string[]): TypeStatus {
  return { type, state, count: 0, facts: true, ...(namespaces === undefined ? {} : { namespaces }) };
}

/** A view of these objects in which every type is synced, but for the given statuses. */
function viewOf(objects: readonly KubeObject[], ...statuses: TypeStatus[]): ClusterView {
  const view = new ClusterView();
  view.apply(
    {
      types: served,
      statuses: [...served.filter(ResourceType.isMonitored).map(type => status(type, 'synced')), ...statuses],
      changes: objects.map(next => ({ op: 'upsert', object: next }) as const),
    },
    0,
  );
  return view;
}

function nodeOf(view: ClusterView, name: string): GraphNode {
  const node = view.graph.get(uid(name));
  if (node === undefined) throw new Error(`${name} is not in the graph`);
  return node;
}

function statuses(view: ClusterView, name: string): string[] {
  const node = nodeOf(view, name);
  return node.owners.map(reference => OwnerStatus.of(view, node, reference));
}

function judged(view: ClusterView, name: string): string {
  const { verdict: move, certainty } = Judgement.of(view, nodeOf(view, name));
  return `${move} ${certainty}`;
}

const owner = object({ type: types.replicaSet, uid: 'owner' });
const waiting = object({
  type: types.replicaSet,
  uid: 'owner',
  deletionTimestamp: 1,
  finalizers: ['foregroundDeletion'],
});
const gone = object({ type: types.replicaSet, uid: 'gone' });
const widget = object({ type: types.widget, uid: 'widget' });
const elsewhere = object({ type: types.replicaSet, uid: 'elsewhere', namespace: 'ns2' });
const unserved = refTo(owner, { apiVersion: 'core/v1', uid: uid('typo') });

function pod(...owners: KubeObject['owners']): KubeObject {
  return object({ uid: 'pod', owners });
}

describe('the status of an owner reference', () => {
  test.each<[string, KubeObject['owners'], string]>([
    ['a live owner holds', [refTo(owner)], 'Solid'],
    ['an owner that nobody has', [refTo(gone)], 'Absent'],
    ['the right uid with a wrong name', [refTo(owner, { name: 'other' })], 'Mismatched'],
    ['the right uid with a wrong kind', [refTo(owner, { kind: 'Deployment' })], 'Mismatched'],
    [
      'the right uid with a cluster-scoped kind',
      [refTo(owner, { apiVersion: 'v1', kind: 'Node' })],
      'Mismatched',
    ],
    ['the right kind in lower case', [refTo(owner, { kind: 'replicaset' })], 'Solid'],
    ['the kind of a list', [refTo(owner, { kind: 'ReplicaSetList' })], 'Mismatched'],
    ['a list', [refTo(gone, { apiVersion: 'v1', kind: 'List' })], 'Absent'],
    ['another case', [refTo(owner, { kind: 'Replicaset' })], 'Unresolvable'],
    ['a plural', [refTo(owner, { kind: 'replicasets' })], 'Unresolvable'],
    ['an owner in another namespace', [refTo(elsewhere)], 'OtherNamespace'],
    ['a kind that is not served', [unserved], 'Unresolvable'],
    ['an unserved kind, though the uid is known', [refTo(owner, { apiVersion: 'core/v1' })], 'Unresolvable'],
  ])('%s', (_, owners, expected) => {
    expect(statuses(viewOf([owner, elsewhere, pod(...owners)]), 'pod')).toEqual([expected]);
  });

  test('an owner recreated under its name is absent, since the reference means the earlier one', () => {
    const recreated = object({ type: types.replicaSet, uid: 'newer', name: 'gone' });
    expect(statuses(viewOf([recreated, pod(refTo(gone))]), 'pod')).toEqual(['Absent']);
  });

  test('an owner that is being deleted in the foreground waits, one held by other finalizers is solid', () => {
    expect(statuses(viewOf([waiting, pod(refTo(owner))]), 'pod')).toEqual(['WaitingForDependents']);
    const held = object({ type: types.replicaSet, uid: 'owner', deletionTimestamp: 1, finalizers: ['x/y'] });
    expect(statuses(viewOf([held, pod(refTo(owner))]), 'pod')).toEqual(['Solid']);
  });

  test('a reference by another served version of the owner is solid', () => {
    const autoscaler = object({ type: types.autoscaler, uid: 'hpa' });
    const child = pod(refTo(autoscaler, { apiVersion: 'autoscaling/v1' }));
    expect(statuses(viewOf([autoscaler, child]), 'pod')).toEqual(['Solid']);
  });

  test('one through another group that serves the same objects is solid, also to a forecast', () => {
    const old = type({
      group: 'extensions',
      version: 'v1beta1',
      kind: 'Deployment',
      resource: 'deployments',
    });
    const view = new ClusterView();
    const deployment = object({ type: types.deployment, uid: 'web' });
    const child = pod(refTo(deployment, { apiVersion: 'extensions/v1beta1' }));
    view.apply(
      {
        types: [...served, old],
        statuses: [...served, old].filter(ResourceType.isMonitored).map(each => status(each, 'synced')),
        changes: [deployment, child].map(next => ({ op: 'upsert', object: next }) as const),
      },
      0,
    );
    expect(statuses(view, 'pod')).toEqual(['Solid']);
    expect(view.graph.find(old, deployment.namespace, deployment.name)?.object).toBe(deployment);
  });

  test('the kind of a list proves that the owner is absent, whatever can be listed and however old lists are', () => {
    const view = viewOf([pod(refTo(gone, { kind: 'ReplicaSetList' }))], status(types.replicaSet, 'blind'));
    view.settings = { ...view.settings, listsMayLag: true };
    expect(judged(view, 'pod')).toBe('DeleteBackground exact');
    expect([...view.absences.unconfirmed()]).toEqual([]);
  });

  test('a cluster-scoped object cannot have a namespaced owner', () => {
    const node = object({ type: types.node, uid: 'node', owners: [refTo(owner)] });
    const view = viewOf([owner, node]);
    expect(statuses(view, 'node')).toEqual(['ClusterScopeViolation']);
    expect(judged(view, 'node')).toBe('NeverCollected assumed');
    view.settings = { ...view.settings, serverVersion: 'v1.36.3' };
    expect(judged(view, 'node')).toBe('NeverCollected exact');
  });

  test('an owner of a kind that cannot be listed is unknown, unless it shows up elsewhere', () => {
    const blind = status(types.replicaSet, 'blind');
    expect(statuses(viewOf([pod(refTo(gone))], blind), 'pod')).toEqual(['Unknown']);
    const other = object({ uid: 'gone' });
    expect(statuses(viewOf([other, pod(refTo(gone))], blind), 'pod')).toEqual(['Mismatched']);
  });

  test('where only some namespaces can be listed, absence is known in these alone', () => {
    const partial = status(types.replicaSet, 'synced', ['ns1']);
    const outside = object({ uid: 'outside', namespace: 'ns2', owners: [refTo(gone)] });
    const view = viewOf([pod(refTo(gone)), outside], partial);
    expect(statuses(view, 'pod')).toEqual(['Absent']);
    expect(statuses(view, 'outside')).toEqual(['Unknown']);
  });

  test('a deleted owner whose kind went with it is remembered', () => {
    const view = viewOf([widget, pod(refTo(widget))]);
    view.apply({ changes: [{ op: 'delete', uid: widget.uid, type: types.widget }] }, 0);
    view.apply(
      {
        types: served.filter(type => type !== types.widget),
        statuses: [status(types.widget, 'gone')],
        changes: [],
      },
      0,
    );
    expect(statuses(view, 'pod')).toEqual(['Absent']);
    expect(judged(view, 'pod')).toBe('DeleteBackground assumed');
  });

  test('one that nobody saw go with its kind is not remembered, as by who has never seen it', () => {
    const unserved = {
      types: served.filter(type => type !== types.widget),
      statuses: [status(types.widget, 'gone')],
    };
    const view = viewOf([widget, pod(refTo(widget))]);
    const changes = [{ op: 'delete', uid: widget.uid, type: types.widget, unseen: true }] as const;
    view.apply({ ...unserved, changes }, 0);
    const fresh = viewOf([pod(refTo(widget))]);
    fresh.apply({ ...unserved, changes: [] }, 0);
    for (const each of [view, fresh]) {
      expect(statuses(each, 'pod')).toEqual(['Unresolvable']);
      expect(judged(each, 'pod')).toBe('RetryForever exact');
      expect(each.vanishedAt(widget.uid)).toBeUndefined();
    }
  });
});

describe('on a cluster whose lists may be older than what refers to what they lack', () => {
  function lagging(...objects: readonly KubeObject[]): ClusterView {
    const view = viewOf(objects);
    view.settings = { ...view.settings, listsMayLag: true };
    return view;
  }

  const lookUp = {
    of: 'object',
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    namespace: 'ns1',
    name: 'gone',
    uid: uid('gone'),
  } as const;

  function told(view: ClusterView): string {
    const node = nodeOf(view, 'pod');
    const standings = node.owners.map(reference => {
      const { status: standing, certainty } = OwnerStanding.of(view, node, reference);
      return `${standing} ${certainty}`;
    });
    return [...standings, judged(view, 'pod')].join(', ');
  }

  test.each<[string, LookUpAnswer | undefined, string]>([
    ['nobody has asked yet', undefined, 'Absent assumed, DeleteBackground assumed'],
    ['it is absent', { state: 'absent' }, 'Absent exact, DeleteBackground exact'],
    [
      'another object has its name',
      { state: 'found', uid: uid('other'), foreground: false },
      'Absent exact, DeleteBackground exact',
    ],
    ['it is there', { state: 'found', uid: uid('gone'), foreground: false }, 'Solid exact, None exact'],
    [
      'it is there and waits for its dependents',
      { state: 'found', uid: uid('gone'), foreground: true },
      'WaitingForDependents exact, DeleteBackground exact',
    ],
    [
      'that cannot be told',
      { state: 'unknown', reason: 'reading it is forbidden' },
      'Absent assumed, DeleteBackground assumed',
    ],
  ])('an owner that no list holds: %s', (_, answer, expected) => {
    const view = lagging(pod(refTo(gone)));
    if (answer !== undefined) view.apply({ changes: [], lookUps: [{ lookUp, answer }] }, 0);
    expect(told(view)).toBe(expected);
  });

  test('whose uid is seen elsewhere an owner is certain not to be where a reference says', () => {
    expect(told(lagging(owner, pod(refTo(owner, { name: 'other' }))))).toBe(
      'Mismatched exact, DeleteBackground exact',
    );
  });

  test('beside one that holds, a missing owner makes the pruning assumed', () => {
    expect(told(lagging(owner, pod(refTo(owner), refTo(gone))))).toBe(
      'Solid exact, Absent assumed, PruneReferences assumed',
    );
  });
});

describe('the collector’s next move', () => {
  const solid = refTo(owner);
  const dangling = refTo(gone);

  test.each<[string, KubeObject['owners'], string]>([
    ['leaves an object without owners', [], 'None exact'],
    ['leaves an object whose owners are all solid', [solid], 'None exact'],
    ['prunes what dangles beside a solid owner', [dangling, solid], 'PruneReferences exact'],
    ['deletes an object whose owners are all gone', [dangling], 'DeleteBackground exact'],
    ['retries where a kind is not served, whatever else dangles', [dangling, unserved], 'RetryForever exact'],
    ['retries where a kind is not served, whatever else holds', [unserved, solid], 'RetryForever exact'],
  ])('%s', (_, owners, expected) => {
    expect(judged(viewOf([owner, pod(...owners)]), 'pod')).toBe(expected);
  });

  const withPod = (init: Partial<ObjectOptions>) => object({ uid: 'pod', owners: [dangling], ...init });

  test('keeps the propagation that the object’s finalizers ask for', () => {
    expect(judged(viewOf([withPod({ finalizers: ['orphan'] })]), 'pod')).toBe('DeleteOrphan exact');
    expect(judged(viewOf([withPod({ finalizers: ['foregroundDeletion'] })]), 'pod')).toBe(
      'DeleteForeground exact',
    );
  });

  test('follows a waiting owner: in the foreground where the object has dependents itself', () => {
    const middle = object({ uid: 'middle', owners: [blockingRefTo(owner)] });
    const leaf = object({ uid: 'leaf', owners: [blockingRefTo(middle)] });
    expect(judged(viewOf([waiting, middle]), 'middle')).toBe('DeleteBackground exact');
    expect(judged(viewOf([waiting, middle, leaf]), 'middle')).toBe('DeleteForeground exact');
  });

  test('breaks a cycle where a dependent of the object is waiting already', () => {
    const middle = object({ uid: 'middle', owners: [blockingRefTo(owner)] });
    const closing = object({
      type: types.replicaSet,
      uid: 'owner',
      deletionTimestamp: 1,
      finalizers: ['foregroundDeletion'],
      owners: [blockingRefTo(middle)],
    });
    expect(judged(viewOf([closing, middle]), 'middle')).toBe('UnblockAndDelete exact');
  });

  test('waits for blocking dependents and no others', () => {
    const blocked = viewOf([waiting, pod(blockingRefTo(owner))]);
    expect(judged(blocked, 'owner')).toBe('WaitForDependents exact');
    expect(judged(viewOf([waiting, pod(refTo(owner))]), 'owner')).toBe('RemoveForegroundFinalizer exact');
  });

  test('orphans where that was asked for, and else has nothing to do with a deleting object', () => {
    const orphaning = withPod({ deletionTimestamp: 1, finalizers: ['orphan', 'x/y'] });
    expect(judged(viewOf([orphaning]), 'pod')).toBe('OrphanDependents exact');
    expect(judged(viewOf([withPod({ deletionTimestamp: 1, finalizers: ['x/y'] })]), 'pod')).toBe(
      'None exact',
    );
  });

  test('is not for virtual nodes', () => {
    expect(judged(viewOf([pod(dangling)]), 'gone')).toBe('None exact');
  });
});

describe('what cannot be seen', () => {
  const blindOwners = status(types.replicaSet, 'blind');
  const blindElsewhere = status(types.secret, 'blind');

  test('never makes an object look safe for certain', () => {
    expect(judged(viewOf([pod(refTo(gone))], blindOwners), 'pod')).toBe('None assumed');
    expect(judged(viewOf([pod(refTo(gone))], status(types.replicaSet, 'listing')), 'pod')).toBe(
      'None assumed',
    );
  });

  test('does not matter where a solid and a dangling owner decide already', () => {
    const holder = object({ uid: 'holder' });
    const owners = [refTo(gone), refTo(holder), refTo(object({ uid: 'lost' }))];
    expect(judged(viewOf([holder, pod(...owners)], blindOwners), 'pod')).toBe('PruneReferences exact');
  });

  test('does not matter to an error that another reference causes', () => {
    expect(judged(viewOf([pod(refTo(gone), unserved)], blindOwners), 'pod')).toBe('RetryForever exact');
  });

  test('may hide a dependent that a foreground deletion waits for', () => {
    expect(judged(viewOf([waiting], blindElsewhere), 'owner')).toBe('RemoveForegroundFinalizer assumed');
    const blocked = viewOf([waiting, pod(blockingRefTo(owner))], blindElsewhere);
    expect(judged(blocked, 'owner')).toBe('WaitForDependents exact');
  });

  test('may hide a dependent that decides how an object follows its waiting owner', () => {
    expect(judged(viewOf([waiting, pod(refTo(owner))], blindElsewhere), 'pod')).toBe(
      'DeleteBackground assumed',
    );
  });

  test('includes kinds of an API group whose discovery failed', () => {
    const child = pod({ ...refTo(gone), apiVersion: 'broken.example.com/v1', kind: 'Thing' });
    const view = viewOf([child]);
    expect(judged(view, 'pod')).toBe('RetryForever exact');
    view.apply({ failedGroups: [{ resource: '*.broken.example.com', reason: '503' }], changes: [] }, 0);
    expect(judged(view, 'pod')).toBe('RetryForever assumed');
  });
});

test('a batch names every object whose verdict or owner statuses it changed', () => {
  const judgeAll = (view: ClusterView) =>
    new Map(
      [...view.graph.nodes()].map(node => [
        node.identity.uid,
        {
          ...Judgement.of(view, node),
          owners: node.owners.map(reference => OwnerStatus.of(view, node, reference)),
        },
      ]),
    );
  fc.assert(
    fc.property(anyHistory, history => {
      const view = viewOf([]);
      for (const changes of history) {
        const before = judgeAll(view);
        const { touched } = view.apply({ changes }, 0).graph;
        const told = new Set([...touched].map(uidOf));
        for (const [name, judgement] of judgeAll(view)) {
          if (!told.has(name)) expect(judgement, name).toEqual(before.get(name));
        }
      }
    }),
    { numRuns: 300 },
  );
});

test('a verdict that rests on what cannot be watched is assumed, and no other is', () => {
  const polled: TypeStatus = { ...status(types.replicaSet, 'synced'), polled: '403' };
  const objects = [
    owner,
    object({ type: types.pod, uid: 'dependent', owners: [refTo(owner)] }),
    object({ type: types.pod, uid: 'other' }),
  ];
  const certainties = (view: ClusterView) =>
    ['owner', 'dependent', 'other'].map(name => Judgement.of(view, nodeOf(view, name)).certainty);
  expect(certainties(viewOf(objects))).toEqual(['exact', 'exact', 'exact']);
  expect(certainties(viewOf(objects, polled))).toEqual(['assumed', 'assumed', 'exact']);
});

test('which dependents there are is assumed as long as any kind cannot be watched', () => {
  const foreground = { deletionTimestamp: 1, finalizers: ['foregroundDeletion'] };
  const objects = [object({ type: types.pod, uid: 'going', ...foreground })];
  expect(judged(viewOf(objects), 'going')).toBe('RemoveForegroundFinalizer exact');
  const polled: TypeStatus = { ...status(types.replicaSet, 'synced'), polled: '405' };
  expect(judged(viewOf(objects, polled), 'going')).toBe('RemoveForegroundFinalizer assumed');
});

test('how an object below a waiting owner is deleted is assumed as long as any kind cannot be watched', () => {
  const objects = [waiting, pod(refTo(waiting))];
  expect(judged(viewOf(objects), 'pod')).toBe('DeleteBackground exact');
  const polled: TypeStatus = { ...status(types.widget, 'synced'), polled: '405' };
  expect(judged(viewOf(objects, polled), 'pod')).toBe('DeleteBackground assumed');
});

test('a node’s state is that of its object’s deletion', () => {
  const deleting = { deletionTimestamp: 1 };
  const view = viewOf([
    object({ uid: 'live', owners: [refTo(gone)], finalizers: ['foregroundDeletion'] }),
    object({ uid: 'deleting', ...deleting, finalizers: ['x/y'] }),
    object({ uid: 'foreground', ...deleting, finalizers: ['foregroundDeletion'] }),
    object({ uid: 'orphan', ...deleting, finalizers: ['orphan'] }),
  ]);
  const states = ['live', 'deleting', 'foreground', 'orphan', 'gone'].map(name =>
    DeletionState.of(nodeOf(view, name)),
  );
  expect(states).toEqual(['Live', 'Deleting', 'ForegroundDeleting', 'OrphanDeleting', 'Virtual']);
});
