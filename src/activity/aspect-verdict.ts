/** The verdict on one aspect of a change, and the rules all verdicts share. */
import { isDeleting } from '../graph/index.ts';
import type { KubeObject } from '../model/index.ts';
import type {
  ActivityEntry,
  ActivityKind,
  Actor,
  Because,
  Holds,
  OwnerFate,
  SeenPolicy,
} from './activity-entry.ts';
import type { Seen } from './former-owners.ts';
import type { Transition } from './transition.ts';

export interface Told {
  readonly what: ActivityKind;
  readonly because: Because;
  readonly by: readonly Actor[];
  readonly policy?: SeenPolicy | undefined;
  readonly holds?: Holds | undefined;
  readonly cause?: ActivityEntry | undefined;
  /** True if another watch may soon explain it better. */
  readonly open: boolean;
}

export const COLLECTOR: readonly Actor[] = ['garbage-collector'];
export const CONTROLLER: readonly Actor[] = ['controller'];
export const NOBODY: readonly Actor[] = [];

/** Returns the entry of the owner deleted last; the new entry is nested under it. */
export function causeAmong({ memory }: Seen, owners: readonly OwnerFate[]): ActivityEntry | undefined {
  // An object that cannot be the owner causes nothing.
  const latest = owners
    .filter(({ state }) => state !== 'OtherNamespace' && state !== 'Mismatched')
    .sort((a, b) => (b.at ?? 0) - (a.at ?? 0));
  for (const { owner } of latest) {
    const entry = memory.deletionOf(owner.uid);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

/** Another watch may not have reported the owner yet. */
export function isUnheardOf({ state }: OwnerFate): boolean {
  return state === 'Absent';
}

/** Checks if the collector ignores it as being deleted (docs/kubernetes.md §2.2) and didn't look before that. */
export function isLeftAlone({ memory }: Seen, transition: Transition, before: KubeObject): boolean {
  return isDeleting(before) && !memory.wasJustMarked(before.uid, transition);
}
