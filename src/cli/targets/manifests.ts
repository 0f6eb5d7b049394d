/**
 * Targets that files name, as for `kubectl delete -f`: the objects of a cluster that have the group, kind, namespace and name
 * of a manifest. The rules are kubectl's (cli-runtime pkg/resource/builder.go and visitor.go, v0.36).
 */
import type { ClusterView } from '../../graph/cluster-view.ts';
import type { GraphNode } from '../../graph/node.ts';
import { shownName } from '../../model/text/shown.ts';
import { parseApiVersion, type ResourceType } from '../../model/types/resource-type.ts';
import type { NamedManifest } from '../../source/files/named.ts';
import { UsageError } from '../runtime/errors.ts';
import { unseen } from './unseen.ts';

export interface ManifestTarget extends NamedManifest {
  /** The namespace of `-n`, which that of a manifest may not differ from; undefined without it. */
  readonly enforced: string | undefined;
  /** With -A and without -n: where a manifest names no namespace, none is meant. */
  readonly needsNamespace: boolean;
}

/** What a manifest stands for in a cluster. */
type Sought =
  | { readonly is: 'there'; readonly node: GraphNode }
  | { readonly is: 'absent'; readonly namespace: string }
  /** No kind of its name is served in that version, so that there are no objects of it. */
  | { readonly is: 'unserved' }
  /** Nobody can tell. */
  | { readonly is: 'untold'; readonly why: string };

/** `namespace`: of manifests that name none. Throws a `UsageError` where a manifest and `-n` name different ones. */
export function seekManifest(
  view: ClusterView,
  manifest: ManifestTarget,
  namespace: string | undefined,
): Sought {
  const { apiVersion, kind, name } = manifest;
  const type: ResourceType | undefined = view.catalog.resolveKind(apiVersion, kind);
  if (type === undefined) {
    const { group, version } = parseApiVersion(apiVersion);
    const isKnown = !view.groupFailed(group, version);
    const why = `the API group of ${shownName(kind)} (${shownName(apiVersion)}) could not be read, so that nobody can tell whether there is ${shownName(kind)} ${shownName(name)}.`;
    return isKnown ? { is: 'unserved' } : { is: 'untold', why };
  }
  const place = type.namespaced ? namespaceIn(manifest, namespace) : '';
  const why = unseen(view, type);
  if (why !== undefined) return { is: 'untold', why };
  const node = view.graph.find(type, place, name);
  if (node !== undefined) return { is: 'there', node };
  if (view.seesAt(type, place, name)) return { is: 'absent', namespace: place };
  return { is: 'untold', why: `${shownName(kind)} ${shownName(name)} cannot be looked for.` };
}

/** The namespace of an object of a namespaced kind. */
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

export interface AbsentManifest extends NamedManifest {
  readonly because: 'absent' | 'unserved';
}

/** What the files name and the cluster doesn't have; empty where no file names anything. */
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

/** One line for each, some of them where there are many. */
export function absentLines(absent: readonly AbsentManifest[]): string[] {
  const lines = absent.slice(0, NAMED).map(each => absentSentence(each, placeWords(each)));
  const more = absent.length - lines.length;
  return more === 0 ? lines : [...lines, `and ${more} more that are not in the cluster.`];
}

/** Without where it stands, unless `where` says it. */
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
