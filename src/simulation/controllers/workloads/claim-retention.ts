/**
 * Who owns the PersistentVolumeClaims of a StatefulSet under each retention policy (docs/kubernetes.md §9,
 * StatefulSet PVC retention; pkg/controller/statefulset/stateful_set_utils.go, v1.36). Pure, and apart from the
 * controller because most of it is about references that somebody else has left on a claim.
 */
import type { KubeObject, OwnerReference } from '../../../model/object.ts';
import { controllerReference } from '../claiming.ts';

export interface ClaimOwnership {
  readonly claim: KubeObject;
  readonly set: KubeObject;
  readonly pod: KubeObject;
  /** Whether the pod's ordinal is outside of what the set is to run. */
  readonly condemned: boolean;
  /** `Delete` or anything else, which acts as `Retain`. */
  readonly whenDeleted: string;
  readonly whenScaled: string;
}

/**
 * The references that the controller writes, or undefined where it leaves the claim alone: because they are
 * right already, because a reference under the coordinates of set or pod has a stale uid, or because another
 * controller has the claim and nothing of ours is on it.
 */
export function retentionOwners(ownership: ClaimOwnership): readonly OwnerReference[] | undefined {
  const { claim, set, pod } = ownership;
  if (hasStaleReference(claim, set) || hasStaleReference(claim, pod)) return undefined;
  const foreign = hasForeignController(ownership);
  const wanted = foreign ? [] : wantedOwners(ownership);
  const current = claim.owners.filter(({ uid }) => uid === set.uid || uid === pod.uid);
  if (foreign && current.length === 0) return undefined;
  const right =
    current.every(({ controller, uid }) => controller === true && wanted.some(owner => owner.uid === uid)) &&
    wanted.every(owner => current.some(({ uid }) => uid === owner.uid));
  if (right) return undefined;
  const others = claim.owners.filter(reference => !names(reference, set) && !names(reference, pod));
  const added = wanted.filter(owner => !others.some(({ uid }) => uid === owner.uid));
  return [...others, ...added.map(controllerReference)];
}

/** The objects that ought to control the claim: the owner table of docs/kubernetes.md §9. */
function wantedOwners({ set, pod, condemned, whenDeleted, whenScaled }: ClaimOwnership): KubeObject[] {
  if (whenScaled === 'Delete' && condemned) return [pod];
  return whenDeleted === 'Delete' ? [set] : [];
}

/** Under Retain/Retain another controller is no problem, since nothing of ours belongs on the claim. */
function hasForeignController({ claim, set, pod, whenDeleted, whenScaled }: ClaimOwnership): boolean {
  if (whenDeleted !== 'Delete' && whenScaled !== 'Delete') return false;
  return claim.owners.some(
    reference => reference.controller === true && !names(reference, set) && !names(reference, pod),
  );
}

/** The first reference under the object's coordinates decides. */
function hasStaleReference(claim: KubeObject, object: KubeObject): boolean {
  const reference = claim.owners.find(each => names(each, object));
  return reference !== undefined && reference.uid !== object.uid;
}

function names(reference: OwnerReference, object: KubeObject): boolean {
  return (
    reference.apiVersion === object.type.apiVersion &&
    reference.kind === object.type.kind &&
    reference.name === object.name
  );
}
