/**
 * `node --expose-gc test/bench/forecast-bench.ts`: what a forecast costs over a tree of 10,000 objects inside a
 * snapshot of 150,000, what many small ones on one forecaster do, and the memory beyond the snapshot.
 */

import { cascades, type DeleteAction } from '../../src/forecast/action.ts';
import { createForecaster, forecast } from '../../src/forecast/forecaster.ts';
import { ClusterView } from '../../src/graph/cluster-view.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { median } from './figures.ts';
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

const out = (text: string): void => void process.stdout.write(`${text}\n`);

const { view, target } = snapshot(10_000, 150_000);
const held = memory();
out(`snapshot of ${view.graph.size} objects, ${held.toFixed(0)} MB`);
for (const cascade of cascades) {
  const action: DeleteAction = { verb: 'delete', cascade, targets: [target] };
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const from = performance.now();
    forecast(view, action, { now: NOW });
    times.push(performance.now() - from);
  }
  const first = times[0] ?? 0;
  out(
    `${cascade.padEnd(11)} tree of 10,000      first ${first.toFixed(0)} ms, median ${median(times).toFixed(0)} ms`,
  );
}
manySmall(view);
out(`${(memory() - held).toFixed(1)} MB more than the snapshot in the end`);

/** Many small actions on one forecaster, as a diagnosis asks for them. */
function manySmall(view: ClusterView): void {
  const targets = [...view.graph.ofType(typeOf('Deployment'))]
    .slice(1)
    .filter((_, index) => index % 20 === 0);
  const from = performance.now();
  const forecaster = createForecaster(view, { now: NOW, scope: 'action' });
  out(`one forecaster, prepared in ${(performance.now() - from).toFixed(0)} ms`);
  for (const cascade of cascades) {
    const times: number[] = [];
    for (const { object } of targets) {
      if (object === undefined) continue;
      const start = performance.now();
      forecaster.forecast({ verb: 'delete', cascade, targets: [object] });
      times.push(performance.now() - start);
    }
    out(
      `${cascade.padEnd(11)} ${times.length} trees of 12, each ${median(times).toFixed(2)} ms in the median, ${Math.max(...times).toFixed(0)} ms at most`,
    );
  }
}
