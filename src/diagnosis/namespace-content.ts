/**
 * What is really in a namespace, as the namespace controller would find it, and which kinds of it can't be seen:
 * its conditions are never believed alone (spec §8).
 */
import { isDeleting } from '../graph/deletion.ts';
import { type KubeObject, namespacedName } from '../model/object.ts';
import { groupResource, type ResourceType } from '../model/resource-type.ts';
import type { Scene } from './scene.ts';

export interface NamespaceContent {
  readonly pods: readonly KubeObject[];
  /** Everything else that can be discovered, by kind and name. */
  readonly others: readonly KubeObject[];
  /** Objects seen before, of kinds whose discovery fails now: they stay stored. */
  readonly hidden: readonly KubeObject[];
  /** Kinds that could hold something in it and can't be seen: `widgets.example.com`. */
  readonly unseen: readonly string[];
}

/** Objects of kinds that are no longer served aren't content: the namespace controller knows nothing of them. */
export function contentOf(scene: Scene, namespace: string): NamespaceContent {
  const { view } = scene;
  const pods: KubeObject[] = [];
  const others: KubeObject[] = [];
  const hidden: KubeObject[] = [];
  for (const object of scene.contents(namespace)) {
    const { type } = object;
    if (!view.catalog.serves(type)) {
      if (view.groupFailed(type.group, type.version)) hidden.push(object);
    } else if (type.group === '' && type.resource === 'pods') pods.push(object);
    else others.push(object);
  }
  const unseen = view.catalog.types
    .filter(type => isContent(type) && !scene.sees(type, namespace))
    .map(groupResource);
  return { pods: pods.sort(byKind), others: others.sort(byKind), hidden: hidden.sort(byKind), unseen };
}

/** Kinds of which the namespace controller waits until none is left. Events always go, and nobody watches them. */
function isContent(type: ResourceType): boolean {
  const { preferred, namespaced, verbs, resource } = type;
  return (
    preferred && namespaced && verbs.includes('delete') && verbs.includes('list') && resource !== 'events'
  );
}

/** What is being deleted and held by finalizers. */
export function isHeld(object: KubeObject): boolean {
  return isDeleting(object) && object.finalizers.length > 0;
}

/** `2 ConfigMaps, 1 Widget`: by kind, most first. */
export function kindsOf(objects: readonly KubeObject[]): string {
  const counts = new Map<ResourceType, number>();
  for (const { type } of objects) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts]
    .sort(([a, x], [b, y]) => y - x || (a.kind < b.kind ? -1 : 1))
    .map(([type, count]) => `${count} ${count === 1 ? type.kind : plural(type)}`)
    .join(', ');
}

function plural({ kind, resource }: ResourceType): string {
  // Endpoints are as many in the singular.
  if (resource === kind.toLowerCase()) return kind;
  if (/[^aeiou]y$/.test(kind)) return `${kind.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/.test(kind) ? `${kind}es` : `${kind}s`;
}

function byKind(a: KubeObject, b: KubeObject): number {
  const [x, y] = [`${a.type.kind} ${namespacedName(a)}`, `${b.type.kind} ${namespacedName(b)}`];
  return x === y ? 0 : x < y ? -1 : 1;
}
