/** Reads a type once, by a list or by a WatchList, which continues as the watch. */
import type { KubeObject } from '../../model/index.ts';
import type { Timing } from '../transport/timing.ts';
import type { WatchEvent } from '../wire/watch-stream.ts';
import { ApiFailure, failureOfEvent } from './api-failure.ts';
import type { CollectionRequests, Depth } from './collection-requests.ts';
import type { Gate } from './gate.ts';
import type { ObjectStore, StoreList } from './object-store.ts';

export interface LoadOptions {
  readonly requests: CollectionRequests;
  readonly store: ObjectStore;
  readonly namespace: string | undefined;
  readonly rank: number;
  readonly after: Promise<void> | undefined;
  readonly gate: Gate;
  readonly timing: Timing;
  readonly signal: AbortSignal;
}

export interface Load {
  readonly depth: Depth;
  /** Everything was read before, so this read is compared with it. */
  readonly defer: boolean;
  readonly noAnswer: () => void;
}

export interface ListLoad extends Load {
  /** The oldest version accepted; undefined for the newest state. */
  readonly resourceVersion: string | undefined;
}

export interface WatchListLoad extends Load {
  readonly timeoutSeconds: string;
  /** Called when everything has arrived, as of this version; the stream continues as a watch. */
  readonly loaded: (version: string) => void;
  readonly event: (event: WatchEvent) => void;
}

/** If a WatchList's initial events neither continue nor end, the server ignores the option. */
const NO_INITIAL_END_MS = 10_000;

export class Loader {
  readonly #options: LoadOptions;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** Resolves with the list's version. Rejects as `CollectionRequests.list` does. */
  async list({ depth, resourceVersion, defer, noAnswer }: ListLoad): Promise<string> {
    const { requests, store, namespace, gate, rank, after, signal, timing } = this.#options;
    if (after !== undefined) await Promise.race([after, aborted(signal)]);
    const leave = await gate.enter(rank);
    const patience = startPatience(timing, leave, noAnswer);
    try {
      const list = store.beginList(namespace, defer);
      const begun = (version: string): void => list.begin(version);
      const item = (object: KubeObject): void => {
        patience.progress();
        list.add(object);
      };
      const version = await requests.list({ depth, resourceVersion, item, begun });
      list.begin(version);
      list.end();
      return version;
    } finally {
      patience.stop();
      leave();
    }
  }

  /** Resolves when the stream ends, with false if WatchList isn't supported. Rejects as `CollectionRequests.watch` does. */
  async watchList({
    depth,
    defer,
    noAnswer,
    timeoutSeconds,
    loaded,
    event,
  }: WatchListLoad): Promise<boolean> {
    const { requests, store, namespace, gate, rank, timing } = this.#options;
    const leave = await gate.enter(rank);
    const patience = startPatience(timing, leave, noAnswer);
    const ended = new AbortController();
    const ignored = new AbortController();
    let list: StoreList | undefined = store.beginList(namespace, defer);
    let events = 0;
    void repeatUntil(ended.signal, async () => {
      const before = events;
      await timing.sleep(NO_INITIAL_END_MS, ended.signal);
      if (before === events && events > 0 && !ended.signal.aborted) ignored.abort();
    });
    const take = (next: WatchEvent): void => {
      events++;
      patience.progress();
      if (list === undefined) event(next);
      else if (next.type === 'DELETED') list.remove(next.object.uid);
      else if (next.type === 'ERROR') throw failureOfEvent(next.status);
      else if (next.type !== 'BOOKMARK') list.add(next.object);
      else if (next.initial) {
        list.end();
        list = undefined;
        ended.abort();
        leave();
        loaded(next.resourceVersion);
      }
    };
    try {
      const initial = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' };
      const query = new URLSearchParams({ ...initial, timeoutSeconds });
      await requests.watch({ depth, query, event: take, signal: ignored.signal });
    } catch (error) {
      if (list === undefined || !(ignored.signal.aborted || refusesWatchList(error))) throw error;
      return false;
    } finally {
      ended.abort();
      patience.stop();
      leave();
    }
    if (list !== undefined) throw new Error('the initial events broke off');
    return true;
  }
}

/** Servers before 1.32, and those with the feature off, reject the options as invalid. */
function refusesWatchList(error: unknown): boolean {
  return error instanceof ApiFailure && (error.code === 400 || error.code === 422);
}

async function repeatUntil(signal: AbortSignal, turn: () => Promise<void>): Promise<void> {
  while (!signal.aborted) await turn();
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** After this time without an answer, other kinds may be listed too (a slow webhook may be the cause). */
const SLOW_MS = 3_000;
/** After this time without any data, at the start or later, the kind counts as blind until the read ends. */
const NO_ANSWER_MS = 10_000;

/** Calls `slow` unless `progress` was called, and `noAnswer` when progress ends; neither after `stop`. */
function startPatience(timing: Timing, slow: () => void, noAnswer: () => void) {
  const done = new AbortController();
  let arrived = 0;
  const wait = async (): Promise<void> => {
    await timing.sleep(SLOW_MS, done.signal);
    if (done.signal.aborted) return;
    if (arrived === 0) slow();
    let before = 0;
    let limit = NO_ANSWER_MS - SLOW_MS;
    for (;;) {
      await timing.sleep(limit, done.signal);
      if (done.signal.aborted) return;
      if (arrived === before) return noAnswer();
      before = arrived;
      limit = NO_ANSWER_MS;
    }
  };
  void wait();
  return {
    progress: () => {
      arrived++;
    },
    stop: () => done.abort(),
  };
}
