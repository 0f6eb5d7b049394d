/**
 * Section `forecast`: what a forecast costs over a tree of 10,000 objects inside a snapshot of 150,000, what many small
 * ones on one forecaster do, and the memory beyond the snapshot. Prints its rows as JSON.
 */
import { Cascade, type DeleteAction } from '../../src/forecast/action.ts';
import { Forecaster, forecast } from '../../src/forecast/compose/forecaster.ts';
import { ClusterView } from '../../src/graph/cluster-view.ts';
import type { KubeObject } from '../../src/model/object.ts';
import type { Row } from './figures.ts';
import { Maker, NAMESPACES, NOW, served, synced, typeOf } from './generated-cluster.ts';

const ROUNDS = 7;

/** The first Deployment has the large tree; the others fill the cluster. */
function snapshot(tree: number, total: number): { readonly view: ClusterView; readonly target: KubeObject } {
  const make = new Maker();
  make.nodesAndNamespaces();
  const target = make.deployment('ns-0', 'large', tree - 2);
  for (let i = 0; make.objects.length < total; i++)
    make.deployment(`ns-${1 + (i % (NAMESPACES - 1))}`, `app-${i}`, 10);
  const view = new ClusterView();
  view.apply({ ...served, ...synced, changes: make.changes() }, 0);
  return { view, target };
}

function memory(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

const LIMIT_MS = 300;

const { view, target } = snapshot(10_000, 150_000);
const held = memory();
const rows: Row[] = Cascade.all.map(cascade => {
  const action: DeleteAction = { verb: 'delete', cascade, targets: [target] };
  const values = Array.from({ length: ROUNDS }, () => {
    const from = performance.now();
    const { deleted } = forecast(view, action, { now: NOW });
    const time = performance.now() - from;
    const expected = cascade === 'orphan' ? 1 : 10_000;
    if (deleted.length !== expected) throw new Error(`${deleted.length} of ${expected} objects are deleted`);
    return time;
  });
  const what = `forecast of deleting a tree of 10,000 objects, ${cascade}`;
  return { what, unit: 'ms', values, reach: `${LIMIT_MS} ms`, limit: LIMIT_MS };
});
rows.push(...manySmall(view));
rows.push({ what: '— memory beyond the snapshot in the end', unit: 'MB', values: [memory() - held] });
process.stdout.write(JSON.stringify(rows));

/** Many small actions on one forecaster, as a diagnosis asks for them. */
function manySmall(view: ClusterView): Row[] {
  const targets = [...view.graph.ofType(typeOf('Deployment'))]
    .slice(1)
    .filter((_, index) => index % 20 === 0)
    .flatMap(({ object }) => object ?? []);
  const forecaster = Forecaster.create(view, { now: NOW, scope: 'action' });
  return Cascade.all.map(cascade => ({
    what: `— of 12 objects, on one forecaster for many, ${cascade}`,
    unit: 'ms',
    values: targets.map(object => {
      const from = performance.now();
      forecaster.forecast({ verb: 'delete', cascade, targets: [object] });
      return performance.now() - from;
    }),
  }));
}
