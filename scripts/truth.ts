/**
 * Holds diagnosis to random clusters on the simulation:
 * `node scripts/truth.ts --rounds 1000 --seed 1 [--about said|actionable|agreement|blind|chains|remedies|recommended] [--shrink]`.
 * With `--shrink` each violation is told with the smallest scenario that shows it.
 */
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { hold, properties, type Subject, smallest } from '../test/conformance/truth/truth.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    about: { type: 'string', multiple: true },
    shrink: { type: 'boolean', default: false },
  },
});
const all = Object.keys(properties) as Subject[];
const subjects = all.filter(each => values.about?.includes(each) ?? true);
const result = await hold({ from: Number(values.seed), count: Number(values.rounds), subjects });
for (const violation of result.violations) {
  const { seed, rule, what } = violation;
  console.log(`${seed} ${rule}: ${what}`);
  if (values.shrink) console.log(stringify(await smallest(violation, subjects)));
}
const { violations, ...counts } = result;
console.log(JSON.stringify({ ...counts, violations: violations.length }));
process.exitCode = violations.length === 0 ? 0 : 1;
