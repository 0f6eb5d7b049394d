/** Every command with its keys, as data. Footer, help and `:` are made from it, so no listed key is dead. */
import type { Layout } from '../state/layout.ts';
import type { State } from '../state/state.ts';
import { type ViewId, viewTabs } from '../state/views.ts';
import { actBindings } from './bindings/act.ts';
import type { Binding } from './bindings/binding.ts';
import { findBindings } from './bindings/find.ts';
import { goBindings } from './bindings/go.ts';
import { objectBindings } from './bindings/object.ts';
import { rowBindings } from './bindings/rows.ts';
import { screenBindings } from './bindings/screen.ts';
import { timeBindings } from './bindings/time.ts';
import { keyLabel } from './keys.ts';

/** In the footer's order. */
const bindings = {
  ...rowBindings,
  ...actBindings,
  ...findBindings,
  ...goBindings,
  ...objectBindings,
  ...screenBindings,
  ...timeBindings,
};

export type CommandId = keyof typeof bindings;

export interface ScreenCommand extends Binding {
  readonly id: CommandId;
}

export const commands = Object.entries<Binding>(bindings).map(
  ([id, binding]): ScreenCommand => ({ ...binding, id: id as CommandId }),
);

export function isIn(command: ScreenCommand, view: ViewId): boolean {
  return command.views?.includes(view) ?? true;
}

/** Returns the command even if it can't run now. */
export function commandOfKey(key: string, view: ViewId): ScreenCommand | undefined {
  return commands.find(command => command.keys.includes(key) && isIn(command, view));
}

export function isWorking(command: ScreenCommand, state: State, layout: Layout): boolean {
  return isIn(command, state.view) && command.idle?.(state, layout) === undefined;
}

/** Explains a key that means nothing in this view, in a sentence. */
export function strangeKey(key: string, { options }: State): string {
  const label = keyLabel(key, options.ascii);
  const command = commands.find(({ keys }) => keys.includes(key));
  if (command === undefined) return `No key ${label}; ? lists them.`;
  const where = viewTabs.filter(({ id }) => isIn(command, id)).map(tab => `${tab.title} (${tab.key})`);
  const what = command.title.slice(0, 1).toLowerCase() + command.title.slice(1);
  return `${label} is a key of ${where.join(', ')} alone: ${what}.`;
}
