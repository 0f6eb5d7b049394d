/** Sanitised sentences of `wait`. */
import { counted, objectTitle, showHidden, shownName } from '../model/index.ts';
import { timeText } from './terminal/age.ts';

type Item = {
  readonly object: { readonly kind: string; readonly namespace: string; readonly name: string };
} & (
  | { readonly outcome: 'Absent' }
  | { readonly outcome: 'Deleted'; readonly milliseconds: number }
  | { readonly outcome: 'Recreated'; readonly milliseconds: number; readonly uid: string }
  | { readonly outcome: 'Remaining'; readonly answer: { readonly summary: string } }
  | { readonly outcome: 'Unknown'; readonly because: string }
);

/** `timeout` in milliseconds. */
function waitSentence(item: Item, timeout: number): string {
  const title = objectTitle(item.object);
  switch (item.outcome) {
    case 'Absent':
      return `${title} is not there.`;
    case 'Deleted':
      return `${title} is deleted, after ${timeText.duration(item.milliseconds)}.`;
    case 'Recreated':
      return `${title} is deleted, after ${timeText.duration(item.milliseconds)}, and was recreated: the object that has its name now has the uid ${shownName(item.uid)}.`;
    case 'Remaining':
      return `Still there${timeout === 0 ? '' : ` after ${timeText.duration(timeout)}`}: ${showHidden(item.answer.summary)}`;
    case 'Unknown':
      return `Whether ${title} is still there is unknown: ${showHidden(item.because)}.`;
  }
}

function progressWords(done: number, remaining: readonly Item['object'][]): string {
  const [first] = remaining;
  if (first === undefined) return `${counted(done, 'object')} deleted`;
  const more = remaining.length > 1 ? ` and ${remaining.length - 1} more` : '';
  const total = done + remaining.length;
  return `waiting for ${objectTitle(first)}${more} to be deleted${done === 0 ? '' : ` (${done} of ${total} done)`}`;
}

function waitSummary(items: readonly Pick<Item, 'outcome'>[]): string {
  const of = (...outcomes: readonly Item['outcome'][]): number =>
    items.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const recreated = of('Recreated');
  const parts = [
    `${counted(of('Deleted', 'Recreated'), 'object')} deleted${recreated === 0 ? '' : ` (${recreated} recreated)`}`,
    ...(of('Absent') === 0 ? [] : [`${of('Absent')} not there`]),
    ...(of('Remaining') === 0 ? [] : [`${of('Remaining')} still there`]),
    ...(of('Unknown') === 0 ? [] : [`${of('Unknown')} unknown`]),
  ];
  return `${parts.join(', ')}.`;
}

export const waitWords = { sentence: waitSentence, progress: progressWords, summary: waitSummary };
