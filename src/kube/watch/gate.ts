/** How many lists run at once, and which comes next: the kinds that show most of the tree go first. */
import type { ResourceType } from '../../model/types/resource-type.ts';

interface Waiting {
  readonly rank: number;
  readonly enter: () => void;
}

export class Gate {
  #free: number;
  readonly #waiting: Waiting[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  /** Resolves with the way out once there is a place; of those waiting, the lowest rank and then the earliest. */
  async enter(rank: number): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else await this.#turn(rank);
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next.enter();
    };
  }

  #turn(rank: number): Promise<void> {
    return new Promise(enter => {
      let at = this.#waiting.length;
      while (at > 0 && (this.#waiting[at - 1]?.rank ?? 0) > rank) at--;
      this.#waiting.splice(at, 0, { rank, enter });
    });
  }
}

/** The usual bulk of a cluster, largest first: a long list that starts last would end last. */
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

/** The kind that makes up most of the bytes of any cluster. */
export function isBulky(type: ResourceType): boolean {
  return type.resource === 'pods' && type.group === '';
}
