import { describe, expect, it } from 'vitest';
import { expectationsOf } from '../../../src/actions/prepare/expectations.ts';
import { prepare } from '../../../src/actions/prepare/prepare.ts';
import { progressOf } from '../../../src/actions/run/follow-forecast.ts';
import type { Progress } from '../../../src/actions/run/run-ports.ts';
import { createHandledForecaster } from '../../../src/diagnosis/waits/aftermath.ts';
import type { Cascade } from '../../../src/forecast/action.ts';
import { Forecaster } from '../../../src/forecast/compose/forecaster.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import { KubeObject, type Uid } from '../../../src/model/object.ts';
import { deployment, nodes, now, objectOf, operator, remedyOf, viewOf } from '../../forecast/fixtures.ts';

const yaml = `${nodes}${deployment('api', 2)}
- {kind: ConfigMap, name: held, finalizers: [example.com/hold]}
- {kind: ConfigMap, name: sibling, owners: [v1 ConfigMap held held, apps/v1 Deployment other other]}
- {kind: Deployment, name: other}
- {kind: ConfigMap, name: unrelated}
- {kind: ConfigMap, name: lax, owners: [apps/v1 Deployment other other]}
- {kind: ConfigMap, name: twice, owners: [apps/v1 Deployment other other, apps/v1 Deployment other other +b]}
- {kind: ConfigMap, name: front, finalizers: [foregroundDeletion], deletionTimestamp: '2026-11-21T11:30:00Z'}
- {kind: ConfigMap, name: blocking, finalizers: [example.com/hold], deletionTimestamp: '2026-11-21T11:30:00Z', owners: [v1 ConfigMap front front +b]}
`;

class Followed {
  readonly view: ClusterView = viewOf(yaml);
  #expectations: ReturnType<typeof expectationsOf> = [];

  delete(uid: string, cascade: Cascade): this {
    return this.#expect({ verb: 'delete', cascade, targets: [objectOf(this.view, uid)] });
  }

  unblock(uid: string, id: string): this {
    const target = objectOf(this.view, uid);
    return this.#expect({ verb: 'unblock', target, remedy: remedyOf(this.view, target, id) });
  }

  #expect(intent: Parameters<typeof prepare>[1]): this {
    this.#expectations = expectationsOf(
      prepare(Forecaster.create(this.view, { now }), intent, { secretData: false }),
      this.view,
    );
    return this;
  }

  gone(...uids: readonly string[]): this {
    for (const uid of uids) {
      const { type } = objectOf(this.view, uid);
      this.view.apply({ changes: [{ op: 'delete', uid: uid as Uid, type }] }, 0);
    }
    return this;
  }

  changed(uid: string, change: Partial<KubeObject>): this {
    const object = new KubeObject({ ...objectOf(this.view, uid), ...change });
    this.view.apply({ changes: [{ op: 'upsert', object }] }, 0);
    return this;
  }

  get progress() {
    return progressOf(this.#expectations, this.view);
  }

  get departures(): readonly string[] {
    return this.progress.departures.map(
      ({ object, expected, actual }) => `${object.name} ${expected}: ${actual}`,
    );
  }

  get pending(): readonly string[] {
    return this.progress.pending.map(({ object, state }) => `${object.name} ${state}`);
  }
}

describe('following a cascade', () => {
  it('counts what has gone until all has', () => {
    const followed = new Followed().delete('api', 'background');
    expect(followed.progress).toMatchObject({ done: 0, total: 4, departures: [] });
    followed.gone('api');
    expect(followed.progress.done).toBe(1);
    followed.changed('api-h-0', { deletionTimestamp: now });
    expect(followed.pending).toContain('api-h-0 is being deleted');
    followed.gone('api-h', 'api-h-0', 'api-h-1');
    expect(followed.progress).toEqual({ done: 4, total: 4, pending: [], departures: [] });
  });

  it('departs where something goes that was to stay', () => {
    const followed = new Followed().delete('held', 'background');
    expect(followed.gone('sibling').departures).toEqual(['sibling stays as it is: is gone']);
  });

  it('departs where what was to be held is gone', () => {
    const followed = new Followed().delete('held', 'background');
    expect(followed.gone('held').departures).toContain(
      'held is being deleted and stays, held by example.com/hold: is gone',
    );
  });

  it('has reached the end of what is held when it is held by exactly that', () => {
    const followed = new Followed().delete('held', 'background');
    followed.changed('held', {
      deletionTimestamp: now,
      finalizers: ['example.com/hold', 'foregroundDeletion'],
    });
    expect(followed.pending).toContain('held carries example.com/hold, foregroundDeletion');
    followed.changed('held', { finalizers: ['example.com/hold'] });
    expect(followed.pending.filter(each => each.startsWith('held'))).toEqual([]);
  });
});

describe('following an orphaning', () => {
  it('has reached its end when the owner is gone and the dependents have let it go', () => {
    const followed = new Followed().delete('api', 'orphan');
    followed.gone('api');
    expect(followed.pending).toEqual(['api-h is not altered yet']);
    followed.changed('api-h', { owners: [] });
    expect(followed.progress).toMatchObject({ pending: [], departures: [] });
  });

  it('departs where the pods go all the same, or lose their owner', () => {
    expect(new Followed().delete('api', 'orphan').gone('api-h-0').departures).toEqual([
      'api-h-0 stays as it is: is gone',
    ]);
    expect(new Followed().delete('api', 'orphan').changed('api-h-0', { owners: [] }).departures).toEqual([
      'api-h-0 stays as it is: lost an owner reference',
    ]);
    expect(
      new Followed().delete('api', 'orphan').changed('api-h-1', { deletionTimestamp: now }).departures,
    ).toEqual(['api-h-1 stays as it is: is being deleted']);
  });
});

describe('what an action does not touch', () => {
  it('is followed below the objects that it is about, and up to their other owners', () => {
    expect(new Followed().delete('held', 'orphan').gone('other').departures).toEqual([
      'other stays as it is: is gone',
    ]);
  });

  it("is not followed further: what becomes of siblings is somebody else's doing", () => {
    expect(new Followed().delete('api-h-0', 'background').gone('api-h-1').departures).toEqual([]);
    expect(new Followed().delete('api-h', 'background').gone('unrelated').departures).toEqual([]);
  });
});

describe('following a pod that its controller makes anew', () => {
  it('waits for the new one', () => {
    const followed = new Followed().delete('api-h-0', 'background').gone('api-h-0');
    expect(followed.pending).toEqual(['api-h has created 0 of 1 new Pods']);
    const pod = objectOf(followed.view, 'api-h-1');
    followed.view.apply(
      {
        changes: [{ op: 'upsert', object: new KubeObject({ ...pod, name: 'api-h-9', uid: 'new' as Uid }) }],
      },
      0,
    );
    expect(followed.pending).toEqual([]);
  });

  it('waits for the pods of a controller that is made anew as well, whatever that is called', () => {
    const followed = new Followed().delete('api-h', 'background');
    const set = objectOf(followed.view, 'api-h');
    const pod = objectOf(followed.view, 'api-h-0');
    followed.gone('api-h-0', 'api-h-1');
    expect(followed.gone('api-h').pending).toEqual([
      'api has created 0 of 1 new ReplicaSets',
      'api-h has created 0 of 2 new Pods',
    ]);
    const change = (object: KubeObject): void =>
      void followed.view.apply({ changes: [{ op: 'upsert', object }] }, 0);
    change(new KubeObject({ ...set, name: 'api-i', uid: 'set' as Uid }));
    expect(followed.pending).toEqual(['api-i has created 0 of 2 new Pods']);
    const [owner] = pod.owners;
    if (owner === undefined) throw new Error('no owner');
    const owners = [{ ...owner, uid: 'set' as Uid }];
    for (const name of ['one', 'two']) change(new KubeObject({ ...pod, owners, name, uid: name as Uid }));
    expect(followed.pending).toEqual([]);
  });

  it('knows until when a grace period lasts', () => {
    const followed = new Followed().delete('api-h-0', 'background');
    const until = now + 30_000;
    followed.changed('api-h-0', { deletionTimestamp: until, deletionGracePeriodSeconds: 30 });
    expect(followed.progress.pending[0]).toMatchObject({ state: 'is being deleted', until });
    followed.changed('api-h-0', { deletionTimestamp: now, deletionGracePeriodSeconds: 0 });
    expect(followed.progress.pending[0]).not.toHaveProperty('until');
  });
});

describe('following a remedy', () => {
  it('has not reached its end while the reference says what it said', () => {
    const followed = new Followed().unblock('lax', 'set-block/other');
    expect(followed.pending).toEqual(['lax is not altered yet']);
    const { owners } = objectOf(followed.view, 'lax');
    followed.changed('lax', { owners: owners.map(each => ({ ...each, blockOwnerDeletion: true })) });
    expect(followed.pending).toEqual([]);
  });

  it('knows one of two references to the same owner from none', () => {
    const followed = new Followed().unblock('twice', 'prune-reference/other');
    expect(followed.pending).toEqual(['twice is not altered yet']);
    const { owners } = objectOf(followed.view, 'twice');
    expect(owners).toHaveLength(2);
    followed.changed('twice', { owners: owners.slice(1) });
    expect(followed.pending).toEqual([]);
    followed.changed('twice', { owners: [] });
    expect(followed.pending).toEqual(['twice is not altered yet']);
  });

  it('has not reached its end while the reference still blocks', () => {
    const followed = new Followed().unblock('front', 'clear-block/configmap/blocking');
    expect(followed.pending).toEqual(
      expect.arrayContaining(['front is being deleted', expect.stringMatching(/^blocking /u)]),
    );
    followed.gone('front');
    expect(followed.pending).toEqual([expect.stringMatching(/^blocking /u)]);
    const { owners } = objectOf(followed.view, 'blocking');
    followed.changed('blocking', { owners: owners.map(each => ({ ...each, blockOwnerDeletion: false })) });
    expect(followed.pending).toEqual([]);
  });
});

describe('following what handlers hold', () => {
  const world = `${nodes}
- {kind: ConfigMap, name: rec, finalizers: [example.com/drain]}
- {kind: Secret, name: key, owners: [v1 ConfigMap rec rec]}
`;

  function follow(yaml: string, targets: readonly string[]): { view: ClusterView; progress: () => Progress } {
    const view = viewOf(yaml);
    const intent = {
      verb: 'delete',
      cascade: 'background',
      targets: targets.map(each => objectOf(view, each)),
    } as const;
    const prepared = prepare(createHandledForecaster(view, { now }), intent, { secretData: false });
    const expectations = expectationsOf(prepared, view);
    return { view, progress: () => progressOf(expectations, view) };
  }

  function remove(view: ClusterView, uid: string): void {
    view.apply({ changes: [{ op: 'delete', uid: uid as Uid, type: objectOf(view, uid).type }] }, 0);
  }

  function change(view: ClusterView, uid: string, fields: Partial<KubeObject>): void {
    const object = new KubeObject({ ...objectOf(view, uid), ...fields });
    view.apply({ changes: [{ op: 'upsert', object }] }, 0);
  }

  it('goes on until they have done their work, and what follows from it has happened', () => {
    const { view, progress } = follow(world + operator(1), ['rec']);
    change(view, 'rec', { deletionTimestamp: now });
    expect(progress()).toMatchObject({ done: 0, total: 2, departures: [] });
    remove(view, 'rec');
    expect(progress()).toMatchObject({ done: 1, total: 2, departures: [] });
    remove(view, 'key');
    expect(progress()).toMatchObject({ done: 2, total: 2, pending: [], departures: [] });
  });

  it('takes it as no departure where one does its work that need not have', () => {
    const { view, progress } = follow(world + operator(1), ['rec', 'drain-operator']);
    remove(view, 'drain-operator');
    change(view, 'rec', { deletionTimestamp: now });
    expect(progress()).toMatchObject({ done: 2, total: 2, pending: [], departures: [] });
    remove(view, 'rec');
    expect(progress()).toMatchObject({ done: 2, total: 2, pending: [], departures: [] });
  });

  it('takes it as a departure where there is none, and somebody removed the finalizer', () => {
    const { view, progress } = follow(world, ['rec']);
    remove(view, 'rec');
    expect(progress().departures).toMatchObject([{ object: { name: 'rec' }, actual: 'is gone' }]);
  });
});
