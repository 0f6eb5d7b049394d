import type { Identity } from '../../graph/index.ts';
import { parseApiVersion, shownName, textEscapes } from '../../model/index.ts';

/** Returns `statefulset.apps/web`, like `kubectl get -o name`. Throws if a line can't show the exact name. */
function kubectlName(object: Pick<Identity, 'apiVersion' | 'kind' | 'name'>): string {
  const { group } = parseApiVersion(object.apiVersion);
  const kind = object.kind.toLowerCase();
  return exactly(`${group === '' ? kind : `${kind}.${group}`}/${object.name}`);
}

/** Qualifies names outside a single-namespace `scope`, so that kubectl refuses `shop/pod/web-0` elsewhere. */
function scopedName(
  object: Pick<Identity, 'apiVersion' | 'kind' | 'namespace' | 'name'>,
  scope: string | undefined,
): string {
  const name = kubectlName(object);
  return object.namespace === '' || object.namespace === scope
    ? name
    : exactly(`${object.namespace}/${name}`);
}

/** Throws if the text can't be printed exactly. */
function exactly(text: string): string {
  if (textEscapes.isShown(text)) return text;
  throw new Error(
    `-o name prints names exactly, and ${shownName(text)} holds characters that a line cannot show. Use -o json.`,
  );
}

// Popular kinds, owners first.
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

/** Sorts owners' kinds before those they own, and other kinds last. */
function kindRank(kind: string, order: readonly string[] = kindOrder): number {
  const rank = order.indexOf(kind);
  return rank < 0 ? order.length : rank;
}

export const nameWords = { scoped: scopedName, kindRank, exactly };
