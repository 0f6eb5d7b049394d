/** Limits concurrent lists; kinds that make up most of the tree go first, lists in the background leave places free. */
import type { ResourceType } from '../../model/index.ts';

interface Waiting {
  readonly rank: number;
  readonly enter: () => void;
}

/** The lowest rank of lists that the user isn't waiting for. */
export const BEHIND = 1_000;

export class Gate {
  #free: number;
  #freeBehind: number;
  readonly #waiting: Waiting[] = [];

  /** `behind` limits how many of the places lists in the background may take. */
  constructor(places: number, behind: number) {
    this.#free = places;
    this.#freeBehind = behind;
  }

  /** Resolves with the function that leaves; the lowest rank and then the earliest enters first. */
  async enter(rank: number): Promise<() => void> {
    if (this.#isOpen(rank)) this.#take(rank);
    else await this.#turn(rank);
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      this.#free++;
      if (rank >= BEHIND) this.#freeBehind++;
      this.#letIn();
    };
  }

  #isOpen(rank: number): boolean {
    return this.#free > 0 && (rank < BEHIND || this.#freeBehind > 0);
  }

  #take(rank: number): void {
    this.#free--;
    if (rank >= BEHIND) this.#freeBehind--;
  }

  #turn(rank: number): Promise<void> {
    return new Promise(enter => {
      let at = this.#waiting.length;
      while (at > 0 && (this.#waiting[at - 1]?.rank ?? 0) > rank) at--;
      this.#waiting.splice(at, 0, { rank, enter });
    });
  }

  #letIn(): void {
    for (let [next] = this.#waiting; next !== undefined && this.#isOpen(next.rank); [next] = this.#waiting) {
      this.#waiting.shift();
      this.#take(next.rank);
      next.enter();
    }
  }
}

/** The largest kinds of a typical cluster in order of size: a long list that starts last would end last. */
const first = [
  'pods',
  'replicasets',
  'jobs',
  'deployments',
  'controllerrevisions',
  'secrets',
  'configmaps',
  'endpointslices',
  'statefulsets',
  'daemonsets',
  'persistentvolumeclaims',
  'services',
];

export function rankOf(type: ResourceType): number {
  const index = first.indexOf(type.resource);
  return index < 0 ? first.length : index;
}

export function isBulky(type: ResourceType): boolean {
  return type.resource === 'pods' && type.group === '';
}
