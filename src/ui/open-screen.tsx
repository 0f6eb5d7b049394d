/** Opens the full-screen program and restores the terminal however it ends: by key, signal or fault. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { type Instance, render } from 'ink';
import {
  type Cancel,
  Frames,
  type KubectlCall,
  type KubectlEnd,
  type Ports,
  type ScreenOptions,
  ScreenSession,
} from '../app/index.ts';
import { credentials, showHidden } from '../model/index.ts';
import { EndSignal, Platform, putWorkersBehind } from '../platform/index.ts';
import {
  type KubectlAccess,
  type Opened,
  type Source,
  SourceError,
  type SourceKind,
} from '../source/index.ts';
import type { Cast } from './cast.ts';
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
  return new TerminalProgram(options).run();
}

interface Outcome {
  readonly code: number;
  readonly error?: string | undefined;
}

class TerminalProgram {
  readonly #options: OpenScreenOptions;
  readonly #session: ScreenSession;
  readonly #isSpoken: boolean;
  #outcome: Outcome = { code: 0 };
  #hasLeft = false;
  #unmount: () => void = () => {};
  #stopMouse: () => void = () => {};
  readonly #ready = Promise.withResolvers<SuspendTerminal | undefined>();
  /** Set while kubectl has the terminal and the interrupt keys. */
  #isAway = false;
  #borrowing: Promise<unknown> = Promise.resolve();
  readonly #leaving = new AbortController();
  #turns: Promise<void> = Promise.resolve();
  #cast: Cast | undefined;

  constructor(options: OpenScreenOptions) {
    this.#options = options;
    const { incremental: _, ...screen } = options.options;
    this.#isSpoken = screen.screenReader;
    this.#session = new ScreenSession({ screen, ...this.#size(), ports: this.#ports() });
  }

  async run(): Promise<number> {
    const { stdin, stdout, stderr = process.stderr } = this.#options;
    const release = await this.#options.hold?.(this.#handOver);
    // The terminal echoed any key typed earlier; the first row would begin behind it.
    if (!this.#isSpoken) stdout.write('\r');
    const instance = this.#render();
    this.#unmount = () => instance.unmount();
    const stopListening = this.#listen();
    const starting = setImmediate(() => {
      this.#session.start();
      putWorkersBehind();
    });
    try {
      await instance.waitUntilExit();
    } catch (fault) {
      this.#outcome = { code: 2, error: faultLine(fault) };
    } finally {
      clearImmediate(starting);
      // A borrower is being ended; only then is the terminal restored.
      await this.#borrowing;
      this.#stopMouse();
      await this.#session.close().catch(() => undefined);
      stopListening();
      stdin.pause();
      stdin.unref();
      release?.();
    }
    const { code, error } = this.#outcome;
    if (error !== undefined) stderr.write(`kubectl gc-tree: ${error}\n`);
    return code;
  }

  #render(): Instance {
    const { stdin, stdout, options } = this.#options;
    const frames = new Frames(this.#session, { after });
    return render(<Screen session={this.#session} frames={frames} onReady={this.#onReady} />, {
      stdin,
      stdout,
      exitOnCtrlC: false,
      patchConsole: true,
      alternateScreen: !this.#isSpoken,
      incrementalRendering: options.incremental,
      isScreenReaderEnabled: this.#isSpoken,
      interactive: true,
      // `Frames` limits the rate to thirty a second and merges waiting keys, so Ink need hold none back.
      maxFps: 1_000,
    });
  }

  #size(): { readonly columns: number; readonly rows: number } {
    const { stdout } = this.#options;
    return { columns: stdout.columns || 80, rows: stdout.rows || 24 };
  }

  #ports(): Ports {
    const { open, contexts, journal, stdout, platform = Platform.current } = this.#options;
    return {
      open: context => open(context),
      contexts: () => contexts(),
      now: () => Date.now(),
      heapLimit: () => getHeapStatistics().heap_size_limit,
      after,
      soon,
      journal: kind => journal(kind),
      copy: async text => {
        const { copyText } = await import('./clipboard.ts');
        return copyText(text, { env: process.env, write: sequence => void stdout.write(sequence) });
      },
      kubectl: (call, opened) => {
        const end = this.#lendToKubectl(call, opened);
        this.#borrowing = end;
        return end;
      },
      readKubectl: (call, opened, printed) => this.#readKubectl(call, opened, printed),
      save: async (name, text) => (await import('./save-text.ts')).saveHere(name, text),
      cast: () => this.#record(),
      suspend: () => {
        if (platform.isWindows) return CANNOT_STOP;
        void this.#handOver(() => stopProcessGroup()).catch(() => undefined);
        return undefined;
      },
      redraw: () => void this.#handOver(() => Promise.resolve()).catch(() => undefined),
      quit: (code, error) => this.#leave(code, error),
    };
  }

  async #record(): Promise<string | undefined> {
    const { stdout } = this.#options;
    const cast = this.#cast;
    if (cast !== undefined) {
      this.#cast = undefined;
      return cast.end();
    }
    const { Cast } = await import('./cast.ts');
    this.#cast = new Cast(stdout, Date.now, 'kubectl gc-tree');
    // The first frame has to be whole.
    await this.#handOver(() => Promise.resolve()).catch(() => undefined);
    return undefined;
  }

  /** Listens to signals, faults and the terminal; returns a function that stops listening. */
  #listen(): () => void {
    const { stdout } = this.#options;
    const onSignal = (signal: EndSignal): void => {
      // Ctrl-C belongs to kubectl while it has the keys.
      if (!(this.#isAway && signal === 'SIGINT')) this.#leave(EndSignal.endings[signal]);
    };
    const onFault = (fault: unknown): void => {
      // The requested action can't be finished, but the screen can go on.
      if (fault instanceof Error && fault.name === 'Replaced')
        this.#session.dispatch({ type: 'notice', text: `Not done: ${fault.message}`, style: 'danger' });
      else this.#leave(2, faultLine(fault));
    };
    stdout.on('resize', this.#resized);
    // A lost terminal can't be restored, but the program still has to end.
    stdout.on('error', () => this.#leave(EndSignal.endings.SIGHUP));
    for (const signal of EndSignal.all) process.on(signal, onSignal);
    process.on('uncaughtException', onFault);
    process.on('unhandledRejection', onFault);
    return () => {
      stdout.off('resize', this.#resized);
      for (const signal of EndSignal.all) process.off(signal, onSignal);
      process.off('uncaughtException', onFault);
      process.off('unhandledRejection', onFault);
    };
  }

  readonly #resized = (): void => this.#session.dispatch({ type: 'resized', ...this.#size() });

  readonly #onReady = (suspend: SuspendTerminal): (() => void) => {
    this.#ready.resolve(suspend);
    this.#followMouse();
    return () => this.#stopMouse();
  };

  #followMouse(): void {
    if (this.#isSpoken) return;
    const { stdin, stdout } = this.#options;
    const stop = followMouse(stdin, stdout, this.#session.dispatch);
    this.#stopMouse = () => {
      this.#stopMouse = () => {};
      stop();
    };
  }

  async #lendToKubectl(call: KubectlCall, opened: Opened): Promise<KubectlEnd> {
    const { stdin, stdout } = this.#options;
    return this.#withAccess(opened, async access => {
      let end: KubectlEnd = { failure: 'the screen was left.' };
      try {
        const { runKubectl } = await import('./borrowed/borrow-for-kubectl.ts');
        await this.#handOver(async () => {
          this.#isAway = true;
          const borrowed = { stdin, stdout, env: process.env, left: this.#leaving.signal };
          end = await runKubectl(call, access, borrowed);
          this.#isAway = false;
          await stopReading(stdin);
        });
        return end;
      } finally {
        this.#isAway = false;
      }
    });
  }

  async #readKubectl(
    call: KubectlCall,
    opened: Opened,
    { take, signal }: Parameters<Ports['readKubectl']>[2],
  ): Promise<KubectlEnd> {
    return this.#withAccess(opened, async access => {
      const { readKubectl } = await import('./borrowed/read-kubectl.ts');
      return readKubectl(call, access, { take, left: AbortSignal.any([signal, this.#leaving.signal]) });
    });
  }

  async #withAccess(
    opened: Opened,
    use: (access: KubectlAccess) => Promise<KubectlEnd>,
  ): Promise<KubectlEnd> {
    const { kubectl } = this.#options;
    let access: KubectlAccess | undefined;
    try {
      if (kubectl === undefined) throw new SourceError('there is no cluster here.');
      access = await kubectl(opened);
      return await use(access);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { failure: showHidden(credentials.removed(message)) };
    } finally {
      access?.close();
    }
  }

  readonly #handOver: StepAside = meanwhile => {
    const turn = this.#turns.then(() => this.#handOverNow(meanwhile));
    this.#turns = turn.catch(() => undefined);
    return turn;
  };

  async #handOverNow(meanwhile: () => Promise<void>): Promise<void> {
    const { stdin, stdout } = this.#options;
    const suspendTerminal = await this.#ready.promise;
    if (this.#hasLeft || suspendTerminal === undefined) throw new SourceError('the screen was left.');
    await suspendTerminal(async () => {
      this.#stopMouse();
      // Ink must not draw meanwhile: it would erase the shell's lines.
      const listeners = stdout.rawListeners('resize') as (() => void)[];
      for (const listener of listeners) stdout.off('resize', listener);
      await stopReading(stdin);
      await meanwhile();
      // Only the foreground process gets SIGWINCH; emitting it makes Node read the current size.
      process.emit('SIGWINCH');
      for (const listener of listeners) stdout.on('resize', listener);
      this.#resized();
      await nextTurn();
    });
    // A user who has quit meanwhile must not get a terminal that still reports the mouse.
    if (!this.#hasLeft) this.#followMouse();
  }

  #leave(code: number, error?: string): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#ready.resolve(undefined);
    this.#outcome = { code, error };
    this.#stopMouse();
    this.#leaving.abort();
    this.#unmount();
  }
}

function faultLine(fault: unknown): string {
  const message = fault instanceof Error ? fault.message : String(fault);
  return showHidden(`internal error: ${credentials.removed(message)}. Please report it.`);
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
