/**
 * A foreground deletion that waits for a dependent which the collector never deletes: it fails on one of its owner
 * references each time (docs/kubernetes.md §2.3, §10 rows 2 and 3).
 */
import type { Hold } from '../../../forecast/holds.ts';
import { asShown } from '../../../model/text/shown.ts';
import { parseApiVersion } from '../../../model/types/resource-type.ts';
import { evidenceOn, referenceEvidence } from '../../engine/evidence.ts';
import type { EvidenceLine, FindingDraft } from '../../engine/finding.ts';
import { advice } from '../../remedies/advice.ts';
import { deleteObject } from '../../remedies/deletion.ts';
import { clearBlock, pruneReference } from '../../remedies/references.ts';
import { chainOfCase, type ForegroundCase, lead, PATIENCE, relatedOf, way, wayEvidence } from './case.ts';

type Uncollected = Extract<Hold, { by: 'uncollected' }>;

export function blockedByUnresolvableOwner(at: ForegroundCase, { reference }: Uncollected): FindingDraft {
  const { tracked, object, decided, stuck, since } = at;
  const dependent = decided.object;
  const { apiVersion, kind, name } = asShown(reference);
  const { group, version } = parseApiVersion(reference.apiVersion);
  const outage = tracked.view.groupFailed(group, version);
  const why = outage
    ? `the API of ${apiVersion} cannot be reached now, so nobody can tell whether its other owner ${kind} ${name} exists`
    : `nothing serves ${kind} of ${apiVersion}, so nobody can tell whether its other owner ${name} exists`;
  const severity = outage ? (tracked.lasted(since, PATIENCE) ? 'warning' : 'info') : 'error';
  return {
    code: 'ForegroundBlockedByUnresolvableOwner',
    severity,
    since,
    message: `${lead(at, severity !== 'info')} ${way(at)}, which the garbage collector doesn't delete: ${why}.`,
    brief: `waits for ${dependent.name}: its owner kind ${kind} of ${apiVersion} isn't served`,
    evidence: [
      ...wayEvidence(at),
      ...evidenceOn(dependent, referenceEvidence(dependent, reference)),
      outage ? `discovery of ${apiVersion}: fails` : `discovery: no ${kind} in ${apiVersion}`,
    ],
    related: relatedOf(at),
    certainty: outage ? 'assumed' : 'exact',
    chain: chainOfCase(at),
    remedies: () => [
      ...(outage
        ? [
            advice(
              'restore-api',
              `get the API of ${apiVersion} to answer again: the garbage collector then goes on by itself`,
              'safe',
            ),
          ]
        : []),
      ...stuck.slice(0, 5).map(each => clearBlock(tracked, object, each)),
      pruneReference(tracked, dependent, reference, {
        risk: 'caution',
        title: `take the reference to ${kind} ${name} off ${dependent.name}: the garbage collector then deletes ${dependent.name}`,
      }),
    ],
  };
}

export function blockedByClusterScopedDependent(
  at: ForegroundCase,
  { reference }: Uncollected,
): FindingDraft {
  const { tracked, object, decided, stuck, since } = at;
  const dependent = decided.object;
  const { kind, name } = asShown(reference);
  return {
    code: 'ForegroundBlockedByClusterScopedDependent',
    since,
    message: `${lead(at, true)} ${way(at)}, which the garbage collector never deletes: it lies outside of all namespaces, and its owner ${kind} ${name} is in one.`,
    brief: `waits for ${dependent.type.kind} ${dependent.name}, which is never collected`,
    evidence: distinct([
      ...wayEvidence(at),
      ...evidenceOn(dependent, referenceEvidence(dependent, reference), 'cluster-scoped'),
    ]),
    related: relatedOf(at),
    certainty: 'exact',
    chain: chainOfCase(at),
    remedies: () => [
      ...stuck.slice(0, 5).map(each => clearBlock(tracked, object, each)),
      pruneReference(tracked, dependent, reference, { risk: 'caution' }),
      deleteObject(tracked, dependent, 'background', { risk: 'caution' }),
    ],
  };
}

/** The way may end with the very reference. */
function distinct(lines: readonly EvidenceLine[]): EvidenceLine[] {
  return [...new Map(lines.map(line => [line.text, line])).values()];
}
