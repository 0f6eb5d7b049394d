/** The journal's entries on an object that is gone, for `why`, which mustn't import actions. */
import { journalFailure } from '../../../actions/journal/failure.ts';
import { type TracedPlace, tracesOf } from '../../../actions/journal/traces.ts';
import { clusterUid, type Here, isSameCluster } from '../../../actions/undo/undo.ts';
import { objectTitle } from '../../../model/text/titles.ts';
import type { SourceInfo } from '../../../source/source.ts';
import { traceLines } from '../../../text/actions/journal.ts';
import { type TextLine, textLine } from '../../../text/terminal/text-line.ts';
import type { Io } from '../../runtime/io.ts';
import { warn } from '../../runtime/say.ts';
import { journalOf } from './session.ts';

/** Returns an empty list if the journal has nothing, or can't be read, which is reported. */
export async function tracesOfGone(
  io: Io,
  here: Here & { readonly info: SourceInfo },
  place: TracedPlace,
): Promise<readonly TextLine[]> {
  // Files are from another moment, and each demo starts anew.
  if (here.info.source !== 'cluster') return [];
  try {
    const entries = await journalOf('cluster', io).list();
    const traces = tracesOf(
      entries.filter(({ intended }) => isSameCluster(intended, here)),
      place,
    );
    if (traces.length === 0) return [];
    const isByName =
      clusterUid(here.view) === '' || traces.some(({ entry }) => entry.intended.cluster === '');
    const where = isByName ? ' Whether it was this cluster is known from the name of the context alone.' : '';
    const title = objectTitle({ kind: place.type.kind, namespace: place.namespace, name: place.name });
    return [
      textLine(`${title} isn't there. What was done with this tool, from its journal:`, 'title'),
      textLine(''),
      ...traceLines(traces),
      textLine(''),
      textLine(
        `The journal doesn't say what others did, or whether another object has had this name since.${where} Requests and answers: kubectl gc-tree undo -o wide.`,
        'muted',
      ),
      textLine(''),
    ];
  } catch (error) {
    if (journalFailure(error) === undefined || !(error instanceof Error)) throw error;
    warn(io, `the journal of what was done with this tool cannot be read: ${error.message}.`);
    return [];
  }
}
