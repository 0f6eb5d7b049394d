/** Documented effects of tools that manage objects: always assumed, and never edges of the graph. */
import type { Identity } from '../../graph/index.ts';

/**
 * - `deleted`: the tool deletes it along with the object it is managed by.
 * - `kept`: the tool leaves it, though its deletion would be expected.
 * - `recreated`: the action deletes it, and the tool creates it again.
 * - `reverted`: the action alters it, and the tool restores its source.
 */
export type AssumedEffectKind = 'deleted' | 'kept' | 'recreated' | 'reverted';

/**
 * - `automatically`: a controller acts by itself.
 * - `onRequest`: only after a user syncs, upgrades, approves or resumes.
 */
type AssumedWhen = 'automatically' | 'onRequest' | 'unknown';

export interface AssumedEffect {
  /** Its uid is `''` if the object wasn't read. */
  readonly object: Identity;
  /** `Argo CD Application argocd/shop` */
  readonly by: string;
  readonly effect: AssumedEffectKind;
  readonly when: AssumedWhen | undefined;
  /** A clause: `its finalizer resources-finalizer.argocd.argoproj.io has Argo CD delete what it has deployed`. */
  readonly because: string;
  /** Advice for avoiding the effect, as an imperative clause; undefined if unknown. */
  readonly instead?: string | undefined;
  /** The tool's name for the object's cluster, if it is another one. */
  readonly cluster?: string | undefined;
  /** The part of the object outside any cluster: `external resource`. */
  readonly part?: string | undefined;
}

export interface Assumed {
  readonly effects: readonly AssumedEffect[];
  /** Effects that can't be known, each with the reason as a clause. */
  readonly unknown: readonly { readonly by: string; readonly because: string }[];
}

/** Keeps effects that happen without a request. */
export function expected(
  effects: readonly AssumedEffect[],
  effect: AssumedEffectKind,
): readonly AssumedEffect[] {
  return effects.filter(each => each.effect === effect && each.when !== 'onRequest');
}
