/**
 * The rows of the Problems view: findings below headings by code, worst first, folded by hand and narrowed by words.
 * Made anew when somebody looks after something changed: findings are few beside objects.
 */
import { compareSeverity, type FindingCode, findingCodes, type Severity } from '../diagnosis/codes.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { includesAll, searchTerms } from './search-index.ts';

export type ProblemRow =
  | {
      readonly kind: 'group';
      /** Names the row as long as it exists, whatever comes and goes around it. */
      readonly key: string;
      readonly code: FindingCode;
      /** The worst in the group. */
      readonly severity: Severity;
      readonly count: number;
      readonly folded: boolean;
    }
  | { readonly kind: 'finding'; readonly key: string; readonly finding: Finding };

/** Where the findings come from, each group worst first. */
export interface FindingGroups {
  byCode(): Iterable<readonly [FindingCode, readonly Finding[]]>;
}

interface Group {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly findings: readonly Finding[];
}

export class ProblemRows {
  private readonly source: FindingGroups;
  private readonly choices = new Map<FindingCode, boolean>();
  private terms: readonly string[] = [];
  private made: readonly ProblemRow[] | undefined;

  constructor(source: FindingGroups) {
    this.source = source;
  }

  invalidate(): void {
    this.made = undefined;
  }

  get length(): number {
    return this.all().length;
  }

  at(index: number): ProblemRow | undefined {
    return this.all()[index];
  }

  window(start: number, count: number): readonly ProblemRow[] {
    return this.all().slice(start, start + count);
  }

  /** -1 where no such row is shown. */
  indexOf(key: string): number {
    return this.all().findIndex(row => row.key === key);
  }

  /** The heading above a row; its own index for a heading. */
  headingOf(index: number): number {
    for (let at = index; at > 0; at--) if (this.at(at)?.kind === 'group') return at;
    return 0;
  }

  setFolded(code: FindingCode, folded: boolean): void {
    this.choices.set(code, folded);
    this.invalidate();
  }

  setAllFolded(folded: boolean): void {
    for (const code of findingCodes) this.choices.set(code, folded);
    this.invalidate();
  }

  /** Shows only findings that contain every word; `''` shows all. */
  setFilter(query: string): void {
    this.terms = searchTerms(query);
    this.invalidate();
  }

  private all(): readonly ProblemRow[] {
    this.made ??= [...this.make()];
    return this.made;
  }

  private *make(): Generator<ProblemRow> {
    const groups: Group[] = [];
    for (const [code, all] of this.source.byCode()) {
      const findings = this.terms.length === 0 ? all : all.filter(finding => this.matches(finding));
      const [worst] = findings;
      if (worst !== undefined) groups.push({ code, severity: worst.severity, findings });
    }
    groups.sort(
      (a, b) =>
        compareSeverity(a.severity, b.severity) ||
        findingCodes.indexOf(a.code) - findingCodes.indexOf(b.code),
    );
    for (const { code, severity, findings } of groups) {
      const folded = this.isFolded(code, severity);
      yield { kind: 'group', key: code, code, severity, count: findings.length, folded };
      if (folded) continue;
      const places = new Map<string, number>();
      for (const finding of findings) {
        const key = `${code}/${finding.object.uid}`;
        const place = places.get(key) ?? 0;
        places.set(key, place + 1);
        yield { kind: 'finding', key: place === 0 ? key : `${key}/${place}`, finding };
      }
    }
  }

  /** What was found by words is shown; what is only worth knowing doesn't stand in the way of the rest. */
  private isFolded(code: FindingCode, severity: Severity): boolean {
    return this.choices.get(code) ?? (severity === 'info' && this.terms.length === 0);
  }

  private matches({ object, code, brief, message, severity }: Finding): boolean {
    const line =
      `${object.kind} ${object.namespace}/${object.name} ${code} ${severity} ${brief} ${message}`.toLowerCase();
    return includesAll(line, this.terms);
  }
}
