/** What is told of one aspect of a change, and what all that is told goes by. */
import { isDeleting } from '../graph/deletion.ts';
import type { KubeObject } from '../model/object.ts';
import type { ActivityEntry, ActivityKind, Actor, Because, Holds, OwnerFate, SeenPolicy } from './entry.ts';
import type { Seen } from './owners.ts';
import type { Transition } from './transition.ts';

/** What is told of an aspect. */
export interface Told {
  readonly what: ActivityKind;
  readonly because: Because;
  readonly by: readonly Actor[];
  readonly policy?: SeenPolicy | undefined;
  readonly holds?: Holds | undefined;
  readonly cause?: ActivityEntry | undefined;
  /** What another watch brings in a moment may explain it better. */
  readonly open: boolean;
}

export const COLLECTOR: readonly Actor[] = ['garbage-collector'];
export const CONTROLLER: readonly Actor[] = ['controller'];
export const NOBODY: readonly Actor[] = [];

/** The owner whose end came last: what follows is told below that. */
export function causeAmong({ memory }: Seen, owners: readonly OwnerFate[]): ActivityEntry | undefined {
  // What becomes of an object that cannot be the owner changes nothing.
  const latest = owners
    .filter(({ state }) => state !== 'OtherNamespace' && state !== 'Mismatched')
    .sort((a, b) => (b.at ?? 0) - (a.at ?? 0));
  for (const { owner } of latest) {
    const entry = memory.deletionOf(owner.uid);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

/** Another watch may have yet to report it. */
export function isUnheardOf({ state }: OwnerFate): boolean {
  return state === 'Absent';
}

/**
 * An object that is being deleted the collector leaves alone (docs/kubernetes.md §2.2), unless it looked before it was
 * marked.
 */
export function isLeftAlone({ memory }: Seen, transition: Transition, before: KubeObject): boolean {
  return isDeleting(before) && !memory.wasJustMarked(before.uid, transition);
}
