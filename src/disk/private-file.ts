/** Files in private folders: read only where no other user can have written them, and made readable for their user alone. */
import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, rm, writeFile } from 'node:fs/promises';
import { currentPerson, isOwnedBy, NotPrivateError, othersWrite, type Person, writable } from './person.ts';
import { replaceFile } from './replace-file.ts';

/**
 * A file's text; undefined where there is none. The folder that it lies in must have been found private. Rejects
 * with a `NotPrivateError` for one that isn't the person's own and only name of it, or the file system's error.
 */
export async function readPrivateFile(file: string, person = currentPerson()): Promise<string | undefined> {
  return (await loadPrivateFile(file, { person }))?.text;
}

export interface PrivateFile {
  readonly text: string;
  /** When it was written last, in milliseconds since the epoch. */
  readonly modified: number;
}

export interface ReadOptions {
  readonly person?: Person | null;
  /** Nothing is read of a file that is larger. */
  readonly mostBytes?: number;
}

/** The same with its time, and where it isn't larger than it can be; else it rejects. */
export async function loadPrivateFile(
  file: string,
  { person = currentPerson(), mostBytes = Infinity }: ReadOptions = {},
): Promise<PrivateFile | undefined> {
  let handle: FileHandle;
  try {
    // A pipe in its place must not keep us waiting; Windows knows neither flag.
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

/** Makes a file for its user alone, and opens it to append to. Rejects where there is one, or a link, of this name. */
export function makePrivateFile(file: string): Promise<FileHandle> {
  return open(file, 'ax', 0o600);
}

/** Puts a file for its user alone in the place of another, if there is one: who reads it finds either of them whole. */
export async function replacePrivateFile(file: string, text: string): Promise<void> {
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
