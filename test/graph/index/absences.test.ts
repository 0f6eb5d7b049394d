/** What a view of a live cluster proves about objects that it doesn't hold. */
import { describe, expect, test } from 'vitest';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { LookUp, LookUpAnswer, SourceBatch } from '../../../src/model/exchange/changes.ts';
import type { Uid } from '../../../src/model/object.ts';
import { now, objects, viewOf } from '../../cli/documents/cluster.ts';

const pod = '- {kind: Pod, name: web-1, owners: [apps/v1 ReplicaSet web]}';
const owner = '- {kind: ReplicaSet, name: web}';

function live(yaml: string): ClusterView {
  const view = viewOf(yaml);
  view.settings = { ...view.settings, listsMayLag: true };
  return view;
}

const web: LookUp = {
  of: 'object',
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  namespace: 'shop',
  name: 'web',
  uid: 'web' as Uid,
};

function answer(view: ClusterView, said: LookUpAnswer, lookUp: LookUp = web): void {
  view.apply({ changes: [], lookUps: [{ lookUp, answer: said }] }, 0);
}

function found(uid: string): LookUpAnswer {
  return { state: 'found', uid: uid as Uid, foreground: false };
}

function deletion(yaml: string): SourceBatch['changes'] {
  return objects(yaml).flatMap(change =>
    change.op === 'upsert'
      ? [{ op: 'delete' as const, uid: change.object.uid, type: change.object.type }]
      : [],
  );
}

describe('an owner that no list holds', () => {
  test('is assumed to be absent until a look-up has confirmed it', () => {
    const view = live(pod);
    expect([...view.absences.unconfirmed()]).toEqual([web]);
    expect(view.absences.of(web)).toEqual({ state: 'assumed', reason: undefined });
    answer(view, { state: 'absent' });
    expect(view.absences.of(web)).toEqual({ state: 'confirmed' });
    expect([...view.absences.unconfirmed()]).toEqual([]);
  });

  test('is absent for certain where another object has its name', () => {
    const view = live(pod);
    answer(view, found('younger'));
    expect(view.absences.of(web)).toEqual({ state: 'confirmed' });
  });

  test('is asked about again where the answer came when nobody referred to it any more', () => {
    const view = live(pod);
    view.apply({ changes: deletion(pod) }, 0);
    answer(view, found('web'));
    view.apply({ changes: objects(pod) }, 0);
    expect(view.absences.of(web)).toEqual({ state: 'assumed', reason: undefined });
  });

  test('exists where a look-up has found it, until the watch brings it', () => {
    const view = live(pod);
    answer(view, found('web'));
    expect(view.absences.of(web)).toMatchObject({ state: 'found', uid: 'web' });
    expect([...view.absences.found()]).toEqual([web]);
    view.apply({ changes: objects(owner) }, 0);
    expect([...view.absences.found()]).toEqual([]);
  });

  describe('where it was asked whether any object of its name exists', () => {
    const said = { lookUp: { ...web, uid: '' }, answer: { state: 'absent' } } as const;

    test('is absent for certain, and told of again with its dependents', () => {
      const view = live(pod);
      const { graph } = view.apply({ changes: [], lookUps: [said] }, 0);
      expect([...graph.touched].map(({ identity }) => identity.name).sort()).toEqual(['web', 'web-1']);
      expect(view.absences.of(web)).toEqual({ state: 'confirmed' });
    });

    test('may be younger than the answer where it is heard of later', () => {
      const view = live('- {kind: Pod, name: other}');
      view.apply({ changes: [], lookUps: [said] }, 0);
      view.apply({ changes: objects(pod) }, 0);
      expect(view.absences.of(web)).toEqual({ state: 'assumed', reason: undefined });
    });
  });

  test('is absent for certain once it was seen and seen to go, without any question', () => {
    const view = live(`${owner}\n${pod}`);
    view.apply({ changes: deletion(owner) }, now);
    expect(view.absences.of(web)).toEqual({ state: 'confirmed' });
    expect([...view.absences.unconfirmed()]).toEqual([]);
  });

  test('stays absent where an answer from before it was seen to go comes late', () => {
    const view = live(pod);
    view.apply({ changes: objects(owner) }, 0);
    view.apply({ changes: deletion(owner), lookUps: [{ lookUp: web, answer: found('web') }] }, 0);
    expect(view.absences.of(web)).toEqual({ state: 'confirmed' });
  });

  test('is assumed to be absent where it could not be looked up, and the view says why', () => {
    const view = live(pod);
    answer(view, { state: 'unknown', reason: 'reading it is forbidden' });
    expect(view.absences.of(web)).toEqual({ state: 'assumed', reason: 'reading it is forbidden' });
    expect([...view.absences.unconfirmed()]).toEqual([web]);
  });

  test('is asked about by every name that references have for it, and never for one that is there', () => {
    const view = live(`
- {kind: ReplicaSet, name: there}
- {kind: Pod, name: a, owners: [apps/v1 ReplicaSet there, apps/v1 ReplicaSet web, v1 Node node-1]}
- {kind: Pod, name: b, owners: [apps/v1 ReplicaSet wob web, apps/v1 Unserved x]}
- {kind: Pod, name: c, namespace: other, owners: [apps/v1 ReplicaSet web]}`);
    const asked = [...view.absences.unconfirmed()].map(
      ({ kind, namespace, name }) => `${kind} ${namespace}/${name}`,
    );
    expect(asked.sort()).toEqual([
      'Node /node-1',
      'ReplicaSet other/web',
      'ReplicaSet shop/web',
      'ReplicaSet shop/wob',
    ]);
  });

  test('comes up while the cluster is followed, and goes with the last reference to it', () => {
    const view = live(owner);
    expect([...view.absences.unconfirmed()]).toEqual([]);
    const before = view.absences.revision;
    view.apply({ changes: objects('- {kind: Pod, name: x, owners: [apps/v1 ReplicaSet late]}') }, 0);
    expect(view.absences.revision).not.toBe(before);
    expect([...view.absences.unconfirmed()].map(({ name }) => name)).toEqual(['late']);
    view.apply({ changes: deletion('- {kind: Pod, name: x}') }, 0);
    expect([...view.absences.unconfirmed()]).toEqual([]);
  });

  test('is asked about again once somebody refers to it again', () => {
    const view = live(pod);
    answer(view, { state: 'absent' });
    view.apply({ changes: deletion(pod) }, 0);
    view.apply({ changes: objects(pod) }, 0);
    expect(view.absences.of(web).state).toBe('assumed');
  });

  test.each([
    ['lost', { state: 'lost', reason: 'refused', since: now }, 'assumed'],
    ['restored', { state: 'catchingUp', cause: 'restored', since: now }, 'assumed'],
    ['late for one kind', { state: 'catchingUp', cause: 'delayed', since: now }, 'confirmed'],
  ] as const)('once its cluster was %s is judged anew', (_, connection, state) => {
    const view = live(`${owner}\n${pod}\n- {kind: Pod, name: b, owners: [apps/v1 ReplicaSet gone]}`);
    const gone: LookUp = { ...web, name: 'gone', uid: 'gone' as Uid };
    answer(view, { state: 'absent' }, gone);
    view.apply({ changes: deletion(owner) }, now);
    const { lookUps } = view.apply({ changes: [], connection }, 0);
    expect(view.absences.of(web).state).toBe(state);
    expect(view.absences.of(gone).state).toBe(state);
    expect(lookUps).toEqual(state === 'assumed' ? [gone] : []);
    // When it went is known all the same.
    expect(view.vanishedAt('web' as Uid)).toBe(now);
  });

  test('shows on whoever refers to it when it is answered', () => {
    const view = live(pod);
    const { graph, lookUps } = view.apply(
      {
        changes: [],
        lookUps: [{ lookUp: web, answer: { state: 'absent' } }],
      },
      0,
    );
    expect([...graph.touched].map(({ identity }) => identity.uid).sort()).toEqual(['web', 'web-1']);
    expect(lookUps).toEqual([web]);
  });
});

test('what files or a scenario do not hold does not exist, and nothing is asked', () => {
  const view = viewOf(pod);
  expect(view.absences.of(web)).toEqual({ state: 'confirmed' });
  expect(view.absences.ofDependents(web as LookUp & { uid: Uid })).toEqual({ state: 'confirmed' });
  expect([...view.absences.unconfirmed()]).toEqual([]);
});

test('a name is free for certain only until something has it again', () => {
  const view = live(pod);
  const byName: LookUp = { ...web, uid: '' };
  expect(view.absences.of(byName).state).toBe('assumed');
  answer(view, { state: 'absent' }, byName);
  expect(view.absences.of(byName).state).toBe('confirmed');
  view.apply({ changes: objects('- {kind: ReplicaSet, name: web, uid: other}') }, 0);
  view.apply({ changes: deletion('- {kind: ReplicaSet, name: web, uid: other}') }, 0);
  expect(view.absences.of(byName).state).toBe('assumed');
});

test('that nothing else refers to an object is confirmed by a look-up that found only what is known', () => {
  const view = live(`${owner}\n${pod}`);
  const dependents: LookUp = { ...web, of: 'dependents' };
  const identity = { ...web, uid: 'web' as Uid };
  expect(view.absences.ofDependents(identity)).toEqual({ state: 'assumed', reason: undefined });
  answer(view, { state: 'dependents', uids: ['web-1' as Uid, 'web-2' as Uid] }, dependents);
  expect(view.absences.ofDependents(identity).state).toBe('assumed');
  view.apply({ changes: objects('- {kind: Pod, name: web-2, owners: [apps/v1 ReplicaSet web]}') }, 0);
  expect(view.absences.ofDependents(identity)).toEqual({ state: 'confirmed' });
});

test('the content of a few hundred objects is read, and another one once one of them is gone', () => {
  const view = live(owner);
  const mayRead = (name: string): boolean => view.absences.mayReadContent(name as Uid);
  expect(mayRead('web')).toBe(true);
  const others = Array.from({ length: 500 }, (_, index) => `other-${index}`).filter(mayRead);
  expect(others).toHaveLength(199);
  expect([mayRead('web'), mayRead('other-198'), mayRead('other-199')]).toEqual([true, true, false]);
  view.apply({ changes: deletion(owner) }, 0);
  expect(mayRead('other-199')).toBe(true);
});
