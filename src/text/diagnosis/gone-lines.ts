/** Traces of an object that isn't there, in the journal and in Events, and the lines that show them. */
import { counted, type Said, showHidden, shownName } from '../../model/index.ts';
import { timeText } from '../terminal/age.ts';
import { TextLine } from '../terminal/text-line.ts';

export interface JournalTrace {
  /** The entry's id. */
  readonly entry: string;
  readonly at: number;
  readonly action: string;
  /** A clause: `the API server accepted its deletion`. */
  readonly what: string;
  readonly effect: 'yes' | 'perhaps';
}

export interface GoneEvent {
  readonly about: { readonly namespace: string; readonly kind: string; readonly name: string };
  readonly said: Said;
}

export interface GoneTraces {
  /** The oldest first. */
  readonly journal: readonly JournalTrace[];
  /** Entries of the journal name the cluster by its context alone. */
  readonly byContext: boolean;
  /** The oldest first. */
  readonly events: readonly GoneEvent[];
}

/** Maximum number of events to print; the newest are kept. */
const MOST = 20;

/** `title` is the object's. */
export function goneObjectLines(
  title: string,
  { journal, byContext, events }: GoneTraces,
): readonly TextLine[] {
  return [
    ...(journal.length === 0 ? [] : journalLines(title, journal, byContext)),
    ...(events.length === 0 ? [] : eventLines(journal.length === 0 ? `${title} isn't there. ` : '', events)),
  ];
}

function journalLines(title: string, journal: readonly JournalTrace[], byContext: boolean): TextLine[] {
  const where = byContext ? ' Whether it was this cluster is known from the name of the context alone.' : '';
  return [
    TextLine.of(`${title} isn't there. What was done with this tool, from its journal:`, 'title'),
    TextLine.of(''),
    ...journal.map(traceLine),
    TextLine.of(''),
    TextLine.of(
      `The journal doesn't say what others did, or whether another object has had this name since.${where} Requests and answers: kubectl gc-tree undo -o wide.`,
      'muted',
    ),
    TextLine.of(''),
  ];
}

function traceLine({ at, entry, action, what, effect }: JournalTrace): TextLine {
  const doubt = effect === 'yes' ? '' : '; it is unknown whether that took effect';
  const line = `  ${timeText.timestamp(at)}  ${action}: ${what}${doubt} (entry ${entry})`;
  return TextLine.of(line, effect === 'yes' ? 'plain' : 'warning', 24);
}

function eventLines(lead: string, events: readonly GoneEvent[]): TextLine[] {
  const left = events.length - MOST;
  return [
    TextLine.of(`${lead}Events that still exist:`, 'title'),
    TextLine.of(''),
    ...(left > 0 ? [TextLine.of(`  ${counted(left, 'older Event')} left out`, 'muted')] : []),
    ...events.slice(-MOST).map(eventLine),
    TextLine.of(''),
    TextLine.of(
      'Events are kept for an hour as a rule, and do not say who asked for a deletion. The audit log of an API server does: why TYPE/NAME --audit-log FILE. From now on, a recording shows what happens to objects: record FILE.',
      'muted',
    ),
  ];
}

function eventLine({ about, said }: GoneEvent): TextLine {
  const when = said.at === undefined ? '' : `${timeText.timestamp(said.at)}  `;
  const times = (said.count ?? 1) > 1 ? ` (${said.count} times)` : '';
  const whom = `${shownName(about.kind)} ${shownName(about.name)}`;
  return TextLine.of(
    `  ${when}${showHidden(said.reason)} of ${whom}: ${showHidden(said.message)}${times}`,
    said.failing ? 'warning' : 'plain',
    24,
  );
}
