import type { CrdFacts } from '../facts/facts.ts';

/** A served API type as discovery reports it; one instance per catalogue, so types compare by reference. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly preferred: boolean;
  /** Set for a type that only owner references name: it may not be served. */
  readonly referred?: true;
  /** Set for the kind of a list, which only the REST mapper knows: no API server has such a resource. */
  readonly guessed?: true;
}

/** Reports whether no object of the type can exist under any name: the API server answers a GET with 404. */
function holdsNothing({ guessed, verbs }: ResourceType): boolean {
  return guessed === true || (verbs.length > 0 && verbs.every(verb => verb === 'create'));
}

/** Reports an API group of Kubernetes; projects of its SIGs have `x-k8s.io`. */
function isOfKubernetes({ group }: Pick<ResourceType, 'group'>): boolean {
  return !group.includes('.') || /(?:^|\.)k8s\.io$/u.test(group);
}

function groupResource(type: Pick<ResourceType, 'group' | 'resource'>): string {
  return type.group === '' ? type.resource : `${type.resource}.${type.group}`;
}

/** Groups that now hold the resources which API servers up to v1.21 also serve through `extensions`. */
const fromExtensions: ReadonlyMap<string, string> = new Map([
  ['deployments', 'apps'],
  ['daemonsets', 'apps'],
  ['replicasets', 'apps'],
  ['ingresses', 'networking.k8s.io'],
  ['networkpolicies', 'networking.k8s.io'],
  ['podsecuritypolicies', 'policy'],
]);

const successorsOfExtensions: readonly string[] = [...new Set(fromExtensions.values())];

/** Returns the `groupResource` under which objects are stored; groups that serve the same objects share one. */
function storedResource({ group, resource }: Pick<ResourceType, 'group' | 'resource'>): string {
  if (group === 'extensions')
    return groupResource({ group: fromExtensions.get(resource) ?? group, resource });
  return resource === 'events' && group === 'events.k8s.io' ? resource : groupResource({ group, resource });
}

const groupsOfKinds = {
  APIService: 'apiregistration.k8s.io',
  ClusterRole: 'rbac.authorization.k8s.io',
  ClusterRoleBinding: 'rbac.authorization.k8s.io',
  ControllerRevision: 'apps',
  CronJob: 'batch',
  CustomResourceDefinition: 'apiextensions.k8s.io',
  DaemonSet: 'apps',
  Deployment: 'apps',
  EndpointSlice: 'discovery.k8s.io',
  Endpoints: '',
  Job: 'batch',
  Lease: 'coordination.k8s.io',
  MutatingWebhookConfiguration: 'admissionregistration.k8s.io',
  Namespace: '',
  Node: '',
  PersistentVolume: '',
  PersistentVolumeClaim: '',
  Pod: '',
  ReplicaSet: 'apps',
  ReplicationController: '',
  Service: '',
  StatefulSet: 'apps',
  ValidatingWebhookConfiguration: 'admissionregistration.k8s.io',
  VolumeAttachment: 'storage.k8s.io',
} as const;

export type BuiltInKind = keyof typeof groupsOfKinds;

/** Returns the kind if it is Kubernetes' own; undefined for a `longhorn.io` Node. */
function builtInKind({
  apiVersion,
  kind,
}: Pick<ResourceType, 'apiVersion' | 'kind'>): BuiltInKind | undefined {
  if (!isNameOfBuiltIn(kind)) return undefined;
  const { group } = parseApiVersion(apiVersion);
  const isOwn = group === groupsOfKinds[kind] || (group === 'extensions' && groupsOfKinds[kind] === 'apps');
  return isOwn ? kind : undefined;
}

function groupOfKind(kind: BuiltInKind): string {
  return groupsOfKinds[kind];
}

function isNameOfBuiltIn(kind: string): kind is BuiltInKind {
  return Object.hasOwn(groupsOfKinds, kind);
}

/** Splits `apps/v1`; text with several slashes has neither group nor version, as in apimachinery. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  if (slash !== apiVersion.lastIndexOf('/')) return { group: '', version: '' };
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** Compares groups and kinds, in whatever version. */
function isSameKind(
  a: Pick<ResourceType, 'apiVersion' | 'kind'>,
  b: Pick<ResourceType, 'apiVersion' | 'kind'>,
): boolean {
  return a.kind === b.kind && parseApiVersion(a.apiVersion).group === parseApiVersion(b.apiVersion).group;
}

export function joinApiVersion(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Reports if the garbage collector watches it (docs/kubernetes.md §5): preferred, with delete, list and watch. */
function isMonitored(type: ResourceType): boolean {
  return (
    type.preferred &&
    type.verbs.includes('delete') &&
    type.verbs.includes('list') &&
    type.verbs.includes('watch') &&
    !(type.resource === 'events' && (type.group === '' || type.group === 'events.k8s.io'))
  );
}

const allVerbs: readonly string[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

/** Puts v2 before v1, v1beta2, v1alpha1, then all others by name (apimachinery pkg/version/helpers.go, v0.36). */
function compareVersions(a: string, b: string): number {
  const [x, y] = [versionRank(a), versionRank(b)];
  if (x === undefined || y === undefined) {
    if (x !== undefined) return -1;
    if (y !== undefined) return 1;
    return a === b ? 0 : a < b ? -1 : 1;
  }
  return y.stability - x.stability || y.major - x.major || y.minor - x.minor;
}

function versionRank(name: string): { stability: number; major: number; minor: number } | undefined {
  const match = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(name);
  if (match === null) return undefined;
  const [, major, stage, minor] = match;
  const stability = stage === undefined ? 2 : stage === 'beta' ? 1 : 0;
  return { stability, major: Number(major), minor: Number(minor ?? 0) };
}

function definedTypes(facts: CrdFacts): ResourceType[] {
  const { group, definedKind, plural, singular, shortNames, categories, namespaced } = facts;
  const served = new Set(facts.versions.filter(version => version.served).map(({ name }) => name));
  return [...served].sort(compareVersions).map((version, index) => ({
    group,
    version,
    apiVersion: joinApiVersion(group, version),
    kind: definedKind,
    resource: plural,
    singular,
    shortNames,
    categories,
    namespaced,
    verbs: allVerbs,
    preferred: index === 0,
  }));
}

export const BuiltInKind = { of: builtInKind, group: groupOfKind };

export const ResourceType = {
  isSameKind,
  isOfKubernetes,
  groupResource,
  isMonitored,
  definedBy: definedTypes,
  stored: storedResource,
  holdsNothing,
  allVerbs,
  compareVersions,
  successorsOfExtensions,
};
