import type { ClusterView } from '../../graph/index.ts';
import { BlindSpot, prose, ResourceType } from '../../model/index.ts';
import { builtInTypes } from '../../source/index.ts';

/** Returns undefined if the type's objects are known. */
export function unseen(view: ClusterView, type: ResourceType): string | undefined {
  const watched = view.catalog.preferredOf(type);
  if (watched === undefined || !ResourceType.isMonitored(watched))
    return `${ResourceType.groupResource(type)} have no place in the ownership graph: the garbage collector doesn't watch them.`;
  const status = view.statusOf(type);
  if (status?.state === 'blind' && status.reason === BlindSpot.notInFiles)
    return `the files hold no ${ResourceType.groupResource(type)}, so it is unknown whether there are any.`;
  if (status?.state === 'blind')
    return `${ResourceType.groupResource(type)} cannot be listed: ${prose(status.reason ?? 'no reason given')}.`;
  return undefined;
}

/** Checks if files may leave out the definition of a kind; Kubernetes' own groups have none. */
export function mayBeServed(view: ClusterView, group: string): boolean {
  const type = view.catalog.resolveKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  const reason = type && view.statusOf(type)?.reason;
  const isLeftOut = reason !== undefined && BlindSpot.isOfFiles({ resource: '', reason });
  return isLeftOut && !builtInTypes.some(each => each.group === group);
}
