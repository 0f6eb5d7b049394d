/**
 * The first line: which cluster and namespace, how much is known of it and how fresh that is, and how much is wrong.
 * Where it is narrow the less pressing gives way.
 */

import { shownName } from '../../model/text/shown.ts';
import { counted, formatCount } from '../../model/text/titles.ts';
import { severityStyle } from '../../text/diagnosis/finding.ts';
import { formatTimestamp } from '../../text/terminal/age.ts';
import { asciiGlyphs, unicodeGlyphs } from '../../text/terminal/glyphs.ts';
import type { Line, Span } from '../../text/terminal/style.ts';
import { behindOf } from '../state/layout.ts';
import { type State, type ViewId, type ViewTab, viewTabs } from '../state/state.ts';
import { ellipsisOf, fit, justified, waitingWords, widthOf } from './frame.ts';

/** What the right side says, each part shown as long as there is room, the most pressing ones longest. */
interface Part {
  readonly spans: Line;
  /** Parts with higher numbers give way first. */
  readonly rank: number;
}

export function titleLine(state: State): Line {
  const left = whereLine(state);
  const ellipsis = ellipsisOf(state);
  const parts = partsOf(state);
  for (let shown = parts.length; shown > 0; shown--) {
    const ranks = parts.map(({ rank }) => rank).sort((a, b) => a - b);
    const limit = ranks[shown - 1] ?? 0;
    const right = parts.filter(({ rank }) => rank <= limit).flatMap(joined);
    const gap = state.columns - widthOf(left) - widthOf(right) - 1;
    if (gap >= 2) return [...left, { text: ' '.repeat(gap), style: 'plain' }, ...right];
  }
  return fit(left, state.columns, ellipsis);
}

function joined({ spans }: Part, index: number): Line {
  return index === 0 ? spans : [{ text: '  ', style: 'plain' }, ...spans];
}

function whereLine(state: State): Line {
  const { info, cluster } = state;
  const left: Span[] = [{ text: ' gc-tree', style: 'title' }];
  if (info === undefined || cluster === undefined) {
    left.push({ text: `  connecting${waitingWords(state)}${ellipsisOf(state)}`, style: 'muted' });
    return left;
  }
  left.push({ text: `  ${shownName(info.context ?? info.source)}`, style: 'plain' });
  left.push({ text: state.options.ascii ? ' > ' : ' ▸ ', style: 'muted' });
  left.push({ text: shownName(cluster.namespace ?? 'all namespaces'), style: 'title' });
  return left;
}

function partsOf(state: State): Part[] {
  const { cluster } = state;
  if (cluster === undefined) return [];
  const { objects, kinds, listed, blindSpots, polled } = cluster.summary();
  const parts: Part[] = [];
  const add = (rank: number, text: string, style: Span['style']): void => {
    parts.push({ rank, spans: [{ text, style }] });
  };
  const count = counted(objects, 'object');
  const behind = behindOf(state);
  if (behind !== undefined) {
    add(5, `${count}, as last seen`, 'muted');
    add(1, behind.state === 'lost' ? 'not connected' : 'catching up', 'danger');
  } else if (state.graphComplete) {
    add(5, count, 'muted');
    add(6, counted(kinds, 'kind'), 'muted');
    parts.push({ rank: 3, spans: freshness(state, polled.length) });
  } else add(3, `listing ${listed} of ${counted(kinds, 'kind')}, ${count}`, 'info');
  const glyph = state.options.ascii ? asciiGlyphs.warning : unicodeGlyphs.warning;
  if (blindSpots.length > 0) add(4, `${glyph} ${counted(blindSpots.length, 'kind')} unseen`, 'warning');
  const { problems } = cluster;
  const found = problems?.complete === true ? problems.counts() : undefined;
  if (found !== undefined && found.problems > 0)
    add(0, `${glyph} ${counted(found.problems, 'problem')}`, severityStyle(found.worst ?? 'warning'));
  const taken = cluster.podGc?.counts();
  if (taken !== undefined && taken.due > 0) {
    const clock = state.options.ascii ? '' : '⏱ ';
    add(2, `${clock}${formatCount(taken.due)} PodGC`, taken.overdue ? 'danger' : 'warning');
  }
  return parts;
}

/** Only a cluster is live; everything else says what it is. */
function freshness({ info }: State, polled: number): Line {
  switch (info?.source) {
    case 'files': {
      const { takenAt } = info;
      const when = takenAt === undefined ? '' : ` as of ${formatTimestamp(takenAt)}`;
      return [{ text: `files${when}`, style: 'info' }];
    }
    case 'demo':
      return [{ text: 'live demo', style: 'info' }];
    case 'cluster':
    case undefined:
      return [
        { text: 'live', style: 'good' },
        ...(polled > 0 ? [{ text: `, ${counted(polled, 'kind')} polled`, style: 'warning' as const }] : []),
      ];
  }
}

export function tabLine(state: State): Line {
  const readOnly: Line = [{ text: state.options.readOnly ? 'read-only  ' : '', style: 'warning' }];
  const help: Line = [
    { text: '?', style: 'info' },
    { text: ' help ', style: 'muted' },
  ];
  const keys: Line = [
    { text: state.sort === 'name' ? '' : `sorted by ${state.sort}  `, style: 'muted' },
    { text: '/', style: 'info' },
    { text: state.view === 'tree' ? ' search  ' : ' filter  ', style: 'muted' },
    { text: ':', style: 'info' },
    { text: ' commands  ', style: 'muted' },
  ];
  const tabs = viewTabs.flatMap(tab => tabSpans(state, tab));
  // The footer names the keys as well; that nothing can be changed stands here alone.
  const room = state.columns - widthOf(tabs) - 2;
  const all = [...readOnly, ...keys, ...help];
  const right = [all, [...readOnly, ...help]].find(line => widthOf(line) <= room) ?? readOnly;
  return justified(tabs, right, state.columns, ellipsisOf(state));
}

/** The tab at a column of the second line. */
export function tabAt(state: State, column: number): ViewId | undefined {
  let left = 0;
  for (const tab of viewTabs) {
    left += widthOf(tabSpans(state, tab));
    if (column < left) return tab.id;
  }
  return undefined;
}

/** The view that is shown has brackets, so that it is told without colour and aloud. */
function tabSpans(state: State, { id, key, title }: ViewTab): Line {
  const text = `${key} ${title}${countOf(state, id)}`;
  return id === state.view
    ? [{ text: `[${text}]`, style: 'title' }]
    : [{ text: ` ${text} `, style: 'muted' }];
}

/** Until everything was looked at, that it goes on. */
function countOf(state: State, id: ViewId): string {
  if (id === 'tree') return '';
  const { problems, podGc } = state.cluster ?? {};
  const found = problems?.complete === true ? problems.counts().problems : undefined;
  const count = id === 'problems' ? found : podGc?.counts().due;
  return ` ${count === undefined ? ellipsisOf(state) : formatCount(count)}`;
}
