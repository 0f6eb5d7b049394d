/** What can be done about one object, from its findings and from what it is, and the remedy that an id means. */
import type { ApplicableRemedy, RemedyRequest } from '../../forecast/action.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import { isDeleting } from '../../graph/deletion.ts';
import { placeOf } from '../../model/exchange/act.ts';
import type { KubeObject, Uid } from '../../model/object.ts';
import type { Diagnosis } from '../engine/diagnosis.ts';
import { bySafety, compareRisk, isApplicable, type OfferedRemedy } from '../engine/finding.ts';
import { genericRemedies, genericRemedy } from './generic.ts';
import { isForMany } from './many/extent.ts';
import { idForMany, remediesForAlike, remedyForMany } from './many/offered.ts';

/**
 * What the object's findings offer, in order of safety; where two findings disagree about the risk of the same remedy,
 * the warier one counts.
 */
export function remediesOf(diagnosis: Diagnosis, object: KubeObject): OfferedRemedy[] {
  const byId = new Map<string, OfferedRemedy>();
  for (const finding of diagnosis.of(object.uid)) {
    for (const remedy of finding.remedies()) {
      const known = byId.get(remedy.id);
      if (known === undefined || compareRisk(remedy, known) > 0) byId.set(remedy.id, remedy);
    }
  }
  return bySafety([...byId.values()]);
}

/**
 * The same, by the same numbers, and after it whatever else could be done about the object as it is; each part in order of
 * safety.
 */
export function everyRemedyOf(diagnosis: Diagnosis, object: KubeObject): OfferedRemedy[] {
  const offered = remediesOf(diagnosis, object);
  const ids = new Set(offered.map(({ id }) => id));
  const others = [
    ...genericRemedies(diagnosis.tracked, object),
    ...remediesForAlike(diagnosis, object),
  ].filter(({ id }) => !ids.has(id));
  return [...offered, ...bySafety(others)];
}

/**
 * The remedy of this id for the object; undefined where the object gives no cause for it. `among`: objects that somebody has
 * chosen, the object one of them. A remedy for many is limited to these, and of several there is no other.
 */
export function remedyFor(
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
  // An id can be written in several ways; what a finding says of the remedy goes first.
  const same = remediesOf(diagnosis, object).find(remedy => remedy.id === generic.id);
  return same !== undefined && isApplicable(same) ? same : generic;
}

/** In the order of `remedies`. Their risks count as they are: a forecast may have raised them. */
export function recommendable(
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

function keepsToItsOwn(view: ClusterView, object: KubeObject, { verb, path }: RemedyRequest): boolean {
  const touched = objectAt(view, path);
  if (touched === undefined || !isBelow(view, touched, object.uid)) return false;
  return verb !== 'DELETE' || isDeleting(touched);
}

function objectAt({ catalog, graph }: ClusterView, path: string): KubeObject | undefined {
  const place = placeOf(path);
  const type = place && catalog.preferredOf(place);
  return type && graph.find(type, place.namespace, place.name)?.object;
}

/** Whether the object is the one with this uid, or owned by it however far up. */
function isBelow({ graph }: ClusterView, object: KubeObject, uid: Uid): boolean {
  const seen = new Set<Uid>([object.uid]);
  // What is added to a set while it is gone through comes later in it.
  for (const each of seen) {
    if (each === uid) return true;
    for (const owner of graph.get(each)?.object?.owners ?? []) seen.add(owner.uid);
  }
  return false;
}
