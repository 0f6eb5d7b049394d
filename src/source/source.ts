/**
 * The one interface that everything above reads from: a catalogue of types, a stream of changes that starts
 * with a snapshot, and look-ups. A live cluster, files, a recording and the demo implement it alike.
 */

import type { ActAnswer, ActRequest, DryRunAnswer, DryRunRequest } from '../model/exchange/act.ts';
import type { LookUp, SourceBatch } from '../model/exchange/changes.ts';
import { type ManagerLease, type NodeRemoval, readManagerLease } from '../model/exchange/manager-lease.ts';
import type { ManagerPage } from '../model/exchange/manager-pages.ts';
import type { ReadPlan, Want } from '../model/exchange/reads.ts';
import type { Uid } from '../model/object.ts';
import type { Said } from '../model/said.ts';
import type { CollectorRelease } from '../model/server/server-behaviour.ts';
import type { ResourceType } from '../model/types/resource-type.ts';
import type { TypeCatalog } from '../model/types/type-catalog.ts';

export type SourceKind = 'cluster' | 'files' | 'demo' | 'replay';

export interface SourceInfo {
  readonly source: SourceKind;
  /** Name shown to people: the kubeconfig context, the scenario, the file. */
  readonly context: string | undefined;
  /** Where the tool starts: the context's namespace, else `default`. */
  readonly namespace: string;
  /** `v1.36.3`, once known. */
  readonly serverVersion: string | undefined;
  /** Who said so; a source that leaves it out had it from the server. */
  readonly serverVersionFrom?: VersionOrigin | undefined;
  /** Of files: what they say themselves, where a flag says otherwise. */
  readonly serverVersionInFiles?: string | undefined;
  /** Milliseconds since the epoch: the moment that a source that stands still (files, a recording) shows; others show now. */
  readonly takenAt?: number | undefined;
  /** Where `takenAt` is from: what the objects say, or the time of the files. */
  readonly takenAtFrom?: 'objects' | 'files' | undefined;
  /** Of a replay: the first and the last moment of the recording, and whether it ends before it was ended. */
  readonly recording?: { readonly from: number; readonly to: number; readonly cutOff: boolean } | undefined;
  /** Milliseconds to add to this machine's clock for the API server's; 0 or undefined where they agree. */
  readonly clockOffset?: number | undefined;
  /** Of a simulated cluster: its garbage collector, where that isn't today's. */
  readonly collector?: CollectorRelease | undefined;
  /** Of a scenario: what there is to see in it. */
  readonly story?: Story | undefined;
}

/** What a scenario tells whoever looks at it; texts are of one paragraph each. */
export interface Story {
  readonly title: string;
  /** What to look for, a sentence each. */
  readonly look: readonly string[];
  /** Each with the command that shows it. */
  readonly try: readonly (Trial & { readonly command: string })[];
}

/**
 * - `why`: to ask about the object.
 * - `delete`, `orphan`, `unblock`: to see what that would do to it.
 * - `run`: another command, whose words are given.
 */
export const trialVerbs = ['why', 'delete', 'orphan', 'unblock', 'run'] as const;

/** Something to try on a scenario. */
export interface Trial {
  readonly verb: (typeof trialVerbs)[number];
  /** `Kind namespace/name`, or the words of a command without `kubectl gc-tree` and `--demo`. */
  readonly of: string;
  /** A clause: what that shows. */
  readonly shows: string;
}

/**
 * The moment as of which everything that a source delivered is judged and told, in milliseconds since the epoch: what
 * a source that stands still shows, else now by the API server's clock. `now` is this machine's.
 */
export function momentOf(info: Pick<SourceInfo, 'takenAt' | 'clockOffset'> | undefined, now: number): number {
  return info?.takenAt ?? now + (info?.clockOffset ?? 0);
}

/**
 * - `server`: the API server.
 * - `files`: what a server said of itself, as the files have it.
 * - `nodes`: the newest kubelet in the files, which is never newer than its API server.
 * - `scenario`: that of the simulated cluster.
 * - `flag`: whoever asks, with `--server-version`.
 */
export type VersionOrigin = 'server' | 'files' | 'nodes' | 'scenario' | 'flag';

/** Where an object stands in a file. */
export interface FileLine {
  /** As it was named, with what lies below a folder: `manifests/web.yaml`; `-` for standard input. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** What events may be about; `namespace` is `''` outside of all. */
export interface EventSubject {
  readonly namespace: string;
  readonly uid: Uid;
}

/** An object that may be gone: no uid of it is known. `namespace` is `''` outside of all. */
export interface GoneSubject {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
}

/** What an event says, and whom it is about. */
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
   * Begins to deliver batches. Called once. Never throws for a single kind's failure; rejects with a
   * `SourceError` when nothing can be read at all (wrong kubeconfig, refused connection, 401).
   * Resolves as soon as discovery is known. `reading` says how much is read, where the source can read less.
   */
  start(listener: (batch: SourceBatch) => void, reading?: ReadPlan): Promise<void>;
  /**
   * Reads what lies outside of the scope; objects, statuses and, for one object, the answer to its look-up without a uid
   * come in batches. What was wanted before is not asked for again. Missing where everything is read.
   */
  want?(wants: Iterable<Want>): void;
  /** Another question begins: an object that was wanted by name is read again when it is wanted once more. */
  forgetWants?(): void;
  /**
   * Reads a namespace before everything else, as `ReadPlan.first`; without effect where all of it is known. Missing where
   * everything comes at once.
   */
  prefer?(namespace: string): void;
  /** Somebody is at the keys: for so many milliseconds from now what is read takes no more than its share of the time. */
  giveWay?(milliseconds: number): void;
  /**
   * Resolves when the metadata of every kind in the scope has been listed or is blind: the ownership graph is complete.
   */
  readonly graphComplete: Promise<void>;
  /** Resolves when the facts are complete too; never where none are to be read. */
  readonly factsComplete: Promise<void>;
  /** The live object as JSON, if it exists. Rejects with a `SourceError`, or the signal's reason. */
  get(
    type: ResourceType,
    namespace: string,
    name: string,
    signal?: AbortSignal,
  ): Promise<JsonObject | undefined>;
  /**
   * The same with its metadata alone, managed fields included, so that no data of a Secret is transferred. Missing
   * where everything that `get` returns is at hand anyway.
   */
  getMetadata?(type: ResourceType, namespace: string, name: string): Promise<JsonObject | undefined>;
  /**
   * What the status of an object that is being deleted says of why it doesn't finish, failures first. Missing where `get`
   * returns the status as it is now.
   */
  said?(uid: Uid): readonly Said[];
  /**
   * What events say about an object, the newest first, each once; one request. Rejects with a `SourceError` where they may
   * not be read, or the signal's reason. Missing where there are none.
   */
  events?(object: EventSubject, signal?: AbortSignal): Promise<readonly Said[]>;
  /**
   * What events still say of an object that is gone: about any object of its name, and of controllers that tell of having
   * deleted it; the oldest first. Two requests. Rejects as `events` does. Missing where there are none.
   */
  eventsOfGone?(object: GoneSubject, signal?: AbortSignal): Promise<readonly ToldEvent[]>;
  /** Where the object of this uid was read. Missing where objects come from no files. */
  fileLine?(uid: Uid): FileLine | undefined;
  /**
   * Asks the API server itself about these, in this order, and about nothing else any more; the answers come in batches.
   * `urgent`: somebody waits for them; else what a watch may bring in a moment is given that moment. Missing where what
   * the source tells is of one moment, so that what isn't in it doesn't exist.
   */
  lookUp?(wanted: Iterable<LookUp>, how: { readonly urgent: boolean }): void;
  /**
   * Asks the API server what it would answer, without any change: a request that isn't a dry run is refused and
   * not sent. Resolves with any HTTP status; rejects with a `SourceError` where no answer came. Missing where
   * there is no API server to ask.
   */
  readonly dryRun?: (request: DryRunRequest, signal?: AbortSignal) => Promise<DryRunAnswer>;
  /**
   * Sends a request that changes the cluster, or asks for a review of permissions. It is sent again only where the
   * API server said that it didn't look at it (too busy, a connection that it closed), or where it asks alone.
   * Resolves with any HTTP status; rejects with a `SourceError` where no answer came, so that nobody knows whether it
   * took effect, unless `isUnsent` of the error. Once `enough` is aborted nothing is sent again; a review ends at once.
   * Missing where there is nothing to change.
   */
  readonly act?: (request: ActRequest, enough?: AbortSignal) => Promise<ActAnswer>;
  /**
   * When nodes that are gone were noticed to go, by name: in whole seconds, and up to five seconds late. As far as the cluster still tells; empty where that may not be read. Rejects with a
   * `SourceError` where no answer came. Missing where nothing remembers.
   */
  nodeRemovals?(): Promise<ReadonlyMap<string, NodeRemoval>>;
  /**
   * A page of kube-controller-manager's own port, by the name of its pod in kube-system. Undefined where it isn't shown,
   * which is so on most clusters; never rejects. Missing where there is no manager to ask.
   */
  managerPage?(pod: string, page: ManagerPage, signal: AbortSignal): Promise<string | undefined>;
  /** The address of the API server, without credentials. Missing where there is none. */
  readonly server?: string;
  /** Missing where there is no other moment than the one that is shown. */
  readonly timeline?: Timeline;
  close(): Promise<void>;
  /** What was odd about the input, or an API server's warnings, a line each; lines are only added. */
  readonly warnings?: readonly string[];
}

export interface TimedBatch {
  /** When it arrived, in milliseconds since the epoch. */
  readonly at: number;
  readonly batch: SourceBatch;
}

/** A moment and what led to it: everything as of `at`, and what came from then until the moment, in order. */
export interface Passage extends TimedBatch {
  readonly news: readonly TimedBatch[];
}

/** The moments of a recording, in milliseconds since the epoch. */
export interface Timeline {
  readonly from: number;
  readonly to: number;
  /** What the source shows: `SourceInfo.takenAt`. */
  readonly moment: number;
  /** Shows a moment from `from` to `to`. Throws a `SourceError` where the recording is damaged. */
  show(moment: number): Passage;
  /** Goes on to a later moment, and returns what came until then. Undefined, and nothing done, where `show` is quicker. */
  proceed(moment: number): readonly TimedBatch[] | undefined;
  /** The nearest moment before or after it at which an object changed. */
  neighbour(direction: 1 | -1): number | undefined;
  /** When objects were deleted, in order; as many at a time as are read together. */
  deletions(): Iterable<readonly number[]>;
}

/** The names of types and objects, for whoever wants nothing else of a cluster: completion, which has to be quick. */
export interface NameSource {
  /** The namespace that the kubeconfig says, or the flags. */
  readonly namespace: string;
  /** What is served, or was a few hours ago. Rejects with a `SourceError`. */
  types(): Promise<readonly ResourceType[]>;
  /**
   * The names of the objects of what `word` names, in a namespace or everywhere; those that have arrived when the signal
   * aborts, and none where the word names too much. Rejects with a `SourceError`.
   */
  names(word: string, namespace: string | undefined, signal: AbortSignal): Promise<readonly string[]>;
  close(): Promise<void>;
}

/**
 * The terminal that a person sits at, as a source may use it to let somebody log in. Who else draws there or reads
 * what is typed knows of it, so that they never do so at the same time.
 */
export interface PersonsTerminal {
  /** Nobody draws there or waits for an answer: it can be had without taking it from anybody. */
  readonly isFree: boolean;
  /**
   * Runs `use` as soon as nobody else draws there or reads what is typed; `write` is how to draw meanwhile. Undefined
   * where it cannot be had: a question waits for its answer. Rejects as `use` does, or where whoever had it has gone.
   */
  lend<T>(use: (write: (text: string) => void) => Promise<T>): Promise<T> | undefined;
}

/**
 * Who runs the controllers, by the lease of kube-controller-manager. Undefined where nothing tells: there is no such lease (a single manager may run without one), or it may not be read,
 * or no answer came.
 */
export async function managerLease(
  source: Pick<Source, 'get'>,
  catalog: TypeCatalog,
): Promise<ManagerLease | undefined> {
  const type = catalog.resolveKind('coordination.k8s.io/v1', 'Lease');
  if (type === undefined) return undefined;
  const json = await source.get(type, 'kube-system', 'kube-controller-manager').catch(() => undefined);
  return readManagerLease(json);
}

/** An expected failure in one or two lines: what failed, on what, what to do. Never shows credentials. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  /** HTTP's, where the API server's answer was the failure. */
  readonly status: number | undefined;

  constructor(message: string, { status, ...options }: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options);
    this.status = status;
  }
}
