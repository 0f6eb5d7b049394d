/**
 * The remedies whose requests follow from the object alone, whatever a finding says about it, by the ids that
 * commands take. Which of them is wise is for findings to say; what each would do is what the forecast is for.
 */
import { cascades } from '../../forecast/action.ts';
import type { ApplicableRemedy } from '../../forecast/remedy.ts';
import { kubectlType } from '../../forecast/requests.ts';
import { blocksDeletion, isDeleting, isForeground } from '../../graph/deletion.ts';
import {
  FOREGROUND_FINALIZER,
  type KubeObject,
  ORPHAN_FINALIZER,
  type OwnerReference,
} from '../../model/object.ts';
import type { Scene } from '../engine/scene.ts';
import { redelete, redeletions } from './deletion.ts';
import { removeFinalizer, removeForeground } from './finalizers.ts';
import { clearBlock, pruneReference, setBlock } from './references.ts';

/** Every remedy that the object as it is now gives cause for, in no order of safety. */
export function genericRemedies(scene: Scene, object: KubeObject): ApplicableRemedy[] {
  const node = scene.node(object.uid);
  if (node === undefined) return [];
  const found: ApplicableRemedy[] = [];
  if (isForeground(object)) {
    for (const each of blockingDependents(scene, object)) found.push(clearBlock(scene, object, each));
  }
  for (const reference of object.owners) {
    const status = scene.ownerStatus(node, reference);
    if (status === 'Solid' || status === 'WaitingForDependents' || status === 'Unknown') continue;
    if (scene.mayExist(node, reference)) continue;
    found.push(pruneReference(scene, object, reference));
  }
  if (isDeleting(object)) {
    found.push(...redeletions(scene, object, node.dependents.size > 0 || !scene.view.complete));
    for (const finalizer of object.finalizers) {
      if (finalizer !== FOREGROUND_FINALIZER && finalizer !== ORPHAN_FINALIZER)
        found.push(removeFinalizer(scene, object, finalizer));
    }
  }
  return found;
}

/**
 * The remedy of this id, where the object has what it is about: `clear-block/<type>/<name>`,
 * `prune-reference/<uid or type/name>`, `set-block/<uid or type/name>`, `redelete/<policy>`,
 * `redelete/background-now`, `remove-finalizer/<name>`.
 */
export function genericRemedy(scene: Scene, object: KubeObject, id: string): ApplicableRemedy | undefined {
  const slash = id.indexOf('/');
  const rest = id.slice(slash + 1);
  switch (id.slice(0, slash)) {
    case 'clear-block': {
      const dependent = blockingDependents(scene, object).find(each => isNamed(scene, each, rest));
      return dependent && clearBlock(scene, object, dependent);
    }
    case 'prune-reference': {
      const reference = referenceOf(scene, object, rest);
      const node = scene.node(object.uid);
      // Taken off on the word of a list that may be too old, it would be missed.
      if (reference === undefined || node === undefined || scene.mayExist(node, reference)) return undefined;
      return pruneReference(scene, object, reference);
    }
    case 'set-block': {
      const reference = referenceOf(scene, object, rest);
      return reference && setBlock(scene, object, reference);
    }
    case 'redelete':
      return isDeleting(object) ? redeleteById(scene, object, rest) : undefined;
    case 'remove-finalizer':
      if (!object.finalizers.includes(rest)) return undefined;
      return rest === FOREGROUND_FINALIZER
        ? removeForeground(scene, object)
        : removeFinalizer(scene, object, rest);
    default:
      return undefined;
  }
}

function redeleteById(scene: Scene, object: KubeObject, word: string): ApplicableRemedy | undefined {
  if (word === 'background-now') return redelete(scene, object, 'background', { gracePeriodSeconds: 0 });
  const cascade = cascades.find(each => each === word);
  return cascade && redelete(scene, object, cascade);
}

function referenceOf(scene: Scene, object: KubeObject, word: string): OwnerReference | undefined {
  return object.owners.find(each => each.uid === word || ownerWord(scene, each) === word);
}

function ownerWord({ view }: Scene, { apiVersion, kind, name }: OwnerReference): string {
  const type = view.catalog.resolveKind(apiVersion, kind);
  return `${type === undefined ? kind.toLowerCase() : kubectlType(view.catalog, type)}/${name}`;
}

/** Those that a foreground deletion of the owner waits for; the owner itself may be one. */
function blockingDependents(scene: Scene, owner: KubeObject): KubeObject[] {
  const node = scene.node(owner.uid);
  if (node === undefined) return [];
  return scene
    .dependents(node)
    .filter(each => blocksDeletion(each, owner.uid))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isNamed({ view }: Scene, object: KubeObject, word: string): boolean {
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
