/** Users' own keys for commands, in place of the default ones. */

import type { ScreenCommand } from '../commands/bindings/binding.ts';
import { isIn } from '../commands/bindings/binding.ts';
import { commands } from '../commands/bindings.ts';
import type { Settings, SettingsFault } from '../settings/settings.ts';
import { namedKeys } from '../state/keys.ts';
import { views } from '../views/registry.ts';

/** Always leaves the program, so it can't be reassigned. */
const FIXED = 'ctrl-c';

/** Lists faults: unknown commands or keys, and keys used twice in a view. */
export function keyFaults({ keys = {}, commands: own = [] }: Settings): readonly SettingsFault[] {
  const faults: SettingsFault[] = [];
  const chosen: { readonly key: string; readonly of: ScreenCommand | undefined; readonly what: string }[] =
    [];
  /** `of`: undefined for a user's own command, which is in every view. */
  const choose = (key: string, of: ScreenCommand | undefined, what: string, path: SettingsFault[0]): void => {
    if (!isKey(key)) faults.push([path, `${key} is no key: write x, X, ctrl-x, or one of ${names}`]);
    else if (key === FIXED) faults.push([path, `${key} quits from anywhere, and nothing else`]);
    const other = chosen.find(each => each.key === key && meet(each.of, of));
    if (other !== undefined) faults.push([path, `${key} is both ${other.what} and ${what}`]);
    chosen.push({ key, of, what });
  };
  for (const [id, value] of Object.entries(keys)) {
    const command = commands.find(each => each.id === id);
    if (command === undefined) {
      const ids = commands.map(each => each.id).join(', ');
      faults.push([['keys', id], `${id} is no command; those are ${ids}`]);
    } else for (const key of [value].flat()) choose(key, command, id, ['keys', id]);
  }
  for (const [index, { name, key }] of own.entries())
    if (key !== undefined) choose(key, undefined, name, ['commands', index, 'key']);
  return faults;
}

const names = namedKeys.join(', ');

function isKey(key: string): boolean {
  return namedKeys.some(name => name === key) || /^ctrl-[a-z]$/u.test(key) || /^[^\s\p{C}]$/u.test(key);
}

function meet(one: ScreenCommand | undefined, other: ScreenCommand | undefined): boolean {
  return views.some(
    ({ id }) => (one === undefined || isIn(one, id)) && (other === undefined || isIn(other, id)),
  );
}

export function useOwnKeys(settings: Settings): void {
  commands.splice(0, commands.length, ...withOwnKeys(settings));
}

/**
 * Returns commands with the user's keys. A chosen key is taken from other commands of the same views; a command without
 * keys is run with `:`.
 */
export function withOwnKeys({ keys = {}, commands: own = [] }: Settings): readonly ScreenCommand[] {
  const given = new Map(Object.entries(keys).map(([id, value]) => [id, [value].flat()]));
  const taken = (key: string, from: ScreenCommand): boolean =>
    key !== FIXED &&
    (own.some(each => each.key === key) ||
      commands.some(each => given.get(each.id)?.includes(key) === true && meet(each, from)));
  return commands.map(command => ({
    ...command,
    keys: given.get(command.id) ?? command.keys.filter(key => !taken(key, command)),
  }));
}
