/** How objects are named to people and to kubectl. Everything that comes back is sanitised. */
import type { Identity } from '../graph/node.ts';
import { namespacedName } from '../model/object.ts';
import { parseApiVersion } from '../model/resource-type.ts';
import { sanitise } from './sanitise.ts';

export type Named = Pick<Identity, 'kind' | 'namespace' | 'name'>;

/** `Deployment shop/api`; a cluster-scoped object is `ClusterRole read-all`. */
export function objectTitle(object: Named): string {
  return sanitise(`${object.kind} ${namespacedName(object)}`);
}

/**
 * `Pod web-2` where the namespace is the one around it, `Pod shop/web-2` where it isn't. A cluster-scoped
 * object never shows one.
 */
export function objectTitleIn(object: Named, surroundingNamespace: string): string {
  return object.namespace === surroundingNamespace
    ? sanitise(`${object.kind} ${object.name}`)
    : objectTitle(object);
}

/** `pod/web-0`, `statefulset.apps/web`: what `kubectl get -o name` prints and every kubectl command takes. */
export function kubectlName(object: Pick<Identity, 'apiVersion' | 'kind' | 'name'>): string {
  const { group } = parseApiVersion(object.apiVersion);
  const kind = object.kind.toLowerCase();
  return sanitise(`${group === '' ? kind : `${kind}.${group}`}/${object.name}`);
}

/** `1 object`, `12,431 objects`: a count with its noun, thousands separated as in English. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? singular : plural}`;
}
