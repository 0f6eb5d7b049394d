/**
 * The first collector held to what its own tests state: those of Kubernetes v1.5.8, by their names there.
 */
import { describe, expect, test } from 'vitest';
import { OwnershipNode } from '../../../../src/graph/ownership-node.ts';
import type { KubeObject } from '../../../../src/model/object.ts';
import type { DeleteOptions } from '../../../../src/simulation/api/api-client.ts';
import { FirstWorkers } from '../../../../src/simulation/collector/first/first-workers.ts';
import { AbsentUids } from '../../../../src/simulation/collector/first/propagator-graph.ts';
import { refTo, uid } from '../../../graph/fixtures.ts';
import { cluster } from '../../fixtures.ts';
import {
  contradictions,
  firstBehaviour,
  firstCollected,
  firstOf,
  left,
  ownersOf,
  pod,
  rc,
  removed,
  requests,
} from './world.ts';

describe('pkg/controller/garbagecollector/garbagecollector_test.go', () => {
  test('TestProcessItem: it asks for the item and its owner, and deletes the item', () => {
    const running = firstCollected([pod('to-be-deleted', rc('owner1'))]);
    const asked = requests(running);
    expect(asked).toContain('get pods default/to-be-deleted → 200');
    expect(asked).toContain('get replicationcontrollers default/owner1 → 404');
    expect(asked).toContain('delete pods default/to-be-deleted → 200');
    expect(left(running)).toEqual([]);
  });

  // The uids and owners of its events; with `+` an addition, `-` a deletion, `=` other owners.
  test.for([
    ['test1', '+1', '+2:1', '+3:1,2'],
    ['test2', '+1', '+2:1', '+3:1,2', '+4:2', '-2'],
    ['test3', '+1', '+2:1', '+3:1,2', '+4:3', '=2:4'],
    ['reverse test2', '+4:2', '+3:1,2', '+2:1', '+1', '-2'],
  ])('TestProcessEvent: owners and dependents agree after each event of %s', ([, ...events]) => {
    // As there, nothing but the propagator: items that it queues aren't worked on.
    const running = firstCollected([]);
    const { graph } = firstOf(running);
    for (const event of events) {
      const [id = '', owners = ''] = event.slice(1).split(':');
      const object = pod(
        id,
        ...owners
          .split(',')
          .filter(Boolean)
          .map(each => pod(each)),
      );
      if (event.startsWith('-')) graph.process({ op: 'delete', object });
      else graph.process({ op: 'upsert', object, old: event.startsWith('=') ? object : undefined });
      expect(contradictions(firstOf(running))).toEqual([]);
    }
    expect(graph.size).toBeGreaterThan(2);
  });

  test('TestAbsentUIDCache: an owner that is remembered isn’t asked for, and the one longest unused is forgotten', () => {
    const pods = [
      pod('rc1Pod1', rc('rc1')),
      pod('rc2Pod1', rc('rc2')),
      pod('rc1Pod2', rc('rc1')),
      pod('rc3Pod1', rc('rc3')),
    ];
    const { api, discovery } = cluster({ behaviour: firstBehaviour, objects: pods, logReads: true });
    const absent = new AbsentUids(2);
    const resolve = discovery.catalog.resolveKind.bind(discovery.catalog);
    const workers = new FirstWorkers({
      api: api.as('garbage-collector'),
      absent,
      resolve,
      resolveNow: resolve,
      departed: undefined,
      onlooker: undefined,
    });
    for (const each of pods) workers.processItem(new OwnershipNode(each, undefined));
    expect(['rc1', 'rc2', 'rc3'].map(each => absent.has(uid(each)))).toEqual([true, false, true]);
    expect(api.log.entries.filter(({ verb, name }) => verb === 'get' && name === 'rc1')).toHaveLength(1);
  });
});

describe('test/integration/garbagecollector/garbage_collector_test.go', () => {
  const orphan: DeleteOptions = { orphanDependents: true };
  const cascade: DeleteOptions = { orphanDependents: false };

  test('TestCascadingDeletion: only dependents without another owner are deleted', () => {
    const [gone, stays] = [rc('test.rc.1'), rc('test.rc.2')];
    const shared = pod('test.pod.3', gone, stays);
    const running = firstCollected([gone, stays, pod('test.pod.1', gone), shared, pod('test.pod.2')]);
    removed(running, gone, cascade);
    expect(left(running)).toEqual(['test.pod.2', 'test.pod.3', 'test.rc.2']);
    expect(firstOf(running).graph.get(gone.uid)).toBeUndefined();
    // What it doesn't state, and its TODO says: the reference to the owner that is gone stays.
    expect(ownersOf(running, shared)).toEqual([gone.uid, stays.uid]);
  });

  test('TestCreateWithNonExistentOwner: the dependent of an owner that was never there is deleted', () => {
    expect(left(firstCollected([pod('test.pod.1', rc('never-there'))]))).toEqual([]);
  });

  test('TestStressingCascadingDeletion: options come before finalizers, and these before what is usual', () => {
    const objects: KubeObject[] = [];
    const requested: [KubeObject, DeleteOptions][] = [];
    const collection = (prefix: string, finalizers: readonly string[], options: DeleteOptions): void => {
      for (let i = 0; i < 10; i++) {
        const owner = rc(`rc-${prefix}-${i}`, { finalizers: [...finalizers] });
        requested.push([owner, options]);
        objects.push(owner, ...[0, 1, 2].map(j => pod(`${prefix}-${i}-${j}`, owner)));
      }
    };
    collection('collection1', [], {});
    collection('collection2', ['orphan'], {});
    collection('collection3', ['orphan'], cascade);
    collection('collection4', [], orphan);
    const running = firstCollected(objects);
    for (const [owner, options] of requested) running.as('user').delete(owner, options);
    expect(running.run({ tasks: 10_000 })).toBe('rest');
    const remaining = left(running);
    expect(remaining).toHaveLength(10 * 3 * 3);
    expect(remaining.filter(name => !/^collection[124]-/u.test(name))).toEqual([]);
    expect(requested.filter(([{ uid: owner }]) => firstOf(running).graph.get(owner) !== undefined)).toEqual(
      [],
    );
  });

  test('TestOrphaning: pods stay, without their reference', () => {
    const owner = rc('test.rc.1');
    const pods = [0, 1, 2].map(each => pod(`test.pod.1${each}`, owner));
    const running = firstCollected([owner, ...pods]);
    removed(running, owner, orphan);
    expect(left(running)).toEqual(['test.pod.10', 'test.pod.11', 'test.pod.12']);
    expect(pods.flatMap(each => ownersOf(running, each))).toEqual([]);
  });
});

describe('test/e2e/garbage_collector.go', () => {
  test.for<[string, DeleteOptions, boolean]>([
    ['should delete pods created by rc when not orphaning', { orphanDependents: false }, false],
    ['should orphan pods created by rc if delete options say so', { orphanDependents: true }, true],
    ['should orphan pods created by rc if deleteOptions.OrphanDependents is nil', {}, true],
  ])('%s', ([, options, stay]) => {
    const owner = rc('simpletest.rc');
    const pods = Array.from({ length: 100 }, (_, index) => pod(`pod-${index}`, owner));
    const running = firstCollected([owner, ...pods]);
    removed(running, owner, options);
    expect(left(running)).toHaveLength(stay ? 100 : 0);
  });
});

test('a reference is known by its uid: the last one of several to one uid counts', () => {
  const owner = rc('owner');
  const twice: KubeObject = pod('twice', owner, owner);
  const running = firstCollected([owner, twice]);
  running.as('user').patch(twice, { owners: [refTo(owner)] });
  running.run({ tasks: 1000 });
  expect(firstOf(running).graph.get(uid('twice'))?.owners).toHaveLength(2);
});
