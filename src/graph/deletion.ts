/** Progress of an object's deletion, as its dependents and owners see it. */
import {
  FOREGROUND_FINALIZER,
  type KubeObject,
  ORPHAN_FINALIZER,
  type OwnerReference,
  type Uid,
} from '../model/index.ts';

export function isDeleting(object: KubeObject): boolean {
  return object.deletionTimestamp !== undefined;
}

/** Reports whether the object is in foreground deletion (docs/kubernetes.md §1.1). */
function isForeground(object: KubeObject): boolean {
  return isDeleting(object) && object.finalizers.includes(FOREGROUND_FINALIZER);
}

/** Reports whether deletion with this finalizer is new in `object` (docs/kubernetes.md §1.2, transitions). */
function begins(old: KubeObject | undefined, object: KubeObject, finalizer: string): boolean {
  if (!object.finalizers.includes(finalizer)) return false;
  return old === undefined || !isDeleting(old) || !old.finalizers.includes(finalizer);
}

export function deletionShows(before: KubeObject, after: KubeObject): boolean {
  return isDeleting(before) !== isDeleting(after) || isForeground(before) !== isForeground(after);
}

/** Reports whether a reference to this owner blocks its foreground deletion (docs/kubernetes.md §3.1). */
function blocksDeletion({ owners }: { readonly owners: readonly OwnerReference[] }, owner: Uid): boolean {
  for (const { uid, blockOwnerDeletion } of owners)
    if (uid === owner && blockOwnerDeletion === true) return true;
  return false;
}

/** Returns the request's time in milliseconds; a pod's deletionTimestamp adds its grace (docs/kubernetes.md §4.5). */
function deletionRequestedAt(object: KubeObject): number | undefined {
  if (object.deletionTimestamp === undefined) return undefined;
  return object.deletionTimestamp - (object.deletionGracePeriodSeconds ?? 0) * 1000;
}

function foreignFinalizers(object: KubeObject): readonly string[] {
  return object.finalizers.filter(each => each !== FOREGROUND_FINALIZER && each !== ORPHAN_FINALIZER);
}

/** Returns a namespace's `spec.finalizers` before those of its metadata. */
function finalizersOf(object: KubeObject): readonly string[] {
  return object.facts?.kind === 'Namespace'
    ? [...object.facts.specFinalizers, ...object.finalizers]
    : object.finalizers;
}

export const objectDeletion = {
  begins,
  isBlockedBy: blocksDeletion,
  finalizers: finalizersOf,
  foreignFinalizers,
  requestedAt: deletionRequestedAt,
  isForeground,
};
