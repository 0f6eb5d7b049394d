/** Waits of built-in protections: a VolumeAttributesClass, ResourceClaim or ServiceCIDR stays while something uses it. */
import type { KubeObject } from '../../model/index.ts';
import { useProtections } from '../../simulation/index.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import type { Handler } from '../finalizers/handler.ts';
import type { Wait } from './edge.ts';

export function protectionWaits(
  tracked: TrackedView,
  object: KubeObject,
  { finalizer }: Handler,
): readonly Wait[] {
  const world = {
    type: tracked.type.bind(tracked),
    find: tracked.find.bind(tracked),
    all: tracked.all.bind(tracked),
  };
  return useProtections.users(world, object, finalizer).map(on => ({
    on,
    isMissing: false,
    isReported: true,
    certainty: 'exact',
    evidence: [`${on.type.kind} ${on.name} uses ${object.type.kind} ${object.name}`],
  }));
}
