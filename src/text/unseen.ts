/** What could not be seen, in words: in one place, for what stands below trees, findings and answers. */
import type { BlindSpot } from '../model/changes.ts';
import { counted } from './names.ts';
import { sanitise } from './sanitise.ts';

const NAMED = 5;

/**
 * `2 kinds could not be seen: *.metrics.k8s.io (503), secrets (403)`; kinds with the same reason stand together, the
 * first few of them by name. `''` where everything was seen. Sanitised.
 */
export function unseenWords(spots: readonly BlindSpot[]): string {
  if (spots.length === 0) return '';
  const groups = [...Map.groupBy(spots, ({ reason }) => reason)].map(([reason, alike]) =>
    sanitise(`${someOf(alike.map(({ resource }) => resource))} (${reason})`),
  );
  return `${counted(spots.length, 'kind')} could not be seen: ${groups.join(', ')}`;
}

function someOf(resources: readonly string[]): string {
  const rest = resources.length - NAMED;
  return rest <= 0 ? resources.join(', ') : `${resources.slice(0, NAMED).join(', ')} and ${rest} more`;
}
