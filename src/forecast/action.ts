/** What somebody might do to a cluster, as a forecast takes it. */
import type { Taint } from '../model/facts/facts.ts';
import type { KubeObject } from '../model/object.ts';
import type { ShellCommands } from '../model/text/shell-line.ts';
import type { ApiAnswer, ApiClient } from '../simulation/api/types.ts';

/** kubectl's words for the propagation policies. */
export const cascades = ['background', 'foreground', 'orphan'] as const;

export type Cascade = (typeof cascades)[number];

/** The same as the API names them. */
export const propagationPolicies = {
  background: 'Background',
  foreground: 'Foreground',
  orphan: 'Orphan',
} as const;

export interface DeleteAction {
  readonly verb: 'delete';
  readonly cascade: Cascade;
  /** Deleted one after the other in this order, without waiting in between, as kubectl does. */
  readonly targets: readonly KubeObject[];
  /** Seconds; only pods have one. */
  readonly gracePeriodSeconds?: number;
}

export interface UnblockAction {
  readonly verb: 'unblock';
  readonly target: KubeObject;
  readonly remedy: ApplicableRemedy;
  /** The objects that were chosen for it, the target one of them; left out where it is about the target. */
  readonly among?: readonly KubeObject[] | undefined;
}

/** What it is about as a user has named it. */
export function unblocked({ target, among }: Omit<UnblockAction, 'verb' | 'remedy'>): readonly KubeObject[] {
  return among ?? [target];
}

/** The taint is set on each of the nodes that lack it. */
export interface TaintAction {
  readonly verb: 'taint';
  readonly taint: Taint;
  readonly targets: readonly KubeObject[];
}

export type Action =
  | DeleteAction
  | UnblockAction
  | TaintAction
  /** A restart of kube-controller-manager: its memory of the graph is rebuilt from the objects. */
  | { readonly verb: 'restart' }
  /** Nobody does anything. */
  | { readonly verb: 'none' };

/** A request to the API server, as documents print it (docs/documents.md). */
export interface RemedyRequest {
  readonly verb: 'PATCH' | 'DELETE' | 'PUT';
  readonly path: string;
  readonly query?: string;
  readonly contentType?: string;
  readonly body?: unknown;
}

/**
 * - `safe`: takes nothing away that its finding doesn't already give up.
 * - `caution`: does what it says, which may be more than was wanted.
 * - `dangerous`: something is lost or left behind that nobody brings back (docs/kubernetes.md §10, unsafe).
 */
export type Risk = 'safe' | 'caution' | 'dangerous';

export interface Remedy {
  readonly id: string;
  /** What it does, for a list: `let web go without waiting for web-2`. */
  readonly title: string;
  readonly risk: Risk;
  /** What follows, from a forecast; `''` until one was made. */
  readonly effect: string;
  readonly requests: readonly RemedyRequest[];
  /** The same as commands to paste; none for what kubectl cannot do. */
  readonly kubectl: ShellCommands;
}

/** A remedy that can be tried on a simulated cluster. */
export interface ApplicableRemedy extends Remedy {
  /** Several answers where it takes several requests; nothing else happens between these. */
  apply(api: ApiClient): ApiAnswer | readonly ApiAnswer[];
}
