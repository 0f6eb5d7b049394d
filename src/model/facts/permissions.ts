/** Reports if a verb allows removing a finalizer, which is a patch or an update. */
export function permitsChanges(verb: string): boolean {
  return verb === '*' || verb === 'patch' || verb === 'update';
}

/** The group of every authenticated user; ServiceAccounts are always in it. */
const EVERYONE = 'system:authenticated';
const ACCOUNTS = 'system:serviceaccounts';

interface Subject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Returns the subject in the API server's names for users and groups; empty if it is no ServiceAccount. */
export function accountNamed({ kind, namespace, name }: Subject): string[] {
  if (kind === 'ServiceAccount') return [accountUser(namespace, name)];
  const stands = name.startsWith('system:serviceaccount') || name === EVERYONE;
  return stands ? [name] : [];
}

/** Returns the subject that an account's name stands for. */
export function subjectOf(account: string): Subject {
  const [, namespace = '', name = ''] = /^system:serviceaccount:([^:]*):(.*)$/u.exec(account) ?? [];
  return name === ''
    ? { kind: 'Group', namespace, name: account }
    : { kind: 'ServiceAccount', namespace, name };
}

function accountUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** Returns a ServiceAccount's user name and groups (apiserver pkg/authentication/serviceaccount/util.go, v0.36). */
export function namesOfAccount(namespace: string, name: string): readonly string[] {
  return [accountUser(namespace, name), `${ACCOUNTS}:${namespace}`, ACCOUNTS, EVERYONE];
}
