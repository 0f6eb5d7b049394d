/**
 * What the user may not do to the object under the cursor, so that the keys for it are grey: asked once the cursor has
 * come to rest, and never waited for.
 */

import type { Effect } from '../../state/messages.ts';
import type { State } from '../../state/state.ts';
import type { Transition } from '../../state/transition.ts';
import { subjectsOf, whyUnchangeable } from '../commands.ts';

/** Asks for the object that the keys are about now, where it is another one than before. */
export function askingAccess(state: State, effects: readonly Effect[]): Transition {
  const { graphComplete, info, access } = state;
  // The demo's cluster allows everything.
  if (!graphComplete || info?.source !== 'cluster' || whyUnchangeable(state) !== undefined)
    return [state, effects];
  const [subject] = subjectsOf(state);
  const uid = subject?.identity.uid;
  if (uid === access?.uid) return [state, effects];
  if (uid === undefined) return [{ ...state, access: undefined }, effects];
  return [{ ...state, access: { uid } }, [...effects, { type: 'askAccess', uid }]];
}
