/**
 * How much of a cluster a command reads: the namespace that its targets are in, or everything. Apart from finding the
 * targets, because it is decided before any object is known.
 */
import type { ReadPlan, ReadScope } from '../../model/exchange/reads.ts';
import type { TypeCatalog } from '../../model/types/type-catalog.ts';
import type { Flags } from '../runtime/flags.ts';
import { type ManifestTarget, namespaceIn } from '../targets/manifests.ts';
import { knownTypes, selectsAll, type TargetQuery } from '../targets/targets.ts';
import { type ClusterSession, scopeOf } from './session.ts';

export interface ReadingOptions {
  readonly query: TargetQuery;
  readonly flags: Flags;
  /** Whether the answer may be about objects that are only heard of, of kinds that nothing serves. */
  readonly unserved?: boolean;
  /** Whether changes are followed. */
  readonly follows?: boolean;
}

/**
 * `-A` and targets outside of all namespaces need everything: what hangs together with these may be anywhere. A word that
 * names no kind needs nothing: it is an error as soon as it is known what is served.
 */
export function readingFor(session: ClusterSession, options: ReadingOptions): ReadPlan {
  const { query, flags, unserved = false, follows = flags.watch === true } = options;
  const scope = (catalog: TypeCatalog): ReadScope | undefined => {
    const namespace = scopeOf(flags, session.source, query);
    if (query.readsEverything || namespace === undefined) return undefined;
    if (selectsAll(query)) return { namespaces: [namespace] };
    const manifests = query.words.flatMap(({ manifest }) => manifest ?? []);
    if (manifests.length > 0) return manifestScope(catalog, manifests, namespace);
    const types = query.words.map(({ type }) => knownTypes(catalog, type));
    if (types.includes(undefined)) return unserved ? undefined : { namespaces: [] };
    const isWithin = types.every(known => known?.every(({ namespaced }) => namespaced));
    return isWithin ? { namespaces: [namespace] } : undefined;
  };
  return { follows, scope };
}

/** What isn't served has no objects to be read. */
function manifestScope(
  catalog: TypeCatalog,
  manifests: readonly ManifestTarget[],
  namespace: string,
): ReadScope | undefined {
  const namespaces = new Set<string>();
  for (const manifest of manifests) {
    const type = catalog.resolveKind(manifest.apiVersion, manifest.kind);
    if (type?.namespaced === false) return undefined;
    if (type !== undefined) namespaces.add(namespaceIn(manifest, namespace));
  }
  return { namespaces: [...namespaces] };
}
