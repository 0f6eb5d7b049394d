/** Keeps the findings per object. An object is judged again only if a dependency changes or its recheck is due. */

import { OwnerStatus } from '../../collector/index.ts';
import {
  type ClusterView,
  type GraphNode,
  Identity,
  isDeleting,
  type ViewChanges,
} from '../../graph/index.ts';
import { type KubeObject, LookUp, type OwnerReference, type Uid } from '../../model/index.ts';
import { asOld, underAssumptions } from './assumed-findings.ts';
import { usualSeverity } from './codes.ts';
import {
  compareFindings,
  completeDraft,
  evidenceText,
  type Finding,
  factsIn,
  findingIds,
  type WholeDraft,
} from './finding.ts';
import type { Rule, Subject } from './rule.ts';
import { Dependencies, dependencyOn, Subscribers } from './subscribers.ts';
import { type DependencyRecorder, TrackedView } from './tracked-view.ts';

const none: readonly Finding[] = [];

export interface DiagnosisOptions {
  /** Defers judging to `judgeMore`, even after types or statuses change; until then findings are missing or old. */
  readonly inParts?: boolean;
  readonly namespace?: string | undefined;
  /** Judges each object when it is first asked for; only for a view that doesn't change. */
  readonly asked?: boolean;
}

/** The absences that the findings on one object rely on. */
interface Grounds {
  readonly all: readonly LookUp[];
  readonly assumed: readonly LookUp[];
  /** Look-ups that would refine these findings. */
  readonly asked: readonly LookUp[];
}

export class Diagnosis {
  readonly tracked: TrackedView;
  /** Generic rules come last and consider earlier findings. */
  readonly #allRules: readonly Rule[];
  readonly #found = new Map<Uid, readonly Finding[]>();
  readonly #subscribers = new Subscribers();
  readonly #seen = new Map<Uid, Dependencies>();
  readonly #due = new Map<Uid, number>();
  readonly #grounds = new Map<Uid, Grounds>();
  #groundsRevision = 0;
  #earliest = Number.POSITIVE_INFINITY;
  readonly #inParts: boolean;
  readonly #asked: Set<Uid> | undefined;
  /** Objects that `judgeMore` has yet to judge. */
  #rest: Iterator<KubeObject | undefined> | undefined;
  /** A change has put results since `#rest` began in doubt, so another full pass follows. */
  #isAgain = false;
  #once = false;
  #namespace: string | undefined;

  /** Judges every object of the view unless an option defers it. */
  constructor(
    rules: readonly Rule[],
    view: ClusterView,
    now: number,
    { inParts = false, namespace, asked = false }: DiagnosisOptions = {},
  ) {
    this.#allRules = rules;
    this.tracked = new TrackedView(view, now);
    this.#inParts = inParts;
    this.#namespace = namespace;
    this.#asked = asked ? new Set() : undefined;
    if (asked) return;
    if (inParts) this.#rest = this.#objects();
    else this.#judgeAll();
  }

  /** The only namespace to be judged, including its Namespace object; undefined for the whole cluster. */
  get namespace(): string | undefined {
    return this.#namespace;
  }

  /** Returns no rules for the 1.5 collector: they model today's. */
  get #rules(): readonly Rule[] {
    return this.tracked.view.settings.collector === '1.5' ? [] : this.#allRules;
  }

  /** True once every object has been judged against the current view. */
  get judged(): boolean {
    return this.#rest === undefined;
  }

  /** True once a full pass is complete, even if later changes are still to be judged. */
  get judgedOnce(): boolean {
    return this.#once || this.judged;
  }

  /** Limits judging to one namespace or lifts that; `judgeMore` continues. Returns the objects that lose findings. */
  limitTo(namespace: string | undefined): ReadonlySet<Uid> {
    this.#namespace = namespace;
    this.#rest = this.#objects();
    this.#isAgain = false;
    this.#once = false;
    const dropped = new Set<Uid>();
    // Objects without findings are dropped too; otherwise their dependencies would get them judged again.
    for (const uid of this.#seen.keys()) {
      const node = this.tracked.view.graph.get(uid);
      if (node !== undefined && this.#isWanted(node)) continue;
      if (this.#found.has(uid)) dropped.add(uid);
      this.#forget(uid);
    }
    this.#findEarliest();
    return dropped;
  }

  /** Judges up to `count` more objects; `apply` may run in between. Returns those whose findings may have changed. */
  judgeMore(count: number): ReadonlySet<Uid> {
    const rest = this.#rest;
    const uids = new Set<Uid>();
    for (let i = 0; rest !== undefined && i < count; i++) {
      const { value, done } = rest.next();
      if (done === true) {
        this.#rest = this.#isAgain ? this.#objects() : undefined;
        this.#isAgain = false;
        this.#once = true;
        break;
      }
      if (value !== undefined) uids.add(value.uid);
    }
    return this.#judgeAgain(uids);
  }

  /** Applies a batch of changes to the view. Returns the objects whose findings may have changed. */
  apply(changes: ViewChanges, now: number): ReadonlySet<Uid> {
    this.tracked.apply(changes.graph, now);
    const inDoubt = changes.types || changes.statuses || changes.failedGroups;
    if (inDoubt && this.#inParts) {
      this.#isAgain = this.#rest !== undefined;
      this.#rest ??= this.#objects();
    } else if (inDoubt) {
      const before = [...this.#found.keys()];
      this.#judgeAll();
      return new Set([...before, ...this.#found.keys()]);
    }
    const again = new Set<Uid>();
    const added = new Set<ReadonlySet<Uid>>();
    for (const nodes of [changes.graph.touched, changes.graph.removed]) {
      for (const node of nodes) {
        if (this.#isWanted(node)) again.add(node.uid);
        this.#addSubscribers(node, again, added);
      }
    }
    for (const lookUp of changes.lookUps)
      for (const uid of this.#subscribers.of(dependencyOn.answer(lookUp)) ?? []) again.add(uid);
    this.#addAffected(changes.graph.removed, again);
    return this.#judgeAgain(again);
  }

  /** Judges the objects due by `now`. Returns those whose findings may have changed. */
  advance(now: number): ReadonlySet<Uid> {
    this.tracked.now = now;
    if (now < this.#earliest) return new Set();
    const again = new Set<Uid>();
    for (const [uid, at] of this.#due) if (at <= now) again.add(uid);
    return this.#judgeAgain(again);
  }

  /** The time when `advance` is next needed; infinite if nothing is due. */
  get nextDue(): number {
    return this.#earliest;
  }

  /** Returns the findings on one object, worst first. */
  of(uid: Uid): readonly Finding[] {
    this.#judgeAsked(uid);
    return this.#found.get(uid) ?? none;
  }

  *all(): IterableIterator<Finding> {
    for (const findings of this.#found.values()) yield* findings;
  }

  assumptionsOf(uid: Uid): readonly LookUp[] {
    this.#judgeAsked(uid);
    return this.#grounds.get(uid)?.assumed ?? [];
  }

  /** Lists all absences that the findings on an object rely on, confirmed or not. */
  absencesBehind(uid: Uid): readonly LookUp[] {
    this.#judgeAsked(uid);
    return this.#grounds.get(uid)?.all ?? [];
  }

  /** Lists unconfirmed absences and refining look-ups for all wanted objects; may repeat some. */
  *assumptions(isWanted: (uid: Uid) => boolean = () => true): IterableIterator<LookUp> {
    for (const [uid, { assumed, asked }] of this.#grounds) {
      if (!isWanted(uid)) continue;
      yield* assumed;
      yield* asked;
    }
  }

  get assumptionsRevision(): number {
    return this.#groundsRevision;
  }

  get size(): number {
    return this.#found.size;
  }

  #judgeAsked(uid: Uid): void {
    if (this.#asked === undefined || this.#asked.has(uid)) return;
    this.#asked.add(uid);
    const node = this.tracked.view.graph.get(uid);
    if (node !== undefined && !node.virtual) this.#judge(node);
  }

  /** Iterates over the objects to judge; undefined entries are skipped. */
  *#objects(): IterableIterator<KubeObject | undefined> {
    const { graph } = this.tracked.view;
    const namespace = this.#namespace;
    if (namespace === undefined) {
      for (const { object } of graph.nodes()) yield object;
    } else {
      yield this.tracked.findKind('v1', 'Namespace', '', namespace);
      yield* this.tracked.contents(namespace);
    }
  }

  #isWanted(node: GraphNode): boolean {
    const only = this.#namespace;
    const namespace = node.object?.namespace;
    return (
      only === undefined || namespace === only || (namespace === '' && Identity.isWithin(node.identity, only))
    );
  }

  #judgeAll(): void {
    this.#found.clear();
    this.#subscribers.clear();
    this.#seen.clear();
    this.#due.clear();
    this.#grounds.clear();
    this.#earliest = Number.POSITIVE_INFINITY;
    for (const node of this.tracked.view.graph.nodes()) if (!node.virtual) this.#judge(node);
  }

  #addAffected(removed: Iterable<GraphNode>, again: Set<Uid>): void {
    for (const { object } of removed) {
      if (object === undefined) continue;
      for (const rule of this.#rules)
        for (const uid of rule.affectedBy?.(object, this.tracked) ?? []) {
          const node = this.tracked.view.graph.get(uid);
          if (node !== undefined && this.#isWanted(node)) again.add(uid);
        }
    }
  }

  #judgeAgain(uids: ReadonlySet<Uid>): ReadonlySet<Uid> {
    const changed = new Set<Uid>();
    for (const uid of uids) {
      const had = this.#found.has(uid);
      this.#forget(uid);
      const node = this.tracked.view.graph.get(uid);
      if (node !== undefined && !node.virtual) this.#judge(node);
      if (had || this.#found.has(uid)) changed.add(uid);
    }
    this.#findEarliest();
    return changed;
  }

  #findEarliest(): void {
    // `Math.min(...)` could exceed the limit on arguments.
    this.#earliest = Number.POSITIVE_INFINITY;
    for (const at of this.#due.values()) if (at < this.#earliest) this.#earliest = at;
  }

  #judge(node: GraphNode): void {
    const { object } = node;
    if (object === undefined) return;
    const subject = subjectOf(this.tracked, node, object);
    let concerned: Rule[] | undefined;
    for (const rule of this.#rules) if (rule.appliesTo(subject, this.tracked)) (concerned ??= []).push(rule);
    if (concerned === undefined) return;
    const { uid } = object;
    const dependencies = new Dependencies();
    const all = new Map<string, LookUp>();
    const assumed = new Map<string, LookUp>();
    const asked = new Map<string, LookUp>();
    const drafts: WholeDraft[] = [];
    for (const rule of concerned) {
      const byRule = new Map<string, LookUp>();
      const recorder: DependencyRecorder = {
        dependsOn: dependency => dependencies.add(dependency),
        recheckAt: at => this.#remind(uid, at),
        restsOn: (lookUp, isConfirmed) => {
          const key = LookUp.key(lookUp);
          all.set(key, lookUp);
          if (!isConfirmed) byRule.set(key, lookUp);
        },
        asks: question => asked.set(LookUp.key(question), question),
      };
      // Look-ups aren't split by finding: each counts for all findings of the rule.
      const found = this.tracked.recording(recorder, () => [...rule.judge(subject, this.tracked, drafts)]);
      const { view } = this.tracked;
      for (const each of found) {
        const draft = completeDraft(each);
        const dated = view.hasPolled ? asOld(draft, node.identity, view) : draft;
        drafts.push(byRule.size === 0 ? dated : underAssumptions(dated, [...byRule.values()], view));
      }
      for (const [key, lookUp] of byRule) assumed.set(key, lookUp);
    }
    this.#subscribe(uid, dependencies);
    if (all.size + asked.size > 0) {
      this.#grounds.set(uid, {
        all: [...all.values()],
        assumed: [...assumed.values()],
        asked: [...asked.values()],
      });
      if (assumed.size + asked.size > 0) this.#groundsRevision += 1;
    }
    if (drafts.length === 0) return;
    const ids = findingIds(node.identity, drafts);
    const findings = drafts.map((draft, nth) => ({
      ...draft,
      id: ids[nth] ?? '',
      evidence: draft.evidence.map(evidenceText),
      facts: factsIn(draft.evidence),
      object: node.identity,
      severity: draft.severity ?? usualSeverity(draft.code),
    }));
    this.#found.set(uid, findings.sort(compareFindings));
  }

  #remind(uid: Uid, at: number): void {
    const before = this.#due.get(uid);
    if (before !== undefined && before <= at) return;
    this.#due.set(uid, at);
    this.#earliest = Math.min(this.#earliest, at);
  }

  #subscribe(uid: Uid, dependencies: Dependencies): void {
    this.#seen.set(uid, dependencies);
    for (const each of dependencies) this.#subscribers.add(uid, each);
  }

  #forget(uid: Uid): void {
    this.#found.delete(uid);
    this.#due.delete(uid);
    const { assumed = [], asked = [] } = this.#grounds.get(uid) ?? {};
    if (assumed.length + asked.length > 0) this.#groundsRevision += 1;
    this.#grounds.delete(uid);
    for (const each of this.#seen.get(uid) ?? []) this.#subscribers.remove(uid, each);
    this.#seen.delete(uid);
  }

  /** Skips sets in `added`: hundreds may subscribe to any object of a kind, and a batch may change hundreds of them. */
  #addSubscribers(node: GraphNode, to: Set<Uid>, added = new Set<ReadonlySet<Uid>>()): void {
    for (const subscribers of this.#subscribers.ofNode(node)) {
      if (added.has(subscribers)) continue;
      added.add(subscribers);
      for (const uid of subscribers) to.add(uid);
    }
  }
}

function subjectOf(tracked: TrackedView, node: GraphNode, object: KubeObject): Subject {
  return { node, object, deleting: isDeleting(object), oddOwners: hasOddOwners(tracked, node, object) };
}

function hasOddOwners({ view }: TrackedView, node: GraphNode, object: KubeObject): boolean {
  for (const reference of object.owners) {
    if (!isPlainlySolid(view.graph.get(reference.uid)?.object, reference, object.namespace)) {
      if (OwnerStatus.of(view, node, reference) !== 'Solid') return true;
      if (view.graph.get(reference.uid)?.beingDeleted === true) return true;
    }
  }
  return false;
}

/** Recognises nearly every reference of a cluster as solid without looking up its kind. */
function isPlainlySolid(
  owner: KubeObject | undefined,
  { apiVersion, kind, name }: OwnerReference,
  namespace: string,
): boolean {
  if (owner === undefined || owner.deletionTimestamp !== undefined || owner.name !== name) return false;
  if (owner.namespace !== namespace && owner.namespace !== '') return false;
  return owner.type.kind === kind && owner.type.apiVersion === apiVersion;
}
