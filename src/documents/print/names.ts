/** `-o name`: one `kind.group/name` a line, as `kubectl -o name` prints them. */
import { scopedName } from '../../text/terminal/names.ts';
import type { Selection } from '../tree/selection.ts';
import { firstPlaces } from '../tree/walk.ts';

/**
 * What was asked for and exists, each object once, owners first; not what else the tree shows around it: what reads
 * the names may delete them. `namespace`: that of the command, undefined for all.
 */
export function* printNames(selection: Selection, namespace: string | undefined): Generator<string> {
  // All or nothing: what reads them takes the first lines for the whole.
  const names: string[] = [];
  for (const { node } of firstPlaces(selection))
    if (!node.virtual && selection.isTarget(node)) names.push(`${scopedName(node.identity, namespace)}\n`);
  yield* names;
}
