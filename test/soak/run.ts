/** `npm run soak -- [--minutes 60] [--rate 500] [--out FOLDER]`: the soak, with its samples as CSV, what lives in the heap as lines of JSON, and its report as JSON. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { hour, judge } from './judge.ts';
import { hourPace, type Sample, soak } from './soak.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    out: { type: 'string', default: 'soak' },
  },
});
const { out } = values;
const say = (line: string): void => void process.stderr.write(`${new Date().toISOString()} ${line}\n`);
mkdirSync(out, { recursive: true });
const csv = path.join(out, 'samples.csv');
const heap = path.join(out, 'heap.jsonl');
writeFileSync(heap, '');
writeFileSync(csv, 'seconds,events,memory_mb,processor_seconds,heap_mb,external_mb,counts\n');

function row({ at, events, memory, processor, insight }: Sample): string {
  const fixed = (value: number | undefined): string => value?.toFixed(1) ?? '';
  const counts = Object.entries(insight?.counts ?? {}).map(([name, count]) => `${name}=${count}`);
  return [
    at.toFixed(0),
    events,
    memory.toFixed(1),
    processor.toFixed(2),
    fixed(insight?.heap),
    fixed(insight?.external),
    counts.join(';'),
  ].join(',');
}

// The first Ctrl-C ends it sooner, with all that is compared in the end.
const enough = new AbortController();
process.once('SIGINT', () => enough.abort());

const report = await soak({
  ...hourPace,
  calm: Math.min(hourPace.calm, (Number(values.minutes) * 60) / 2),
  enough: enough.signal,
  seconds: Number(values.minutes) * 60,
  rate: Number(values.rate),
  seed: Number(values.seed),
  say,
  sampled: sample => {
    appendFileSync(csv, `${row(sample)}\n`);
    const { at, insight } = sample;
    if (insight) appendFileSync(heap, `${JSON.stringify({ at, ...insight })}\n`);
  },
  keep: (name, text) => writeFileSync(path.join(out, name), text),
});
writeFileSync(
  path.join(out, 'report.json'),
  `${JSON.stringify({ ...report, samples: undefined }, null, 2)}\n`,
);
const failures = judge(report, hour);
for (const failure of failures) say(`!! ${failure}`);
say(`${Object.values(report.events).reduce((a, b) => a + b)} events, ${failures.length} failures`);
process.exitCode = failures.length === 0 ? 0 : 1;
