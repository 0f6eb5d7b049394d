/**
 * Clusters with a few planted causes, and many objects that wait for them through up to six edges of random kinds: each
 * cause is named, every waiting object leads to its own one, and nothing else counts as a cause. Unblocking all takes one
 * step for each cause, and frees every waiting object and no other.
 */
import { expect, test } from 'vitest';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import { offeredRemedies } from '../../../src/diagnosis/offers/offered-remedies.ts';
import { remediesForMany } from '../../../src/diagnosis/offers/remedies-for-many.ts';
import { createHandledForecaster } from '../../../src/diagnosis/waits/aftermath.ts';
import { causesOf } from '../../../src/diagnosis/waits/causes.ts';
import { chainOf } from '../../../src/diagnosis/waits/chain.ts';
import type { Uid } from '../../../src/model/object.ts';
import { KubeObject } from '../../../src/model/object.ts';
import { Random } from '../../../src/simulation/runtime/random.ts';
import { readText } from '../../source/files/reading.ts';
import { listOf, now, operator, plant } from './planted.ts';

test.each(Array.from({ length: 200 }, (_, seed) => seed))('seed %i', async seed => {
  const random = new Random(seed);
  const planted = Array.from({ length: 1 + random.below(3) }, (_, nth) => plant(`shop-${nth}`, random));
  const objects = [operator, listOf('v1', 'Secret'), ...planted.flatMap(each => each.objects)];
  const text = objects.map(each => JSON.stringify(each)).join('\n---\n');
  const { source, view } = await readText(text, { closedWorld: true });
  view.settings = { ...view.settings, contentOf: object => source.content(object) };
  const diagnosis = diagnoseCluster(view, now);
  const causes = causesOf([...diagnosis.all()].filter(({ severity }) => severity !== 'info'));
  expect(causes.map(({ id }) => id).sort()).toEqual(planted.map(({ cause }) => cause).sort());
  for (const { cause, waiting } of planted) {
    const held = causes.find(({ id }) => id === cause)?.holds.map(({ uid }) => uid as string) ?? [];
    expect(held.sort()).toEqual(waiting.toSorted());
  }
  for (const uid of planted.flatMap(({ waiting }) => waiting)) {
    const object = [...view.graph.nodes()].find(node => node.uid === uid)?.object;
    expect(object).toBeInstanceOf(KubeObject);
    expect(chainOf(diagnosis.tracked, object!).length).toBeGreaterThan(1);
  }
  const stuck = planted.flatMap(({ waiting }) => waiting.map(uid => view.graph.get(uid as Uid)!.object!));
  for (const { waiting } of planted) {
    const [last] = waiting.slice(-1).map(uid => view.graph.get(uid as Uid)!.object!);
    const { requests } = offeredRemedies.byId(diagnosis, last!, 'unblock-all')!;
    expect(requests.map(({ path }) => path.split('/').slice(-3))).toEqual([
      [last!.namespace, 'gears', 'root-0'],
    ]);
  }
  const remedy = offeredRemedies.byId(diagnosis, stuck[0]!, 'unblock-all', stuck);
  expect(remedy?.steps).toHaveLength(planted.length);
  const forecaster = createHandledForecaster(view, { now, scope: 'action', mostOrders: 2 });
  const action = remediesForMany.action(stuck[0]!, remedy!, stuck);
  const { deleted, ifHandled } = forecaster.forecast(action);
  const freed = (ifHandled?.deleted ?? deleted).map(({ object }) => object.uid);
  expect(freed.sort()).toEqual(stuck.map(({ uid }) => uid).sort());
});
