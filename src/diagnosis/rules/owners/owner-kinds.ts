/** Owner references whose kind stops the collector, whatever the others are (docs/kubernetes.md §10 rows 16 to 18). */

import { OwnerStatus } from '../../../collector/index.ts';
import { behaviourOf, identityOfObject, isDeleting } from '../../../graph/index.ts';
import {
  type KubeObject,
  objectTitle,
  objectTitleIn,
  serverReleases,
  shownName,
  textEscapes,
} from '../../../model/index.ts';
import { type FailingApi, outageOf } from '../../cluster/failing-apis.ts';
import { namespaceGoing } from '../../cluster/namespace-content.ts';
import {
  aboutOwner,
  advice,
  bySafety,
  type ChainLink,
  chainLink,
  type FindingDraft,
  type OfferedRemedy,
} from '../../engine/finding.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { type Suggestion, suggestionFor } from './kind-suggestions.ts';
import {
  claimed,
  claimedBy,
  type OwnerSurvey,
  ofStatus,
  type SurveyedReference,
  sinceBoth,
  surveyedEvidence,
} from './owner-survey.ts';
import { deleteNow, prune, repairTo } from './reference-remedies.ts';

export function* unreachableOwners(survey: OwnerSurvey): Iterable<FindingDraft> {
  for (const each of ofStatus(survey, 'ClusterScopeViolation')) yield namespacedOwner(survey, each);
  for (const each of ofStatus(survey, 'Unresolvable', 'Unknown')) {
    const outage = outageOf(survey.tracked, each.reference.apiVersion);
    if (outage !== undefined) yield unavailable(survey, each, outage);
    else if (each.status === 'Unresolvable') yield unresolvable(survey, each);
  }
}

/** docs/kubernetes.md §10 row 16. */
function namespacedOwner(survey: OwnerSurvey, each: SurveyedReference): FindingDraft {
  const { object, tracked } = survey;
  const others = object.owners.length > 1 ? ', and asks no further about its other owners' : '';
  const releases = assumedReleases(tracked);
  const by = releases === undefined ? '' : ` by ${releases}`;
  return {
    code: 'NamespacedOwnerOfClusterScoped',
    about: aboutOwner(each.reference),
    since: sinceBoth(object),
    message: `${objectTitle(object)} is never collected${by}: it is in no namespace, and its owner reference is to ${claimed(each)}, a kind that lives in one; the collector gives up on it${others}.`,
    brief: 'never collected: its owner is namespaced',
    evidence: [surveyedEvidence(survey, each), 'metadata.namespace: none, it is cluster-scoped'],
    related: each.owner === undefined ? [] : [each.owner],
    certainty: survey.judgement.certainty,
    chain: [
      start(survey, 'there; never collected'),
      chainLink(
        each.owner === undefined ? claimedBy(tracked, object, each.reference) : identityOfObject(each.owner),
        'owned by',
        `${shownName(each.reference.kind)} is a kind that lives in namespaces, and the collector doesn't know in which to look`,
      ),
    ],
    remedies: () =>
      bySafety([
        // The reference only does harm if it is the only one, or if another owner is alive.
        survey.references.every(other => other === each || !OwnerStatus.isDangling(other.status))
          ? prune(survey, each, object.owners.length === 1 ? 'safe' : 'caution')
          : dangerousPrune(survey, each),
        deleteNow(survey),
      ]),
  };
}

/** Names the releases that leave such an object alone; undefined if the server is known to be one of them. */
export function assumedReleases({ view }: TrackedView): string | undefined {
  return behaviourOf(view).surelyHas('leavesNamespacedOwners')
    ? undefined
    : `Kubernetes ${serverReleases.firstSince('leavesNamespacedOwners')} or newer`;
}

/** The reference keeps the object; without it, the remaining dangling owners may decide. */
function dangerousPrune(survey: OwnerSurvey, each: SurveyedReference): OfferedRemedy {
  const remedy = prune(survey, each);
  if (remedy.risk !== 'dangerous') return remedy;
  const { name } = survey.object;
  return {
    ...remedy,
    title: `${remedy.title}; what is left of its owners doesn't exist, so ${name} is deleted when the collector next looks at it`,
  };
}

/** docs/kubernetes.md §10 row 17. */
function unresolvable(survey: OwnerSurvey, each: SurveyedReference): FindingDraft {
  const { object, tracked } = survey;
  const { apiVersion, kind, name } = textEscapes.asShown(each.reference);
  const suggestion = suggestionFor(tracked, each.reference, object.namespace);
  const meant = suggestion === undefined ? '' : meaning(suggestion, object);
  const fate = fateOfMeant(survey, each);
  const doubt = survey.judgement.certainty === 'exact' ? '' : ', and no definition of it can be seen';
  return {
    code: 'OwnerKindUnresolvable',
    severity: fate === 'other' ? 'warning' : 'info',
    about: aboutOwner(each.reference),
    message: `${objectTitle(object)} is not collected as long as ${apiVersion} ${kind}, the kind of its owner ${name}, isn't served${doubt}: the collector cannot tell whether the owner exists, and tries again and again${meant}${allTheSame(tracked, object)}.`,
    brief: `undecided: ${kind} isn't served${suggestion === undefined ? '' : `; ${suggestion.type.apiVersion} ${suggestion.type.kind}?`}`,
    evidence: [
      surveyedEvidence(survey, each),
      `served kinds: no ${apiVersion} ${kind}`,
      suggestion !== undefined && suggestionEvidence(suggestion, object),
    ],
    related: suggestion?.object === undefined ? [] : [suggestion.object],
    certainty: fate === 'unseen' ? 'assumed' : survey.judgement.certainty,
    chain: [
      start(survey, 'there; undecided'),
      chainLink(
        claimedBy(tracked, object, each.reference),
        'owned by',
        `the API server serves no ${apiVersion} ${kind}`,
      ),
    ],
    remedies: () => unresolvableRemedies(survey, each, suggestion),
  };
}

/** Finds an owner whose kind is only in the wrong case: while it lives, no collection is pending. */
function fateOfMeant(
  { object, tracked }: OwnerSurvey,
  { reference }: SurveyedReference,
): 'lives' | 'unseen' | 'other' {
  const { apiVersion, kind, name, uid } = reference;
  const type = tracked.view.catalog.types.find(
    each => each.apiVersion === apiVersion && each.kind.toLowerCase() === kind.toLowerCase(),
  );
  if (type === undefined) return 'other';
  const namespace = type.namespaced ? object.namespace : '';
  const owner = tracked.find(type, namespace, name);
  if (owner?.uid === uid && !isDeleting(owner)) return 'lives';
  return owner === undefined && !tracked.sees(type, namespace) ? 'unseen' : 'other';
}

function meaning({ type, object, certain }: Suggestion, dependent: KubeObject): string {
  if (object !== undefined && certain)
    return `; its uid is that of ${objectTitleIn(object, dependent.namespace)}, whose apiVersion is ${type.apiVersion}`;
  const there = object === undefined ? '' : `, which exists under that name`;
  return `; ${type.apiVersion} ${type.kind} may be meant${there}`;
}

function suggestionEvidence({ type, object }: Suggestion, dependent: KubeObject): string {
  return object === undefined
    ? `served kinds: ${type.apiVersion} ${type.kind}`
    : `${objectTitleIn(object, dependent.namespace)}: apiVersion: ${type.apiVersion}, metadata.uid: ${object.uid}`;
}

function unresolvableRemedies(
  survey: OwnerSurvey,
  each: SurveyedReference,
  suggestion: Suggestion | undefined,
): readonly OfferedRemedy[] {
  const { object } = survey;
  const { apiVersion, kind, name } = textEscapes.asShown(each.reference);
  const owner = suggestion?.object;
  const inReach = owner !== undefined && (owner.namespace === '' || owner.namespace === object.namespace);
  // An object with only the same name may not be the intended one.
  const repairs = inReach && !isDeleting(owner) ? repairTo(survey, each, owner) : [];
  const offered = repairs.map(repair =>
    suggestion?.certain === true || repair.risk !== 'safe' ? repair : { ...repair, risk: 'caution' as const },
  );
  return bySafety([
    ...offered,
    dangerousPrune(survey, each),
    deleteNow(survey),
    advice(
      `serve/${each.reference.apiVersion}/${each.reference.kind}`,
      `serve ${apiVersion} ${kind} again: unless ${kind} ${name} comes back with its old uid, ${object.name} and all else that refers to such owners is deleted`,
      'dangerous',
    ),
  ]);
}

/** docs/kubernetes.md §10 row 18. */
function unavailable(
  survey: OwnerSurvey,
  each: SurveyedReference,
  { service: apiService, reason, reported, since }: FailingApi,
): FindingDraft {
  const { object, tracked } = survey;
  const { apiVersion } = textEscapes.asShown(each.reference);
  const service = apiService?.facts?.kind === 'APIService' ? apiService.facts.service : '';
  const behind = service === '' ? '' : `Service ${service}: `;
  return {
    code: 'OwnerApiUnavailable',
    about: aboutOwner(each.reference),
    since,
    message: `${objectTitle(object)} is not collected while the API ${apiVersion} of its owner ${claimed(each)} doesn't answer (${behind}${reason})${allTheSame(tracked, object)}.`,
    brief: `undecided: ${apiVersion} doesn't answer`,
    evidence: [
      surveyedEvidence(survey, each),
      apiService === undefined || !reported
        ? `discovery of ${apiVersion}: ${reason}`
        : `APIService ${apiService.name}: status.conditions[Available]: False, ${reason}`,
    ],
    related: apiService === undefined ? [] : [apiService],
    certainty: reported ? 'exact' : 'assumed',
    chain: [
      start(survey, 'there; undecided'),
      chainLink(
        claimedBy(tracked, object, each.reference),
        'owned by',
        `its API ${apiVersion} doesn't answer`,
      ),
      ...(apiService === undefined
        ? []
        : [chainLink(apiService, 'served through', `not available; ${reason}`, since)]),
    ],
    remedies: () => [
      advice(
        `restore-api/${apiVersion}`,
        service === ''
          ? `bring the API ${apiVersion} back: then the collector looks the owner up, and keeps or deletes ${object.name} accordingly`
          : `bring Service ${service} back: then the API ${apiVersion} answers, and the collector keeps or deletes ${object.name} by whether its owner exists`,
      ),
    ],
  };
}

/** An undecided collector doesn't mean that the object stays. */
function allTheSame(tracked: TrackedView, object: KubeObject): string {
  const going = namespaceGoing(tracked, object);
  return going === '' ? '' : `; ${object.name} is deleted all the same, because ${going}`;
}

function start(survey: OwnerSurvey, because: string): ChainLink {
  return chainLink(survey.node.identity, '', because, sinceBoth(survey.object));
}
