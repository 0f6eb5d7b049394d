import { describe, expect, test } from 'vitest';
import { OwnershipGraph } from '../../../src/graph/graph.ts';
import type { GraphNode } from '../../../src/graph/node.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { type ApiClient, refusal } from '../../../src/simulation/api/api-client.ts';
import { CollectorRequests, CollectorWorkers } from '../../../src/simulation/collector/collector-workers.ts';
import { object, refTo, served, types } from '../../graph/fixtures.ts';
import { cluster, line } from '../fixtures.ts';

/** Workers on a graph of observed objects and an API server that need not agree with it. */
function workers(
  seen: readonly KubeObject[],
  stored: readonly KubeObject[],
  options: { absentOwners?: number; faults?: (api: ApiClient) => Partial<ApiClient> } = {},
) {
  const running = cluster({ types: served, objects: stored, logReads: true });
  const graph = new OwnershipGraph({
    virtualOwners: 'until-collected',
    absentOwners: options.absentOwners ?? 500,
  });
  for (const each of seen) graph.process({ op: 'upsert', object: each, old: undefined });
  const faulty = (api: ApiClient): ApiClient => ({
    ...api,
    ...options.faults?.(api),
    because: reason => faulty(api.because(reason)),
  });
  const requests = new CollectorRequests({
    api: faulty(running.as('garbage-collector')),
    behaviour: running.api.behaviour,
    cache: running.store,
    resolve: (apiVersion, kind) => running.discovery.catalog.resolveKind(apiVersion, kind),
    watches: () => true,
  });
  const queued: GraphNode[] = [];
  const worker = new CollectorWorkers({
    requests,
    absent: graph.absent,
    queueDelete: node => queued.push(node),
  });
  const node = (target: KubeObject): GraphNode => {
    const found = graph.get(target.uid);
    if (found === undefined) throw new Error(`${target.uid} is not in the graph`);
    return found;
  };
  return {
    graph,
    store: running.store,
    attempt: (target: KubeObject) => {
      const decided = worker.attemptToDelete(node(target));
      return typeof decided === 'string' ? decided : decided.go();
    },
    orphan: (target: KubeObject) => worker.attemptToOrphan(node(target)),
    calls: () => running.api.log.entries.map(line),
  };
}

describe('single items', () => {
  const owner = object({ type: types.controller, name: 'owner1', uid: '123' });

  test('G2: an object that somebody else deleted becomes a virtual delete', () => {
    const pod = object({ name: 'ExternallyDeletedPod', uid: '456', owners: [refTo(owner)] });
    const w = workers([pod], [pod], {
      faults: () => ({ delete: () => refusal(404, 'NotFound', 'somebody was faster') }),
    });
    expect(w.attempt(pod)).toBe('virtualDelete');
    expect(w.calls()).toEqual([
      'get pods ns1/ExternallyDeletedPod → 200',
      'get replicationcontrollers ns1/owner1 → 404',
    ]);
  });

  test('G4: the owners of a virtual item are those of its live object', () => {
    const pod = object({ name: 'ToBeDeletedPod', uid: '456', owners: [refTo(owner)] });
    const w = workers([object({ uid: 'child', owners: [refTo(pod)] })], [pod]);
    expect(w.attempt(pod)).toBe('done');
    expect(w.calls()).toEqual([
      'get pods ns1/ToBeDeletedPod → 200',
      'get replicationcontrollers ns1/owner1 → 404',
      'delete pods ns1/ToBeDeletedPod Background → 200',
    ]);
    expect(w.graph.get(pod.uid)?.virtual).toBe(true);
  });

  test('G10: an absent owner is asked for once, and the least recently used one is forgotten', () => {
    const controller = (name: string): KubeObject =>
      object({ type: types.controller, name, uid: `${name}-uid` });
    const child = (name: string, of: string, controls: boolean): KubeObject =>
      object({
        uid: name,
        owners: [refTo(controller(of), { controller: controls, blockOwnerDeletion: controls })],
      });
    const pods = [
      child('rc1Pod1', 'rc1', false),
      child('rc2Pod1', 'rc2', false),
      child('rc1Pod2', 'rc1', true),
      child('rc3Pod1', 'rc3', false),
    ];
    const w = workers(pods, pods, { absentOwners: 2 });
    for (const pod of pods) w.attempt(pod);
    expect(w.calls().filter(call => call.includes('rc1 '))).toHaveLength(1);
    expect([...w.graph.absent.values()].map(({ name }) => name)).toEqual(['rc1', 'rc3']);
  });

  test('the uid of an owner counts, not its name, when a worker looks it up', () => {
    const earlier = object({ type: types.controller, name: 'owner1', uid: 'earlier' });
    const recreated = object({ type: types.controller, name: 'owner1', uid: 'later' });
    const pod = object({ name: 'pod', uid: 'pod', owners: [refTo(earlier)] });
    const w = workers([pod], [recreated, pod]);
    expect(w.attempt(pod)).toBe('done');
    expect(w.calls()).toEqual([
      'get pods ns1/pod → 200',
      'get replicationcontrollers ns1/owner1 → 200',
      'delete pods ns1/pod Background → 200',
    ]);
    expect([...w.graph.absent.values()].map(({ uid }) => uid)).toEqual(['earlier']);
  });

  test('G11: dropping references takes exactly the named ones', () => {
    const owners = ['1', '2', '3'].map(uid => object({ type: types.controller, uid }));
    const pod = object({ uid: '100', owners: owners.map(each => refTo(each)) });
    const [first] = owners;
    const w = workers([...owners, pod], [pod, ...(first === undefined ? [] : [first])]);
    expect(w.attempt(pod)).toBe('done');
    expect(w.store.byUid(pod.uid)?.owners.map(({ uid }) => uid)).toEqual(['1']);
  });

  test('G13: a dependent that cannot be patched keeps its owner waiting', () => {
    const deleting = object({
      type: types.controller,
      uid: 'owner',
      finalizers: ['orphan'],
      deletionTimestamp: 1,
    });
    const pod = object({ uid: 'pod', owners: [refTo(deleting)] });
    let conflicts = 1;
    const w = workers([deleting, pod], [deleting, pod], {
      faults: api => ({
        patch: (target, change, options) =>
          conflicts-- > 0 ? refusal(409, 'Conflict', 'try again') : api.patch(target, change, options),
      }),
    });
    expect(w.orphan(deleting)).toBe('retry');
    expect(w.store.byUid(deleting.uid)).toBe(deleting);
    expect(w.orphan(deleting)).toBe('done');
    expect(w.store.byUid(deleting.uid)).toBeUndefined();
    expect(w.store.byUid(pod.uid)?.owners).toEqual([]);
  });

  test('a custom resource is patched from the cache, and conflicts where that is behind', () => {
    const gone = object({ type: types.controller, uid: 'gone' });
    const solid = object({ type: types.controller, uid: 'solid' });
    const custom = object({ type: types.widget, uid: 'custom', owners: [refTo(gone), refTo(solid)] });
    const w = workers([solid, custom], [solid, custom]);
    expect(w.attempt(custom)).toBe('done');
    expect(w.calls().slice(-2)).toEqual(['patch widgets ns1/custom → 415', 'patch widgets ns1/custom → 200']);
    expect(w.store.byUid(custom.uid)?.owners).toEqual([refTo(solid)]);
  });
});
