/** What Activity says of itself: from when on it followed the cluster, when it didn't, and what it doesn't see. */
import { counted } from '../../model/text/titles.ts';
import { formatClock, formatTimestamp } from '../terminal/age.ts';
import { type TextLine, textLine } from '../terminal/text-line.ts';

/** When the cluster wasn't followed, in milliseconds since the epoch; `until` is undefined while it still isn't. */
export interface Gap {
  readonly from: number;
  readonly until: number | undefined;
}

/** `12:00:05.1Z followed from here on`. */
export function startWords(at: number, tenths: boolean): string {
  return `${clock(at, tenths)} followed from here on`;
}

export function gapWords({ from, until }: Gap, tenths: boolean): string {
  const end = until === undefined ? 'now' : clock(until, tenths);
  return `${clock(from, tenths)} not followed until ${end}: what changed then is told as it was seen afterwards`;
}

function clock(at: number, tenths: boolean): string {
  const text = formatClock(at);
  return tenths ? text : text.replace(/\.\d(?=Z$)/u, '');
}

export interface Limits {
  /** From when on changes were seen, in milliseconds since the epoch; undefined where none can be, as in files. */
  readonly since: number | undefined;
  /** Entries that were told and are no longer kept. */
  readonly forgotten: number;
  /** Kinds whose objects cannot be seen, and those that are read again and again instead of watched. */
  readonly unseen: number;
  readonly polled: number;
}

/** What these entries don't cover, and how much is sure in them. */
export function limitLines({ since, forgotten, unseen, polled }: Limits): readonly TextLine[] {
  return [
    since === undefined
      ? textLine('What is read stands still: what is being deleted in it is told, and no change.')
      : textLine(
          `Changes are told from ${formatTimestamp(since)} on. Of what was being deleted then, the time is that at which it was asked for, and the owners are as they were when this began.`,
        ),
    textLine(
      "Objects do not record who deleted them or who removed a reference. An entry is the garbage collector's where that is what it had to do at that moment.",
      'muted',
    ),
    ...(unseen === 0
      ? []
      : [
          textLine(
            `${counted(unseen, 'kind')} cannot be seen, so nothing is told of ${unseen === 1 ? 'its' : 'their'} objects. B says which, and why.`,
            'warning',
          ),
        ]),
    ...(polled === 0
      ? []
      : [
          textLine(
            `${counted(polled, 'kind')} cannot be watched: changes to ${polled === 1 ? 'its' : 'their'} objects are told up to a minute late.`,
            'warning',
          ),
        ]),
    ...(forgotten === 0
      ? []
      : [textLine(`${counted(forgotten, 'older entry', 'older entries')} are no longer kept.`, 'muted')]),
  ];
}
