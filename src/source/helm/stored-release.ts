/**
 * Reads the release that Helm stores in a Secret or ConfigMap, without its values (pkg/storage/driver/util.go, v3.22).
 * Apart from reading files: the manifests are texts within an object.
 */
import { gunzipSync } from 'node:zlib';
import { isRecord, type JsonRecord, list, record, shownName, text } from '../../model/index.ts';
import type { Kinded } from '../files/manifest.ts';
import { MAX_DEPTH } from '../files/piece.ts';
import { readYamlDocument } from '../files/yaml/yaml-document.ts';
import { type JsonObject, SourceError } from '../source.ts';

/** An object as a manifest names it; `namespace` is the release's if the manifest has none. */
interface ReleaseObject extends Kinded {
  readonly namespace: string;
  readonly name: string;
  /** `helm.sh/resource-policy`, lower-cased as Helm does; undefined if missing. */
  readonly policy: string | undefined;
}

interface ReleaseHook {
  readonly name: string;
  readonly kind: string;
  readonly objects: readonly ReleaseObject[];
  readonly events: readonly string[];
  readonly weight: number;
  readonly deletePolicies: readonly string[];
}

export interface HelmRelease {
  readonly name: string;
  readonly namespace: string;
  readonly revision: number;
  /** `deployed`, `uninstalled` */
  readonly status: string;
  /** In the order in which Helm deletes them. */
  readonly objects: readonly ReleaseObject[];
  /** Sorted by kind, because Helm stores them so. */
  readonly hooks: readonly ReleaseHook[];
  /** Definitions in the chart's folder `crds`, which Helm never deletes. */
  readonly definitions: readonly ReleaseObject[];
}

/** The API server takes at most 3 MiB; YAML rarely compresses to less than a twentieth. */
const MOST_BYTES = 64 * 1024 * 1024;
const GZIP = Buffer.from([0x1f, 0x8b, 0x08]);

/** Returns undefined if Helm can't decode it either. Throws a `SourceError`, which never quotes the content. */
function decodeRelease(stored: JsonObject): JsonRecord | undefined {
  const { kind, data } = stored;
  const content = record(data)['release'];
  if (typeof content !== 'string' || content === '')
    throw new SourceError(
      `${titleOf(stored)} has no release in its data, so what Helm would delete isn't known.`,
    );
  const bytes = Buffer.from(
    kind === 'Secret' ? Buffer.from(content, 'base64').toString('latin1') : content,
    'base64',
  );
  try {
    const plain = bytes.subarray(0, GZIP.length).equals(GZIP)
      ? gunzipSync(bytes, { maxOutputLength: MOST_BYTES })
      : bytes;
    const json: unknown = JSON.parse(plain.toString('utf8'));
    return isRecord(json) ? json : undefined;
  } catch (error) {
    if (error instanceof RangeError)
      throw new SourceError(
        `${titleOf(stored)} is too large to decode, so what Helm would delete isn't known.`,
      );
    return undefined;
  }
}

/** Throws a `SourceError`, which never quotes the content. */
function readRelease(stored: JsonObject, decoded: JsonRecord): HelmRelease {
  try {
    return releaseOf(decoded);
  } catch {
    throw new SourceError(
      `the manifest in ${titleOf(stored)} is no valid YAML, so that helm uninstall deletes nothing of it.`,
    );
  }
}

function titleOf({ kind, metadata }: JsonObject): string {
  return `${shownName(text(kind))} ${shownName(text(record(metadata)['name']))}`;
}

function releaseOf(json: JsonRecord): HelmRelease {
  const namespace = text(json['namespace']);
  const hooks = list(json['hooks']).map(record);
  return {
    name: text(json['name']),
    namespace,
    revision: Number(json['version']) || 0,
    status: text(record(json['info'])['status']),
    objects: manifestObjects(text(json['manifest']), namespace),
    hooks: hooks.map(hook => ({
      name: text(hook['name']),
      kind: text(hook['kind']),
      objects: documentsIn(text(hook['manifest'])).flatMap(each => objectsIn(each, namespace)),
      events: list(hook['events']).map(text),
      weight: Number(hook['weight']) || 0,
      deletePolicies: list(hook['delete_policies']).map(text),
    })),
    definitions: chartDefinitions(record(json['chart']), namespace),
  };
}

/** UninstallOrder (pkg/releaseutil/kind_sorter.go, v3.22); other kinds come last, by name. */
const order: ReadonlyMap<string, number> = new Map(
  [
    'APIService',
    'Ingress',
    'IngressClass',
    'Service',
    'CronJob',
    'Job',
    'StatefulSet',
    'HorizontalPodAutoscaler',
    'Deployment',
    'ReplicaSet',
    'ReplicationController',
    'Pod',
    'DaemonSet',
    'RoleBindingList',
    'RoleBinding',
    'RoleList',
    'Role',
    'ClusterRoleBindingList',
    'ClusterRoleBinding',
    'ClusterRoleList',
    'ClusterRole',
    'CustomResourceDefinition',
    'PersistentVolumeClaim',
    'PersistentVolume',
    'StorageClass',
    'ConfigMap',
    'SecretList',
    'Secret',
    'ServiceAccount',
    'PodDisruptionBudget',
    'PodSecurityPolicy',
    'LimitRange',
    'ResourceQuota',
    'NetworkPolicy',
    'Namespace',
    'PriorityClass',
  ].map((kind, i) => [kind, i]),
);

function manifestObjects(manifest: string, namespace: string): ReleaseObject[] {
  return documentsIn(manifest)
    .map(document => ({ document, kind: text(document['kind']) }))
    .sort((a, b) => {
      const [first, second] = [order.get(a.kind), order.get(b.kind)];
      if (first === undefined && second === undefined)
        return a.kind === b.kind ? 0 : a.kind < b.kind ? -1 : 1;
      return (first ?? order.size) - (second ?? order.size);
    })
    .flatMap(({ document }) => objectsIn(document, namespace));
}

/** Cuts as SplitManifests does (pkg/releaseutil/manifest.go). Throws if a document is no YAML. */
function documentsIn(manifest: string): JsonRecord[] {
  return manifest
    .trim()
    .split(/(?:^|\s*\n)---\s*/u)
    .flatMap(document => {
      const value = document === '' ? undefined : readYaml(document);
      return isRecord(value) ? [value] : [];
    });
}

function readYaml(document: string): unknown {
  const { length } = document;
  return readYamlDocument(document, {
    maxDepth: MAX_DEPTH,
    maxAliasCharacters: MOST_BYTES,
    maxNodes: length,
    lastOfTwice: true,
  });
}

/** Helm reads annotations before it splits a list: the policy of the list applies to all of its objects. */
function objectsIn(document: JsonRecord, namespace: string): ReleaseObject[] {
  const metadata = record(document['metadata']);
  const annotation = record(metadata['annotations'])['helm.sh/resource-policy'];
  const policy = annotation === undefined ? undefined : text(annotation).trim().toLowerCase();
  const { items } = document;
  if (Array.isArray(items))
    return items
      .filter(isRecord)
      .flatMap(item => objectsIn(item, namespace).map(each => ({ ...each, policy })));
  const common = { apiVersion: text(document['apiVersion']), kind: text(document['kind']), policy };
  return [{ ...common, name: text(metadata['name']), namespace: text(metadata['namespace']) || namespace }];
}

/** Reads only the chart's own files: Helm stores none of the charts that it includes. */
function chartDefinitions(chart: JsonRecord, namespace: string): ReleaseObject[] {
  const files = list(chart['files']).map(record);
  const named = files.filter(({ name }) => /^crds\/.*\.(?:ya?ml|json)$/iu.test(text(name)));
  try {
    return named
      .flatMap(({ data }) => documentsIn(Buffer.from(text(data), 'base64').toString('utf8')))
      .flatMap(each => objectsIn(each, namespace));
  } catch {
    // Helm reads them only when it installs a chart.
    return [];
  }
}

export const HelmRelease = { decode: decodeRelease, read: readRelease };
