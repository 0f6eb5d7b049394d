/** What was told of the deletion of one object that is gone, and of what followed from it. */
import type { KubeObject } from '../model/object.ts';
import { type ActivityEntry, follows, rootOf } from './entry.ts';

export interface SeenDeletion {
  /** As it was seen last. */
  readonly object: KubeObject;
  /** The first entry about its deletion; undefined where all that was seen is that it was gone. */
  readonly first: ActivityEntry | undefined;
  /** What it all followed from, where that is another object's. */
  readonly action: ActivityEntry | undefined;
  /** What happened to it after the first entry. */
  readonly course: readonly ActivityEntry[];
  /** What happened to others because of it. */
  readonly followed: readonly ActivityEntry[];
  /** Milliseconds since the epoch. */
  readonly goneAt: number;
}

/** `entries` in the order in which they were told. */
export function seenDeletion(
  object: KubeObject,
  goneAt: number,
  entries: readonly ActivityEntry[],
): SeenDeletion {
  const own = entries.filter(entry => entry.object.uid === object.uid && isOfDeletion(entry));
  const [first, ...course] = own;
  const root = first && rootOf(first);
  const followed = entries.filter(
    entry => entry.object.uid !== object.uid && own.some(each => follows(entry, each)),
  );
  return {
    object,
    first,
    action: root === undefined || root.object.uid === object.uid ? undefined : root,
    course,
    followed,
    goneAt,
  };
}

function isOfDeletion({ what }: ActivityEntry): boolean {
  return (
    what === 'Marked' ||
    what === 'PolicyChanged' ||
    what === 'Held' ||
    what === 'FinalizerRemoved' ||
    what === 'Collected' ||
    what === 'Deleted'
  );
}
