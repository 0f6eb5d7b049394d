/** Lists completions of a `:` line, the best first: commands, arguments and kinds. */

import { closestWords } from '../../../model/text/fuzzy.ts';
import { prose } from '../../../model/text/shown.ts';
import { ownCommands, ownIdle } from '../../kubectl/own.ts';
import { fittingItems } from '../../search/index.ts';
import type { UserCommand } from '../../settings/settings.ts';
import { layoutOf } from '../../state/layout.ts';
import type { PickerItem, State } from '../../state/state.ts';
import { commands, isIn, type ScreenCommand } from '../bindings.ts';
import { keyLabel } from '../keys.ts';
import { argumentItems } from './arguments.ts';
import { closestKinds, kindItem, kindItems, kindOf, nameItems } from './kinds.ts';
import { arguedOf, ownWords, withArguments, wordsOf } from './words.ts';

/** Lists completions; `id` is the line to run, and Tab's completion. */
export function lineItems(state: State, query: string): readonly PickerItem[] {
  const line = query.trimStart();
  const gap = line.search(/\s/u);
  if (gap < 0) return firstWords(state, line.toLowerCase());
  const head = line.slice(0, gap).toLowerCase();
  const rest = line.slice(gap).trim();
  const argued = arguedOf(head);
  if (argued !== undefined) return argumentItems(state, argued, head, rest);
  const kind = kindOf(state, head);
  if (kind !== undefined) {
    const typed = kindItem(kind, head, rest);
    return [typed, ...nameItems(state, kind, head, rest).filter(({ id }) => id !== typed.id)];
  }
  return likeTitles(commandItems(state), line);
}

/** Items whose word or title has the words, or similar ones. */
function likeTitles(items: readonly PickerItem[], words: string): readonly PickerItem[] {
  const titled = items.map(each => ({ label: `${each.label} ${each.hint}`, each }));
  return fittingItems(titled, words).map(({ each }) => each);
}

function firstWords(state: State, word: string): readonly PickerItem[] {
  const all = commandItems(state);
  if (word === '') return all;
  const named = new Map(commands.map(({ id }) => [wordsOf(id)[0], wordsOf(id)]));
  const wordsOfItem = ({ id }: PickerItem): readonly string[] => named.get(id) ?? [id];
  const exact = all.filter(item => wordsOfItem(item).includes(word));
  const begins = all.filter(item => wordsOfItem(item).some(each => each.startsWith(word)));
  const found = [...exact, ...begins, ...kindItems(state, word), ...likeTitles(all, word)];
  if (found.length > 0) return [...new Set(found)];
  const near = new Set(
    closestWords(
      word,
      all.map(({ id }) => id),
    ),
  );
  return [...all.filter(({ id }) => near.has(id)), ...closestKinds(state, word)];
}

/** Lists working commands with their keys, or the reason for a refusal. */
function commandItems(state: State): readonly PickerItem[] {
  const layout = layoutOf(state);
  const named = (word: string, hint: string): PickerItem => item(word, hint, state.options.ascii);
  const keyed = commands
    .filter(command => command.palette !== false && isIn(command, state.view))
    .filter(command => command.idle?.(state, layout) === undefined)
    .map(command => named(wordsOf(command.id)[0] ?? command.id, hintOf(command, state)));
  const own = ownCommands(state).map(command => named(command.name, ownHint(command, state)));
  return [...keyed, ...own, ...Object.entries(ownWords).map(([word, hint]) => named(word, hint))];
}

function ownHint(command: UserCommand, state: State): string {
  const line = prose(`kubectl ${command.kubectl.join(' ')}  ${command.key ?? ''}`).trim();
  const idle = ownIdle(command, state);
  return idle === undefined ? line : `${line}  ${idle}`;
}

function item(word: string, hint: string, ascii: boolean): PickerItem {
  const isArgued = withArguments.some(each => each === word);
  return { id: word, label: isArgued ? `${word} ${ascii ? '...' : '…'}` : word, hint };
}

function hintOf({ title, keys, refused }: ScreenCommand, state: State): string {
  const key = `${title}  ${keyLabel(keys[0] ?? '', state.options.ascii)}`;
  const refusal = refused?.(state);
  return refusal === undefined ? key : `${key}  not permitted: ${refusal}`;
}

export function unknownLine(state: State, line: string): string {
  const [word = '', ...more] = line.trim().split(/\s+/u);
  if (more.length > 0 && arguedOf(word.toLowerCase()) !== undefined)
    return `Nothing fits "${more.join(' ')}". Backspace lists what does.`;
  const own = ownCommands(state).map(({ name }) => name);
  const all = commands.flatMap(({ id }) => wordsOf(id)).concat(own, Object.keys(ownWords));
  const found = state.cluster?.view.catalog.resolveWord(word);
  const kinds = found === undefined || found.known ? [] : found.suggestions;
  const near = [...closestWords(word.toLowerCase(), all), ...kinds].slice(0, 3);
  const hint =
    near.length === 0 ? 'Backspace empties the line, which lists all.' : `Did you mean ${near.join(', ')}?`;
  return `No command or kind "${word}". ${hint}`;
}
