/** Runs the command line without a process: captured streams, a scenario or a small cluster for a source. */
import { Readable, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { tracesOfGone } from '../../src/cli/commands/actions/traces.ts';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import type { ScreenRequest, Services } from '../../src/cli/runtime/command.ts';
import type { Io } from '../../src/cli/runtime/io.ts';
import { Terminal } from '../../src/cli/runtime/terminal.ts';
import type { SourceBatch } from '../../src/model/exchange/changes.ts';
import type { ResourceType } from '../../src/model/types/resource-type.ts';
import { type JsonObject, type Source, SourceError, type SourceInfo } from '../../src/source/source.ts';
import { listedBatch, now, objects } from './documents/cluster.ts';

class Capture extends Writable {
  text = '';
  readonly #onWrite: ((text: string) => void) | undefined;

  constructor(onWrite?: (text: string) => void) {
    super();
    this.#onWrite = onWrite;
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.text += chunk.toString();
    this.#onWrite?.(this.text);
    done();
  }
}

/** A source that has everything at once and goes on with what `emit` is given. */
export class SmallSource implements Source {
  readonly info: SourceInfo = {
    source: 'cluster',
    context: 'test',
    namespace: 'shop',
    serverVersion: 'v1.36.3',
  };
  readonly graphComplete = Promise.resolve();
  readonly factsComplete = Promise.resolve();
  readonly #yaml: string;
  readonly #extra: Partial<SourceBatch>;
  closed = false;
  emit: (batch: SourceBatch) => void = () => {};

  constructor(yaml: string, extra: Partial<SourceBatch> = {}) {
    this.#yaml = yaml;
    this.#extra = extra;
  }

  start(listener: (batch: SourceBatch) => void): Promise<void> {
    this.emit = listener;
    listener(listedBatch(objects(this.#yaml)));
    listener({ changes: [], ...this.#extra });
    return Promise.resolve();
  }

  get(_type: ResourceType, _namespace: string, _name: string): Promise<JsonObject | undefined> {
    return Promise.resolve(undefined);
  }

  close(): Promise<void> {
    this.closed = true;
    return Promise.resolve();
  }
}

export interface Session {
  readonly out: string;
  readonly err: string;
  readonly exitCode: number;
  readonly screens: readonly ScreenRequest[];
}

export interface Setting {
  readonly source?: Source;
  readonly terminal?: boolean;
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The clock; it stands still unless told. */
  readonly now?: () => number;
  /** What is piped in. */
  readonly stdin?: string;
  /** Called with everything on standard output so far, and with what Ctrl-C would call. */
  readonly onOutput?: (text: string, interrupt: () => void) => void;
  /** The same of standard error. */
  readonly onError?: (text: string, interrupt: () => void) => void;
}

/** Of a pause. Seconds pass at once, when what has begun meanwhile has come to rest; minutes pass for nobody. */
const LONGEST_PAUSE = 10_000;

async function pause(milliseconds: number): Promise<void> {
  if (milliseconds > LONGEST_PAUSE) return new Promise(() => {});
  for (let turn = 0; turn < 10; turn++) await setImmediate();
}

export function consoleFor(setting: Setting = {}): {
  io: Io;
  services: Services;
  result: () => Omit<Session, 'exitCode'>;
  /** What Ctrl-C would call. */
  interrupt: () => void;
} {
  const interrupts = new Set<() => void>();
  // Where nobody listens, the process would end there; here whoever listens next ends it.
  let missed = false;
  const interrupt = (): void => {
    missed ||= interrupts.size === 0;
    for (const each of interrupts) each();
  };
  const stdout = new Capture(text => setting.onOutput?.(text, interrupt));
  const stderr = new Capture(text => setting.onError?.(text, interrupt));
  const terminal = setting.terminal ?? false;
  const screens: ScreenRequest[] = [];
  const io: Io = {
    stdout,
    stderr,
    stdin: () => Readable.from(setting.stdin === undefined ? [] : [Buffer.from(setting.stdin)]),
    // Not what the user who runs the tests has configured or done; nothing can be written below /proc.
    env: { XDG_CONFIG_HOME: '/nowhere', XDG_STATE_HOME: '/proc/nowhere', ...setting.env },
    stdinIsTerminal: terminal,
    stdoutIsTerminal: terminal,
    stderrIsTerminal: false,
    terminal: new Terminal(stderr, false),
    columns: () => setting.columns,
    errorColumns: () => setting.columns,
    now: setting.now ?? (() => now),
    pause,
    onInterrupt: callback => {
      const each = (): void => callback('SIGINT');
      interrupts.add(each);
      if (missed) each();
      return () => interrupts.delete(each);
    },
  };
  const services: Services = {
    version: '1.2.3',
    openSource: () =>
      setting.source === undefined
        ? Promise.reject(new SourceError('no context "prdo" in the kubeconfig. Contexts: prod-eu.'))
        : Promise.resolve(setting.source),
    serverVersion: () =>
      setting.source?.info.serverVersion === undefined
        ? Promise.reject(new SourceError('the server is not there.'))
        : Promise.resolve({ major: '1', minor: '36', gitVersion: setting.source.info.serverVersion }),
    openScreen: request => {
      screens.push(request);
      return Promise.resolve(0);
    },
    tracesOfGone,
    kubeconfigNames: () =>
      Promise.resolve({ contexts: ['prod-eu', 'staging'], clusters: ['c'], users: ['u'] }),
  };
  return { io, services, result: () => ({ out: stdout.text, err: stderr.text, screens }), interrupt };
}

/** Runs one command; the words are split at spaces. */
export async function command(words: string, setting: Setting = {}): Promise<Session> {
  const { io, services, result } = consoleFor(setting);
  const argv = words.split(' ').filter(word => word !== '');
  const exitCode = await runCommandLine(argv, io, services);
  return { ...result(), exitCode };
}
