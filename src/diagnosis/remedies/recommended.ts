/**
 * Which remedies may be proposed for an object to somebody who hasn't looked at the others: what is safe, deletes
 * nothing that isn't being deleted already, and changes nothing but the object and what it owns. The rest is for those
 * who ask for it by name.
 */
import type { ApplicableRemedy, RemedyRequest } from '../../forecast/action.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import { isDeleting } from '../../graph/deletion.ts';
import { placeOf } from '../../model/exchange/act.ts';
import type { KubeObject, Uid } from '../../model/object.ts';
import { isApplicable, type OfferedRemedy } from '../engine/finding.ts';

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
