import type { Identity } from '../graph/index.ts';
import {
  type ActRequest,
  FOREGROUND_FINALIZER,
  type KubeObject,
  ORPHAN_FINALIZER,
  type ResourceType,
  type ShellCommands,
  type Taint,
  type Uid,
} from '../model/index.ts';
import { type ApiAnswer, type ApiClient, type DeleteOptions, deleteRules } from '../simulation/index.ts';

const cascades = ['background', 'foreground', 'orphan'] as const;

export type Cascade = (typeof cascades)[number];

const propagationPolicies = {
  background: 'Background',
  foreground: 'Foreground',
  orphan: 'Orphan',
} as const;

/** Returns what a DELETE does with dependents; without a policy, the object or the version in the request decides. */
function cascadeOfRequest(
  { finalizers }: Pick<KubeObject, 'finalizers'>,
  requested: Pick<ResourceType, 'apiVersion' | 'kind' | 'group'>,
  options: Pick<DeleteOptions, 'propagationPolicy' | 'orphanDependents'>,
): Cascade {
  const then = deleteRules.finalizers(finalizers, options, deleteRules.defaultPolicy(requested));
  if (then.includes(FOREGROUND_FINALIZER)) return 'foreground';
  return then.includes(ORPHAN_FINALIZER) ? 'orphan' : 'background';
}

export interface DeleteAction {
  readonly verb: 'delete';
  readonly cascade: Cascade;
  /** Deleted in this order, without waiting in between, as kubectl does. */
  readonly targets: readonly KubeObject[];
  /** Seconds; only pods have one. */
  readonly gracePeriodSeconds?: number;
  /** Set if Helm deletes the targets. */
  readonly uninstall?: Uninstall;
}

export interface UnblockAction {
  readonly verb: 'unblock';
  readonly target: KubeObject;
  readonly remedy: ApplicableRemedy;
  /** All chosen objects, including the target; missing if only the target was chosen. */
  readonly among?: readonly KubeObject[] | undefined;
}

function unblocked({ target, among }: Omit<UnblockAction, 'verb' | 'remedy'>): readonly KubeObject[] {
  return among ?? [target];
}

export interface TaintAction {
  readonly verb: 'taint';
  readonly taint: Taint;
  readonly targets: readonly KubeObject[];
}

/** Empties nodes as `kubectl drain` does, with its flags. */
export interface DrainAction {
  readonly verb: 'drain';
  /** Cordoned at once, then emptied one after the other. */
  readonly targets: readonly KubeObject[];
  readonly force: boolean;
  readonly ignoreDaemonSets: boolean;
  readonly deleteEmptyDirData: boolean;
  readonly disableEviction: boolean;
  readonly gracePeriodSeconds: number | undefined;
  /** Undefined means all pods on the node. */
  readonly podSelector: { readonly text: string; matches(pod: KubeObject): boolean } | undefined;
  /** Milliseconds; 0 means forever. */
  readonly timeout: number;
}

/** A hook of the uninstallation; `uid` is empty if no object of its name exists. */
export interface UninstallHook {
  readonly object: Identity;
  readonly event: 'pre-delete' | 'post-delete';
  /** The existing object, which Helm deletes before it creates the hook. */
  readonly replaces: KubeObject | undefined;
  /** True if Helm deletes it once all hooks of the event have succeeded. */
  readonly isDeletedThen: boolean;
  /** Clause on why it fails; Helm then runs none of the hooks after it. */
  readonly fails: string | undefined;
}

export interface Uninstall {
  readonly release: string;
  readonly namespace: string;
  readonly revision: number;
  /** In the order in which Helm runs them. */
  readonly hooks: readonly UninstallHook[];
  /** The existing objects of the manifest that it deletes. */
  readonly objects: readonly KubeObject[];
  /** The release's Secrets or ConfigMaps to delete, oldest first. */
  readonly stored: readonly KubeObject[];
  readonly kept: readonly { readonly object: Identity; readonly because: string }[];
  /** Objects of the manifest that count as gone because they can't be seen. */
  readonly unseen: readonly Identity[];
  /** Objects without this release's marks, which Helm 4 would leave. */
  readonly unmarked: readonly Identity[];
  /** Clause on why Helm deletes nothing of the manifest; undefined if it does. */
  readonly stops: string | undefined;
  readonly switches: readonly string[];
}

/** Sends a request of an action, or several together. */
export type SendRequest = () => ApiAnswer | readonly ApiAnswer[];

export type Action =
  | DeleteAction
  | DrainAction
  | UnblockAction
  | TaintAction
  /** Restarts kube-controller-manager, which rebuilds its graph from the objects. */
  | { readonly verb: 'restart' }
  | { readonly verb: 'none' };

/** A request to the API server, as documents print it (docs/documents.md). */
export interface RemedyRequest {
  readonly verb: 'PATCH' | 'DELETE' | 'PUT' | 'POST';
  readonly path: string;
  readonly query?: string;
  readonly contentType?: string;
  readonly body?: unknown;
  /** Uid of the object that a POST replaces once it is gone; that of the first in `rebuiltFrom`, if there is one. */
  readonly formerUid?: Uid;
  /** Objects that complete the body before it is sent. */
  readonly rebuiltFrom?: NonNullable<ActRequest['rebuiltFrom']>;
}

/**
 * - `safe`: removes only what is already being deleted.
 * - `caution`: does what it says, which may be more than wanted.
 * - `dangerous`: something is lost or left behind for good (docs/kubernetes.md §10, unsafe).
 */
export type Risk = 'safe' | 'caution' | 'dangerous';

export interface Remedy {
  readonly id: string;
  /** A line for a list: `let web go without waiting for web-2`. */
  readonly title: string;
  readonly risk: Risk;
  /** The consequences according to a forecast; `''` until one was made. */
  readonly effect: string;
  readonly requests: readonly RemedyRequest[];
  readonly kubectl: ShellCommands;
  /** The remedies that it applies one after the other; missing for a single remedy. */
  readonly steps?: readonly RemedyStep[];
}

export type RemedyStep = Pick<Remedy, 'title' | 'risk' | 'requests'>;

export interface ApplicableRemedy extends Remedy {
  /** Returns several answers if it sends several requests; nothing else happens between these. */
  apply(api: ApiClient): ApiAnswer | readonly ApiAnswer[];
  /** Sends the requests that wait until an object is gone; returns undefined while it isn't. */
  finish?(api: ApiClient): readonly ApiAnswer[] | undefined;
}

export const UnblockAction = { objects: unblocked };

export const Cascade = { all: cascades, policies: propagationPolicies, ofRequest: cascadeOfRequest };
