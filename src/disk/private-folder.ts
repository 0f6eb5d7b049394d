/**
 * Folders that only their user can change. Their content is read back, some of it as code, so another user who could
 * plant a file or replace the folder would gain the user's rights.
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
import { isOwnedBy, NotPrivateError, othersWrite, Person, writable } from './person.ts';
import { closedFolders } from './user-folders.ts';

/** Makes a folder and its parents, and returns its real path. Throws a `NotPrivateError`, or errors of node:fs. */
function makePrivateFolder(
  folder: string,
  person = Person.current(),
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

/** Like `makePrivateFolder`, but changes nothing: undefined if the folder is missing. */
function findPrivateFolder(
  folder: string,
  person = Person.current(),
  closed = closedFolders(process.env),
): string | undefined {
  if (person === null) {
    if (!existsSync(folder)) return undefined;
    assertClosed(folder, realpathSync.native(folder), closed);
    return folder;
  }
  return walk(folder, person, false)?.at;
}

/** Trusts a folder by its place, because Windows has access lists in place of modes and they aren't read. */
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
  /** Free of symbolic links. */
  readonly at: string;
  readonly status: Stats;
}

/** Linux follows as many. */
const MOST_LINKS = 40;

/**
 * Walks down to the folder and checks each one on the way, also behind symbolic links: in the end only the user and
 * root could redirect the path. Passes `/tmp` and the like but makes nothing in them, because other users could have
 * been first.
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
      if (links > MOST_LINKS) throw new NotPrivateError(next, 'is part of a loop of symbolic links');
      const target = readlinkSync(next);
      names = [...parts(target), ...names];
      if (path.isAbsolute(target)) reached = { at: path.sep, status: lstatSync(path.sep) };
      continue;
    }
    // A path that is no folder fails with the usual error.
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
    // Another process of this user may have made it; the walk checks it.
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST') throw error;
  }
}

/** Accepts a sticky bit, which keeps other users from replacing entries. */
function assertPassable(folder: Reached, person: Person): void {
  if (!person.trusts(folder.status.uid)) throw new NotPrivateError(folder.at, isOwnedBy(folder.status));
  if (othersWrite(folder.status, person) && (folder.status.mode & 0o1000) === 0)
    throw new NotPrivateError(folder.at, writable(folder.status));
}

function missing(folder: string): never {
  throw new NotPrivateError(folder, 'no longer exists');
}

export const privateFolder = { find: findPrivateFolder, make: makePrivateFolder };
