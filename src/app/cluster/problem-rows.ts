/** The rows of the Problems view: findings below headings by code, worst first. */
import {
  compareSeverity,
  type FindingCode,
  findingCodes,
  type Severity,
} from '../../diagnosis/engine/codes.ts';
import type { Finding } from '../../diagnosis/engine/finding.ts';
import { includesAll } from '../search/index.ts';
import type { Group, GroupedRow, GroupSource } from './grouped-rows.ts';

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

export function problemGroups(source: FindingGroups): GroupSource<ProblemHead, Finding> {
  return {
    groups(terms) {
      const groups: Group<ProblemHead, Finding>[] = [];
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
          compareSeverity(a.severity, b.severity) ||
          findingCodes.indexOf(a.code) - findingCodes.indexOf(b.code),
      );
    },
    keyOf: ({ object }, code) => `${code}/${object.uid}`,
  };
}

function searchLine({ object, code, brief, message, severity }: Finding): string {
  return `${object.kind} ${object.namespace}/${object.name} ${code} ${severity} ${brief} ${message}`.toLowerCase();
}
