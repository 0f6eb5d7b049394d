/** The journal's entries on an object that is gone, for `why`, which mustn't import actions. */
import { journalFailure } from '../../../actions/journal/failure.ts';
import { type TracedPlace, tracesOf } from '../../../actions/journal/traces.ts';
import { clusterUid, type Here, isSameCluster } from '../../../actions/undo/undo.ts';
import type { SourceInfo } from '../../../source/source.ts';
import { journalTrace } from '../../../text/actions/journal.ts';
import type { GoneTraces } from '../../../text/diagnosis/gone.ts';
import type { Io } from '../../runtime/io.ts';
import { warn } from '../../runtime/say.ts';
import { journalOf } from './session.ts';

const nothing: Omit<GoneTraces, 'events'> = { journal: [], byContext: false };

/** Empty where it says nothing, or cannot be read, which is reported. */
export async function tracesOfGone(
  io: Io,
  here: Here & { readonly info: SourceInfo },
  place: TracedPlace,
): Promise<Omit<GoneTraces, 'events'>> {
  // Files are of another moment, and each demo begins anew.
  if (here.info.source !== 'cluster') return nothing;
  try {
    const entries = await journalOf('cluster', io).list();
    const traces = tracesOf(
      entries.filter(({ intended }) => isSameCluster(intended, here)),
      place,
    );
    const byContext =
      clusterUid(here.view) === '' || traces.some(({ entry }) => entry.intended.cluster === '');
    return { journal: traces.map(journalTrace), byContext };
  } catch (error) {
    if (journalFailure(error) === undefined || !(error instanceof Error)) throw error;
    warn(io, `the journal of what was done with this tool cannot be read: ${error.message}.`);
    return nothing;
  }
}
