/** Decides how much of a cluster a command reads, before any object is known. */
import type { ReadPlan, ReadScope, TypeCatalog } from '../../model/index.ts';
import type { Flags } from '../runtime/flags.ts';
import { type ManifestTarget, namespaceIn } from '../targets/manifests.ts';
import { knownTypes, selectsAll, type TargetQuery } from '../targets/targets.ts';
import { type ClusterSession, scopeOf } from './session.ts';

export interface ReadingOptions {
  readonly query: TargetQuery;
  readonly flags: Flags;
  /** True if the answer may concern unserved kinds, known only from references. */
  readonly unserved?: boolean;
  readonly follows?: boolean;
}

/** Reads everything for `-A` and cluster-scoped targets, whose relatives may be anywhere. */
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
