/** Owner references that don't mean what they say (docs/kubernetes.md §10 rows 13 to 15, 20 and 21). */

import { OwnerStatus } from '../../../collector/index.ts';
import { type Identity, identityOfObject } from '../../../graph/index.ts';
import { type OwnerReference, objectTitle, objectTitleIn, shownName } from '../../../model/index.ts';
import { evidenceOn, fieldEvidence } from '../../engine/evidence.ts';
import { aboutOwner, bySafety, type ChainLink, chainLink, type FindingDraft } from '../../engine/finding.ts';
import type { Rule } from '../../engine/rule.ts';
import { pruneReference } from '../../remedies/change-reference.ts';
import { unreachableOwners } from './owner-kinds.ts';
import {
  claimed,
  claimedBy,
  claimedOwners,
  keepersOf,
  namesakeEvidence,
  type OwnerSurvey,
  ofStatus,
  type SurveyedReference,
  sinceBoth,
  surveyedEvidence,
  surveyOwners,
} from './owner-survey.ts';
import {
  briefFate,
  fateOf,
  hasLasted,
  pendingCollection,
  severityOf,
  whenCollected,
} from './pending-collection.ts';
import { deleteNow, prune, repairTo, restartAdvice } from './reference-remedies.ts';

/** Skips objects being deleted, which are deleted whatever their owners are (`deleted-dependents.ts`). */
export const referenceRule: Rule = {
  appliesTo: ({ deleting, oddOwners }) => oddOwners && !deleting,
  *judge({ node, object }, tracked) {
    const survey = surveyOwners(tracked, node, object);
    const wrong = survey.references.flatMap(each => wrongReference(survey, each) ?? []);
    yield* wrong;
    yield* unreachableOwners(survey);
    yield* duplicateUids(survey);
    if (wrong.length === 0) yield* pendingCollection(survey);
    yield* partlyDangling(survey);
  },
};

function wrongReference(survey: OwnerSurvey, each: SurveyedReference): FindingDraft | undefined {
  const { status, owner, namesake, reference } = each;
  if (status === 'Absent' && namesake !== undefined) return recreated(survey, each, namesake);
  if (owner === undefined) return undefined;
  if (status === 'OtherNamespace') return elsewhere(survey, each, owner);
  return status === 'Mismatched' && !hasRightTwin(survey, reference)
    ? mismatched(survey, each, owner)
    : undefined;
}

type Live = NonNullable<SurveyedReference['owner']>;

function onReference(
  survey: OwnerSurvey,
  { reference }: SurveyedReference,
  owner: Omit<ChainLink, 'by'>,
): Pick<FindingDraft, 'about' | 'certainty' | 'chain'> {
  return {
    about: aboutOwner(reference),
    certainty: survey.judgement.certainty,
    chain: [start(survey), { by: 'owned by', ...owner }],
  };
}

function ownerAndNamesake(owner: Live, { namesake }: SurveyedReference): Identity[] {
  return [owner, ...(namesake === undefined ? [] : [namesake])].map(identityOfObject);
}

/** docs/kubernetes.md §10 row 13. */
function recreated(survey: OwnerSurvey, each: SurveyedReference, namesake: Live): FindingDraft {
  const { object, tracked } = survey;
  const since = sinceBoth(object, namesake);
  // Right after an owner was replaced, its former dependents are about to be deleted, as they should be.
  const ordinary = namesake.creationTimestamp > object.creationTimestamp && !hasLasted(tracked, since);
  return {
    ...onReference(survey, each, {
      object: claimedBy(tracked, object, each.reference),
      because: `gone; the ${claimed(each)} that is there now has another uid`,
      since: sinceBoth(namesake),
    }),
    code: 'OwnerRecreated',
    severity: ordinary ? 'info' : severityOf(survey),
    since,
    message: `${fateOf(survey, whenCollected(survey, since))}: its owner reference is to an earlier ${claimed(each)}, and the one that exists now has another uid.`,
    brief: `${briefFate(survey)}: owner was recreated`,
    evidence: namesakeEvidence(survey, each, namesake),
    related: [namesake],
    remedies: () =>
      bySafety([
        ...repairTo(survey, each, namesake),
        restartAdvice(),
        prune(survey, each),
        deleteNow(survey),
      ]),
  };
}

/** docs/kubernetes.md §10 row 14. */
function mismatched(survey: OwnerSurvey, each: SurveyedReference, owner: Live): FindingDraft {
  const { object } = survey;
  const since = sinceBoth(object, owner);
  const real = objectTitleIn(owner, object.namespace);
  const called =
    real === claimed(each) ? `${shownName(each.reference.apiVersion)} ${claimed(each)}` : claimed(each);
  return {
    ...onReference(survey, each, {
      object: identityOfObject(owner),
      because: `there; the reference calls it ${called}`,
      since: sinceBoth(owner),
    }),
    code: 'OwnerReferenceMismatch',
    severity: severityOf(survey),
    message: `${fateOf(survey, whenCollected(survey, since))}: its owner reference has the uid of ${real} but calls it ${called}, and to the collector such an owner doesn't exist.`,
    brief: `${briefFate(survey)}: ${confusion(each, owner)}`,
    evidence: [
      surveyedEvidence(survey, each),
      {
        text: `${real}: apiVersion: ${owner.type.apiVersion}, metadata.uid: ${owner.uid}`,
        facts: [
          ...fieldEvidence(owner, 'apiVersion', owner.type.apiVersion).facts,
          ...fieldEvidence(owner, 'metadata.uid', owner.uid).facts,
        ],
      },
    ],
    related: ownerAndNamesake(owner, each),
    remedies: () =>
      bySafety([
        ...repairTo(survey, each, owner),
        ...repairTo(survey, each, each.namesake, 1),
        restartAdvice(),
        prune(survey, each),
        deleteNow(survey),
      ]),
  };
}

/** `owner is settings, not setings`; names the kind or apiVersion instead if that is wrong. */
function confusion({ reference }: SurveyedReference, { type, name }: Live): string {
  if (reference.kind !== type.kind) return `owner is ${type.kind}, not ${shownName(reference.kind)}`;
  return reference.name === name
    ? `owner is ${type.apiVersion}, not ${shownName(reference.apiVersion)}`
    : `owner is ${name}, not ${shownName(reference.name)}`;
}

/** docs/kubernetes.md §10 row 15. */
function elsewhere(survey: OwnerSurvey, each: SurveyedReference, owner: Live): FindingDraft {
  const { object } = survey;
  const since = sinceBoth(object, owner);
  const because =
    object.namespace === ''
      ? `its owner reference has the uid of ${objectTitle(owner)}, and what is in a namespace cannot own what is in none`
      : `its owner reference is to ${objectTitle(owner)}, and an owner in another namespace counts as one that doesn't exist`;
  return {
    ...onReference(survey, each, {
      object: identityOfObject(owner),
      because: `there; in namespace ${owner.namespace}, where the collector doesn't look for it`,
      since: sinceBoth(owner),
    }),
    code: 'OwnerInOtherNamespace',
    severity: severityOf(survey),
    since,
    message: `${fateOf(survey, whenCollected(survey, since))}: ${because}.`,
    brief: `${briefFate(survey)}: owner lives in ${owner.namespace}`,
    evidence: [
      object.namespace === ''
        ? 'metadata.namespace: none, it is cluster-scoped'
        : fieldEvidence(object, 'metadata.namespace', object.namespace),
      surveyedEvidence(survey, each),
      ...evidenceOn(owner, fieldEvidence(owner, 'metadata.uid', owner.uid)),
    ],
    related: ownerAndNamesake(owner, each),
    remedies: () =>
      bySafety([
        ...repairTo(survey, each, each.namesake),
        prune(survey, each, 'safe'),
        restartAdvice(),
        deleteNow(survey),
      ]),
  };
}

/** docs/kubernetes.md §10 row 20: the collector removes dangling references, and the object stays with the rest. */
function* partlyDangling(survey: OwnerSurvey): Iterable<FindingDraft> {
  if (survey.outcome !== 'pruned' && survey.outcome !== 'unseen') return;
  const absent = ofStatus(survey, 'Absent').filter(({ namesake }) => namesake === undefined);
  const [first] = absent;
  if (first === undefined) return;
  const { object, tracked } = survey;
  const keepers = keepersOf(survey);
  const solid = keepers.filter(({ status }) => status === 'Solid');
  const gone = claimedOwners(absent);
  const not = absent.length === 1 ? "doesn't" : "don't";
  yield {
    code: 'PartlyDangling',
    severity: solid.length > 0 ? 'info' : 'warning',
    message:
      solid.length > 0
        ? `${objectTitle(object)} stays as long as ${livesOnWith(solid)} does; its owner ${gone} ${not} exist, and the collector removes such references when it next looks at it.`
        : `${objectTitle(object)} will be deleted when the collector next looks at it, unless ${claimedOwners(keepers)} exists, which cannot be seen: its owner ${gone} ${not} exist.`,
    brief: solid.length > 0 ? `stays without ${gone}` : `may be deleted: ${gone} ${not} exist`,
    evidence: survey.references.map(each => surveyedEvidence(survey, each, ` (${inWords(each)})`)),
    related: absent.map(each => claimedBy(tracked, object, each.reference)),
    certainty: survey.judgement.certainty,
    chain: [
      start(survey),
      chainLink(
        claimedBy(tracked, object, first.reference),
        'owned by',
        `it doesn't exist${keepers.length === 0 ? '' : `; ${claimedOwners(keepers)} ${solid.length > 0 ? 'does' : 'cannot be seen'}`}`,
      ),
    ],
    remedies: () => absent.map(each => prune(survey, each, 'safe')),
  };
}

function livesOnWith(solid: readonly SurveyedReference[]): string {
  const owners = claimedOwners(solid);
  return solid.length === 1 ? owners : `any of ${owners}`;
}

function inWords({ status }: SurveyedReference): string {
  if (status === 'Solid') return 'exists';
  return status === 'Unknown'
    ? 'cannot be seen'
    : OwnerStatus.isDangling(status)
      ? "doesn't exist"
      : 'is being deleted';
}

/** docs/kubernetes.md §10 row 21: references are removed by uid, so the right one is removed with its wrong twin. */
function* duplicateUids(survey: OwnerSurvey): Iterable<FindingDraft> {
  const done = new Set<string>();
  for (const right of ofStatus(survey, 'Solid')) {
    const { uid } = right.reference;
    const twins = survey.references.filter(
      each => each.reference.uid === uid && OwnerStatus.isDangling(each.status),
    );
    const [wrong] = twins;
    if (wrong === undefined || done.has(uid)) continue;
    done.add(uid);
    yield duplicated(survey, right, twins);
  }
}

function duplicated(
  survey: OwnerSurvey,
  right: SurveyedReference,
  twins: readonly SurveyedReference[],
): FindingDraft {
  const { object, tracked } = survey;
  const since = sinceBoth(object, right.owner);
  const wrongly = claimedOwners(twins);
  const result =
    survey.outcome === 'ownerless' || survey.outcome === 'pruned'
      ? fateOf(survey, whenCollected(survey, since))
      : `${objectTitle(object)} is not protected by its owner ${claimed(right)}`;
  return {
    code: 'DuplicateOwnerUid',
    about: aboutOwner(right.reference),
    since,
    message: `${result}: ${claimed(right)} stands twice among them by its uid, once rightly and once as ${wrongly}, and the collector removes both together.`,
    brief: `${briefFate(survey)}: ${claimed(right)} also stands as ${wrongly}`,
    evidence: [right, ...twins].map(each => surveyedEvidence(survey, each)),
    related: [claimedBy(tracked, object, right.reference)],
    certainty: survey.judgement.certainty,
    chain: [
      start(survey),
      chainLink(
        claimedBy(tracked, object, right.reference),
        'owned, twice by the same uid, by',
        `there; once rightly and once as ${wrongly}`,
        sinceBoth(right.owner),
      ),
    ],
    remedies: () =>
      twins.map((each, nth) => {
        const remedy = pruneReference(tracked, object, each.reference, {
          risk: twins.length === 1 ? 'safe' : 'caution',
          title: `remove only the wrong reference, to ${claimed(each)}, from ${object.name}`,
        });
        return nth === 0 ? remedy : { ...remedy, id: `${remedy.id}/${each.index}` };
      }),
  };
}

function hasRightTwin({ references }: OwnerSurvey, { uid }: OwnerReference): boolean {
  return references.some(({ reference, status }) => reference.uid === uid && status === 'Solid');
}

function start(survey: OwnerSurvey): ChainLink {
  return chainLink(survey.node.identity, '', `there; ${briefFate(survey)}`, sinceBoth(survey.object));
}
