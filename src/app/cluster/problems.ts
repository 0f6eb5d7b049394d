/** Keeps a cluster's findings, in groups, and the trouble below each owner. Mutable, like `ClusterModel`. */

import {
  compareForReport,
  compareSeverity,
  type Diagnosis,
  type Finding,
  type FindingCode,
  type Severity,
} from '../../diagnosis/index.ts';
import {
  type ClusterView,
  type GraphNode,
  Identity,
  type OwnershipGraph,
  type ViewChanges,
} from '../../graph/index.ts';
import { getOrInsert, type Uid } from '../../model/index.ts';
import type { Diagnostics } from './diagnostics.ts';
import { type GroupedRow, GroupedRows } from './grouped-rows.ts';
import { type Holding, ProblemGroups, type ProblemHead } from './problem-groups.ts';

export interface ProblemCounts extends Holding {
  readonly problems: number;
  readonly errors: number;
  readonly warnings: number;
  readonly infos: number;
  readonly worst: Severity | undefined;
  /** Out of scope; undefined until the whole cluster is judged. */
  readonly elsewhere: ({ readonly problems: number; readonly errors: number } & Holding) | undefined;
}

export interface ProblemsOptions {
  readonly view: ClusterView;
  readonly now: number;
  readonly scope: string | undefined;
  readonly diagnostics: Diagnostics;
  readonly only?: string | undefined;
}

/** Above this many troubled objects, counts on owners are updated every second instead of every frame. */
const MANY = 5_000;

const none: readonly Finding[] = [];

export class Problems {
  readonly diagnostics: Diagnostics;
  readonly diagnosis: Diagnosis;
  readonly rows: GroupedRows<ProblemHead, Finding>;
  readonly #view: ClusterView;
  /** Scope judged once; `only` is undefined for everything. */
  #judged: { readonly only: string | undefined } | undefined;
  #scope: string | undefined;
  /** Findings when last read, so that removed ones can be taken out. */
  readonly #known = new Map<Uid, readonly Finding[]>();
  readonly #groups = new ProblemGroups(finding => this.#inScope(finding));
  #counted: ProblemCounts | undefined;
  #ordered: readonly Finding[] | undefined;
  readonly #troubled = new Map<Uid, Severity>();
  #below: ReadonlyMap<Uid, Trouble> = new Map();
  #belowIsOld = true;
  #troubleRevision = 0;
  #troubleVersion = 0;

  constructor({ view, now, scope, diagnostics, only }: ProblemsOptions) {
    this.#view = view;
    this.#scope = scope;
    this.diagnostics = diagnostics;
    this.diagnosis = diagnostics.diagnose(view, now, only);
    this.rows = new GroupedRows({ groups: terms => this.#groups.all(terms), keyOf: keyOfFinding });
  }

  get complete(): boolean {
    const judged = this.#judged;
    return judged !== undefined && (judged.only === undefined || judged.only === this.#scope);
  }

  get isAllJudged(): boolean {
    return this.#judged !== undefined && this.#judged.only === undefined;
  }

  /** Lists findings with these codes in the whole cluster, the worst first. */
  everywhere(codes: ReadonlySet<FindingCode>): readonly Finding[] {
    return [...this.#known.values()]
      .flat()
      .filter(({ code }) => codes.has(code))
      .sort(compareForReport);
  }

  /** Counts errors and warnings by namespace, Namespaces in their own; `''` for other cluster-scoped objects. */
  byNamespace(): ReadonlyMap<string, Trouble> {
    const counts = new Map<string, Trouble>();
    for (const { object, severity } of [...this.#known.values()].flat()) {
      if (severity === 'info') continue;
      const { namespace, name } = object;
      const place = Identity.isWithin(object, name) && namespace === '' ? name : namespace;
      const trouble = getOrInsert(counts, place, () => ({ errors: 0, warnings: 0 }));
      if (severity === 'error') trouble.errors += 1;
      else trouble.warnings += 1;
    }
    return counts;
  }

  covers(identity: Identity): boolean {
    const judged = this.#judged;
    return judged !== undefined && (judged.only === undefined || Identity.isWithin(identity, judged.only));
  }

  /** Limits judging to a namespace, or to none: see `judgeMore`. */
  limitTo(namespace: string | undefined): void {
    const { diagnosis } = this;
    if (diagnosis.namespace === namespace) return;
    // Lifting the limit keeps the part that was already judged.
    if (namespace !== undefined) this.#judged = undefined;
    this.#take(diagnosis.limitTo(namespace));
    this.#counted = undefined;
  }

  setScope(scope: string | undefined): void {
    this.#scope = scope;
    this.#counted = undefined;
    this.#belowIsOld = true;
    this.#groups.scopeChanged();
    this.#regroup();
  }

  groupByCode(isByCode: boolean): void {
    if (this.#groups.groupByCode(isByCode)) this.#regroup();
  }

  #regroup(): void {
    this.#ordered = undefined;
    this.rows.invalidate();
  }

  apply(changes: ViewChanges, now: number): boolean {
    const isNews = this.#take(this.diagnosis.apply(changes, now));
    const { touched, removed } = changes.graph;
    if (this.#belowIsOld || this.#troubled.size === 0) return isNews;
    // The owners of a troubled object, or of an object above it, may have changed.
    const concerns = ({ uid }: GraphNode): boolean => this.#troubled.has(uid) || this.#below.has(uid);
    this.#belowIsOld = touched.values().some(concerns) || removed.values().some(concerns);
    return isNews;
  }

  advance(now: number): boolean {
    const due = now >= this.diagnosis.nextDue && this.#take(this.diagnosis.advance(now));
    const late = this.#belowIsOld && this.#troubled.size > MANY;
    if (late) this.#countBelow();
    return due || late;
  }

  /** Judges `count` more objects; returns true while more are left. */
  judgeMore(count: number): boolean {
    this.#take(this.diagnosis.judgeMore(count));
    const { judged, judgedOnce, namespace } = this.diagnosis;
    if (judgedOnce) {
      this.#judged = { only: namespace };
      this.#counted = undefined;
    }
    return !judged;
  }

  of(uid: Uid): readonly Finding[] {
    return this.#known.get(uid) ?? none;
  }

  worstOf(uid: Uid): Finding | undefined {
    return this.#troubled.has(uid) ? this.of(uid)[0] : undefined;
  }

  isTroubled(uid: Uid): boolean {
    return this.#troubled.has(uid);
  }

  *troubled(): IterableIterator<readonly [Uid, Finding]> {
    for (const uid of this.#troubled.keys()) {
      const finding = this.worstOf(uid);
      if (finding !== undefined) yield [uid, finding];
    }
  }

  /** True if counts are updated only every second. */
  get hasMany(): boolean {
    return this.#troubled.size > MANY;
  }

  get troubleVersion(): number {
    return this.#troubleVersion;
  }

  get revision(): number {
    return this.#troubleRevision;
  }

  /** Counts trouble in scope below an object; undefined if none or unknown. */
  troubleBelow(uid: Uid): Trouble | undefined {
    if (!this.complete && !this.#coversBelow(uid)) return undefined;
    if (this.#belowIsOld && this.#troubled.size <= MANY) this.#countBelow();
    return this.#below.get(uid);
  }

  /** Reports whether the dependents were judged: they are in the object's namespace unless it is cluster-scoped. */
  #coversBelow(uid: Uid): boolean {
    const identity = this.#view.graph.get(uid)?.identity;
    return identity !== undefined && identity.namespace !== '' && this.covers(identity);
  }

  /** Lists findings in the order of the rows, without those that are only worth knowing. */
  inOrder(): readonly Finding[] {
    this.#ordered ??= this.#groups
      .all([])
      .flatMap(({ items }) => items.filter(({ severity }) => severity !== 'info'));
    return this.#ordered;
  }

  /** Returns the key of the heading that a finding is below. */
  headingOf(finding: Finding): string | undefined {
    return this.#groups.all([]).find(({ items }) => items.includes(finding))?.id;
  }

  counts(): ProblemCounts {
    this.#counted ??= this.#count();
    return this.#counted;
  }

  #count(): ProblemCounts {
    let errors = 0;
    let warnings = 0;
    let infos = 0;
    const elsewhere = { problems: 0, errors: 0 };
    let worst: Severity | undefined;
    for (const findings of this.#known.values()) {
      for (const finding of findings) {
        const isInfo = finding.severity === 'info';
        if (!this.#inScope(finding)) {
          if (!isInfo) elsewhere.problems += 1;
          if (finding.severity === 'error') elsewhere.errors += 1;
          continue;
        }
        if (isInfo) infos += 1;
        else if (finding.severity === 'error') errors += 1;
        else warnings += 1;
        if (worst === undefined || compareSeverity(finding.severity, worst) < 0) worst = finding.severity;
      }
    }
    const isAll = this.isAllJudged;
    return {
      problems: errors + warnings,
      errors,
      warnings,
      infos,
      worst,
      elsewhere: isAll ? { ...elsewhere, ...this.#groups.holdingElsewhere() } : undefined,
      ...this.#groups.holding(),
    };
  }

  /** Decides as `check` does: a namespace is in its own scope, other cluster-scoped objects only in the cluster's. */
  #inScope({ object }: Finding): boolean {
    return this.#scope === undefined || Identity.isWithin(object, this.#scope);
  }

  #take(uids: ReadonlySet<Uid>): boolean {
    for (const uid of uids) {
      const findings = this.diagnosis.of(uid);
      this.#groups.replace(uid, this.of(uid), findings);
      if (findings.length === 0) this.#known.delete(uid);
      else this.#known.set(uid, findings);
      this.#mark(uid, findings[0]?.severity);
    }
    if (uids.size === 0) return false;
    this.#counted = undefined;
    this.#regroup();
    return true;
  }

  #mark(uid: Uid, severity: Severity | undefined): void {
    const trouble = severity === 'info' ? undefined : severity;
    const before = this.#troubled.get(uid);
    // Another finding of the same severity may be worse.
    if (before !== undefined || trouble !== undefined) this.#troubleVersion += 1;
    if (before === trouble) return;
    if (trouble === undefined) this.#troubled.delete(uid);
    else this.#troubled.set(uid, trouble);
    this.#belowIsOld = true;
    if (before === undefined || trouble === undefined) this.#troubleRevision += 1;
  }

  #countBelow(): void {
    this.#below = troubleBelow(this.#view.graph, this.#troubled, this.#scope);
    this.#belowIsOld = false;
  }
}

export type ProblemRow = GroupedRow<ProblemHead, Finding>;

/** Names a finding's row, whichever group it is in. */
export function keyOfFinding({ code, object }: Finding): string {
  return `${code}/${object.uid}`;
}

export interface Trouble {
  errors: number;
  warnings: number;
}

/**
 * Counts each troubled object once for every object above it, never for itself, even in a cycle of owners. With a
 * namespace, only objects in it count, as only they are shown below their owners.
 */
function troubleBelow(
  graph: OwnershipGraph,
  troubled: ReadonlyMap<Uid, Severity>,
  namespace: string | undefined,
): ReadonlyMap<Uid, Trouble> {
  const below = new Map<Uid, Trouble>();
  for (const [uid, severity] of troubled) {
    if (namespace !== undefined && graph.get(uid)?.identity.namespace !== namespace) continue;
    const seen = new Set([uid]);
    const open = [uid];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const owner of graph.get(at)?.owners ?? []) {
        if (seen.has(owner.uid)) continue;
        seen.add(owner.uid);
        open.push(owner.uid);
        let trouble = below.get(owner.uid);
        if (trouble === undefined) {
          trouble = { errors: 0, warnings: 0 };
          below.set(owner.uid, trouble);
        }
        if (severity === 'error') trouble.errors += 1;
        else trouble.warnings += 1;
      }
    }
  }
  return below;
}
