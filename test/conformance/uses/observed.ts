/** Reads from the API server how a world's users fare. */
import { type JsonRecord, list, record, text } from '../../../src/model/json/json.ts';
import type { ApiClient } from '../../harness/api-client.ts';
import { HOOK_SERVICE, rights, type UsesWorld } from './random-uses.ts';

const RBAC = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

/** Lists of the whole cluster by kind; each object's `metadata.namespace` tells its world. */
export class Lists {
  readonly #items: ReadonlyMap<string, readonly JsonRecord[]>;

  private constructor(items: ReadonlyMap<string, readonly JsonRecord[]>) {
    this.#items = items;
  }

  static async read(api: ApiClient): Promise<Lists> {
    const items = new Map<string, JsonRecord[]>();
    for (const path of paths) {
      const found = list((await api.json<JsonRecord>({ path }))['items']).map(record);
      const resource = path.split('/').at(-1) ?? '';
      for (const [namespace, each] of Map.groupBy(found, ({ metadata }) =>
        text(record(metadata)['namespace']),
      ))
        items.set(`${resource} ${namespace}`, each);
    }
    return new Lists(items);
  }

  of(resource: string, namespace: string): readonly JsonRecord[] {
    return this.#items.get(`${resource} ${namespace}`) ?? [];
  }

  /** `kind/name` of all that is there of a world. */
  has(resource: string, namespace: string, name: string): boolean {
    return this.of(resource, namespace).some(each => nameOf(each) === name);
  }

  /** Lists hosts with a ready endpoint of a Service. */
  endpoints(namespace: string, service: string): readonly string[] {
    return this.of('endpointslices', namespace)
      .filter(({ metadata }) => record(record(metadata)['labels'])['kubernetes.io/service-name'] === service)
      .flatMap(each => list(each['endpoints']).map(record))
      .filter(({ conditions }) => record(conditions)['ready'] === true)
      .map(({ targetRef, hostname }) => `${text(record(targetRef)['name'])} ${text(hostname)}`);
  }
}

const paths = [
  '/apis/discovery.k8s.io/v1/endpointslices',
  '/apis/policy/v1/poddisruptionbudgets',
  '/apis/networking.k8s.io/v1/networkpolicies',
  '/apis/autoscaling/v2/horizontalpodautoscalers',
  '/apis/rbac.authorization.k8s.io/v1/rolebindings',
  '/apis/apps/v1/deployments',
  '/apis/apps/v1/statefulsets',
  '/apis/apps/v1/replicasets',
  '/apis/apps/v1/daemonsets',
  '/apis/batch/v1/jobs',
  '/apis/batch/v1/cronjobs',
  '/api/v1/replicationcontrollers',
  '/api/v1/persistentvolumeclaims',
  '/api/v1/serviceaccounts',
  '/api/v1/services',
  '/api/v1/pods',
];

export function nameOf({ metadata }: JsonRecord): string {
  return text(record(metadata)['name']);
}

/** Answers of the API server about one world that lists don't have. */
export interface Answers {
  /** Resources that a user may read, by user. */
  readonly rights: ReadonlyMap<string, ReadonlySet<string>>;
  /** ServiceAccounts whose token is accepted. */
  readonly tokens: ReadonlySet<string>;
  /** True if the webhook, if any, lets a Lease pass. */
  readonly takesLeases: boolean;
}

export function robotUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

export function bindingUser(namespace: string, binding: string): string {
  return `${namespace}-${binding}`;
}

/** Asks as each user of the world's bindings, and with each token. */
export async function answersOf(
  api: ApiClient,
  { namespace, objects, targets }: UsesWorld,
  tokens: ReadonlyMap<string, string>,
): Promise<Answers> {
  const bindings = objects.filter(({ kind }) => kind === 'RoleBinding').map(nameOf);
  // Nothing else changes rights.
  const asked = targets.some(each => /^(?:cluster)?role|^serviceaccount/u.test(each));
  const users = [
    ...bindings.map(each => bindingUser(namespace, each)),
    ...['robot-a', 'robot-b'].map(each => robotUser(namespace, each)),
  ];
  const allowed = new Map<string, ReadonlySet<string>>();
  for (const user of asked ? users : []) {
    const found = new Set<string>();
    for (const resource of Object.values(rights)) {
      const resourceAttributes = { namespace, verb: 'get', resource };
      const body = {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: { user, resourceAttributes },
      };
      const { status } = await api.json<JsonRecord>({ method: 'POST', path: RBAC, body });
      if (record(status)['allowed'] === true) found.add(resource);
    }
    allowed.set(user, found);
  }
  const accepted = new Set<string>();
  for (const [robot, token] of tokens) if (await isAccepted(api, token)) accepted.add(robot);
  const hooked = objects.some(each => nameOf(each) === HOOK_SERVICE);
  return { rights: allowed, tokens: accepted, takesLeases: !hooked || (await takesLeases(api, namespace)) };
}

async function isAccepted(api: ApiClient, token: string): Promise<boolean> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
  const path = '/apis/authentication.k8s.io/v1/tokenreviews';
  const { status } = await api.json<JsonRecord>({ method: 'POST', path, body });
  return record(status)['authenticated'] === true;
}

async function takesLeases(api: ApiClient, namespace: string): Promise<boolean> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases?dryRun=All`;
  const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'try' } };
  return (await api.send({ method: 'POST', path, body })).status === 201;
}

export async function tokenOf(api: ApiClient, namespace: string, robot: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${robot}/token`;
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { status } = await api.json<JsonRecord>({ method: 'POST', path, body });
  return text(record(status)['token']);
}
