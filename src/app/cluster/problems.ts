/**
 * The findings of a cluster as the screen shows them: the diagnosis, kept current batch by batch, its findings by
 * code for the Problems view, and for each owner how much trouble there is below it. Large and mutable, as
 * `ClusterModel` is.
 */

import {
  compareSeverity,
  type FindingCode,
  findingCodes,
  type Severity,
} from '../../diagnosis/engine/codes.ts';
import type { Diagnosis } from '../../diagnosis/engine/diagnosis.ts';
import { compareForReport, type Finding } from '../../diagnosis/engine/finding.ts';
import type { ClusterView, ViewChanges } from '../../graph/cluster-view.ts';
import type { OwnershipGraph } from '../../graph/graph.ts';
import { type GraphNode, type Identity, isWithin } from '../../graph/node.ts';
import type { Uid } from '../../model/object.ts';
import { includesAll } from '../search/index.ts';
import type { Diagnostics } from '../state/diagnostics.ts';
import { type Group, type GroupedRow, GroupedRows, type GroupSource } from './grouped-rows.ts';

export interface ProblemCounts {
  /** Errors and warnings in scope. */
  readonly problems: number;
  readonly errors: number;
  readonly warnings: number;
  readonly infos: number;
  /** The worst of them; undefined where there is nothing. */
  readonly worst: Severity | undefined;
  /** Errors and warnings out of scope; undefined until everything was judged. */
  readonly elsewhere: number | undefined;
}

export interface ProblemsOptions {
  readonly view: ClusterView;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The namespace that is shown; undefined for the whole cluster. */
  readonly scope: string | undefined;
  readonly diagnostics: Diagnostics;
  /** The namespace that is judged before everything else is: see `limitTo`. */
  readonly only?: string | undefined;
}

/** Above this many troubled objects the counts on owners are brought up to date by the second, not by the frame. */
const MANY = 5_000;

const none: readonly Finding[] = [];

export class Problems {
  readonly diagnostics: Diagnostics;
  readonly diagnosis: Diagnosis;
  readonly rows: GroupedRows<ProblemHead, Finding>;
  readonly #view: ClusterView;
  /** What was judged once: a namespace, or everything. */
  #judged: { readonly only: string | undefined } | undefined;
  #scope: string | undefined;
  /** What the diagnosis said when it was last looked at, so that what was removed can be taken out. */
  readonly #known = new Map<Uid, readonly Finding[]>();
  readonly #codes = new Map<FindingCode, Map<Uid, readonly Finding[]>>();
  readonly #sorted = new Map<FindingCode, readonly Finding[]>();
  #counted: ProblemCounts | undefined;
  #ordered: readonly Finding[] | undefined;
  /** Objects with an error or a warning. */
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
    this.rows = new GroupedRows(problemGroups(this));
  }

  /** False until every object in scope was judged once. */
  get complete(): boolean {
    const judged = this.#judged;
    return judged !== undefined && (judged.only === undefined || judged.only === this.#scope);
  }

  /** Whether this object was, as far as it was there. */
  covers(identity: Identity): boolean {
    const judged = this.#judged;
    return judged !== undefined && (judged.only === undefined || isWithin(identity, judged.only));
  }

  /** From now on judges what is in a namespace alone, or everything: see `judgeMore`. */
  limitTo(namespace: string | undefined): void {
    const { diagnosis } = this;
    if (diagnosis.namespace === namespace) return;
    // Of a part of everything it remains true that it was judged.
    if (namespace !== undefined) this.#judged = undefined;
    this.#take(diagnosis.limitTo(namespace));
    this.#counted = undefined;
  }

  setScope(scope: string | undefined): void {
    this.#scope = scope;
    this.#counted = undefined;
    this.#belowIsOld = true;
    this.#ordered = undefined;
    this.rows.invalidate();
  }

  /** Takes over what a batch did to the view; true where findings may be others than before. */
  apply(changes: ViewChanges, now: number): boolean {
    const isNews = this.#take(this.diagnosis.apply(changes, now));
    const { touched, removed } = changes.graph;
    if (this.#belowIsOld || this.#troubled.size === 0) return isNews;
    // Who owns a troubled object, or something above it, may be another one now, or nobody.
    const concerns = ({ uid }: GraphNode): boolean => this.#troubled.has(uid) || this.#below.has(uid);
    this.#belowIsOld = touched.values().some(concerns) || removed.values().some(concerns);
    return isNews;
  }

  /** Takes over what became due until `now`; true where something changed. */
  advance(now: number): boolean {
    const due = now >= this.diagnosis.nextDue && this.#take(this.diagnosis.advance(now));
    const late = this.#belowIsOld && this.#troubled.size > MANY;
    if (late) this.#countBelow();
    return due || late;
  }

  /** Judges so many of the objects that are yet to be judged; true while more are. */
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

  /** The worst error or warning on an object. */
  worstOf(uid: Uid): Finding | undefined {
    return this.#troubled.has(uid) ? this.of(uid)[0] : undefined;
  }

  isTroubled(uid: Uid): boolean {
    return this.#troubled.has(uid);
  }

  /** The worst finding of each object that has an error or a warning. */
  *troubled(): IterableIterator<readonly [Uid, Finding]> {
    for (const uid of this.#troubled.keys()) {
      const finding = this.worstOf(uid);
      if (finding !== undefined) yield [uid, finding];
    }
  }

  /** So many of them that nothing is brought up to date with each change of them. */
  get hasMany(): boolean {
    return this.#troubled.size > MANY;
  }

  /** Moves whenever one of them may have another finding, comes or goes. */
  get troubleVersion(): number {
    return this.#troubleVersion;
  }

  /** Moves whenever another set of objects is troubled. */
  get revision(): number {
    return this.#troubleRevision;
  }

  /**
   * What is wrong in scope with the dependents of an object, theirs included; undefined where nothing is, or where that
   * isn't known.
   */
  troubleBelow(uid: Uid): Trouble | undefined {
    if (!this.complete && !this.#coversBelow(uid)) return undefined;
    if (this.#belowIsOld && this.#troubled.size <= MANY) this.#countBelow();
    return this.#below.get(uid);
  }

  /** Its dependents are where it is itself, unless it is in no namespace. */
  #coversBelow(uid: Uid): boolean {
    const identity = this.#view.graph.get(uid)?.identity;
    return identity !== undefined && identity.namespace !== '' && this.covers(identity);
  }

  /** Findings in scope by code, in no order of codes; those of one code worst first. */
  *byCode(): IterableIterator<readonly [FindingCode, readonly Finding[]]> {
    for (const [code, byUid] of this.#codes) {
      let findings = this.#sorted.get(code);
      if (findings === undefined) {
        findings = [...byUid.values()].flat().sort(compareForReport);
        this.#sorted.set(code, findings);
      }
      const inScope = this.#scope === undefined ? findings : findings.filter(each => this.#inScope(each));
      if (inScope.length > 0) yield [code, inScope];
    }
  }

  /** Errors and warnings in scope, in the order of the Problems view. */
  inOrder(): readonly Finding[] {
    this.#ordered ??= groupsOf(this, []).flatMap(({ items }) =>
      items.filter(({ severity }) => severity !== 'info'),
    );
    return this.#ordered;
  }

  counts(): ProblemCounts {
    this.#counted ??= this.#count();
    return this.#counted;
  }

  #count(): ProblemCounts {
    let errors = 0;
    let warnings = 0;
    let infos = 0;
    let elsewhere = 0;
    let worst: Severity | undefined;
    for (const findings of this.#known.values()) {
      for (const finding of findings) {
        const isInfo = finding.severity === 'info';
        if (!this.#inScope(finding)) {
          if (!isInfo) elsewhere += 1;
          continue;
        }
        if (isInfo) infos += 1;
        else if (finding.severity === 'error') errors += 1;
        else warnings += 1;
        if (worst === undefined || compareSeverity(finding.severity, worst) < 0) worst = finding.severity;
      }
    }
    const isAll = this.#judged !== undefined && this.#judged.only === undefined;
    return {
      problems: errors + warnings,
      errors,
      warnings,
      infos,
      worst,
      elsewhere: isAll ? elsewhere : undefined,
    };
  }

  /** As in `check`: a namespace is in its own scope, everything outside of namespaces only in that of the cluster. */
  #inScope({ object }: Finding): boolean {
    return this.#scope === undefined || isWithin(object, this.#scope);
  }

  #take(uids: ReadonlySet<Uid>): boolean {
    for (const uid of uids) {
      for (const { code } of this.#known.get(uid) ?? none) this.#leave(code, uid);
      const findings = this.diagnosis.of(uid);
      if (findings.length === 0) this.#known.delete(uid);
      else this.#known.set(uid, findings);
      for (const finding of findings) this.#enter(finding, uid);
      this.#mark(uid, findings[0]?.severity);
    }
    if (uids.size === 0) return false;
    this.#counted = undefined;
    this.#ordered = undefined;
    this.rows.invalidate();
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

  #leave(code: FindingCode, uid: Uid): void {
    const byUid = this.#codes.get(code);
    byUid?.delete(uid);
    if (byUid?.size === 0) this.#codes.delete(code);
    this.#sorted.delete(code);
  }

  #enter(finding: Finding, uid: Uid): void {
    const { code } = finding;
    let byUid = this.#codes.get(code);
    if (byUid === undefined) {
      byUid = new Map();
      this.#codes.set(code, byUid);
    }
    const same = byUid.get(uid);
    byUid.set(uid, same === undefined ? [finding] : [...same, finding]);
    this.#sorted.delete(code);
  }

  #countBelow(): void {
    this.#below = troubleBelow(this.#view.graph, this.#troubled, this.#scope);
    this.#belowIsOld = false;
  }
}

export interface ProblemHead {
  readonly code: FindingCode;
  /** The worst in the group. */
  readonly severity: Severity;
}

export type ProblemRow = GroupedRow<ProblemHead, Finding>;

/** Where the findings come from, each group worst first. */
export interface FindingGroups {
  byCode(): Iterable<readonly [FindingCode, readonly Finding[]]>;
}

function problemGroups(source: FindingGroups): GroupSource<ProblemHead, Finding> {
  return {
    groups: terms => groupsOf(source, terms),
    keyOf: ({ object }, code) => `${code}/${object.uid}`,
  };
}

type FindingGroup = Group<ProblemHead, Finding, readonly Finding[]>;

function groupsOf(source: FindingGroups, terms: readonly string[]): FindingGroup[] {
  const groups: FindingGroup[] = [];
  for (const [code, all] of source.byCode()) {
    const items = terms.length === 0 ? all : all.filter(each => includesAll(searchLine(each), terms));
    const [worst] = items;
    if (worst === undefined) continue;
    const { severity } = worst;
    // What was found by words is shown; what is only worth knowing doesn't stand in the way of the rest.
    const folded = severity === 'info' && terms.length === 0;
    groups.push({ id: code, head: { code, severity }, folded, items });
  }
  return groups.sort(
    ({ head: a }, { head: b }) =>
      compareSeverity(a.severity, b.severity) || findingCodes.indexOf(a.code) - findingCodes.indexOf(b.code),
  );
}

function searchLine({ object, code, brief, message, severity }: Finding): string {
  return `${object.kind} ${object.namespace}/${object.name} ${code} ${severity} ${brief} ${message}`.toLowerCase();
}

export interface Trouble {
  /** Objects whose worst finding is an error. */
  errors: number;
  warnings: number;
}

/**
 * Each troubled object counts once for every object above it, and not for itself, even where owners form a circle.
 * With a namespace only objects in it count, as only they are shown below their owners.
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
