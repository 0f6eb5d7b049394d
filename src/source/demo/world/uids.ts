/** Uids of the demo's objects: they look like a cluster's, and are the same at each start. */
import type { Uid } from '../../../model/object.ts';
import { Random } from '../../../simulation/runtime/random.ts';

const shape = 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx';

/** The uid of this number; different for every number that a demo comes to. */
export function uidOf(number: number): Uid {
  const random = new Random(number);
  const digits = Array.from(shape, each => {
    if (each === 'x') return random.below(16).toString(16);
    return each === 'y' ? '89ab'.charAt(random.below(4)) : each;
  });
  // Branded here, where a simulated API server gives its objects their identity.
  return digits.join('') as Uid;
}
