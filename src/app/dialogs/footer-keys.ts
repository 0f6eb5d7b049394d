/** Keys of an open dialog, for its footer. */

import { type CommandId, commands } from '../commands/bindings.ts';
import { NOTHING_PAINTED } from '../painting/painting.ts';
import { type ActionStage, choiceNumbers } from '../state/action-dialog.ts';
import { currentPainting, currentStep } from '../state/forecast-step.ts';
import type { Dialog } from '../state/state.ts';

/** Label of each key. */
type Keys = Readonly<Record<string, string>>;

const dialogKeys: Readonly<Record<Exclude<Dialog['kind'], 'action' | 'text'>, Keys>> = {
  search: { enter: 'jump', tab: 'narrow the view', escape: 'back' },
  picker: { enter: 'choose', escape: 'back' },
  command: { enter: 'run', tab: 'complete', up: 'earlier lines', escape: 'back' },
  stepping: {
    space: 'item',
    e: 'event',
    b: 'back',
    r: 'run',
    g: 'run to',
    escape: 'close',
    t: 'task',
    down: 'scroll',
  },
};

/** Returns the key of the undo list, or its command if the user removed its keys. */
export function undoKey(): string {
  return keyOf('undo') ?? ':undo';
}

function keyOf(command: CommandId): string | undefined {
  return commands.find(({ id }) => id === command)?.keys[0];
}

/** Keys that step through the forecast, if there is one; `typing`: into a question. */
function stepKeys(dialog: Dialog, typing: boolean): Keys {
  const painting = currentPainting({ dialog });
  if (painting === undefined || painting === NOTHING_PAINTED) return {};
  const [back, on] = typing ? ['left', 'right'] : [keyOf('changeBack'), keyOf('changeOn')];
  if (back === undefined || on === undefined) return {};
  return currentStep({ dialog }) === undefined
    ? { [on]: 'step by step' }
    : { escape: 'end of the steps', [on]: 'step on', [back]: 'step back' };
}

/** `isCut`: the text of an action's dialog is longer than its panel. */
export function keysOf(dialog: Dialog, isCut = false): Keys {
  if (dialog.kind === 'stepping' && dialog.words !== undefined)
    return { enter: 'run to an object (pod/web-0), a kind or a decision (DeleteBackground)', escape: 'back' };
  if (dialog.kind === 'stepping' && dialog.working) return { r: 'pause', escape: 'close' };
  if (dialog.kind === 'text' && dialog.reading?.typing === true)
    return { enter: 'keep', escape: 'forget it' };
  if (dialog.kind === 'text') return textKeys(dialog);
  if (dialog.kind !== 'action') return dialogKeys[dialog.kind];
  const { stage, table } = dialog;
  const reads: Keys = isCut ? { J: 'scroll text' } : {};
  const scrolls: Keys = { ...reads, down: 'scroll tree' };
  const compares: Keys = table === undefined ? {} : { w: dialog.showsTable ? 'this policy' : 'compare' };
  const grace: Keys = dialog.grace === undefined ? {} : { g: 'grace period', f: 'force' };
  switch (stage.at) {
    case 'working':
      return { escape: stage.stoppable ? 'cancel' : 'stop watching' };
    case 'choosing':
      return {
        ...(stage.looksOnly === true ? {} : choosingKeys(stage)),
        [stage.as === 'row' ? 'right' : 'down']: 'next',
        escape: stage.looksOnly === true ? 'close' : 'cancel',
        ...grace,
        ...reads,
        ...compares,
        ...stepKeys(dialog, false),
        ...(stage.as === 'row' ? scrolls : {}),
      };
    case 'asking':
      return stage.word === undefined
        ? {
            escape: 'cancel',
            y: 'confirm',
            ...grace,
            ...reads,
            ...compares,
            ...stepKeys(dialog, false),
            ...scrolls,
          }
        : {
            escape: 'cancel',
            enter: 'confirm',
            ...(isCut ? { 'ctrl-f': 'scroll text' } : {}),
            ...stepKeys(dialog, true),
            down: 'scroll tree',
          };
    case 'following':
      return { escape: 'stop watching', ...scrolls };
    case 'ended':
      return { escape: 'close', ...(stage.undoable === true ? { [undoKey()]: 'undo' } : {}), ...scrolls };
  }
}

/** Numbers select an entry, as long as Enter has none to take. */
function choosingKeys(stage: Extract<ActionStage, { at: 'choosing' }>): Keys {
  const current = stage.choices[stage.cursor];
  if (current !== undefined && current.refused !== true) return { enter: 'choose' };
  const last = Math.min(9, choiceNumbers(stage).findLast(number => number !== undefined) ?? 0);
  return last === 0 ? {} : { [last === 1 ? '1' : `1-${last}`]: 'select' };
}

function textKeys({ yaml, reading }: Extract<Dialog, { kind: 'text' }>): Keys {
  const finds: Keys = (reading?.words ?? '') === '' ? { '/': 'find' } : { n: 'next', N: 'previous' };
  const parts: Keys = yaml === true ? { f: 'finalizers', o: 'owners', s: 'status', m: 'managed fields' } : {};
  // Escape comes early, so that even the smallest screen names it.
  return { down: 'scroll', ...finds, escape: 'back', ...parts, c: 'copy', w: 'export' };
}
