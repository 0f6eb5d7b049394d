/** Lists texts to copy: commands equivalent to the row, its name and its uid. */

import { isApplicable } from '../../diagnosis/index.ts';
import { requestWords } from '../../forecast/index.ts';
import type { GraphNode } from '../../graph/index.ts';
import {
  counted,
  objectIds,
  type ShellCommand,
  type ShellCommands,
  shellLine,
  textEscapes,
  typeNames,
} from '../../model/index.ts';
import { actionCommands, type Line } from '../../text/index.ts';
import { type PickerItem, type State, withNotice } from '../state/state.ts';
import { nodeToShow } from '../views/current.ts';

/** Returns nothing that can't be copied exactly: a pasted look-alike would mean another object. */
export function copyItems(state: State): PickerItem[] {
  const node = nodeToShow(state);
  const object = node?.object;
  if (node === undefined || object === undefined) return [];
  const { type, name } = object;
  const context =
    state.info?.source === 'cluster' && state.info.context !== undefined
      ? ['--context', state.info.context]
      : [];
  const where = [...requestWords.namespaceFlag(object.namespace), ...context];
  const target = requestWords.target(typeNames.full(type), name);
  const on = (...words: readonly string[]): ShellCommand => ({
    words: ['kubectl', ...words, target, ...where],
  });
  const get = on('get');
  return [
    ...commandItem([on('gc-tree', 'why')]),
    ...remedyItems(state, node, context),
    ...commandItem([on('gc-tree', 'tree')]),
    ...commandItem([{ words: [...get.words, '-o', 'yaml'] }]),
    ...commandItem([on('describe')]),
    ...textItem(name, 'name'),
    ...textItem(objectIds.shown(object.uid), 'uid'),
  ];
}

function commandItem(commands: ShellCommands, hint = ''): PickerItem[] {
  return textItem(shellLine(commands) ?? '', hint);
}

function textItem(text: string, hint: string): PickerItem[] {
  return text !== '' && textEscapes.isShown(text) ? [{ id: text, label: text, hint }] : [];
}

/** Lists each remedy twice: for this tool, with a forecast and an undo, and for kubectl. */
function remedyItems(
  { cluster }: State,
  { object, identity }: GraphNode,
  context: readonly string[],
): PickerItem[] {
  const { problems } = cluster ?? {};
  if (cluster === undefined || object === undefined || problems?.covers(identity) !== true) return [];
  return problems.diagnostics
    .remediesOf(problems.diagnosis, object)
    .filter(isApplicable)
    .flatMap(({ id, kubectl, risk }) => [
      ...commandItem([actionCommands.ofRemedy(cluster.view.catalog, identity, id, context)], risk),
      ...commandItem(
        kubectl.map(each => ({ ...each, words: [...each.words, ...context] })),
        risk,
      ),
    ]);
}

const NO_CLIPBOARD = 'No clipboard of this terminal can be reached: mark the text and copy it yourself.';

interface CopiedText {
  readonly text: string;
  readonly how: string | undefined;
}

/** Reports the copy; without a clipboard, shows the text to copy by hand. */
export function onCopied(state: State, { text, how }: CopiedText): State {
  const count = text.split('\n').length;
  if (how !== undefined)
    return withNotice(state, `${how}: ${count > 1 ? counted(count, 'line') : text}`, 'info');
  if (state.dialog?.kind === 'text') return withNotice(state, NO_CLIPBOARD, 'warning');
  if (state.dialog !== undefined) return state;
  const lines: readonly Line[] = [[{ text, style: 'plain' }], [], [{ text: NO_CLIPBOARD, style: 'muted' }]];
  return {
    ...state,
    dialog: { kind: 'text', title: 'Copy by hand', lines, hanging: 0, top: 0, loading: false },
  };
}
