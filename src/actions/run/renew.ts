/**
 * The same intent on the cluster as it is now: what was seen when it was formed may have changed, gone, or been
 * put in the place of something else meanwhile.
 */

import type { ApplicableRemedy } from '../../forecast/remedy.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import { isDeleting } from '../../graph/deletion.ts';
import type { KubeObject, Uid } from '../../model/object.ts';
import type { Journal } from '../journal/journal.ts';
import type { DeleteIntent, Intent } from '../prepare/intent.ts';
import { undoIntent } from '../undo/intent.ts';
import { readKept } from '../undo/kept.ts';
import { planUndo } from '../undo/undo.ts';

export interface Renewing {
  readonly view: ClusterView;
  readonly journal: Journal;
  remedyFor(target: KubeObject, id: string): ApplicableRemedy | undefined;
  /** Objects whose deletion this action has asked for already. */
  readonly done: ReadonlySet<Uid>;
}

/** Undefined where nothing is left to do. */
export async function renew(intent: Intent, renewing: Renewing): Promise<Intent | undefined> {
  switch (intent.verb) {
    case 'delete':
      return renewDeletion(intent, renewing);
    case 'unblock': {
      const { view } = renewing;
      const target = view.graph.get(intent.target.uid)?.object;
      const remedy = target && renewing.remedyFor(target, intent.remedy.id);
      return target === undefined || remedy === undefined ? undefined : { ...intent, target, remedy };
    }
    case 'undo': {
      const { view, journal } = renewing;
      const entry = await journal.entry(intent.entry);
      if (entry === undefined) return undefined;
      const kept = await readKept(journal, entry);
      return undoIntent(entry, planUndo(entry, kept, view), kept, view);
    }
  }
}

/**
 * An object that was made under the same name since is what the name means now; it is another one, so a forecast
 * for it never promises the same. What this action has begun to delete needs no second request, and neither does
 * what went with it.
 */
function renewDeletion(intent: DeleteIntent, { view, done }: Renewing): DeleteIntent | undefined {
  const targets = intent.targets.flatMap(seen => {
    if (done.has(seen.uid)) return [];
    const living = view.graph.get(seen.uid)?.object;
    if (living !== undefined) {
      return done.size > 0 && isDeleting(living) && !isDeleting(seen) ? [] : [living];
    }
    // In the middle of it, one that is gone has gone with the others.
    return done.size > 0 ? [] : (view.graph.find(seen.type, seen.namespace, seen.name)?.object ?? []);
  });
  return targets.length === 0 ? undefined : { ...intent, targets };
}
