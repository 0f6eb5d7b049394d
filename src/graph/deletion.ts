/** How far an object's deletion has come, as its dependents and owners see it. */
import {
  FOREGROUND_FINALIZER,
  type KubeObject,
  ORPHAN_FINALIZER,
  type OwnerReference,
  type Uid,
} from '../model/object.ts';

export function isDeleting(object: KubeObject): boolean {
  return object.deletionTimestamp !== undefined;
}

/** Being deleted, and waiting for its dependents: with `foregroundDeletion` (docs/kubernetes.md §1.1). */
export function isForeground(object: KubeObject): boolean {
  return isDeleting(object) && object.finalizers.includes(FOREGROUND_FINALIZER);
}

/** Edge: deletion with this finalizer is new in `object` (docs/kubernetes.md §1.2, transitions). */
export function begins(old: KubeObject | undefined, object: KubeObject, finalizer: string): boolean {
  if (!object.finalizers.includes(finalizer)) return false;
  return old === undefined || !isDeleting(old) || !old.finalizers.includes(finalizer);
}

/** Whether what others see of an object's deletion differs. */
export function deletionShows(before: KubeObject, after: KubeObject): boolean {
  return isDeleting(before) !== isDeleting(after) || isForeground(before) !== isForeground(after);
}

/** Whether any of a dependent's references to this owner holds up its foreground deletion (docs/kubernetes.md §3.1). */
export function blocksDeletion(
  { owners }: { readonly owners: readonly OwnerReference[] },
  owner: Uid,
): boolean {
  for (const { uid, blockOwnerDeletion } of owners)
    if (uid === owner && blockOwnerDeletion === true) return true;
  return false;
}

/**
 * When deletion was asked for, in milliseconds since the epoch; undefined while it wasn't. A pod's
 * deletionTimestamp lies a grace period later than that (docs/kubernetes.md §4.5).
 */
export function deletionRequestedAt(object: KubeObject): number | undefined {
  if (object.deletionTimestamp === undefined) return undefined;
  return object.deletionTimestamp - (object.deletionGracePeriodSeconds ?? 0) * 1000;
}

/** Finalizers that aren't the garbage collector's own: those that somebody else has to remove. */
export function foreignFinalizers(object: KubeObject): readonly string[] {
  return object.finalizers.filter(each => each !== FOREGROUND_FINALIZER && each !== ORPHAN_FINALIZER);
}

/** Finalizers as documents list them: those of a namespace's spec before those of its metadata. */
export function finalizersOf(object: KubeObject): readonly string[] {
  return object.facts?.kind === 'Namespace'
    ? [...object.facts.specFinalizers, ...object.finalizers]
    : object.finalizers;
}
