/** Draws banner and footer. */

import { counted, showHidden } from '../../model/index.ts';
import { connectionWords, displayWidth, type Line, truncated } from '../../text/index.ts';
import type { TreeFilter } from '../cluster/model.ts';
import type { ScreenCommand } from '../commands/bindings/binding.ts';
import { isWorking } from '../commands/bindings/binding.ts';
import { type CommandId, commands } from '../commands/bindings.ts';
import { actionView } from '../dialogs/action-panel.ts';
import { keysOf } from '../dialogs/footer-keys.ts';
import { fit, glyphsOf, widthOf } from '../drawing/fit.ts';
import { keyLabel } from '../state/keys.ts';
import { behindOf, isInDetails, type Layout } from '../state/layout.ts';
import type { State } from '../state/state.ts';
import { listState } from '../state/state.ts';
import { currentNode, currentRow, currentUid } from '../views/current.ts';
import { viewOf } from '../views/registry.ts';
import { troubleElsewhere } from '../views/view.ts';

export function bannerLine(state: State): Line {
  return fit(bannerOf(state), state.columns, glyphsOf(state).ellipsis);
}

function bannerOf(state: State): Line {
  // A notice answers a key and soon disappears.
  if (state.notice !== undefined) {
    const { text, style } = state.notice;
    return [{ text: ` ${truncated.sentence(text, state.columns - 2, glyphsOf(state).ellipsis)}`, style }];
  }
  const unfollowed = unfollowedSentence(state);
  if (unfollowed !== '') return [{ text: ` ${unfollowed}`, style: 'danger' }];
  const pausing = state.cluster?.view.pausing;
  if (pausing !== undefined)
    return [{ text: ` Waiting: ${connectionWords.pausing(pausing, state.now)}.`, style: 'warning' }];
  if (state.opening !== undefined) {
    const text = ` Opening ${showHidden(state.opening)}${waitingWords(state)}${glyphsOf(state).ellipsis}`;
    return [{ text, style: 'info' }];
  }
  const marked = state.marks.size;
  if (marked > 0) {
    const on = `${counted(marked, 'object')} marked`;
    const open = state.range?.by === 'open';
    const text = open
      ? ` ${on}: move to mark further rows. v ends it, Esc cancels it.`
      : ` ${on}: d, o, u, p act on ${marked === 1 ? 'it' : 'them'}. M clears.`;
    return [{ text, style: 'info' }];
  }
  const narrowed = filterSentence(state);
  if (narrowed === '') return [];
  const all = state.view === 'tree' ? 'Esc shows everything.' : 'Esc shows all.';
  return [{ text: ` ${narrowed} ${all}`, style: 'info' }];
}

/** Returns an addition such as `, waiting for the exec plugin aws of user "prod"`. */
export function waitingWords({ waitingFor }: State): string {
  return waitingFor === undefined ? '' : `, waiting for ${showHidden(waitingFor)}`;
}

/** Returns the key's label for the row under the cursor. */
function labelOf({ id }: ScreenCommand, footer: string, state: State): string {
  const row = currentRow(state);
  const folded = row?.kind === 'group' && row.folded;
  if (id === 'clear' && isInDetails(state)) return 'back';
  if (id === 'open' && isInDetails(state)) return 'follow';
  if (id === 'open' && state.view === 'tree') return openLabel(state);
  if (id === 'open' && row && viewOf(state).list?.leadsTo?.(row) !== undefined) return footer;
  if (id === 'open' && currentUid(state) !== undefined)
    return (currentNode(state) === undefined ? viewOf(state).list?.gone?.label : undefined) ?? 'show in tree';
  if (id === 'open') return row?.kind !== 'group' ? 'show in tree' : folded ? 'unfold' : 'fold';
  if (id === 'allNamespaces') return troubleElsewhere(state) ?? footer;
  if (id === 'play' && state.replay.playing) return 'pause';
  if (id === 'grouping' && listState(state, state.view).byCode === true) return 'by cause';
  return id === 'onlyProblems' && state.tree.filter?.kind === 'problems' ? 'show all' : footer;
}

function openLabel({ tree: { selected }, cluster }: State): string {
  if (selected === undefined || cluster?.rows.canExpand(selected) !== true) return 'details';
  return selected.children === undefined ? 'unfold' : 'fold';
}

/** Explains why the cluster isn't followed, and since when; `''` if it is. */
export function unfollowedSentence(state: State): string {
  const behind = behindOf(state);
  return behind === undefined ? '' : connectionWords.behind(behind, state.now);
}

export function filterSentence(state: State): string {
  const { list } = viewOf(state);
  if (list === undefined) return state.tree.filter === undefined ? '' : treeFilterSentence(state.tree.filter);
  const { filter, only } = listState(state, state.view);
  if (filter === '') return only === undefined ? '' : `Only ${list.noun} of these kinds: ${only.title}.`;
  const kinds = only === undefined ? '' : `, of these kinds: ${only.title}`;
  return `Only ${list.noun} that contain "${showHidden(filter)}"${kinds}.`;
}

function treeFilterSentence(filter: TreeFilter): string {
  switch (filter.kind) {
    case 'words': {
      const how = filter.loose === true ? 'is like' : 'contains';
      return `Only what ${how} "${showHidden(filter.words)}", and its owners.`;
    }
    case 'problems':
      return 'Only objects with problems, and their owners.';
    case 'targets':
      return `Only ${showHidden(filter.title)} and their owners.`;
  }
}

interface FooterKey {
  readonly key: string;
  readonly spans: Line;
}

export function footerLine(state: State, layout: Layout): Line {
  return [{ text: ' ', style: 'plain' }, ...footerKeys(state, layout).flatMap(({ spans }) => spans)];
}

export function footerKeyAt(state: State, layout: Layout, column: number): string | undefined {
  let left = 1;
  for (const { key, spans } of footerKeys(state, layout)) {
    const text = spans.map(span => span.text).join('');
    if (column >= left && column < left + displayWidth(text.trimEnd())) return key;
    left += displayWidth(text);
  }
  return undefined;
}

/** Chooses keys that fit: the row's likeliest first, help and quit always. */
function footerKeys(state: State, layout: Layout): readonly FooterKey[] {
  const { ascii } = state.options;
  const keys: FooterKey[] = [];
  let used = 1;
  const add = (part: FooterKey, reserved = 0): void => {
    const width = widthOf(part.spans);
    if (used + width + reserved > state.columns) return;
    keys.push(part);
    used += width;
  };
  const { dialog } = state;
  if (dialog !== undefined) {
    const isCut = dialog.kind === 'action' && actionView(state, dialog).status !== '';
    for (const [key, label] of Object.entries(keysOf(dialog, isCut))) add(footerKey(key, label, ascii));
    return keys;
  }
  for (const command of inFooter(state, layout)) {
    const label = labelOf(command, command.footer ?? '', state);
    const refused = command.refused?.(state) !== undefined;
    add(footerKey(command.keys[0] ?? '', label, ascii, refused), LAST_WIDTH);
  }
  for (const {
    keys: [key = ''],
    footer = '',
  } of last)
    add(footerKey(key, footer, ascii));
  return keys;
}

/** Help and quit: counted first, drawn last. */
const last = commands.filter(({ id }) => id === 'help' || id === 'quit');

/** In the details, the way back precedes keys for rows. */
const firstInDetails: readonly CommandId[] = ['open', 'clear', 'yaml'];
const firstInList: readonly CommandId[] = [
  'allNamespaces',
  'open',
  'unblock',
  'delete',
  'plan',
  'mark',
  'search',
  'grouping',
];

function inFooter(state: State, layout: Layout): readonly ScreenCommand[] {
  const isNamed = ({ id, footer }: ScreenCommand): boolean =>
    footer !== undefined && (id !== 'allNamespaces' || troubleElsewhere(state) !== undefined);
  const ids = [...(isInDetails(state) ? firstInDetails : []), ...firstInList];
  const first = ids.flatMap(id => commands.find(each => each.id === id) ?? []);
  return [...new Set([...first, ...commands])].filter(
    command => !last.includes(command) && isNamed(command) && isWorking(command, state, layout),
  );
}

const LAST_WIDTH = '? help  q quit  '.length;

/** Draws a refused key grey, and in parentheses for screens without grey. */
function footerKey(key: string, label: string, ascii: boolean, refused = false): FooterKey {
  const shown = keyLabel(key, ascii);
  if (refused) return { key, spans: [{ text: `(${shown} ${label})  `, style: 'muted' }] };
  return {
    key,
    spans: [
      { text: shown, style: 'info' },
      { text: ` ${label}  `, style: 'muted' },
    ],
  };
}
