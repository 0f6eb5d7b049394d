import { describe, expect, test } from 'vitest';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import { KubeObject, type Uid } from '../../../src/model/object.ts';
import { Random } from '../../../src/simulation/runtime/random.ts';
import { now } from '../../cli/documents/cluster.ts';
import { viewOf, world } from '../../forecast/random-world.ts';
import { findingsOn } from '../judged.ts';

/** After it nothing counts as recent any more, so that the code stays the same, too. */
const HOUR = 3_600_000;

const idsOn = (yaml: string, uid: string): readonly string[] => findingsOn(yaml, uid).map(({ id }) => id);

describe('the id of a finding', () => {
  test('is made of code and object, and of what it is about where there may be several', () => {
    expect(
      idsOn(
        '[{kind: StatefulSet, name: web, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [example.com/a]}]',
        'web',
      ),
    ).toEqual(['FinalizerWithoutController/StatefulSet.apps/shop/web']);
    expect(
      idsOn(
        '[{kind: ConfigMap, name: a, owners: [example.com/v1 Widget w, example.com/v2 Gear g]}]',
        'a',
      ).toSorted(),
    ).toEqual([
      'OwnerKindUnresolvable/ConfigMap/shop/a#Gear.example.com/g',
      'OwnerKindUnresolvable/ConfigMap/shop/a#Widget.example.com/w',
    ]);
  });

  test('counts references that differ in their uid alone', () => {
    expect(
      idsOn(
        '[{kind: ConfigMap, name: a, owners: [example.com/v1 Widget w u1, example.com/v1 Widget w u2]}]',
        'a',
      ),
    ).toEqual([
      'OwnerKindUnresolvable/ConfigMap/shop/a#Widget.example.com/w',
      'OwnerKindUnresolvable/ConfigMap/shop/a#Widget.example.com/w#2',
    ]);
  });

  test('keeps apart what hostile names would make alike', () => {
    const ids = idsOn(
      '[{kind: ClusterRole, name: "a#b\\e[1m", owners: [v1 ConfigMap "c#2"]}]',
      'a#b\u001b[1m',
    );
    expect(ids).toEqual([
      'NamespacedOwnerOfClusterScoped/ClusterRole.rbac.authorization.k8s.io/a%23b%1B[1m#ConfigMap/"c%232"',
    ]);
  });

  test('is unique in a cluster, and the same in one with other uids, another order and another time', () => {
    let several = 0;
    for (let seed = 1; seed <= 300; seed++) {
      const objects = world(new Random(seed));
      const ids = [...diagnoseCluster(viewOf(objects), now + HOUR).all()].map(({ id }) => id);
      expect(new Set(ids).size, `seed ${seed}`).toBe(ids.length);
      several += ids.filter(id => id.includes('#')).length;
      const again = objects.map(anew).toReversed();
      const others = [...diagnoseCluster(viewOf(again), now + 2 * HOUR).all()].map(({ id }) => id);
      expect(others.toSorted(), `seed ${seed}`).toEqual(ids.toSorted());
    }
    expect(several).toBeGreaterThan(50);
  });
});

/** The same object under another uid, as on a cluster that was set up anew. */
function anew(object: KubeObject): KubeObject {
  const uid = (old: Uid): Uid => `0${old}-anew` as Uid;
  const { type, namespace, name, resourceVersion, creationTimestamp, finalizers, owners } = object;
  return new KubeObject({
    type,
    namespace,
    name,
    resourceVersion,
    creationTimestamp,
    finalizers,
    uid: uid(object.uid),
    owners: owners.map(each => ({ ...each, uid: uid(each.uid) })),
  });
}
