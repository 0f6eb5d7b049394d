/** The question before an action, as strong as what it does: a `y` for one object, a word for many or for danger. */

import type { Prepared } from '../../../actions/prepare/prepare.ts';
import { shownName } from '../../../model/text/shown.ts';
import { actionQuestion, typedQuestion } from '../../../text/actions/question.ts';

export function questionFor({ intent, confirmation }: Prepared): string {
  return confirmation.kind === 'typed'
    ? `${typedQuestion(confirmation)} to go ahead: `
    : `${actionQuestion(intent)}? [y/N] `;
}

/** A typed word has to be it exactly. */
export function confirmed({ confirmation }: Prepared, answer: string): boolean {
  if (confirmation.kind === 'typed') return answer === shownName(confirmation.word);
  return /^y(?:es)?$/iu.test(answer);
}
