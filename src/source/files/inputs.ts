/** What `-f` names: files, folders with everything below them, standard input. Opens no file by itself. */
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { SourceError } from '../source.ts';

export interface Input {
  /** As people know it: the path as given, with what lies below it; `standard input`. */
  readonly name: string;
  /** Undefined for standard input, and for what a program prints. */
  readonly path: string | undefined;
  /** Starts the program that prints it; missing for files and standard input. */
  readonly open?: () => Readable;
  /** Names of the folders that it lies in, from the one that was given. */
  readonly folders: readonly string[];
  /** Found in a folder: what is no manifest is passed over. */
  readonly found: boolean;
  /** Milliseconds since the epoch; undefined for standard input. */
  readonly modified: number | undefined;
  /** Bytes, where it can be read again; undefined for pipes. */
  readonly size: number | undefined;
  /** Opening it may wait for somebody to write. */
  readonly pipe: boolean;
}

export const STANDARD_INPUT: Input = {
  name: 'standard input',
  path: undefined,
  folders: [],
  found: false,
  modified: undefined,
  size: undefined,
  pipe: false,
};

interface ClosedFolder {
  readonly folder: string;
  readonly error: SourceError;
}

export interface Inputs {
  readonly inputs: readonly Input[];
  /** Files in folders whose names say that they are no manifests. */
  readonly skipped: readonly string[];
  /** Folders that cannot be opened, with why. */
  readonly closed: readonly ClosedFolder[];
  /** The folders among what was named. */
  readonly folders: number;
}

/** As kubectl takes them from a folder. */
const extensions = new Set(['.json', '.yaml', '.yml']);

/** A failed file operation in words. */
export function fileError(name: string, error: unknown): SourceError {
  const code = (error as NodeJS.ErrnoException | null)?.code ?? '';
  const what = failures[code] ?? `cannot be read (${code === '' ? String(error) : code})`;
  return new SourceError(`${name}: ${what}.`);
}

const failures: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'no permission to read it',
  EPERM: 'no permission to read it',
  ELOOP: 'symbolic links that lead in a circle',
};

/**
 * The files that the arguments of `-f` stand for, in that order, those of a folder by name. A file that several
 * of them name is read once. `recursive`: with what lies in folders of a folder. Rejects with a `SourceError` for what
 * isn't there or cannot be read.
 */
export async function findInputs(names: readonly string[], { recursive = true } = {}): Promise<Inputs> {
  const found: Found = { inputs: [], skipped: [], closed: [], folders: 0, seen: new Set(), recursive };
  for (const name of names) {
    if (name === '-') {
      if (!found.inputs.includes(STANDARD_INPUT)) found.inputs.push(STANDARD_INPUT);
    } else if (/^https?:\/\//u.test(name)) {
      throw new SourceError(`${name}: addresses aren't fetched. Use curl -s … | kubectl gc-tree -f -.`);
    } else if (name === '') {
      throw new SourceError('--filename needs the name of a file or folder, or - for standard input.');
    } else {
      await visit({ name, folders: [], inFolder: false }, found);
    }
  }
  return found;
}

interface Found {
  readonly inputs: Input[];
  readonly skipped: string[];
  readonly closed: ClosedFolder[];
  folders: number;
  /** Real paths, so that links in a circle end. */
  readonly seen: Set<string>;
  readonly recursive: boolean;
}

interface Visit {
  readonly name: string;
  readonly folders: readonly string[];
  readonly inFolder: boolean;
}

async function visit({ name, folders, inFolder }: Visit, found: Found): Promise<void> {
  try {
    const status = await stat(name);
    const folder = status.isDirectory();
    if (inFolder && folder && !found.recursive) return;
    if (inFolder && !folder && !(status.isFile() && extensions.has(path.extname(name).toLowerCase()))) {
      found.skipped.push(name);
      return;
    }
    // Pipes such as /dev/fd/63 have no path of their own.
    const real = folder || status.isFile() ? await realpath(name) : name;
    if (found.seen.has(real)) return;
    found.seen.add(real);
    if (!folder) {
      const size = status.isFile() ? status.size : undefined;
      const modified = status.isFile() ? status.mtimeMs : undefined;
      const pipe = status.isFIFO();
      found.inputs.push({ name, path: name, folders, found: inFolder, modified, size, pipe });
      return;
    }
  } catch (error) {
    // A link in a folder that leads nowhere is no reason to stop.
    if (inFolder && (error as NodeJS.ErrnoException).code === 'ENOENT') {
      found.skipped.push(name);
      return;
    }
    throw fileError(name, error);
  }
  await visitFolder({ name, folders, inFolder }, found);
}

async function visitFolder({ name, folders, inFolder }: Visit, found: Found): Promise<void> {
  if (!inFolder) found.folders++;
  const below = [...folders, path.basename(path.resolve(name))];
  let entries: string[];
  try {
    entries = await readdir(name);
  } catch (error) {
    if (!inFolder) throw fileError(name, error);
    found.closed.push({ folder: name, error: fileError(name, error) });
    return;
  }
  for (const entry of entries.sort()) {
    await visit({ name: path.join(name, entry), folders: below, inFolder: true }, found);
  }
}
