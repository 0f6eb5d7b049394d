/** How many errors and warnings there are below each owner, counted upwards from the objects that have them. */
import type { Severity } from '../../diagnosis/engine/codes.ts';
import type { OwnershipGraph } from '../../graph/graph.ts';
import type { Uid } from '../../model/object.ts';

export interface Trouble {
  /** Objects whose worst finding is an error. */
  errors: number;
  warnings: number;
}

/**
 * Each troubled object counts once for every object above it, and not for itself, even where owners form a circle.
 * With a namespace only objects in it count, as only they are shown below their owners.
 */
export function troubleBelow(
  graph: OwnershipGraph,
  troubled: ReadonlyMap<Uid, Severity>,
  namespace: string | undefined,
): ReadonlyMap<Uid, Trouble> {
  const below = new Map<Uid, Trouble>();
  for (const [uid, severity] of troubled) {
    if (namespace !== undefined && graph.get(uid)?.identity.namespace !== namespace) continue;
    const seen = new Set([uid]);
    const open = [uid];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const owner of graph.get(at)?.owners ?? []) {
        if (seen.has(owner.uid)) continue;
        seen.add(owner.uid);
        open.push(owner.uid);
        let trouble = below.get(owner.uid);
        if (trouble === undefined) {
          trouble = { errors: 0, warnings: 0 };
          below.set(owner.uid, trouble);
        }
        if (severity === 'error') trouble.errors += 1;
        else trouble.warnings += 1;
      }
    }
  }
  return below;
}
