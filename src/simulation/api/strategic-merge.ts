/**
 * A strategic merge patch of `ownerReferences` (k8s.io/apimachinery/pkg/util/strategicpatch/patch.go, v1.36: mergeSlice,
 * normalizeElementOrder). References with the same uid end up side by side ✓.
 */
import type { OwnerReference, Uid } from '../../model/index.ts';

function rankIn(list: readonly OwnerReference[]): (uid: Uid) => number {
  return uid => list.findIndex(each => each.uid === uid);
}

/** Returns a stable copy in the order in which `order` has their uids first. */
function inOrder(owners: readonly OwnerReference[], order: readonly OwnerReference[]): OwnerReference[] {
  const rank = rankIn(order);
  return owners.toSorted((a, b) => rank(a.uid) - rank(b.uid));
}

/** Replaces the first reference of each patch's uid; others are added, before those of the object. */
export function mergeOwners(
  owners: readonly OwnerReference[],
  patches: readonly OwnerReference[],
): readonly OwnerReference[] {
  const merged = [...owners];
  for (const patch of patches) {
    const index = rankIn(merged)(patch.uid);
    const known = merged[index];
    if (known === undefined) merged.push(patch);
    else merged[index] = { ...patch, controller: patch.controller ?? known.controller };
  }
  const isPatched = ({ uid }: OwnerReference): boolean => rankIn(patches)(uid) >= 0;
  const patched = inOrder(merged.filter(isPatched), patches);
  const rank = rankIn(owners);
  const result: OwnerReference[] = [];
  for (const other of inOrder(
    merged.filter(each => !isPatched(each)),
    owners,
  )) {
    const after = patched.findIndex(({ uid }) => rank(uid) > rank(other.uid));
    result.push(...patched.splice(0, after < 0 ? patched.length : after), other);
  }
  return [...result, ...patched];
}

/** Removes all references of these uids, as `$patch: delete` does. */
export function deleteOwners(
  owners: readonly OwnerReference[],
  isDeleted: (uid: Uid) => boolean,
): readonly OwnerReference[] {
  const left = owners.filter(({ uid }) => !isDeleted(uid));
  return inOrder(left, left);
}
