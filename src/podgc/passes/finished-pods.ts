/** Finished pods in order of deletion, with the threshold. A change costs one pod, because there are thousands. */

import { compareBytes } from '../../graph/index.ts';
import { type KubeObject, objectState, type Uid } from '../../model/index.ts';
import type { PodGcSettings } from './rules-of-version.ts';
import { compareForDeletion, isTaken } from './select-pods.ts';

export interface SurplusPlace {
  /** 1 is deleted first. */
  readonly place: number;
  readonly surplus: number;
  /** Set if another pod of this name and age may be deleted instead: the controller's order is undefined for them. */
  readonly tied: boolean;
}

export class FinishedPods {
  readonly #settings: PodGcSettings;
  readonly #pods = new Map<Uid, KubeObject>();
  #ordered: KubeObject[] | undefined;
  #beyond: { readonly pods: readonly KubeObject[]; readonly places: ReadonlyMap<Uid, number> } | undefined;

  constructor(settings: PodGcSettings) {
    this.#settings = settings;
  }

  /** Zero or less means no limit. */
  get threshold(): number {
    return this.#settings.threshold;
  }

  get count(): number {
    return this.#pods.size;
  }

  get surplusCount(): number {
    return this.threshold <= 0 ? 0 : Math.max(0, this.count - this.threshold);
  }

  has(uid: Uid): boolean {
    return this.#pods.has(uid);
  }

  note(pod: KubeObject): void {
    if (!objectState.isTerminated(pod)) return this.drop(pod.uid);
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

  /** Sorts ahead of time, because tens of thousands of pods delay a key press. */
  sort(): void {
    this.#inOrder();
  }

  /** Breaks the ties of the controller's order. */
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

  /** Returns the last pod beyond the threshold if the next one ties with it. */
  get #edge(): KubeObject | undefined {
    const surplus = this.surplusCount;
    if (surplus === 0) return undefined;
    const last = this.#inOrder()[surplus - 1];
    const first = this.#inOrder()[surplus];
    return last && first && this.#standAlike(last, first) ? last : undefined;
  }

  #standAlike(a: KubeObject, b: KubeObject): boolean {
    return compareForDeletion(a, b, this.#settings.rules) === 0;
  }

  /** Returns pods beyond the threshold in order of deletion, and then those tied with the last. */
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

  /** Returns the first `count` deletable pods in line, and the number of earlier ones that finalizers hold. */
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
