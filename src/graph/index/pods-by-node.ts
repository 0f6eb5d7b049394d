/**
 * Which pods are bound to which node, so that a change of one node costs its own pods. Made when somebody asks first:
 * most readers never do, and it takes about 2 MB for 150,000 pods.
 */
import type { KubeObject, Uid } from '../../model/object.ts';
import type { GraphChanges, GraphNode } from '../node.ts';

export class PodsByNode {
  readonly #uids = new Map<string, Uid[]>();

  constructor(nodes: Iterable<GraphNode>) {
    for (const { object } of nodes) if (object !== undefined) this.#listOf(object)?.push(object.uid);
  }

  apply({ touched, removed }: GraphChanges): void {
    for (const { object } of removed) if (object !== undefined) this.#remove(object);
    for (const { object } of touched) if (object !== undefined) this.#add(object);
  }

  /** Some of them may be gone or on another node by now: a uid that comes again is another object. */
  on(nodeName: string): readonly Uid[] {
    return this.#uids.get(nodeName) ?? [];
  }

  #add(object: KubeObject): void {
    const uids = this.#listOf(object);
    // A node has a few hundred pods at most.
    if (uids?.includes(object.uid) === false) uids.push(object.uid);
  }

  /** That of a pod's node; undefined for what isn't bound to one. */
  #listOf(object: KubeObject): Uid[] | undefined {
    const nodeName = nodeNameOf(object);
    if (nodeName === '') return undefined;
    let uids = this.#uids.get(nodeName);
    if (uids === undefined) {
      uids = [];
      this.#uids.set(nodeName, uids);
    }
    return uids;
  }

  #remove(object: KubeObject): void {
    const nodeName = nodeNameOf(object);
    const uids = this.#uids.get(nodeName);
    const index = uids?.indexOf(object.uid) ?? -1;
    if (uids === undefined || index < 0) return;
    uids.splice(index, 1);
    if (uids.length === 0) this.#uids.delete(nodeName);
  }
}

function nodeNameOf({ facts }: KubeObject): string {
  return facts?.kind === 'Pod' ? facts.nodeName : '';
}
