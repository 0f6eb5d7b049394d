/**
 * `node test/bench/check-bench.ts [--rounds 5] [--objects 150000] [--troubles 500] [--kubeconfig FILE]`: what
 * `check` costs beyond the graph that it is judged on, side by side: processes that only load, and processes
 * that load and check, in turn. With a kubeconfig the objects are those of that cluster, and the time runs from
 * the start of the process; else they are made in memory, and it runs from the first batch.
 */
import { execFile } from 'node:child_process';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { check } from '../../src/cli/check.ts';
import type { Deps } from '../../src/cli/deps.ts';
import type { Io } from '../../src/cli/io.ts';
import { Output } from '../../src/cli/output.ts';
import { Session } from '../../src/cli/session.ts';
import { openCluster } from '../../src/kube/open-cluster.ts';
import type { SourceBatch } from '../../src/model/changes.ts';
import type { Source } from '../../src/source/source.ts';
import { median } from './figures.ts';
import { NOW, troubledBatches } from './troubled-cluster.ts';

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
  columns: () => undefined,
  now: () => (values.kubeconfig === undefined ? NOW : Date.now()),
  onInterrupt: () => () => {},
};

async function measure(only: string): Promise<Measured> {
  const { kubeconfig } = values;
  const batches =
    kubeconfig === undefined ? troubledBatches(Number(values.objects), Number(values.troubles)) : [];
  const open = (): Source =>
    kubeconfig === undefined
      ? new MemorySource(batches)
      : openCluster({ kubeconfig }, { env: process.env, verbosity: 0, log: () => {}, interactive: false });
  // Node counts from the start of the process.
  const from = kubeconfig === undefined ? performance.now() : 0;
  if (only === 'check') {
    const deps: Deps = {
      version: 'bench',
      openSource: () => Promise.resolve(open()),
      openScreen: () => Promise.reject(new Error('no screen')),
    };
    const flags = { allNamespaces: true, headers: true, color: 'never', verbosity: 0 } as const;
    await check({ targets: [], flags, io, deps, output: new Output(stdout) });
  } else {
    const session = new Session(open(), io);
    await session.load(true);
    if (session.view.graph.size === 0) throw new Error('nothing was read');
    await session.close();
  }
  const milliseconds = performance.now() - from;
  const findings = printed.trimEnd().split('\n').at(-1) ?? '';
  return { milliseconds, megabytes: process.memoryUsage().rss / 2 ** 20, findings };
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
  const memory = (list: readonly Measured[]): number => median(list.map(each => each.megabytes));
  say(checks[0]?.findings ?? '');
  say(`load + graph          ${time(loads).toFixed(0)} ms   ${memory(loads).toFixed(0)} MB`);
  say(`load + graph + check  ${time(checks).toFixed(0)} ms   ${memory(checks).toFixed(0)} MB`);
  say(`check costs ${((time(checks) / time(loads) - 1) * 100).toFixed(1)} % more (at most 20 % to reach)`);
} else {
  say(JSON.stringify(await measure(values.only)));
}
