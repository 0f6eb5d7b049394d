import {
  getOrInsert,
  type KubeObject,
  type OwnerReference,
  podFacts,
  type ResourceType,
} from '../../../model/index.ts';
import { Fields, unknown, type Value } from './expressions.ts';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE';

export interface AdmissionRequest {
  readonly operation: AdmissionOperation;
  readonly type: ResourceType;
  readonly subresource: string;
  readonly namespace: string;
  /** `''` if the request names none: for collections and generated names. */
  readonly name: string;
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  readonly users: readonly User[];
}

export interface User {
  readonly name: string;
  readonly groups: readonly string[];
}

/** ServiceAccounts of kube-controller-manager by controller (v1.36). */
const accounts: Readonly<Record<string, string>> = {
  'garbage-collector': 'generic-garbage-collector',
  'namespace-controller': 'namespace-controller',
  'deployment-controller': 'deployment-controller',
  'replicaset-controller': 'replicaset-controller',
  'replication-controller': 'replication-controller',
  'statefulset-controller': 'statefulset-controller',
  'daemon-set-controller': 'daemon-set-controller',
  'job-controller': 'job-controller',
  'cronjob-controller': 'cronjob-controller',
  'pvc-protection-controller': 'pvc-protection-controller',
  'pv-protection-controller': 'pv-protection-controller',
  'persistent-volume-binder': 'persistent-volume-binder',
  'ephemeral-volume-controller': 'ephemeral-volume-controller',
  'pod-garbage-collector': 'pod-garbage-collector',
  'volumeattributesclass-protection-controller': 'volumeattributesclass-protection-controller',
  'resourceclaim-controller': 'resource-claim-controller',
  'service-cidr-controller': 'service-cidrs-controller',
  'serviceaccount-controller': 'service-account-controller',
  'root-ca-certificate-publisher-controller': 'root-ca-cert-publisher',
  'endpoints-controller': 'endpoint-controller',
  'endpointslice-controller': 'endpointslice-controller',
  'endpointslice-mirroring-controller': 'endpointslicemirroring-controller',
};

export function usersOf(actor: string, object: KubeObject | undefined): readonly User[] {
  const account = Object.hasOwn(accounts, actor) ? accounts[actor] : undefined;
  if (account !== undefined)
    // With --use-service-account-credentials, and without.
    return [
      serviceAccount('kube-system', account),
      { name: 'system:kube-controller-manager', groups: ['system:authenticated'] },
    ];
  if (actor === 'kube-apiserver') return [{ name: 'system:apiserver', groups: ['system:masters'] }];
  const node = (object && podFacts(object)?.nodeName) ?? '';
  if (actor === 'kubelet' && node !== '')
    return [{ name: `system:node:${node}`, groups: ['system:nodes', 'system:authenticated'] }];
  return [];
}

function serviceAccount(namespace: string, name: string): User {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
}

/** Returns the variables of expressions. `isExact`: the rule names the request's version. */
export function variablesOf(
  request: AdmissionRequest,
  user: User | undefined,
  isExact: boolean,
): (name: string) => Value {
  const valueOf = (name: string): Value => {
    switch (name) {
      case 'request':
        return requestFields(request, user, isExact);
      case 'object':
        return objectFields(request, request.object, isExact);
      case 'oldObject':
        return objectFields(request, request.oldObject, isExact);
      default:
        return unknown;
    }
  };
  const known = new Map<string, Value>();
  return name => getOrInsert(known, name, () => valueOf(name));
}

function requestFields(
  { operation, type, subresource, namespace, name }: AdmissionRequest,
  user: User | undefined,
  isExact: boolean,
): Fields {
  const version = isExact ? type.version : unknown;
  const { group, kind, resource } = type;
  const isNamespace = group === '' && kind === 'Namespace';
  const fields: Record<string, Value> = {
    operation,
    resource: new Fields({ group, version, resource }),
    userInfo: new Fields(user === undefined ? {} : { username: user.name, groups: user.groups }, 'open'),
  };
  // A subresource may be of another kind.
  if (subresource === '') fields['kind'] = new Fields({ group, version, kind });
  else fields['subResource'] = subresource;
  if (namespace !== '' || isNamespace) fields['namespace'] = isNamespace ? name : namespace;
  if (name !== '') fields['name'] = name;
  return new Fields(fields, 'open');
}

function objectFields(
  { type, operation, subresource }: AdmissionRequest,
  object: KubeObject | undefined,
  isExact: boolean,
): Value {
  if (object === undefined) return null;
  // Other subresources, such as a binding, have another object.
  if (subresource !== '' && subresource !== 'status' && subresource !== 'finalize') return unknown;
  const { namespace, labels, finalizers, owners } = object;
  const metadata: Record<string, Value | undefined> = {
    namespace: namespace === '' ? undefined : namespace,
    labels: labels.length === 0 ? undefined : labelFields(labels),
    finalizers: finalizers.length === 0 ? undefined : finalizers,
    ownerReferences: owners.length === 0 ? undefined : owners.map(ownerFields),
    // Expressions only test if it is set.
    deletionTimestamp: object.deletionTimestamp === undefined ? undefined : unknown,
  };
  // The API server may choose both for a new object.
  if (operation !== 'CREATE') Object.assign(metadata, { name: object.name, uid: object.uid });
  const apiVersion = isExact ? type.apiVersion : unknown;
  return new Fields({ apiVersion, kind: type.kind, metadata: new Fields(metadata, 'open') }, 'open');
}

function ownerFields({ apiVersion, kind, name, uid }: OwnerReference): Fields {
  return new Fields({ apiVersion, kind, name, uid }, 'open');
}

function labelFields(labels: readonly string[]): Fields {
  const values = new Map<string, Value>();
  for (let i = 0; i < labels.length; i += 2) values.set(labels[i] ?? '', labels[i + 1] ?? '');
  return new Fields(values);
}
