/** Activity's notes on itself: when it followed the cluster, and what it doesn't see. */
import { counted } from '../../model/index.ts';
import { timeText } from '../terminal/age.ts';
import { TextLine } from '../terminal/text-line.ts';

export interface Gap {
  readonly from: number;
  readonly until: number | undefined;
}

function startWords(at: number, tenths: boolean): string {
  return `${clock(at, tenths)} followed from here on`;
}

function gapWords({ from, until }: Gap, tenths: boolean): string {
  const end = until === undefined ? 'now' : clock(until, tenths);
  return `${clock(from, tenths)} not followed until ${end}: changes of that time are shown as they were seen afterwards`;
}

function clock(at: number, tenths: boolean): string {
  const text = timeText.clock(at);
  return tenths ? text : text.replace(/\.\d(?=Z$)/u, '');
}

export interface Limits {
  /** Start of following; undefined if nothing can be followed, as in files. */
  readonly since: number | undefined;
  readonly forgotten: number;
  /** Unseen kinds, and kinds that are listed repeatedly instead of watched. */
  readonly unseen: number;
  readonly polled: number;
}

function limitLines({ since, forgotten, unseen, polled }: Limits): readonly TextLine[] {
  return [
    since === undefined
      ? TextLine.of("Files don't change, so only the objects being deleted are shown.")
      : TextLine.of(
          `Changes are shown from ${timeText.timestamp(since)} on. For objects that were already being deleted, the time is that of the request, and the owners are those at the start.`,
        ),
    TextLine.of(
      'Objects do not record who deleted them or who removed a reference. An entry is attributed to the garbage collector if its decision at that moment was this change.',
      'muted',
    ),
    ...(unseen === 0
      ? []
      : [
          TextLine.of(
            `${counted(unseen, 'kind')} cannot be seen, so ${unseen === 1 ? 'its' : 'their'} objects are not shown. B says which, and why.`,
            'warning',
          ),
        ]),
    ...(polled === 0
      ? []
      : [
          TextLine.of(
            `${counted(polled, 'kind')} cannot be watched: changes to ${polled === 1 ? 'its' : 'their'} objects are shown up to a minute late.`,
            'warning',
          ),
        ]),
    ...(forgotten === 0
      ? []
      : [TextLine.of(`${counted(forgotten, 'older entry', 'older entries')} are no longer kept.`, 'muted')]),
  ];
}

export const activityNotes = { gap: gapWords, limits: limitLines, start: startWords };
