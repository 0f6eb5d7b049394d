/** Opens the full-screen program and restores the terminal however it ends: by key, signal or fault. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { render } from 'ink';
import type { KubectlCall, KubectlEnd } from '../app/kubectl/calls.ts';
import { Frames } from '../app/session/frames.ts';
import type { Cancel, Ports } from '../app/session/ports.ts';
import { ScreenSession } from '../app/session/session.ts';
import type { ScreenOptions } from '../app/state/state.ts';
import { withoutCredentials } from '../model/text/credentials.ts';
import { showHidden } from '../model/text/shown.ts';
import { type Platform, thisPlatform } from '../platform/platform.ts';
import { type EndSignal, endings, endSignals } from '../platform/signals.ts';
import { putWorkersBehind } from '../platform/worker-threads.ts';
import type { KubectlAccess, Opened } from '../source/kubectl-access.ts';
import { type Source, SourceError, type SourceKind } from '../source/source.ts';
import { followMouse } from './input.ts';
import { Screen, type SuspendTerminal } from './screen.tsx';

export interface OpenScreenOptions {
  /** Opens the source of a context, by default the command line's; rejects with a SourceError. */
  readonly open: (contextName?: string) => Promise<Source>;
  readonly contexts: () => Promise<readonly string[]>;
  /** Returns kubectl for the opened cluster; rejects with a SourceError if there is none. */
  readonly kubectl?: (opened: Opened) => Promise<KubectlAccess>;
  readonly journal: (kind: SourceKind) => ReturnType<Ports['journal']>;
  readonly options: ScreenOptions & {
    /** Write only a frame's changes. Off for terminals that lose track of them. */
    readonly incremental: boolean;
  };
  /** Called with the way to borrow the terminal once it is taken; the result is called once it is free again. */
  readonly hold?: (stepAside: StepAside) => Promise<() => void>;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr?: NodeJS.WriteStream;
  readonly platform?: Platform;
}

/** Runs `meanwhile` on the restored terminal, then shows the screen again. Rejects once the screen was left. */
type StepAside = (meanwhile: () => Promise<void>) => Promise<void>;

const CANNOT_STOP = 'Windows cannot suspend a program: q quits, and another tab has another shell.';

/** Time for the terminal to stop the program; without job control the screen then comes back. */
const STOP_MS = 100;

/** Resolves with the exit code once the terminal is restored. Errors go to standard error. */
export async function openScreen(options: OpenScreenOptions): Promise<number> {
  const { stdin, stdout, stderr = process.stderr, platform = thisPlatform } = options;
  const { incremental, ...screen } = options.options;
  let outcome: { readonly code: number; readonly error?: string | undefined } = { code: 0 };
  let stopMouse: (() => void) | undefined;
  const ready = Promise.withResolvers<SuspendTerminal | undefined>();
  let left = false;

  const session = new ScreenSession({
    screen,
    columns: stdout.columns || 80,
    rows: stdout.rows || 24,
    ports: {
      open: context => options.open(context),
      contexts: () => options.contexts(),
      now: () => Date.now(),
      heapLimit: () => getHeapStatistics().heap_size_limit,
      after,
      soon,
      journal: kind => options.journal(kind),
      copy: async text => {
        const { copyText } = await import('./clipboard.ts');
        return copyText(text, { env: process.env, write: sequence => void stdout.write(sequence) });
      },
      kubectl: (call, opened) => {
        const end = lendToKubectl(call, opened);
        borrowing = end;
        return end;
      },
      save: async (name, text) => (await import('./save-text.ts')).saveHere(name, text),
      suspend: () => {
        if (platform.isWindows) return CANNOT_STOP;
        void handOver(() => stopProcessGroup()).catch(() => undefined);
        return undefined;
      },
      redraw: () => void handOver(() => Promise.resolve()).catch(() => undefined),
      quit: (code, error) => leave(code, error),
    },
  });

  /** Set while kubectl has the terminal and the interrupt keys. */
  let away = false;
  let borrowing: Promise<unknown> = Promise.resolve();
  const leaving = new AbortController();
  const lendToKubectl = async (call: KubectlCall, opened: Opened): Promise<KubectlEnd> => {
    let access: KubectlAccess | undefined;
    let end: KubectlEnd = { failure: 'the screen was left.' };
    try {
      if (options.kubectl === undefined) throw new SourceError('there is no cluster here.');
      const found = await options.kubectl(opened);
      access = found;
      const { runKubectl } = await import('./borrowed/kubectl.ts');
      await handOver(async () => {
        away = true;
        const borrowed = { stdin, stdout, env: process.env, left: leaving.signal };
        end = await runKubectl(call, found, borrowed);
        away = false;
        await stopReading(stdin);
      });
      return end;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { failure: showHidden(withoutCredentials(message)) };
    } finally {
      away = false;
      access?.close();
    }
  };

  let turns: Promise<void> = Promise.resolve();
  const handOver: StepAside = meanwhile => {
    const turn = turns.then(() => handOverNow(meanwhile));
    turns = turn.catch(() => undefined);
    return turn;
  };
  const handOverNow: StepAside = async meanwhile => {
    const suspendTerminal = await ready.promise;
    if (left || suspendTerminal === undefined) throw new SourceError('the screen was left.');
    await suspendTerminal(async () => {
      stopMouse?.();
      stopMouse = undefined;
      // Ink must not draw meanwhile: it would erase the shell's lines.
      const listeners = stdout.rawListeners('resize') as (() => void)[];
      for (const listener of listeners) stdout.off('resize', listener);
      await stopReading(stdin);
      await meanwhile();
      // Only the foreground process gets SIGWINCH; emitting it makes Node read the current size.
      process.emit('SIGWINCH');
      for (const listener of listeners) stdout.on('resize', listener);
      resized();
      await nextTurn();
    });
    // A user who has quit meanwhile must not get a terminal that still reports the mouse.
    if (!left && !screen.screenReader) stopMouse = followMouse(stdin, stdout, session.dispatch);
  };
  const resized = (): void => {
    session.dispatch({ type: 'resized', columns: stdout.columns || 80, rows: stdout.rows || 24 });
  };
  const onReady = (suspend: SuspendTerminal): (() => void) => {
    ready.resolve(suspend);
    if (!screen.screenReader) stopMouse = followMouse(stdin, stdout, session.dispatch);
    return () => {
      stopMouse?.();
      stopMouse = undefined;
    };
  };

  const release = await options.hold?.(handOver);
  // The terminal echoed any key typed earlier; the first row would begin behind it.
  if (!screen.screenReader) stdout.write('\r');
  const instance = render(
    <Screen session={session} frames={new Frames(session, { after })} onReady={onReady} />,
    {
      stdin,
      stdout,
      exitOnCtrlC: false,
      patchConsole: true,
      alternateScreen: !screen.screenReader,
      incrementalRendering: incremental,
      isScreenReaderEnabled: screen.screenReader,
      interactive: true,
      // `Frames` limits the rate to thirty a second and merges waiting keys, so Ink need hold none back.
      maxFps: 1_000,
    },
  );
  const leave = (code: number, error?: string): void => {
    if (left) return;
    left = true;
    ready.resolve(undefined);
    outcome = { code, error };
    stopMouse?.();
    stopMouse = undefined;
    leaving.abort();
    instance.unmount();
  };
  const onSignal = (signal: EndSignal): void => {
    // Ctrl-C belongs to kubectl while it has the keys.
    if (!(away && signal === 'SIGINT')) leave(endings[signal]);
  };
  const onFault = (fault: unknown): void => {
    // The requested action can't be finished, but the screen can go on.
    if (fault instanceof Error && fault.name === 'Replaced')
      session.dispatch({ type: 'notice', text: `Not done: ${fault.message}`, style: 'danger' });
    else leave(2, faultLine(fault));
  };
  // A lost terminal can't be restored, but the program still has to end.
  const onOutputError = (): void => leave(endings.SIGHUP);

  stdout.on('resize', resized);
  stdout.on('error', onOutputError);
  for (const signal of endSignals) process.on(signal, onSignal);
  process.on('uncaughtException', onFault);
  process.on('unhandledRejection', onFault);
  const starting = setImmediate(() => {
    session.start();
    putWorkersBehind();
  });
  try {
    await instance.waitUntilExit();
  } catch (fault) {
    outcome = { code: 2, error: faultLine(fault) };
  } finally {
    clearImmediate(starting);
    // A borrower is being ended; only then is the terminal restored.
    await borrowing;
    stopMouse?.();
    await session.close().catch(() => undefined);
    stdout.off('resize', resized);
    for (const signal of endSignals) process.off(signal, onSignal);
    process.off('uncaughtException', onFault);
    process.off('unhandledRejection', onFault);
    stdin.pause();
    stdin.unref();
    release?.();
  }
  if (outcome.error !== undefined) stderr.write(`kubectl gc-tree: ${outcome.error}\n`);
  return outcome.code;
}

function faultLine(fault: unknown): string {
  const message = fault instanceof Error ? fault.message : String(fault);
  return showHidden(`internal error: ${withoutCredentials(message)}. Please report it.`);
}

function after(milliseconds: number, run: () => void): Cancel {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
}

function soon(run: () => void): Cancel {
  const immediate = setImmediate(run);
  return () => clearImmediate(immediate);
}

/** Stops Node from reading: Ink only stops listening, and Node stops once it notices that nothing listens. */
async function stopReading(stdin: NodeJS.ReadStream): Promise<void> {
  await nextTurn();
  stdin.pause();
  await nextTurn();
}

/** Stops the whole process group, as Ctrl-Z does, so that a wrapper waiting for this process stops too. */
async function stopProcessGroup(): Promise<void> {
  process.kill(0, 'SIGTSTP');
  // The timer stands still while the process is stopped.
  await sleep(STOP_MS);
}
