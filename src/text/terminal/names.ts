/** How objects are named to kubectl. */
import type { Identity } from '../../graph/node.ts';
import { isShown, shownName } from '../../model/text/shown.ts';
import { parseApiVersion } from '../../model/types/resource-type.ts';

/**
 * `pod/web-0`, `statefulset.apps/web`: what `kubectl get -o name` prints and every kubectl command takes. Exactly the
 * name, because scripts act on it; throws where a line cannot hold it.
 */
function kubectlName(object: Pick<Identity, 'apiVersion' | 'kind' | 'name'>): string {
  const { group } = parseApiVersion(object.apiVersion);
  const kind = object.kind.toLowerCase();
  return exactly(`${group === '' ? kind : `${kind}.${group}`}/${object.name}`);
}

/**
 * A line of `-o name` where a command is about one namespace, or about all (undefined): what lies elsewhere is
 * qualified, `shop/pod/web-0`, which kubectl refuses to take for an object of another namespace.
 */
export function scopedName(
  object: Pick<Identity, 'apiVersion' | 'kind' | 'namespace' | 'name'>,
  scope: string | undefined,
): string {
  const name = kubectlName(object);
  return object.namespace === '' || object.namespace === scope
    ? name
    : exactly(`${object.namespace}/${name}`);
}

/** The text for a line of `-o name`. Throws where it cannot be printed as it is. */
export function exactly(text: string): string {
  if (isShown(text)) return text;
  throw new Error(
    `-o name prints names exactly, and ${shownName(text)} holds characters that a line cannot show. Use -o json.`,
  );
}

// Kinds that people look for first, in the order in which they own each other.
export const kindOrder = [
  'Namespace',
  'Node',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'CronJob',
  'ReplicaSet',
  'ReplicationController',
  'Job',
  'Pod',
];

/** By which owners' kinds sort before those that they own; others come after all of them. */
export function kindRank(kind: string, order: readonly string[] = kindOrder): number {
  const rank = order.indexOf(kind);
  return rank < 0 ? order.length : rank;
}
