/**
 * What the collector will make of an object and when, in words that all findings on owner references share, so that
 * none of them says more than the survey knows: above all, never that nothing will happen.
 */
import type { Severity } from '../../engine/codes.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { findingTitle } from '../../engine/words.ts';
import { claimed, claimedOwners, keepersOf, type OwnerSurvey, ofStatus } from './survey.ts';

/** A running collector with nothing in its way has acted long before (docs/kubernetes.md §10 row 19). */
const OVERDUE = 2 * 60_000;

const SOON = 'as soon as the collector looks at it';
/**
 * A reference that was changed under its uid goes unnoticed until something else queues the object
 * (docs/kubernetes.md §1.2). A restart judges most of them anew and is no latest time all the same: what was missed
 * once may be missed again. What it would do here is for its forecast to say.
 */
const NEXT_LOOK = 'when the collector next looks at it, which may take a restart of kube-controller-manager';

/** When the collector acts on something that has been so since then, as far as that can be told. */
export function whenCollected(tracked: TrackedView, since: number | undefined): string {
  return hasLasted(tracked, since) ? NEXT_LOOK : SOON;
}

/** Where the objects carry no times, it may have been so for long. */
export function hasLasted(tracked: TrackedView, since: number | undefined): boolean {
  return since === undefined || tracked.lasted(since, OVERDUE);
}

/** The beginning of a sentence: `Secret shop/token will be deleted as soon as the collector looks at it`. */
export function fateOf(survey: OwnerSurvey, when: string): string {
  const title = findingTitle(survey.object);
  const keepers = claimedOwners(keepersOf(survey));
  switch (survey.outcome) {
    case 'deleted': {
      const doubt = survey.judgement.certainty === 'exact' ? '' : ', as far as can be seen,';
      return `${title} will be deleted${doubt} ${when}`;
    }
    case 'pruned':
      return `${title} will lose an owner reference ${when}, and go by ${keepers} alone`;
    case 'ownerless':
      return `${title} will lose all its owner references ${when}, and belong to nobody`;
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

/** What has to happen before the collector can decide. */
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

/** The same for a column. */
export function briefFate({ outcome }: OwnerSurvey): string {
  return briefs[outcome];
}

/** An error where the object may be lost; otherwise a reference that doesn't do what it was written for. */
export function severityOf({ outcome }: OwnerSurvey): Severity {
  return outcome === 'deleted' || outcome === 'unseen' ? 'error' : 'warning';
}
