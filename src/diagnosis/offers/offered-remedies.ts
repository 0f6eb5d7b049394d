/** Remedies for one object, from its findings and its state, and the remedy that an id names. */
import {
  type ApplicableRemedy,
  type Forecaster,
  type RemedyRequest,
  requestWords,
} from '../../forecast/index.ts';
import { type ClusterView, isDeleting } from '../../graph/index.ts';
import type { KubeObject, Sliced, Uid } from '../../model/index.ts';
import type { Diagnosis } from '../engine/diagnosis.ts';
import { bySafety, compareRisk, isApplicable, type OfferedRemedy } from '../engine/finding.ts';
import { genericRemedies, genericRemedy } from '../remedies/generic.ts';
import { isForMany } from '../remedies/many/extent.ts';
import { idForMany, remediesForAlike, remedyForAll, remedyForMany, sendsSame } from './remedies-for-many.ts';
import { freeingInSlices } from './remedy-effects.ts';
import { unblockAll } from './unblock-all.ts';

/** Lists what the findings offer, safest first. If two rate the same remedy differently, the higher risk counts. */
function remediesOf(diagnosis: Diagnosis, object: KubeObject): OfferedRemedy[] {
  const byId = new Map<string, OfferedRemedy>();
  for (const finding of diagnosis.of(object.uid)) {
    for (const remedy of finding.remedies()) {
      const known = byId.get(remedy.id);
      if (known === undefined || compareRisk(remedy, known) > 0) byId.set(remedy.id, remedy);
    }
  }
  return bySafety([...byId.values()]);
}

/** Like `remediesOf` with the same numbers, followed by the object's other remedies, each part safest first. */
function everyRemedyOf(diagnosis: Diagnosis, object: KubeObject): OfferedRemedy[] {
  const offered = remediesOf(diagnosis, object);
  const ids = new Set(offered.map(({ id }) => id));
  const others = [
    ...genericRemedies(diagnosis.tracked, object),
    ...remediesForAlike(diagnosis, object),
  ].filter(({ id }) => !ids.has(id));
  const all = remedyForAll(diagnosis, [object], [...offered, ...others]);
  return [...offered, ...bySafety([...others, ...all])];
}

/**
 * Returns undefined if the object has no such remedy. `among`: the objects the user has chosen, including this one. They
 * limit a remedy for many; if there are several, only remedies for many are returned.
 */
function remedyFor(
  diagnosis: Diagnosis,
  object: KubeObject,
  id: string,
  among?: readonly KubeObject[],
): ApplicableRemedy | undefined {
  const several = among !== undefined && among.length > 1;
  const asked = several ? idForMany(diagnosis, among, id) : id;
  if (isForMany(asked)) return remedyForMany(diagnosis, object, asked, among);
  if (several) return undefined;
  const offered = remediesOf(diagnosis, object).find(remedy => remedy.id === id);
  if (offered !== undefined && isApplicable(offered)) return offered;
  const generic = genericRemedy(diagnosis.tracked, object, id);
  if (generic === undefined || generic.id === id) return generic;
  // Ids have several spellings; a finding's version of the remedy takes precedence.
  const same = remediesOf(diagnosis, object).find(remedy => remedy.id === generic.id);
  return same !== undefined && isApplicable(same) ? same : generic;
}

/** Filters in the order of `remedies`, with their risks as they are: a forecast may have raised them. */
function recommendable(
  view: ClusterView,
  object: KubeObject,
  remedies: readonly OfferedRemedy[],
): ApplicableRemedy[] {
  return remedies
    .filter(isApplicable)
    .filter(
      ({ risk, requests }) => risk === 'safe' && requests.every(each => keepsToItsOwn(view, object, each)),
    );
}

function keepsToItsOwn(view: ClusterView, object: KubeObject, request: RemedyRequest): boolean {
  const touched = touchedBy(view, request);
  if (touched === undefined || !isBelow(view, touched, object.uid)) return false;
  return request.verb !== 'DELETE' || isDeleting(touched);
}

function touchedBy({ catalog, graph }: ClusterView, { path }: RemedyRequest): KubeObject | undefined {
  const at = requestWords.placeAt(catalog, path);
  return at && graph.find(at.type, at.namespace, at.name)?.object;
}

/** Returns true if the object has this uid or is owned by it at any depth. */
function isBelow({ graph }: ClusterView, object: KubeObject, uid: Uid): boolean {
  const seen = new Set<Uid>([object.uid]);
  // A Set's iteration includes elements added during it.
  for (const each of seen) {
    if (each === uid) return true;
    for (const owner of graph.get(each)?.object?.owners ?? []) seen.add(owner.uid);
  }
  return false;
}

/**
 * Returns the remedy to ask about without a choice: the plan that frees the object, if each other remedy of its findings
 * that does so has a higher risk; for an object that isn't being deleted, its only remedy. It touches no live object of
 * others, and deletes none.
 */
function* clearRemedy(
  diagnosis: Diagnosis,
  object: KubeObject,
  forecaster: Forecaster,
): Sliced<ApplicableRemedy | undefined> {
  const { tracked } = diagnosis;
  const offered = remediesOf(diagnosis, object).filter(isApplicable);
  const all = isDeleting(object) ? unblockAll(diagnosis, [object]) : undefined;
  const known = [...offered, ...genericRemedies(tracked, object)].filter(isApplicable);
  const plan = all === undefined ? offered[0] : (known.find(each => sendsSame(each, all)) ?? all);
  if (plan === undefined || (all === undefined && (isDeleting(object) || offered.length > 1)))
    return undefined;
  const others = offered.filter(({ id }) => id !== plan.id);
  const [safest, next] = bySafety(yield* freeingInSlices(forecaster, object, [plan, ...others]));
  if (safest?.id !== plan.id || (next !== undefined && compareRisk(safest, next) >= 0)) return undefined;
  return safest.requests.every(each => sparesOthers(tracked.view, object, each)) ? safest : undefined;
}

function sparesOthers(view: ClusterView, object: KubeObject, request: RemedyRequest): boolean {
  const touched = touchedBy(view, request);
  return touched !== undefined && (isDeleting(touched) || keepsToItsOwn(view, object, request));
}

export const offeredRemedies = {
  clear: clearRemedy,
  every: everyRemedyOf,
  recommendable,
  of: remediesOf,
  byId: remedyFor,
};
