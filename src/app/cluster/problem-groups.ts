/** Groups findings by cause or by code. Kept, so that a change makes only those groups again that it is in. */
import {
  Cause,
  compareForReport,
  compareSeverity,
  type Finding,
  type FindingCode,
  findingCodes,
  type Severity,
} from '../../diagnosis/index.ts';
import { getOrInsert, type Uid } from '../../model/index.ts';
import { includesAll } from '../search/node-index.ts';
import type { Group } from './grouped-rows.ts';

/** A heading: a cause that holds several objects, or the code of findings without such a cause. */
export type ProblemHead =
  | { readonly by: 'cause'; readonly severity: Severity; readonly cause: Cause }
  | { readonly by: 'code'; readonly severity: Severity; readonly code: FindingCode };

export type ProblemGroup = Group<ProblemHead, Finding, readonly Finding[]>;

type InScope = (finding: Finding) => boolean;

/** Causes that hold several objects, and how many they hold. */
export interface Holding {
  readonly causes: number;
  readonly held: number;
}

/** Causes of more findings are folded, so that each takes one row. */
const UNFOLDED = 10;

export class ProblemGroups {
  readonly #codes: KeptFindings<FindingCode>;
  readonly #causes: KeptFindings<string>;
  /** Causes of findings out of scope. */
  readonly #elsewhere: KeptFindings<string>;
  #isByCode = false;
  /** Everything, until it changes: folding asks again. */
  #everything: readonly ProblemGroup[] | undefined;

  constructor(isInScope: InScope) {
    this.#codes = new KeptFindings(({ code }) => code, isInScope);
    this.#causes = new KeptFindings(Cause.keyOf, isInScope);
    this.#elsewhere = new KeptFindings(Cause.keyOf, finding => !isInScope(finding));
  }

  /** Returns false if findings are grouped like that already. */
  groupByCode(isByCode: boolean): boolean {
    if (isByCode === this.#isByCode) return false;
    this.#isByCode = isByCode;
    this.#everything = undefined;
    return true;
  }

  /** Replaces the findings on one object. */
  replace(uid: Uid, before: readonly Finding[], after: readonly Finding[]): void {
    this.#codes.replace(uid, before, after);
    this.#causes.replace(uid, before, after);
    this.#elsewhere.replace(uid, before, after);
    this.#everything = undefined;
  }

  scopeChanged(): void {
    this.#codes.forget();
    this.#causes.forget();
    this.#elsewhere.forget();
    this.#everything = undefined;
  }

  holding(): Holding {
    return holdingOf(this.#causes);
  }

  holdingElsewhere(): Holding {
    return holdingOf(this.#elsewhere);
  }

  /** Lists the groups of findings that contain all these lowercase words: causes first, the worst first. */
  all(terms: readonly string[]): readonly ProblemGroup[] {
    return terms.length > 0 ? this.#matching(terms) : (this.#everything ??= this.#matching(terms));
  }

  #matching(terms: readonly string[]): readonly ProblemGroup[] {
    const causes = this.#isByCode ? [] : [...this.#causes.groups()].filter(Cause.isShared);
    const caused = new Set(causes.flatMap(({ findings }) => findings));
    const groups: ProblemGroup[] = [];
    for (const group of causes) {
      const items = matching(group.sorted, terms);
      const cause = items === group.sorted ? group.cause : Cause.of(items);
      if (cause === undefined) continue;
      // Matches are shown.
      const folded = items.length > UNFOLDED && terms.length === 0;
      const head = { by: 'cause', severity: cause.severity, cause } as const;
      const leads = terms.length === 0;
      groups.push({ id: group.key, head, folded, leads, items });
    }
    for (const { key: code, sorted } of this.#codes.groups()) {
      const others = caused.size === 0 ? sorted : sorted.filter(each => !caused.has(each));
      const items = matching(others, terms);
      const [worst] = items;
      if (worst === undefined) continue;
      const { severity } = worst;
      const folded = severity === 'info' && terms.length === 0;
      groups.push({ id: code, head: { by: 'code', severity, code }, folded, items });
    }
    return groups.sort(({ head: a }, { head: b }) => compareHeads(a, b));
  }
}

/** Leaves out owners that references name wrongly: they hold nothing. */
function holdingOf(kept: KeptFindings<string>): Holding {
  let causes = 0;
  const held = new Set<Uid>();
  for (const group of kept.groups()) {
    if (!Cause.isShared(group) || Cause.isFault(group)) continue;
    causes += 1;
    for (const { object } of group.findings) held.add(object.uid);
  }
  return { causes, held: held.size };
}

function compareHeads(a: ProblemHead, b: ProblemHead): number {
  if (a.by === 'cause') return b.by === 'cause' ? Cause.compare(a.cause, b.cause) : -1;
  if (b.by === 'cause') return 1;
  return (
    compareSeverity(a.severity, b.severity) || findingCodes.indexOf(a.code) - findingCodes.indexOf(b.code)
  );
}

function matching(findings: readonly Finding[], terms: readonly string[]): readonly Finding[] {
  return terms.length === 0 ? findings : findings.filter(each => includesAll(searchLine(each), terms));
}

function searchLine({ object, code, brief, message, severity }: Finding): string {
  return `${object.kind} ${object.namespace}/${object.name} ${code} ${severity} ${brief} ${message}`.toLowerCase();
}

/** Findings in scope with the same key. Sorted on demand: a folded group may hold thousands. */
class KeptGroup<Key> {
  readonly key: Key;
  /** In any order. */
  readonly findings: readonly Finding[];
  #sorted: readonly Finding[] | undefined;
  #cause: Cause | undefined;

  constructor(key: Key, findings: readonly Finding[]) {
    this.key = key;
    this.findings = findings;
  }

  /** The worst first. */
  get sorted(): readonly Finding[] {
    return (this.#sorted ??= this.findings.toSorted(compareForReport));
  }

  get cause(): Cause | undefined {
    return (this.#cause ??= Cause.of(this.sorted));
  }
}

/** Findings by a key; those without one are left out. */
class KeptFindings<Key> {
  readonly #keyOf: (finding: Finding) => Key | undefined;
  readonly #isInScope: InScope;
  readonly #byKey = new Map<Key, Map<Uid, readonly Finding[]>>();
  readonly #groups = new Map<Key, KeptGroup<Key>>();

  constructor(keyOf: (finding: Finding) => Key | undefined, isInScope: InScope) {
    this.#keyOf = keyOf;
    this.#isInScope = isInScope;
  }

  forget(): void {
    this.#groups.clear();
  }

  replace(uid: Uid, before: readonly Finding[], after: readonly Finding[]): void {
    for (const key of new Set(before.map(this.#keyOf))) {
      if (key === undefined) continue;
      const byUid = this.#byKey.get(key);
      byUid?.delete(uid);
      if (byUid?.size === 0) this.#byKey.delete(key);
      this.#groups.delete(key);
    }
    for (const [key, findings] of Map.groupBy(after, this.#keyOf)) {
      if (key === undefined) continue;
      getOrInsert(this.#byKey, key, () => new Map<Uid, readonly Finding[]>()).set(uid, findings);
      this.#groups.delete(key);
    }
  }

  /** Yields groups with findings in scope, in any order. */
  *groups(): IterableIterator<KeptGroup<Key>> {
    for (const [key, byUid] of this.#byKey) {
      const group = getOrInsert(
        this.#groups,
        key,
        () => new KeptGroup(key, [...byUid.values()].flat().filter(this.#isInScope)),
      );
      if (group.findings.length > 0) yield group;
    }
  }
}
