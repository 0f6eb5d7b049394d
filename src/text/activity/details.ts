/** An entry of Activity in full: its meaning, cause, likely actor and certainty. */
import { ActivityEntry, type ActivityKind, type OwnerFate } from '../../activity/index.ts';
import { objectTitle, objectTitleIn } from '../../model/index.ts';
import { timeText } from '../terminal/age.ts';
import { TextLine } from '../terminal/text-line.ts';
import { activityWords } from './activity-line.ts';
import { becauseClause, fateClause } from './because.ts';

/** Predicates without a subject, for a heading's object: `it is gone, by the garbage collector`. */
const activityMeanings: Readonly<Record<ActivityKind, string>> = {
  Marked: 'its deletion was accepted, and something is yet to be done before it ends',
  PolicyChanged: 'it was being deleted, and was deleted again with another policy',
  Held: 'its deletion should be over, and waits',
  Collected: 'it is gone, by the garbage collector',
  Deleted: 'it is gone, and not necessarily by the garbage collector',
  Stripped: 'it lost references to owners that are gone or wait; it has another owner',
  Orphaned: 'it lost its reference to an owner that is deleted with the policy orphan',
  Released: 'it lost its controller, which is still there',
  ReferenceRemoved: 'it lost another reference',
  Adopted: 'it got a controller',
  ReferenceAdded: 'it got another owner',
  Unblocked: 'it no longer holds up the foreground deletion of an owner',
  FinalizerRemoved: 'a finalizer was removed while it was being deleted, and it is still there',
  Recreated: 'another object has come under its name',
};

const actorNames: Readonly<Record<ActivityEntry['by'][number], string>> = {
  'garbage-collector': 'the garbage collector',
  'namespace-controller': 'the namespace controller, which empties the namespace',
  'definition-controller': 'the API server, which deletes the objects of a definition',
  controller: 'the controller that owns it',
};

export interface EntryContext {
  /** Milliseconds since the epoch that ages refer to. */
  readonly now: number;
  /** True if no later event can explain the entry better. */
  readonly settled: boolean;
  /** Start of following: older deletions were requested by then. */
  readonly since: number;
}

function entryLines(entry: ActivityEntry, { now, settled, since }: EntryContext): readonly TextLine[] {
  const { style, word } = activityWords.cells(entry, now);
  const because = becauseClause(entry);
  const isOpen = !settled && entry.by.length === 0;
  return [
    TextLine.of(`${word}: ${activityMeanings[entry.what]}.`, style),
    TextLine.of(timeSentence(entry.at, now, since), 'muted'),
    ...(entry.policy === undefined ? [] : [TextLine.of(`Policy ${entry.policy}, by its finalizers.`)]),
    ...(isOpen
      ? [TextLine.of('Why is not known yet: what another watch brings in a moment may explain it.', 'muted')]
      : [TextLine.of(`Why: ${because === '' ? 'nothing that was seen explains it' : because}.`)]),
    ...ownerLines(entry),
    ...(isOpen ? [] : [whoLine(entry)]),
    ...causeLines(entry, now),
  ];
}

function timeSentence(at: number, now: number, since: number): string {
  const ago = `${timeText.age(at, now)} ago`;
  return at < since
    ? `Asked for at ${timeText.timestamp(at)}, ${ago}: before anything was followed here.`
    : `Seen at ${timeText.instant(at)}, ${ago}.`;
}

function ownerLines(entry: ActivityEntry): readonly TextLine[] {
  const owners = ownersIn(entry.because);
  if (owners.length < 2) return [];
  return [
    TextLine.of(`Owners ${owners.length}`, 'title'),
    ...owners.map(owner => TextLine.of(`  ${fateClause(owner, entry, '').trimStart()}`, 'plain', 4)),
  ];
}

function ownersIn(because: ActivityEntry['because']): readonly OwnerFate[] {
  if (because.code === 'EmptiedWith') return because.owners ?? [];
  const hasFates =
    because.code === 'OwnersGone' ||
    because.code === 'OwnersWait' ||
    because.code === 'Asked' ||
    because.code === 'AnotherOwner';
  return hasFates ? because.owners : [];
}

function whoLine({ by }: ActivityEntry): TextLine {
  if (by.length === 0)
    return TextLine.of(
      'Objects do not record who did it. An audit log does: kubectl gc-tree why --audit-log.',
      'muted',
    );
  const who = by.map(actor => actorNames[actor]).join(', and ');
  return TextLine.of(`By ${who}. That is inferred: it is what it had to do at that moment.`, 'muted');
}

/** Lists the causes up to the action. */
function causeLines(entry: ActivityEntry, now: number): readonly TextLine[] {
  const root = ActivityEntry.root(entry);
  if (root === entry) return [];
  const lines: TextLine[] = [TextLine.of('Follows from', 'title')];
  for (let each = entry.cause; each !== undefined; each = each === root ? undefined : each.cause) {
    const { time, word, object, why } = activityWords.cells(each, now, { namespace: entry.object.namespace });
    lines.push(TextLine.of(`  ${time} ${word} ${object}${why === '' ? '' : `: ${why}`}`, 'plain', 4));
  }
  return lines;
}

function historyLines(entries: readonly ActivityEntry[], context: EntryContext): readonly TextLine[] {
  return entries.flatMap(entry => [...entryLines(entry, context), TextLine.empty]);
}

function goneLines(
  { object }: ActivityEntry,
  successor: { readonly uid: string } | undefined,
): readonly TextLine[] {
  const title = objectTitle(object);
  return [
    TextLine.of(`${title} no longer exists, as far as can be seen.`),
    TextLine.of(`uid ${object.uid}, ${object.apiVersion}`, 'muted'),
    ...(successor === undefined
      ? []
      : [
          TextLine.of(
            `Another ${objectTitleIn(object, object.namespace)} has this name now, with the uid ${successor.uid}.`,
            'warning',
          ),
        ]),
  ];
}

export const activityLines = {
  meanings: activityMeanings,
  entry: entryLines,
  gone: goneLines,
  history: historyLines,
};
