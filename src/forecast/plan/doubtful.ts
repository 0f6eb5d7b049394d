/**
 * What a forecast takes for granted of admission: objects that end otherwise where the requests are refused that it takes
 * to pass. Found by running it so.
 */
import type { Uid } from '../../model/object.ts';
import type { Sliced } from '../../model/slices.ts';
import type { Action } from '../action.ts';
import { endIn } from '../orders.ts';
import { endsOf, runAction, type Stage } from '../run.ts';
import { letHandled } from './handled.ts';
import type { Ends } from './outcome.ts';

/** `ends` and `handled`: where they pass; the latter undefined where no handler has anything to do. */
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
