/** What tells a folder or file that others could have written to, and how that is said. */
import type { Stats } from 'node:fs';
import type { Person } from './person.ts';

/** What others could have written: neither read nor written to. The message says which path, and why. */
export class NotPrivateError extends Error {
  override readonly name = 'NotPrivateError';
  readonly path: string;

  constructor(at: string, why: string) {
    super(`${at} ${why}`);
    this.path = at;
  }
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
