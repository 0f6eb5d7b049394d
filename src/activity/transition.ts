/** Splits one change to an object into the aspects that concern ownership or deletion. Looks at the object alone. */
import { type GraphNode, isDeleting, OwnerChanges, objectDeletion } from '../graph/index.ts';
import {
  FOREGROUND_FINALIZER,
  type KubeObject,
  ORPHAN_FINALIZER,
  type OwnerReference,
} from '../model/index.ts';
import type { Moment } from './order-of-moments.ts';

/** At least one of `before` and `after` is set. */
export interface Transition extends Moment {
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
  /** Happened before anything was followed: owners are seen as they are now. */
  readonly past?: true;
  /** Deleted along with the definition of its kind, before that definition and not when this was noticed. */
  readonly unseen?: true;
  /** The object's node before the change; it keeps its dependents after removal. */
  readonly node: GraphNode | undefined;
}

export type References = readonly [OwnerReference, ...OwnerReference[]];

export type Aspect =
  | { readonly of: 'came'; readonly object: KubeObject }
  | { readonly of: 'marked' | 'policy'; readonly before: KubeObject; readonly object: KubeObject }
  /** Deleted at once, or at the end of a deletion under way. */
  | { readonly of: 'gone'; readonly before: KubeObject }
  | {
      readonly of: 'removed' | 'released' | 'added' | 'adopted' | 'unblocked';
      readonly before: KubeObject;
      readonly object: KubeObject;
      readonly references: References;
    }
  | {
      readonly of: 'finalizers';
      readonly before: KubeObject;
      readonly object: KubeObject;
      readonly removed: readonly string[];
    };

const unchanged: OwnerChanges = { added: [], removed: [], changed: [] };

export function aspectsOf({ before, after }: Transition): readonly Aspect[] {
  if (before === undefined) return after === undefined ? [] : [{ of: 'came', object: after }];
  if (after === undefined) return [{ of: 'gone', before }];
  return [
    ...ownerAspects(before, after, OwnerChanges.between(before.owners, after.owners) ?? unchanged),
    ...deletionAspects(before, after),
  ];
}

function deletionAspects(before: KubeObject, object: KubeObject): readonly Aspect[] {
  if (!isDeleting(object)) return [];
  if (!isDeleting(before)) return [{ of: 'marked', before, object }];
  const had = objectDeletion.finalizers(before);
  const has = objectDeletion.finalizers(object);
  const removed = had.filter(each => !has.includes(each));
  const begins = [FOREGROUND_FINALIZER, ORPHAN_FINALIZER].some(
    each => has.includes(each) && !had.includes(each),
  );
  const aspects: Aspect[] = begins ? [{ of: 'policy', before, object }] : [];
  // A policy change replaces the other policy's finalizer.
  const others = begins
    ? removed.filter(each => each !== FOREGROUND_FINALIZER && each !== ORPHAN_FINALIZER)
    : removed;
  if (others.length > 0) aspects.push({ of: 'finalizers', before, object, removed: others });
  return aspects;
}

function ownerAspects(
  before: KubeObject,
  object: KubeObject,
  { removed, added, changed }: OwnerChanges,
): readonly Aspect[] {
  const isController = ({ controller }: OwnerReference): boolean => controller === true;
  const turned = (from: boolean, pick: (reference: OwnerReference) => boolean): readonly OwnerReference[] =>
    changed.filter(each => pick(each.from) === from && pick(each.to) !== from).map(({ to }) => to);
  // The collector counts an owner that is named twice as added again.
  const fresh = added.filter(each => !before.owners.some(known => isSameOwner(known, each)));
  const aspects = {
    removed,
    released: turned(true, isController),
    adopted: [...fresh.filter(isController), ...turned(false, isController)],
    added: fresh.filter(each => !isController(each)),
    unblocked: object.owners.filter(
      each => each.blockOwnerDeletion === false && before.owners.some(known => isUnblocked(known, each)),
    ),
  };
  return Object.entries(aspects).flatMap(([of, [first, ...more]]): Aspect[] =>
    first === undefined
      ? []
      : [{ of: of as keyof typeof aspects, before, object, references: [first, ...more] }],
  );
}

function isSameOwner(a: OwnerReference, b: OwnerReference): boolean {
  return a.uid === b.uid && a.name === b.name && a.kind === b.kind && a.apiVersion === b.apiVersion;
}

/** Includes references without the field: the collector writes it to each. */
function isUnblocked(before: OwnerReference, after: OwnerReference): boolean {
  return isSameOwner(before, after) && before.blockOwnerDeletion !== false;
}
