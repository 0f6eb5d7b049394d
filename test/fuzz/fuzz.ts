/**
 * `npm run fuzz:bytes -- [--seconds 60] [--target NAME] [--seed 1]`: inputs that reach new code are mutated further. What
 * breaks a property is made smaller and kept in `corpus/`, which the unit tests try.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { corpusOf } from './corpus.ts';
import { Coverage } from './coverage.ts';
import { mutated, type Random, randomFrom } from './mutate.ts';
import type { Target } from './target.ts';
import { targets } from './targets.ts';

/** One input of a few kilobytes that takes longer is a finding: nothing but a loop does. */
const SLOW_MS = 5_000;
/** More than any of these inputs may make of memory, in bytes. */
const MUCH_MEMORY = 1024 * 1024 * 1024;
const SHRINKS = 2_000;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    target: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});

/** What is wrong with it; undefined where nothing is. */
function broken({ check }: Target, input: Buffer): string | undefined {
  const from = performance.now();
  try {
    check(input);
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  const took = performance.now() - from;
  if (took > SLOW_MS) return `${took.toFixed(0)} ms`;
  return process.memoryUsage.rss() > MUCH_MEMORY ? `${process.memoryUsage.rss()} bytes of memory` : undefined;
}

/** Smaller, and still wrong in the same way. */
function shrunk(target: Target, input: Buffer): Buffer {
  const kind = (found: string | undefined): string | undefined => found?.split('\n')[0]?.slice(0, 40);
  const wanted = kind(broken(target, input));
  let best = input;
  let left = SHRINKS;
  for (let size = Math.ceil(input.length / 2); size > 0; size = Math.floor(size / 2)) {
    for (let at = 0; at < best.length && left > 0; left--) {
      const smaller = Buffer.concat([best.subarray(0, at), best.subarray(at + size)]);
      if (kind(broken(target, smaller)) === wanted) best = smaller;
      else at += size;
    }
  }
  return best;
}

function fuzz(target: Target, seconds: number, random: Random): number {
  const inputs = [...target.seeds(), ...corpusOf(target.name)];
  const coverage = new Coverage();
  const end = performance.now() + seconds * 1000;
  const kinds = new Set<string>();
  let runs = 0;
  for (const input of inputs) broken(target, input);
  coverage.hasNews();
  for (; performance.now() < end; runs++) {
    const input = mutated(inputs, target.words, random);
    const found = broken(target, input);
    const isNews = coverage.hasNews();
    if (found === undefined) {
      if (isNews) inputs.push(input);
      continue;
    }
    const kind = found.split('\n').slice(0, 2).join(' ').replaceAll(/\d+/gu, '0').slice(0, 160);
    if (kinds.has(kind)) continue;
    kinds.add(kind);
    const kept = shrunk(target, input);
    const folder = path.join(import.meta.dirname, 'corpus', target.name);
    mkdirSync(folder, { recursive: true });
    const name = createHash('sha256').update(kept).digest('hex').slice(0, 12);
    writeFileSync(path.join(folder, name), kept);
    console.log(`!! ${target.name}/${name}: ${found}`);
  }
  coverage.stop();
  console.log(
    `${target.name}: ${runs} inputs, ${inputs.length} of them reached new code, ${coverage.size} parts of it, ${kinds.size} findings`,
  );
  return kinds.size;
}

const chosen = targets.filter(({ name }) => values.target === undefined || name === values.target);
let findings = 0;
for (const target of chosen)
  findings += fuzz(target, Number(values.seconds) / chosen.length, randomFrom(Number(values.seed)));
process.exitCode = findings === 0 ? 0 : 1;
