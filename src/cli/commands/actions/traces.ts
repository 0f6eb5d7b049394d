/** The journal's entries on an object that is gone, for `why`, which mustn't import actions. */
import { type Here, journalFailure, type TracedPlace, tracesOf, Undo } from '../../../actions/index.ts';
import type { SourceInfo } from '../../../source/index.ts';
import { type GoneTraces, journalWords } from '../../../text/index.ts';
import type { Io } from '../../runtime/io.ts';
import { warn } from '../../runtime/say.ts';
import { journalOf } from './action-session.ts';

const nothing: Omit<GoneTraces, 'events'> = { journal: [], byContext: false };

/** Empty if the journal has no entry, or cannot be read, which is reported. */
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
      entries.filter(({ intended }) => Undo.isSameCluster(intended, here)),
      place,
    );
    const byContext =
      Undo.clusterUid(here.view) === '' || traces.some(({ entry }) => entry.intended.cluster === '');
    return { journal: traces.map(journalWords.trace), byContext };
  } catch (error) {
    if (journalFailure(error) === undefined || !(error instanceof Error)) throw error;
    warn(io, `the journal of this tool's actions cannot be read: ${error.message}.`);
    return nothing;
  }
}
