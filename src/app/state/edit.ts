/** Editing the one line of a prompt, the same wherever something is typed. */
import { type Key, keyId, typedText } from '../commands/keys.ts';

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
