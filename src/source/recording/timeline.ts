/**
 * Any moment of a recording, with what led to it: a moment that lies a while before it, and each change since, so that who
 * looks at the moment has seen them come.
 */
import type { Change, SourceBatch, TypeStatus } from '../../model/exchange/changes.ts';
import type { Passage, TimedBatch, Timeline } from '../source.ts';
import type { RecordedNews, RecordedState, RecordingFile } from './reader.ts';

/** So many changes before a moment are told with it, at most as many again as one block of the file has. */
const LEADING_CHANGES = 1_000;

export class RecordedTimeline implements Timeline {
  readonly #recording: RecordingFile;
  #moment: number;
  /** What was known at that moment; undefined until somebody moves. */
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

  /** Not before everything had been listed: what was there already would look as if it came then. */
  #leadingTo(moment: number): number {
    this.#listedAt ??= this.#recording.listedAt();
    if (moment <= this.#listedAt) return moment;
    return Math.max(this.#listedAt, this.#recording.momentBefore(moment, LEADING_CHANGES));
  }
}

/** Everything at once, as from a source that has read it all. */
export function batchOf(state: RecordedState): SourceBatch {
  return {
    ...asTold(state.surroundings),
    changes: state.objects().map(object => ({ op: 'upsert', object })),
  };
}

/** As a source delivers it. */
export function timedBatch({ at, news }: RecordedNews): TimedBatch {
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

/** Of what was left out of a recording: nobody can look now. */
const NOT_RECORDED = 'not recorded';

/** What was still being read, or wasn't to be, cannot be read any more. */
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
