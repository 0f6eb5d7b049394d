/**
 * One program of the test control plane, or one beside it, as a process that can be started, stopped, killed and started again
 * with the same arguments. Its output goes to a log file, whose end is shown when a start fails.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type ComponentName = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kwok';

export interface ComponentOptions {
  /** Of its log and its pid file. */
  readonly name: string;
  readonly binary: string;
  readonly args: readonly string[];
  readonly port: number;
  /** Working, home, log and pid folder. */
  readonly folder: string;
  /** True once the program serves. Polled while it starts. */
  readonly ready: () => Promise<boolean>;
  /** Variables beside `PATH` and `HOME`. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Three control planes may start at once on two cores, and half a million objects take minutes to be read. */
const READY_WITHIN_MS = 600_000;

export class Component {
  readonly name: string;
  readonly log: string;
  readonly #options: ComponentOptions;
  readonly #pidFile: string;
  #process: ChildProcess | undefined;
  #endedWith: string | undefined;

  constructor(options: ComponentOptions) {
    this.name = options.name;
    this.#options = options;
    this.log = join(options.folder, `${options.name}.log`);
    this.#pidFile = join(options.folder, `${options.name}.pid`);
  }

  get port(): number {
    return this.#options.port;
  }

  get running(): boolean {
    return this.#process !== undefined;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Resolves once it serves; rejects with the end of its log if it exits or takes over ten minutes. */
  async start(): Promise<void> {
    if (this.running) throw new Error(`${this.name} is already running`);
    const { binary, args, folder, env } = this.#options;
    const log = openSync(this.log, 'a');
    const child = spawn(binary, args, {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, GOMAXPROCS: '2', ...env },
      stdio: ['ignore', log, log],
      // A process group of its own: Ctrl-C in the terminal must reach the harness alone, which then ends all.
      detached: true,
    });
    closeSync(log);
    this.#process = child;
    this.#endedWith = undefined;
    if (child.pid !== undefined) writeFileSync(this.#pidFile, String(child.pid));
    child.unref();
    let ended: string | undefined;
    child.once('error', error => {
      ended = error.message;
      this.#forget(child);
    });
    child.once('exit', (code, signal) => {
      ended = `exited with ${signal ?? code}`;
      this.#endedWith = ended;
      this.#forget(child);
    });
    const deadline = Date.now() + READY_WITHIN_MS;
    while (!(await this.#options.ready().catch(() => false))) {
      if (ended !== undefined) throw new Error(`${this.name} ${ended}\n${await this.logTail()}`);
      if (Date.now() > deadline) {
        await this.kill();
        throw new Error(`${this.name} was not ready within ten minutes\n${await this.logTail()}`);
      }
      await sleep(50);
    }
  }

  /** Asks it to end, and kills it after `graceMs`. Nothing happens if it isn't running. */
  async stop(graceMs = 15_000): Promise<void> {
    const child = this.#process;
    if (child === undefined) return;
    child.kill('SIGTERM');
    if (!(await exited(child, graceMs))) await this.kill();
  }

  /** Ends it at once, as a crash would. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child === undefined) return;
    child.kill('SIGKILL');
    // What is started again at once would find its port taken.
    await exited(child, 120_000);
  }

  /** For exit hooks, where nothing can be awaited. */
  killNow(): void {
    this.#process?.kill('SIGKILL');
  }

  /** How it ended since it was started, and what it said last; undefined while it runs. */
  async end(): Promise<string | undefined> {
    return this.#endedWith && `${this.name} ${this.#endedWith}\n${await this.logTail()}`;
  }

  async logTail(lines = 25): Promise<string> {
    const text = await readFile(this.log, 'utf8').catch(() => '');
    return text.trimEnd().split('\n').slice(-lines).join('\n');
  }

  #forget(child: ChildProcess): void {
    if (this.#process !== child) return;
    this.#process = undefined;
    rmSync(this.#pidFile, { force: true });
  }
}

async function exited(child: ChildProcess, withinMs: number): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return true;
  return new Promise(resolve => {
    const timer = setTimeout(() => resolve(false), withinMs);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
