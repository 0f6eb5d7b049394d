/**
 * Writes discovery as client-go's complete disk documents, for kubectl (client-go v0.36,
 * discovery/aggregated_discovery.go).
 */
import { type JsonRecord, joinApiVersion, record, text, texts } from '../../model/index.ts';
import { items } from './read-groups.ts';

export interface DiscoveryDocuments {
  /** `APIGroup`s in the server's order, the core group first. */
  readonly groups: readonly JsonRecord[];
  /** `APIResource`s by apiVersion; missing if a server doesn't answer for its group. */
  readonly resources: ReadonlyMap<string, readonly JsonRecord[]>;
}

export function joinDocuments(parts: readonly DiscoveryDocuments[]): DiscoveryDocuments {
  return {
    groups: parts.flatMap(({ groups }) => groups),
    resources: new Map(parts.flatMap(({ resources }) => [...resources])),
  };
}

export function documentsOfAggregated(answer: unknown): DiscoveryDocuments {
  const resources = new Map<string, readonly JsonRecord[]>();
  const groups = items(answer, 'items').map(item => {
    const name = text(record(item['metadata'])['name']);
    const versions = items(item, 'versions').filter(version => version['freshness'] !== 'Stale');
    for (const version of versions)
      resources.set(
        joinApiVersion(name, text(version['version'])),
        items(version, 'resources').flatMap(resourcesOf),
      );
    return groupOf(
      name,
      versions.map(version => text(version['version'])),
    );
  });
  return { groups, resources };
}

/** Returns an `APIGroup` with the preferred version first. */
export function groupOf(name: string, versions: readonly string[]): JsonRecord {
  const named = versions.map(version => ({ groupVersion: joinApiVersion(name, version), version }));
  const [preferredVersion = { groupVersion: '', version: '' }] = named;
  return { name, versions: named.length === 0 ? null : named, preferredVersion };
}

function resourcesOf(resource: JsonRecord): JsonRecord[] {
  const name = text(resource['resource']);
  const parent = {
    singularName: text(resource['singularResource']),
    namespaced: resource['scope'] === 'Namespaced',
  };
  const kind = kindOf(resource);
  const own =
    kind === undefined
      ? []
      : [
          {
            name,
            ...parent,
            ...kind,
            verbs: verbsOf(resource),
            ...filled('shortNames', texts(resource['shortNames'])),
            ...filled('categories', texts(resource['categories'])),
          },
        ];
  const subresources = items(resource, 'subresources').flatMap(subresource => {
    const subKind = kindOf(subresource);
    const path = `${name}/${text(subresource['subresource'])}`;
    return subKind === undefined ? [] : [{ name: path, ...parent, ...subKind, verbs: verbsOf(subresource) }];
  });
  return [...own, ...subresources];
}

/** Returns group and version only if the server does: usually they are those of the list. */
function kindOf(resource: JsonRecord): JsonRecord | undefined {
  const response = record(resource['responseKind']);
  const [group, version, kind] = [text(response['group']), text(response['version']), text(response['kind'])];
  if (group === '' && version === '' && kind === '') return undefined;
  return { ...(group !== '' && { group }), ...(version !== '' && { version }), kind };
}

function verbsOf(resource: JsonRecord): readonly string[] | null {
  return Array.isArray(resource['verbs']) ? texts(resource['verbs']) : null;
}

function filled(key: string, values: readonly string[]): JsonRecord {
  return values.length === 0 ? {} : { [key]: values };
}
