/** The blind spots as lines: what can't be listed, why, and what that means for what is shown. */

import { shownName } from '../model/shown.ts';
import { sanitise } from '../text/sanitise.ts';
import type { Span } from '../text/style.ts';
import type { State } from './state.ts';

type Lines = readonly (readonly Span[])[];

export function blindSpotLines(state: State): Lines {
  const spots = state.cluster?.summary().blindSpots ?? [];
  const mayCome = state.info?.source === 'cluster';
  const width = Math.max(...spots.map(spot => spot.resource.length), 0);
  return [
    [
      {
        text: 'Objects of these kinds are missing from the tree, and owners of these kinds are taken to exist.',
        style: 'plain',
      },
    ],
    ...(mayCome
      ? [
          [
            {
              text: 'They are tried again all the time; what can be seen again appears by itself.',
              style: 'muted' as const,
            },
          ],
        ]
      : []),
    [],
    ...spots.map(({ resource, reason }): readonly Span[] => [
      { text: shownName(resource).padEnd(Math.min(width, 50) + 2), style: 'warning' },
      { text: sanitise(reason), style: 'plain' },
    ]),
  ];
}
