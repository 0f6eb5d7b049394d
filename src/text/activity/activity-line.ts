/** An entry of Activity as a line, indented below its cause: time, word, object, reason. */
import { ActivityEntry, type ActivityKind } from '../../activity/index.ts';
import { objectTitle, objectTitleIn, showHidden } from '../../model/index.ts';
import { timeText } from '../terminal/age.ts';
import type { Span, Style } from '../terminal/style.ts';
import type { TextLine } from '../terminal/text-line.ts';
import { padEnd } from '../terminal/width.ts';
import { becauseClause } from './because.ts';

const words: Readonly<Record<ActivityKind, readonly [word: string, style: Style]>> = {
  Marked: ['marked', 'warning'],
  PolicyChanged: ['policy', 'warning'],
  Held: ['held', 'danger'],
  Collected: ['collected', 'danger'],
  Deleted: ['deleted', 'danger'],
  Stripped: ['stripped', 'info'],
  Orphaned: ['orphaned', 'info'],
  Released: ['released', 'info'],
  ReferenceRemoved: ['disowned', 'info'],
  Adopted: ['adopted', 'good'],
  ReferenceAdded: ['owned', 'good'],
  Unblocked: ['unblocked', 'info'],
  FinalizerRemoved: ['finalizer', 'info'],
  Recreated: ['recreated', 'good'],
};

const WORD_WIDTH = Math.max(...Object.values(words).map(([word]) => word.length));
/** Columns of a time of day, or of an older age. */
const TIME_WIDTH = '12:00:00.0Z'.length;
const GAP = '  ';
const DAY = 24 * 60 * 60 * 1000;
const DEEPEST = 6;

/** Returns `marked` for `Marked`. */
function activityWord(what: ActivityKind): string {
  return words[what][0];
}

function entryWords(entry: ActivityEntry): string {
  return `${activityWord(entry.what)} ${objectTitle(entry.object)}: ${becauseClause(entry)}`;
}

function activityTime(at: number, now: number): string {
  return now - at < DAY ? timeText.clock(at) : `${timeText.age(at, now)} ago`;
}

const activityTitles: TextLine = {
  spans: [
    {
      text: `${padEnd('TIME', TIME_WIDTH)}${GAP}${padEnd('WHAT', WORD_WIDTH)}${GAP}OBJECT: WHY`,
      style: 'title',
    },
  ],
  indent: 0,
};

/** Sanitised texts of a line or row. */
export interface ActivityCells {
  readonly time: string;
  readonly word: string;
  readonly style: Style;
  readonly object: string;
  readonly why: string;
}

/**
 * `now` in milliseconds since the epoch; `namespace`: omitted around its objects. An entry that isn't `settled` may
 * soon get an explanation, so its lack isn't mentioned.
 */
function activityCells(
  entry: ActivityEntry,
  now: number,
  { namespace = '', settled = true }: { readonly namespace?: string; readonly settled?: boolean } = {},
): ActivityCells {
  const [word, style] = words[entry.what];
  const isOpen = !settled && entry.by.length === 0;
  return {
    time: activityTime(entry.at, now),
    word,
    style,
    object: objectTitleIn(entry.object, namespace),
    why: showHidden(isOpen ? 'why is not known yet' : becauseClause(entry)),
  };
}

function activityLine(entry: ActivityEntry, now: number): TextLine {
  return lineOf(activityCells(entry, now), ActivityEntry.depth(entry));
}

/** Returns the line of an entry that a server told. `why`: sanitised. */
function toldLine(
  entry: Pick<ActivityEntry, 'at' | 'what' | 'object'> & { readonly why: string; readonly depth: number },
  now: number,
): TextLine {
  const [word, style] = words[entry.what];
  const object = objectTitleIn(entry.object, '');
  return lineOf({ time: activityTime(entry.at, now), word, style, object, why: entry.why }, entry.depth);
}

function lineOf({ time, word, style, object, why }: ActivityCells, deep: number): TextLine {
  const depth = Math.min(DEEPEST, deep);
  const lead = TIME_WIDTH + WORD_WIDTH + 2 * GAP.length + 2 * depth;
  const spans: Span[] = [
    { text: padEnd(time, TIME_WIDTH) + GAP, style: 'muted' },
    { text: padEnd(word, WORD_WIDTH) + GAP, style },
    { text: `${'  '.repeat(depth)}${object}`, style: 'plain' },
    { text: why === '' ? '' : `: ${why}`, style: 'muted' },
  ];
  return { spans, indent: lead + 2 };
}

function groupLine(entry: ActivityEntry, now: number): TextLine {
  const root = ActivityEntry.root(entry);
  const lead = ' '.repeat(TIME_WIDTH + WORD_WIDTH + 2 * GAP.length);
  const text = `${lead}${objectTitle(root.object)}, ${activityWord(root.what)} ${activityTime(root.at, now)}:`;
  return { spans: [{ text: showHidden(text), style: 'muted' }], indent: lead.length + 2 };
}

export const activityWords = {
  entry: entryWords,
  word: activityWord,
  cells: activityCells,
  wordWidth: WORD_WIDTH,
  line: activityLine,
  told: toldLine,
  titles: activityTitles,
  groupLine,
};
