import { Identity } from '../graph/index.ts';
import { ActivityEntry, type ActivityKind } from './activity-entry.ts';

export interface ActivityFilter {
  /** Undefined for all; an entry without a namespace matches only if its object is that namespace. */
  readonly namespace?: string | undefined;
  /** Undefined for all. Entries caused by a matching object match too. */
  readonly means?: ((object: Identity) => boolean) | undefined;
  readonly kinds?: ReadonlySet<ActivityKind> | undefined;
}

export function isWanted(entry: ActivityEntry, { namespace, means, kinds }: ActivityFilter): boolean {
  if (kinds?.has(entry.what) === false) return false;
  if (namespace !== undefined && !Identity.isWithin(entry.object, namespace)) return false;
  return means === undefined || causes(entry).some(({ object }) => means(object));
}

function causes(entry: ActivityEntry): readonly ActivityEntry[] {
  const chain = [entry];
  const root = ActivityEntry.root(entry);
  for (let each: ActivityEntry | undefined = entry; each !== undefined && each !== root; each = each.cause)
    chain.push(each);
  return [...chain, root];
}
