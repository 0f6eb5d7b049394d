import { describe, expect, test } from 'vitest';
import { ServerBehaviour } from '../../../src/model/server/server-behaviour.ts';
import { asFirstUnderstood, firstDeletionFinalizers } from '../../../src/simulation/api/first-deletion.ts';
import { object } from '../../graph/fixtures.ts';
import { builtIn, cluster } from '../fixtures.ts';

/** With orphaning by default, and without. */
const controllers = builtIn('ReplicationController');
const configMaps = builtIn('ConfigMap');
const x = 'foo.com/x';
const y = 'bar.com/y';

const behaviour = new ServerBehaviour('v1.36.3', undefined, '1.5');

describe('finalizers after a DELETE, as v1.5.8 has them in TestStoreDeleteWithOrphanDependents', () => {
  // pkg/registry/generic/registry/store_test.go, by the pods' numbers there.
  test.for<[number, string[], boolean | undefined, typeof controllers, string[]]>([
    [1, [x, 'orphan', y], true, configMaps, [x, 'orphan', y]],
    [2, [x, y], true, configMaps, [x, y, 'orphan']],
    [3, [], true, configMaps, ['orphan']],
    [4, ['orphan'], true, configMaps, ['orphan']],
    [5, [x, 'orphan', y], false, controllers, [x, y]],
    [6, [x, y], false, controllers, [x, y]],
    [7, [], false, controllers, []],
    [8, ['orphan'], false, controllers, []],
    [9, [x, 'orphan', y], undefined, configMaps, [x, 'orphan', y]],
    [10, [x, 'orphan', y], undefined, controllers, [x, 'orphan', y]],
    [11, [x, y], undefined, configMaps, [x, y]],
    [12, [x, y], undefined, controllers, [x, y, 'orphan']],
    [13, [], undefined, configMaps, []],
    [14, [], undefined, controllers, ['orphan']],
    [15, ['orphan'], undefined, configMaps, ['orphan']],
    [16, ['orphan'], undefined, controllers, ['orphan']],
  ])('pod%i', ([, finalizers, orphanDependents, type, expected]) => {
    const options = orphanDependents === undefined ? {} : { orphanDependents };
    expect(firstDeletionFinalizers(finalizers, options, type)).toEqual(expected);
  });

  test('only ReplicationControllers and ReplicaSets orphan by default', () => {
    const orphaning = [
      'ReplicationController',
      'ReplicaSet',
      'Deployment',
      'DaemonSet',
      'StatefulSet',
      'Job',
    ];
    expect(orphaning.filter(kind => firstDeletionFinalizers([], {}, builtIn(kind)).length > 0)).toEqual([
      'ReplicationController',
      'ReplicaSet',
    ]);
  });
});

describe('what the API server of the time understands', () => {
  test('a policy as the boolean that came before it, and none for the foreground', () => {
    expect(asFirstUnderstood({ propagationPolicy: 'Orphan' })).toEqual({ orphanDependents: true });
    expect(asFirstUnderstood({ propagationPolicy: 'Background' })).toEqual({ orphanDependents: false });
    expect(asFirstUnderstood({ propagationPolicy: 'Foreground' })).toEqual({});
    expect(asFirstUnderstood({ propagationPolicy: 'Whatever' })).toEqual({});
    expect(asFirstUnderstood({ orphanDependents: true, gracePeriodSeconds: 3 })).toEqual({
      orphanDependents: true,
      gracePeriodSeconds: 3,
    });
  });

  test('of preconditions the uid alone', () => {
    const stored = object({ uid: 'a', type: configMaps });
    const running = cluster({ behaviour, objects: [stored] });
    const stale = { resourceVersion: 'another' as typeof stored.resourceVersion };
    expect(running.as('user').delete(stored, { preconditions: stale }).status).toBe(200);
    expect([...running.store.all()]).toEqual([]);
  });

  test('no finalizer foregroundDeletion, which has no domain', () => {
    const running = cluster({ behaviour });
    const created = running
      .as('user')
      .create({ type: configMaps, namespace: 'default', name: 'a', finalizers: ['foregroundDeletion'] });
    expect(created.status).toBe(422);
  });

  test('a cascading DELETE, which is answered with 200 like every other', () => {
    const held = object({ uid: 'a', type: configMaps, finalizers: [x] });
    const answer = (given?: ServerBehaviour) =>
      cluster({ ...(given && { behaviour: given }), objects: [held] })
        .as('user')
        .delete(held, { orphanDependents: false }).status;
    expect([answer(behaviour), answer()]).toEqual([200, 202]);
  });
});
