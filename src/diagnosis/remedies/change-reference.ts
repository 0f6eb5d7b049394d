/** Remedies that change one owner reference: its block, its target, or its existence. */

import { type ApplicableRemedy, type Risk, requestWords } from '../../forecast/index.ts';
import type { Identity } from '../../graph/index.ts';
import { type KubeObject, type OwnerReference, shownName } from '../../model/index.ts';
import type { Operation } from '../../simulation/index.ts';
import { blockingReferences } from '../engine/evidence.ts';
import { ownerTitle } from '../engine/kind-words.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { patch, remedy } from './remedy-requests.ts';

export interface Wording {
  readonly risk?: Risk;
  readonly title?: string;
}

/** Returns the JSON pointer to a reference, with a test that the same reference is still there. */
function elementOf(object: KubeObject, reference: OwnerReference): { path: string; test: Operation } {
  const index = object.owners.indexOf(reference);
  if (index < 0) throw new Error(`${object.name} has no such owner reference`);
  const path = `/metadata/ownerReferences/${index}`;
  return { path, test: { op: 'test', path, value: reference } };
}

/** Returns the object's name, with its kind if the other object has the same name. */
function apart({ name, type }: KubeObject, other: { readonly name: string }): string {
  return name === other.name ? `${type.kind} ${name}` : name;
}

/** Clears the block of every reference to `owner` (docs/kubernetes.md §3.1). Both may be the same object. */
export function clearBlock(tracked: TrackedView, owner: KubeObject, dependent: KubeObject): ApplicableRemedy {
  const { catalog } = tracked.view;
  const blocking = blockingReferences(dependent, owner);
  const operations = blocking.flatMap((reference): Operation[] => {
    const { path, test } = elementOf(dependent, reference);
    return [test, { op: 'replace', path: `${path}/blockOwnerDeletion`, value: false }];
  });
  return remedy({
    id: `clear-block/${requestWords.kubectlType(catalog, dependent.type)}/${dependent.name}`,
    title:
      dependent.uid === owner.uid
        ? `unblock ${owner.name}: stop waiting for itself`
        : `unblock ${owner.name}: stop waiting for ${apart(dependent, owner)}`,
    risk: 'safe',
    acts: [patch(catalog, dependent, operations)],
  });
}

export function pruneReference(
  tracked: TrackedView,
  object: KubeObject,
  reference: OwnerReference,
  { risk, title }: Wording = {},
): ApplicableRemedy {
  const { path, test } = elementOf(object, reference);
  return remedy({
    id: `prune-reference/${reference.uid}`,
    title: title ?? `remove the reference to ${ownerTitle(reference)} from ${apart(object, reference)}`,
    risk: risk ?? pruningRisk(tracked, object, reference),
    acts: [patch(tracked.view.catalog, object, [test, { op: 'remove', path }])],
  });
}

/**
 * Judges a removal: without its last solid reference an object is collected, or ownerless if no reference is left. An
 * owner that is waiting or can't be seen may still be needed.
 */
function pruningRisk(tracked: TrackedView, object: KubeObject, reference: OwnerReference): Risk {
  const node = tracked.node(object.uid);
  if (node === undefined) return 'dangerous';
  const holds = (each: OwnerReference): boolean => {
    const status = tracked.ownerStatus(node, each);
    return status !== 'Absent' && status !== 'Mismatched' && status !== 'OtherNamespace';
  };
  const others = object.owners.filter(each => each !== reference);
  if (others.length === 0 || others.some(holds)) return 'caution';
  return holds(reference) || tracked.mayExist(node, reference) ? 'dangerous' : 'caution';
}

/** Points the reference at `to`; controller and block stay as they are. */
export function repairReference(
  tracked: TrackedView,
  object: KubeObject,
  reference: OwnerReference,
  to: Identity,
): ApplicableRemedy {
  const { path, test } = elementOf(object, reference);
  const { apiVersion, kind, name, uid } = to;
  const value = { ...reference, apiVersion, kind, name, uid };
  return remedy({
    id: `repair-reference/${reference.uid}`,
    title: `make the reference of ${object.name} name ${kind} ${name}, which is there`,
    risk: 'safe',
    acts: [patch(tracked.view.catalog, object, [test, { op: 'replace', path, value }])],
  });
}

export function setBlock(
  tracked: TrackedView,
  object: KubeObject,
  reference: OwnerReference,
): ApplicableRemedy {
  const { path, test } = elementOf(object, reference);
  return remedy({
    id: `set-block/${reference.uid}`,
    title: `let a foreground deletion of ${shownName(reference.name)} wait for ${object.name}`,
    risk: 'caution',
    acts: [
      patch(tracked.view.catalog, object, [
        test,
        { op: 'add', path: `${path}/blockOwnerDeletion`, value: true },
      ]),
    ],
  });
}
