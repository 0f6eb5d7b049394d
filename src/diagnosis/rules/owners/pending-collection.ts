/** Objects that the collector deletes next or should have deleted already (docs/kubernetes.md §10 row 19). */

import { objectIds, objectTitle } from '../../../model/index.ts';
import type { Severity } from '../../engine/codes.ts';
import {
  advice,
  type ChainLink,
  chainLink,
  type FindingDraft,
  type OfferedRemedy,
} from '../../engine/finding.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { type Obstacle, obstaclesFor, stoppedBy } from '../../manager/obstacles.ts';
import {
  claimed,
  claimedBy,
  claimedOwners,
  keepersOf,
  type OwnerSurvey,
  ofStatus,
  sinceBoth,
  surveyedEvidence,
} from './owner-survey.ts';
import { deleteNow, prune, restartAdvice } from './reference-remedies.ts';

export function* pendingCollection(survey: OwnerSurvey): Iterable<FindingDraft> {
  if (survey.outcome !== 'deleted') return;
  const { object, judgement, tracked } = survey;
  const waiting = ofStatus(survey, 'WaitingForDependents');
  const since = dueSince(survey);
  const overdue = !objectIds.wasNeverApplied(object) && hasLasted(tracked, since);
  const cause =
    waiting.length > 0
      ? `its owner ${claimedOwners(waiting)} is being deleted in the foreground, with what it owns`
      : `its ${ownersDontExist(survey)}`;
  const doubt = judgement.certainty === 'exact' ? '' : ', as far as can be seen';
  const title = objectTitle(object);
  const [obstacle] = overdue ? obstaclesFor(tracked, object) : [];
  yield {
    code: overdue ? 'CollectionOverdue' : 'PendingCollection',
    // The object would be lost soon after it is applied.
    ...(objectIds.wasNeverApplied(object) && { severity: 'warning' as const }),
    since: overdue && mayBeFresh(survey) ? undefined : since,
    message: overdue
      ? overdueMessage(survey, `${title} should be gone${doubt}`, cause, obstacle)
      : `${title} will be deleted${doubt} ${whenCollected(survey, since)}: ${cause}.`,
    brief: `${overdue ? 'should be gone' : 'will be deleted'}: ${waiting.length > 0 ? `deleted with ${claimedOwners(waiting)}` : ownersDontExist(survey)}${obstacle === undefined ? '' : `; ${obstacle.brief}`}`,
    evidence: [
      ...survey.references.map(each => surveyedEvidence(survey, each)),
      ...(obstacle?.evidence ?? []),
    ],
    related: [
      ...survey.references.map(({ reference }) => claimedBy(tracked, object, reference)),
      ...(obstacle?.related ?? []),
    ],
    certainty: judgement.certainty,
    chain: [
      chainLink(survey.node.identity, '', 'there; will be deleted', sinceBoth(object)),
      ...ownerLinks(survey),
      ...stoppedBy(obstacle),
    ],
    remedies: () => remediesFor(survey, overdue, obstacle),
  };
}

function overdueMessage(survey: OwnerSurvey, gone: string, cause: string, obstacle?: Obstacle): string {
  if (obstacle !== undefined) return `${gone}, and is still to be deleted ${obstacle.because}; ${cause}.`;
  const since = mayBeFresh(survey) ? ', and unless that is so only since a moment ago,' : ', so that';
  return `${gone}, and is still to be deleted: ${cause}${since} the collector is not running or far behind, its request is refused, or it has lost sight of the object, which a restart of kube-controller-manager may fix.`;
}

function ownersDontExist({ references }: OwnerSurvey): string {
  const named = claimedOwners(references);
  return references.length === 1 ? `owner ${named} doesn't exist` : `owners ${named} don't exist`;
}

/** Returns the time of the latest known cause; the object's creation if no owner's deletion was observed. */
function dueSince({ tracked: { view }, object, references }: OwnerSurvey): number | undefined {
  let since = object.creationTimestamp;
  for (const { status, owner, reference } of references) {
    const waiting = status === 'WaitingForDependents' ? owner?.deletionTimestamp : undefined;
    since = Math.max(since, waiting ?? view.vanishedAt(reference.uid) ?? 0);
  }
  return since === 0 ? undefined : since;
}

function mayBeFresh({ tracked: { view }, references }: OwnerSurvey): boolean {
  return references.some(
    ({ status, reference }) => status === 'Absent' && view.vanishedAt(reference.uid) === undefined,
  );
}

function ownerLinks({ tracked, object, references }: OwnerSurvey): ChainLink[] {
  const [first] = references;
  if (first === undefined) return [];
  const others = references.length - 1;
  const besides = others === 0 ? '' : `, nor does any of ${others} more`;
  return [
    chainLink(
      claimedBy(tracked, object, first.reference),
      first.reference.controller === true ? 'controlled by' : 'owned by',
      first.status === 'WaitingForDependents'
        ? 'it is being deleted in the foreground'
        : `it doesn't exist${besides}`,
      first.owner?.deletionTimestamp,
    ),
  ];
}

function remediesFor(survey: OwnerSurvey, overdue: boolean, obstacle?: Obstacle): readonly OfferedRemedy[] {
  const { object, references } = survey;
  const looks = overdue
    ? [
        ...(obstacle === undefined ? [] : [obstacle.advice]),
        advice(
          'collector-alive',
          'see whether kube-controller-manager runs: its lease is renewed every few seconds (kubectl get lease kube-controller-manager -n kube-system)',
        ),
        advice('dry-run', `see whether the deletion is refused: delete ${object.name} with --dry-run=server`),
        restartAdvice(),
      ]
    : [];
  const [only] = references;
  const keep = only !== undefined && references.length === 1 ? [prune(survey, only)] : [];
  return [...looks, ...keep, deleteNow(survey)];
}

/** In milliseconds: an unobstructed collector acts long before (docs/kubernetes.md §10 row 19). */
const OVERDUE = 2 * 60_000;

const APPLIED = 'soon after it is applied';
const SOON = 'as soon as the collector looks at it';
/**
 * A reference changed under its uid goes unnoticed until something else queues the object (docs/kubernetes.md §1.2). A
 * restart catches most, but may miss it again, so it is no deadline.
 */
const NEXT_LOOK = 'when the collector next looks at it, which may take a restart of kube-controller-manager';

export function whenCollected(
  { tracked, object }: Pick<OwnerSurvey, 'tracked' | 'object'>,
  since: number | undefined,
): string {
  if (objectIds.wasNeverApplied(object)) return APPLIED;
  return hasLasted(tracked, since) ? NEXT_LOOK : SOON;
}

/** Returns true also if the objects carry no times: the state may be old. */
export function hasLasted(tracked: TrackedView, since: number | undefined): boolean {
  return since === undefined || tracked.lasted(since, OVERDUE);
}

export function fateOf(survey: OwnerSurvey, when: string): string {
  const title = objectTitle(survey.object);
  const keepers = claimedOwners(keepersOf(survey));
  switch (survey.outcome) {
    case 'deleted': {
      const doubt = survey.judgement.certainty === 'exact' ? '' : ', as far as can be seen,';
      return `${title} will be deleted${doubt} ${when}`;
    }
    case 'pruned':
      return `${title} will lose an owner reference ${when}, and depend on ${keepers} alone`;
    case 'ownerless':
      return `${title} will lose all its owner references ${when}, and have no owner`;
    case 'unseen':
      return `${title} will be deleted or lose an owner reference ${when}, depending on whether ${keepers} exists, which cannot be seen`;
    case 'undecided': {
      const [unresolvable] = ofStatus(survey, 'Unresolvable');
      if (unresolvable !== undefined && keepers === '')
        return `${title} is still here only because the collector cannot look up its owner ${claimed(unresolvable)}`;
      return `${title} has an owner reference that counts for nothing, and the collector acts on it as soon as ${obstacleOf(survey)}`;
    }
    case 'never': {
      const [violating] = ofStatus(survey, 'ClusterScopeViolation');
      const because =
        violating === undefined ? 'another reference' : `its reference to ${claimed(violating)}`;
      return `${title} has an owner reference that counts for nothing, and the collector gives up on it because of ${because}`;
    }
    case 'stays':
      return `${title} has an owner reference that counts for nothing`;
  }
}

function obstacleOf(survey: OwnerSurvey): string {
  const [unresolvable] = ofStatus(survey, 'Unresolvable');
  const kind = unresolvable === undefined ? survey.object.type.kind : unresolvable.reference.kind;
  return `the kind ${kind} is served`;
}

const briefs: Readonly<Record<OwnerSurvey['outcome'], string>> = {
  deleted: 'will be deleted',
  pruned: 'loses the reference',
  ownerless: 'loses all owners',
  unseen: 'may be deleted',
  undecided: 'undecided',
  never: 'never collected',
  stays: 'counts for nothing',
};

export function briefFate({ outcome }: OwnerSurvey): string {
  return briefs[outcome];
}

export function severityOf({ outcome }: OwnerSurvey): Severity {
  return outcome === 'deleted' ? 'error' : 'warning';
}
