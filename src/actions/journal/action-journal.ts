/**
 * The journal and its backups: a private folder per entry in `kubectl-gc-tree` in the user's state folder, bounded in
 * number.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { PrivateFile, privateFolder } from '../../disk/index.ts';
import { type JsonRecord, parseApiVersion, record, text } from '../../model/index.ts';
import { Platform } from '../../platform/index.ts';
import {
  type BackupNote,
  type Entry,
  type Intended,
  isDamaged,
  JOURNAL_FORMAT,
  type JournalLine,
  readEntry,
} from './journal-entry.ts';

/** Writing a new entry deletes the oldest above this. */
const MOST_ENTRIES = 200;
const MOST_BYTES = 200 * 1024 * 1024;
/** So long another process may still be at an entry that hasn't ended; one that was killed never ends it. */
const LONGEST_ACTION_MS = 24 * 60 * 60 * 1000;

const LINES = 'journal.jsonl';

/** A backed-up object: its JSON, or undefined if it was unreadable or already gone. */
export interface BackupObject extends Omit<BackupNote, 'file'> {
  readonly json: JsonRecord | undefined;
  readonly unusable?: string;
  /** The latest uid under which an undo of the entry recreated it. */
  readonly newUid?: string;
}

/** Appends to one entry; each line is synced when its promise resolves. */
export interface EntryWriter {
  readonly id: string;
  write(line: JournalLine): Promise<void>;
  close(): Promise<void>;
}

export class Journal {
  readonly folder: string;
  readonly #entries: string;

  /** `folder` as in `userFolders.state`; it is created with the first entry. */
  constructor(folder: string) {
    this.folder = folder;
    this.#entries = path.join(folder, 'journal');
  }

  /** Writes backup and intended line. If it rejects (file system's error, `NotPrivateError`), nothing may be sent. */
  async begin(
    intended: Omit<Intended, 'step' | 'format' | 'id' | 'backup'>,
    backup: readonly BackupObject[],
  ): Promise<EntryWriter> {
    const id = newId(intended.at);
    const concerned = [...upToTheFirstThatIsThere(path.join(this.#entries, id))];
    // Each folder may exist already, and be open to others.
    privateFolder.make(this.folder);
    privateFolder.make(this.#entries);
    const folder = privateFolder.make(path.join(this.#entries, id));
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
    const writer = entryWriter(id, await PrivateFile.make(path.join(folder, LINES)));
    try {
      await writer.write({ ...intended, step: 'intended', format: JOURNAL_FORMAT, id, backup: notes });
      for (const each of concerned) await syncFolder(each);
      await this.#prune(id);
    } catch (error) {
      await writer.close();
      throw error;
    }
    return writer;
  }

  /** Lists whole entries, latest first. Rejects with `LaterFormatError`, or `NotPrivateError` if others can write. */
  async list(): Promise<readonly Entry[]> {
    const found: Entry[] = [];
    for (const id of (await this.#ids()).reverse()) {
      const entry = await this.entry(id);
      if (entry !== undefined) found.push(entry);
    }
    return found;
  }

  /** Lists folders of unreadable entries that may have been sent, latest first; they may hold backups. */
  async damaged(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const id of (await this.#ids()).reverse()) {
      const source = await this.#read(id, LINES);
      if (source !== undefined && isDamaged(source)) found.push(path.join(this.#entries, id));
    }
    return found;
  }

  async entry(id: string): Promise<Entry | undefined> {
    if (!isId(id)) return undefined;
    const source = await this.#read(id, LINES);
    const entry = source === undefined ? undefined : readEntry(source);
    return entry?.intended.id === id ? entry : undefined;
  }

  /** Returns the entry's backup in order. `all` avoids listing again. Rejects with the file system's error. */
  async backupOf(entry: Entry, all?: readonly Entry[]): Promise<BackupObject[]> {
    const born = createdAgain(entry, all ?? (await this.list()));
    const found: BackupObject[] = [];
    for (const note of entry.intended.backup) {
      const { file: _, ...known } = note;
      const newUid = born.get(note.object.uid);
      const held = checked(note, await this.#backupText(entry, note));
      found.push({ ...known, ...held, ...(newUid !== undefined && { newUid }) });
    }
    return found;
  }

  async #backupText(entry: Entry, note: BackupNote): Promise<string | undefined> {
    if (note.file === undefined || !/^\d{5}\.json$/u.test(note.file)) return undefined;
    return this.#read(entry.intended.id, note.file);
  }

  async #read(id: string, file: string): Promise<string | undefined> {
    const folder = privateFolder.find(path.join(this.#entries, id));
    return folder === undefined ? undefined : PrivateFile.read(path.join(folder, file));
  }

  async #ids(): Promise<string[]> {
    const folder = privateFolder.find(this.#entries);
    return folder === undefined ? [] : (await readdir(folder)).filter(isId).sort();
  }

  /** False if it cannot be read. */
  async #hasEnded(id: string): Promise<boolean> {
    return this.entry(id).then(
      entry => entry?.ended !== undefined,
      () => false,
    );
  }

  async #prune(keep: string): Promise<void> {
    const ids = await this.#ids();
    let bytes = 0;
    let count = 0;
    for (const id of ids.reverse()) {
      const folder = path.join(this.#entries, id);
      count += 1;
      bytes += await sizeOf(folder);
      if (id === keep || (count <= MOST_ENTRIES && bytes <= MOST_BYTES)) continue;
      if (timeOf(keep) - timeOf(id) < LONGEST_ACTION_MS && !(await this.#hasEnded(id))) continue;
      await rm(folder, { recursive: true, force: true });
    }
  }
}

function timeOf(id: string): number {
  return Date.parse(id.replace(/^(.{4})(..)(..)T(..)(..)(..)Z.*$/u, '$1-$2-$3T$4:$5:$6Z'));
}

/** Maps former uids to the uids of objects that undos of the entry created. */
function createdAgain({ intended: { id } }: Entry, all: readonly Entry[]): ReadonlyMap<string, string> {
  const born = new Map<string, string>();
  for (const { intended, requests } of all) {
    if (intended.undoes !== id) continue;
    for (const [index, { formerUid }] of intended.requests.entries()) {
      const answer = requests[index];
      if (formerUid === undefined || answer?.state !== 'answered' || born.has(formerUid)) continue;
      if (answer.uid !== undefined) born.set(formerUid, answer.uid);
    }
  }
  return born;
}

/** Accepts a backup only for the object the journal names: the confirmation shows that name. */
function checked(
  { object }: BackupNote,
  source: string | undefined,
): Pick<BackupObject, 'json' | 'unusable'> {
  if (source === undefined) return { json: undefined };
  let json: JsonRecord;
  try {
    json = record(JSON.parse(source));
  } catch {
    // The parser's message could quote secrets.
    return { json: undefined, unusable: 'its backup is damaged' };
  }
  if (Object.keys(json).length === 0) return { json: undefined, unusable: 'its backup is damaged' };
  const { name, namespace, uid } = record(json['metadata']);
  const isIt =
    json['kind'] === object.kind &&
    parseApiVersion(text(json['apiVersion'])).group === parseApiVersion(object.apiVersion).group &&
    name === object.name &&
    text(namespace) === object.namespace &&
    uid === object.uid;
  return isIt ? { json } : { json: undefined, unusable: 'its backup is of another object' };
}

function entryWriter(id: string, handle: FileHandle): EntryWriter {
  // A partly written line must not swallow the next one.
  let isTorn = false;
  return {
    id,
    write: async line => {
      const whole = `${isTorn ? '\n' : ''}${JSON.stringify(line)}\n`;
      isTorn = true;
      await handle.appendFile(whole);
      await handle.datasync();
      isTorn = false;
    },
    close: () => handle.close(),
  };
}

/** Sorts by time; the random part distinguishes concurrent processes. */
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

async function writeDurably(file: string, content: string): Promise<void> {
  const handle = await PrivateFile.make(file);
  try {
    await handle.writeFile(content);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** Yields a folder to be created, its missing ancestors, and the first that exists. */
function* upToTheFirstThatIsThere(folder: string): IterableIterator<string> {
  yield folder;
  if (!existsSync(folder)) yield* upToTheFirstThatIsThere(path.dirname(folder));
}

/** Syncs a folder: after a crash, new files are found only if their folder is on disk too. */
async function syncFolder(folder: string): Promise<void> {
  // Windows can't open folders, and syncs them itself.
  if (Platform.current.isWindows) return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  try {
    for (const name of await readdir(folder)) bytes += (await stat(path.join(folder, name))).size;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  return bytes;
}
