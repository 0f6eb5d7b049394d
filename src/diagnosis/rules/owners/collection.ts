/**
 * Objects that the collector is to delete because none of their owners exists, or because their owner takes them along:
 * in a moment, or overdue (docs/kubernetes.md §10 row 19).
 */

import type { ChainLink, FindingDraft, OfferedRemedy } from '../../engine/finding.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { findingTitle } from '../../engine/words.ts';
import { advice } from '../../remedies/advice.ts';
import { hasLasted, whenCollected } from './collection-words.ts';
import { deleteNow, prune } from './reference-remedies.ts';
import {
  claimedBy,
  claimedOwners,
  type OwnerSurvey,
  ofStatus,
  sinceBoth,
  surveyedEvidence,
} from './survey.ts';

export function* pendingCollection(tracked: TrackedView, survey: OwnerSurvey): Iterable<FindingDraft> {
  if (survey.outcome !== 'deleted') return;
  const { object, judgement } = survey;
  const waiting = ofStatus(survey, 'WaitingForDependents');
  const since = dueSince(tracked, survey);
  const overdue = hasLasted(tracked, since);
  const cause =
    waiting.length > 0
      ? `its owner ${claimedOwners(waiting)} is being deleted in the foreground, with what it owns`
      : `its ${ownersDontExist(survey)}`;
  const doubt = judgement.certainty === 'exact' ? '' : ', as far as can be seen';
  const title = findingTitle(object);
  yield {
    code: overdue ? 'CollectionOverdue' : 'PendingCollection',
    since: overdue && mayBeFresh(tracked, survey) ? undefined : since,
    message: overdue
      ? `${title} should be gone${doubt}, and is still to be deleted: ${cause}${mayBeFresh(tracked, survey) ? ', and unless that is so only since a moment ago,' : ', so that'} the collector is not running or far behind, its request is refused, or it has lost sight of the object, which a restart of kube-controller-manager may mend.`
      : `${title} will be deleted${doubt} ${whenCollected(tracked, since)}: ${cause}.`,
    brief: `${overdue ? 'should be gone' : 'will be deleted'}: ${waiting.length > 0 ? `goes with ${claimedOwners(waiting)}` : ownersDontExist(survey)}`,
    evidence: survey.references.map(each => surveyedEvidence(survey, each)),
    related: survey.references.map(({ reference }) => claimedBy(tracked, object, reference)),
    certainty: judgement.certainty,
    chain: [
      { object: survey.node.identity, by: '', because: 'there; will be deleted', since: sinceBoth(object) },
      ...ownerLinks(tracked, survey),
    ],
    remedies: () => remediesFor(tracked, survey, overdue),
  };
}

function ownersDontExist({ references }: OwnerSurvey): string {
  const named = claimedOwners(references);
  return references.length === 1 ? `owner ${named} doesn't exist` : `owners ${named} don't exist`;
}

/** The latest of what must have happened. Where nobody saw an owner go, only that the object is there. */
function dueSince({ view }: TrackedView, { object, references }: OwnerSurvey): number | undefined {
  let since = object.creationTimestamp;
  for (const { status, owner, reference } of references) {
    const waiting = status === 'WaitingForDependents' ? owner?.deletionTimestamp : undefined;
    since = Math.max(since, waiting ?? view.vanishedAt(reference.uid) ?? 0);
  }
  return since === 0 ? undefined : since;
}

/** Whether an owner may have gone only now, for all that is known. */
function mayBeFresh({ view }: TrackedView, { references }: OwnerSurvey): boolean {
  return references.some(
    ({ status, reference }) => status === 'Absent' && view.vanishedAt(reference.uid) === undefined,
  );
}

function ownerLinks(tracked: TrackedView, { object, references }: OwnerSurvey): ChainLink[] {
  const [first] = references;
  if (first === undefined) return [];
  const others = references.length - 1;
  const besides = others === 0 ? '' : `, nor does any of ${others} more`;
  return [
    {
      object: claimedBy(tracked, object, first.reference),
      by: first.reference.controller === true ? 'controlled by' : 'owned by',
      because:
        first.status === 'WaitingForDependents'
          ? 'it is being deleted in the foreground'
          : `it doesn't exist${besides}`,
      since: first.owner?.deletionTimestamp,
    },
  ];
}

function remediesFor(tracked: TrackedView, survey: OwnerSurvey, overdue: boolean): readonly OfferedRemedy[] {
  const { object, references } = survey;
  const looks = overdue
    ? [
        advice(
          'collector-alive',
          'see whether kube-controller-manager runs: its lease is renewed every few seconds (kubectl get lease kube-controller-manager -n kube-system)',
          'safe',
        ),
        advice(
          'dry-run',
          `see whether the deletion is refused: delete ${object.name} with --dry-run=server`,
          'safe',
        ),
        advice(
          'plan-restart',
          'see what a restart of kube-controller-manager would delete: kubectl gc-tree plan restart',
          'safe',
        ),
      ]
    : [];
  const [only] = references;
  const keep = only !== undefined && references.length === 1 ? [prune(tracked, survey, only)] : [];
  return [...looks, ...keep, deleteNow(tracked, survey)];
}
