/**
 * Steps through a recorded cluster, one object change at a time, forward and back. The collector's state is inferred
 * from the objects. A step back rebuilds the view from an earlier state, within a bounded number of changes.
 */
import { ClusterView, type GraphEvent, identityOfObject } from '../graph/index.ts';
import type { Change, KubeObject, SourceBatch, TypeCatalog } from '../model/index.ts';
import type { CollectorState } from './collector-state.ts';
import { compareAround } from './event-branches.ts';
import { InferredCollector } from './inferred-collector.ts';
import type { CollectorStep } from './observed-step.ts';

/** A change to an object with the state of the cluster around it. */
export interface RecordedChange {
  readonly at: number;
  /** Undefined for a new object. */
  readonly before: KubeObject | undefined;
  /** Undefined for a deletion. */
  readonly after: KubeObject | undefined;
  readonly around: Omit<SourceBatch, 'changes'>;
}

export interface RecordedHistory {
  readonly from: number;
  readonly to: number;
  readonly serverVersion: string | undefined;
  stateAt(moment: number): SourceBatch;
  /** Returns changes after the first moment up to and including the second, in order. */
  changes(after: number, until: number): readonly RecordedChange[];
}

/** Milliseconds read at a time, doubled after each empty window. */
const WINDOW = 1_000;

interface Stretch {
  readonly count: number;
  readonly from: number;
  readonly until: number;
}

export class RecordedStepper {
  readonly #history: RecordedHistory;
  #view: ClusterView;
  #collector: InferredCollector;
  #around: RecordedChange['around'] = {};
  /** Changes after `#from` up to `#until`; the view has applied `#taken` of them. */
  #changes: readonly RecordedChange[] = [];
  #from: number;
  #until: number;
  #taken = 0;
  #count = 0;
  #steps: CollectorStep[] = [];
  #ended = false;
  readonly #stretches: Stretch[] = [];

  /** Starts at a moment, before all later changes. */
  constructor(history: RecordedHistory, moment: number = history.from) {
    this.#history = history;
    this.#from = moment;
    this.#until = moment;
    [this.#view, this.#collector] = this.#viewAt(moment);
  }

  get view(): ClusterView {
    return this.#view;
  }

  /** Time of the last change, or of the start. */
  get moment(): number {
    return this.#changes[this.#taken - 1]?.at ?? this.#from;
  }

  get state(): CollectorState {
    return this.#collector.state(this.moment);
  }

  get catalog(): TypeCatalog {
    return this.#view.catalog;
  }

  get steps(): readonly CollectorStep[] {
    return this.#steps;
  }

  /** Steps from the start to here; negative before it. */
  get count(): number {
    return this.#count;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Takes the next change; undefined at the end. Steps count from 1 at the start, and backwards before it. */
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

  /** Runs until a step meets the breakpoint; undefined at the end. */
  runTo(breakpoint: (step: CollectorStep) => boolean): CollectorStep | undefined {
    for (;;) {
      const step = this.next();
      if (step === undefined || breakpoint(step)) return step;
    }
  }

  back(): boolean {
    while (this.#taken === 0) if (!this.#readBefore()) return false;
    this.#taken -= 1;
    this.#count -= 1;
    this.#steps = [];
    // The preceding change determines the moment.
    if (this.#taken === 0) this.#readBefore();
    this.#makeAnew();
    return true;
  }

  /** Returns to an earlier step count, with the step that led there as the last one. */
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
      // Applied changes are dropped; going back reads them again.
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
    const queued = this.#collector.queuedBy(changes);
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

  /** Clears the view's memory of absent objects, which would depend on the moment at which the view was built. */
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
