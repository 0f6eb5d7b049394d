/** What somebody might do to a cluster, as a forecast takes it. */
import type { Taint } from '../model/facts/facts.ts';
import type { KubeObject } from '../model/object.ts';
import type { ApplicableRemedy } from './remedy.ts';

/** kubectl's words for the propagation policies. */
export const cascades = ['background', 'foreground', 'orphan'] as const;

export type Cascade = (typeof cascades)[number];

export interface DeleteAction {
  readonly verb: 'delete';
  readonly cascade: Cascade;
  /** Deleted one after the other in this order, without waiting in between, as kubectl does. */
  readonly targets: readonly KubeObject[];
  /** Seconds; only pods heed it. */
  readonly gracePeriodSeconds?: number;
}

export interface UnblockAction {
  readonly verb: 'unblock';
  readonly target: KubeObject;
  readonly remedy: ApplicableRemedy;
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
