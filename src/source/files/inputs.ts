/** Resolves the arguments of `-f`: files, folders with everything below, standard input. Opens no files. */
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { SourceError } from '../source.ts';

export interface Input {
  /** The name to show: the path as given, or `standard input`. */
  readonly name: string;
  /** Undefined for standard input and program output. */
  readonly path: string | undefined;
  readonly open?: () => Readable;
  /** Names of the folders it is in, from the given one. */
  readonly folders: readonly string[];
  /** Found in a folder, so skipped if it isn't a manifest. */
  readonly found: boolean;
  /** Undefined for standard input. */
  readonly modified: number | undefined;
  /** Bytes, if it can be read again; undefined for pipes. */
  readonly size: number | undefined;
  /** Opening it may block until there is a writer. */
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
  /** Files in folders without a manifest's extension. */
  readonly skipped: readonly string[];
  readonly closed: readonly ClosedFolder[];
  readonly folders: number;
}

const extensions = new Set(['.json', '.yaml', '.yml']);

export function fileError(name: string, error: unknown): SourceError {
  const code = (error as NodeJS.ErrnoException | null)?.code ?? '';
  const what = failures[code] ?? `cannot be read (${code === '' ? String(error) : code})`;
  return new SourceError(`${name}: ${what}.`);
}

const failures: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'no permission to read it',
  EPERM: 'no permission to read it',
  ELOOP: 'symbolic links that form a loop',
};

/** Lists the files for `-f` in order, each once. Rejects with a `SourceError` if one is missing or unreadable. */
export async function findInputs(names: readonly string[], recursive = true): Promise<Inputs> {
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
  /** Real paths, so that cyclic links end. */
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
    // Pipes such as /dev/fd/63 have no real path.
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
    // A broken link in a folder is skipped.
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
