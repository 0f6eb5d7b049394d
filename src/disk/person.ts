/** Who runs this process, as far as files go: whose folders are trusted. */
import { readFileSync, type Stats } from 'node:fs';
import { userInfo } from 'node:os';

export interface Person {
  readonly uid: number;
  /** Whether this owner is the user, or the administrator. */
  trusts(uid: number): boolean;
  /** Whether the user is the only member of this group. */
  isAlone(gid: number): boolean;
}

/** Null on Windows, where folders below the profile are private by their access lists. */
export function currentPerson(): Person | null {
  const uid = process.geteuid?.();
  if (uid === undefined) return null;
  return {
    uid,
    trusts: owner => owner === uid || owner === 0 || isUnmapped(owner),
    isAlone: gid => gid === process.getegid?.() && isPrivateGroup(gid),
  };
}

/**
 * In a user namespace without the host's root (a rootless container, toolbox) whatever belongs to that root seems
 * to belong to the overflow user.
 */
function isUnmapped(uid: number): boolean {
  const overflow = text('/proc/sys/kernel/overflowuid').trim();
  if (overflow === '' || Number(overflow) !== uid) return false;
  return !/^\s*0\s+0\s+4294967295\s*$/u.test(text('/proc/self/uid_map'));
}

/**
 * Debian and its relatives give each user a group of the same name, and make folders that it may write to
 * (umask 002). That is harmless as long as the group has no other member.
 */
function isPrivateGroup(gid: number): boolean {
  let name: string;
  try {
    name = userInfo().username;
  } catch {
    return false;
  }
  const groups = records('/etc/group').filter(([, , id]) => Number(id) === gid);
  const others = records('/etc/passwd').some(([user, , , id]) => Number(id) === gid && user !== name);
  return (
    groups.length > 0 &&
    !others &&
    groups.every(([group, , , members]) => group === name && (members === '' || members === name))
  );
}

function records(file: string): string[][] {
  return text(file)
    .split('\n')
    .filter(line => line !== '')
    .map(line => line.split(':'));
}

function text(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** What others could have written: neither read nor written to. The message says which path, and why. */
export class NotPrivateError extends Error {
  override readonly name = 'NotPrivateError';
  readonly path: string;

  constructor(at: string, why: string) {
    super(`${at} ${why}`);
    this.path = at;
  }
}

/** Why a file is not to be believed, `/x can be written to by other users (mode 0666)`, and what to do about that. */
export function distrust(
  file: string,
  found: Stats,
): { readonly why: string; readonly mend: string } | undefined {
  const person = currentPerson();
  if (person === null) return undefined;
  if (!person.trusts(found.uid)) return { why: `${file} ${isOwnedBy(found)}`, mend: 'change its owner' };
  return othersWrite(found, person)
    ? { why: `${file} ${writable(found)}`, mend: `chmod go-w ${file}` }
    : undefined;
}

export function othersWrite({ mode, gid }: Stats, person: Person): boolean {
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && !person.isAlone(gid));
}

export function isOwnedBy({ uid }: Stats): string {
  return `belongs to another user (uid ${uid})`;
}

export function writable({ mode }: Stats): string {
  return `can be written to by other users (mode ${(mode & 0o7777).toString(8).padStart(4, '0')})`;
}
