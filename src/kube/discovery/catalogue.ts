/** What discovery found, and the interning that keeps types the same objects from one reading to the next. */
import { isDeepStrictEqual } from 'node:util';
import type { BlindSpot } from '../../model/exchange/changes.ts';
import { joinApiVersion, type ResourceType } from '../../model/types/resource-type.ts';

export interface Catalogue {
  /** Every resource of every served version, in the server's order of groups and preference of versions. */
  readonly types: readonly ResourceType[];
  /** API groups that the server announces but cannot describe, as `*.metrics.k8s.io`. */
  readonly failedGroups: readonly BlindSpot[];
  /**
   * The same as apiVersions (`metrics.k8s.io/v1beta1`). The collector keeps its monitors of these
   * (docs/kubernetes.md §5), so a type that is missing only for this reason is not gone.
   */
  readonly failedVersions: ReadonlySet<string>;
  /** `v1.36.3`; undefined when the server doesn't tell. */
  readonly serverVersion: string | undefined;
}

/** One group as either form of discovery describes it; `versions` in order of preference. */
export interface GroupDiscovery {
  readonly group: string;
  readonly versions: readonly VersionDiscovery[];
}

export interface VersionDiscovery {
  readonly version: string;
  /** Why its resources aren't known; then `resources` is empty. */
  readonly failure?: string;
  readonly resources: readonly ResourceDiscovery[];
}

export type ResourceDiscovery = Omit<ResourceType, 'group' | 'version' | 'apiVersion' | 'preferred'>;

/** Makes catalogues that share the types which didn't change, and the whole where nothing did. */
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

  // The first working version of a group that has the resource is its preferred one, as in client-go's
  // `ServerPreferredResources` (v0.36).
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
