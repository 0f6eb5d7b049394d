/**
 * The finished pods of a cluster, counted against the threshold, and which of them go first. Apart from the survey
 * because their order is worth keeping: there are thousands, and it changes only when one comes or goes.
 */

import { type KubeObject, podFacts, type Uid } from '../../model/object.ts';
import type { Interval } from '../survey/cycle-times.ts';
import { inOrderOfDeletion, isTaken, isTerminated } from './passes.ts';
import type { PodGcRules } from './rules-of-version.ts';

export interface SurplusPlace {
  /** The first to go is number 1. */
  readonly place: number;
  /** How many there are beyond the threshold. */
  readonly surplus: number;
  /** Another pod of the same name and age may go in its place: the controller's order leaves that open. */
  readonly tied: boolean;
  /** When the pod came to be one of them. */
  readonly since: Interval;
}

export class FinishedPods {
  readonly threshold: number;
  readonly #rules: PodGcRules;
  readonly #pods = new Map<Uid, KubeObject>();
  #ordered: readonly KubeObject[] | undefined;
  #beyond = new Map<Uid, SurplusPlace>();
  #overLimit = 0;
  #isOld = false;

  /** A number of pods; zero or less is no limit. */
  constructor(threshold: number, rules: PodGcRules) {
    this.threshold = threshold;
    this.#rules = rules;
  }

  get count(): number {
    return this.#pods.size;
  }

  /** How many there are beyond the threshold. */
  get surplusCount(): number {
    return this.#overLimit;
  }

  has(uid: Uid): boolean {
    return this.#pods.has(uid);
  }

  /** Takes in a pod as it is now, finished or not. */
  note(pod: KubeObject): void {
    if (!isTerminated(pod)) return this.drop(pod.uid);
    const before = this.#pods.get(pod.uid);
    this.#pods.set(pod.uid, pod);
    // Sorting thousands again for a change that moves none of them would be felt.
    if (before === undefined || !standsAlike(before, pod)) this.#forgetOrder();
  }

  drop(uid: Uid): void {
    if (this.#pods.delete(uid)) this.#forgetOrder();
  }

  #forgetOrder(): void {
    this.#ordered = undefined;
    this.#isOld = true;
  }

  /** Finds out which pods are beyond the threshold; those that weren't before are since `happened`. */
  settle(happened: Interval): void {
    if (!this.#isOld) return;
    this.#isOld = false;
    const before = this.#beyond;
    const next = new Map<Uid, SurplusPlace>();
    this.#overLimit = this.threshold <= 0 ? 0 : Math.max(0, this.#pods.size - this.threshold);
    // Sorting is for those that are beyond it alone.
    const ordered = this.#overLimit === 0 ? [] : this.#inOrder();
    const last = ordered[this.#overLimit - 1];
    const first = ordered[this.#overLimit];
    const edge = last && first && standsAlike(last, first) ? last : undefined;
    for (const [index, pod] of ordered.entries()) {
      const tied = edge !== undefined && standsAlike(edge, pod);
      if (index >= this.#overLimit && !tied) break;
      const since = before.get(pod.uid)?.since ?? happened;
      next.set(pod.uid, { place: index + 1, surplus: this.#overLimit, tied, since });
    }
    this.#beyond = next;
  }

  #inOrder(): readonly KubeObject[] {
    this.#ordered ??= inOrderOfDeletion(this.#pods.values(), this.#rules);
    return this.#ordered;
  }

  /** Nobody watched until `until`, in milliseconds since the epoch: who was beyond the threshold may not have been since. */
  blur(until: number): void {
    for (const [uid, place] of this.#beyond)
      this.#beyond.set(uid, { ...place, since: { from: place.since.from, by: until } });
  }

  /** Undefined for a pod that isn't beyond the threshold. */
  placeOf(uid: Uid): SurplusPlace | undefined {
    return this.#beyond.get(uid);
  }

  /** The pods beyond the threshold, the first to go first. */
  surplus(): readonly KubeObject[] {
    const pods: KubeObject[] = [];
    for (const uid of this.#beyond.keys()) {
      const pod = this.#pods.get(uid);
      if (pod !== undefined) pods.push(pod);
    }
    return pods;
  }

  /**
   * The first `count` of all finished pods that would go, and how many before them cannot: those take a place each,
   * and finalizers hold them.
   */
  inLine(count: number): { readonly pods: readonly KubeObject[]; readonly heldBefore: number } {
    const pods: KubeObject[] = [];
    let heldBefore = 0;
    for (const { uid } of this.#inOrder()) {
      if (pods.length === count) break;
      // The order outlasts changes that move nobody, the deletion of a pod among them.
      const pod = this.#pods.get(uid);
      if (pod === undefined) continue;
      if (!isTaken(pod, this.#rules)) pods.push(pod);
      else if (pods.length === 0) heldBefore += 1;
    }
    return { pods, heldBefore };
  }
}

/** Whether two versions of a pod have the same place in the order of deletion: nothing else of it decides that. */
function standsAlike(before: KubeObject, pod: KubeObject): boolean {
  const [a, b] = [podFacts(before), podFacts(pod)];
  return (
    a?.phase === b?.phase &&
    a?.reason === b?.reason &&
    before.creationTimestamp === pod.creationTimestamp &&
    before.name === pod.name
  );
}
