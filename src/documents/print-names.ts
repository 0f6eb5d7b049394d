/** `-o name`: one `kind.group/name` a line, as `kubectl -o name` prints them. */
import { kubectlName } from '../text/names.ts';
import type { Selection } from './selection.ts';
import { firstPlaces } from './walk.ts';

/** Every existing object once, owners first. Virtual nodes are left out: kubectl could do nothing with them. */
export function* printNames(selection: Selection): Generator<string> {
  // All or nothing: what reads them takes the first lines for the whole.
  const names: string[] = [];
  for (const { node } of firstPlaces(selection))
    if (!node.virtual) names.push(`${kubectlName(node.identity)}\n`);
  yield* names;
}
