/**
 * What is asked of the API server itself, beside what lists and watches tell, and what it answers. A list may be older
 * than the objects that refer to what it lacks; a GET is as new as the moment at which it was sent (Kubernetes API
 * concepts, "Resource versions": a get without one is the most recent).
 */
import type { Uid } from '../object.ts';

export interface LookUp {
  /**
   * - `object`: what is at these coordinates. Where the uid isn't `''`, whether it is that very one.
   * - `dependents`: which objects refer to this one as their owner.
   */
  readonly of: 'object' | 'dependents';
  readonly apiVersion: string;
  readonly kind: string;
  /** `''` for a cluster-scoped kind. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: Uid | '';
}

export type LookUpAnswer =
  /** The object at the coordinates; its uid may be another one. `foreground`: deleting and carrying `foregroundDeletion`. */
  | { readonly state: 'found'; readonly uid: Uid; readonly foreground: boolean }
  | { readonly state: 'absent' }
  | { readonly state: 'dependents'; readonly uids: readonly Uid[] }
  /** `reason` is a clause for people, verbatim. */
  | { readonly state: 'unknown'; readonly reason: string };

export interface AnsweredLookUp {
  readonly lookUp: LookUp;
  readonly answer: LookUpAnswer;
}

/** Equal for equal questions. JSON, because nothing forbids a separator within a reference's name. */
export function keyOfLookUp({ of, apiVersion, kind, namespace, name, uid }: LookUp): string {
  return JSON.stringify([of, apiVersion, kind, namespace, name, uid]);
}
