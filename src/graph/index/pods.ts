/** Pods by node, and pods that have ended or are being deleted, updated from changes. */
import { getOrInsert, type KubeObject, objectState, type Uid } from '../../model/index.ts';
import { isDeleting } from '../deletion.ts';
import type { GraphChanges, GraphNode } from '../node.ts';

export class PodIndex {
  readonly #uids = new Map<string, Uid[]>();
  readonly #ending = new Set<Uid>();

  constructor(nodes: Iterable<GraphNode>) {
    for (const { object } of nodes) {
      if (object === undefined) continue;
      this.#listOf(object)?.push(object.uid);
      this.#note(object);
    }
  }

  apply({ touched, removed }: GraphChanges): void {
    for (const { object } of removed) if (object !== undefined) this.#remove(object);
    for (const { object } of touched) if (object !== undefined) this.#add(object);
  }

  /** May include pods that were deleted or moved: a reused uid is another object. */
  on(nodeName: string): readonly Uid[] {
    return this.#uids.get(nodeName) ?? [];
  }

  /** Returns names of nodes with pods, even if no such node is known. */
  nodeNames(): Iterable<string> {
    return this.#uids.keys();
  }

  ending(): Iterable<Uid> {
    return this.#ending;
  }

  #add(object: KubeObject): void {
    this.#note(object);
    const uids = this.#listOf(object);
    // A node has at most a few hundred pods.
    if (uids?.includes(object.uid) === false) uids.push(object.uid);
  }

  #note(object: KubeObject): void {
    if (object.facts?.kind === 'Pod' && (isDeleting(object) || objectState.isTerminated(object)))
      this.#ending.add(object.uid);
    else this.#ending.delete(object.uid);
  }

  #listOf(object: KubeObject): Uid[] | undefined {
    const nodeName = nodeNameOf(object);
    if (nodeName === '') return undefined;
    return getOrInsert(this.#uids, nodeName, () => []);
  }

  #remove(object: KubeObject): void {
    this.#ending.delete(object.uid);
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
