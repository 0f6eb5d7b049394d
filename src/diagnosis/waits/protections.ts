/** Waits of built-in protections: a VolumeAttributesClass, ResourceClaim or ServiceCIDR stays while something uses it. */
import { isDeleting } from '../../graph/index.ts';
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
  return usersOf(tracked, object, finalizer).map(on => ({
    on,
    isMissing: false,
    isReported: true,
    certainty: 'exact',
    evidence: [`${on.type.kind} ${on.name} uses ${object.type.kind} ${object.name}`],
  }));
}

/** Checks if the finalizer protects what a live object uses, or something that only its controller knows. */
export function isInUse(tracked: TrackedView, object: KubeObject, finalizer: string): boolean {
  if (useProtections.of(object, finalizer) === undefined) return false;
  const users = usersOf(tracked, object, finalizer);
  return useProtections.hasUnknownUser(object) || users.some(each => !isDeleting(each));
}

function usersOf(tracked: TrackedView, object: KubeObject, finalizer: string): readonly KubeObject[] {
  const world = {
    type: tracked.type.bind(tracked),
    find: tracked.find.bind(tracked),
    all: tracked.all.bind(tracked),
  };
  return useProtections.users(world, object, finalizer);
}
