/** What cannot be listed or not be watched as lines: which kinds, why, and what that means for what is shown. */
import { shownName } from '../../model/text/shown.ts';
import { sanitise } from '../../text/terminal/sanitise.ts';
import type { Span } from '../../text/terminal/style.ts';
import type { State } from '../state/state.ts';

type Lines = readonly (readonly Span[])[];

interface Named {
  readonly resource: string;
  readonly reason: string;
}

export function blindSpotLines(state: State): Lines {
  const { blindSpots = [], polled = [] } = state.cluster?.summary() ?? {};
  const mayCome = state.info?.source === 'cluster';
  const width = Math.max(...[...blindSpots, ...polled].map(({ resource }) => resource.length), 0);
  const rows = (kinds: readonly Named[]): Lines =>
    kinds.map(({ resource, reason }) => [
      { text: shownName(resource).padEnd(Math.min(width, 50) + 2), style: 'warning' },
      { text: sanitise(reason), style: 'plain' },
    ]);
  const unseen: Lines = [
    plain('Objects of these kinds are missing from the tree, and owners of these kinds are taken to exist.'),
    ...(mayCome
      ? [muted('They are tried again all the time; what can be seen again appears by itself.')]
      : []),
    [],
    ...rows(blindSpots),
  ];
  const unwatched: Lines = [
    plain('These kinds can be listed but not watched: what is shown of them may be up to a minute old.'),
    muted('Their lists are read again all the time; what can be watched is live again by itself.'),
    [],
    ...rows(polled),
  ];
  if (polled.length === 0) return unseen;
  return blindSpots.length === 0 ? unwatched : [...unseen, [], ...unwatched];
}

function plain(text: string): readonly Span[] {
  return [{ text, style: 'plain' }];
}

function muted(text: string): readonly Span[] {
  return [{ text, style: 'muted' }];
}
