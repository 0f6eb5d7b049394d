/** The admission's view of a simulated cluster: everything in it, limited by the knowledge of a base snapshot. */
import type { VirtualClock } from '../../clock.ts';
import type { ApiStore } from '../object-store.ts';
import type { SimulatedDiscovery } from '../simulated-discovery.ts';
import type { AdmissionWorld } from './matching.ts';

export type SnapshotKnowledge = Pick<AdmissionWorld, 'sees' | 'lacks' | 'lasted' | 'before'>;

export interface SimulatedParts {
  readonly store: ApiStore;
  readonly clock: VirtualClock;
  readonly discovery: SimulatedDiscovery;
}

/** `knowledge.lacks` is only called for objects missing from the store. */
export function simulatedWorld(
  { store, clock, discovery }: SimulatedParts,
  knowledge: SnapshotKnowledge | undefined,
): AdmissionWorld {
  return {
    // A getter would keep the whole run alive until V8's next full collection.
    types: () => discovery.catalog.types,
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
