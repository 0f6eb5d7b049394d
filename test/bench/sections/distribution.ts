/**
 * The product in each way in which it may lie on a machine, in turns. Section `distribution`: what each takes, and how it
 * starts; what is read is a dump, so that no server has a share in it. Section `distribution-cluster`: all facts of a
 * cluster, as in section `start`.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Row } from '../figures.ts';
import { type Way, waysToInstall } from '../installed/ways.ts';
import { runCommand } from '../process.ts';
import { Screen } from '../screen.ts';
import { type Context, Samples } from './section.ts';

const ROUNDS = 9;
/** Runs that keep compiled code before anything counts. */
const FIRST_RUNS = 1;
const PODS = 20_000;
const PODS_OF_EACH = 5;

/** What is measured together, with the rows that come of it. */
interface Measure {
  readonly rows: readonly { readonly said: string; readonly unit: Row['unit'] }[];
  /** A value for each row. Compiled code is kept of commands that come to their end, which those that count need not. */
  readonly take: (way: Way, env: NodeJS.ProcessEnv, counts: boolean) => Promise<readonly number[]>;
}

type Say = Context['say'];

export function measureDistribution(say: Say): Promise<Row[]> {
  return inFolder(async folder => {
    const dump = path.join(folder, 'dump.json');
    await writeFile(dump, JSON.stringify(dumpOf(PODS)));
    const measures = [version, firstFrame, checkOf(dump)];
    return measureWays(measures, { folder, rounds: ROUNDS, env: {}, say, sizes: true });
  });
}

export function measureOnCluster({ env, rounds, say }: Context): Promise<Row[]> {
  return inFolder(folder => measureWays([allFacts], { folder, rounds, env, say, sizes: false }));
}

async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gc-tree-installed-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Rounds {
  readonly folder: string;
  readonly rounds: number;
  readonly env: NodeJS.ProcessEnv;
  readonly say: Say;
  /** What each takes of a disk comes first. */
  readonly sizes: boolean;
}

async function measureWays(
  measures: readonly Measure[],
  { folder, rounds, env, say, sizes }: Rounds,
): Promise<Row[]> {
  /** A home for each, where it keeps its compiled code. */
  const envOf = async ({ what }: Way): Promise<NodeJS.ProcessEnv> => {
    const home = path.join(folder, `home-${what.replaceAll(' ', '-')}`);
    await mkdir(home, { recursive: true });
    return { ...env, HOME: home, XDG_CACHE_HOME: undefined };
  };
  const ways = await waysToInstall({
    folder,
    say,
    train: async (way, training) => {
      for (const { take } of measures) await take(way, { ...(await envOf(way)), ...training }, false);
    },
  });
  const possible = new Map<Way, readonly Measure[]>();
  for (const way of ways) {
    const can: Measure[] = [];
    for (const measure of measures)
      try {
        for (let run = 0; run < FIRST_RUNS; run += 1) await measure.take(way, await envOf(way), false);
        can.push(measure);
      } catch (error) {
        if (way.isTrial !== true) throw error;
        const why = error instanceof Error ? error.message : String(error);
        say(`${way.what}: ${measure.rows.map(({ said }) => said).join(', ')} left out: ${why.trim()}`);
      }
    possible.set(way, can);
    say(`${way.what}: ready`);
  }
  const samples = new Samples();
  for (let turn = 1; turn <= rounds; turn += 1) {
    for (const [way, can] of possible)
      for (const { rows, take } of can) {
        const values = await take(way, await envOf(way), true);
        for (const [index, { said }] of rows.entries())
          samples.add(`${way.what}: ${said}`, values[index] ?? Number.NaN);
      }
    say(`round ${turn} of ${rounds}`);
  }
  return [...possible].flatMap(([way, can]) => [
    ...(sizes ? sizesOf(way) : []),
    ...can.flatMap(({ rows }) =>
      rows.map(({ said, unit }) => {
        const what = `${way.what}: ${said}`;
        return { what, unit, values: samples.of(what) };
      }),
    ),
  ]);
}

function sizesOf({ what, packed, installed }: Way): Row[] {
  const sizes = { 'the archive': packed, installed };
  return Object.entries(sizes).flatMap(([said, value]): Row[] =>
    value === undefined ? [] : [{ what: `${what}: ${said}`, unit: 'MB', values: [value] }],
  );
}

const version: Measure = {
  rows: [{ said: '`version --client`', unit: 'ms' }],
  async take({ command: [file, ...args] }, env) {
    const prints = /^kubectl gc-tree \d/u;
    return [(await runCommand({ file, args: [...args, 'version', '--client'], env, prints })).wall];
  },
};

const firstFrame: Measure = {
  rows: [{ said: 'first frame of the demo', unit: 'ms' }],
  async take({ command: [file, ...args] }, env) {
    const screen = new Screen({ file, args: [...args, 'demo'], env });
    try {
      return [await screen.until(/\[1 Tree\]/u)];
    } finally {
      await screen.close();
    }
  },
};

function checkOf(dump: string): Measure {
  return {
    rows: [
      { said: `\`check\` of a dump of ${PODS.toLocaleString('en')} pods`, unit: 'ms' },
      { said: '— peak of its memory', unit: 'MB' },
    ],
    async take({ command: [file, ...args] }, env) {
      const check = ['check', '-A', '-f', dump, '--fail-on=never', '-o', 'json'];
      const run = await runCommand({
        file,
        args: [...args, ...check],
        env,
        prints: /"kind": "FindingList"/u,
      });
      return [run.wall, run.peak];
    },
  };
}

const allFacts: Measure = {
  rows: [
    { said: 'process start → all facts', unit: 'ms' },
    { said: '— resident memory then', unit: 'MB' },
    { said: '— its peak until then', unit: 'MB' },
  ],
  async take({ command: [file, ...args] }, env, counts) {
    const { marks, peak } = await runCommand({
      file,
      args: [...args, 'tree', '-A', '-v=2'],
      env,
      marks: { facts: /\bfacts complete\b/u },
      ...(counts ? { until: 'facts' } : { prints: /Pod\b/u }),
    });
    const facts = marks.get('facts');
    return [facts?.at ?? Number.NaN, facts?.rss ?? Number.NaN, peak];
  },
};

/** Pods of ReplicaSets, in namespaces of a thousand, as `kubectl get -o json` prints them. */
function dumpOf(pods: number): object {
  const items: object[] = [];
  for (let index = 0; index < pods; index += 1) {
    const namespace = `team-${Math.floor(index / 1000)}`;
    const set = Math.floor(index / PODS_OF_EACH);
    const created = { creationTimestamp: '2026-11-20T00:00:00Z', resourceVersion: String(index + 1) };
    if (index % PODS_OF_EACH === 0)
      items.push({
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { name: `set-${set}`, namespace, uid: `set-${set}`, ...created },
        spec: { replicas: PODS_OF_EACH, selector: { matchLabels: { set: String(set) } } },
      });
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `set-${set}`, uid: `set-${set}` };
    items.push({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `pod-${index}`,
        namespace,
        uid: `pod-${index}`,
        labels: { set: String(set) },
        ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
        ...created,
      },
      spec: { nodeName: `node-${index % 100}`, containers: [{ name: 'main', image: 'example.com/app:1' }] },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    });
  }
  return { apiVersion: 'v1', kind: 'List', metadata: {}, items };
}
