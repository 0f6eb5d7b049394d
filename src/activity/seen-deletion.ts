/** The recorded deletion of one object that is gone, and its consequences. */
import type { KubeObject } from '../model/index.ts';
import { ActivityEntry, follows } from './activity-entry.ts';

export interface SeenDeletion {
  readonly object: KubeObject;
  /** The first entry about its deletion; undefined if only its absence was seen. */
  readonly first: ActivityEntry | undefined;
  /** The root cause, if that is another object's entry. */
  readonly action: ActivityEntry | undefined;
  readonly course: readonly ActivityEntry[];
  readonly followed: readonly ActivityEntry[];
  readonly goneAt: number;
}

export function seenDeletion(
  object: KubeObject,
  goneAt: number,
  entries: readonly ActivityEntry[],
): SeenDeletion {
  const own = entries.filter(entry => entry.object.uid === object.uid && isOfDeletion(entry));
  const [first, ...course] = own;
  const root = first && ActivityEntry.root(first);
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
