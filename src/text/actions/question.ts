/** What is asked before an action, for the command line and the screen: each adds how it is answered. Sanitised. */

import type { Confirmation } from '../../actions/prepare/confirmation.ts';
import type { Intent } from '../../actions/prepare/intent.ts';
import { shownName } from '../../model/text/shown.ts';
import { counted, objectTitle } from '../terminal/names.ts';
import { sanitise } from '../terminal/sanitise.ts';
import { capital } from './failure.ts';

/** `Delete StatefulSet shop/web`, `Delete 3 objects`, `Undo 20261121-…`: without its question mark. */
export function actionQuestion(intent: Intent): string {
  switch (intent.verb) {
    case 'delete': {
      const [first, ...others] = intent.targets;
      if (first === undefined || others.length > 0)
        return `Delete ${counted(intent.targets.length, 'object')}`;
      const { type, namespace, name } = first;
      return `Delete ${objectTitle({ kind: type.kind, namespace, name })}`;
    }
    case 'unblock':
      return capital(sanitise(intent.remedy.title));
    case 'undo':
      return `Undo ${intent.entry}`;
  }
}

/** `3 objects go. Type web`: why a word is asked for, and which. */
export function typedQuestion({ word, because }: Extract<Confirmation, { kind: 'typed' }>): string {
  return `${capital(sanitise(because))}. Type ${shownName(word)}`;
}
