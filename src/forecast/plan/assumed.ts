/**
 * What tools that manage objects beside the garbage collector are documented to do after an action: always assumed, never
 * an edge of the ownership graph, and never counted among what the simulated control plane does.
 */
import type { Identity } from '../../graph/node.ts';

/**
 * - `deleted`: a tool deletes it, as it follows from the deletion of what it is managed by.
 * - `kept`: it would be expected to go, and the tool leaves it.
 * - `recreated`: the action deletes it, and the tool creates it again.
 * - `reverted`: the action alters it, and the tool puts back what its source says.
 */
export type AssumedEffectKind = 'deleted' | 'kept' | 'recreated' | 'reverted';

/**
 * - `automatically`: a controller does so by itself.
 * - `onRequest`: only once somebody syncs, upgrades, approves or resumes something.
 * - `unknown`: what decides it cannot be seen here.
 */
export type AssumedWhen = 'automatically' | 'onRequest' | 'unknown';

export interface AssumedEffect {
  /** Its uid is `''` where the object wasn't read. */
  readonly object: Identity;
  /** `Argo CD Application argocd/shop` */
  readonly by: string;
  readonly effect: AssumedEffectKind;
  /** Undefined for what is kept. */
  readonly when: AssumedWhen | undefined;
  /** A clause: `its finalizer resources-finalizer.argocd.argoproj.io has Argo CD delete what it has deployed`. */
  readonly because: string;
  /** How to have it otherwise, as a clause in the imperative; undefined where nothing is known. */
  readonly instead?: string | undefined;
  /** Where the object is in another cluster: how the tool calls that. */
  readonly cluster?: string | undefined;
  /** It stands for this of the object, which is outside of every cluster: `external resource`. */
  readonly part?: string | undefined;
}

/** What the tools make of an action beside the control plane. */
export interface Assumed {
  readonly effects: readonly AssumedEffect[];
  /** What they do that cannot be told, each with why, as a clause. */
  readonly unknown: readonly { readonly by: string; readonly because: string }[];
}

/** Those that don't wait for anybody: what is to be reckoned with. */
export function expected(
  effects: readonly AssumedEffect[],
  effect: AssumedEffectKind,
): readonly AssumedEffect[] {
  return effects.filter(each => each.effect === effect && each.when !== 'onRequest');
}
