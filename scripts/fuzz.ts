/**
 * Compares random ownership graphs on the simulation and on a real control plane:
 * `npm run test:fuzz -- --rounds 1000 --seed 1 [--mode stopped|running|restarted] [--batch 50] [--shrink FOLDER]`.
 * With `--shrink` each divergence is made small and written as a scenario file.
 */
import { parseArgs } from 'node:util';
import { fuzz } from '../test/conformance/fuzz.ts';
import { modes } from '../test/conformance/random-graphs.ts';
import { shrinkDivergence } from '../test/conformance/shrink-divergence.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    mode: { type: 'string', multiple: true },
    batch: { type: 'string', default: '50' },
    orders: { type: 'string', default: '40' },
    shrink: { type: 'string' },
  },
});
const chosen = values.mode ?? ['stopped', 'running'];
const result = await fuzz({
  rounds: Number(values.rounds),
  seed: Number(values.seed),
  modes: modes.filter(mode => chosen.includes(mode)),
  batch: Number(values.batch),
  orders: Number(values.orders),
  say: line => console.error(line),
});
const { divergences, ...counts } = result;
console.log(JSON.stringify({ ...counts, divergences: divergences.length }));
if (values.shrink !== undefined) {
  for (const divergence of divergences) console.log(await shrinkDivergence(divergence, values.shrink));
}
process.exitCode = divergences.length === 0 ? 0 : 1;
