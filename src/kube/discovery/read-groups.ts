/** The JSON of discovery, aggregated and legacy, read with distrust: aggregated API servers write it too. */
import type { GroupDiscovery, ResourceDiscovery, VersionDiscovery } from './catalogue.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * `APIGroupDiscoveryList` of apidiscovery.k8s.io/v2 or v2beta1. A version marked Stale counts as failed, as
 * in client-go's `SplitGroupsAndResources` (v0.36); subresources and resources without a kind are left out.
 */
export function readAggregated(list: unknown): GroupDiscovery[] {
  return items(list, 'items').map(item => ({
    group: string(fields(item['metadata'])['name']),
    versions: items(item, 'versions').map(readVersion),
  }));
}

function readVersion(version: Fields): VersionDiscovery {
  const name = string(version['version']);
  if (version['freshness'] === 'Stale') {
    return { version: name, failure: 'its API server does not answer', resources: [] };
  }
  return {
    version: name,
    resources: items(version, 'resources').flatMap(resource => {
      const kind = string(fields(resource['responseKind'])['kind']);
      const plural = string(resource['resource']);
      if (kind === '' || plural === '') return [];
      return [
        {
          ...names(resource),
          resource: plural,
          kind,
          singular: string(resource['singularResource']),
          namespaced: resource['scope'] === 'Namespaced',
        },
      ];
    }),
  };
}

/** A group of `/apis` before its versions have been read, in order of preference. */
export interface LegacyGroup {
  readonly group: string;
  readonly versions: readonly string[];
}

/** `APIGroupList` of `/apis`, the preferred version first. */
export function readLegacyGroups(list: unknown): LegacyGroup[] {
  return items(list, 'groups').map(group => {
    const preferred = string(fields(group['preferredVersion'])['version']);
    const versions = items(group, 'versions').map(version => string(version['version']));
    const ordered = [...versions.filter(v => v === preferred), ...versions.filter(v => v !== preferred)];
    return { group: string(group['name']), versions: ordered.filter(version => version !== '') };
  });
}

/** `APIVersions` of `/api`: the versions of the core group. */
export function readCoreVersions(answer: unknown): string[] {
  return strings(fields(answer)['versions']);
}

/** `APIResourceList` of one group and version, without subresources. */
export function readResources(list: unknown): ResourceDiscovery[] {
  return items(list, 'resources').flatMap(resource => {
    const name = string(resource['name']);
    const kind = string(resource['kind']);
    if (name === '' || kind === '' || name.includes('/')) return [];
    return [
      {
        ...names(resource),
        resource: name,
        kind,
        singular: string(resource['singularName']),
        namespaced: resource['namespaced'] === true,
      },
    ];
  });
}

function names(resource: Fields): Pick<ResourceDiscovery, 'verbs' | 'shortNames' | 'categories'> {
  return {
    verbs: strings(resource['verbs']),
    shortNames: strings(resource['shortNames']),
    categories: strings(resource['categories']),
  };
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function items(value: unknown, key: string): Fields[] {
  const list = fields(value)[key];
  return Array.isArray(list) ? list.map(fields) : [];
}

function string(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : [];
}
