/** Draws the title: cluster, namespace, completeness, freshness and trouble, less urgent parts only if they fit. */

import { counted, formatCount } from '../../model/index.ts';
import { type Line, type Span, timeText } from '../../text/index.ts';
import type { CommandId } from '../commands/bindings.ts';
import { fit, glyphsOf, justified, widthOf } from '../drawing/fit.ts';
import { troubleSpans } from '../drawing/heading.ts';
import { behindOf } from '../state/layout.ts';
import { asOf, type State } from '../state/state.ts';
import { views } from '../views/registry.ts';
import { troubleElsewhere, type View } from '../views/view.ts';
import { type Crumb, type CrumbDetail, type CrumbTarget, crumbSpans, crumbsOf } from './breadcrumb.ts';
import { waitingWords } from './frame.ts';

interface Part {
  readonly spans: Line;
  /** Parts with higher numbers are dropped first. */
  readonly rank: number;
}

export function titleLine(state: State): Line {
  const { left, right, gap } = titleParts(state);
  if (gap < 2) return fit(left, state.columns, glyphsOf(state).ellipsis);
  return [...left, { text: ' '.repeat(gap), style: 'plain' }, ...right];
}

export function crumbAt(state: State, column: number): CrumbTarget | undefined {
  const { crumbs } = titleParts(state);
  const between = widthOf(crumbSpans(state, crumbs)) - widthOf(crumbs.map(({ span }) => span));
  const gap = crumbs.length < 2 ? 0 : between / (crumbs.length - 1);
  let left = widthOf([product]) + BEFORE_CRUMBS;
  for (const { target, span } of crumbs) {
    const right = left + widthOf([span]);
    if (column >= left && column < right) return target;
    left = right + gap;
  }
  return undefined;
}

interface TitleParts {
  readonly crumbs: readonly Crumb[];
  readonly left: Line;
  readonly right: Line;
  /** Columns between the two; below 2, only the left one fits. */
  readonly gap: number;
}

/** Ranks up to which parts outrank all owners above the cursor, or the nearest. */
const BEFORE_OWNERS = 3;
const BEFORE_NEAREST = 2;

/** Drops less urgent parts in favour of the cursor's place. */
function titleParts(state: State): TitleParts {
  const parts = partsOf(state);
  const upTo = (most: number): Line => parts.filter(({ rank }) => rank <= most).flatMap(joined);
  const ranks = [...new Set(parts.map(({ rank }) => rank))].sort((a, b) => b - a);
  const tries: (readonly [CrumbDetail, number])[] = [
    ...ranks.filter(rank => rank > BEFORE_OWNERS).map(rank => ['all', rank] as const),
    ['all', BEFORE_OWNERS],
    ['nearest', BEFORE_OWNERS],
    ['cut', BEFORE_OWNERS],
    ['nearest', BEFORE_NEAREST],
    ['cut', BEFORE_NEAREST],
    ...ranks.map(rank => ['none', rank] as const),
    ...ranks.map(rank => ['bare', rank] as const),
  ];
  for (const [detail, rank] of tries) {
    const tried = partsWith(state, detail, upTo(rank));
    if (tried.gap >= 2) return tried;
  }
  return partsWith(state, 'bare', []);
}

function partsWith(state: State, detail: CrumbDetail, right: Line): TitleParts {
  const crumbs = crumbsOf(state, detail);
  const left = whereLine(state, crumbs);
  return { crumbs, left, right, gap: state.columns - widthOf(left) - widthOf(right) - 1 };
}

function joined({ spans }: Part, index: number): Line {
  return index === 0 ? spans : [{ text: '  ', style: 'plain' }, ...spans];
}

const product: Span = { text: ' gc-tree', style: 'title' };
const BEFORE_CRUMBS = 2;

function whereLine(state: State, crumbs: readonly Crumb[]): Line {
  if (crumbs.length > 0)
    return [product, { text: ' '.repeat(BEFORE_CRUMBS), style: 'plain' }, ...crumbSpans(state, crumbs)];
  return [product, { text: `  connecting${waitingWords(state)}${glyphsOf(state).ellipsis}`, style: 'muted' }];
}

function partsOf(state: State): Part[] {
  const { cluster } = state;
  if (cluster === undefined) return [];
  const readsRest = !state.graphComplete && cluster.scopeKnown;
  const summary = readsRest ? cluster.progress(asOf(state)) : cluster.summary();
  const { objects, kinds, listed, blindSpots, polled } = summary;
  const parts: Part[] = [];
  const add = (rank: number, text: string, style: Span['style']): void => {
    parts.push({ rank, spans: [{ text, style }] });
  };
  const { namespace } = cluster;
  // The total counts while kinds are being listed, then the scope.
  const inScope = namespace === undefined ? objects : cluster.objectsIn(namespace);
  const count = counted(state.graphComplete ? inScope : objects, 'object');
  const behind = behindOf(state);
  if (behind !== undefined) {
    add(5, `${count}, as last seen`, 'muted');
    add(1, behind.state === 'lost' ? 'not connected' : 'catching up', 'danger');
  } else if (state.graphComplete) {
    add(5, count, 'muted');
    add(6, counted(kinds, 'kind'), 'muted');
    parts.push({ rank: 3, spans: freshness(state, polled.length) });
  } else if (readsRest) add(5, `reading the rest: ${listed} of ${counted(kinds, 'kind')}, ${count}`, 'muted');
  else add(3, `listing ${listed} of ${counted(kinds, 'kind')}, ${count}`, 'info');
  const glyph = glyphsOf(state).warning;
  const here = namespace === undefined ? [] : cluster.view.blindSpots(namespace);
  if (here.length > 0) add(4, `${glyph} ${counted(here.length, 'kind')} unseen here`, 'warning');
  else if (blindSpots.length > 0) add(4, `${glyph} ${counted(blindSpots.length, 'kind')} unseen`, 'warning');
  const { problems } = cluster;
  const found = problems?.complete === true ? problems.counts() : undefined;
  if (found !== undefined && found.causes > 0 && state.view !== 'problems') {
    const { causes, held } = found;
    const hold = causes === 1 ? 'holds' : 'hold';
    add(7, `${counted(causes, 'cause')} ${hold} ${counted(held, 'object')}: 2`, 'danger');
  }
  if (found !== undefined && found.problems > 0) parts.push({ rank: 0, spans: troubleSpans(found, state) });
  const elsewhere = troubleElsewhere(state);
  if (elsewhere !== undefined) add(0, `${elsewhere}: 0`, 'danger');
  const taken = cluster.podGc?.counts();
  if (taken !== undefined && taken.due > 0) {
    const clock = state.options.ascii ? '' : '⏱ ';
    add(2, `${clock}${formatCount(taken.due)} PodGC`, taken.overdue ? 'danger' : 'warning');
  }
  return parts;
}

/** Names the source, unless it is a live cluster. */
function freshness({ info }: State, polled: number): Line {
  if (info?.source === 'demo') return [{ text: 'live demo', style: 'info' }];
  if (info?.source === 'files' || info?.source === 'replay') {
    const when = info.takenAt === undefined ? '' : ` as of ${timeText.timestamp(info.takenAt)}`;
    return [{ text: `${info.source}${when}`, style: 'info' }];
  }
  const live: Span = { text: 'live', style: 'good' };
  return polled === 0 ? [live] : [live, { text: `, ${counted(polled, 'kind')} polled`, style: 'warning' }];
}

const READ_ONLY = 'read-only  ';
const HELP_WIDTH = '  ? help '.length;

interface TabPart {
  readonly spans: Line;
  readonly command?: CommandId;
}

export function tabLine(state: State): Line {
  const { tabs, right } = tabParts(state);
  const spans = (parts: readonly TabPart[]): Line => parts.flatMap(part => part.spans);
  return justified(spans(tabs), spans(right), state.columns, glyphsOf(state).ellipsis);
}

export function tabCommandAt(state: State, column: number): CommandId | undefined {
  const { tabs, right } = tabParts(state);
  const width = right.reduce((sum, { spans }) => sum + widthOf(spans), 0);
  return commandAt(tabs, column) ?? commandAt(right, column - (state.columns - width));
}

function commandAt(parts: readonly TabPart[], column: number): CommandId | undefined {
  let left = 0;
  for (const { command, spans } of parts) {
    const end = left + widthOf(spans);
    if (column >= left && column < end) return command;
    left = end;
  }
  return undefined;
}

function tabParts(state: State): { readonly tabs: readonly TabPart[]; readonly right: readonly TabPart[] } {
  const named = (command: CommandId, key: string, label: string): TabPart => ({
    command,
    spans: [
      { text: key, style: 'info' },
      { text: ` ${label}`, style: 'muted' },
    ],
  });
  const readOnly: TabPart = { spans: [{ text: state.options.readOnly ? READ_ONLY : '', style: 'warning' }] };
  const help = named('help', '?', 'help ');
  const isSorted = state.view === 'tree' && state.tree.sort !== 'trouble';
  const sort: TabPart = {
    command: 'sort',
    spans: [{ text: isSorted ? `sorted by ${state.tree.sort}  ` : '', style: 'muted' }],
  };
  const keys: readonly TabPart[] = [named('search', '/', 'search  '), named('palette', ':', 'commands  ')];
  const tabs = shownTabs(state);
  // The footer also names the keys, but only this line shows read-only.
  const room = state.columns - tabs.reduce((sum, { spans }) => sum + widthOf(spans), 0) - 2;
  const all = [
    [readOnly, sort, ...keys, help],
    [readOnly, sort, help],
    [readOnly, help],
  ];
  const fits = (parts: readonly TabPart[]): boolean =>
    parts.reduce((sum, { spans }) => sum + widthOf(spans), 0) <= room;
  return { tabs, right: all.find(fits) ?? [readOnly] };
}

/** Shortens the last tabs to their keys if they don't fit, never the current one. */
function shownTabs(state: State): readonly TabPart[] {
  const room = state.columns - HELP_WIDTH - (state.options.readOnly ? READ_ONLY.length : 0);
  const tabs = views.map(tab => ({ id: tab.id, command: commandOf(tab), spans: tabSpans(state, tab) }));
  for (const tab of views.toReversed()) {
    const width = tabs.reduce((sum, { spans }) => sum + widthOf(spans), 0);
    if (width <= room) break;
    const at = tabs.findIndex(({ id }) => id === tab.id);
    if (tab.id !== state.view)
      tabs[at] = { id: tab.id, command: commandOf(tab), spans: [{ text: ` ${tab.key} `, style: 'muted' }] };
  }
  return tabs;
}

function commandOf({ id }: View): CommandId {
  return `${id}View`;
}

/** Puts brackets around the current view, for screens without colour and screen readers. */
function tabSpans(state: State, view: View): Line {
  const { id, key, title } = view;
  const text = `${key} ${title}${countText(state, view)}`;
  return id === state.view
    ? [{ text: `[${text}]`, style: 'title' }]
    : [{ text: ` ${text} `, style: 'muted' }];
}

/** Shows an ellipsis until the count is known, and `+` until the cluster is read. */
function countText(state: State, { count }: View): string {
  if (count === undefined) return '';
  const number = count(state);
  if (number === undefined) return ` ${glyphsOf(state).ellipsis}`;
  return ` ${formatCount(number)}${state.graphComplete ? '' : '+'}`;
}
