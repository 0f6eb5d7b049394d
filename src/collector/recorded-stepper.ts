/**
 * Steps through what was recorded of a cluster, one change to an object after the other, forward and back. What the
 * collector holds is inferred from the objects, and so is what a change gives it to do. A step back makes the view anew from
 * what was known a while before, which is a bounded number of changes.
 */
import { ClusterView } from '../graph/cluster-view.ts';
import type { GraphEvent } from '../graph/node.ts';
import { identityOfObject } from '../graph/ownership-node.ts';
import type { Change, SourceBatch } from '../model/exchange/changes.ts';
import type { KubeObject } from '../model/object.ts';
import type { TypeCatalog } from '../model/types/type-catalog.ts';
import { compareAround } from './event-branches.ts';
import { InferredCollector } from './inferred.ts';
import type { CollectorState } from './state.ts';
import type { CollectorStep } from './step.ts';

/** A change to an object, and what else was known of the cluster when it came. */
export interface RecordedChange {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Undefined where it came to be known. */
  readonly before: KubeObject | undefined;
  /** Undefined where it was deleted. */
  readonly after: KubeObject | undefined;
  readonly around: Omit<SourceBatch, 'changes'>;
}

/** What was recorded, by its moments in milliseconds since the epoch. */
export interface RecordedHistory {
  readonly from: number;
  readonly to: number;
  readonly serverVersion: string | undefined;
  /** Everything that was known at a moment. */
  stateAt(moment: number): SourceBatch;
  /** What changed after the first moment and until the second, in order. */
  changes(after: number, until: number): readonly RecordedChange[];
}

/** Milliseconds that are read at a time; twice as many after some in which nothing changed. */
const WINDOW = 1_000;

/** What was read at a time. */
interface Stretch {
  /** How many steps lie before it. */
  readonly count: number;
  readonly from: number;
  readonly until: number;
}

export class RecordedStepper {
  readonly #history: RecordedHistory;
  #view: ClusterView;
  #collector: InferredCollector;
  /** As the view knows it. */
  #around: RecordedChange['around'] = {};
  /** What changed after `#from` and until `#until`; the view has taken `#taken` of it. */
  #changes: readonly RecordedChange[] = [];
  #from: number;
  #until: number;
  #taken = 0;
  #count = 0;
  #steps: CollectorStep[] = [];
  #ended = false;
  /** Those that were read on the way here. */
  readonly #stretches: Stretch[] = [];

  /** At a moment of the history, before whatever comes after it. */
  constructor(history: RecordedHistory, moment: number = history.from) {
    this.#history = history;
    this.#from = moment;
    this.#until = moment;
    [this.#view, this.#collector] = this.#viewAt(moment);
  }

  get view(): ClusterView {
    return this.#view;
  }

  /** That of the last change, or where stepping began. */
  get moment(): number {
    return this.#changes[this.#taken - 1]?.at ?? this.#from;
  }

  get state(): CollectorState {
    return this.#collector.state(this.moment);
  }

  get catalog(): TypeCatalog {
    return this.#view.catalog;
  }

  /** The last two that were taken, the last one last; none at the beginning, and after going back by one. */
  get steps(): readonly CollectorStep[] {
    return this.#steps;
  }

  /** How many lie between where stepping began and here; below 0 before that. */
  get count(): number {
    return this.#count;
  }

  /** Nothing was recorded after this. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Takes the next change; undefined at the end. Steps are numbered from 1 where stepping began, backwards below that. */
  next(): CollectorStep | undefined {
    while (this.#taken === this.#changes.length)
      if (!this.#readOn()) {
        this.#ended = true;
        return undefined;
      }
    const change = this.#changes[this.#taken];
    if (change === undefined) return undefined;
    this.#taken += 1;
    this.#count += 1;
    const step = this.#take(change);
    this.#steps = [...this.#steps.slice(-1), step];
    return step;
  }

  /** Goes on until a step that is waited for was taken, and returns it; undefined where the end came first. */
  runTo(breakpoint: (step: CollectorStep) => boolean): CollectorStep | undefined {
    for (;;) {
      const step = this.next();
      if (step === undefined || breakpoint(step)) return step;
    }
  }

  /** To where the last change hadn't come yet. False at the beginning. */
  back(): boolean {
    while (this.#taken === 0) if (!this.#readBefore()) return false;
    this.#taken -= 1;
    this.#count -= 1;
    this.#steps = [];
    // The moment is that of the change before.
    if (this.#taken === 0) this.#readBefore();
    this.#makeAnew();
    return true;
  }

  /** To where so many steps were taken, which must have been so before; the one that led there is the last one again. */
  goTo(count: number): void {
    const stretch = this.#stretches.findLast(each => each.count < Math.max(1, count));
    if (stretch === undefined || count >= this.#count) return;
    const { from, until } = stretch;
    [this.#changes, this.#from, this.#until] = [this.#history.changes(from, until), from, until];
    this.#taken = Math.max(0, Math.min(this.#changes.length, count - stretch.count - 1));
    this.#count = stretch.count + this.#taken;
    this.#steps = [];
    this.#stretches.splice(this.#stretches.indexOf(stretch) + 1);
    this.#makeAnew();
    while (this.#count < count && this.next() !== undefined);
  }

  #makeAnew(): void {
    this.#ended = false;
    [this.#view, this.#collector] = this.#viewAt(this.#from);
    for (const change of this.#changes.slice(0, this.#taken)) {
      const changes = this.#view.apply(this.#batchOf(change), change.at);
      this.#forget();
      this.#collector.take(changes);
    }
  }

  /** Reads what comes after what was read; false where nothing does. */
  #readOn(): boolean {
    const { to } = this.#history;
    let window = WINDOW;
    let until = this.#until;
    while (until < to) {
      const from = until;
      until = Math.min(to, from + window);
      window *= 2;
      const changes = this.#history.changes(from, until);
      if (changes.length === 0) continue;
      // What has been taken is behind: going back reads it again.
      this.#enter(changes, { count: this.#count, from, until }, 0);
      return true;
    }
    return false;
  }

  #readBefore(): boolean {
    const first = this.#history.from;
    let window = WINDOW;
    let from = this.#from;
    while (from > first) {
      const until = from;
      from = Math.max(first, until - window);
      window *= 2;
      const changes = this.#history.changes(from, until);
      if (changes.length === 0) continue;
      this.#enter(changes, { count: this.#count - changes.length, from, until }, changes.length);
      return true;
    }
    return false;
  }

  #enter(changes: readonly RecordedChange[], stretch: Stretch, taken: number): void {
    const { count, from, until } = stretch;
    [this.#changes, this.#from, this.#until, this.#taken] = [changes, from, until, taken];
    while ((this.#stretches.at(-1)?.count ?? Number.NEGATIVE_INFINITY) >= count) this.#stretches.pop();
    this.#stretches.push(stretch);
  }

  #viewAt(moment: number): [ClusterView, InferredCollector] {
    const view = new ClusterView();
    view.settings = {
      serverVersion: this.#history.serverVersion,
      terminatedPodGcThreshold: undefined,
      standsStill: true,
    };
    const batch = this.#history.stateAt(moment);
    this.#around = batch;
    view.apply(batch, moment);
    return [view, new InferredCollector(view)];
  }

  #take(change: RecordedChange): CollectorStep {
    const { at, before, after } = change;
    const event = eventOf(before, after);
    const branches = event === undefined ? undefined : compareAround(this.#view.graph, event);
    const changes = this.#view.apply(this.#batchOf(change), at);
    this.#forget();
    const queued = this.#collector.take(changes);
    const object = after ?? before;
    return {
      n: this.#count,
      at,
      actor: 'garbage-collector',
      knowledge: 'inferred',
      work:
        object === undefined
          ? { of: 'task', name: 'nothing' }
          : {
              of: 'event',
              event: after === undefined ? 'deleted' : before === undefined ? 'added' : 'updated',
              object: identityOfObject(object),
            },
      branches: branches?.() ?? [],
      lookUps: [],
      requests: [],
      queued,
      warnings: [],
    };
  }

  /** What a view remembers of what is gone would depend on where it was made. */
  #forget(): void {
    this.#view.graph.absent.clear();
  }

  #batchOf({ before, after, around }: RecordedChange): SourceBatch {
    const known = this.#around;
    this.#around = around;
    const { types, failedGroups, ...others } = around;
    return {
      ...others,
      ...(types !== undefined && !isSame(types, known.types) && { types }),
      ...(failedGroups !== undefined && !isSame(failedGroups, known.failedGroups) && { failedGroups }),
      changes: changesOf(before, after),
    };
  }
}

/** Of the same things: each is there once, however often it is told. */
function isSame(list: readonly unknown[], other: readonly unknown[] = []): boolean {
  return list.length === other.length && list.every((each, index) => each === other[index]);
}

function eventOf(before: KubeObject | undefined, after: KubeObject | undefined): GraphEvent | undefined {
  if (after !== undefined) return { op: 'upsert', object: after, old: before };
  return before && { op: 'delete', object: before };
}

function changesOf(before: KubeObject | undefined, after: KubeObject | undefined): readonly Change[] {
  if (after !== undefined) return [{ op: 'upsert', object: after }];
  return before === undefined ? [] : [{ op: 'delete', uid: before.uid, type: before.type }];
}
