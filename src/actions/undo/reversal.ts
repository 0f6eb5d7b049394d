/** What taking an action back would do now that it has ended: told at its end, so that nobody relies on more. */
import type { ClusterView } from '../../graph/cluster-view.ts';
import type { Journal } from '../journal/journal.ts';
import type { Ended } from '../run/ports.ts';
import { planUndo, type Undo } from './undo.ts';

export type Reversal =
  | {
      readonly known: true;
      /** Of the journal, those that can be taken back at least in part; the latest first, since it stands on the others. */
      readonly entries: readonly string[];
      /** What cannot come back, a line each. */
      readonly lost: readonly string[];
    }
  /** The cluster hasn't come to rest, so an undo would find another one. */
  | { readonly known: false; readonly entries: readonly string[] };

/** `view` as it is at the end. Never rejects. */
export async function reversalOf(
  { state, entries }: Pick<Ended, 'state' | 'entries'>,
  { journal, view }: { readonly journal: Journal; readonly view: ClusterView },
): Promise<Reversal> {
  const latest = entries.toReversed();
  if (state !== 'reached' && state !== 'departed') return { known: false, entries: latest };
  const found: string[] = [];
  const lost: string[] = [];
  for (const id of latest) {
    const undo = await undoOf(id, journal, view);
    if (undo.requests.length > 0) found.push(id);
    lost.push(...undo.lost);
  }
  return { known: true, entries: found, lost };
}

async function undoOf(
  id: string,
  journal: Journal,
  view: ClusterView,
): Promise<Pick<Undo, 'requests' | 'lost'>> {
  try {
    const entry = await journal.entry(id);
    if (entry !== undefined) return planUndo(entry, await journal.backupOf(entry), view);
    return { requests: [], lost: [`entry ${id} is no longer in the journal`] };
  } catch (error) {
    // The action has been taken all the same.
    const why = error instanceof Error ? error.message : String(error);
    return { requests: [], lost: [`entry ${id} cannot be read: ${why}`] };
  }
}
