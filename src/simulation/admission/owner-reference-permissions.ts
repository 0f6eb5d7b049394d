/**
 * The optional admission plugin OwnerReferencesPermissionEnforcement (docs/kubernetes.md §6;
 * plugin/pkg/admission/gc/gc_admission.go, v1.36).
 */
import { equalOwners } from '../../graph/owner-changes.ts';
import type { OwnerReference } from '../../model/object.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';

export interface PermissionQuestion {
  readonly verb: 'delete' | 'update';
  /** `*` for every group. */
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface OwnerReferenceChange {
  /** The written object's type, and the request's subresource, `''` for the object itself. */
  readonly type: ResourceType;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly owners: readonly OwnerReference[];
  readonly oldOwners: readonly OwnerReference[] | undefined;
}

export interface PermissionLookup {
  readonly allowed: (question: PermissionQuestion) => boolean;
  /** Returns the types that an apiVersion and kind may mean; empty if unknown. */
  readonly mappings: (apiVersion: string, kind: string) => readonly ResourceType[];
}

export type Admission = { readonly allowed: true } | { readonly allowed: false; readonly because: string };

export function admitOwnerReferences(change: OwnerReferenceChange, lookup: PermissionLookup): Admission {
  const { type, subresource, namespace, name, owners, oldOwners } = change;
  if (type.group === '' && type.resource === 'pods' && subresource === 'status') return allowed;
  if (equalOwners(owners, oldOwners ?? [])) return allowed;
  if (oldOwners !== undefined) {
    const { group, resource } = type;
    if (!lookup.allowed({ verb: 'delete', group, resource, subresource, namespace, name })) {
      return refused('cannot set an owner reference on an object that you cannot delete');
    }
  }
  const blocking = newlyBlocking(owners, oldOwners ?? []);
  if (blocking.length === 0) return allowed;
  // Checked before any mapping, so that a broken mapper doesn't affect administrators.
  if (lookup.allowed(finalizersOf({ group: '*', resource: '*' }, '', '*'))) return allowed;
  for (const reference of blocking) {
    const mappings = lookup.mappings(reference.apiVersion, reference.kind);
    if (mappings.length === 0) {
      return refused(`cannot set blockOwnerDeletion: ${reference.apiVersion} ${reference.kind} is not known`);
    }
    for (const owner of mappings) {
      const question = finalizersOf(owner, owner.namespaced ? namespace : '', reference.name);
      if (!lookup.allowed(question)) {
        return refused(
          `cannot set blockOwnerDeletion: you cannot set finalizers on ${owner.resource} ${reference.name}`,
        );
      }
    }
  }
  return allowed;
}

const allowed: Admission = { allowed: true };

function refused(because: string): Admission {
  return { allowed: false, because };
}

function finalizersOf(
  owner: Pick<ResourceType, 'group' | 'resource'>,
  namespace: string,
  name: string,
): PermissionQuestion {
  const { group, resource } = owner;
  return { verb: 'update', group, resource, subresource: 'finalizers', namespace, name };
}

/** Lists references that block now and didn't before. The last of duplicate old ones counts. */
function newlyBlocking(
  owners: readonly OwnerReference[],
  oldOwners: readonly OwnerReference[],
): readonly OwnerReference[] {
  const before = new Map(oldOwners.map(reference => [reference.uid, reference]));
  return owners.filter(
    ({ uid, blockOwnerDeletion }) =>
      blockOwnerDeletion === true && before.get(uid)?.blockOwnerDeletion !== true,
  );
}
