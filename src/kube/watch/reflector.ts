/**
 * Keeps the store of one type equal to the server's: list, watch, resume, relist. It never gives up; failures are
 * reported and retried.
 *
 * The first load is a list. Later reads use a WatchList, which costs the server less memory and continues as the watch;
 * pods use a list on the connection for bulk. At 20,000 pods on loopback and two cores, a metadata list takes 0.13 to
 * 0.28 s, a WatchList 0.45 to 0.85 s.
 */

import { ResourceVersion } from '../../model/index.ts';
import { Backoff } from '../transport/timing.ts';
import type { WatchEvent } from '../wire/watch-stream.ts';
import { ApiFailure, failureOfEvent } from './api-failure.ts';
import { type Depth, Silence } from './collection-requests.ts';
import type { ConnectionMonitor } from './connection-monitor.ts';
import { aborted, type Load, Loader, type LoadOptions } from './loader.ts';
import { type Recovery, recoveryFrom, unanswered, type Waits, type WatchPhase } from './recovery.ts';

export type Report =
  /** `polled` is the reason why the type cannot be watched; it is set once the last list is no longer fresh. */
  | { readonly state: 'synced'; readonly polled?: string | undefined }
  | { readonly state: 'blind'; readonly code: number; readonly reason: string };

export interface ReflectorOptions extends LoadOptions {
  readonly depth: Depth;
  /** A custom kind, read whole after its metadata for the state of its objects, unless they are many. */
  readonly deepens: boolean;
  readonly bulk: boolean;
  readonly follows: boolean;
  readonly connection: ConnectionMonitor;
  /** True if the server answers a list of the newest state from its memory. */
  readonly newestIsCheap: boolean;
  /** Resolves when all kinds are read. Watches wait for it: opening fifty at once takes 0.1 s. */
  readonly listed: Promise<void>;
  readonly report: (report: Report) => void;
  /** Called when a first list waits to be retried; the returned function is called at the end of the pause. */
  readonly waiting: (pause: { readonly status: number; readonly pause: number }) => () => void;
  readonly vanished: () => void;
}

/** The time for which a list counts as fresh without a watch. */
const FRESH_MS = 10_000;
/** The longest further wait before an unwatchable kind is listed again. */
const POLL_MS = 40_000;
/** A kind with more objects is read as metadata alone: only whole JSON has their state. */
const MOST_WHOLE = 1_000;
/** A watch that ended sooner without events wasn't worth its request. */
const SHORT_WATCH_MS = 1_000;

export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #backoff: Backoff;
  readonly #waits: Waits;
  readonly #loader: Loader;
  #step: WatchPhase = 'first';
  readonly #position = new Position();
  #depth: Depth;
  #doubted = false;
  /** The server's cache may hold a history that no longer exists. */
  #inDoubt = false;
  /** The watch was silent, as it is when its version is still in the future. */
  #silent = false;
  /**
   * The version went back once already: an aggregated server may have its own history, so others aren't checked again.
   */
  #wentBack = false;
  /** Read completely at least once, so the next list is compared. */
  #complete = false;
  #blind = false;
  #unwatchable: string | undefined;
  /** The reason why it is polled, once reported. */
  #polled: string | undefined;
  #watchList = true;
  #failures = 0;
  #waker = new AbortController();
  #done = false;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#depth = options.depth;
    this.#loader = new Loader(options);
    this.#backoff = new Backoff(options.timing, 200, 30_000);
    this.#waits = { next: () => this.#backoff.next(), random: () => options.timing.random() };
  }

  /** Resolves when the signal aborts, or after the first load without `follows`; never rejects. */
  async run(): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted && !this.#done) {
      if (this.#doubted) this.#forgetHistory();
      try {
        await this.#advance();
      } catch (error) {
        if (!signal.aborted) await this.#recover(error);
      }
    }
    this.#options.connection.leave(this);
  }

  /** Reads everything again, because the history may have changed. The connection ends requests under way. */
  beginAnew(): void {
    this.#doubted = true;
    this.wake();
  }

  wake(): void {
    this.#waker.abort();
    this.#waker = new AbortController();
  }

  #forgetHistory(): void {
    this.#doubted = false;
    this.#silent = false;
    this.#inDoubt = true;
    this.#position.reset();
    this.#step = this.#complete ? 'reload' : 'first';
  }

  /**
   * Prefers no version, which is consistent and cheap if answered from memory. `0` accepts an older cache, but never
   * after newer objects were read.
   */
  get #firstVersion(): '0' | undefined {
    const { newestIsCheap, store } = this.#options;
    if (this.#inDoubt || store.count > 0) return undefined;
    return newestIsCheap && this.#failures === 0 ? undefined : '0';
  }

  #moveTo(version: string): void {
    const { namespace, store } = this.#options;
    this.#position.moveTo(version);
    if (namespace !== undefined) store.reached(namespace, version);
  }

  async #advance(): Promise<void> {
    this.#fellBehind();
    switch (this.#step) {
      case 'first':
        await this.#first();
        break;
      case 'reload':
        if (this.#options.deepens && this.#options.store.count > MOST_WHOLE) this.#depth = 'metadata';
        if (this.#watchList && this.#complete && !this.#options.bulk) await this.#loadByWatch();
        else {
          // The list is at least as new as the known state, and comes from the server's memory.
          await this.#list(this.#position.version || undefined);
          this.#succeeded();
          this.#step = 'watch';
        }
        break;
      case 'watch':
        if (!this.#silent || (await this.#isReached())) await this.#watch();
        break;
      case 'poll':
        await this.#poll();
        this.#step = 'watch';
        break;
    }
  }

  async #first(): Promise<void> {
    const { bulk, listed, signal } = this.#options;
    await this.#list(this.#firstVersion);
    await this.#deepen();
    this.#succeeded();
    if (this.#done) return;
    if (!bulk) await Promise.race([listed, aborted(signal)]);
    this.#step = 'watch';
  }

  /** Reads the state of custom resources. Metadata has to do if that fails, because no answer relies on it. */
  async #deepen(): Promise<void> {
    const { deepens, store, signal } = this.#options;
    if (!deepens || store.count > MOST_WHOLE) return;
    this.#depth = 'full';
    if (store.count === 0) return;
    try {
      // The server's memory is at least as new as the metadata.
      await this.#list(this.#position.version || undefined);
    } catch (error) {
      if (signal.aborted) throw error;
      this.#depth = 'metadata';
    }
  }

  #succeeded(): void {
    this.#complete = true;
    this.#blind = false;
    this.#failures = 0;
    this.#backoff.reset();
    const { follows, connection } = this.#options;
    this.#done = !follows;
    if (follows) connection.fellBehind(this);
    this.#tell();
  }

  #tell(): void {
    const polled = this.#polled;
    this.#options.report({ state: 'synced', ...(polled !== undefined && { polled }) });
  }

  #follows(): void {
    if (this.#doubted) return;
    this.#options.connection.follows(this);
    this.#unwatchable = undefined;
    if (this.#polled === undefined) return;
    this.#polled = undefined;
    this.#tell();
  }

  /** Lists repeatedly; a kind that cannot be watched counts as followed only right after a list. */
  async #poll(): Promise<void> {
    const { connection, timing } = this.#options;
    await this.#list(undefined);
    this.#succeeded();
    if (this.#done) return;
    connection.follows(this);
    if (!(await this.#pause(FRESH_MS))) return;
    if (this.#polled !== this.#unwatchable) {
      this.#polled = this.#unwatchable;
      this.#tell();
    }
    await this.#pause(POLL_MS * (0.5 + timing.random() / 2));
  }

  #fellBehind(): void {
    if (this.#complete && !this.#blind) this.#options.connection.fellBehind(this);
  }

  #arrived(version: string): void {
    const isEarlier = this.#position.compare(version) === 'earlier';
    this.#moveTo(version);
    if (!isEarlier || this.#doubted || this.#wentBack) return;
    this.#wentBack = true;
    this.#options.connection.wentBack();
  }

  /** Returns true if the server has reached the version to resume from; if not, everything is read again. */
  async #isReached(): Promise<boolean> {
    const order = this.#position.compare(await this.#options.requests.version());
    this.#silent = false;
    if (order === 'reached') return true;
    this.#position.forget();
    this.#step = 'reload';
    return false;
  }

  async #list(resourceVersion: string | undefined): Promise<void> {
    const version = await this.#loader.list({ ...this.#loading(), resourceVersion });
    if (resourceVersion === undefined) this.#arrived(version);
    else this.#moveTo(version);
  }

  async #loadByWatch(): Promise<void> {
    this.#watchList = await this.#loader.watchList({
      ...this.#loading(),
      timeoutSeconds: this.#timeoutSeconds(),
      loaded: version => {
        this.#arrived(version);
        this.#step = 'watch';
        this.#succeeded();
        this.#follows();
      },
      event: event => this.#apply(event),
    });
  }

  #loading(): Load {
    const noAnswer = (): void => {
      if (!this.#complete) this.#tellBlind({ code: 0, reason: 'no answer yet' });
    };
    return { depth: this.#depth, defer: this.#complete, noAnswer };
  }

  async #watch(): Promise<void> {
    const { requests, timing } = this.#options;
    const query = new URLSearchParams({
      resourceVersion: this.#position.version,
      timeoutSeconds: this.#timeoutSeconds(),
    });
    const began = timing.now();
    let events = 0;
    const event = (event: WatchEvent): void => {
      this.#apply(event);
      if (events++ === 0) this.#follows();
    };
    const ended = new AbortController();
    // A watch that breaks off as soon as it is open brings nothing, however often it is retried.
    const open = async (): Promise<void> => {
      await timing.sleep(SHORT_WATCH_MS, ended.signal);
      if (ended.signal.aborted) return;
      this.#failures = 0;
      this.#backoff.reset();
      this.#follows();
    };
    try {
      await requests.watch({ depth: this.#depth, query, event, open: () => void open() });
    } finally {
      ended.abort();
    }
    if (events > 0 || timing.now() - began >= SHORT_WATCH_MS) {
      this.#failures = 0;
      this.#backoff.reset();
    } else await this.#pause(this.#backoff.next());
  }

  #apply(event: WatchEvent): void {
    const { store } = this.#options;
    switch (event.type) {
      case 'ADDED':
      case 'MODIFIED':
        this.#moveTo(event.object.resourceVersion);
        store.upsert(event.object);
        break;
      case 'DELETED':
        this.#moveTo(event.object.resourceVersion);
        store.remove(event.object.uid, { resourceVersion: event.object.resourceVersion });
        break;
      case 'BOOKMARK':
        this.#moveTo(event.resourceVersion);
        break;
      case 'ERROR':
        throw failureOfEvent(event.status);
    }
  }

  async #recover(error: unknown): Promise<void> {
    const { connection, timing } = this.#options;
    this.#failures++;
    this.#fellBehind();
    this.#silent ||= this.#step === 'watch' && error instanceof Silence;
    const step = this.#step;
    const failures = this.#failures;
    const complete = this.#complete;
    // The server may no longer have that version: its data were restored, or its history compacted.
    if (step === 'reload') this.#position.forget();
    const recovery = recoveryFrom(error, { step, failures, complete }, this.#waits);
    if (recovery !== undefined) {
      const isBusy = error instanceof ApiFailure && (error.code === 429 || error.code === 503);
      return this.#goOn(recovery, isBusy && !complete ? error.code : undefined);
    }
    await connection.failed(error instanceof Error ? error.message : '');
    const blind = unanswered(error, { step, failures, complete });
    if (blind !== undefined) this.#reportBlind(blind);
    if (this.#done) return;
    // A random wait spreads the reflectors, which all come back at the same moment.
    await this.#pause(Math.max(this.#failures > 1 ? this.#backoff.next() : 0, 100 * timing.random()));
  }

  /** `busy` is the status of a server that hasn't answered the first list yet. */
  async #goOn(recovery: Recovery, busy: number | undefined): Promise<void> {
    const { requests, vanished, connection } = this.#options;
    const { step, pause, blind } = recovery;
    this.#step = step;
    if (recovery.forgets) this.#position.forget();
    if (recovery.vanished) this.#position.reset();
    if (recovery.otherFormat) requests.jsonOnly = !requests.jsonOnly;
    if (blind !== undefined) this.#reportBlind(blind);
    if (this.#done) return;
    if (recovery.unwatchable !== undefined) this.#unwatchable = recovery.unwatchable;
    if (recovery.vanished) vanished();
    if (recovery.unauthorized) await connection.failed('');
    if (pause === undefined) return;
    const over = busy === undefined ? undefined : this.#options.waiting({ status: busy, pause });
    await this.#pause(pause);
    over?.();
  }

  #reportBlind(blind: { readonly code: number; readonly reason: string }): void {
    this.#done = !this.#options.follows;
    this.#tellBlind(blind);
  }

  #tellBlind(blind: { readonly code: number; readonly reason: string }): void {
    this.#blind = true;
    this.#options.connection.leave(this);
    this.#options.report({ state: 'blind', ...blind });
  }

  /** Resolves with false if the pause was cut short. */
  async #pause(milliseconds: number): Promise<boolean> {
    const signal = AbortSignal.any([this.#options.signal, this.#waker.signal]);
    await this.#options.timing.sleep(milliseconds, signal);
    return !signal.aborted;
  }

  /** Lasts 5 to 10 minutes, as client-go's reflectors (v0.36.3, tools/cache/reflector.go). */
  #timeoutSeconds(): string {
    return String(Math.round(300 * (1 + this.#options.timing.random())));
  }
}

class Position {
  #current = '';
  #seen = '';

  /** The version to resume from; `''` if everything must be read again. */
  get version(): string {
    return this.#current;
  }

  moveTo(version: string): void {
    this.#current = version;
  }

  /** Drops the version to resume from, but keeps it for comparisons within the same history. */
  forget(): void {
    if (this.#current !== '') this.#seen = this.#current;
    this.#current = '';
  }

  reset(): void {
    this.#current = '';
    this.#seen = '';
  }

  /** Compares `version`, of the server's newest state, with the last one seen; undefined if they can't be compared. */
  compare(version: string): 'earlier' | 'reached' | undefined {
    const order = ResourceVersion.compare(version, this.#current === '' ? this.#seen : this.#current);
    if (order === undefined) return undefined;
    return order < 0 ? 'earlier' : 'reached';
  }
}
