/**
 * What was run on each version of Kubernetes and what came of it, as a file to which each run adds: `results.json`, from which
 * `npm run docs` makes the table of docs/conformance.md.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FuzzBatch, FuzzCounts } from '../fuzz/fuzz.ts';

const RESULTS = join(import.meta.dirname, 'results.json');

/** How the tests of a file ended, when it was run the last time. */
export interface FileResult {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** `2026-11-24` */
  readonly on: string;
}

export interface GraphResult extends FuzzCounts {
  readonly divergences: number;
  /** First seeds and how many rounds each, in the order in which they were run. */
  readonly seeds: readonly (readonly [first: number, rounds: number])[];
  readonly on: string;
}

export interface VersionResult {
  readonly files: Readonly<Record<string, FileResult>>;
  /** By mode, with `, two API servers` behind it where there were two. */
  readonly graphs: Readonly<Record<string, GraphResult>>;
}

/** By version: `v1.33.13`. */
export type MatrixResults = Readonly<Record<string, VersionResult>>;

const NONE: VersionResult = { files: {}, graphs: {} };

export function readResults(path = RESULTS): MatrixResults {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as MatrixResults) : {};
}

/** Changes what the file has of a version, as it is now; a file that is half written is never there. */
function change(path: string, version: string, how: (found: VersionResult) => VersionResult): void {
  const all = readResults(path);
  const changed = { ...all, [version]: how(all[version] ?? NONE) };
  const sorted = Object.fromEntries(Object.entries(changed).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(`${path}.new`, `${JSON.stringify(sorted, undefined, 1)}\n`);
  renameSync(`${path}.new`, path);
}

export function addFiles(path: string, version: string, files: Readonly<Record<string, FileResult>>): void {
  change(path, version, found => ({ ...found, files: { ...found.files, ...files } }));
}

export function addBatch(path: string, version: string, name: string, batch: FuzzBatch, on: string): void {
  change(path, version, found => {
    const before = found.graphs[name];
    const sum = (key: keyof FuzzCounts): number => (before?.[key] ?? 0) + batch[key];
    const after: GraphResult = {
      rounds: sum('rounds'),
      objects: sum('objects'),
      timingDependent: sum('timingDependent'),
      excused: sum('excused'),
      unforeseen: sum('unforeseen'),
      divergences: (before?.divergences ?? 0) + batch.divergences.length,
      seeds: joined([...(before?.seeds ?? []), [batch.seed, batch.rounds]]),
      on,
    };
    return { ...found, graphs: { ...found.graphs, [name]: after } };
  });
}

/** Batches that follow one another are one. */
function joined(seeds: GraphResult['seeds']): GraphResult['seeds'] {
  const found: (readonly [number, number])[] = [];
  for (const [first, rounds] of seeds) {
    const last = found.at(-1);
    if (last !== undefined && last[0] + last[1] === first)
      found[found.length - 1] = [last[0], last[1] + rounds];
    else found.push([first, rounds]);
  }
  return found;
}

/** The seed after the last that was run from `seed` on, so that a run goes on where one ended. */
export function nextSeed(results: MatrixResults, version: string, name: string, seed: number): number {
  const seeds = results[version]?.graphs[name]?.seeds ?? [];
  const run = seeds.filter(([first]) => first >= seed).map(([first, rounds]) => first + rounds);
  return Math.max(seed, ...run);
}
