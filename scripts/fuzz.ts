/**
 * Compares random ownership graphs and clusters on the simulation and on a real control plane:
 * `npm run test:fuzz -- --rounds 1000 --seed 1 [--mode MODE] [--api-servers 2] [--batch 50] [--odd PERCENT]
 * [--shrink FOLDER]`, where MODE is stopped, running, restarted, workloads, rollouts, interrupted or nodes.
 * `--odd`: of the owner references of graphs so many get an odd kind or uid, as docs/conformance.md says.
 * With `--shrink` each divergence is made small and written as a scenario file. With `--actions` every action is
 * taken on so many stuck graphs instead, and its result compared with its forecast.
 */
import { parseArgs } from 'node:util';
import { fuzzActions, tally } from '../test/conformance/fuzz/action-fuzz.ts';
import { fuzz, fuzzModes } from '../test/conformance/fuzz/fuzz.ts';
import { shrinkDivergence } from '../test/conformance/fuzz/shrink-divergence.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    mode: { type: 'string', multiple: true },
    batch: { type: 'string', default: '50' },
    'api-servers': { type: 'string', default: '1' },
    orders: { type: 'string', default: '40' },
    odd: { type: 'string' },
    shrink: { type: 'string' },
    actions: { type: 'boolean', default: false },
  },
});
const say = (line: string): void => console.error(line);

async function compareActions(): Promise<boolean> {
  const results = await fuzzActions({ graphs: Number(values.rounds), seed: Number(values.seed), say });
  const counts = tally(results);
  console.log(JSON.stringify(counts));
  return counts.wrong === 0;
}

async function compareGraphs(): Promise<boolean> {
  const apiServers = values['api-servers'] === '2' ? 2 : 1;
  const chosen = values.mode ?? ['stopped', 'running'];
  const result = await fuzz({
    rounds: Number(values.rounds),
    seed: Number(values.seed),
    modes: fuzzModes.filter(mode => chosen.includes(mode)),
    batch: Number(values.batch),
    orders: Number(values.orders),
    apiServers,
    odd: values.odd === undefined ? undefined : Number(values.odd),
    say,
  });
  const { divergences, ...counts } = result;
  console.log(JSON.stringify({ ...counts, divergences: divergences.length }));
  if (values.shrink !== undefined) {
    for (const divergence of divergences)
      console.log(await shrinkDivergence(divergence, values.shrink, apiServers));
  }
  return divergences.length === 0;
}

process.exitCode = (await (values.actions ? compareActions() : compareGraphs())) ? 0 : 1;
