/**
 * The product in front of a faulty server, as `openCluster` puts it together: only its clock is the test's. Time moves on
 * when the connection is quiet, so that whatever ends, ends after the same time on every machine.
 */
import { readFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { Journal } from '../../../src/actions/journal/action-journal.ts';
import { actingSource, type RunPorts } from '../../../src/actions/run/run-ports.ts';
import { ClusterView } from '../../../src/graph/cluster-view.ts';
import { openCluster } from '../../../src/kube/open-cluster.ts';
import type { SourceBatch } from '../../../src/model/exchange/changes.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import type { Source } from '../../../src/source/source.ts';
import { temporaryFolder } from '../../actions/acting-world.ts';
import { remedyOf } from '../../forecast/fixtures.ts';
import { fixture, kubeconfig, temporaryFolder as kubeconfigFolder, write } from '../kubeconfig-files.ts';
import { cleanUp } from '../local-server.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { FaultyServer, type Rule } from './faulty-server.ts';
import { StubApi, type StubRequest } from './stub-api.ts';

export type Protocol = 'HTTP/2' | 'HTTP/1.1';

/** Watches end and begin again all the time. */
const MOST_STALE_MS = 16_000;

export class FaultyWorld {
  readonly api: StubApi;
  readonly server: FaultyServer;
  readonly clock = new VirtualClock(() => 0.5);
  readonly view = new ClusterView();
  readonly source: Source;
  readonly journal: Journal;
  /** For so long a view may be called live after it no longer is. */
  mostStale = MOST_STALE_MS;
  /** What people were told to wait for. */
  readonly told: string[] = [];
  /** Work that the clock waits for, though no connection shows it: files. */
  #busy = 0;
  #batches = 0;
  #staleSince: number | undefined;
  readonly #waiters = new Set<() => void>();

  private constructor(parts: { api: StubApi; server: FaultyServer; journal: Journal }) {
    this.api = parts.api;
    this.server = parts.server;
    this.journal = this.#counted(parts.journal);
    // In the file itself: what reads other files takes time that the clock knows nothing of.
    const authority = readFileSync(fixture('ca.crt')).toString('base64');
    const text = kubeconfig(`{server: "${this.server.url}", certificate-authority-data: ${authority}}`);
    const file = write(kubeconfigFolder(), 'config', text);
    this.source = openCluster(
      { kubeconfig: file },
      { env: {}, verbosity: 0, log: () => {}, timing: this.clock },
    );
    cleanUp(() => this.source.close());
  }

  static async of(protocol: Protocol, yaml: string): Promise<FaultyWorld> {
    const api = new StubApi(yaml);
    const server = new FaultyServer(api);
    await server.listen(protocol);
    return new FaultyWorld({ api, server, journal: new Journal(await temporaryFolder()) });
  }

  start(): Promise<void> {
    return this.source.start(batch => this.#take(batch));
  }

  /** Everything is known, facts included, and followed. */
  async live(): Promise<void> {
    await this.ends(this.start());
    await this.until(() => this.isCurrent, 60_000);
  }

  /** Live, with every kind in sight, and the very objects that the server has. */
  get isCurrent(): boolean {
    const { connection, statuses } = this.view;
    const isSynced = [...statuses.values()].every(({ state, facts }) => state === 'synced' && facts);
    return connection.state === 'live' && statuses.size > 0 && isSynced && this.#isEqual;
  }

  /** Disturbs requests from now on; returns how many of those that match arrived, and how many were disturbed. */
  disturb(rule: Rule): { readonly all: () => number; readonly disturbed: () => number } {
    let all = 0;
    const match = (request: StubRequest): boolean => {
      const isMatch = rule.match(request);
      if (isMatch) all += 1;
      return isMatch;
    };
    const live: Rule = { ...rule, match };
    this.server.rule = live;
    return { all: () => all, disturbed: () => Math.min(all, rule.times) };
  }

  object(name: string): KubeObject {
    for (const { object } of this.view.graph.nodes()) if (object?.name === name) return object;
    throw new Error(`no ${name}`);
  }

  /** Whether the server has the object at this path. */
  has(path: string): boolean {
    return this.api.answer({ method: 'GET', url: path, contentType: '', body: '' }).status === 200;
  }

  /** What a promise comes to, and after how many seconds of the test's time. */
  async ends<T>(promise: Promise<T>): Promise<{ value?: T; error?: Error; seconds: number }> {
    const began = this.clock.now();
    let end: { value?: T; error?: Error } | undefined;
    promise.then(
      value => {
        end = { value };
      },
      (error: Error) => {
        end = { error };
      },
    );
    await this.until(() => end !== undefined, 10 * 60_000);
    return { ...end, seconds: Math.round((this.clock.now() - began) / 1_000) };
  }

  /** Lets time pass until it is so; fails after so many milliseconds of the test's time. */
  async until(check: () => boolean, milliseconds: number): Promise<void> {
    const deadline = this.clock.now() + milliseconds;
    for (;;) {
      await this.#settle();
      this.#look();
      if (check()) return;
      const next = this.clock.next ?? milliseconds;
      if (this.clock.now() + next > deadline)
        throw new Error(`not within ${milliseconds / 1_000} s: ${this.#said}`);
      await this.clock.pass(next);
    }
  }

  /** Lets so many milliseconds pass, with all that happens meanwhile. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.clock.now() + milliseconds;
    await this.until(() => this.clock.now() + (this.clock.next ?? Infinity) > end, milliseconds + 1);
  }

  ports(more: Partial<RunPorts> = {}): RunPorts {
    const source = actingSource(this.source);
    if (source === undefined) throw new Error('it cannot be changed');
    return {
      view: this.view,
      source,
      journal: this.journal,
      now: this.clock.now,
      changed: (milliseconds, signal) => this.#changed(milliseconds, signal),
      confirm: () => Promise.resolve(true),
      tell: () => {},
      remedyFor: (target, id) => remedyOf(this.view, target, id),
      context: 'test',
      secretData: false,
      timeout: 60_000,
      ...more,
    };
  }

  get #isEqual(): boolean {
    return this.#seen.join() === this.api.state.join();
  }

  get #seen(): string[] {
    return [...this.view.graph.nodes()]
      .flatMap(({ object }) => object ?? [])
      .map(({ type, name, resourceVersion }) => `${type.kind}/${name}@${resourceVersion}`)
      .toSorted();
  }

  get #said(): string {
    const statuses = [...this.view.statuses.values()].map(
      ({ type, state, reason }) => `${type.resource} ${state} ${reason ?? ''}`,
    );
    return [this.view.connection.state, ...statuses, ...this.server.requests.slice(-5)].join('; ');
  }

  /** Fails where the view is called live for long while it is of the past. */
  #look(): void {
    const { connection, statuses } = this.view;
    const isCalledLive =
      connection.state === 'live' && [...statuses.values()].every(({ state }) => state === 'synced');
    if (!isCalledLive || statuses.size === 0 || this.#isEqual) this.#staleSince = undefined;
    else this.#staleSince ??= this.clock.now();
    if (this.#staleSince !== undefined && this.clock.now() - this.#staleSince > this.mostStale)
      throw new Error(`live with an old graph: ${this.#seen.join()} and not ${this.api.state.join()}`);
  }

  /** Until nothing more happens without the clock: on sockets, and in files. */
  async #settle(): Promise<void> {
    for (let quiet = 0; quiet < 40; ) {
      const now = this.#happened;
      await turn();
      quiet = now === this.#happened && this.#busy === 0 ? quiet + 1 : 0;
    }
  }

  /** Differs after whatever happened. */
  get #happened(): string {
    return `${this.server.activity} ${this.#batches}`;
  }

  #take(batch: SourceBatch): void {
    this.#batches += 1;
    if (batch.pausing) this.told.push(`answered ${batch.pausing.status}`);
    const { connection } = batch;
    if (connection?.state === 'connecting' && connection.waitingFor) this.told.push(connection.waitingFor);
    this.view.apply(batch, this.clock.now());
    for (const wake of Array.from(this.#waiters)) wake();
  }

  async #changed(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    this.#waiters.add(wake);
    await this.clock.sleep(milliseconds, AbortSignal.any([woken.signal, ...(signal ? [signal] : [])]));
    this.#waiters.delete(wake);
  }

  /** The same object, whose promises, and those of what they resolve with, keep the clock waiting. */
  #counted<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (of, key) => {
        const value: unknown = Reflect.get(of, key, of);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]): unknown => {
          const result: unknown = Reflect.apply(value, of, given);
          if (!(result instanceof Promise)) return result;
          this.#busy += 1;
          const kept = result.then((each: unknown) => (isWriter(each) ? this.#counted(each) : each));
          return kept.finally(() => {
            this.#busy -= 1;
          });
        };
      },
    });
  }
}

function isWriter(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'write' in value;
}
