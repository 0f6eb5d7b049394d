/** Files in private folders: only read if no other user can have written them, and created for their user alone. */
import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, rm, writeFile } from 'node:fs/promises';
import { isOwnedBy, NotPrivateError, othersWrite, Person, writable } from './person.ts';
import { replaceFile } from './replace-file.ts';

/**
 * Returns a file's text; undefined if it is missing. Its folder must be private. Rejects with a `NotPrivateError`
 * unless the file is the user's own with a single name, or with the file system's error.
 */
async function readPrivateFile(file: string, person = Person.current()): Promise<string | undefined> {
  return (await loadPrivateFile(file, { person }))?.text;
}

export interface PrivateFile {
  readonly text: string;
  readonly modified: number;
}

export interface ReadOptions {
  readonly person?: Person | null;
  /** A larger file isn't read. */
  readonly mostBytes?: number;
}

/** Like `readPrivateFile`, with the modification time. Rejects for a file above `mostBytes`. */
async function loadPrivateFile(
  file: string,
  { person = Person.current(), mostBytes = Infinity }: ReadOptions = {},
): Promise<PrivateFile | undefined> {
  let handle: FileHandle;
  try {
    // A pipe must not block the open; Windows has neither flag.
    handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP' || code === 'EMLINK') throw new NotPrivateError(file, 'is a symbolic link');
    throw error;
  }
  try {
    const status = await handle.stat();
    assertPrivate(file, status, person);
    if (status.size > mostBytes) throw new Error(`${file} is larger than ${mostBytes} bytes`);
    return { text: await handle.readFile('utf8'), modified: status.mtimeMs };
  } finally {
    await handle.close();
  }
}

/** Creates a file to append to. Rejects if a file or link of this name exists. */
function makePrivateFile(file: string): Promise<FileHandle> {
  return open(file, 'ax', 0o600);
}

/** Replaces or creates a file atomically. */
async function replacePrivateFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(temporary, text, { flag: 'wx', mode: 0o600 });
    await replaceFile(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}

function assertPrivate(file: string, status: Stats, person: Person | null): void {
  if (!status.isFile()) throw new NotPrivateError(file, 'is not a file');
  if (person === null) return;
  if (status.uid !== person.uid) throw new NotPrivateError(file, isOwnedBy(status));
  if (status.nlink > 1) throw new NotPrivateError(file, 'has another name elsewhere (a hard link)');
  if (othersWrite(status, person)) throw new NotPrivateError(file, writable(status));
}

export const PrivateFile = {
  make: makePrivateFile,
  read: readPrivateFile,
  load: loadPrivateFile,
  replace: replacePrivateFile,
};
