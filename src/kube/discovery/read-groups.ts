/** Validates and reads discovery JSON, which aggregated API servers write as well. */
import { type JsonRecord, list, record, text, texts } from '../../model/index.ts';
import type { GroupDiscovery, ResourceDiscovery, VersionDiscovery } from './type-catalogue.ts';

/**
 * Reads an `APIGroupDiscoveryList` of apidiscovery.k8s.io/v2 or v2beta1. A Stale version counts as failed, as in
 * client-go's `SplitGroupsAndResources` (v0.36); subresources and resources without a kind are omitted.
 */
export function readAggregated(list: unknown): GroupDiscovery[] {
  return items(list, 'items').map(item => ({
    group: text(record(item['metadata'])['name']),
    versions: items(item, 'versions').map(readVersion),
  }));
}

function readVersion(version: JsonRecord): VersionDiscovery {
  const name = text(version['version']);
  if (version['freshness'] === 'Stale') {
    return { version: name, failure: 'its API server does not answer', resources: [] };
  }
  return {
    version: name,
    resources: items(version, 'resources').flatMap(resource => {
      const kind = text(record(resource['responseKind'])['kind']);
      const plural = text(resource['resource']);
      if (kind === '' || plural === '') return [];
      return [
        {
          ...names(resource),
          resource: plural,
          kind,
          singular: text(resource['singularResource']),
          namespaced: resource['scope'] === 'Namespaced',
        },
      ];
    }),
  };
}

export interface LegacyGroup {
  readonly group: string;
  readonly versions: readonly string[];
}

/** Reads the `APIGroupList` of `/apis`, the preferred version first. */
export function readLegacyGroups(list: unknown): LegacyGroup[] {
  return items(list, 'groups').map(group => {
    const preferred = text(record(group['preferredVersion'])['version']);
    const versions = items(group, 'versions').map(version => text(version['version']));
    const ordered = [...versions.filter(v => v === preferred), ...versions.filter(v => v !== preferred)];
    return { group: text(group['name']), versions: ordered.filter(version => version !== '') };
  });
}

export function readCoreVersions(answer: unknown): readonly string[] {
  return texts(record(answer)['versions']);
}

export function readResources(list: unknown): ResourceDiscovery[] {
  return items(list, 'resources').flatMap(resource => {
    const name = text(resource['name']);
    const kind = text(resource['kind']);
    if (name === '' || kind === '' || name.includes('/')) return [];
    return [
      {
        ...names(resource),
        resource: name,
        kind,
        singular: text(resource['singularName']),
        namespaced: resource['namespaced'] === true,
      },
    ];
  });
}

function names(resource: JsonRecord): Pick<ResourceDiscovery, 'verbs' | 'shortNames' | 'categories'> {
  return {
    verbs: texts(resource['verbs']),
    shortNames: texts(resource['shortNames']),
    categories: texts(resource['categories']),
  };
}

export function items(value: unknown, key: string): JsonRecord[] {
  return list(record(value)[key]).map(record);
}
