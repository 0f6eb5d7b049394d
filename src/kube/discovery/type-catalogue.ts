/** The result of discovery. Types that didn't change stay the same objects between reads. */
import { isDeepStrictEqual } from 'node:util';
import { type BlindSpot, joinApiVersion, type ResourceType } from '../../model/index.ts';

export interface Catalogue {
  /** Every resource of every served version, in the server's order of groups and preference of versions. */
  readonly types: readonly ResourceType[];
  /** API groups that the server announces but cannot describe, as `*.metrics.k8s.io`. */
  readonly failedGroups: readonly BlindSpot[];
  /** Failed apiVersions: the collector keeps their monitors (docs/kubernetes.md §5), so their types aren't gone. */
  readonly failedVersions: ReadonlySet<string>;
  readonly serverVersion: string | undefined;
}

/** One group from either form of discovery; `versions` in order of preference. */
export interface GroupDiscovery {
  readonly group: string;
  readonly versions: readonly VersionDiscovery[];
}

export interface VersionDiscovery {
  readonly version: string;
  readonly failure?: string;
  readonly resources: readonly ResourceDiscovery[];
}

export type ResourceDiscovery = Omit<ResourceType, 'group' | 'version' | 'apiVersion' | 'preferred'>;

/** Builds catalogues that share unchanged types; returns the last catalogue if nothing changed. */
export class CatalogueBuilder {
  #types = new Map<string, ResourceType>();
  #last: Catalogue | undefined;

  build(groups: readonly GroupDiscovery[], serverVersion: string | undefined): Catalogue {
    const types = new Map<string, ResourceType>();
    for (const group of groups) this.#addGroup(group, types);
    const failures = groups.flatMap(({ group, versions }) =>
      versions.flatMap(({ version, failure }) =>
        failure === undefined ? [] : [{ group, apiVersion: joinApiVersion(group, version), failure }],
      ),
    );
    const next: Catalogue = {
      types: [...types.values()],
      failedGroups: blindSpots(failures),
      failedVersions: new Set(failures.map(failure => failure.apiVersion)),
      serverVersion,
    };
    this.#types = types;
    if (this.#last === undefined || !sameCatalogue(this.#last, next)) this.#last = next;
    return this.#last;
  }

  // Prefers the first working version that has the resource, as client-go's `ServerPreferredResources` (v0.36).
  #addGroup({ group, versions }: GroupDiscovery, types: Map<string, ResourceType>): void {
    const seen = new Set<string>();
    for (const { version, resources } of versions) {
      for (const resource of resources) {
        const preferred = !seen.has(resource.resource);
        seen.add(resource.resource);
        const key = `${group}/${version}/${resource.resource}`;
        const next: ResourceType = {
          ...resource,
          group,
          version,
          apiVersion: joinApiVersion(group, version),
          singular: resource.singular || resource.kind.toLowerCase(),
          preferred,
        };
        const before = this.#types.get(key);
        types.set(key, before !== undefined && isDeepStrictEqual(before, next) ? before : next);
      }
    }
  }
}

function blindSpots(failures: readonly { group: string; failure: string }[]): BlindSpot[] {
  const spots = new Map<string, BlindSpot>();
  for (const { group, failure } of failures) {
    const resource = group === '' ? '*' : `*.${group}`;
    if (!spots.has(resource)) spots.set(resource, { resource, reason: failure });
  }
  return [...spots.values()];
}

function sameCatalogue(a: Catalogue, b: Catalogue): boolean {
  return (
    a.serverVersion === b.serverVersion &&
    a.types.length === b.types.length &&
    a.types.every((type, index) => type === b.types[index]) &&
    isDeepStrictEqual(a.failedGroups, b.failedGroups) &&
    isDeepStrictEqual(a.failedVersions, b.failedVersions)
  );
}
