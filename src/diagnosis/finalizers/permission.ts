/**
 * Checks that a handler's ServiceAccount may patch or update the object; without permission it retries forever
 * (docs/kubernetes.md §10 row 49). A cluster's API server is asked, roles and bindings in files are evaluated; what
 * neither answers counts as allowed. Other permissions count as missing if the object reports so.
 */
import {
  enumerated,
  type KubeObject,
  namesOfAccount,
  objectTitle,
  ResourceType,
  saidWords,
  workloadFacts,
} from '../../model/index.ts';
import { namespaceGoing } from '../cluster/namespace-content.ts';
import { obstaclesIn } from '../engine/obstacles.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import type { Forbidden, Handler } from './handler.ts';

/** Above this many accounts, the handler can't be singled out. */
const MOST_ACCOUNTS = 3;

export function permitted(tracked: TrackedView, object: KubeObject, handler: Handler): Handler {
  const { workloads, presence, evidence } = handler;
  const [first] = workloads;
  const accounts = [...new Set(workloads.map(accountOf))];
  const [account] = accounts;
  if (first === undefined || account === undefined || presence === 'absent') return handler;
  const reported = refusalReported(tracked, object, accounts);
  if (reported !== undefined) return refused(handler, reported);
  if (accounts.length > MOST_ACCOUNTS) return handler;
  // Accounts are queried in order, and only until one is allowed.
  if (accounts.some(each => mayChange(tracked, each, object) !== false)) return handler;
  const { type, namespace } = object;
  const resource = ResourceType.groupResource(type);
  const isClosed = namespaceGoing(tracked, object) !== '';
  const verbs = ['patch', 'update'];
  const forbidden: Forbidden = { account, user: userOf(account), verbs, resource, namespace, isClosed };
  const what = `${resource}${inNamespace(namespace)}`;
  const ground = isAsked(tracked)
    ? `patch and update of ${what} denied (SubjectAccessReview)`
    : `no role that is bound to it grants patch or update of ${what}`;
  return {
    ...handler,
    presence: 'unhealthy',
    forbidden,
    words: `${objectTitle(first)} seems to be the one that removes it, and its ServiceAccount ${account} may neither patch nor update ${what}`,
    evidence: [...evidence, ...accounts.map(each => `ServiceAccount ${each}: ${ground}`)],
  };
}

function inNamespace(namespace: string): string {
  return namespace === '' ? '' : ` in namespace ${namespace}`;
}

/** The API server's refusal (DefaultBuildRequestError of apiserver/pkg/endpoints/handlers/responsewriters, v1.36). */
const refusal =
  /User \\?"system:serviceaccount:([^:"]+):([^"\\]+)\\?" cannot (\w+) resource \\?"([^"\\]+)\\?" in API group \\?"([^"\\]*)\\?"(?: in the namespace \\?"([^"\\]+)\\?")?/u;

interface Refusal {
  readonly forbidden: Forbidden;
  readonly evidence: string;
}

function refusalReported(
  tracked: TrackedView,
  object: KubeObject,
  accounts: readonly string[],
): Refusal | undefined {
  const said = obstaclesIn(object, tracked.content(object) ?? { json: {} });
  for (const { message } of said) {
    const [, space = '', name = '', verb = '', plural = '', group = '', namespace = ''] =
      refusal.exec(message) ?? [];
    if (name === '') continue;
    const account = `${space}/${name}`;
    // An account that is impersonated may be gone: then there is nothing to grant.
    const isOwn = accounts.includes(account);
    if (!isOwn && tracked.lacks(tracked.type('v1', 'ServiceAccount'), space, name)) continue;
    const resource = group === '' ? plural : `${plural}.${group}`;
    const isClosed = namespace !== '' && namespaceGoing(tracked, { namespace }) !== '';
    return {
      forbidden: { account, user: userOf(account), verbs: [verb], resource, namespace, isClosed },
      evidence: `${object.type.kind} ${object.name}: ${saidWords.shortened(message, 400)}`,
    };
  }
  return undefined;
}

function refused(handler: Handler, { forbidden, evidence }: Refusal): Handler {
  const { account, verbs, resource, namespace } = forbidden;
  const workload = handler.workloads.find(each => accountOf(each) === account);
  const who =
    workload === undefined
      ? 'the one that removes it'
      : `${objectTitle(workload)} seems to be the one that removes it, and`;
  return {
    ...handler,
    presence: 'unhealthy',
    forbidden,
    words: `${who} reports that ServiceAccount ${account} may not ${enumerated(verbs)} ${resource}${inNamespace(namespace)}`,
    evidence: [...handler.evidence, evidence],
  };
}

function isAsked({ view }: TrackedView): boolean {
  return view.settings.listsMayLag === true;
}

/** Returns undefined if neither the API server nor the roles that were read decide. */
function mayChange(tracked: TrackedView, account: string, object: KubeObject): boolean | undefined {
  if (isAsked(tracked)) return tracked.mayRemoveFinalizers(userOf(account), object);
  if (grantsTo(tracked, account, object).length > 0) return true;
  // Every API server binds roles such as system:discovery to all accounts: without any, no bindings were collected.
  const isCollected = bindingsOf(tracked, account).length > 0 && seesBindings(tracked, object);
  return isCollected && !grantsOf(tracked, account).some(isUnfilled) ? false : undefined;
}

/** Recognizes an aggregated role of a manifest, into which nothing has filled its rules yet. */
function isUnfilled([, role]: Grant): boolean {
  return role?.facts?.kind === 'Role' && role.facts.aggregates.length > 0 && role.facts.changes.length === 0;
}

export function accountOf(workload: KubeObject): string {
  return `${workload.namespace}/${workloadFacts(workload)?.serviceAccount || 'default'}`;
}

function userOf(account: string): string {
  return `system:serviceaccount:${account.replace('/', ':')}`;
}

const permissionKinds = ['ClusterRoleBinding', 'ClusterRole', 'RoleBinding', 'Role'] as const;

/** Lists those that were read; the action deletes others only with their namespace. */
export function permissionObjects(tracked: TrackedView): readonly KubeObject[] {
  return tracked.once('roles and bindings', () =>
    permissionKinds.flatMap(kind => {
      const type = typeOf(tracked, kind);
      return type === undefined
        ? []
        : [...tracked.view.graph.ofType(type)].flatMap(each => each.object ?? []);
    }),
  );
}

type Grant = readonly [binding: KubeObject, role: KubeObject | undefined];

/** Returns grants that let an account (`tools/drain-operator`) patch or update the object, among those read. */
export function grantsTo(tracked: TrackedView, account: string, object: KubeObject): readonly Grant[] {
  return grantsOf(tracked, account).filter(
    ([binding, role]) =>
      (binding.namespace === '' || binding.namespace === object.namespace) &&
      (role === undefined || covers(role, object)),
  );
}

/** Returns true if every binding that could permit it was read, and requests the missing ones. */
export function seesBindings(tracked: TrackedView, { namespace }: KubeObject): boolean {
  const everywhere = tracked.sees(typeOf(tracked, 'ClusterRoleBinding'), '');
  const here = namespace === '' || tracked.sees(typeOf(tracked, 'RoleBinding'), namespace);
  return everywhere && here;
}

function bindingsOf(tracked: TrackedView, account: string): readonly KubeObject[] {
  return tracked.once(`bindings of ${account}`, () => {
    const [namespace = '', name = ''] = account.split('/');
    const names = new Set(namesOfAccount(namespace, name));
    return permissionObjects(tracked).filter(
      ({ facts }) => facts?.kind === 'RoleBinding' && facts.accounts.some(each => names.has(each)),
    );
  });
}

function grantsOf(tracked: TrackedView, account: string): readonly Grant[] {
  return tracked.once(`grants of ${account}`, () => {
    return bindingsOf(tracked, account).flatMap((binding): Grant[] => {
      const { facts } = binding;
      if (facts?.kind !== 'RoleBinding') return [];
      const type = typeOf(tracked, facts.roleKind);
      const place = facts.roleKind === 'Role' ? binding.namespace : '';
      const role = type && tracked.find(type, place, facts.roleName);
      return role === undefined && tracked.seesAt(type, place, facts.roleName) ? [] : [[binding, role]];
    });
  });
}

/** Follows RBAC's rules (pkg/apis/rbac/v1/evaluation_helpers.go, v1.36). */
function covers({ facts }: KubeObject, { type, name }: KubeObject): boolean {
  if (facts?.kind !== 'Role') return false;
  const holds = (list: readonly string[], value: string): boolean =>
    list.includes('*') || list.includes(value);
  return facts.changes.some(
    ({ groups, resources, names }) =>
      holds(groups, type.group) &&
      holds(resources, type.resource) &&
      (names.length === 0 || names.includes(name)),
  );
}

function typeOf(tracked: TrackedView, kind: string): ResourceType | undefined {
  return tracked.type('rbac.authorization.k8s.io/v1', kind);
}
