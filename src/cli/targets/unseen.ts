import type { ClusterView } from '../../graph/cluster-view.ts';
import { NOT_IN_FILES } from '../../model/exchange/changes.ts';
import { prose } from '../../model/text/shown.ts';
import { groupResource, isMonitored, type ResourceType } from '../../model/types/resource-type.ts';

/** Returns undefined if the type's objects are known. */
export function unseen(view: ClusterView, type: ResourceType): string | undefined {
  const watched = view.catalog.preferredOf(type);
  if (watched === undefined || !isMonitored(watched))
    return `${groupResource(type)} have no place in the ownership graph: the garbage collector doesn't watch them.`;
  const status = view.statusOf(type);
  if (status?.state === 'blind' && status.reason === NOT_IN_FILES)
    return `the files hold no ${groupResource(type)}, so that nobody can tell whether there are any.`;
  if (status?.state === 'blind')
    return `${groupResource(type)} cannot be listed: ${prose(status.reason ?? 'no reason given')}.`;
  return undefined;
}
