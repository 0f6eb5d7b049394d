/** Names of keys: a printable character stands for itself. */

export const namedKeys = [
  'up',
  'down',
  'left',
  'right',
  'pageup',
  'pagedown',
  'home',
  'end',
  'enter',
  'escape',
  'tab',
  'backspace',
  'delete',
  'space',
  'shift-up',
  'shift-down',
  'alt-left',
  'alt-right',
] as const;

export type NamedKey = (typeof namedKeys)[number] | `ctrl-${string}`;

export type Key =
  | { readonly name: NamedKey }
  /** One printable character. */
  | { readonly text: string };

export function keyId(key: Key): string {
  return 'name' in key ? key.name : key.text;
}

export function keyOf(id: string): Key {
  return Array.from(id).length === 1 ? { text: id } : { name: id as NamedKey };
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
  backspace: 'Backspace',
  'alt-left': 'Alt-←',
  'alt-right': 'Alt-→',
  'shift-up': 'Shift-↑',
  'shift-down': 'Shift-↓',
};

const arrows = {
  up: 'Up',
  down: 'Down',
  left: 'Left',
  right: 'Right',
  'alt-left': 'Alt-Left',
  'alt-right': 'Alt-Right',
  'shift-up': 'Shift-Up',
  'shift-down': 'Shift-Down',
};
const asciiNames: typeof unicodeNames = { ...unicodeNames, ...arrows };

/** Returns the label such as `↑`, `Ctrl-C`, `enter`. */
export function keyLabel(id: string, ascii: boolean): string {
  if (id.startsWith('ctrl-')) return `Ctrl-${id.slice(5).toUpperCase()}`;
  return (ascii ? asciiNames : unicodeNames)[id] ?? id;
}

/** Returns the edited text, or undefined if the key doesn't edit. */
export function edited(query: string, key: Key): string | undefined {
  if ('text' in key) return query + key.text;
  const id = key.name;
  if (id === 'space') return `${query} `;
  if (id === 'backspace' || id === 'delete') return query.replace(/.$/su, '');
  if (id === 'ctrl-u') return '';
  if (id === 'ctrl-w') return query.replace(/\S*\s*$/u, '');
  return undefined;
}

/** Returns how far a key moves, if it does; letters don't, because in prompts they are text. */
export function movement(id: string, page: number): number | undefined {
  if (id === 'down' || id === 'ctrl-n') return 1;
  if (id === 'up' || id === 'ctrl-p') return -1;
  if (id === 'pagedown') return page;
  if (id === 'pageup') return -page;
  if (id === 'home') return Number.NEGATIVE_INFINITY;
  return id === 'end' ? Number.POSITIVE_INFINITY : undefined;
}
