/** Finds remedies by the ids that commands take, from the object alone and without findings. */
import { type ApplicableRemedy, blockingDependents, Cascade, requestWords } from '../../forecast/index.ts';
import { isDeleting, objectDeletion } from '../../graph/index.ts';
import {
  FOREGROUND_FINALIZER,
  type KubeObject,
  ORPHAN_FINALIZER,
  type OwnerReference,
} from '../../model/index.ts';
import { worldOf } from '../engine/live-holds.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { clearBlock, pruneReference, setBlock } from './change-reference.ts';
import { redelete, redeletions, removeFinalizer, removeForeground } from './deletion-remedies.ts';
import { FINALIZE, finalizations, finalize } from './finalize.ts';
import { removeSeveral, SEVERAL } from './many/finalizers.ts';
import { rescues } from './rescue-claim.ts';

export function genericRemedies(tracked: TrackedView, object: KubeObject): ApplicableRemedy[] {
  const node = tracked.node(object.uid);
  if (node === undefined) return [];
  const found: ApplicableRemedy[] = [];
  if (objectDeletion.isForeground(object)) {
    for (const each of blockingDependents(worldOf(tracked), object))
      found.push(clearBlock(tracked, object, each));
  }
  for (const reference of object.owners) {
    const status = tracked.ownerStatus(node, reference);
    if (status === 'Solid' || status === 'WaitingForDependents' || status === 'Unknown') continue;
    if (tracked.mayExist(node, reference)) continue;
    found.push(pruneReference(tracked, object, reference));
  }
  found.push(...finalizations(tracked, object), ...rescues(tracked, object));
  if (isDeleting(object)) {
    found.push(...redeletions(object, node.dependents.size > 0 || !tracked.view.complete));
    for (const finalizer of object.finalizers) {
      if (finalizer !== FOREGROUND_FINALIZER && finalizer !== ORPHAN_FINALIZER)
        found.push(removeFinalizer(tracked, object, finalizer));
    }
  }
  return found;
}

/**
 * Returns the remedy with this id if the object has what it changes: `clear-block/<type>/<name>`, `prune-reference/<uid
 * or type/name>`, `set-block/<uid or type/name>`, `redelete/<policy>`, `redelete/background-now`,
 * `remove-finalizer/<name>`, `remove-finalizers/<name>,<name>`, `finalize/<name>`, `rescue-claim/<name>`.
 */
export function genericRemedy(
  tracked: TrackedView,
  object: KubeObject,
  id: string,
): ApplicableRemedy | undefined {
  const slash = id.indexOf('/');
  const rest = id.slice(slash + 1);
  switch (id.slice(0, slash)) {
    case 'clear-block': {
      const dependent = blockingDependents(worldOf(tracked), object).find(each =>
        isNamed(tracked, each, rest),
      );
      return dependent && clearBlock(tracked, object, dependent);
    }
    case 'prune-reference': {
      const reference = referenceOf(tracked, object, rest);
      const node = tracked.node(object.uid);
      // A stale list must not cost an owner that may still exist its dependent.
      if (reference === undefined || node === undefined || tracked.mayExist(node, reference))
        return undefined;
      return pruneReference(tracked, object, reference);
    }
    case 'set-block': {
      const reference = referenceOf(tracked, object, rest);
      return reference && setBlock(tracked, object, reference);
    }
    case 'redelete':
      return isDeleting(object) ? redeleteById(object, rest) : undefined;
    case 'remove-finalizer':
      if (!object.finalizers.includes(rest)) return undefined;
      return rest === FOREGROUND_FINALIZER
        ? removeForeground(tracked, object)
        : removeFinalizer(tracked, object, rest);
    case 'rescue-claim':
      return rescues(tracked, object).find(each => each.id === id);
    case FINALIZE:
      return finalize(tracked, object, rest);
    case SEVERAL:
      return isDeleting(object) ? removeSeveral(tracked, object, rest.split(','))[0] : undefined;
    default:
      return undefined;
  }
}

function redeleteById(object: KubeObject, word: string): ApplicableRemedy | undefined {
  if (word === 'background-now') return redelete(object, 'background', { gracePeriodSeconds: 0 });
  const cascade = Cascade.all.find(each => each === word);
  return cascade && redelete(object, cascade);
}

function referenceOf(tracked: TrackedView, object: KubeObject, word: string): OwnerReference | undefined {
  return object.owners.find(each => each.uid === word || ownerWord(tracked, each) === word);
}

function ownerWord({ view }: TrackedView, { apiVersion, kind, name }: OwnerReference): string {
  const type = view.catalog.resolveKind(apiVersion, kind);
  return `${type === undefined ? kind.toLowerCase() : requestWords.kubectlType(view.catalog, type)}/${name}`;
}

function isNamed({ view }: TrackedView, object: KubeObject, word: string): boolean {
  const slash = word.lastIndexOf('/');
  if (word.slice(slash + 1) !== object.name) return false;
  const resolved = view.catalog.resolveWord(word.slice(0, slash));
  return (
    resolved.known &&
    resolved.types.some(
      ({ group, resource }) => group === object.type.group && resource === object.type.resource,
    )
  );
}
