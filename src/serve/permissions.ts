/**
 * What a caller may list, kind by kind, by the API server's word: what they may not list themselves they don't see through
 * this server either.
 */
import { isMonitored, type ResourceType } from '../model/types/resource-type.ts';
import type { TypeCatalog } from '../model/types/type-catalog.ts';
import type { Caller, Reviewer } from './reviews.ts';

/** Objects of a kind that a caller may list: all, those of the namespace that is asked about, or none. */
export type Extent = 'all' | 'namespace' | 'none';

export interface Permissions {
  /** Everything there is may be listed, so that nothing is hidden. */
  readonly everything: boolean;
  /** That is asked about; undefined for all. */
  readonly namespace: string | undefined;
  extentOf(type: Pick<ResourceType, 'group' | 'resource'>): Extent;
}

/** Whoever is shown a simulated cluster. */
export function allPermissions(namespace: string | undefined): Permissions {
  return { everything: true, namespace, extentOf: () => 'all' };
}

/** Reviews under way at the same time for one request. */
const AT_ONCE = 8;

/** Rejects with `ReviewFailed`. Of a kind with several versions one is asked about: permissions know no versions. */
export async function permissionsOf(
  reviewer: Reviewer,
  caller: Caller,
  asked: { readonly catalog: TypeCatalog; readonly namespace: string | undefined },
): Promise<Permissions> {
  const { catalog, namespace } = asked;
  const mayList = (group: string, resource: string, where: string): Promise<boolean> =>
    reviewer.allows(caller, { resourceAttributes: { verb: 'list', group, resource, namespace: where } });
  if (await mayList('*', '*', '')) return { ...allPermissions(namespace), everything: true };
  const extents = new Map<string, Extent>();
  const types = catalog.types.filter(isMonitored);
  const everythingHere = namespace !== undefined && (await mayList('*', '*', namespace));
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let type = types.pop(); type !== undefined; type = types.pop()) {
        const { group, resource, namespaced } = type;
        if (await mayList(group, resource, '')) extents.set(keyOf(type), 'all');
        else if (namespaced && namespace !== undefined)
          if (everythingHere || (await mayList(group, resource, namespace)))
            extents.set(keyOf(type), 'namespace');
      }
    }),
  );
  return { everything: false, namespace, extentOf: type => extents.get(keyOf(type)) ?? 'none' };
}

function keyOf({ group, resource }: Pick<ResourceType, 'group' | 'resource'>): string {
  return `${resource}.${group}`;
}
