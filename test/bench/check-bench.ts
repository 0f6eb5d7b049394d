/**
 * `node test/bench/check-bench.ts [--rounds 5] [--objects 150000] [--troubles 500] [--kubeconfig FILE]`: what
 * `check` costs beyond the graph that it is judged on, side by side: processes that only load, and processes
 * that load and check, in turn. With a kubeconfig the objects are those of that cluster with the troubles added on
 * their way in, and the time runs from the start of the process; else all are made in memory, where a graph costs
 * neither transfer nor decoding, and it runs from the first batch.
 */
import { execFile } from 'node:child_process';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { check } from '../../src/cli/commands/check/check.ts';
import type { Services } from '../../src/cli/runtime/command.ts';
import type { Io } from '../../src/cli/runtime/io.ts';
import { Output } from '../../src/cli/runtime/output.ts';
import { Terminal } from '../../src/cli/runtime/terminal.ts';
import { ClusterSession } from '../../src/cli/session/session.ts';
import { openCluster } from '../../src/kube/open-cluster.ts';
import type { SourceBatch } from '../../src/model/exchange/changes.ts';
import type { Source } from '../../src/source/source.ts';
import { median } from './figures.ts';
import { NOW } from './generated-cluster.ts';
import { troubleChanges, troubledBatches } from './troubled-cluster.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    objects: { type: 'string', default: '150000' },
    troubles: { type: 'string', default: '500' },
    kubeconfig: { type: 'string' },
    /** Of the processes that this one starts. */
    only: { type: 'string' },
  },
});

interface Measured {
  readonly milliseconds: number;
  /** Processor time of the same, which a busy machine stretches less. */
  readonly busy: number;
  readonly megabytes: number;
  readonly findings: string;
}

/** Has everything ready, and delivers it as fast as it is taken. */
class MemorySource implements Source {
  readonly info = {
    source: 'cluster',
    context: 'bench',
    namespace: 'ns-0',
    serverVersion: 'v1.36.3',
  } as const;
  readonly graphComplete = Promise.resolve();
  readonly factsComplete = Promise.resolve();
  readonly #batches: readonly SourceBatch[];

  constructor(batches: readonly SourceBatch[]) {
    this.#batches = batches;
  }

  start(listener: (batch: SourceBatch) => void): Promise<void> {
    for (const batch of this.#batches) listener(batch);
    return Promise.resolve();
  }

  get(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A cluster with the troubles among its objects. */
function withTroubles(cluster: Source, count: number): Source {
  let deliver: (batch: SourceBatch) => void = () => {};
  return {
    info: cluster.info,
    start: listener => {
      deliver = listener;
      return cluster.start(listener);
    },
    graphComplete: cluster.graphComplete,
    factsComplete: cluster.factsComplete.then(() => deliver({ changes: troubleChanges(count) })),
    get: (type, namespace, name) => cluster.get(type, namespace, name),
    close: () => cluster.close(),
  };
}

let printed = '';
const stdout = new Writable({
  write(chunk: Buffer, _encoding, done) {
    printed += chunk.toString();
    done();
  },
});
const io: Io = {
  stdout,
  stderr: process.stderr,
  stdin: () => process.stdin,
  env: process.env,
  stdinIsTerminal: false,
  stdoutIsTerminal: false,
  stderrIsTerminal: false,
  terminal: new Terminal(process.stderr, false),
  columns: () => undefined,
  errorColumns: () => undefined,
  now: () => (values.kubeconfig === undefined ? NOW : Date.now()),
  onInterrupt: () => () => {},
  pause: () => Promise.resolve(),
};

async function measure(only: string): Promise<Measured> {
  const { kubeconfig } = values;
  const batches =
    kubeconfig === undefined ? troubledBatches(Number(values.objects), Number(values.troubles)) : [];
  const open = (): Source =>
    kubeconfig === undefined
      ? new MemorySource(batches)
      : withTroubles(
          openCluster({ kubeconfig }, { env: process.env, verbosity: 0, log: () => {} }),
          Number(values.troubles),
        );
  // Node counts from the start of the process.
  const from = kubeconfig === undefined ? performance.now() : 0;
  const before = kubeconfig === undefined ? process.cpuUsage() : { user: 0, system: 0 };
  if (only === 'check') {
    const services: Services = {
      version: 'bench',
      openSource: () => Promise.resolve(open()),
      serverVersion: () => Promise.reject(new Error('no server')),
      openScreen: () => Promise.reject(new Error('no screen')),
    };
    const flags = { allNamespaces: true, headers: true, color: 'never', verbosity: 0 } as const;
    await check({
      targets: [],
      runLine: () => Promise.reject(new Error('nothing else is run')),
      flags,
      io,
      services,
      output: new Output(stdout),
    });
  } else {
    const session = new ClusterSession(open(), io);
    await session.load(true);
    if (session.view.graph.size === 0) throw new Error('nothing was read');
    await session.close();
  }
  const milliseconds = performance.now() - from;
  const { user, system } = process.cpuUsage(before);
  const busy = (user + system) / 1000;
  const findings = printed.trimEnd().split('\n').at(-1) ?? '';
  return { milliseconds, busy, megabytes: process.memoryUsage().rss / 2 ** 20, findings };
}

async function child(only: string): Promise<Measured> {
  const passed = Object.entries({ ...values, only }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  const script = fileURLToPath(import.meta.url);
  const { stdout: answer } = await promisify(execFile)(process.execPath, [
    '--semi-space-growth-factor=1',
    script,
    ...passed,
  ]);
  return JSON.parse(answer) as Measured;
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

if (values.only === undefined) {
  const loads: Measured[] = [];
  const checks: Measured[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    loads.push(await child('load'));
    checks.push(await child('check'));
  }
  const time = (list: readonly Measured[]): number => median(list.map(each => each.milliseconds));
  const processor = (list: readonly Measured[]): number => median(list.map(each => each.busy));
  const memory = (list: readonly Measured[]): number => median(list.map(each => each.megabytes));
  say(checks[0]?.findings ?? '');
  const row = (what: string, list: readonly Measured[]): string =>
    `${what.padEnd(22)}${time(list).toFixed(0)} ms   processor ${processor(list).toFixed(0)} ms   ${memory(list).toFixed(0)} MB`;
  const more = (of: (list: readonly Measured[]) => number): string =>
    ((of(checks) / of(loads) - 1) * 100).toFixed(1);
  say(row('load + graph', loads));
  say(row('load + graph + check', checks));
  say(
    `check costs ${more(time)} % more time, ${more(processor)} % more of the processor (at most 20 % to reach)`,
  );
} else {
  say(JSON.stringify(await measure(values.only)));
}
