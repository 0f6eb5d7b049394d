/** Asks who runs the controllers, by the lease of kube-controller-manager. */

import { type ManagerLease, readManagerLease } from '../model/exchange/manager-lease.ts';
import type { TypeCatalog } from '../model/types/type-catalog.ts';
import type { Source } from './source.ts';

/**
 * Undefined where nothing tells: there is no such lease (a single manager may run without one), or it may not be read,
 * or no answer came.
 */
export async function managerLease(
  source: Pick<Source, 'get'>,
  catalog: TypeCatalog,
): Promise<ManagerLease | undefined> {
  const type = catalog.resolveKind('coordination.k8s.io/v1', 'Lease');
  if (type === undefined) return undefined;
  const json = await source.get(type, 'kube-system', 'kube-controller-manager').catch(() => undefined);
  return readManagerLease(json);
}
