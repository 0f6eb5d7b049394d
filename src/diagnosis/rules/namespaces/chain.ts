/** The chain from a namespace into its content, and down to what decides there. */
import { identityOfObject } from '../../../graph/ownership-node.ts';
import type { KubeObject } from '../../../model/object.ts';
import type { ChainLink } from '../../engine/finding.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { chainOf } from '../../explain/chain.ts';

/**
 * The deciding object's own chain, led to from the container: a namespace `still contains` it, a definition
 * `still has` it. Ends with the container where nothing inside it decides.
 */
export function chainInto(
  tracked: TrackedView,
  container: KubeObject,
  deciding: KubeObject | undefined,
  because: string,
): ChainLink[] {
  const by = container.facts?.kind === 'Namespace' ? 'still contains' : 'still has';
  const first: ChainLink = {
    object: identityOfObject(container),
    by: '',
    because,
    since: container.deletionTimestamp,
  };
  if (deciding === undefined) return [first];
  const [start, ...rest] = chainOf(tracked, deciding);
  const inside: ChainLink =
    start === undefined
      ? { object: identityOfObject(deciding), by, because: 'still there' }
      : { ...start, by };
  return [first, inside, ...rest];
}
