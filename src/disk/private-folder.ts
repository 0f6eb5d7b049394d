/**
 * Folders that only their user can change. What is kept in them is read back, some of it as code: another user who could
 * put something there, or another folder in its place, would act as their user.
 */

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import path from 'node:path';
import { currentPerson, isOwnedBy, NotPrivateError, othersWrite, type Person, writable } from './person.ts';
import { closedFolders } from './user-folders.ts';

/** Makes the folder and its parents, closed to others. Its real path. Throws a `NotPrivateError`, or errors of node:fs. */
export function makePrivateFolder(
  folder: string,
  person = currentPerson(),
  closed = closedFolders(process.env),
): string {
  if (person === null) {
    assertClosed(folder, path.resolve(folder), closed);
    mkdirSync(folder, { recursive: true });
    assertClosed(folder, realpathSync.native(folder), closed);
    return folder;
  }
  const { at, status } = walk(folder, person, true) ?? missing(folder);
  if ((status.mode & 0o077) !== 0) chmodSync(at, 0o700);
  return at;
}

/** As `makePrivateFolder`, but changes nothing: undefined where there is no such folder. */
export function findPrivateFolder(
  folder: string,
  person = currentPerson(),
  closed = closedFolders(process.env),
): string | undefined {
  if (person === null) {
    if (!existsSync(folder)) return undefined;
    assertClosed(folder, realpathSync.native(folder), closed);
    return folder;
  }
  return walk(folder, person, false)?.at;
}

/** Windows has lists of who may write in place of modes. They aren't read: a folder is trusted for where it lies. */
function assertClosed(folder: string, at: string, closed: readonly string[]): void {
  const isClosed = closed
    .flatMap(each => [path.resolve(each), ...(existsSync(each) ? [realpathSync.native(each)] : [])])
    .some(each => {
      const below = path.relative(each, at);
      return below !== '..' && !below.startsWith(`..${path.sep}`) && !path.isAbsolute(below);
    });
  if (!isClosed)
    throw new NotPrivateError(
      folder,
      "lies outside of your user's profile, where others may be able to write",
    );
}

interface Reached {
  /** Without symbolic links. */
  readonly at: string;
  readonly status: Stats;
}

/** So many symbolic links are followed, as on Linux. */
const MOST_LINKS = 40;

/**
 * Goes down to the folder and looks at every folder on the way, through symbolic links too. When it arrives,
 * only the user and root could lead the same path elsewhere. `/tmp` and its like are passed, but nothing
 * is made in them: others could have been there first.
 */
function walk(folder: string, person: Person, make: boolean): Reached | undefined {
  let names = parts(folder);
  let links = 0;
  let reached: Reached = { at: path.sep, status: lstatSync(path.sep) };
  assertPassable(reached, person);
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const next = name === '..' ? path.dirname(reached.at) : path.join(reached.at, name);
    let status = lstatSync(next, { throwIfNoEntry: false });
    if (status === undefined) {
      if (!make) return undefined;
      if (othersWrite(reached.status, person))
        throw new NotPrivateError(
          next,
          `would lie in a folder that everyone can write to. Make it yourself first (mkdir -m 700)`,
        );
      makeFolder(next);
      status = lstatSync(next);
    }
    if (status.isSymbolicLink()) {
      if (!person.trusts(status.uid)) throw new NotPrivateError(next, isOwnedBy(status));
      links++;
      if (links > MOST_LINKS) throw new NotPrivateError(next, 'is a symbolic link that leads in a circle');
      const target = readlinkSync(next);
      names = [...parts(target), ...names];
      if (path.isAbsolute(target)) reached = { at: path.sep, status: lstatSync(path.sep) };
      continue;
    }
    // Fails with the usual error, because this is no question of trust.
    if (!status.isDirectory()) readdirSync(next);
    reached = { at: next, status };
    assertPassable(reached, person);
  }
  if (reached.status.uid !== person.uid) throw new NotPrivateError(reached.at, isOwnedBy(reached.status));
  if (othersWrite(reached.status, person)) throw new NotPrivateError(reached.at, writable(reached.status));
  return reached;
}

function parts(folder: string): string[] {
  return folder.split(path.sep).filter(name => name !== '' && name !== '.');
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process of the same user, perhaps; what it is will be looked at.
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST') throw error;
  }
}

/** What lies in it cannot be replaced by others: a sticky bit keeps them from that. */
function assertPassable(folder: Reached, person: Person): void {
  if (!person.trusts(folder.status.uid)) throw new NotPrivateError(folder.at, isOwnedBy(folder.status));
  if (othersWrite(folder.status, person) && (folder.status.mode & 0o1000) === 0)
    throw new NotPrivateError(folder.at, writable(folder.status));
}

/** Only where another process removes folders meanwhile. */
function missing(folder: string): never {
  throw new NotPrivateError(folder, 'no longer exists');
}
