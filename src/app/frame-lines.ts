/** The lines around the views: title, tabs, banner, column header and footer, as styled text. */
import { formatDuration } from '../text/age.ts';
import { asciiGlyphs, unicodeGlyphs } from '../text/glyphs.ts';
import { counted } from '../text/names.ts';
import { sanitise } from '../text/sanitise.ts';
import type { Span } from '../text/style.ts';
import { displayWidth, truncate } from '../text/width.ts';
import { commands, dialogKeys, isWorking } from './bindings.ts';
import { keyLabel } from './keys.ts';
import type { Layout } from './layout.ts';
import type { State } from './state.ts';

export type Line = readonly Span[];

function widthOf(line: Line): number {
  return line.reduce((sum, span) => sum + displayWidth(span.text), 0);
}

/** Cuts styled text to a width. */
export function fit(line: Line, width: number, ellipsis: string): Line {
  let room = width;
  const out: Span[] = [];
  for (const { text, style } of line) {
    if (room <= 0) break;
    const shown = truncate(text, room, ellipsis);
    out.push({ text: shown, style });
    if (shown !== text) break;
    room -= displayWidth(shown);
  }
  return out;
}

/** Left and right text with the space between them; the right one gives way where both don't fit. */
function justified(left: Line, right: Line, width: number, ellipsis: string): Line {
  const gap = width - widthOf(left) - widthOf(right);
  if (gap >= 2) return [...left, { text: ' '.repeat(gap), style: 'plain' }, ...right];
  return fit(left, width, ellipsis);
}

function ellipsisOf(state: State): string {
  return state.options.ascii ? asciiGlyphs.ellipsis : unicodeGlyphs.ellipsis;
}

export function titleLine(state: State): Line {
  const { info, cluster } = state;
  const arrow = state.options.ascii ? '>' : '▸';
  const left: Span[] = [{ text: ' gc-tree', style: 'title' }];
  if (info === undefined || cluster === undefined) {
    left.push({ text: '  connecting…'.replace('…', ellipsisOf(state)), style: 'muted' });
    return left;
  }
  const scope = cluster.namespace ?? 'all namespaces';
  left.push({ text: `  ${sanitise(info.context ?? info.source)}`, style: 'plain' });
  left.push({ text: ` ${arrow} `, style: 'muted' }, { text: sanitise(scope), style: 'title' });
  const { objects, kinds, listed, connection, blindSpots } = cluster.summary();
  const middle: Span[] = [];
  const count = counted(objects, 'object');
  if (connection.state === 'lost') {
    middle.push(
      { text: `${count}, as last seen  `, style: 'muted' },
      { text: 'not connected', style: 'danger' },
    );
  } else if (state.graphComplete) {
    middle.push({ text: `${count}  ${counted(kinds, 'kind')}  `, style: 'muted' });
    middle.push({ text: 'live', style: 'good' });
  } else {
    middle.push({ text: `listing ${listed} of ${counted(kinds, 'kind')}, ${count}`, style: 'info' });
  }
  if (blindSpots.length > 0) {
    const glyph = state.options.ascii ? asciiGlyphs.warning : unicodeGlyphs.warning;
    middle.push({ text: `  ${glyph} ${counted(blindSpots.length, 'kind')} unseen`, style: 'warning' });
  }
  middle.push({ text: ' ', style: 'plain' });
  return justified(left, middle, state.columns, ellipsisOf(state));
}

export function tabLine(state: State): Line {
  const right: Line = [
    { text: state.options.readOnly ? 'read-only  ' : '', style: 'warning' },
    { text: state.sort === 'name' ? '' : `sorted by ${state.sort}  `, style: 'muted' },
    { text: '/', style: 'info' },
    { text: ' search  ', style: 'muted' },
    { text: ':', style: 'info' },
    { text: ' commands  ', style: 'muted' },
    { text: '?', style: 'info' },
    { text: ' help ', style: 'muted' },
  ];
  return justified([{ text: ' Tree', style: 'title' }], right, state.columns, ellipsisOf(state));
}

/** What needs a line of its own just now; the most pressing thing wins. */
export function bannerLine(state: State): Line {
  const connection = state.cluster?.view.connection;
  const ellipsis = ellipsisOf(state);
  if (connection?.state === 'lost') {
    const since = formatDuration(Math.max(0, state.now - connection.since));
    const text = ` Connection lost ${since} ago: ${sanitise(connection.reason)}. Reconnecting; this is what was last seen.`;
    return fit([{ text, style: 'danger' }], state.columns, ellipsis);
  }
  if (state.notice !== undefined) {
    return fit([{ text: ` ${state.notice.text}`, style: state.notice.style }], state.columns, ellipsis);
  }
  if (state.opening !== undefined) {
    return fit(
      [{ text: ` Opening ${sanitise(state.opening)}${ellipsis}`, style: 'info' }],
      state.columns,
      ellipsis,
    );
  }
  if (state.filter !== undefined) {
    const text = ` Only what contains "${sanitise(state.filter)}", and its owners. Esc shows everything.`;
    return fit([{ text, style: 'info' }], state.columns, ellipsis);
  }
  return [];
}

export function footerLine(state: State, layout: Layout): Line {
  const { ascii } = state.options;
  const line: Span[] = [{ text: ' ', style: 'plain' }];
  const add = (key: string, label: string): void => {
    const next: Line = [
      { text: keyLabel(key, ascii), style: 'info' },
      { text: ` ${label}  `, style: 'muted' },
    ];
    if (widthOf(line) + widthOf(next) <= state.columns) line.push(...next);
  };
  if (state.dialog !== undefined) {
    for (const [key, label] of dialogKeys[state.dialog.kind]) add(key, label);
    return line;
  }
  // These two are always wanted, so they are counted first and written last.
  const last = commands.filter(({ id }) => id === 'help' || id === 'quit');
  const reserved = 16;
  for (const command of commands) {
    if (command.footer === undefined || last.includes(command) || !isWorking(command, state, layout))
      continue;
    const label =
      command.id === 'toggle' && state.selected?.children === undefined ? 'unfold' : command.footer;
    const width = displayWidth(keyLabel(command.keys[0] ?? '', ascii)) + label.length + 3;
    if (widthOf(line) + width + reserved <= state.columns) add(command.keys[0] ?? '', label);
  }
  for (const command of last) add(command.keys[0] ?? '', command.footer ?? '');
  return line;
}
