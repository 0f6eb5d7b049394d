/** Lists completions of a `:` line, the best first: commands, arguments and kinds. */

import { ownEntry, prose, SimilarWord } from '../../../model/index.ts';
import { ownCommands, ownIdle } from '../../kubectl/own.ts';
import { fittingItems } from '../../search/node-index.ts';
import type { UserCommand } from '../../settings/settings.ts';
import { keyLabel } from '../../state/keys.ts';
import { layoutOf } from '../../state/layout.ts';
import type { PickerItem, State } from '../../state/state.ts';
import { isIn, type ScreenCommand, wordsOf } from '../bindings/binding.ts';
import { argumentItems } from './arguments.ts';
import { closestKinds, kindItem, kindItems, kindOf, nameItems } from './kinds.ts';
import { arguedOf, kubectlWords, ownWords, withArguments } from './line-words.ts';

/** Lists completions; `id` is the line to run, and Tab's completion. */
export function lineItems(
  state: State,
  query: string,
  commands: readonly ScreenCommand[],
): readonly PickerItem[] {
  const line = query.trimStart();
  const gap = line.search(/\s/u);
  if (gap < 0) return firstWords(state, line.toLowerCase(), commands);
  const head = line.slice(0, gap).toLowerCase();
  const rest = line.slice(gap).trim();
  const argued = arguedOf(head);
  if (argued !== undefined) return argumentItems(state, argued, head, rest);
  const kind = kindOf(state, head);
  if (kind !== undefined) {
    const typed = kindItem(kind, head, rest);
    return [typed, ...nameItems(state, kind, head, rest).filter(({ id }) => id !== typed.id)];
  }
  return likeTitles(commandItems(state, commands), line);
}

/** Returns the place of the entry that the line names, wholly or as the only one that begins so, or -1. */
export function namedEntry(
  items: readonly PickerItem[],
  query: string,
  commands: readonly ScreenCommand[],
): number {
  const line = query.trim().replaceAll(/\s+/gu, ' ');
  const word = line.toLowerCase();
  const named = items.findIndex(({ id }) => id === line || id === word || id === `${line}/`);
  if (named >= 0 || word === '') return named;
  if (word.includes(' ')) {
    const begun = items.filter(({ id }) => id.startsWith(line));
    return begun.length === 1 ? items.findIndex(item => item === begun[0]) : -1;
  }
  const command = commands.find(each => wordsOf(each).includes(word));
  return command === undefined ? -1 : items.findIndex(({ id }) => id === wordsOf(command)[0]);
}

/** Items whose word or title has the words, or similar ones. */
function likeTitles(items: readonly PickerItem[], words: string): readonly PickerItem[] {
  const titled = items.map(each => ({ label: `${each.label} ${each.hint}`, each }));
  return fittingItems(titled, words).map(({ each }) => each);
}

function firstWords(state: State, word: string, commands: readonly ScreenCommand[]): readonly PickerItem[] {
  const all = commandItems(state, commands);
  if (word === '') return all;
  const named = new Map(commands.map(command => [wordsOf(command)[0], wordsOf(command)]));
  const wordsOfItem = ({ id }: PickerItem): readonly string[] => named.get(id) ?? [id];
  const exact = all.filter(item => wordsOfItem(item).includes(word));
  const begins = all.filter(item => wordsOfItem(item).some(each => each.startsWith(word)));
  const kinds = kindItems(state, word);
  const exactKinds = kinds.filter(({ id }) => id === word);
  const found = [...exact, ...exactKinds, ...begins, ...kinds, ...likeTitles(all, word)];
  if (found.length > 0) return [...new Set(found)];
  const near = new Set(
    SimilarWord.closest(
      word,
      all.map(({ id }) => id),
    ),
  );
  return [...all.filter(({ id }) => near.has(id)), ...closestKinds(state, word)];
}

/** Lists working commands with their keys, or the reason for a refusal. */
function commandItems(state: State, commands: readonly ScreenCommand[]): readonly PickerItem[] {
  const layout = layoutOf(state);
  const named = (word: string, hint: string): PickerItem => item(word, hint, state.options.ascii);
  const keyed = commands
    .filter(command => command.palette !== false && isIn(command, state.view))
    .filter(command => command.idle?.(state, layout) === undefined)
    .map(command => named(wordsOf(command)[0] ?? command.id, hintOf(command, state)));
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

export function unknownLine(state: State, line: string, commands: readonly ScreenCommand[]): string {
  const [word = '', ...more] = line.trim().split(/\s+/u);
  if (more.length > 0 && arguedOf(word.toLowerCase()) !== undefined)
    return `Nothing fits "${more.join(' ')}". Backspace lists what does.`;
  const kubectl = ownEntry(kubectlWords, word.toLowerCase());
  if (kubectl !== undefined)
    return `gc-tree has no :${word.toLowerCase()}. Run kubectl ${kubectl}, or add it to commands in config.yaml.`;
  const idle = commands.find(each => wordsOf(each).includes(word))?.idle?.(state, layoutOf(state));
  if (idle !== undefined) return idle;
  const own = ownCommands(state).map(({ name }) => name);
  const all = commands.flatMap(wordsOf).concat(own, Object.keys(ownWords));
  const found = state.cluster?.view.catalog.resolveWord(word);
  const kinds = found === undefined || found.known ? [] : found.suggestions;
  const near = [...SimilarWord.closest(word.toLowerCase(), all), ...kinds].slice(0, 3);
  const hint =
    near.length === 0 ? 'Backspace empties the line, which lists all.' : `Did you mean ${near.join(', ')}?`;
  return `No command or kind "${word}". ${hint}`;
}
