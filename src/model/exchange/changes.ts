/** Plain data that a source of any kind reports to the graph, in order of arrival. */

import type { JsonRecord } from '../json/json.ts';
import type { KubeObject, ResourceVersion, Uid } from '../object.ts';
import type { Said } from '../said.ts';
import type { ResourceType } from '../types/resource-type.ts';
import type { ReadScope } from './reads.ts';

/** Reason why a kind cannot be seen, for `Basis.blindSpots`: `403`, `503`, `conversion webhook failed: …`. */
export interface BlindSpot {
  /** `widgets.example.com`; `*.metrics.k8s.io` for a group whose discovery failed; or the path of a file. */
  readonly resource: string;
  readonly reason: string;
}

/** Reason for kinds that files don't contain; it doesn't point to a fault. */
const NOT_IN_FILES = 'not in the files';
/** Reason for kinds of which files hold some objects, or only some namespaces. */
const PARTLY_IN_FILES = 'not all in the files';

/** Prefix of the reason if a file, or a part of one, couldn't be read. */
const NOT_READ = 'not read: ';

function isUnreadFile({ reason }: BlindSpot): boolean {
  return reason.startsWith(NOT_READ);
}

function isOfFiles({ reason }: BlindSpot): boolean {
  return reason === NOT_IN_FILES || reason.startsWith(PARTLY_IN_FILES);
}

export interface PolledKind {
  readonly resource: string;
  readonly reason: string;
}

/**
 * State of one watched type.
 * - `listing`: a first list is under way, for the cluster or after those of `namespaces`; `count` objects arrived.
 * - `synced`: listed and watched; `facts` is set if the per-kind facts are complete too.
 * - `blind`: cannot be listed; retried in the background. Objects seen earlier stay.
 * - `unread`: outside of `ReadScope` and not wanted so far.
 * - `gone`: no longer served. No deletes are synthesised, as in kube-controller-manager (docs/kubernetes.md §5), unless
 *   its definition was seen to be deleted.
 */
export interface TypeStatus {
  readonly type: ResourceType;
  readonly state: 'listing' | 'synced' | 'blind' | 'unread' | 'gone';
  readonly count: number;
  readonly facts: boolean;
  readonly reason?: string;
  /** Reason why it can be listed but not watched: its objects may be up to a minute old. */
  readonly polled?: string;
  /** Set if only these namespaces were listed (`reason` or `SourceBatch.scope`). While `listing`: the complete ones. */
  readonly namespaces?: readonly string[];
  /** Set if objects outside of `namespaces` were read one by one; they prove nothing about earlier namesakes. */
  readonly piecemeal?: true;
}

/**
 * Connection to a cluster. `since`: end of following, in milliseconds since the epoch by `SourceInfo.clockOffset`'s
 * clock.
 * - `connecting`: nothing was reached yet; `waitingFor` names what must answer first, such as an exec plugin.
 * - `lost`: the server cannot be reached; `reason` is one line.
 * - `catchingUp`: it answers, but something isn't followed again yet.
 */
export type Connection =
  | { readonly state: 'connecting'; readonly waitingFor?: string }
  | { readonly state: 'live' }
  | { readonly state: 'lost'; readonly reason: string; readonly since: number }
  | { readonly state: 'catchingUp'; readonly cause: CatchUpCause; readonly since: number };

/**
 * - `reconnected`: the server couldn't be reached for a while.
 * - `restored`: the server's data went back to an earlier state, as after restoring an etcd backup.
 * - `resumed`: this process was suspended, as on a laptop.
 * - `delayed`: some kind can be read or watched only after a delay.
 */
export type CatchUpCause = 'reconnected' | 'restored' | 'resumed' | 'delayed';

function isBehind(connection: Connection): connection is Behind {
  return connection.state === 'lost' || connection.state === 'catchingUp';
}

export type Behind = Extract<Connection, { readonly since: number }>;

/** A request the user is waiting for is backing off, because the API server is too busy. */
export interface Pausing {
  /** HTTP status of its answer; undefined if the connection broke. */
  readonly status: number | undefined;
  /** Time of the last retry, in milliseconds since the epoch, by the clock of `SourceInfo.clockOffset`. */
  readonly until: number;
}

export type Change =
  | { readonly op: 'upsert'; readonly object: KubeObject }
  | {
      readonly op: 'delete';
      readonly uid: Uid;
      readonly type: ResourceType;
      /** Version of the deletion itself, if a watch reported it. */
      readonly resourceVersion?: ResourceVersion;
      /** Set if it was deleted with its definition, unwatched; the collector has already acted on it. */
      readonly unseen?: true;
    };

/** Events since the last batch, in order of arrival. `types` comes first. */
export interface SourceBatch {
  readonly changes: readonly Change[];
  readonly types?: readonly ResourceType[];
  /** API groups or group/versions whose discovery failed, after that set changed. */
  readonly failedGroups?: readonly BlindSpot[];
  readonly statuses?: readonly TypeStatus[];
  /** Sent with the first `types` if only a part is read. */
  readonly scope?: ReadScope;
  readonly connection?: Connection;
  /** Null when the pause is over. */
  readonly pausing?: Pausing | null;
  /** Each look-up was sent after all earlier batches had been delivered. */
  readonly lookUps?: readonly AnsweredLookUp[];
}

export interface LookUp {
  /**
   * - `object`: the object at these coordinates, and, unless the uid is `''`, if it is that very one.
   * - `dependents`: the objects that have this one as their owner.
   * - `permission`: if `user` may remove its finalizers; for the name `''`, those of any object of the kind there.
   * - `content`: the object's fields beyond its facts, and the events about it.
   */
  readonly of: 'object' | 'dependents' | 'permission' | 'content';
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: Uid | '';
  /** Permission only: the API server's user name, `system:serviceaccount:tools:drain-operator`. */
  readonly user?: string;
  /** Content only: the version in which the object was seen. */
  readonly version?: ResourceVersion;
}

/** An object's own fields as JSON, and events about it, newest first, if they may be read. Never of a Secret. */
export interface Content {
  readonly json: JsonRecord;
  readonly events?: readonly Said[];
  /** Set if only names in its spec were kept. */
  readonly partial?: true;
}

export type LookUpAnswer =
  /** `uid` may differ from the wanted one. `foreground`: being deleted with `foregroundDeletion`. */
  | { readonly state: 'found'; readonly uid: Uid; readonly foreground: boolean }
  | { readonly state: 'absent' }
  | { readonly state: 'dependents'; readonly uids: readonly Uid[] }
  | { readonly state: 'allowed' | 'denied' }
  | { readonly state: 'content'; readonly content: Content }
  | { readonly state: 'unknown'; readonly reason: string };

export interface AnsweredLookUp {
  readonly lookUp: LookUp;
  readonly answer: LookUpAnswer;
}

/** Returns equal keys for equal look-ups. JSON, because a reference's name may contain any separator. */
function keyOfLookUp({ of, apiVersion, kind, namespace, name, uid, user, version }: LookUp): string {
  return JSON.stringify([of, apiVersion, kind, namespace, name, uid, user ?? version]);
}

export const Connection = { isBehind };

export const LookUp = { key: keyOfLookUp };

export const BlindSpot = {
  notInFiles: NOT_IN_FILES,
  partlyInFiles: PARTLY_IN_FILES,
  notRead: NOT_READ,
  isOfFiles,
  isUnreadFile,
};
