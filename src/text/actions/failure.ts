/** Texts on refused or aborted actions that the command line and the screen share. */

import { AccessQuestion, type Ended, type Examination } from '../../actions/index.ts';
import { counted, formatCount, objectTitle, prose, showHidden, shownName } from '../../model/index.ts';
import { TextLine } from '../terminal/text-line.ts';

const NAMED = 3;

/** Returns a sanitised clause without a full stop. */
function missingWords(denied: Examination['denied']): string {
  const named = denied.slice(0, NAMED).map(AccessQuestion.words).join('; ');
  const more = denied.length > NAMED ? ` and ${denied.length - NAMED} more` : '';
  return showHidden(`the permission ${named}${more} is missing`);
}

/** Lists permissions that are or may be missing, and requests that can't be tried. */
function doubtLines(
  { doubtful, untried, unreadable }: Pick<Examination, 'doubtful' | 'untried' | 'unreadable'>,
  margin: number,
): readonly TextLine[] {
  const more = unreadable.length - NAMED;
  return [
    ...doubtful
      .slice(0, NAMED)
      .map(
        question =>
          `You lack ${AccessQuestion.words(question)}, which a cluster with the admission plugin ${question.onlyWith ?? ''} asks for.`,
      ),
    ...untried
      .slice(0, NAMED)
      .map(
        ({ before, requests }) =>
          `${counted(requests.length, 'request')} cannot be tried before ${showHidden(before)}.`,
      ),
    ...unreadable.slice(0, NAMED).map(unreadableWords),
    ...(more > 0 ? [`Nor may you read ${formatCount(more)} more kinds of it.`] : []),
  ].map(words => TextLine.of(`${' '.repeat(margin)}! ${words}`, 'warning', margin + 2));
}

function unreadableWords({ question, objects }: Examination['unreadable'][number]): string {
  const [first] = objects;
  const title = first === undefined ? '' : `${first.kind} ${first.name}`;
  const of = objects.length > 1 ? `${title} and ${objects.length - 1} more` : title;
  return `You lack ${AccessQuestion.words(question)}: of ${of} the backup may have the metadata alone.`;
}

/** Adds a full stop unless the text ends with a mark. */
function sentence(text: string): string {
  return /[.!?]$/u.test(text) ? text : `${text}.`;
}

/** Describes the cluster after a request with unknown effect; `untouched` without one. */
function afterDoubt({ found }: Pick<Ended, 'found'>, untouched: string): string {
  if (found === undefined) return untouched;
  return `${sentence(foundSentence(found))} It isn't sent again by itself.`;
}

/** Returns a sanitised sentence. */
function foundSentence({ object, now }: NonNullable<Ended['found']>): string {
  const name = objectTitle(object);
  switch (now.is) {
    case 'same':
      return `So far it has had no effect: ${name} was read again and is unchanged (resourceVersion ${showHidden(now.resourceVersion)}).`;
    case 'changed':
      return `${name} was read again: it has changed (resourceVersion ${showHidden(now.resourceVersion)}), isn't newly being deleted, and has ${finalizerWords(now.finalizers)}.`;
    case 'deleting':
      return `${name} was read again: it has been deleting since ${showHidden(now.since)}, with ${finalizerWords(now.finalizers)}.`;
    case 'gone':
      return `${name} was looked for again: it is gone.`;
    case 'replaced':
      return `${name} was read again: another object has its name now (uid ${shownName(now.uid)}).`;
    case 'made':
      return `${name} was looked for: it exists (uid ${shownName(now.uid)}).`;
    case 'absent':
      return `So far it has had no effect: ${name} was looked for and doesn't exist.`;
    case 'unread':
      return `${name} cannot be read to see whether it had an effect: ${showHidden(prose(now.because))}`;
  }
}

function finalizerWords(finalizers: readonly string[]): string {
  if (finalizers.length === 0) return 'no finalizers';
  return `${finalizers.length === 1 ? 'the finalizer' : 'the finalizers'} ${finalizers.map(shownName).join(', ')}`;
}

export const failureWords = {
  missing: missingWords,
  afterDoubt,
  sentence,
  doubt: doubtLines,
  found: foundSentence,
};
