/** Every command with its keys, words and action. Footer, help and `:` are made from it, so no listed key is dead. */

import type { ViewId } from '../settings/settings.ts';
import { keyLabel } from '../state/keys.ts';
import type { State } from '../state/state.ts';
import { views } from '../views/registry.ts';
import type { View } from '../views/view.ts';
import { actBindings } from './bindings/act-bindings.ts';
import { type Bindings, isIn, type ScreenCommand } from './bindings/binding.ts';
import { findBindings } from './bindings/find.ts';
import { goBindings } from './bindings/go-bindings.ts';
import { objectBindings } from './bindings/object-bindings.ts';
import { rowBindings } from './bindings/rows-bindings.ts';
import { paneBindings, screenBindings } from './bindings/screen-bindings.ts';
import { timeBindings } from './bindings/time.ts';
import { viewBinding } from './bindings/views-bindings.ts';

/** In the footer's order. */
const bindings = {
  ...rowBindings,
  ...actBindings,
  ...findBindings,
  ...goBindings,
  ...objectBindings,
  ...paneBindings,
};

const lastBindings = { ...screenBindings, ...timeBindings };

/** Commands that show a view are named after it, such as `podgcView`. */
export type CommandId = keyof typeof bindings | keyof typeof lastBindings | `${string}View`;

export const commands: ScreenCommand[] = [
  ...withIds(bindings),
  ...views.map(commandOfView),
  ...withIds(lastBindings),
];

function withIds(all: Bindings): ScreenCommand[] {
  return Object.entries(all).map(([id, binding]) => ({ ...binding, id }));
}

export function commandOfView(view: View): ScreenCommand {
  return { ...viewBinding(view), id: `${view.id}View` };
}

/** Returns the command even if it can't run now. */
export function commandOfKey(key: string, view: ViewId): ScreenCommand | undefined {
  return commands.find(command => command.keys.includes(key) && isIn(command, view));
}

/** Explains a key that means nothing in this view, in a sentence. */
export function strangeKey(key: string, { options }: State): string {
  const label = keyLabel(key, options.ascii);
  const [first, ...others] = commands.filter(({ keys }) => keys.includes(key)).map(placeOf);
  if (first === undefined) return `No key ${label}; ? lists them.`;
  return others.length === 0
    ? `${label} is a key of ${first.where} alone: ${first.what}.`
    : `${label} is a key of ${[first, ...others].map(({ where, what }) => `${where}: ${what}`).join('; ')}.`;
}

function placeOf(command: ScreenCommand): { readonly where: string; readonly what: string } {
  const where = views.filter(({ id }) => isIn(command, id)).map(tab => `${tab.title} (${tab.key})`);
  return { where: where.join(', '), what: command.title.slice(0, 1).toLowerCase() + command.title.slice(1) };
}
