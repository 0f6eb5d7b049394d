/**
 * A process that runs invocations as they are handed to it, several at a time: `node worker.ts FOLDER`. Apart from
 * the test, so that one that computes for ever can be ended.
 */

import process from 'node:process';
import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../../src/cli/run-command-line.ts';
import type { Io } from '../../../src/cli/runtime/io.ts';
import type { EndSignal } from '../../../src/platform/signals.ts';
import { consoleFor, SmallSource } from '../console.ts';
import type { Invocation } from './invocation.ts';
import type { Outcome } from './judge.ts';
import { hostileCluster } from './odd-files.ts';

const [, , folder = ''] = process.argv;
process.chdir(folder);

const running = new Map<number, Invocation>();

async function perform(invocation: Invocation): Promise<Outcome> {
  const { argv, signal, stdin, readerLeavesAfter } = invocation;
  const { io, services, result } = consoleFor({
    terminal: invocation.terminal,
    ...(invocation.columns === undefined ? {} : { columns: invocation.columns }),
    env: { ...invocation.env, XDG_STATE_HOME: folder, HOME: folder },
    now: () => Date.now(),
    ...(invocation.cluster ? { source: new SmallSource(hostileCluster) } : {}),
  });
  const listeners = new Set<(name: EndSignal) => void>();
  let missed: EndSignal | undefined;
  const heeding: Io = {
    ...io,
    ...(readerLeavesAfter === undefined ? {} : { stdout: leaving(io.stdout, readerLeavesAfter) }),
    stdin: () => Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]),
    // Where nobody listens, the process would end; here whoever listens next does.
    onInterrupt: callback => {
      listeners.add(callback);
      if (missed !== undefined) callback(missed);
      return () => listeners.delete(callback);
    },
  };
  const timer =
    signal &&
    setTimeout(() => {
      if (listeners.size === 0) missed = signal.name;
      for (const each of listeners) each(signal.name);
    }, signal.after);
  const started = performance.now();
  const exitCode = await runCommandLine(argv, heeding, services);
  clearTimeout(timer);
  const { out, err } = result();
  return { exitCode, out, err, milliseconds: performance.now() - started };
}

/** What is written reaches its reader so many times. */
function leaving(stream: Writable, times: number): Writable {
  let left = times;
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      left -= 1;
      if (left < 0) done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      else stream.write(chunk, () => done());
    },
  });
}

process.on('uncaughtException', error => tell(error));
process.on('unhandledRejection', error => tell(error));

/** Nobody knows which of those that are running it is from. */
function tell(error: unknown): void {
  const stray = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.send?.({ stray, during: [...running.values()].map(({ argv }) => argv) });
}

process.on('message', ({ id, invocation }: { id: number; invocation: Invocation }) => {
  running.set(id, invocation);
  void perform(invocation)
    .catch((error: unknown) => {
      const err = error instanceof Error ? (error.stack ?? error.message) : String(error);
      return { exitCode: Number.NaN, out: '', err, milliseconds: 0 };
    })
    .then(outcome => {
      running.delete(id);
      process.send?.({ id, outcome });
    });
});
process.send?.({ ready: true });
