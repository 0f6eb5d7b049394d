/** What a simulated cluster shows admission: by itself everything there is, over a snapshot what that knows of it. */

import type { VirtualClock } from '../../clock.ts';
import type { SimulatedDiscovery } from '../discovery.ts';
import type { ApiStore } from '../store.ts';
import type { AdmissionWorld } from './matching.ts';

/** What a snapshot beneath a simulated cluster doesn't know, or knows of the time before. */
export type SnapshotKnowledge = Pick<AdmissionWorld, 'sees' | 'lacks' | 'lasted' | 'before'>;

export interface SimulatedParts {
  readonly store: ApiStore;
  readonly clock: VirtualClock;
  readonly discovery: SimulatedDiscovery;
}

/** `lacks` of the knowledge is only asked about what isn't in the store. */
export function simulatedWorld(
  { store, clock, discovery }: SimulatedParts,
  knowledge: SnapshotKnowledge | undefined,
): AdmissionWorld {
  return {
    get types() {
      return discovery.catalog.types;
    },
    type: (group, resource) => discovery.catalog.preferredOf({ group, resource }),
    find: (type, namespace, name) => store.find(type, namespace, name),
    list: (type, namespace) => store.list(type, namespace),
    sees: (type, namespace) => knowledge?.sees(type, namespace) ?? true,
    lacks: (type, namespace, name) =>
      store.find(type, namespace, name) === undefined && (knowledge?.lacks(type, namespace, name) ?? true),
    lasted: (since, duration) => knowledge?.lasted(since, duration) ?? true,
    reached: at => clock.now >= at,
    ...(knowledge?.before === undefined ? {} : { before: knowledge.before }),
  };
}
