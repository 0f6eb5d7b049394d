/** One reading of everything of a type, by a list or by a WatchList. The reflector decides when, and from which version. */
import type { KubeObject } from '../../model/object.ts';
import type { Timing } from '../timing.ts';
import type { WatchEvent } from '../wire/watch-stream.ts';
import { ApiFailure, failureOfEvent } from './failure.ts';
import type { Gate } from './gate.ts';
import type { Depth, Requests } from './requests.ts';
import type { ObjectStore, StoreList } from './store.ts';

export interface LoadOptions {
  readonly requests: Requests;
  readonly store: ObjectStore;
  /** Undefined for the whole cluster. */
  readonly namespace: string | undefined;
  readonly rank: number;
  /** The list waits for it. */
  readonly after: Promise<void> | undefined;
  readonly gate: Gate;
  readonly timing: Timing;
  readonly signal: AbortSignal;
}

export interface Load {
  readonly depth: Depth;
  /** Everything was known before, so that this is a comparison. */
  readonly defer: boolean;
  /** Nothing came for long. */
  readonly noAnswer: () => void;
}

export interface ListLoad extends Load {
  /** At least as new as this; undefined for the newest state. */
  readonly resourceVersion: string | undefined;
}

export interface WatchListLoad extends Load {
  readonly timeoutSeconds: string;
  /** Everything is there, as of this version; from here on it is a watch. */
  readonly loaded: (version: string) => void;
  /** What happens afterwards. */
  readonly event: (event: WatchEvent) => void;
}

/** A WatchList whose initial events neither go on nor end comes from a server that ignores the option. */
const NO_INITIAL_END_MS = 10_000;

export class Loader {
  readonly #options: LoadOptions;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** Resolves with the list's version. Rejects as `Requests.list` does. */
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

  /**
   * WatchList: all objects as events, a bookmark that ends them, then whatever happens until the server ends the stream.
   * Resolves with false where the server doesn't know it. Rejects as `Requests.watch` does.
   */
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

/** Servers before 1.32, and those with the feature off, find the options invalid. */
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

/** A kind that hasn't answered for so long no longer keeps others from being listed (a slow webhook may) … */
const SLOW_MS = 3_000;
/** … and where nothing came for so long, at its beginning or in its middle, it counts as blind until it ends. */
const NO_ANSWER_MS = 10_000;

/**
 * `progress` is to be called when something arrived, `stop` when the list is over, one way or the other. `slow` isn't
 * called once `progress` was, and neither of them once `stop` was.
 */
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
