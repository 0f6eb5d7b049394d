/** The interface of all sources: a live cluster, files, a recording, the demo. */

import {
  type ActAnswer,
  type ActRequest,
  type CollectorRelease,
  type Content,
  type DryRunAnswer,
  type DryRunRequest,
  type KubeObject,
  type LookUp,
  ManagerLease,
  type ManagerPage,
  type NodeRemoval,
  type ReadPlan,
  type ResourceType,
  type Said,
  type SourceBatch,
  type TypeCatalog,
  type Uid,
  type Want,
} from '../model/index.ts';

export type SourceKind = 'cluster' | 'files' | 'demo' | 'replay';

export interface SourceInfo {
  readonly source: SourceKind;
  /** Name to show: the kubeconfig context, the scenario, the file. */
  readonly context: string | undefined;
  /** Initial namespace: the context's, else `default`. */
  readonly namespace: string;
  /** `v1.36.3`, once known. */
  readonly serverVersion: string | undefined;
  /** Origin of the version; the server if missing. */
  readonly serverVersionFrom?: VersionOrigin | undefined;
  /** The version in the files, if a flag overrides it. */
  readonly serverVersionInFiles?: string | undefined;
  /** The moment that files or a recording show, in ms since the epoch; other sources show now. */
  readonly takenAt?: number | undefined;
  /** Origin of `takenAt`: the objects, or the files' time. */
  readonly takenAtFrom?: 'objects' | 'files' | undefined;
  /** A recording's first and last moment; `cutOff`: it ends before recording was ended. */
  readonly recording?: { readonly from: number; readonly to: number; readonly cutOff: boolean } | undefined;
  /** Milliseconds to add to this clock for the API server's; 0 or undefined if equal. */
  readonly clockOffset?: number | undefined;
  /** A simulated cluster's collector, unless it is today's. */
  readonly collector?: CollectorRelease | undefined;
  readonly story?: Story | undefined;
}

/** A scenario's story; each text is one paragraph. */
export interface Story {
  readonly title: string;
  readonly look: readonly string[];
  readonly try: readonly (Trial & { readonly command: string })[];
}

/**
 * - `why`: explains the object. `run`: another command, with its words.
 * - `delete`, `orphan`, `unblock`: show what that would do to it.
 */
export const trialVerbs = ['why', 'delete', 'orphan', 'unblock', 'run'] as const;

export interface Trial {
  readonly verb: (typeof trialVerbs)[number];
  /** `Kind namespace/name`, or the words of a command without `kubectl gc-tree` and `--demo`. */
  readonly of: string;
  readonly shows: string;
}

/** Returns the moment for judging a source's data, in ms since the epoch; `now` is this machine's clock. */
function momentOf(info: Pick<SourceInfo, 'takenAt' | 'clockOffset'> | undefined, now: number): number {
  return info?.takenAt ?? now + (info?.clockOffset ?? 0);
}

/**
 * - `files`: a server's own word in the files.
 * - `nodes`: the newest kubelet in the files, never newer than its API server.
 * - `scenario`: the simulated cluster's. `flag`: `--server-version`.
 */
export type VersionOrigin = 'server' | 'files' | 'nodes' | 'scenario' | 'flag';

export interface FileLine {
  /** As named, with the path below a folder: `manifests/web.yaml`; `-` for standard input. */
  readonly file: string;
  /** Counts from 1. */
  readonly line: number;
}

/** The object of events; `namespace` is `''` if cluster-scoped. */
export interface EventSubject {
  readonly namespace: string;
  readonly uid: Uid;
}

/** An object that may be gone, so without a uid. `namespace` is `''` if cluster-scoped. */
export interface GoneSubject {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
}

export interface ToldEvent {
  readonly about: GoneSubject;
  readonly said: Said;
}

/** A full object, fetched on demand as the API server's JSON. */
export type JsonObject = { readonly [key: string]: unknown };

export interface Source {
  /** Current at each read; `serverVersion` appears once the server was reached. */
  readonly info: SourceInfo;
  /**
   * Starts delivering batches; call it once. One kind's failure doesn't throw. Rejects with a `SourceError` if nothing
   * can be read (wrong kubeconfig, refused connection, 401). Resolves after discovery.
   */
  start(listener: (batch: SourceBatch) => void, reading?: ReadPlan): Promise<void>;
  /** Reads objects outside the scope, which arrive in batches; repeated wants are ignored. */
  want?(wants: Iterable<Want>): void;
  /** Starts a new question: objects wanted by name are read again. */
  forgetWants?(): void;
  /** Reads a namespace first, as `ReadPlan.first`, unless it is known. Missing if everything arrives at once. */
  prefer?(namespace: string): void;
  /** Slows intake for `milliseconds` because the user is typing. */
  giveWay?(milliseconds: number): void;
  /** Resolves when the metadata of every kind in the scope is listed or blind: the ownership graph is complete. */
  readonly graphComplete: Promise<void>;
  /** Resolves when the facts are complete too; never if none are read. */
  readonly factsComplete: Promise<void>;
  /** Returns the live object as JSON, if it exists. Rejects with a `SourceError`, or the signal's reason. */
  get(
    type: ResourceType,
    namespace: string,
    name: string,
    signal?: AbortSignal,
  ): Promise<JsonObject | undefined>;
  /** Like `get`, with the data of Secrets, in which Helm stores releases. Missing if `get` has it. */
  getWithData?(type: ResourceType, namespace: string, name: string): Promise<JsonObject | undefined>;
  /** Like `get`, with metadata only, so that no Secret data is transferred. Missing if `get` needs no transfer. */
  getMetadata?(type: ResourceType, namespace: string, name: string): Promise<JsonObject | undefined>;
  /**
   * Returns all live objects of a kind as JSON, in one namespace or everywhere. Rejects as `get` does, and if there are
   * too many. Missing if `get` needs no transfer.
   */
  list?(
    type: ResourceType,
    namespace: string | undefined,
    signal?: AbortSignal,
  ): Promise<readonly JsonObject[]>;
  /** Fields and events of a deleting object. Missing if look-ups bring them, or nothing does. */
  content?(object: KubeObject): Content | undefined;
  /**
   * Returns events about an object, newest first, each once; one request. Rejects with a `SourceError` if they may not
   * be read, or with the signal's reason. Missing if there are none.
   */
  events?(object: EventSubject, signal?: AbortSignal): Promise<readonly Said[]>;
  /**
   * Returns events about objects of a deleted name, and of controllers that deleted it, oldest first. Sends two
   * requests. Rejects as `events` does. Missing if there are none.
   */
  eventsOfGone?(object: GoneSubject, signal?: AbortSignal): Promise<readonly ToldEvent[]>;
  /** Position of an object in the files. Missing without files. */
  fileLine?(uid: Uid): FileLine | undefined;
  /**
   * Replaces the look-ups to send to the API server, in this order; the answers come in batches. `urgent`: doesn't give
   * a watch time to report first. Missing if the source shows one moment, so that unlisted objects don't exist.
   */
  lookUp?(wanted: Iterable<LookUp>, how: { readonly urgent: boolean }): void;
  /**
   * Asks for the answer to a request without any change: sends only dry runs, and refuses others. Resolves with any
   * HTTP status; rejects with a `SourceError` if no answer came. Missing without an API server.
   */
  readonly dryRun?: (request: DryRunRequest, signal?: AbortSignal) => Promise<DryRunAnswer>;
  /**
   * Sends a change, or a review of permissions. Resends only if the API server didn't process it (too busy, closed
   * connection), or if it only asks. Resolves with any HTTP status; rejects with a `SourceError` if no answer came, so
   * the effect is unknown, unless `ActAnswer.isUnsent`. An aborted `enough` stops resending, and ends a review at once. Missing
   * if read-only.
   */
  readonly act?: (request: ActRequest, enough?: AbortSignal) => Promise<ActAnswer>;
  /**
   * Returns when deleted nodes were noticed, by name: in whole seconds, up to five seconds late; empty if forbidden.
   * Rejects with a `SourceError` if no answer came. Missing if nothing remembers.
   */
  nodeRemovals?(): Promise<ReadonlyMap<string, NodeRemoval>>;
  /** Reads a page of kube-controller-manager's own port. Undefined if not shown, as on most clusters; never rejects. */
  managerPage?(pod: string, page: ManagerPage, signal: AbortSignal): Promise<string | undefined>;
  /** The API server's address, without credentials. Missing if there is none. */
  readonly server?: string;
  /** Missing if only one moment is shown. */
  readonly timeline?: Timeline;
  close(): Promise<void>;
  /** Oddities of the input, or warnings of an API server, a line each; lines are only added. */
  readonly warnings?: readonly string[];
}

export interface TimedBatch {
  /** Time of arrival. */
  readonly at: number;
  readonly batch: SourceBatch;
}

export interface Passage extends TimedBatch {
  readonly news: readonly TimedBatch[];
}

export interface Timeline {
  readonly from: number;
  readonly to: number;
  /** The moment shown: `SourceInfo.takenAt`. */
  readonly moment: number;
  /** Shows a moment from `from` to `to`. Throws a `SourceError` if the recording is damaged. */
  show(moment: number): Passage;
  /** Advances to a later moment and returns the news. Undefined, without effect, if `show` is quicker. */
  proceed(moment: number): readonly TimedBatch[] | undefined;
  neighbour(direction: 1 | -1): number | undefined;
  /** Yields times of deletions in order, in groups read together. */
  deletions(): Iterable<readonly number[]>;
}

/** Names of types and objects, for completion, which must be quick. */
export interface NameSource {
  readonly namespace: string;
  /** Lists types served now or a few hours ago. Rejects with a `SourceError`. */
  types(): Promise<readonly ResourceType[]>;
  /** Lists names of the objects `word` means, in a namespace or everywhere; if the signal aborts, only the names received so far. */
  names(word: string, namespace: string | undefined, signal: AbortSignal): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** The user's terminal, for logins. Its other users coordinate, so they never draw or read at the same time. */
export interface PersonsTerminal {
  /** True if the terminal is unused now. */
  readonly isFree: boolean;
  /** Runs `use` once the terminal is free. Undefined if a question is open. Rejects as `use`, or if its user ended. */
  lend<T>(use: (write: (text: string) => void) => Promise<T>): Promise<T> | undefined;
}

/** Undefined if the lease is missing (a single manager may run without one), forbidden or unanswered. */
async function managerLease(
  source: Pick<Source, 'get'>,
  catalog: TypeCatalog,
): Promise<ManagerLease | undefined> {
  const type = catalog.resolveKind('coordination.k8s.io/v1', 'Lease');
  if (type === undefined) return undefined;
  const json = await source.get(type, 'kube-system', 'kube-controller-manager').catch(() => undefined);
  return ManagerLease.read(json);
}

/** An expected failure in one or two lines: the failure, its object, and advice. Never shows credentials. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  /** The API server's HTTP status, if that was the failure. */
  readonly status: number | undefined;

  constructor(message: string, { status, ...options }: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options);
    this.status = status;
  }
}

export const SourceInfo = { moment: momentOf };

export const Source = { managerLease };
