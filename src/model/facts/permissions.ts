/** What of roles and their bindings is kept, for whoever reads them, from whatever format. */

/** Of a rule: removing a finalizer is a patch or an update. */
export function permitsChanges(verb: string): boolean {
  return verb === '*' || verb === 'patch' || verb === 'update';
}

/** Groups of which every ServiceAccount is a member, and the beginning of those of one namespace's. */
const EVERYONE = 'system:authenticated';
const ACCOUNTS = 'system:serviceaccounts';

interface Subject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A subject as the API server calls users and groups; none where it stands for no ServiceAccount. */
export function accountNamed({ kind, namespace, name }: Subject): string[] {
  if (kind === 'ServiceAccount') return [accountUser(namespace, name)];
  const stands = name.startsWith('system:serviceaccount') || name === EVERYONE;
  return stands ? [name] : [];
}

/** `system:serviceaccount:tools:drain-operator` */
function accountUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** The user and the groups that a ServiceAccount is to the API server (apiserver pkg/authentication/serviceaccount/util.go, v0.36). */
export function namesOfAccount(namespace: string, name: string): readonly string[] {
  return [accountUser(namespace, name), `${ACCOUNTS}:${namespace}`, ACCOUNTS, EVERYONE];
}
