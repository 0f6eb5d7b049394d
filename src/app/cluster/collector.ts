/** Keeps the Collector view's rows while it is shown. A real collector's state is inferred from the objects. */

import {
  type CollectorState,
  type CollectorStep,
  compareAround,
  InferredCollector,
} from '../../collector/index.ts';
import {
  type ClusterView,
  type GraphEvent,
  type Identity,
  identityOfObject,
  type ViewChanges,
} from '../../graph/index.ts';
import type { Change, KubeObject } from '../../model/index.ts';
import { type PartItem, partWords } from '../../text/index.ts';
import { type Group, type GroupedRow, GroupedRows } from './grouped-rows.ts';

export type CollectorPart = string;

export interface CollectorHead {
  readonly part: CollectorPart;
  readonly state: CollectorState;
}

export type CollectorItem = PartItem;

export type CollectorRow = GroupedRow<CollectorHead, CollectorItem>;

const MOST_STEPS = 100;

export class CollectorWatch {
  readonly rows: GroupedRows<CollectorHead, CollectorItem>;
  readonly #view: ClusterView;
  #inferred: InferredCollector | undefined;
  /** State reported by a simulated collector. */
  #told: CollectorState | undefined;
  #state: CollectorState | undefined;
  #due: ReturnType<InferredCollector['due']> = [];
  #waiting: readonly Identity[] = [];
  #scope: string | undefined;
  #terms: readonly string[] = [];
  #steps: CollectorStep[] = [];
  #counted = 0;
  #latestFirst = false;
  #offered: (() => CollectorStep)[] = [];

  constructor(view: ClusterView, scope: string | undefined) {
    this.#view = view;
    this.#scope = scope;
    this.rows = new GroupedRows({
      groups: terms => {
        this.#terms = terms;
        return this.#groups();
      },
      keyOf: item => `item ${partWords.itemTitle(item)}`,
    });
  }

  get state(): CollectorState | undefined {
    return this.#state;
  }

  get following(): boolean {
    return this.#inferred !== undefined;
  }

  get behind(): boolean {
    return this.#inferred?.behind === true;
  }

  /**
   * Reads everything as of `now` and follows it. `latestFirst`: for stepping. `inParts`: reading is left to `lookMore`,
   * and there are no rows until it is done.
   */
  begin(now: number, { latestFirst = false, inParts = false } = {}): void {
    this.#latestFirst = latestFirst;
    this.#inferred = new InferredCollector(this.#view, { inParts });
    this.#renew(now);
  }

  /** Reads `count` of the remaining objects; returns false once the rows may have changed. */
  lookMore(count: number, now: number): boolean {
    if (this.#inferred?.lookMore(count) === true) return true;
    this.#renew(now);
    return false;
  }

  /** Stops following and drops recent changes, which would have a gap. */
  end(): void {
    this.#inferred = undefined;
    this.#offered = [];
    this.#steps = [];
  }

  setScope(scope: string | undefined): void {
    this.#scope = scope;
    this.rows.invalidate();
  }

  /** Replaces the inferred state with a simulated collector's. */
  tell(state: CollectorState): void {
    this.#told = state;
    if (this.#inferred !== undefined) this.#renew(state.at);
  }

  /** Reads changes before the view applies them, as of `at`. */
  offer(changes: readonly Change[], at: number): void {
    if (this.#inferred === undefined) return;
    // Changes are compared with the state before all of them, so only an object's last one counts.
    const last = new Map(changes.map(each => [each.op === 'upsert' ? each.object.uid : each.uid, each]));
    for (const change of [...last.values()].slice(-MOST_STEPS)) {
      // The collector doesn't notice this (docs/kubernetes.md §5).
      if (change.op === 'delete' && change.unseen === true) continue;
      const before = this.#view.graph.get(change.op === 'upsert' ? change.object.uid : change.uid)?.object;
      const after = change.op === 'upsert' ? change.object : undefined;
      const event = eventOf(before, after);
      const object = after ?? before;
      if (event === undefined || object === undefined) continue;
      const branches = compareAround(this.#view.graph, event);
      this.#offered.push(() => stepOf({ before, after, object, at, branches: branches() }));
    }
  }

  take(changes: ViewChanges, now: number): void {
    const steps = this.#offered.splice(0).map(step => step());
    this.#inferred?.take(changes);
    const telling = steps.filter(({ branches }) => branches.some(each => each !== 'NothingChanged'));
    for (const step of telling) {
      this.#counted += 1;
      this.#steps.push({ ...step, n: this.#counted });
    }
    this.#steps = this.#steps.slice(-MOST_STEPS);
    if (this.#inferred !== undefined) this.#renew(now);
  }

  #renew(now: number): void {
    const inferred = this.#inferred;
    if (inferred === undefined || (this.#told === undefined && !inferred.complete)) return;
    this.#state = this.#told ?? inferred.state(now);
    this.#due = this.#told === undefined ? inferred.due() : [];
    this.#waiting = inferred.waiting();
    this.rows.invalidate();
  }

  *#groups(): Iterable<Group<CollectorHead, CollectorItem>> {
    const state = this.#state;
    if (state === undefined) return;
    const { queues, acting, virtualNodes, absentOwners, monitors, undiscovered } = state;
    const steps = this.#steps.toReversed().map((step): CollectorItem => ({ of: 'step', step }));
    const latest = this.#group(state, 'latest', steps);
    if (this.#latestFirst) yield latest;
    const objects = (identities: readonly Identity[]): CollectorItem[] =>
      identities.map(object => ({ of: 'object', object }));
    // The queues of a real collector can't be seen, only what its decisions would change.
    if (state.knowledge === 'inferred')
      yield this.#group(
        state,
        'due',
        this.#due.map(each => ({ of: 'due', ...each })),
      );
    else
      for (const { name, items, backingOff } of queues)
        yield this.#group(
          state,
          name,
          [...items, ...backingOff].map(item => ({ of: 'queued', item })),
        );
    if (acting.length > 0) yield this.#group(state, 'acting', objects(acting));
    yield this.#group(state, 'waiting', objects(this.#waiting));
    yield this.#group(
      state,
      'virtual',
      virtualNodes.map(each => ({ of: 'object', ...each })),
    );
    if (absentOwners !== undefined) yield this.#group(state, 'absent', objects(absentOwners.owners));
    yield this.#group(state, 'monitors', [
      ...undiscovered.map((groupVersion): CollectorItem => ({ of: 'undiscovered', groupVersion })),
      ...monitors
        .toSorted((a, b) => Number(a.state === 'synced') - Number(b.state === 'synced'))
        .map((monitor): CollectorItem => ({ of: 'monitor', monitor })),
    ]);
    if (!this.#latestFirst) yield latest;
  }

  #group(
    state: CollectorState,
    part: CollectorPart,
    items: readonly CollectorItem[],
  ): Group<CollectorHead, CollectorItem> {
    const shown = items.filter(item => this.#isShown(item));
    // If all kinds are followed as they should be, their number is enough.
    const folded = part === 'monitors' && this.#terms.length === 0 && !shown.some(isTrouble);
    return { id: part, head: { part, state }, folded, items: shown };
  }

  #isShown(item: CollectorItem): boolean {
    const object = objectOf(item);
    if (this.#scope !== undefined && object !== undefined && object.namespace !== '')
      if (object.namespace !== this.#scope) return false;
    if (this.#terms.length === 0) return true;
    const title = partWords.itemTitle(item).toLowerCase();
    return this.#terms.every(term => title.includes(term));
  }
}

export function objectOf(item: CollectorItem): Identity | undefined {
  switch (item.of) {
    case 'queued':
      return item.item.object;
    case 'due':
    case 'object':
      return item.object;
    case 'step':
      return 'object' in item.step.work ? item.step.work.object : undefined;
    case 'monitor':
    case 'undiscovered':
      return undefined;
  }
}

function isTrouble(item: CollectorItem): boolean {
  return item.of === 'undiscovered' || (item.of === 'monitor' && item.monitor.state !== 'synced');
}

function eventOf(before: KubeObject | undefined, after: KubeObject | undefined): GraphEvent | undefined {
  if (after !== undefined) return { op: 'upsert', object: after, old: before };
  return before && { op: 'delete', object: before };
}

interface Seen {
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
  readonly object: KubeObject;
  readonly at: number;
  readonly branches: CollectorStep['branches'];
}

function stepOf({ before, after, object, at, branches }: Seen): CollectorStep {
  const event = after === undefined ? 'deleted' : before === undefined ? 'added' : 'updated';
  return {
    n: 0,
    at,
    actor: 'garbage-collector',
    knowledge: 'inferred',
    work: { of: 'event', event, object: identityOfObject(object) },
    branches,
    lookUps: [],
    requests: [],
    queued: [],
    warnings: [],
  };
}
