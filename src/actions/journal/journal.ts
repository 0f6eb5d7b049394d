/**
 * The journal and its backups on disk: a folder for each entry, private to the user, on the disk before what they
 * speak of is sent, and bounded in number. The folder is `kubectl-gc-tree` in the user's state folder.
 */
import { randomBytes } from 'node:crypto';
import { chmod, type FileHandle, mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Identity } from '../../graph/node.ts';
import type { JsonRecord } from '../../model/json.ts';
import { type BackupNote, type Entry, type Intended, type Line, readEntry } from './record.ts';

/** Older ones go when a new one is written. */
const MOST_ENTRIES = 200;
const MOST_BYTES = 200 * 1024 * 1024;

const LINES = 'journal.jsonl';

/** `$XDG_STATE_HOME/kubectl-gc-tree`, by default below `~/.local/state`. */
export function stateFolder(env: Readonly<Record<string, string | undefined>>): string {
  const { XDG_STATE_HOME: state, HOME: home } = env;
  const base =
    state !== undefined && path.isAbsolute(state)
      ? state
      : path.join(home === undefined || home === '' ? homedir() : home, '.local', 'state');
  return path.join(base, 'kubectl-gc-tree');
}

/** What goes into a backup: the object as JSON, or undefined where it could not be read. */
export interface BackupObject {
  readonly object: Identity;
  readonly json: JsonRecord | undefined;
  readonly without?: string;
  readonly withoutAnnotations?: readonly string[];
}

/** Appends to one entry; every line is on the disk when its promise resolves. */
export interface EntryWriter {
  readonly id: string;
  write(line: Line): Promise<void>;
  close(): Promise<void>;
}

export class Journal {
  readonly folder: string;
  private readonly entries: string;

  /** `folder` as `stateFolder` says; it is made when the first entry is. */
  constructor(folder: string) {
    this.folder = folder;
    this.entries = path.join(folder, 'journal');
  }

  /**
   * Begins an entry: the backup first, then the line that says what is intended. Rejects with the file system's
   * error where one of them can't be written; then nothing may be sent.
   */
  async begin(
    intended: Omit<Intended, 'step' | 'id' | 'backup'>,
    backup: readonly BackupObject[],
  ): Promise<EntryWriter> {
    const id = newId(intended.at);
    const folder = path.join(this.entries, id);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // Folders that were there before may be open to others.
    for (const each of [this.folder, this.entries]) await chmod(each, 0o700);
    const notes: BackupNote[] = [];
    for (const [index, { json, ...note }] of backup.entries()) {
      if (json === undefined) {
        notes.push(note);
        continue;
      }
      const file = `${String(index).padStart(5, '0')}.json`;
      await writeDurably(path.join(folder, file), JSON.stringify(json));
      notes.push({ ...note, file });
    }
    const writer = entryWriter(id, await open(path.join(folder, LINES), 'ax', 0o600));
    try {
      await writer.write({ ...intended, step: 'intended', id, backup: notes });
      await syncFolder(folder);
      await syncFolder(this.entries);
      await this.prune(id);
    } catch (error) {
      await writer.close();
      throw error;
    }
    return writer;
  }

  /** All entries, the latest first. Folders that hold no whole entry are passed over: nothing was sent. */
  async list(): Promise<readonly Entry[]> {
    const found: Entry[] = [];
    for (const id of (await this.ids()).reverse()) {
      const entry = await this.entry(id);
      if (entry !== undefined) found.push(entry);
    }
    return found;
  }

  async entry(id: string): Promise<Entry | undefined> {
    if (!isId(id)) return undefined;
    const source = await readText(path.join(this.entries, id, LINES));
    return source === undefined ? undefined : readEntry(source);
  }

  /** An object of the entry's backup; undefined where it has none. */
  async backup(entry: Entry, note: BackupNote): Promise<JsonRecord | undefined> {
    if (note.file === undefined || !/^\d{5}\.json$/u.test(note.file)) return undefined;
    const source = await readText(path.join(this.entries, entry.intended.id, note.file));
    return source === undefined ? undefined : (JSON.parse(source) as JsonRecord);
  }

  /** Oldest first. */
  private async ids(): Promise<string[]> {
    try {
      return (await readdir(this.entries)).filter(isId).sort();
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  private async prune(keep: string): Promise<void> {
    const ids = await this.ids();
    let bytes = 0;
    let count = 0;
    for (const id of ids.reverse()) {
      const folder = path.join(this.entries, id);
      count += 1;
      bytes += await sizeOf(folder);
      if (id === keep || (count <= MOST_ENTRIES && bytes <= MOST_BYTES)) continue;
      await rm(folder, { recursive: true, force: true });
    }
  }
}

function entryWriter(id: string, handle: FileHandle): EntryWriter {
  // A line that could only be written in part must not swallow the next one.
  let isTorn = false;
  return {
    id,
    write: async line => {
      const text = `${isTorn ? '\n' : ''}${JSON.stringify(line)}\n`;
      isTorn = true;
      await handle.appendFile(text);
      await handle.datasync();
      isTorn = false;
    },
    close: () => handle.close(),
  };
}

/** Sorts by time; the random part keeps two tools apart. */
function newId(at: number): string {
  const time = new Date(at)
    .toISOString()
    .replaceAll(/[-:]/gu, '')
    .replace(/\.\d+Z$/u, 'Z');
  return `${time}-${randomBytes(3).toString('hex')}`;
}

function isId(name: string): boolean {
  return /^\d{8}T\d{6}Z-[0-9a-f]{6}$/u.test(name);
}

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** A file that was made is only found again after a crash when its folder is on the disk too. */
async function syncFolder(folder: string): Promise<void> {
  // Windows can't open folders, and keeps them by itself.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  try {
    for (const name of await readdir(folder)) bytes += (await stat(path.join(folder, name))).size;
  } catch (error) {
    // Another tool may be pruning too.
    if (!isMissing(error)) throw error;
  }
  return bytes;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
