/**
 * Targets named by files, as in `kubectl delete -f`: objects with a manifest's group, kind, namespace and name
 * (cli-runtime pkg/resource/builder.go and visitor.go, v0.36).
 */
import type { ClusterView, GraphNode } from '../../graph/index.ts';
import { parseApiVersion, type ResourceType, shownName } from '../../model/index.ts';
import type { NamedManifest } from '../../source/index.ts';
import { UsageError } from '../runtime/errors.ts';
import { mayBeServed, unseen } from './unseen.ts';

export interface ManifestTarget extends NamedManifest {
  /** The namespace of `-n`, which a manifest's must match. */
  readonly enforced: string | undefined;
  /** True with -A without -n: a manifest has to name its namespace. */
  readonly needsNamespace: boolean;
}

export type SoughtManifest =
  | { readonly is: 'there'; readonly node: GraphNode }
  | { readonly is: 'absent'; readonly namespace: string }
  | { readonly is: 'unserved' }
  | { readonly is: 'untold'; readonly why: string };

/** `namespace`: the default for manifests. Throws a `UsageError` if a manifest and `-n` differ. */
export function seekManifest(
  view: ClusterView,
  manifest: ManifestTarget,
  namespace: string | undefined,
): SoughtManifest {
  const { apiVersion, kind, name } = manifest;
  const type: ResourceType | undefined = view.catalog.resolveKind(apiVersion, kind);
  if (type === undefined) {
    const { group, version } = parseApiVersion(apiVersion);
    const isFailed = view.groupFailed(group, version);
    if (!isFailed && !mayBeServed(view, group)) return { is: 'unserved' };
    const cause = isFailed
      ? `the API group of ${shownName(kind)} (${shownName(apiVersion)}) could not be read`
      : `the files hold no definition of ${shownName(kind)} (${shownName(apiVersion)})`;
    const why = `${cause}, so it is unknown whether there is ${shownName(kind)} ${shownName(name)}.`;
    return { is: 'untold', why };
  }
  const place = type.namespaced ? namespaceIn(manifest, namespace) : '';
  const why = unseen(view, type);
  if (why !== undefined) return { is: 'untold', why };
  const node = view.graph.find(type, place, name);
  if (node !== undefined) return { is: 'there', node };
  if (view.seesAt(type, place, name)) return { is: 'absent', namespace: place };
  return { is: 'untold', why: `${shownName(kind)} ${shownName(name)} cannot be looked for.` };
}

export function namespaceIn(
  { kind, name, namespace: own, enforced, needsNamespace }: ManifestTarget,
  namespace: string | undefined,
): string {
  if (own !== '' && enforced !== undefined && own !== enforced)
    throw new UsageError(
      `${shownName(kind)} ${shownName(name)} is in namespace ${shownName(own)} by its manifest, and -n says ${shownName(enforced)}. Leave -n out, or give what is in ${shownName(own)} by itself.`,
    );
  if (own === '' && needsNamespace)
    throw new UsageError(
      `the manifest of ${shownName(kind)} ${shownName(name)} names no namespace: say with -n in which. -A reads the others all the same.`,
    );
  return own || (namespace ?? '');
}

/** Returns the manifests whose objects may exist unseen. */
export function unseenManifests(
  view: ClusterView,
  words: readonly { readonly manifest?: ManifestTarget }[],
  namespace: string | undefined,
): ManifestTarget[] {
  return words.flatMap(({ manifest }) =>
    manifest !== undefined && seekManifest(view, manifest, namespace).is === 'untold' ? [manifest] : [],
  );
}

export interface AbsentManifest extends NamedManifest {
  readonly because: 'absent' | 'unserved';
}

export function absentManifests(
  view: ClusterView,
  words: readonly { readonly manifest?: ManifestTarget }[],
  namespace: string | undefined,
): AbsentManifest[] {
  return words.flatMap(({ manifest }): AbsentManifest[] => {
    if (manifest === undefined) return [];
    const sought = seekManifest(view, manifest, namespace);
    if (sought.is === 'unserved') return [{ ...manifest, because: 'unserved' }];
    return sought.is === 'absent' ? [{ ...manifest, namespace: sought.namespace, because: 'absent' }] : [];
  });
}

const NAMED = 5;

export function absentLines(absent: readonly AbsentManifest[]): string[] {
  const lines = absent.slice(0, NAMED).map(each => absentSentence(each, placeWords(each)));
  const more = absent.length - lines.length;
  return more === 0 ? lines : [...lines, `and ${more} more that are not in the cluster.`];
}

export function absentSentence(
  { apiVersion, kind, namespace, name, because }: AbsentManifest,
  where = '',
): string {
  const what = `${shownName(kind)} ${namespace === '' ? '' : `${shownName(namespace)}/`}${shownName(name)}${where}`;
  return because === 'absent'
    ? `not in the cluster: ${what}.`
    : `not in the cluster: ${what}, because it serves no kind ${shownName(kind)} in ${shownName(apiVersion)}.`;
}

function placeWords({ place }: AbsentManifest): string {
  if (place === undefined) return '';
  return ` (${place.file === '-' ? 'standard input' : shownName(place.file)}:${place.line})`;
}
