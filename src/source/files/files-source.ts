/** Reads objects from files instead of a cluster, once and in order: manifests, kubectl's lists, dumps. */
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import {
  type Change,
  type Content,
  type JsonRecord,
  type KubeObject,
  ResourceType,
  record,
  type Said,
  type SourceBatch,
  secretValues,
  text,
  type Uid,
} from '../../model/index.ts';
import { builtInTypes } from '../built-in-types.ts';
import {
  type EventSubject,
  type FileLine,
  type JsonObject,
  type Source,
  SourceError,
  type SourceInfo,
} from '../source.ts';
import { Collection, type DocumentLocation } from './collection.ts';
import { fileError, type Input } from './inputs.ts';
import { inputsOf, type Kustomization, kustomizeName } from './kustomize.ts';
import { manifestsIn } from './manifest.ts';
import { parsePiece } from './parse-piece.ts';
import { ForeignFile, openInput, readInput } from './read-input.ts';
import type { ClusterSigns } from './signs/cluster-signs.ts';

export interface FilesOptions {
  /** Arguments of `-f`: files, folders, `-`. At least one, unless there is a kustomization. */
  readonly names: readonly string[];
  readonly kustomization?: Kustomization | undefined;
  /** Owners missing in the files don't exist, even if their kind is missing too. */
  readonly closedWorld: boolean;
  /** Fails on unreadable files in folders too. */
  readonly strict?: boolean;
  /** Default for namespaced manifests without one. */
  readonly namespace: string;
  /** Overrides the version in the files. */
  readonly serverVersion?: string | undefined;
  stdin(): Readable;
  now(): number;
}

type VersionInfo = Pick<SourceInfo, 'serverVersion' | 'serverVersionFrom' | 'serverVersionInFiles'>;

/** Maximum number of changes per batch. */
const BATCH = 2_000;

export class FilesSource implements Source {
  readonly #complete = Promise.withResolvers<void>();
  readonly graphComplete = this.#complete.promise;
  readonly factsComplete = this.graphComplete;
  readonly #options: FilesOptions;
  readonly #collection: Collection;
  readonly #aborting = new AbortController();
  #warnings: readonly string[] = [];
  /** One line each, without a full stop. */
  readonly #unread: string[] = [];
  #takenAt: number | undefined;
  #version: VersionInfo;
  #takenAtFrom: SourceInfo['takenAtFrom'];

  constructor(options: FilesOptions) {
    this.#options = options;
    this.#version = { serverVersion: options.serverVersion, serverVersionFrom: 'flag' };
    const { namespace, closedWorld } = options;
    this.#collection = new Collection({ namespace, closedWorld, now: () => options.now() });
    // `start` rejects with the same error, so this one needs no handler.
    this.graphComplete.catch(() => {});
  }

  /** `takenAt`, `serverVersion` and warnings are complete with the graph. */
  get info(): SourceInfo {
    const { names, kustomization } = this.#options;
    const [first = '', ...more] =
      kustomization === undefined
        ? names.map(name => (name === '-' ? 'standard input' : name))
        : [kustomizeName(kustomization.folder)];
    return {
      source: 'files',
      context: more.length === 0 ? first : `${first} and ${more.length} more`,
      namespace: this.#options.namespace,
      ...this.#version,
      takenAt: this.#takenAt,
      takenAtFrom: this.#takenAtFrom,
    };
  }

  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** Reads everything in batches. Rejects with a `SourceError` if a file is unreadable or none has a manifest. */
  async start(listener: (batch: SourceBatch) => void): Promise<void> {
    try {
      await this.#read(listener);
      this.#complete.resolve();
    } catch (error) {
      this.#complete.reject(error);
      throw error;
    }
  }

  async #read(listener: (batch: SourceBatch) => void): Promise<void> {
    const { names, kustomization } = this.#options;
    const { inputs, skipped, closed } = await inputsOf(names, kustomization);
    this.#aborting.signal.throwIfAborted();
    // The kinds held are known only at the end.
    listener({
      changes: [],
      types: builtInTypes,
      failedGroups: [],
      statuses: builtInTypes
        .filter(ResourceType.isMonitored)
        .map(type => ({ type, state: 'listing', count: 0, facts: false })),
      connection: { state: 'live' },
    });
    const foreign = [...skipped];
    for (const { folder, error } of closed) this.#leaveOut({ name: folder }, error);
    let read = 0;
    for (const input of inputs) {
      if (await this.#readOne(input, listener)) read++;
      else foreign.push(input.name);
    }
    if (read === 0 || (this.#unread.length > 0 && this.#collection.size === 0))
      throw this.#nothing(foreign.length);
    const { types, changes, statuses, failedGroups, warnings } = this.#collection.settle();
    this.#warnings = [
      ...warnings,
      ...(this.#unread.length === 0 ? [] : [unreadWarning(this.#unread)]),
      ...(foreign.length === 0 ? [] : [skippedWarning(foreign)]),
      ...(this.#collection.size === 0 ? [`${this.#options.names.join(', ')}: no object in there.`] : []),
    ];
    this.#version = this.#versionOf(this.#collection.clusterSigns);
    const written = Math.max(...inputs.map(input => input.modified ?? this.#options.now()));
    const { at, from, doubt } = this.#collection.lastSign.moment(written);
    this.#takenAt = at;
    this.#takenAtFrom = from;
    if (doubt !== undefined) this.#warnings = [...this.#warnings, doubt];
    listener({ changes, types, statuses, failedGroups });
  }

  #versionOf({ serverVersion: found, serverVersionFrom: from }: ClusterSigns): VersionInfo {
    const { serverVersion: given } = this.#options;
    if (given === undefined) return { serverVersion: found, serverVersionFrom: from };
    const isOther = found !== undefined && found !== given;
    return {
      serverVersion: given,
      serverVersionFrom: 'flag',
      ...(isOther && { serverVersionInFiles: found }),
    };
  }

  /** Returns false for a file in a folder that isn't a manifest. */
  async #readOne(input: Input, listener: (batch: SourceBatch) => void): Promise<boolean> {
    let changes: Change[] = [];
    const tell = (): void => {
      if (changes.length === 0) return;
      listener({ changes });
      changes = [];
    };
    const receiver = {
      object: (manifest: Parameters<Collection['add']>[0], place: DocumentLocation): void => {
        for (const change of this.#collection.add(manifest, place)) changes.push(change);
        if (changes.length >= BATCH) tell();
      },
      emptyList: (...read: Parameters<Collection['addEmptyList']>): void =>
        this.#collection.addEmptyList(...read),
      version: (version: string): void => this.#collection.clusterSigns.noteVersion(version, input),
      partOfList: (...part: Parameters<Collection['addPart']>): void => this.#collection.addPart(...part),
      leftOut: (why: string, line: number): void =>
        this.#leaveOut(input, new SourceError(`${input.name}, line ${line}: ${why}.`)),
      breathe: tell,
    };
    try {
      const stream = openInput(input, () => this.#options.stdin());
      await readInput(input, stream, receiver, this.#aborting.signal);
      return true;
    } catch (error) {
      if (!input.found || !(error instanceof SourceError) || this.#aborting.signal.aborted) throw error;
      if (error instanceof ForeignFile && !error.meant) return false;
      this.#leaveOut(input, error);
      return true;
    } finally {
      tell();
    }
  }

  #leaveOut(input: Pick<Input, 'name'>, error: SourceError): void {
    if (this.#options.strict === true) throw error;
    const message = error.message.replace(/\.$/u, '');
    this.#unread.push(message);
    this.#collection.addUnread(input, message.slice(input.name.length).replace(/^[,:]? /u, ''));
  }

  #nothing(foreign: number): SourceError {
    const name = this.#options.names.join(', ');
    if (this.#unread.length > 0)
      return new SourceError(`${name}: none of the manifests can be read. ${unreadWarning(this.#unread)}`);
    return new SourceError(
      foreign === 0
        ? `${name}: the folder is empty.`
        : `${name}: no manifests in this folder, among ${foreign === 1 ? 'one file' : `${foreign} files`}.`,
    );
  }

  async get(type: ResourceType, namespace: string, name: string): Promise<JsonObject | undefined> {
    const json = await this.getWithData(type, namespace, name);
    return json && secretValues.hiddenBelow(json, 'hidden');
  }

  async getWithData(type: ResourceType, namespace: string, name: string): Promise<JsonRecord | undefined> {
    const place = this.#collection.placeOf(type, namespace, name);
    if (place === undefined) return undefined;
    const { input } = place;
    if (input.path === undefined || input.size === undefined)
      throw new SourceError(
        `${input.name} cannot be read a second time. Save it to a file, and give that with -f.`,
      );
    const bytes = await bytesOf(input, input.path, place);
    const piece = { bytes, offset: place.offset, line: 1, items: 0, format: place.format } as const;
    // In YAML, an element is cut out as a sequence of one.
    const value = parsePiece({ ...piece, part: place.listed ? 'item' : 'document' });
    const json = findObject(value, type, { namespace, name, fallback: this.#options.namespace });
    if (json === undefined) throw changed(input);
    return json;
  }

  content(object: KubeObject): Content | undefined {
    return this.#collection.content(object);
  }

  events({ uid }: EventSubject): Promise<readonly Said[]> {
    return Promise.resolve(this.#collection.eventsAbout(uid));
  }

  fileLine(uid: Uid): FileLine | undefined {
    const place = this.#collection.placeOfUid(uid);
    // kubectl's output can't be opened at a line.
    if (place === undefined || place.input.open !== undefined) return undefined;
    return { file: place.input.path ?? '-', line: place.line };
  }

  close(): Promise<void> {
    this.#aborting.abort(new SourceError('reading was stopped.'));
    return Promise.resolve();
  }
}

const NAMED = 3;
const MOST_UNREAD = 20;

function unreadWarning(unread: readonly string[]): string {
  const named = unread.slice(0, MOST_UNREAD).join('; ');
  const more = unread.length > MOST_UNREAD ? `; and ${unread.length - MOST_UNREAD} more` : '';
  return `${unread.length === 1 ? 'one thing was' : `${unread.length} things were`} not read, so this is incomplete: ${named}${more}.`;
}

function skippedWarning(names: readonly string[]): string {
  const named = names.slice(0, NAMED).join(', ');
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return names.length === 1
    ? `a file that is no manifest was skipped: ${named}.`
    : `${names.length} files that are no manifests were skipped: ${named}${more}.`;
}

function changed(input: Input): SourceError {
  return new SourceError(`${input.name} has changed since it was read. Open it again.`);
}

async function bytesOf(
  input: Input,
  path: string,
  { offset, length, encoding }: DocumentLocation,
): Promise<Buffer> {
  try {
    await using file = await open(path);
    const status = await file.stat();
    if (status.size !== input.size || status.mtimeMs !== input.modified) throw changed(input);
    if (encoding !== undefined) {
      const text = new TextDecoder(encoding).decode(await file.readFile());
      return Buffer.from(text).subarray(offset, offset + length);
    }
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw error instanceof SourceError ? error : fileError(input.name, error);
  }
}

interface Wanted {
  readonly namespace: string;
  readonly name: string;
  readonly fallback: string;
}

function findObject(value: unknown, type: ResourceType, wanted: Wanted): JsonObject | undefined {
  const content = manifestsIn(value, false, { apiVersion: type.apiVersion, kind: type.kind });
  if (content.is === 'list') {
    for (const each of content.elements) {
      const found = findObject(each, type, wanted);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (content.is !== 'object') return undefined;
  const { apiVersion, kind, json } = content.manifest;
  const metadata = record(json['metadata']);
  const namespace = text(metadata['namespace']) || wanted.fallback;
  const same =
    kind === type.kind &&
    text(metadata['name']) === wanted.name &&
    (!type.namespaced || namespace === wanted.namespace);
  return same ? { apiVersion, kind, ...json } : undefined;
}
