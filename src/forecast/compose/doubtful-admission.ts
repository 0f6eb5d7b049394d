/** Finds objects that end differently if admission refuses requests the forecast lets pass. */
import type { Sliced, Uid } from '../../model/index.ts';
import type { Action } from '../action.ts';
import { letHandled } from '../plan/handled.ts';
import type { Ends } from '../plan/run-ends.ts';
import { endsOf, runAction, type Stage } from '../simulated-run.ts';
import { endIn } from './orders.ts';

/** `ends` and `handled` are the ends if they pass; `handled` is undefined if no handler acts. */
export function* dependentOnAdmission(
  stage: Stage,
  action: Action,
  { ends, handled = ends }: { readonly ends: Ends; readonly handled: Ends | undefined },
): Sliced<ReadonlySet<Uid>> {
  const run = yield* runAction(stage, action, { doubtsRefused: true });
  const refused = endsOf(stage, run);
  const refusedThen = (yield* letHandled(stage, run))?.ends ?? refused;
  const found = new Set<Uid>();
  for (const uid of new Set([...ends.keys(), ...handled.keys(), ...refusedThen.keys()])) {
    if (stage.base.byUid(uid) === undefined) continue;
    const differs = (a: Ends, b: Ends): boolean => endIn(stage, a, uid).words !== endIn(stage, b, uid).words;
    if (differs(ends, refused) || differs(handled, refusedThen)) found.add(uid);
  }
  return found;
}
