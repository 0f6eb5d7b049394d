/**
 * The finished pods of a cluster, counted against the threshold, and which of them are deleted first. Their order is
 * kept: there are thousands, and it changes only when one comes or goes.
 */
import { isTerminated, type KubeObject, podFacts, type Uid } from '../../model/object.ts';
import { inOrderOfDeletion, isTaken } from './passes.ts';
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
  #ordered: readonly KubeObject[] | undefined;
  #beyond: ReadonlyMap<Uid, SurplusPlace> | undefined;

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
    // Sorting thousands again for a change that moves none of them would be felt.
    if (before === undefined || !standsAlike(before, pod)) this.#forgetOrder();
  }

  drop(uid: Uid): void {
    if (this.#pods.delete(uid)) this.#forgetOrder();
  }

  #forgetOrder(): void {
    this.#ordered = undefined;
    this.#beyond = undefined;
  }

  #inOrder(): readonly KubeObject[] {
    this.#ordered ??= inOrderOfDeletion(this.#pods.values(), this.#settings.rules);
    return this.#ordered;
  }

  /** The pods beyond the threshold, the first to be deleted first. */
  surplus(): ReadonlyMap<Uid, SurplusPlace> {
    this.#beyond ??= this.#findSurplus();
    return this.#beyond;
  }

  #findSurplus(): ReadonlyMap<Uid, SurplusPlace> {
    const surplus = this.surplusCount;
    // Sorting is for those that are beyond it alone.
    const ordered = surplus === 0 ? [] : this.#inOrder();
    const last = ordered[surplus - 1];
    const first = ordered[surplus];
    const edge = last && first && standsAlike(last, first) ? last : undefined;
    const beyond = new Map<Uid, SurplusPlace>();
    for (const [index, pod] of ordered.entries()) {
      const tied = edge !== undefined && standsAlike(edge, pod);
      if (index >= surplus && !tied) break;
      beyond.set(pod.uid, { place: index + 1, surplus, tied });
    }
    return beyond;
  }

  /**
   * The first `count` of all finished pods that would be deleted, and how many before them cannot: those take a place each,
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
      if (!isTaken(pod, this.#settings.rules)) pods.push(pod);
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
