/**
 * The finished pods of a cluster, counted against the threshold, and which of them are deleted first. Their order is
 * kept: there are thousands, and one that comes or goes costs its own place.
 */

import { compareBytes } from '../../graph/node.ts';
import { isTerminated, type KubeObject, type Uid } from '../../model/object.ts';
import { compareForDeletion, isTaken } from './passes.ts';
import type { PodGcSettings } from './rules-of-version.ts';

export interface SurplusPlace {
  /** The first to be deleted is number 1. */
  readonly place: number;
  /** How many there are beyond the threshold. */
  readonly surplus: number;
  /** Another pod of the same name and age may be deleted in its place: the controller's order leaves that open. */
  readonly tied: boolean;
}

export class FinishedPods {
  readonly #settings: PodGcSettings;
  readonly #pods = new Map<Uid, KubeObject>();
  /** As they are now; made when it is asked for. */
  #ordered: KubeObject[] | undefined;
  /** The pods beyond the threshold, and the place of each. */
  #beyond: { readonly pods: readonly KubeObject[]; readonly places: ReadonlyMap<Uid, number> } | undefined;

  constructor(settings: PodGcSettings) {
    this.#settings = settings;
  }

  /** A number of pods; zero or less is no limit. */
  get threshold(): number {
    return this.#settings.threshold;
  }

  get count(): number {
    return this.#pods.size;
  }

  /** How many there are beyond the threshold. */
  get surplusCount(): number {
    return this.threshold <= 0 ? 0 : Math.max(0, this.count - this.threshold);
  }

  has(uid: Uid): boolean {
    return this.#pods.has(uid);
  }

  /** Takes in a pod as it is now, finished or not. */
  note(pod: KubeObject): void {
    if (!isTerminated(pod)) return this.drop(pod.uid);
    const before = this.#pods.get(pod.uid);
    this.#pods.set(pod.uid, pod);
    this.#beyond = undefined;
    if (this.#ordered === undefined) return;
    const at = before === undefined ? -1 : this.#placeOf(before);
    if (before !== undefined && this.#compare(before, pod) === 0) {
      this.#ordered[at] = pod;
      return;
    }
    if (at >= 0) this.#ordered.splice(at, 1);
    this.#ordered.splice(this.#placeOf(pod), 0, pod);
  }

  drop(uid: Uid): void {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return;
    this.#pods.delete(uid);
    this.#beyond = undefined;
    this.#ordered?.splice(this.#placeOf(pod), 1);
  }

  /** Ahead of whoever asks for the order: of tens of thousands of pods that takes as long as a key may. */
  sort(): void {
    this.#inOrder();
  }

  /** What the controller's order leaves open is settled here, so that each pod has one place. */
  #compare(a: KubeObject, b: KubeObject): number {
    return (
      compareForDeletion(a, b, this.#settings.rules) ||
      compareBytes(a.namespace, b.namespace) ||
      compareBytes(a.uid, b.uid)
    );
  }

  #inOrder(): readonly KubeObject[] {
    this.#ordered ??= [...this.#pods.values()].sort((a, b) => this.#compare(a, b));
    return this.#ordered;
  }

  /** The index at which the pod stands, or would. */
  #placeOf(pod: KubeObject): number {
    const ordered = this.#inOrder();
    let low = 0;
    let high = ordered.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = ordered[middle];
      if (other !== undefined && this.#compare(other, pod) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Of the last pod beyond the threshold, where the next one may be deleted in its place. */
  get #edge(): KubeObject | undefined {
    const surplus = this.surplusCount;
    // Sorting is for those that are beyond it alone.
    if (surplus === 0) return undefined;
    const last = this.#inOrder()[surplus - 1];
    const first = this.#inOrder()[surplus];
    return last && first && this.#standAlike(last, first) ? last : undefined;
  }

  #standAlike(a: KubeObject, b: KubeObject): boolean {
    return compareForDeletion(a, b, this.#settings.rules) === 0;
  }

  /** The pods beyond the threshold, the first to be deleted first, and those that may be deleted in their place. */
  surplus(): readonly KubeObject[] {
    return this.#surplus().pods;
  }

  #surplus(): { readonly pods: readonly KubeObject[]; readonly places: ReadonlyMap<Uid, number> } {
    if (this.#beyond !== undefined) return this.#beyond;
    let end = this.surplusCount;
    const edge = this.#edge;
    if (edge !== undefined) {
      const ordered = this.#inOrder();
      for (let next = ordered[end]; next !== undefined && this.#standAlike(edge, next); next = ordered[end])
        end += 1;
    }
    const pods = end === 0 ? [] : this.#inOrder().slice(0, end);
    this.#beyond = { pods, places: new Map(pods.map(({ uid }, index) => [uid, index + 1])) };
    return this.#beyond;
  }

  /** Of a pod that isn't beyond the threshold undefined. */
  surplusPlace(pod: KubeObject): SurplusPlace | undefined {
    const place = this.#surplus().places.get(pod.uid);
    if (place === undefined) return undefined;
    const edge = this.#edge;
    return {
      place,
      surplus: this.surplusCount,
      tied: edge !== undefined && this.#standAlike(edge, pod),
    };
  }

  /**
   * The first `count` of all finished pods that would be deleted, and how many before them cannot: those take a place each,
   * and finalizers hold them.
   */
  inLine(count: number): { readonly pods: readonly KubeObject[]; readonly heldBefore: number } {
    const pods: KubeObject[] = [];
    let heldBefore = 0;
    for (const pod of this.#inOrder()) {
      if (pods.length === count) break;
      if (!isTaken(pod, this.#settings.rules)) pods.push(pod);
      else if (pods.length === 0) heldBefore += 1;
    }
    return { pods, heldBefore };
  }
}
