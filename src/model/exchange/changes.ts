/** What a source reports to the graph, in the order in which it happened. Plain data, for sources of any kind. */

import type { KubeObject, ResourceVersion, Uid } from '../object.ts';
import type { ResourceType } from '../types/resource-type.ts';
import type { ReadScope } from './reads.ts';

/** Why a kind cannot be seen, in words for `Basis.blindSpots`: `403`, `503`, `conversion webhook failed: …`. */
export interface BlindSpot {
  /** `widgets.example.com`; for a group whose discovery failed `*.metrics.k8s.io`; the path of a file. */
  readonly resource: string;
  readonly reason: string;
}

/** Reason of every blind spot of files: they are not a place where somebody has to look for what went wrong. */
export const NOT_IN_FILES = 'not in the files';
/** The same of a kind of which they hold some objects, or all in some namespaces. */
export const PARTLY_IN_FILES = 'not all in the files';

/** Begins the reason of a blind spot that is a file, or a part of one, which couldn't be read. */
export const NOT_READ = 'not read: ';

export function isUnreadFile({ reason }: BlindSpot): boolean {
  return reason.startsWith(NOT_READ);
}

/** Whether a blind spot is one of files: there is no more to say of it than that. */
export function isOfFiles({ reason }: BlindSpot): boolean {
  return reason === NOT_IN_FILES || reason.startsWith(PARTLY_IN_FILES);
}

/** Why a kind can be listed but not watched, as for a blind spot. */
export interface PolledKind {
  readonly resource: string;
  readonly reason: string;
}

/**
 * State of one watched type.
 * - `listing`: the first list is under way, or the first of all after those of `namespaces`; `count` objects have arrived.
 * - `synced`: listed and watched; `facts` tells whether the per-kind facts are complete too.
 * - `blind`: cannot be listed; retried in the background. Objects seen earlier stay in the stream's state.
 * - `unread`: outside of what is read (`ReadScope`), and not wanted so far.
 * - `gone`: the type is no longer served. No deletes are synthesised, as in kube-controller-manager
 *   (docs/kubernetes.md §5), unless its definition was seen to go.
 */
export interface TypeStatus {
  readonly type: ResourceType;
  readonly state: 'listing' | 'synced' | 'blind' | 'unread' | 'gone';
  readonly count: number;
  readonly facts: boolean;
  readonly reason?: string;
  /** Why it may be listed but not watched, as in `reason`: what is known of it may be up to a minute old. */
  readonly polled?: string;
  /**
   * Set where only these namespaces were listed: for want of permission on the whole cluster, which `reason` tells, or
   * because no more is read (`SourceBatch.scope`). With `listing`, those in which everything is known already.
   */
  readonly namespaces?: readonly string[];
  /**
   * Outside of `namespaces` its objects were read one by one, not all at one moment: one says nothing of what had its name
   * before, if it is of the same cluster at all.
   */
  readonly piecemeal?: true;
}

/**
 * Whether what is known of a cluster is followed. Where it isn't, `since` says until when it was, in milliseconds since
 * the epoch, by the clock of `SourceInfo.clockOffset`.
 * - `connecting`: nothing was reached yet; `waitingFor` names who else has to answer first, such as an exec plugin.
 * - `lost`: the server cannot be reached; `reason` is one line.
 * - `catchingUp`: it answers, but something that was known isn't followed again yet.
 */
export type Connection =
  | { readonly state: 'connecting'; readonly waitingFor?: string }
  | { readonly state: 'live' }
  | { readonly state: 'lost'; readonly reason: string; readonly since: number }
  | { readonly state: 'catchingUp'; readonly cause: CatchUpCause; readonly since: number };

/**
 * - `reconnected`: the server couldn't be reached for a while.
 * - `restored`: the server's data went back to an earlier state, as by restoring etcd from a backup.
 * - `resumed`: this process stood still, as in a suspended laptop.
 * - `delayed`: some kind can be read or watched only after a delay.
 */
export type CatchUpCause = 'reconnected' | 'restored' | 'resumed' | 'delayed';

/** What is known is from the past: the connection is lost, or not everything has been read again since. */
export function isBehind(connection: Connection): connection is Behind {
  return connection.state === 'lost' || connection.state === 'catchingUp';
}

export type Behind = Extract<Connection, { readonly since: number }>;

/** Requests that somebody waits for have to wait themselves, because the API server cannot take them just now. */
export interface Pausing {
  /** What it answered; undefined where the connection broke. */
  readonly status: number | undefined;
  /** When the last of them is sent again, in milliseconds since the epoch, by the clock of `SourceInfo.clockOffset`. */
  readonly until: number;
}

export type Change =
  | { readonly op: 'upsert'; readonly object: KubeObject }
  | {
      readonly op: 'delete';
      readonly uid: Uid;
      readonly type: ResourceType;
      /** Of the deletion itself, where a watch said it. */
      readonly resourceVersion?: ResourceVersion;
      /**
       * Nobody saw it go: it went with the definition of its kind. Whether a collector did isn't known, and one that did
       * has done what follows from it.
       */
      readonly unseen?: true;
    };

/** What happened since the last batch, in the order of arrival. `types` comes first where it is set. */
export interface SourceBatch {
  readonly changes: readonly Change[];
  /** The whole catalogue of served types, after discovery changed it. */
  readonly types?: readonly ResourceType[];
  /** API groups or group/versions whose discovery failed, after that set changed. */
  readonly failedGroups?: readonly BlindSpot[];
  readonly statuses?: readonly TypeStatus[];
  /** With the first `types` where not everything is read. */
  readonly scope?: ReadScope;
  readonly connection?: Connection;
  /** Null where it is over. */
  readonly pausing?: Pausing | null;
  /** Each was sent after the batches before this one had been delivered. */
  readonly lookUps?: readonly AnsweredLookUp[];
}

export interface LookUp {
  /**
   * - `object`: what is at these coordinates. Where the uid isn't `''`, whether it is that very one.
   * - `dependents`: which objects refer to this one as their owner.
   * - `permission`: whether `user` may remove finalizers from it, or where the name is `''`, from any object of the kind
   *   in the namespace.
   */
  readonly of: 'object' | 'dependents' | 'permission';
  readonly apiVersion: string;
  readonly kind: string;
  /** `''` for a cluster-scoped kind. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: Uid | '';
  /** Of a permission: as the API server calls it, `system:serviceaccount:tools:drain-operator`. */
  readonly user?: string;
}

export type LookUpAnswer =
  /** The object at the coordinates; its uid may be another one. `foreground`: deleting and carrying `foregroundDeletion`. */
  | { readonly state: 'found'; readonly uid: Uid; readonly foreground: boolean }
  | { readonly state: 'absent' }
  | { readonly state: 'dependents'; readonly uids: readonly Uid[] }
  | { readonly state: 'allowed' | 'denied' }
  /** `reason` is a clause for people, verbatim. */
  | { readonly state: 'unknown'; readonly reason: string };

export interface AnsweredLookUp {
  readonly lookUp: LookUp;
  readonly answer: LookUpAnswer;
}

/** Equal for equal questions. JSON, because nothing forbids a separator within a reference's name. */
export function keyOfLookUp({ of, apiVersion, kind, namespace, name, uid, user }: LookUp): string {
  return JSON.stringify([of, apiVersion, kind, namespace, name, uid, user]);
}
