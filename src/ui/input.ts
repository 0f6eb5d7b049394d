/** Ink's input events as keys. Several keys that arrive in one read come as one event. */
import type { Key as InkKey } from 'ink';
import type { Key, NamedKey } from '../app/commands/keys.ts';

const named: readonly (readonly [keyof InkKey, NamedKey])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pageup'],
  ['pageDown', 'pagedown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['tab', 'tab'],
  ['backspace', 'backspace'],
  ['delete', 'delete'],
];

export function parseKeys(input: string, key: InkKey): Key[] {
  for (const [flag, name] of named) if (key[flag] === true) return [{ name }];
  if (key.ctrl) return Array.from(input, letter => ({ name: `ctrl-${letter}` }));
  // Alt with a letter is nothing that anybody bound; typing the letter would be a surprise.
  if (key.meta) return [];
  return Array.from(input, characterKey).flat();
}

function characterKey(character: string): Key[] {
  switch (character) {
    case ' ':
      return [{ name: 'space' }];
    case '\r':
    case '\n':
      return [{ name: 'enter' }];
    case '\t':
      return [{ name: 'tab' }];
    case '\u001B':
      return [{ name: 'escape' }];
    case '\u007F':
    case '\b':
      return [{ name: 'backspace' }];
    default: {
      const code = character.codePointAt(0) ?? 0;
      if (code < 0x20) return [{ name: `ctrl-${String.fromCodePoint(code + 0x60)}` }];
      return [{ text: character }];
    }
  }
}
