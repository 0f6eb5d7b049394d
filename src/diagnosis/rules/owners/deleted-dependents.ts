/** Objects that are being deleted for an owner that was recreated, and their likes that aren't yet (docs/kubernetes.md §10 row 13). */

import { OwnerStatus } from '../../../collector/index.ts';
import { patience } from '../../../forecast/index.ts';
import { isDeleting, objectDeletion } from '../../../graph/index.ts';
import {
  counted,
  enumerated,
  type KubeObject,
  type OwnerReference,
  objectTitle,
  objectTitleIn,
} from '../../../model/index.ts';
import {
  aboutOwner,
  advice,
  type FindingDraft,
  type OfferedRemedy,
  worstRisk,
} from '../../engine/finding.ts';
import type { Rule } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { inTurn } from '../../remedies/remedy-requests.ts';
import { chainOf } from '../../waits/chain.ts';
import {
  claimed,
  namesakeEvidence,
  type OwnerSurvey,
  type SurveyedReference,
  surveyOwners,
} from './owner-survey.ts';
import { repairTo } from './reference-remedies.ts';

export const deletedDependentRule: Rule = {
  appliesTo: ({ deleting, oddOwners }) => oddOwners && deleting,
  *judge({ node, object }, tracked) {
    const survey = surveyOwners(tracked, node, object);
    if (!survey.references.every(({ status }) => OwnerStatus.isDangling(status))) return;
    for (const each of survey.references)
      if (each.namesake !== undefined) yield reportDeletion(survey, each, each.namesake);
  },
};

function reportDeletion(survey: OwnerSurvey, each: SurveyedReference, namesake: KubeObject): FindingDraft {
  const { object, tracked } = survey;
  const title = objectTitle(object);
  const since = objectDeletion.requestedAt(object);
  const stale = `its owner reference is to an earlier ${claimed(each)}, and the one that exists now has another uid`;
  // Before that the former owner may have existed, and another client may have deleted the object.
  const isCause = since !== undefined && since >= namesake.creationTimestamp;
  return {
    code: 'OwnerRecreated',
    about: aboutOwner(each.reference),
    severity:
      listRemaining(tracked, each.reference).length > 0 && tracked.lasted(since, patience.usual)
        ? 'warning'
        : 'info',
    since,
    message: isCause
      ? `${title} is being deleted because ${stale}: the garbage collector deletes such an object, and does so again if it is restored with that reference.`
      : `${title} is being deleted, and the garbage collector deletes it in any case: ${stale}.`,
    brief: 'is being deleted: owner was recreated',
    evidence: namesakeEvidence(survey, each, namesake),
    related: [namesake],
    // An audit log would show who asked for it.
    certainty: 'assumed',
    chain: chainOf(tracked, object),
    remedies: () => [...offerRepairs(survey, each, namesake), adviseRecreation(object)],
  };
}

/** Lists the dependents of an owner that are still to be collected. */
function listRemaining(tracked: TrackedView, { uid }: OwnerReference): readonly KubeObject[] {
  const former = tracked.node(uid);
  return former === undefined ? [] : tracked.dependents(former).filter(each => !isDeleting(each));
}

/** Limits how many objects one remedy changes. */
const MOST = 500;
const NAMED = 5;

/** Repairs the same reference of objects that aren't being deleted yet. */
function offerRepairs(
  { tracked, object }: OwnerSurvey,
  { reference }: Pick<SurveyedReference, 'reference'>,
  namesake: KubeObject,
): readonly OfferedRemedy[] {
  const others = listRemaining(tracked, reference).slice(0, MOST);
  const repairs = others.flatMap(other => {
    const node = tracked.node(other.uid);
    if (node === undefined) return [];
    const survey = surveyOwners(tracked, node, other);
    const same = survey.references.filter(each => each.reference.uid === reference.uid);
    return same.length === 1 ? same.flatMap(each => repairTo(survey, each, namesake)) : [];
  });
  if (repairs.length === 0) return [];
  const names = others.map(each => objectTitleIn(each, object.namespace)).sort();
  const more = names.length - NAMED;
  const named = more > 0 ? [...names.slice(0, NAMED), counted(more, 'other')] : names;
  return [
    inTurn(
      {
        id: `repair-reference-of-others/${reference.uid}`,
        title: `point the owner references of ${enumerated(named)}, which ${others.length === 1 ? "isn't" : "aren't"} being deleted yet, at the ${objectTitle(namesake)} that is there`,
        risk: worstRisk(repairs.map(({ risk }) => risk)),
      },
      repairs,
    ),
  ];
}

function adviseRecreation({ name }: KubeObject): OfferedRemedy {
  return advice(
    'recreate-without-reference',
    `a deletion can't be undone: once ${name} is gone, create it again without that owner reference, or with the uid of the owner that is there`,
  );
}
