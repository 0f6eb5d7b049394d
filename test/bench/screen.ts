/** The screen as a whole process in a pseudo-terminal, of 200×50 at first, with the moment at which each of its frames was whole. */
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type IPty, spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { processorTime, processorWait, residentMemory } from './process.ts';

const COLUMNS = 200;
const ROWS = 50;
/** What Ink writes around each frame: begin and end of synchronized output. */
const FRAME_BEGIN = '\u001B[?2026h';
const FRAME_END = '\u001B[?2026l';
/** No frame that a key leads to comes later than this after the one before. */
const QUIET_MS = 120;
const PATIENCE_MS = 120_000;
const MOST_STDERR = 20_000;
/** A terminal is a person's, and neither a log of CI nor a test. */
const HIDDEN = ['CI', 'CONTINUOUS_INTEGRATION', 'NO_COLOR', 'FORCE_COLOR', 'NODE_ENV', 'VITEST'];
/** With it the terminal shows again what was there before the screen. */
const SCREEN_LEFT = '\u001B[?1049l';

interface Frame {
  readonly begun: number;
  readonly at: number;
}

/** What a key took until its effect was on the screen, in milliseconds, and how much of that without a processor. */
export interface Answer {
  readonly took: number;
  readonly waited: number;
}

/** When frames were whole that a key led to, in milliseconds from the key. */
interface Frames {
  readonly first: number;
  readonly last: number;
}

export interface ScreenCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** A file for what it writes to standard error, which would otherwise be drawn over what is on the terminal. */
  readonly stderr?: string;
}

export class Screen {
  readonly #pty: IPty;
  readonly #stderr: string | undefined;
  readonly #emulator = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  readonly #start = performance.now();
  readonly #listeners = new Set<(frame: Frame) => void>();
  readonly #ended: Promise<void>;
  #end: { readonly exitCode: number; readonly signal?: number | undefined } | undefined;
  /** What was on the terminal when the screen was left. */
  #lastLines: readonly string[] = [];
  #tail = '';
  #begun = 0;
  /** At the end of the last frame. */
  #waited = 0;
  #isParsing = true;
  #unparsed: string[] = [];

  constructor(command: ScreenCommand) {
    const env = { ...process.env, ...command.env, TERM: 'xterm-256color' } as Record<string, string>;
    for (const name of HIDDEN) delete env[name];
    this.#stderr = command.stderr;
    const words = [command.file, ...command.args];
    const [file = '', ...args] =
      command.stderr === undefined ? words : ['/bin/sh', '-c', 'exec "$@" 2>"$0"', command.stderr, ...words];
    this.#pty = spawn(file, args, {
      name: 'xterm-256color',
      cols: COLUMNS,
      rows: ROWS,
      env,
      ...(command.cwd !== undefined && { cwd: command.cwd }),
    });
    this.#emulator.onData(reply => {
      if (this.#end === undefined) this.#pty.write(reply);
    });
    this.#ended = new Promise(resolve => {
      this.#pty.onExit(end => {
        this.#end = end;
        // What it wrote last is to be seen.
        void this.#parse(true).then(resolve);
      });
    });
    this.#pty.onData(data => {
      const at = performance.now();
      // A sequence may be cut in two by the end of a read.
      const read = this.#tail + data;
      const isWhole = read.includes(FRAME_END);
      if (read.includes(FRAME_BEGIN)) this.#begun = at;
      if (isWhole) this.#waited = this.#processorWait();
      this.#tail = isWhole ? '' : data.slice(1 - FRAME_END.length);
      const begun = this.#begun;
      if (!this.#isParsing) this.#unparsed.push(data);
      if (data.includes(SCREEN_LEFT)) this.#emulator.write('', () => (this.#lastLines = this.#lines()));
      const tell = (): void => {
        if (isWhole) for (const listener of this.#listeners) listener({ begun, at });
      };
      if (this.#isParsing) this.#emulator.write(data, tell);
      else tell();
    });
  }

  /**
   * Milliseconds from `since`, or the start of the process, to the frame that shows this. Throws where it does not come.
   */
  async until(shown: RegExp | ((lines: readonly string[]) => boolean), since = this.#start): Promise<number> {
    await this.#parse(true);
    const holds = (): boolean => {
      const lines = this.#lines();
      return typeof shown === 'function' ? shown(lines) : shown.test(lines.join('\n'));
    };
    return new Promise((resolve, reject) => {
      const settle = (then: () => void): void => {
        clearTimeout(timeout);
        this.#listeners.delete(check);
        then();
      };
      const check = ({ at }: Pick<Frame, 'at'>): void => {
        if (holds()) settle(() => resolve(at - since));
      };
      const timeout = setTimeout(
        () =>
          settle(() => reject(new Error(`no ${String(shown)} on the screen:\n${this.#lines().join('\n')}`))),
        PATIENCE_MS,
      );
      this.#listeners.add(check);
      void this.#ended.then(() => settle(() => reject(this.#hasEnded())));
      check({ at: performance.now() });
    });
  }

  /** Types it, and waits until no more frames come of it. What is written isn't looked at meanwhile, which takes time. */
  async press(keys: string): Promise<Frames> {
    await this.#parse(false);
    return new Promise((resolve, reject) => {
      const from = performance.now();
      let first: number | undefined;
      let timeout: NodeJS.Timeout | undefined;
      const wait = (milliseconds: number, then: () => void): void => {
        clearTimeout(timeout);
        timeout = setTimeout(() => {
          this.#listeners.delete(listener);
          then();
        }, milliseconds);
      };
      const listener = ({ begun, at }: Frame): void => {
        // Drawn for another reason, before the key came.
        if (begun < from) return;
        const frame = at - from;
        first ??= frame;
        const frames = { first, last: frame };
        wait(QUIET_MS, () => resolve(frames));
      };
      wait(PATIENCE_MS, () => reject(new Error(`no frame after ${JSON.stringify(keys)}`)));
      this.#listeners.add(listener);
      this.#pty.write(keys);
    });
  }

  /** Types a key that moves the cursor of a list: until it is in another row. */
  async move(key: string): Promise<Answer> {
    let from = -1;
    await this.until(lines => {
      from = cursorRow(lines);
      return from >= 0;
    });
    return this.answer(key, lines => cursorRow(lines) >= 0 && cursorRow(lines) !== from);
  }

  /** Types it: until the screen shows this. */
  async answer(keys: string, shown: RegExp | ((lines: readonly string[]) => boolean)): Promise<Answer> {
    const before = this.#processorWait();
    const took = await this.until(shown, this.type(keys));
    return { took, waited: this.#waited - before };
  }

  /** Types it, and doesn't wait. Returns when that was. */
  type(keys: string): number {
    const at = performance.now();
    if (this.#end === undefined) this.#pty.write(keys);
    return at;
  }

  resize(columns: number, rows: number): void {
    if (this.#end !== undefined) return;
    this.#emulator.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  /** As after Ctrl-S: what the screen writes is not read any more, until `flow(true)`. */
  flow(on: boolean): void {
    if (on) this.#pty.resume();
    else this.#pty.pause();
  }

  /** Resolves as the work does, and rejects once the process has ended, which it isn't to do before. */
  async whileRunning<T>(work: Promise<T>): Promise<T> {
    const ended = this.#ended.then(() => Promise.reject(this.#hasEnded()));
    try {
      return await Promise.race([work, ended]);
    } catch (error) {
      // What failed may have failed because of its end, which is told a moment later.
      await Promise.race([ended, sleep(1_000)]);
      throw error;
    }
  }

  /** In MB. */
  memory(): number {
    return residentMemory(this.#pty.pid);
  }

  /** Milliseconds of processor time so far. */
  processorTime(): number {
    return processorTime(this.#pty.pid);
  }

  async close(): Promise<void> {
    if (this.#end === undefined) this.#pty.kill('SIGTERM');
    const timeout = setTimeout(() => this.#pty.kill('SIGKILL'), 5_000);
    await this.#ended;
    clearTimeout(timeout);
    this.#emulator.dispose();
  }

  #processorWait(): number {
    try {
      return this.#end === undefined ? processorWait(this.#pty.pid) : this.#waited;
    } catch {
      // It has ended, and that is told after what it wrote last.
      return this.#waited;
    }
  }

  /** How it did, with what it said last. */
  #hasEnded(): Error {
    const { exitCode, signal } = this.#end ?? {};
    const name = Object.entries(constants.signals).find(([, number]) => number === signal)?.[0];
    const stderr = this.#stderr === undefined ? '' : readFileSync(this.#stderr, 'utf8').slice(-MOST_STDERR);
    const parts = [
      `the screen has ended with ${name ?? `exit code ${exitCode}`}`,
      '-- standard error:',
      stderr,
      '-- the screen:',
      ...this.#lastLines,
      '-- the terminal:',
      ...this.#lines(),
    ];
    return new Error(parts.join('\n').replaceAll(/\n{3,}/gu, '\n\n'));
  }

  async #parse(on: boolean): Promise<void> {
    this.#isParsing = on;
    const behind = this.#unparsed.join('');
    this.#unparsed = [];
    await new Promise<void>(resolve => this.#emulator.write(behind, resolve));
  }

  #lines(): string[] {
    const buffer = this.#emulator.buffer.active;
    return Array.from(
      { length: this.#emulator.rows },
      (_, row) => buffer.getLine(buffer.viewportY + row)?.translateToString(true) ?? '',
    );
  }
}

function cursorRow(lines: readonly string[]): number {
  return lines.findIndex(line => line.startsWith('>'));
}
