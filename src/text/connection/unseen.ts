/** What could not be seen, or not followed, in words: in one place, for what stands below trees, findings and answers. */

import { type BlindSpot, NOT_IN_FILES, type PolledKind } from '../../model/exchange/changes.ts';
import { counted } from '../../model/text/titles.ts';
import { sanitise } from '../terminal/sanitise.ts';

const NAMED = 5;

/**
 * `2 kinds could not be seen: *.metrics.k8s.io (503), secrets (403)`; kinds with the same reason stand together, the
 * first few of them by name. Of kinds that files don't hold there is no more to say than that. `''` where everything was
 * seen. Sanitised.
 */
export function unseenWords(spots: readonly BlindSpot[]): string {
  const refused = spots.filter(({ reason }) => reason !== NOT_IN_FILES);
  return [
    ...(refused.length > 0
      ? [`${counted(refused.length, 'kind')} could not be seen: ${withReasons(refused)}`]
      : []),
    ...(refused.length < spots.length ? ['what is not in the files is unknown (see --closed-world)'] : []),
  ].join('; ');
}

/**
 * `1 kind cannot be watched and may be up to a minute old: secrets (403)`; `''` where every kind that is seen is watched.
 * Sanitised.
 */
export function polledWords(kinds: readonly PolledKind[]): string {
  if (kinds.length === 0) return '';
  return `${counted(kinds.length, 'kind')} cannot be watched and may be up to a minute old: ${withReasons(kinds)}`;
}

function withReasons(kinds: readonly PolledKind[]): string {
  return [...Map.groupBy(kinds, ({ reason }) => reason)]
    .map(([reason, alike]) => sanitise(`${someOf(alike.map(({ resource }) => resource))} (${reason})`))
    .join(', ');
}

function someOf(resources: readonly string[]): string {
  const rest = resources.length - NAMED;
  return rest <= 0 ? resources.join(', ') : `${resources.slice(0, NAMED).join(', ')} and ${rest} more`;
}
