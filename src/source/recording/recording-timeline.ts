import type { Change, SourceBatch, TypeStatus } from '../../model/index.ts';
import type { Passage, TimedBatch, Timeline } from '../source.ts';
import type { RecordedNews, RecordedState, RecordingFile } from './reader.ts';

/** Minimum number of changes delivered before a moment; at most a block more. */
const LEADING_CHANGES = 1_000;

export class RecordedTimeline implements Timeline {
  readonly #recording: RecordingFile;
  #moment: number;
  /** The state at that moment; undefined until the first move. */
  #state: RecordedState | undefined;
  #listedAt: number | undefined;

  constructor(recording: RecordingFile, moment: number) {
    this.#recording = recording;
    this.#moment = moment;
  }

  get from(): number {
    return this.#recording.from;
  }

  get to(): number {
    return this.#recording.to;
  }

  get moment(): number {
    return this.#moment;
  }

  show(moment: number): Passage {
    const at = this.#leadingTo(moment);
    const state = this.#recording.stateAt(at);
    const batch = batchOf(state);
    return { at, batch, news: this.#proceed(state, at, moment) };
  }

  proceed(moment: number): readonly TimedBatch[] | undefined {
    const state = this.#state;
    if (state === undefined || moment < this.#moment) return undefined;
    if (this.#recording.changesBetween(this.#moment, moment) > LEADING_CHANGES) return undefined;
    return this.#proceed(state, this.#moment, moment);
  }

  neighbour(direction: 1 | -1): number | undefined {
    return this.#recording.changeBeside(this.#moment, direction);
  }

  deletions(): Iterable<readonly number[]> {
    return this.#recording.deletions();
  }

  #proceed(state: RecordedState, from: number, to: number): readonly TimedBatch[] {
    const batches: TimedBatch[] = [];
    this.#recording.proceed(state, from, to, news => batches.push(timedBatch(news)));
    this.#state = state;
    this.#moment = to;
    return batches;
  }

  /** Starts after the first complete listing: earlier, existing objects would look new. */
  #leadingTo(moment: number): number {
    this.#listedAt ??= this.#recording.listedAt();
    if (moment <= this.#listedAt) return moment;
    return Math.max(this.#listedAt, this.#recording.momentBefore(moment, LEADING_CHANGES));
  }
}

function batchOf(state: RecordedState): SourceBatch {
  return {
    ...asTold(state.surroundings),
    changes: state.objects().map(object => ({ op: 'upsert', object })),
  };
}

function timedBatch({ at, news }: RecordedNews): TimedBatch {
  if ('around' in news) return { at, batch: { ...asTold(news.around), changes: [] } };
  const { before, after, version, unseen } = news;
  if (after !== undefined) return { at, batch: { changes: [{ op: 'upsert', object: after }] } };
  if (before === undefined) return { at, batch: { changes: [] } };
  const gone: Change = {
    op: 'delete',
    uid: before.uid,
    type: before.type,
    ...(version !== undefined && { resourceVersion: version }),
    ...(unseen && { unseen }),
  };
  return { at, batch: { changes: [gone] } };
}

function asTold({ statuses, ...around }: Omit<SourceBatch, 'changes'>): Omit<SourceBatch, 'changes'> {
  return statuses === undefined ? around : { ...around, statuses: statuses.map(asRecorded) };
}

/** Reason for kinds left out of a recording. */
const NOT_RECORDED = 'not recorded';

/** Marks unread kinds as blind: they can no longer be read. */
function asRecorded(status: TypeStatus): TypeStatus {
  const { state, namespaces, reason = NOT_RECORDED, ...rest } = status;
  if (state === 'unread') return { ...rest, state: 'blind', reason };
  if (namespaces === undefined)
    return state === 'listing' ? { ...rest, state: 'blind', reason: 'not listed yet' } : status;
  if (state === 'listing' && namespaces.length === 0)
    return { ...rest, state: 'blind', reason: 'not listed yet' };
  return state === 'listing' || state === 'synced'
    ? { ...rest, state: 'synced', reason, namespaces }
    : status;
}

export const recordedBatches = { of: batchOf, timed: timedBatch };
