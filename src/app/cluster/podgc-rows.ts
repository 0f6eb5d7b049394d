/** Keeps the PodGC view's rows: the survey's pods in scope, in PodGC's order. Mutable, like `ClusterModel`. */
import type { ClusterView, ViewChanges } from '../../graph/index.ts';
import { Connection, type KubeObject, type ManagerLease, type NodeRemoval } from '../../model/index.ts';
import {
  OutlookReason,
  type Pass,
  type PodGcRule,
  PodGcRules,
  PodGcSurvey,
  type PodOutlook,
} from '../../podgc/index.ts';
import { connectionWords, podGcWords } from '../../text/index.ts';
import { includesAll } from '../search/node-index.ts';
import { type Group, type GroupedRow, GroupedRows, type Items } from './grouped-rows.ts';

/** `NotTaken`: pods that only look like candidates; `NotKnown`: undecided for lack of data. */
export type PodGcHead = PodGcRule | 'NotTaken' | 'NotKnown';

export type PodGcRow = GroupedRow<PodGcHead, PodOutlook>;

/** Maximum number of pods not deleted that are shown unfolded. */
const FEW = 10;

/** The order of PodGC's passes (docs/kubernetes.md §7). */
const heads: readonly PodGcHead[] = [...PodGcRules.newest.passes, 'NotKnown', 'NotTaken'];

export interface PodGcCounts {
  /** Pods in scope that PodGC deletes now or later, without those it retries in vain. */
  readonly due: number;
  readonly elsewhere: number;
  readonly overdue: boolean;
}

/** Milliseconds that counts last if only time changes. A pod is reported overdue after a minute at the earliest. */
const COUNTED_MS = 10_000;

export class PodGc {
  readonly survey: PodGcSurvey;
  readonly rows: GroupedRows<PodGcHead, PodOutlook>;
  readonly #view: ClusterView;
  #scope: string | undefined;
  #time: number;
  #counted: PodGcCounts | undefined;
  #listed: Listed | undefined;
  #found: Found | undefined;
  #countedAt = 0;
  #revision = -1;

  constructor(
    view: ClusterView,
    { now, scope }: { readonly now: number; readonly scope: string | undefined },
  ) {
    this.#view = view;
    this.#scope = scope;
    this.#time = now;
    this.survey = new PodGcSurvey(view, { now, inParts: true });
    // A pod keeps its row if its rule changes.
    this.rows = new GroupedRows({
      groups: terms => this.#groups(terms),
      keyOf: ({ pod }) => pod.uid,
      find: ({ items }: Group<PodGcHead, PodOutlook, Outlooks>, key) => items.indexOf(key),
    });
  }

  /** The moment shown, in milliseconds since the epoch by the API server's clock. */
  get now(): number {
    return this.#time;
  }

  get namespace(): string | undefined {
    return this.#scope;
  }

  reservations(): readonly string[] {
    const { sees, rules } = this.survey;
    const { connection, settings } = this.#view;
    return [
      podGcWords.manager(this.survey, this.#time),
      sees.nodes ? '' : podGcWords.nodesUnseen,
      sees.pods ? '' : 'Not all pods can be seen, so that there may be more.',
      podGcWords.rules(rules, settings.serverVersion),
      connectionWords.behindNote(connection),
    ].filter(sentence => sentence !== '');
  }

  setScope(scope: string | undefined): void {
    this.#scope = scope;
    this.#forget();
  }

  apply(changes: ViewChanges, now: number): void {
    this.survey.apply(changes, now);
    this.advance(now);
  }

  /** Applies changes that may not affect the rows; returns false if PodGC deletes the same pods. */
  renew(changes: ViewChanges, now: number): boolean {
    this.survey.apply(changes, now);
    if (this.survey.revision === this.#revision) return false;
    this.advance(now);
    return true;
  }

  learnRemovals(removals: ReadonlyMap<string, NodeRemoval>, now: number): void {
    this.survey.learnRemovals(removals, now);
    this.advance(now);
  }

  /** Reports whether pods wait for kube-controller-manager and a request about it is due, and counts it as sent. */
  asksManager(now: number): boolean {
    const isWaitedFor = (): boolean => this.counts().due + this.counts().elsewhere > 0;
    return !Connection.isBehind(this.#view.connection) && this.survey.manager.asks(now, isWaitedFor);
  }

  learnManager(lease: ManagerLease | undefined, now: number): void {
    this.survey.learnManager(lease, now);
    this.advance(now);
  }

  /** Sets the time in epoch milliseconds. It stands still while PodGC's work can't be seen: nothing may be overdue. */
  advance(now: number): void {
    const moment = this.#view.followedUntil(now);
    const isRevised = this.survey.revision !== this.#revision;
    if (moment === this.#time && !isRevised) return;
    this.#time = moment;
    this.rows.invalidate();
    if (isRevised || moment - this.#countedAt >= COUNTED_MS) this.#forget();
  }

  counts(): PodGcCounts {
    if (this.#counted !== undefined) return this.#counted;
    let due = 0;
    let elsewhere = 0;
    for (const { pods } of this.survey.passes(this.#time)) {
      for (const pod of pods) {
        if (!this.survey.isComing(pod)) continue;
        if (this.#inScope(pod)) due += 1;
        else elsewhere += 1;
      }
    }
    const overdue = due > 0 && this.survey.isLate(this.#time, pod => this.#inScope(pod));
    this.#counted = { due, elsewhere, overdue };
    this.#countedAt = this.#time;
    return this.#counted;
  }

  /** Returns one of the pods that PodGC deletes first in the whole cluster; undefined if it deletes none. */
  nextToCome(): KubeObject | undefined {
    const dueAt = (pod: KubeObject): number => {
      const { due } = this.survey.explain(pod, this.#time);
      return due.when === 'at' ? due.at : this.#time;
    };
    return this.survey
      .passes(this.#time)
      .flatMap(({ pods }) => pods.find(pod => this.survey.isComing(pod)) ?? [])
      .sort((a, b) => dueAt(a) - dueAt(b))[0];
  }

  *#groups(terms: readonly string[]): Iterable<Group<PodGcHead, PodOutlook>> {
    const all = this.#list();
    const { passes, others } = terms.length === 0 ? all : this.#find(all, terms);
    const dueAt = (pod: KubeObject): PodOutlook => this.survey.explain(pod, this.#time);
    const itemsOf = new Map<PodGcHead, Outlooks>(
      passes.map(({ rule, pods }) => [rule, new Outlooks(pods, dueAt)]),
    );
    for (const [head, items] of Map.groupBy(others, headOf)) {
      const pods = items.map(({ pod }) => pod);
      itemsOf.set(head, new Outlooks(pods, (_, index) => items[index]));
    }
    const hasAny = all.others.length > 0 || all.passes.some(({ pods }) => pods.length > 0);
    for (const head of heads) {
      const items = itemsOf.get(head) ?? none;
      // The distance to the threshold, or that it is unknown, is shown even without pods.
      const isTold = (head === 'Terminated' || this.isBlind(head)) && hasAny && terms.length === 0;
      // Long groups of pods not deleted are folded, unless found by words.
      const isQuiet = head === 'NotTaken' || head === 'NotKnown';
      const folded = isQuiet && items.length > FEW && terms.length === 0;
      if (items.length > 0 || isTold) yield { id: head, head, items, folded };
    }
  }

  #list(): Listed {
    const passes = this.survey.passes(this.#time);
    const others = this.survey.others(this.#time);
    if (this.#listed?.of.passes === passes && this.#listed.of.others === others) return this.#listed;
    const inScope =
      this.#scope === undefined
        ? passes
        : passes.map(({ rule, pods }) => ({ rule, pods: pods.filter(pod => this.#inScope(pod)) }));
    this.#listed = {
      of: { passes, others },
      passes: inScope,
      others: others.filter(({ pod }) => this.#inScope(pod)),
    };
    return this.#listed;
  }

  /** Filters by words. With thousands of pods that takes as long as a key may, so the result is cached. */
  #find(all: Listed, terms: readonly string[]): Found {
    const now = this.#time;
    const known = this.#found;
    const isGood = known !== undefined && known.in === all && now >= known.at && now - known.at < COUNTED_MS;
    const isWithin = isGood && known.terms.every(term => terms.some(each => each.includes(term)));
    const isSame = isWithin && terms.every((term, index) => term === known.terms[index]);
    if (isSame && terms.length === known.terms.length) return known;
    // A longer query can only match rows that the shorter one matches.
    const { passes, others } = isWithin ? known : all;
    const isFound = (item: PodOutlook): boolean => includesAll(searchLine(item), terms);
    this.#found = {
      in: all,
      at: isWithin ? known.at : now,
      terms,
      passes: passes.map(({ rule, pods }) => ({
        rule,
        pods: pods.filter(pod => isFound(this.survey.explain(pod, now))),
      })),
      others: others.filter(isFound),
    };
    return this.#found;
  }

  /** Reports whether the rule's pods are unknown because nodes can't be seen. */
  isBlind(head: PodGcHead): boolean {
    const { sees, rules } = this.survey;
    return !sees.nodes && (head === 'OutOfService' || head === 'Orphaned') && rules.passes.includes(head);
  }

  #inScope({ namespace }: KubeObject): boolean {
    return this.#scope === undefined || namespace === this.#scope;
  }

  #forget(): void {
    this.#revision = this.survey.revision;
    this.#counted = undefined;
    this.#listed = undefined;
    this.rows.invalidate();
  }
}

interface Pods {
  readonly passes: readonly Pass[];
  readonly others: readonly PodOutlook[];
}

interface Listed extends Pods {
  readonly of: Pods;
}

interface Found extends Pods {
  readonly in: Listed;
  /** Time of the searched texts, some of which contain times. */
  readonly at: number;
  readonly terms: readonly string[];
}

/** Outlooks of pods, made on demand: there may be tens of thousands. */
class Outlooks implements Items<PodOutlook> {
  readonly #pods: readonly KubeObject[];
  readonly #of: (pod: KubeObject, index: number) => PodOutlook | undefined;

  constructor(pods: readonly KubeObject[], of: (pod: KubeObject, index: number) => PodOutlook | undefined) {
    this.#pods = pods;
    this.#of = of;
  }

  get length(): number {
    return this.#pods.length;
  }

  at(index: number): PodOutlook | undefined {
    const pod = this.#pods[index];
    return pod && this.#of(pod, index);
  }

  indexOf(uid: string): number {
    return this.#pods.findIndex(pod => pod.uid === uid);
  }
}

const none = new Outlooks([], () => undefined);

function headOf({ due, rule, reason }: PodOutlook): PodGcHead {
  if (due.when !== 'no') return rule;
  return OutlookReason.isUncertain(reason) ? 'NotKnown' : 'NotTaken';
}

function searchLine(item: PodOutlook): string {
  const { pod, nodeName } = item;
  return `pod ${pod.namespace}/${pod.name} ${nodeName} ${headOf(item)} ${podGcWords.because(item)}`.toLowerCase();
}
