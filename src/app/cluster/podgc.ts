/**
 * What PodGC takes as the screen shows it: the survey, kept current batch by batch, with its pods in scope below the
 * rules that take them, in PodGC's order. Large and mutable, as `ClusterModel` is.
 */
import type { ClusterView, ViewChanges } from '../../graph/cluster-view.ts';
import { isBehind } from '../../model/exchange/changes.ts';
import type { ManagerLease, NodeRemoval } from '../../model/exchange/manager-lease.ts';
import type { KubeObject } from '../../model/object.ts';
import { newestRules, type PodGcRule } from '../../podgc/passes/rules-of-version.ts';
import { isComing, isUncertain, type PodOutlook } from '../../podgc/survey/outlook.ts';
import { PodGcSurvey } from '../../podgc/survey/survey.ts';
import { behindNote } from '../../text/connection/connection.ts';
import { becauseWords, managerSentence, NODES_UNSEEN, rulesSentence } from '../../text/podgc/podgc.ts';
import { includesAll } from '../search/index.ts';
import { type Group, type GroupedRow, GroupedRows } from './grouped-rows.ts';

/** `NotTaken`: pods that look like candidates and aren't; `NotKnown`: what would tell cannot be seen. */
export type PodGcHead = PodGcRule | 'NotTaken' | 'NotKnown';

export type PodGcRow = GroupedRow<PodGcHead, PodOutlook>;

/** So many pods that aren't taken don't stand in the way. */
const FEW = 10;

/** The order of PodGC's passes (docs/kubernetes.md §7). */
const heads: readonly PodGcHead[] = [...newestRules.passes, 'NotKnown', 'NotTaken'];

export interface PodGcCounts {
  /** Pods in scope that PodGC takes, now or at a time; those that it tries again in vain don't count. */
  readonly due: number;
  /** The same out of scope. */
  readonly elsewhere: number;
  /** One of those in scope should have been deleted long ago. */
  readonly overdue: boolean;
}

/**
 * Milliseconds that a count is good for where nothing but time changes: whether something is overdue is told a minute
 * after it was due, and tens of thousands of pods may wait where PodGC isn't at work.
 */
const COUNTED_MS = 10_000;

export class PodGc {
  readonly survey: PodGcSurvey;
  readonly rows: GroupedRows<PodGcHead, PodOutlook>;
  readonly #view: ClusterView;
  #scope: string | undefined;
  #time: number;
  #counted: PodGcCounts | undefined;
  #countedAt = 0;
  /** `PodGcSurvey.revision` that rows and counts are made of. */
  #revision = -1;

  /** `now` in milliseconds since the epoch; `scope`: the namespace whose pods are shown, undefined for all. */
  constructor(
    view: ClusterView,
    { now, scope }: { readonly now: number; readonly scope: string | undefined },
  ) {
    this.#view = view;
    this.#scope = scope;
    this.#time = now;
    this.survey = new PodGcSurvey(view, { now });
    // A pod that comes under another rule is still the same row.
    this.rows = new GroupedRows({ groups: terms => this.#groups(terms), keyOf: ({ pod }) => pod.uid });
  }

  /** The moment as of which everything here is shown, in milliseconds since the epoch by the API server's clock. */
  get now(): number {
    return this.#time;
  }

  get namespace(): string | undefined {
    return this.#scope;
  }

  /** What keeps the answer from being certain, one sentence each. */
  reservations(): readonly string[] {
    const { sees, rules } = this.survey;
    const { connection, settings } = this.#view;
    return [
      managerSentence(this.survey, this.#time),
      sees.nodes ? '' : NODES_UNSEEN,
      sees.pods ? '' : 'Not all pods can be seen, so that there may be more.',
      rulesSentence(rules, settings.serverVersion),
      behindNote(connection),
    ].filter(sentence => sentence !== '');
  }

  setScope(scope: string | undefined): void {
    this.#scope = scope;
    this.#forget();
  }

  /** Takes over what a batch did to the view. */
  apply(changes: ViewChanges, now: number): void {
    this.survey.apply(changes, now);
    this.advance(now);
  }

  /** The same for objects that are what they were, as far as can be seen: false where nothing else is taken than before. */
  renew(changes: ViewChanges, now: number): boolean {
    this.survey.apply(changes, now);
    if (this.survey.revision === this.#revision) return false;
    this.advance(now);
    return true;
  }

  /** Takes in when nodes were seen being deleted: see `Source.nodeRemovals`. */
  learnRemovals(removals: ReadonlyMap<string, NodeRemoval>, now: number): void {
    this.survey.learnRemovals(removals, now);
    this.advance(now);
  }

  /** Whether pods wait for kube-controller-manager and it is time to ask about it; then it counts as asked. */
  asksManager(now: number): boolean {
    const isWaitedFor = (): boolean => this.counts().due + this.counts().elsewhere > 0;
    return !isBehind(this.#view.connection) && this.survey.manager.asks(now, isWaitedFor);
  }

  /** Takes in the lease of kube-controller-manager as it is `now`; undefined where nothing tells. */
  learnManager(lease: ManagerLease | undefined, now: number): void {
    this.survey.learnManager(lease, now);
    this.advance(now);
  }

  /**
   * It is `now`, in milliseconds since the epoch; nothing is worked out before somebody looks. While the cluster isn't
   * followed time stands still here: what PodGC does meanwhile cannot be seen, so nothing may be called overdue.
   */
  advance(now: number): void {
    const moment = this.#view.followedUntil(now);
    const isRevised = this.survey.revision !== this.#revision;
    if (moment === this.#time && !isRevised) return;
    this.#time = moment;
    this.rows.invalidate();
    if (isRevised || moment - this.#countedAt >= COUNTED_MS) this.#forget();
  }

  /** Those in scope, in the survey's order: first what is due, then what only looks so. */
  items(): readonly PodOutlook[] {
    const items = this.survey.items(this.#time);
    return this.#scope === undefined ? items : items.filter(({ pod }) => this.#inScope(pod));
  }

  counts(): PodGcCounts {
    if (this.#counted !== undefined) return this.#counted;
    let due = 0;
    let elsewhere = 0;
    let overdue = false;
    for (const item of this.survey.items(this.#time)) {
      // Those that aren't due stand last.
      if (item.due.when === 'no') break;
      if (!isComing(item)) continue;
      if (!this.#inScope(item.pod)) elsewhere += 1;
      else {
        due += 1;
        overdue ||= item.due.when === 'overdue';
      }
    }
    this.#counted = { due, elsewhere, overdue };
    this.#countedAt = this.#time;
    return this.#counted;
  }

  *#groups(terms: readonly string[]): Iterable<Group<PodGcHead, PodOutlook>> {
    const all = this.items();
    const found = terms.length === 0 ? all : all.filter(item => includesAll(searchLine(item), terms));
    const byHead = Map.groupBy(found, headOf);
    for (const head of heads) {
      const items = byHead.get(head) ?? [];
      // How far the threshold is belongs to the picture, also where no pod is beyond it; and that nobody can tell.
      const isTold = (head === 'Terminated' || this.isBlind(head)) && all.length > 0 && terms.length === 0;
      // What PodGC isn't known to take is folded where it is long, unless it was found by words.
      const isQuiet = head === 'NotTaken' || head === 'NotKnown';
      const folded = isQuiet && items.length > FEW && terms.length === 0;
      if (items.length > 0 || isTold) yield { id: head, head, items, folded };
    }
  }

  /** Which pods the rule takes cannot be told: it depends on nodes, and they cannot be seen. */
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
    this.rows.invalidate();
  }
}

function headOf({ due, rule, reason }: PodOutlook): PodGcHead {
  if (due.when !== 'no') return rule;
  return isUncertain(reason) ? 'NotKnown' : 'NotTaken';
}

function searchLine(item: PodOutlook): string {
  const { pod, nodeName } = item;
  return `pod ${pod.namespace}/${pod.name} ${nodeName} ${headOf(item)} ${becauseWords(item)}`.toLowerCase();
}
