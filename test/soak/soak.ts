/**
 * The screen for a long time on a cluster that never rests: watch events of every kind, cuts, resizes, a terminal that
 * stands still, keys. At the end what it shows has to be what a fresh process shows, and it may not have grown.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Screen } from '../bench/screen.ts';
import { LIVE } from '../bench/sections/screen.ts';
import { runTool } from '../cluster/tool.ts';
import type { Cluster } from '../harness/cluster.ts';
import { everyComponent, startControlPlane } from '../harness/control-plane.ts';
import { type FaultProxy, startFaultProxy } from '../harness/fault-proxy.ts';
import { freePorts } from '../harness/processes/ports.ts';
import { type Insight, Inspector, inspectorFlags } from './inspect.ts';
import { flow, inventedCluster, settle, treeDifferences } from './invented-cluster.ts';
import { churn, type RealCounts } from './real-churn.ts';
import type { World } from './world.ts';

export interface SoakOptions extends Pace {
  readonly seconds: number;
  /** Invented events a second. */
  readonly rate: number;
  readonly seed: number;
  readonly say: (line: string) => void;
  /** Ends it sooner, with all that is compared in the end. */
  readonly enough?: AbortSignal;
  readonly sampled?: (sample: Sample) => void;
  /** Gets what the screen and a fresh one have written in the end, by a name. */
  readonly keep?: (name: string, text: string) => void;
}

/** Seconds between two of each, or for which one lasts. */
export interface Pace {
  readonly sample: number;
  /** Looks into the heap. */
  readonly insight: number;
  readonly fault: number;
  readonly resize: number;
  /** Between two times at which the terminal is read no more, and how long each lasts. */
  readonly stall: number;
  readonly stalled: number;
  /** Neither fault nor stall comes so shortly before the end. */
  readonly calm: number;
}

export const hourPace: Pace = {
  sample: 10,
  insight: 300,
  fault: 60,
  resize: 20,
  stall: 110,
  stalled: 15,
  // A watch that has fallen silent is noticed late.
  calm: 200,
};

/** For a run of little more than a minute, in which no watch falls silent: that takes longer to be noticed. */
export const minutePace: Pace = {
  sample: 5,
  insight: 10,
  fault: 8,
  resize: 7,
  stall: 20,
  stalled: 4,
  calm: 30,
};

export interface Sample {
  /** Seconds since everything was on the screen. */
  readonly at: number;
  /** Invented events so far. */
  readonly events: number;
  /** Resident memory in MB. */
  readonly memory: number;
  /** Seconds of processor time so far. */
  readonly processor: number;
  readonly insight: Insight | undefined;
}

export interface SoakReport {
  /** That was asked for, a second. */
  readonly rate: number;
  readonly events: Readonly<World['counts']>;
  readonly real: RealCounts;
  readonly faults: Readonly<Record<string, number>>;
  readonly resumed: number;
  readonly refused: number;
  readonly samples: readonly Sample[];
  /** Rows that the screen shows and a fresh one doesn't, and the other way round. */
  readonly shown: {
    readonly rows: number;
    readonly problems: number;
    readonly differences: readonly string[];
  };
  /** Objects of the model that the fresh tree lacks, and the other way round. */
  readonly model: { readonly objects: number; readonly differences: readonly string[] };
  /** What the screen has written to standard error, which is nothing. */
  readonly stderr: string;
  /** Programs of the control plane that ended, with what they said last. */
  readonly ended: readonly string[];
}

const looks = [
  'j',
  'j',
  'k',
  '\u001B[6~',
  '\u001B[5~',
  '1',
  '2',
  'j',
  '3',
  '4',
  'j',
  '5',
  'T',
  '1',
  'G',
  'g',
  '*',
  '-',
  'tt',
];
const sizes = [
  [200, 50],
  [80, 24],
  [120, 40],
  [250, 70],
  [60, 15],
] as const;

/** Where a fault came from of which the screen says one line. Nothing else is changed, and nothing has to be compiled. */
const tellingFaults = `
  const tell = fault => process.stderr.write((fault?.stack ?? fault) + '\\n');
  process.on('uncaughtExceptionMonitor', tell);
  process.on('unhandledRejection', fault => {
    if (process.listenerCount('unhandledRejection') === 1) throw fault;
    tell(fault);
  });
`;

export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { rate, say, enough, calm } = options;
  const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-soak-'));
  const program = copyOfProduct(path.join(folder, 'product'));
  const cluster = await startControlPlane({ nodes: 3, say });
  const ending: (() => Promise<unknown>)[] = [() => cluster.stop()];
  try {
    const { overlay, world } = await inventedCluster(cluster, options.seed);
    ending.push(() => overlay.stop());
    const proxy = await startFaultProxy({
      upstream: overlay.url,
      upstreamCa: cluster.tls.ca,
      certificate: cluster.tls.serving,
    });
    ending.push(() => proxy.stop());
    const kubeconfig = await cluster.kubeconfig(undefined, proxy.url);
    const [port = 0] = await freePorts(1);
    const open = (name: string, flags: readonly string[]): Placed => {
      const cwd = mkdtempSync(path.join(folder, `${name}-`));
      const home = {
        HOME: folder,
        XDG_CONFIG_HOME: path.join(folder, 'config'),
        KUBERNETES_SERVICE_HOST: undefined,
      };
      const env = { ...home, KUBECONFIG: kubeconfig, PWD: cwd };
      const stderr = path.join(folder, `${name}.stderr`);
      const told = `--import=data:text/javascript,${encodeURIComponent(tellingFaults)}`;
      const args = [...flags, told, program, '-A'];
      const screen = new Screen({ file: process.execPath, args, env, cwd, stderr });
      ending.push(() => screen.close());
      return Object.assign(screen, { cwd, stderr });
    };
    const screen = open('long', inspectorFlags(port));
    const inspector = await screen.whileRunning(Inspector.connect(port));
    ending.push(async () => inspector.close());
    await screen.until(LIVE);
    say('everything is on the screen');

    const stop = new AbortController();
    const real = churn({
      cluster,
      writes: 25,
      reached: version => world.reached(version),
      signal: stop.signal,
    });
    const faults: Record<string, number> = {};
    const samples: Sample[] = [];
    const began = performance.now();
    const elapsed = (): number => (performance.now() - began) / 1000;
    let { seconds } = options;
    enough?.addEventListener('abort', () => {
      seconds = elapsed();
    });
    const before = world.events;
    let nextInsight = 0;
    let broken = 0;
    const due = async (
      every: number,
      lead: number,
      turn: (round: number) => Promise<void> | void,
    ): Promise<void> => {
      const isOver = (): boolean => elapsed() >= seconds - lead;
      for (let round = 1; !isOver(); round++) {
        while (elapsed() < round * every && !isOver())
          await sleep(Math.min(200, every * 1000), undefined, { signal: stop.signal });
        if (!isOver()) await turn(round);
        // What a busy machine has left out isn't made up for.
        round = Math.max(round, Math.floor(elapsed() / every));
      }
    };
    const sample = async (isLast = false): Promise<void> => {
      const memory = screen.memory();
      let insight: Insight | undefined;
      if (elapsed() >= nextInsight || isLast) {
        nextInsight = elapsed() + options.insight;
        insight = await inspector.look();
      }
      const taken = {
        at: elapsed(),
        events: world.events - before,
        memory,
        processor: screen.processorTime() / 1000,
        insight,
      };
      samples.push(taken);
      options.sampled?.(taken);
    };
    const all = [
      flow(world, rate, () => elapsed() >= seconds || stop.signal.aborted),
      due(options.sample, 0, () => sample()),
      due(options.fault, calm, () => breakSomething(proxy, ++broken, faults)),
      due(1.5, 5, round => {
        screen.type(looks[round % looks.length] ?? 'j');
      }),
      due(options.resize, 5, round => {
        const [columns, rows] = sizes[round % sizes.length] ?? sizes[0];
        screen.resize(columns, rows);
      }),
      due(options.stall, calm, async () => {
        faults['stalled terminal'] = (faults['stalled terminal'] ?? 0) + 1;
        screen.flow(false);
        await sleep(options.stalled * 1000, undefined, { signal: stop.signal }).catch(() => undefined);
        screen.flow(true);
      }),
    ];
    try {
      await screen.whileRunning(Promise.all(all));
      // Until then, what is found of the leftovers depends on when they were seen.
      await settle(world);
    } finally {
      stop.abort();
      await Promise.allSettled(all);
    }
    await screen.whileRunning(sample(true));
    say('the last event is sent');

    // Until the controllers are done with what the last writes set off, and the screen with what came of it.
    const counts = await real;
    screen.resize(200, 50);
    const fresh = open('fresh', []);
    const comparing = fresh.whileRunning(compared(screen, fresh, options));
    const shown = await screen.whileRunning(comparing);
    const model = await screen.whileRunning(modelDifferences(world, { kubeconfig, program }));
    return {
      rate,
      events: world.counts,
      real: counts,
      faults,
      resumed: overlay.resumed,
      refused: overlay.refused,
      samples,
      shown,
      model,
      stderr: saidOf(screen),
      ended: await endedOf(cluster),
    };
  } catch (error) {
    // A program of the control plane that has ended explains whatever went wrong.
    const ended = await endedOf(cluster);
    throw ended.length === 0 ? error : new Error(ended.join('\n'), { cause: error });
  } finally {
    for (const end of ending.reverse()) await end().catch(error => say(String(error)));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Parts of it are loaded when they are needed for the first time: a build meanwhile would put others in their place. */
function copyOfProduct(folder: string): string {
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(path.join(import.meta.dirname, '../..', part), path.join(folder, part), { recursive: true });
  return path.join(folder, 'bin', 'kubectl-gc_tree');
}

const WATCHES = /[?&]watch=1/u;

/** A different one each time, in this order however many there are; nothing of it lasts. */
function breakSomething(proxy: FaultProxy, round: number, faults: Record<string, number>): void {
  const watches = proxy.exchanges(WATCHES);
  const kinds: readonly (readonly [string, () => void])[] = [
    ['watches cut', () => watches.forEach(each => each.cut())],
    ['connections cut', () => proxy.cutEverything()],
    ['watches cut', () => watches.forEach(each => each.cut())],
    ['410 in every watch', () => watches.forEach(each => each.sendGone())],
    ['watches cut', () => watches.forEach(each => each.cut())],
    ['GOAWAY', () => void proxy.addRule({ match: /./u, fault: { kind: 'goaway' }, times: 1 })],
    ['a watch fallen silent', () => proxy.exchanges(/configmaps\?.*watch=1/u).forEach(each => each.stall())],
    [
      '503 for a while',
      () => void proxy.addRule({ match: WATCHES, fault: { kind: 'status', status: 503 }, times: 20 }),
    ],
  ];
  const [name, act] = kinds[round % kinds.length] ?? kinds[0] ?? ['', () => {}];
  faults[name] = (faults[name] ?? 0) + 1;
  act();
  if (name === '503 for a while') watches.forEach(each => each.cut());
}

type Placed = Screen & { readonly cwd: string; readonly stderr: string };

/** Without what Node says of the inspector. */
function saidOf({ stderr }: Placed): string {
  const lines = readFileSync(stderr, 'utf8').split('\n');
  return lines
    .filter(line => !/^(?:Debugger |For help, see)/u.test(line))
    .join('\n')
    .trim();
}

async function endedOf(cluster: Cluster): Promise<string[]> {
  const ends = await Promise.all(everyComponent.map(name => cluster.component(name).end()));
  return ends.filter(end => end !== undefined);
}

/** Both written with `w`, until they are equal or long enough was waited for it. */
async function compared(
  screen: Placed,
  fresh: Placed,
  { say, keep }: Pick<SoakOptions, 'say' | 'keep'>,
): Promise<SoakReport['shown']> {
  await fresh.until(LIVE);
  await screen.until(LIVE);
  for (let attempt = 0; ; attempt++) {
    const differences: string[] = [];
    const rows: number[] = [];
    for (const view of ['1', '2']) {
      const [ours, theirs] = await Promise.all([written(screen, view), written(fresh, view)]);
      rows.push(ours.length);
      keep?.(`${view}-long.txt`, ours.join('\n'));
      keep?.(`${view}-fresh.txt`, theirs.join('\n'));
      const [mine, others] = [new Set(ours), new Set(theirs)];
      differences.push(
        ...ours.filter(line => !others.has(line)).map(line => `only on the long one: ${line}`),
        ...theirs.filter(line => !mine.has(line)).map(line => `only on the fresh one: ${line}`),
      );
      if (differences.length === 0 && ours.join('\n') !== theirs.join('\n'))
        differences.push('another order');
    }
    if (differences.length === 0 || attempt === 30)
      return { rows: rows[0] ?? 0, problems: rows[1] ?? 0, differences };
    say(`${differences.length} differences, looked at again: ${differences.slice(0, 3).join(' | ')}`);
    await sleep(5_000);
  }
}

/** The rows of a view as `w` writes them, without what the time of day changes. */
async function written(screen: Placed, view: string): Promise<string[]> {
  for (const key of ['\u001B', '\u001B', view, '*', '*']) {
    await sleep(300);
    screen.type(key);
  }
  await sleep(1_000);
  const before = new Set(readdirSync(screen.cwd));
  screen.type('w');
  for (;;) {
    const name = readdirSync(screen.cwd).find(each => !before.has(each));
    const content = name === undefined ? '' : readFileSync(path.join(screen.cwd, name), 'utf8');
    if (name !== undefined && content.endsWith('\n')) {
      rmSync(path.join(screen.cwd, name));
      const lines = content.split('\n').slice(4);
      const details = lines.indexOf('-'.repeat(8));
      return (details < 0 ? lines : lines.slice(0, details)).map(timeless).filter(line => line !== '');
    }
    await sleep(100);
  }
}

function timeless(line: string): string {
  return line
    .replaceAll(/\b\d+(?:\.\d+)?(?:s|m|h|d)(?:\d+[smh])?\b/gu, '·')
    .replace(/^>/u, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}

/** What a fresh process prints of the invented objects, against those that there are. */
async function modelDifferences(
  world: World,
  { kubeconfig, program }: { readonly kubeconfig: string; readonly program: string },
): Promise<SoakReport['model']> {
  const { stdout, stderr, code } = await runTool(['tree', '-A', '-o', 'json'], { kubeconfig }, program);
  if (code !== 0) throw new Error(`tree -o json: ${code}\n${stderr}`);
  return { objects: world.uids.length, differences: treeDifferences(world, stdout) };
}
