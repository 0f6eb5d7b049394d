/** Differences between two lists of owner references, with the collector's duplicates (docs/kubernetes.md §1.2). */
import type { OwnerReference, Uid } from '../model/index.ts';

export interface OwnerChanges {
  readonly added: readonly OwnerReference[];
  readonly removed: readonly OwnerReference[];
  readonly changed: readonly { readonly from: OwnerReference; readonly to: OwnerReference }[];
}

/** Compares by uid; the last old and the first new duplicate count (graph_builder.go referencesDiffs, v1.36). */
function ownerChanges(
  before: readonly OwnerReference[],
  after: readonly OwnerReference[],
): OwnerChanges | undefined {
  if (before === after ? before.length < 2 : before.length < 2 && equalOwners(before, after))
    return undefined;
  const remaining = new Map<Uid, OwnerReference>();
  for (const reference of before) remaining.set(reference.uid, reference);
  const added: OwnerReference[] = [];
  const changed: { from: OwnerReference; to: OwnerReference }[] = [];
  for (const reference of after) {
    const old = remaining.get(reference.uid);
    if (old === undefined) {
      added.push(reference);
    } else {
      remaining.delete(reference.uid);
      if (!equalReferences(old, reference)) changed.push({ from: old, to: reference });
    }
  }
  if (added.length === 0 && changed.length === 0 && remaining.size === 0) return undefined;
  return { added, removed: [...remaining.values()], changed };
}

function unblockedOwners(changes: OwnerChanges): Uid[] {
  const uids: Uid[] = [];
  for (const reference of changes.removed) if (reference.blockOwnerDeletion) uids.push(reference.uid);
  for (const { from, to } of changes.changed) {
    if (from.blockOwnerDeletion && !to.blockOwnerDeletion) uids.push(to.uid);
  }
  return uids;
}

function equalReferences(a: OwnerReference, b: OwnerReference): boolean {
  return (
    a === b ||
    (a.uid === b.uid &&
      a.name === b.name &&
      a.kind === b.kind &&
      a.apiVersion === b.apiVersion &&
      a.controller === b.controller &&
      a.blockOwnerDeletion === b.blockOwnerDeletion)
  );
}

function equalOwners(a: readonly OwnerReference[], b: readonly OwnerReference[]): boolean {
  if (a === b) return true;
  return (
    a.length === b.length &&
    a.every((reference, i) => {
      const other = b[i];
      return other !== undefined && equalReferences(reference, other);
    })
  );
}

export const OwnerChanges = {
  between: ownerChanges,
  unblocked: unblockedOwners,
  equalOwners,
  equalReferences,
};
