/** Types and objects that the graph's and the collector's tests speak about. */
import {
  KubeObject,
  type ObjectInit,
  type OwnerReference,
  type ResourceVersion,
  type Uid,
} from '../../src/model/object.ts';
import { joinApiVersion, type ResourceType } from '../../src/model/types/resource-type.ts';

export function uid(text: string): Uid {
  return text as Uid;
}

export function version(text: string): ResourceVersion {
  return text as ResourceVersion;
}

export function type(init: Partial<ResourceType> & Pick<ResourceType, 'kind' | 'resource'>): ResourceType {
  const { group = '', version = 'v1' } = init;
  return {
    group,
    version,
    apiVersion: joinApiVersion(group, version),
    singular: init.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
    preferred: true,
    ...init,
  };
}

const rbac = 'rbac.authorization.k8s.io';

export const types = {
  pod: type({ kind: 'Pod', resource: 'pods', shortNames: ['po'], categories: ['all'] }),
  configMap: type({ kind: 'ConfigMap', resource: 'configmaps', shortNames: ['cm'] }),
  secret: type({ kind: 'Secret', resource: 'secrets' }),
  node: type({ kind: 'Node', resource: 'nodes', shortNames: ['no'], namespaced: false }),
  controller: type({ kind: 'ReplicationController', resource: 'replicationcontrollers', shortNames: ['rc'] }),
  deployment: type({
    group: 'apps',
    kind: 'Deployment',
    resource: 'deployments',
    shortNames: ['deploy'],
    categories: ['all'],
  }),
  replicaSet: type({
    group: 'apps',
    kind: 'ReplicaSet',
    resource: 'replicasets',
    shortNames: ['rs'],
    categories: ['all'],
  }),
  role: type({ group: rbac, kind: 'Role', resource: 'roles' }),
  roleBeta: type({ group: rbac, version: 'v1beta1', kind: 'Role', resource: 'roles', preferred: false }),
  autoscaler: type({
    group: 'autoscaling',
    version: 'v2',
    kind: 'HorizontalPodAutoscaler',
    resource: 'horizontalpodautoscalers',
    shortNames: ['hpa'],
  }),
  autoscalerV1: type({
    group: 'autoscaling',
    version: 'v1',
    kind: 'HorizontalPodAutoscaler',
    resource: 'horizontalpodautoscalers',
    shortNames: ['hpa'],
    preferred: false,
  }),
  widget: type({ group: 'example.com', kind: 'Widget', resource: 'widgets' }),
} as const;

/** Served by the test cluster; `extensions/v1beta1` is not. */
export const served: readonly ResourceType[] = Object.values(types);

export type ObjectOptions = Partial<Omit<ObjectInit, 'uid' | 'resourceVersion'>> & {
  readonly uid: string;
  readonly resourceVersion?: string;
};

/** An object in `ns1` unless its type is cluster-scoped or another namespace is given. */
export function object(options: ObjectOptions): KubeObject {
  const { type: objectType = types.pod } = options;
  return new KubeObject({
    namespace: objectType.namespaced ? 'ns1' : '',
    name: options.uid,
    ...options,
    type: objectType,
    uid: uid(options.uid),
    resourceVersion: version(options.resourceVersion ?? '1'),
  });
}

/** A reference to an object, where wanted with some fields changed. */
export function refTo(owner: KubeObject, changes: Partial<OwnerReference> = {}): OwnerReference {
  return {
    apiVersion: owner.type.apiVersion,
    kind: owner.type.kind,
    name: owner.name,
    uid: owner.uid,
    controller: undefined,
    blockOwnerDeletion: undefined,
    ...changes,
  };
}

export function blockingRefTo(owner: KubeObject): OwnerReference {
  return refTo(owner, { controller: true, blockOwnerDeletion: true });
}
