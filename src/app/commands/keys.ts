/**
 * Keys as the bindings name them: a printable character stands for itself, others have a word. Apart from the
 * terminal's byte sequences, so that bindings and tests read as a person would say them.
 */

export type NamedKey =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'pageup'
  | 'pagedown'
  | 'home'
  | 'end'
  | 'enter'
  | 'escape'
  | 'tab'
  | 'backspace'
  | 'delete'
  | 'space'
  | `ctrl-${string}`;

export type Key =
  | { readonly name: NamedKey }
  /** One printable character. */
  | { readonly text: string };

export function keyId(key: Key): string {
  return 'name' in key ? key.name : key.text;
}

/** The character that a key types into a prompt, if any. */
function typedText(key: Key): string | undefined {
  if ('text' in key) return key.text;
  return key.name === 'space' ? ' ' : undefined;
}

const unicodeNames: Readonly<Record<string, string>> = {
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  pageup: 'PgUp',
  pagedown: 'PgDn',
  home: 'Home',
  end: 'End',
  escape: 'Esc',
  delete: 'Del',
};

const asciiNames: Readonly<Record<string, string>> = {
  ...unicodeNames,
  up: 'Up',
  down: 'Down',
  left: 'Left',
  right: 'Right',
};

/** A key's name in the footer and the help: `↑`, `Ctrl-C`, `enter`. */
export function keyLabel(id: string, ascii: boolean): string {
  if (id.startsWith('ctrl-')) return `Ctrl-${id.slice(5).toUpperCase()}`;
  return (ascii ? asciiNames : unicodeNames)[id] ?? id;
}

/** The prompt's text after a key, or undefined where the key doesn't edit. */
export function edited(query: string, key: Key): string | undefined {
  const typed = typedText(key);
  if (typed !== undefined) return query + typed;
  const id = keyId(key);
  if (id === 'backspace' || id === 'delete') return query.replace(/.$/su, '');
  if (id === 'ctrl-u') return '';
  if (id === 'ctrl-w') return query.replace(/\S*\s*$/u, '');
  return undefined;
}

/** How far a key moves in a list, if it does. In prompts letters are text, so only the named keys move. */
export function movement(id: string, page: number): number | undefined {
  switch (id) {
    case 'down':
    case 'ctrl-n':
      return 1;
    case 'up':
    case 'ctrl-p':
      return -1;
    case 'pagedown':
      return page;
    case 'pageup':
      return -page;
    case 'home':
      return Number.NEGATIVE_INFINITY;
    case 'end':
      return Number.POSITIVE_INFINITY;
    default:
      return undefined;
  }
}
