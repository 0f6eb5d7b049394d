/** A recorded deletion: its time, reason, and consequences. */
import type { ActivityEntry, SeenDeletion } from '../../activity/index.ts';
import { formatCount, objectTitle, shownName } from '../../model/index.ts';
import { activityWords } from '../activity/activity-line.ts';
import { becauseClause } from '../activity/because.ts';
import { formatShortDuration, timeText } from '../terminal/age.ts';
import { TextLine } from '../terminal/text-line.ts';
import { padEnd } from '../terminal/width.ts';

const MOST_LINES = 40;
const LABEL = 14;

const actors: Readonly<Record<ActivityEntry['by'][number], string>> = {
  'garbage-collector': 'the garbage collector',
  'namespace-controller': 'the namespace controller',
  'definition-controller': 'the API server, which empties its CustomResourceDefinition',
  controller: 'its controller',
};

function recordedSummary({ object, first, goneAt }: SeenDeletion): string {
  const name = objectTitle(identityOf(object));
  if (first === undefined) return `${name} was gone at ${timeText.timestamp(goneAt)}.`;
  const policy = first.policy === undefined ? '' : `, with the policy ${first.policy}`;
  const who =
    first.by.length === 0 ? 'by a request' : `by ${first.by.map(actor => actors[actor]).join(' or ')}`;
  const when = `${name} was deleted at ${timeText.timestamp(first.at)} ${who}${policy}`;
  return goneAt - first.at < 50
    ? `${when}. It was gone at once.`
    : `${when}. It was gone ${formatShortDuration(goneAt - first.at)} later.`;
}

function recordedLines(seen: SeenDeletion): TextLine[] {
  const { object, first, action, course, followed } = seen;
  const lines = [TextLine.of(recordedSummary(seen), 'title', 0), TextLine.of('')];
  const add = (label: string, text: string): void => {
    lines.push(TextLine.of(`  ${padEnd(label, LABEL)} ${text}`, 'plain', LABEL + 3));
  };
  add('uid', shownName(object.uid));
  add('created', timeText.timestamp(object.creationTimestamp));
  if (object.owners.length > 0)
    add(
      'owned by',
      object.owners.map(({ kind, name }) => `${shownName(kind)} ${shownName(name)}`).join(', '),
    );
  if (first !== undefined) add('because', becauseClause(first));
  if (action !== undefined)
    add(
      'follows from',
      `${objectTitle(action.object)}, ${activityWords.word(action.what)} at ${timeText.clock(action.at)}: ${becauseClause(action)}`,
    );
  const begin = first?.at ?? seen.goneAt;
  const steps = [...course, ...followed].sort((a, b) => a.at - b.at || a.id - b.id);
  if (steps.length > 0) lines.push(TextLine.of(''), TextLine.of('What followed', 'title'));
  const shown = steps.slice(0, steps.length > MOST_LINES + 1 ? MOST_LINES : undefined);
  for (const step of shown) lines.push(stepLine(step, begin));
  if (steps.length > shown.length)
    lines.push(
      TextLine.of(`  and ${formatCount(steps.length - shown.length)} more: -o json has all of them`, 'muted'),
    );
  return lines;
}

function stepLine(entry: ActivityEntry, begin: number): TextLine {
  const later = `+${formatShortDuration(Math.max(0, entry.at - begin))}`;
  const why = becauseClause(entry);
  return TextLine.of(
    `  ${padEnd(later, 9)} ${activityWords.word(entry.what)} ${objectTitle(entry.object)}${why === '' ? '' : `: ${why}`}`,
    'plain',
    12,
  );
}

function identityOf({ type: { apiVersion, kind }, namespace, name, uid }: SeenDeletion['object']) {
  return { apiVersion, kind, namespace, name, uid };
}

export const recordedWords = { lines: recordedLines, summary: recordedSummary };
