/** What holds an object, looked up through a scene: the steps of `forecast/holds.ts` on the live cluster. */
import { type Classified, classifyReferences } from '../../collector/classify.ts';
import { LiveLookup } from '../../collector/live-lookup.ts';
import { type HoldWorld, holdsOf } from '../../forecast/holds.ts';
import {
  decidingPath,
  type HoldPath,
  type HoldStep,
  pathsThrough,
} from '../../forecast/plan/deciding-path.ts';
import type { KubeObject } from '../../model/object.ts';
import { joinApiVersion } from '../../model/types/resource-type.ts';
import type { Scene } from './scene.ts';

/** Everything looked at is noted by the scene's witness. */
export function worldOf(scene: Scene): HoldWorld {
  return {
    type: (apiVersion, kind) => scene.type(apiVersion, kind),
    find: (type, namespace, name) => scene.find(type, namespace, name),
    list: (type, namespace) => scene.list(type, namespace),
    ownedBy: owner => {
      const node = scene.node(owner.uid);
      return node === undefined ? [] : scene.dependents(node);
    },
    contents: namespace => {
      const left: KubeObject[] = [];
      for (const object of scene.contents(namespace)) {
        if (object.type.namespaced && object.type.verbs.includes('delete')) left.push(object);
      }
      return left;
    },
    instances: definition => instancesOf(scene, definition),
    classify: object => classify(scene, object),
    undiscoverable: scene.view.failedGroups.map(({ resource }) => resource.replace(/^\*\./, '')),
    reached: at => scene.lasted(at, 0),
  };
}

/** The steps from the object down to what decides when it goes. */
export function decidingPathOf(scene: Scene, object: KubeObject): readonly HoldStep[] {
  return decidingPath(worldOf(scene), object);
}

function instancesOf(scene: Scene, { facts }: KubeObject): readonly KubeObject[] {
  if (facts?.kind !== 'CustomResourceDefinition') return [];
  const { group, definedKind, versions } = facts;
  for (const { name, served } of versions) {
    const type = served ? scene.type(joinApiVersion(group, name), definedKind) : undefined;
    if (type !== undefined) return [...scene.all(type)];
  }
  return [];
}

function classify(scene: Scene, { owners, namespace }: KubeObject): Classified {
  for (const { uid } of owners) scene.node(uid);
  const lookup = new LiveLookup(scene.view);
  const classified = classifyReferences(owners, namespace, lookup);
  for (const owner of lookup.absent) scene.reliesOnAbsence(owner);
  return classified;
}

/** The paths through each hold of one finalizer of the object. */
export function pathsOf(scene: Scene, object: KubeObject, finalizer: string): readonly HoldPath[] {
  return pathsThrough(worldOf(scene), object, finalizer);
}

/** Finalizers of the object that nothing else explains: whoever set them has to remove them. */
export function ownFinalizers(scene: Scene, object: KubeObject): string[] {
  const finalizers: string[] = [];
  for (const { by, finalizer } of holdsOf(worldOf(scene), object))
    if (by === 'finalizer') finalizers.push(finalizer);
  return finalizers;
}
