/** Deleting objects, finished pods, owners that only references name, and pods by node, updated from changes. */
import { getOrInsert, type KubeObject, objectState, type Uid } from '../../model/index.ts';
import { isDeleting } from '../deletion.ts';
import type { GraphChanges, GraphNode } from '../node.ts';

export class EndingIndex {
  readonly #uids = new Map<string, Uid[]>();
  readonly #ending = new Set<Uid>();
  readonly #virtual = new Set<Uid>();

  constructor(nodes: Iterable<GraphNode>) {
    for (const node of nodes) {
      this.#note(node);
      if (node.object !== undefined) this.#listOf(node.object)?.push(node.uid);
    }
  }

  apply({ touched, removed }: GraphChanges): void {
    for (const node of removed) this.#remove(node);
    for (const node of touched) this.#add(node);
  }

  /** May include pods that were deleted or moved: a reused uid is another object. */
  podsOn(nodeName: string): readonly Uid[] {
    return this.#uids.get(nodeName) ?? [];
  }

  /** Returns names of nodes with pods, even if no such node is known. */
  nodeNames(): Iterable<string> {
    return this.#uids.keys();
  }

  /** Returns objects being deleted, and finished pods. */
  ending(): Iterable<Uid> {
    return this.#ending;
  }

  /** Returns owners that only references name. */
  virtual(): Iterable<Uid> {
    return this.#virtual;
  }

  #add(node: GraphNode): void {
    this.#note(node);
    const uids = node.object && this.#listOf(node.object);
    // A node has at most a few hundred pods.
    if (uids?.includes(node.uid) === false) uids.push(node.uid);
  }

  #note({ uid, object }: GraphNode): void {
    if (object === undefined) this.#virtual.add(uid);
    else this.#virtual.delete(uid);
    if (object !== undefined && hasEnded(object)) this.#ending.add(uid);
    else this.#ending.delete(uid);
  }

  #listOf(object: KubeObject): Uid[] | undefined {
    const nodeName = nodeNameOf(object);
    if (nodeName === '') return undefined;
    return getOrInsert(this.#uids, nodeName, () => []);
  }

  #remove({ uid, object }: GraphNode): void {
    this.#ending.delete(uid);
    this.#virtual.delete(uid);
    const nodeName = object === undefined ? '' : nodeNameOf(object);
    const uids = this.#uids.get(nodeName);
    const index = uids?.indexOf(uid) ?? -1;
    if (uids === undefined || index < 0) return;
    uids.splice(index, 1);
    if (uids.length === 0) this.#uids.delete(nodeName);
  }
}

function hasEnded(object: KubeObject): boolean {
  return isDeleting(object) || (object.facts?.kind === 'Pod' && objectState.isTerminated(object));
}

function nodeNameOf({ facts }: KubeObject): string {
  return facts?.kind === 'Pod' ? facts.nodeName : '';
}
