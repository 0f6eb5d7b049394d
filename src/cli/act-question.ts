/** The question before an action, as strong as what it does: a `y` for one object, a word for many or for danger. */

import type { Prepared } from '../actions/prepare.ts';
import { capital } from '../text/action-failure.ts';
import { objectTitle } from '../text/names.ts';
import { sanitise } from '../text/sanitise.ts';

export function questionFor({ intent, confirmation }: Prepared): string {
  if (confirmation.kind === 'typed') {
    const { word, because } = confirmation;
    return `${capital(sanitise(because))}. Type ${sanitise(word)} to go ahead: `;
  }
  switch (intent.verb) {
    case 'delete': {
      const [first, ...others] = intent.targets;
      if (first === undefined) return 'Go ahead? [y/N] ';
      const what = others.length === 0 ? titleOf(first) : `${intent.targets.length} objects`;
      return `Delete ${what}? [y/N] `;
    }
    case 'unblock':
      return `${capital(sanitise(intent.remedy.title))}? [y/N] `;
    case 'undo':
      return `Undo ${intent.entry}? [y/N] `;
  }
}

/** A typed word has to be it exactly. */
export function confirmed({ confirmation }: Prepared, answer: string): boolean {
  if (confirmation.kind === 'typed') return answer === sanitise(confirmation.word);
  return /^y(?:es)?$/iu.test(answer);
}

function titleOf({
  type,
  namespace,
  name,
}: {
  readonly type: { readonly kind: string };
  readonly namespace: string;
  readonly name: string;
}): string {
  return objectTitle({ kind: type.kind, namespace, name });
}
