/** Keeps in a folder what happened in the cluster that `serve` follows, and judges it as `activity` does. */
import { setImmediate } from 'node:timers/promises';
import { Activity, type ActivityEntry } from '../../../activity/index.ts';
import { ClusterView } from '../../../graph/index.ts';
import { type Change, type KubeObject, ResourceType, type SourceBatch } from '../../../model/index.ts';
import { RecordingFile, type RecordingHead, recordedBatches, SourceError } from '../../../source/index.ts';
import type { HistoryState } from '../http/metrics.ts';
import { FrequentStates } from './frequent-states.ts';
import type { HistoryFolder } from './history-folder.ts';
import { Requests, type ServedRequest } from './requests.ts';

/** Maximum number of entries in memory; files may hold more. */
const MOST_ENTRIES = 10_000;
/** A start isn't ready while it reads these, for some seconds. */
const MOST_RESTORED = 100_000;
const FLUSH_MILLISECONDS = 200;
/** Other work gets a turn after this much of a recording was read. */
const STRETCH_MILLISECONDS = 600_000;

export interface HistoryOptions {
  readonly folder: HistoryFolder;
  readonly retention: number;
  readonly head: () => Omit<RecordingHead, 'startedAt'>;
  /** Milliseconds since the epoch, by the API server's clock. */
  readonly now: () => number;
  readonly log: (line: string) => void;
  /** Maximum number of recorded changes that a start reads. */
  readonly mostRestored?: number;
}

export class History {
  readonly #options: HistoryOptions;
  readonly #requests = new Requests(MOST_ENTRIES);
  readonly #states = new FrequentStates();
  #activity: Activity | undefined;
  /** The view of the files until `begin`; then the followed one. */
  #view: ClusterView | undefined;
  #from: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isWritten = true;

  constructor(options: HistoryOptions) {
    this.#options = options;
  }

  /** The moment from which all that was followed is known, in milliseconds since the epoch. */
  get from(): number {
    const { now, retention } = this.#options;
    const kept = Math.max(this.#from ?? now(), now() - retention);
    if (this.#activity === undefined || this.#activity.forgotten === 0) return kept;
    return Math.max(kept, this.#activity.entries[0]?.at ?? kept);
  }

  /** Those that no later change can explain better, within the retention, oldest first. */
  get entries(): readonly ActivityEntry[] {
    const { now, retention } = this.#options;
    const oldest = now() - retention;
    const activity = this.#activity;
    return activity?.entries.filter(entry => entry.at >= oldest && activity.isSettled(entry)) ?? [];
  }

  get state(): HistoryState {
    return {
      bytes: this.#options.folder.bytes,
      entries: this.entries.length,
      isWritten: this.#isWritten,
    };
  }

  /** Reads the newest changes that earlier runs wrote. Files that can't be read are left out. */
  async restore(): Promise<void> {
    const { folder, now, mostRestored = MOST_RESTORED } = this.#options;
    folder.dropOld(now());
    const files: RecordingFile[] = [];
    let spare = mostRestored;
    try {
      for (const name of folder.files.toReversed()) {
        if (spare <= 0) break;
        try {
          const file = new RecordingFile(name);
          files.unshift(file);
          spare -= file.changesBetween(file.from, file.to);
        } catch (error) {
          this.#leaveOut(error);
          break;
        }
      }
      for (const file of files) {
        // Only the end of the oldest file is read.
        const unread = file === files[0] ? -Math.min(0, spare) : 0;
        const changes = file.changesBetween(file.from, file.to) - unread;
        await this.#restore(file, unread === 0 ? file.from : file.momentBefore(file.to, changes)).catch(
          (error: unknown) => this.#leaveOut(error),
        );
      }
    } finally {
      for (const file of files) file.close();
    }
  }

  /** Begins what is known without a gap after the file. */
  #leaveOut(error: unknown): void {
    if (!(error instanceof SourceError)) throw error;
    this.#from = undefined;
    this.#options.log(`a part of the history is left out: ${error.message}`);
  }

  /** Goes on with the followed view, once everything is listed: what differs happened while nothing was followed. */
  begin(view: ClusterView, now: number): void {
    const activity = this.#arrive(stateOf(view), now, view);
    activity.continueOn(view);
    this.#view = view;
    this.#from ??= now;
    this.#write(folder => folder.begin(this.#options.head(), stateOf(view), now));
    const flush = (): void => this.#write(folder => folder.flush(this.#options.now()));
    this.#timer = setInterval(flush, FLUSH_MILLISECONDS).unref();
  }

  /** Takes a request before it is carried out. */
  request(request: Omit<ServedRequest, 'at'>): void {
    this.#requests.wait({ ...request, at: this.#options.now() });
  }

  /** Returns requests that may have led to an entry, oldest first. */
  requestsFor(entry: ActivityEntry): readonly ServedRequest[] {
    return this.#requests.of(entry);
  }

  /** Takes a batch that arrived `at`, before the view does. */
  offer(batch: SourceBatch, at: number): void {
    for (const request of this.#requests.follow(batch.changes, at))
      this.#write(folder => folder.addRequest(request, at));
    const telling = this.#activity?.offer(batch.changes, at) ?? new Set();
    const changes = this.#states.admit(batch.changes, telling, at);
    this.#write(folder => folder.add({ ...batch, changes }, at));
  }

  /** Judges what was offered, after the view took it. */
  take(now: number): void {
    const view = this.#view;
    this.#activity?.take(now);
    this.#write(folder => {
      folder.dropOld(now);
      if (view !== undefined && folder.isDue(now)) {
        folder.begin(this.#options.head(), stateOf(view), now);
        this.#states.clear();
      } else folder.add({ changes: this.#states.due(now) }, now);
    });
  }

  end(now: number): void {
    clearInterval(this.#timer);
    this.#write(folder => {
      folder.add({ changes: this.#states.clear() }, now);
      folder.end(now);
    });
  }

  /** Answers continue without the files if they can't be written. */
  #write(use: (folder: HistoryFolder) => void): void {
    if (!this.#isWritten) return;
    try {
      use(this.#options.folder);
    } catch (error) {
      this.#isWritten = false;
      const why = error instanceof Error ? error.message : String(error);
      this.#options.log(`the history is no longer written: ${why}`);
    }
  }

  async #restore(file: RecordingFile, from: number): Promise<void> {
    const { to } = file;
    const state = file.stateAt(from);
    const batch = recordedBatches.of(state);
    const view = this.#view ?? new ClusterView();
    view.settings = { ...view.settings, serverVersion: file.head.serverVersion };
    const activity = this.#arrive(batch, from, view);
    this.#view = view;
    this.#from ??= from;
    for (let at = from; at < to; ) {
      const until = Math.min(to, at + STRETCH_MILLISECONDS);
      let latest = at;
      file.proceed(
        state,
        at,
        until,
        news => {
          // Changes that arrived together are judged together.
          if (news.at > latest) activity.take(latest);
          latest = news.at;
          const timed = recordedBatches.timed(news);
          activity.offer(timed.batch.changes, timed.at);
          view.apply(timed.batch, timed.at);
        },
        request => this.#requests.keep(request),
      );
      activity.take(until);
      at = until;
      await setImmediate();
    }
  }

  /** Takes a complete state: what it lacks is gone, if its kind was listed. `view`: has the state, if nothing was known. */
  #arrive(state: SourceBatch, at: number, view: ClusterView): Activity {
    const before = this.#view;
    if (this.#activity === undefined || before === undefined) {
      if (view.graph.size === 0) view.apply(state, at);
      this.#activity = new Activity(view, { most: MOST_ENTRIES });
      this.#activity.begin(view.followedUntil(at));
      return this.#activity;
    }
    const { gone, unknown } = missing(before, state);
    const changes = [...gone, ...state.changes];
    this.#activity.offer(changes, at);
    before.apply({ ...state, changes: [...unknown, ...changes] }, at);
    this.#activity.take(at);
    return this.#activity;
  }
}

/** Finds objects that a later state lacks: `unknown` ones may still exist. */
function missing(
  view: ClusterView,
  state: SourceBatch,
): { readonly gone: Change[]; readonly unknown: Change[] } {
  const there = new Set(state.changes.flatMap(change => (change.op === 'upsert' ? [change.object.uid] : [])));
  const statuses = new Map((state.statuses ?? []).map(each => [ResourceType.groupResource(each.type), each]));
  const isListed = ({ type, namespace }: KubeObject): boolean => {
    const status = statuses.get(ResourceType.groupResource(type));
    if (status?.state !== 'synced' || status.piecemeal === true) return false;
    return status.namespaces === undefined || status.namespaces.includes(namespace);
  };
  const gone: Change[] = [];
  const unknown: Change[] = [];
  for (const { object } of view.graph.nodes()) {
    if (object === undefined || there.has(object.uid)) continue;
    const { uid, type } = object;
    (isListed(object) ? gone : unknown).push({ op: 'delete', uid, type });
  }
  return { gone, unknown };
}

function stateOf({ catalog, failedGroups, statuses, connection, graph }: ClusterView): SourceBatch {
  const changes: Change[] = [];
  for (const { object } of graph.nodes()) if (object !== undefined) changes.push({ op: 'upsert', object });
  return { types: catalog.types, failedGroups, statuses: [...statuses.values()], connection, changes };
}
