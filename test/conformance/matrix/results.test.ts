import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { pinnedVersions, usualVersion, versionOfTheDay } from '../../harness/processes/versions.ts';
import type { FuzzBatch } from '../fuzz/fuzz.ts';
import { addBatch, addFiles, nextSeed, readResults } from './results.ts';
import { withMatrix } from './table.ts';

const batch = (seed: number, rounds = 50): FuzzBatch => ({
  mode: 'stopped',
  seed,
  rounds,
  objects: 800,
  timingDependent: 10,
  excused: 4,
  unforeseen: 1,
  divergences: [],
});

const page = '<!-- matrix -->\n<!-- end -->\n';

describe('the results of a matrix run', () => {
  const empty = (): string => join(mkdtempSync(join(tmpdir(), 'gct-results-')), 'results.json');

  it('add up over runs, which go on where the last ended', () => {
    const path = empty();
    expect(nextSeed(readResults(path), 'v1.33.13', 'stopped', 1)).toBe(1);
    addBatch(path, 'v1.33.13', 'stopped', batch(1), '2026-11-01');
    addBatch(path, 'v1.33.13', 'stopped', batch(51, 20), '2026-11-02');
    addBatch(path, 'v1.33.13', 'running', batch(1), '2026-11-02');
    const results = readResults(path);
    expect(nextSeed(results, 'v1.33.13', 'stopped', 1)).toBe(71);
    expect(nextSeed(results, 'v1.33.13', 'stopped', 5000)).toBe(5000);
    expect(nextSeed(results, 'v1.34.4', 'stopped', 1)).toBe(1);
    expect(results['v1.33.13']?.graphs['stopped']).toMatchObject({
      rounds: 70,
      objects: 1600,
      divergences: 0,
      seeds: [[1, 70]],
      on: '2026-11-02',
    });
  });

  it('are a table that says of each pinned version what was run and what was not', () => {
    const path = empty();
    const { version } = usualVersion;
    addFiles(path, version, {
      'test/cluster/forecast/conformance.test.ts': { passed: 52, failed: 0, skipped: 0, on: '2026-11-02' },
      'test/cluster/connection/wire.test.ts': { passed: 4, failed: 1, skipped: 0, on: '2026-11-02' },
    });
    addBatch(path, version, 'stopped', batch(1), '2026-11-03');
    const lines = withMatrix(page, readResults(path)).split('\n');
    const row = (wanted: string): string | undefined =>
      lines.find(each => each.startsWith(`| ${wanted.slice(1)} |`));
    expect(row(version)).toBe(
      `| ${version.slice(1)} | 52 passed | 4 passed, **1 failed** | 50 | 0 | 2026-11-03 |`,
    );
    expect(lines).toContain('| stopped | 50 | 800 | 0 | 10 (1.3 %) |');
    for (const other of pinnedVersions()) expect(row(other.version)).toBeDefined();
    const [oldest] = pinnedVersions();
    expect(row(oldest?.version ?? '')).toContain('not run | not run | not run');
  });
});

it('each day has a version of its own by turns, and none where there is none', () => {
  const versions = pinnedVersions();
  const days = versions.map((_, day) => versionOfTheDay(versions, day * 24 * 60 * 60 * 1000 + 1));
  expect(new Set(days).size).toBe(versions.length);
  expect(versionOfTheDay([], 0)).toBeUndefined();
});

it('a release runs every pinned version', () => {
  const path = join(import.meta.dirname, '..', '..', '..', '.github', 'workflows', 'versions.yml');
  const { jobs } = parse(readFileSync(path, 'utf8')) as {
    jobs: { matrix: { strategy: { matrix: { kubernetes: string[] } } } };
  };
  expect(jobs.matrix.strategy.matrix.kubernetes).toEqual(pinnedVersions().map(({ minor }) => minor));
});
