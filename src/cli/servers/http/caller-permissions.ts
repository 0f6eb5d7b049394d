/** Kinds that a caller may list according to the API server; all others are hidden from the caller here too. */
import { ResourceType, type TypeCatalog } from '../../../model/index.ts';
import type { Caller, Reviewer } from './reviews.ts';

export type Extent = 'all' | 'namespace' | 'none';

export interface Permissions {
  /** Set if nothing is hidden. */
  readonly everything: boolean;
  /** Requested namespace; undefined for all. */
  readonly namespace: string | undefined;
  extentOf(type: Pick<ResourceType, 'group' | 'resource'>): Extent;
}

export function allPermissions(namespace: string | undefined): Permissions {
  return { everything: true, namespace, extentOf: () => 'all' };
}

const AT_ONCE = 8;

/** Rejects with `ReviewFailed`. Permissions don't depend on versions, so each resource is reviewed once. */
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
  const types = catalog.types.filter(ResourceType.isMonitored);
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
