/** `npm run test:matrix`: tests and random graphs on each version of Kubernetes that is pinned; `--help` says more. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { controlPlaneBinaries } from '../../harness/processes/binaries.ts';
import { ControlPlaneUnavailable } from '../../harness/processes/go-module.ts';
import { type PinnedVersion, pinnedVersions } from '../../harness/processes/versions.ts';
import { type FuzzMode, fuzz, fuzzModes } from '../fuzz/fuzz.ts';
import { addBatch, addFiles, type FileResult, nextSeed, readResults } from './results.ts';

const usage = `Usage: npm run test:matrix -- [--version 1.33]... [--results FILE] [--rounds N] [--seed S] [--mode MODE]...

Runs tests and random graphs on each version of Kubernetes that test/controlplane pins. The programs of a version are
built once, which takes about as many minutes as a first build of the usual one.

  --version 1.33       this version alone; can be given again
  --file FILE          this test file in place of the usual ones; can be given again. "none" is none of them
  --rounds N           random graphs in each mode (default 50)
  --seed S             the first of them (each version has its own by default: other graphs find other faults)
  --mode MODE          ${fuzzModes.join(', ')}; can be given again (default stopped, running)
  --api-servers 2      two API servers on one etcd, behind a load balancer
  --results FILE       adds what comes out; random graphs go on after those that it has
  --help               this text
`;

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

/** What depends on what servers do, by their version. */
const usualFiles: readonly string[] = [
  'test/cluster/connection/connect.test.ts',
  'test/cluster/connection/wire.test.ts',
  'test/cluster/forecast/conformance.test.ts',
  'test/cluster/actions/actions.test.ts',
  'test/cluster/podgc/podgc.test.ts',
  'test/cluster/podgc/manager.test.ts',
  ...[
    'beside-owners',
    'cleaners',
    'devices',
    'other-deleters',
    'pod-groups',
    'put-back',
    'scenarios',
    'use-protections',
  ].map(name => `test/cluster/forecast/built-in/${name}.test.ts`),
];

/** Takes half as long as four of fifty, each of which starts a control plane; one that is interrupted is lost. */
const BATCH = 200;

interface Options {
  readonly files: readonly string[];
  readonly rounds: number;
  readonly seed: number | undefined;
  readonly modes: readonly FuzzMode[];
  readonly apiServers: 1 | 2;
  readonly results: string | undefined;
}

/** Those that are asked for; one that isn't pinned throws. */
function chosenVersions(wanted: readonly string[]): readonly PinnedVersion[] {
  const all = pinnedVersions();
  if (wanted.length === 0) return all;
  return wanted.map(each => {
    const found = all.find(({ minor }) => minor === each);
    if (found !== undefined) return found;
    throw new Error(`--version ${each} is none of ${all.map(({ minor }) => minor).join(', ')}`);
  });
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/** Whether all passed. */
function runFiles({ minor, version }: PinnedVersion, { files, results }: Options): boolean {
  if (files.length === 0) return true;
  const folder = mkdtempSync(path.join(tmpdir(), 'gct-matrix-'));
  try {
    const report = path.join(folder, 'report.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const vitest = path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
    const { status } = spawnSync(
      process.execPath,
      [vitest, 'run', '--project', 'cluster', ...reporters, ...files],
      { cwd: ROOT, stdio: 'inherit', env: { ...process.env, GC_TREE_KUBERNETES: minor } },
    );
    if (results !== undefined) addFiles(results, version, resultsIn(report));
    return status === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function resultsIn(report: string): Readonly<Record<string, FileResult>> {
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  const on = today();
  return Object.fromEntries(
    testResults.map(({ name, status, assertionResults }) => {
      const count = (wanted: readonly string[]): number =>
        assertionResults.filter(each => wanted.includes(each.status)).length;
      // A file that could not be run has no tests that failed.
      const failed = Math.max(count(['failed']), status === 'failed' ? 1 : 0);
      const skipped = count(['skipped', 'pending', 'todo']);
      return [path.relative(ROOT, name), { passed: count(['passed']), failed, skipped, on }];
    }),
  );
}

/** Apart from those of other versions by more than a run takes. */
function firstSeed(minor: string): number {
  return 10_000 * (Number(minor.split('.')[1]) - 29) + 1;
}

/** Whether none diverged. */
async function runGraphs({ minor, version }: PinnedVersion, options: Options): Promise<boolean> {
  const { modes, rounds, seed = firstSeed(minor), apiServers, results } = options;
  // Whatever starts a control plane or a simulation asks it.
  process.env['GC_TREE_KUBERNETES'] = minor;
  let diverged = 0;
  for (const mode of modes) {
    const name = apiServers === 2 ? `${mode}, two API servers` : mode;
    const first = results === undefined ? seed : nextSeed(readResults(results), version, name, seed);
    const found = await fuzz({
      rounds: Math.max(0, seed + rounds - first),
      seed: first,
      modes: [mode],
      batch: BATCH,
      apiServers,
      say: line => process.stdout.write(`${version} ${line}\n`),
      done: batch => results !== undefined && addBatch(results, version, name, batch, today()),
    });
    diverged += found.divergences.length;
  }
  return diverged === 0;
}

async function runVersion(version: PinnedVersion, options: Options): Promise<boolean> {
  process.stdout.write(`\n== Kubernetes ${version.version}\n`);
  process.env['GC_TREE_KUBERNETES'] = version.minor;
  await controlPlaneBinaries();
  const passed = runFiles(version, options);
  return (await runGraphs(version, options)) && passed;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      version: { type: 'string', multiple: true, default: [] },
      file: { type: 'string', multiple: true },
      rounds: { type: 'string', default: '50' },
      seed: { type: 'string' },
      mode: { type: 'string', multiple: true, default: ['stopped', 'running'] },
      'api-servers': { type: 'string', default: '1' },
      results: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const options: Options = {
    files: (values.file ?? usualFiles).filter(each => each !== 'none'),
    rounds: Number(values.rounds),
    seed: values.seed === undefined ? undefined : Number(values.seed),
    modes: fuzzModes.filter(mode => values.mode.includes(mode)),
    apiServers: values['api-servers'] === '2' ? 2 : 1,
    results: values.results,
  };
  const versions = chosenVersions(values.version);
  process.stdout.write(`Kubernetes ${versions.map(({ version }) => version).join(', ')}\n`);
  const failed: string[] = [];
  for (const version of versions) if (!(await runVersion(version, options))) failed.push(version.version);
  if (failed.length > 0) {
    process.stdout.write(`\n!! Failed on Kubernetes ${failed.join(', ')}\n`);
    process.exitCode = 1;
  }
}

main().catch((error: unknown) => {
  const isPlain = error instanceof ControlPlaneUnavailable;
  process.stderr.write(
    `${error instanceof Error ? (isPlain ? error.message : error.stack) : String(error)}\n`,
  );
  process.exitCode = 2;
});
