/**
 * A simulated cluster that outlives the commands run on it, so that what one does another can take back; its time
 * passes a quarter of a second at a tick, without anybody waiting for it.
 */
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import type { ActAnswer, ActRequest } from '../../src/model/exchange/act.ts';
import type { SourceBatch } from '../../src/model/exchange/changes.ts';
import type { ResourceType } from '../../src/model/types/resource-type.ts';
import { DemoSource } from '../../src/source/demo/demo-source.ts';
import type { Source } from '../../src/source/source.ts';
import { consoleFor, type Session, type Setting } from './console.ts';

const TICK = 250;

export interface LastingSetting extends Setting {
  /** Lines that are typed one after the other, each when the one before was read. */
  readonly answers?: readonly (() => string | Promise<string>)[];
}

/** After the last answer nobody types any more. */
function answering(answers: readonly (() => string | Promise<string>)[]): Readable {
  const left = [...answers];
  return new Readable({
    highWaterMark: 0,
    read() {
      const next = left.shift();
      if (next !== undefined) void Promise.resolve(next()).then(line => this.push(`${line}\n`));
    },
  });
}

export class LastingDemo {
  readonly state = mkdtempSync(path.join(tmpdir(), 'gc-tree-state-'));
  readonly #demo: DemoSource;
  readonly #batches: SourceBatch[] = [];
  readonly #listeners = new Set<(batch: SourceBatch) => void>();
  #now = Date.parse('2026-11-21T12:00:00Z');
  #started: Promise<void> | undefined;
  /** Called before each change that is sent. */
  beforeActing: (path: string) => void | Promise<void> = () => {};
  /** What Ctrl-C would call while a command runs. */
  interrupt: () => void = () => {};
  /** What the API server says in place of what the scenario's would. */
  answer: (request: ActRequest) => ActAnswer | undefined = () => undefined;
  /** Paths of the changes that were sent. */
  readonly sent: string[] = [];

  constructor(scenario: string) {
    this.#demo = new DemoSource(scenario, {
      now: () => this.#now,
      every: (_milliseconds, callback) => {
        const timer = setInterval(() => {
          this.#now += TICK;
          callback();
          this.#hear({ changes: [] });
        }, 2);
        return () => clearInterval(timer);
      },
    });
  }

  /** What kubectl would do meanwhile. */
  get cluster(): NonNullable<DemoSource['cluster']> {
    const { cluster } = this.#demo;
    if (cluster === undefined) throw new Error('the demo has not begun');
    return cluster;
  }

  /** `ConfigMap/release-41` of everything there is, in order. */
  async objects(...kinds: readonly string[]): Promise<string[]> {
    await this.#start();
    const { store, discovery } = this.cluster;
    return discovery.catalog.types
      .filter(({ kind }) => kinds.includes(kind))
      .flatMap(type => [...store.list(type)].map(({ name }) => `${type.kind}/${name}`))
      .sort();
  }

  async json(type: string, name: string): Promise<unknown> {
    await this.#start();
    const found: ResourceType | undefined = this.cluster.discovery.catalog.types.find(
      ({ kind }) => kind === type,
    );
    return found && this.#demo.get(found, 'shop', name);
  }

  /** A line is split at spaces. On a terminal without `stdin` nobody ever answers. */
  async command(line: string | readonly string[], setting: LastingSetting = {}): Promise<Session> {
    const words = typeof line === 'string' ? line.split(' ') : line;
    const env = { XDG_STATE_HOME: this.state, NO_COLOR: '1', ...setting.env };
    const { io, services, result, interrupt } = consoleFor({ ...setting, env, source: this.#source() });
    this.interrupt = interrupt;
    const waits = setting.terminal === true && setting.stdin === undefined;
    const stdin = waits ? () => answering(setting.answers ?? []) : () => io.stdin();
    const exitCode = await runCommandLine(words, { ...io, stdin, now: () => this.#now }, services);
    return { ...result(), exitCode };
  }

  /** What somebody else does to it. */
  async change(method: 'DELETE' | 'PATCH' | 'POST', at: string, body: unknown = {}): Promise<void> {
    const contentType = method === 'PATCH' ? 'application/json-patch+json' : 'application/json';
    const { status } = await this.#demo.act({ method, path: at, contentType, body });
    if (status >= 300) throw new Error(`${method} ${at}: ${status}`);
  }

  async close(): Promise<void> {
    await this.#demo.close();
    await rm(this.state, { recursive: true, force: true });
  }

  #start(): Promise<void> {
    this.#started ??= this.#demo.start(batch => this.#hear(batch)).then(() => this.#demo.graphComplete);
    return this.#started;
  }

  #hear(batch: SourceBatch): void {
    if (batch.changes.length > 0 || batch.statuses !== undefined) this.#batches.push(batch);
    for (const listener of this.#listeners) listener(batch);
  }

  /** To a command it is a cluster like any other: it tells all that has happened so far. */
  #source(): Source {
    const demo = this.#demo;
    let listening: ((batch: SourceBatch) => void) | undefined;
    const started = this.#start();
    return {
      get info() {
        return { ...demo.info, source: 'cluster' } as const;
      },
      start: async listener => {
        await started;
        for (const batch of this.#batches) listener(batch);
        listening = listener;
        this.#listeners.add(listener);
      },
      graphComplete: started,
      factsComplete: started,
      get: (type, namespace, name) => demo.get(type, namespace, name),
      act: async request => {
        if (!request.path.endsWith('selfsubjectaccessreviews')) {
          await this.beforeActing(request.path);
          this.sent.push(`${request.method} ${request.path}`);
        }
        return this.answer(request) ?? demo.act(request);
      },
      dryRun: request => demo.dryRun(request),
      close: () => {
        if (listening !== undefined) this.#listeners.delete(listening);
        return Promise.resolve();
      },
    };
  }
}
