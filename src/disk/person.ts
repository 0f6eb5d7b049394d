/** The user of this process as the file system sees it, to decide which folders are trusted. */
import { readFileSync, type Stats } from 'node:fs';
import { userInfo } from 'node:os';

export interface Person {
  readonly uid: number;
  /** Accepts the user's and the administrator's files. */
  trusts(uid: number): boolean;
  /** Reports whether the user is the group's only member. */
  isAlone(gid: number): boolean;
}

/** Returns null on Windows, whose access lists keep folders below the profile private. */
function currentPerson(): Person | null {
  const uid = process.geteuid?.();
  if (uid === undefined) return null;
  return {
    uid,
    trusts: owner => owner === uid || owner === 0 || isUnmapped(owner),
    isAlone: gid => gid === process.getegid?.() && isPrivateGroup(gid),
  };
}

/** Recognises the overflow user: it owns root's files in a rootless container's user namespace. */
function isUnmapped(uid: number): boolean {
  const overflow = text('/proc/sys/kernel/overflowuid').trim();
  if (overflow === '' || Number(overflow) !== uid) return false;
  return !/^\s*0\s+0\s+4294967295\s*$/u.test(text('/proc/self/uid_map'));
}

/** Recognises a user's own group: Debian makes folders writable for it (umask 002), harmless if it is private. */
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

/** A path that other users could have written, so it isn't used. The message has the path and the reason. */
export class NotPrivateError extends Error {
  override readonly name = 'NotPrivateError';
  readonly path: string;

  constructor(at: string, why: string) {
    super(`${at} ${why}`);
    this.path = at;
  }
}

/** Returns why a file isn't trusted, `/x can be written to by other users (mode 0666)`, and the remedy. */
function distrust(file: string, found: Stats): { readonly why: string; readonly mend: string } | undefined {
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

export const Person = { current: currentPerson, distrust };
