/** Foreground deletions that wait for themselves, alone or in a cycle (docs/kubernetes.md §2.4, §10 rows 4 and 5). */

import type { ApplicableRemedy, HoldCycle } from '../../../forecast/index.ts';
import { enumerated, type KubeObject, objectTitleIn } from '../../../model/index.ts';
import {
  blockingReferences,
  deletionEvidence,
  evidenceOn,
  referenceEvidence,
} from '../../engine/evidence.ts';
import type { EvidenceLine, FindingDraft, OfferedRemedy } from '../../engine/finding.ts';
import { clearBlock, pruneReference } from '../../remedies/change-reference.ts';
import { redelete } from '../../remedies/deletion-remedies.ts';
import { type ForegroundCase, lead, onCase, relatedOf, way, wayEvidence } from './foreground-case.ts';

export function selfOwnerDeadlock(at: ForegroundCase): FindingDraft {
  const { tracked, object, decided, stuck } = at;
  const culprit = decided.object;
  const itself = culprit.uid === object.uid;
  const references = blockingReferences(culprit, culprit);
  const why = 'itself: it names itself as an owner, with blockOwnerDeletion';
  // Built now, because the risk of pruning depends on the other owners, which are then followed as well.
  const remedies = itself
    ? [
        clearBlock(tracked, object, object),
        ...references.slice(0, 1).map(each =>
          pruneReference(tracked, object, each, {
            title: `remove the reference of ${object.name} to itself`,
          }),
        ),
        redelete(object, 'background'),
      ]
    : [
        // One dependent can be released in two ways: it stops waiting for itself, or its owner stops waiting for it.
        apart(clearBlock(tracked, culprit, culprit)),
        ...stuck.slice(0, 5).map(each => clearBlock(tracked, object, each)),
      ];
  return {
    ...onCase(at),
    code: 'SelfOwnerDeadlock',
    message: itself ? `${lead(at, true)} ${why}.` : `${lead(at, true)} ${way(at)}, which waits for ${why}.`,
    brief: itself ? 'waits for itself' : `waits for ${culprit.name}, which waits for itself`,
    evidence: [
      ...wayEvidence(at),
      ...references.flatMap(each =>
        itself ? [referenceEvidence(culprit, each)] : evidenceOn(culprit, referenceEvidence(culprit, each)),
      ),
    ],
    remedies: () => remedies,
  };
}

function apart(remedy: ApplicableRemedy): ApplicableRemedy {
  return { ...remedy, id: `${remedy.id}/itself` };
}

/** All members wait in foreground deletion, so the collector can't break the cycle at any of them. */
export function cycleDeadlock(at: ForegroundCase, { members }: HoldCycle): FindingDraft {
  const { object } = at;
  const inside = members.some(({ uid }) => uid === object.uid);
  const names = enumerated(members.map(each => objectTitleIn(each, object.namespace)));
  const others = members.filter(({ uid }) => uid !== object.uid);
  const titles = enumerated(others.map(each => objectTitleIn(each, object.namespace)));
  const cycle =
    'in a cycle of blocking owner references, and all of them are being deleted in the foreground';
  return {
    ...onCase(at),
    code: 'ForegroundCycleDeadlock',
    message: inside
      ? `${lead(at, true)} ${titles}, and so at last for itself: they wait for each other ${cycle}.`
      : `${lead(at, true)} ${way(at)}, and ${names} wait for each other ${cycle}.`,
    brief: inside
      ? `waits in a cycle with ${enumerated(others.map(({ name }) => name))}`
      : `waits for ${names}, which wait for each other`,
    evidence: [
      ...(inside ? [] : wayEvidence(at)),
      ...members.flatMap((each, i) => edge(each, members[i - 1] ?? members.at(-1))),
    ],
    related: relatedOf(at, ...members),
    remedies: () => remedies(at, members, inside),
  };
}

function edge(member: KubeObject, waiting: KubeObject | undefined): EvidenceLine[] {
  if (waiting === undefined) return [];
  const lines = blockingReferences(member, waiting).map(each => referenceEvidence(member, each));
  return evidenceOn(member, ...deletionEvidence(member), ...lines);
}

function remedies(
  { tracked, object, stuck }: ForegroundCase,
  members: readonly KubeObject[],
  inside: boolean,
): OfferedRemedy[] {
  const [first, second] = members;
  const opening =
    inside || first === undefined || second === undefined ? [] : [clearBlock(tracked, first, second)];
  const ids = new Set(opening.map(({ id }) => id));
  const direct = stuck.slice(0, 5).map(each => clearBlock(tracked, object, each));
  return [
    ...opening,
    ...direct.filter(({ id }) => !ids.has(id)),
    ...(inside ? [redelete(object, 'background')] : []),
  ];
}
