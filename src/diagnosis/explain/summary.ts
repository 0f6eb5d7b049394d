/** Findings as numbers: how many of which severity, and whether any is as bad as somebody cares for. */

import { compareBytes } from '../../graph/node.ts';
import { compareSeverity, findingCodes, type Severity } from '../engine/codes.ts';
import type { Finding } from '../engine/finding.ts';

export type SeverityCounts = Readonly<Record<Severity, number>>;

export function countSeverities(findings: Iterable<Pick<Finding, 'severity'>>): SeverityCounts {
  const counts = { error: 0, warning: 0, info: 0 };
  for (const { severity } of findings) counts[severity] += 1;
  return counts;
}

/** Whether a severity is at or above a threshold; at or above `never` is none. */
export function reaches(severity: Severity, threshold: Severity | 'never'): boolean {
  return threshold !== 'never' && compareSeverity(severity, threshold) <= 0;
}

/** Worst first; then by code in the order of docs/kubernetes.md §10, and by namespace, kind and name of the object. */
export function compareForReport(a: Finding, b: Finding): number {
  return (
    compareSeverity(a.severity, b.severity) ||
    findingCodes.indexOf(a.code) - findingCodes.indexOf(b.code) ||
    compareBytes(a.object.namespace, b.object.namespace) ||
    compareBytes(a.object.kind, b.object.kind) ||
    compareBytes(a.object.name, b.object.name)
  );
}
