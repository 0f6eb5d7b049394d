/** What fits what was typed behind `:`, the best first: commands, their arguments, and kinds that the tree can be narrowed to. */

import { closestWords } from '../../../model/text/closest-words.ts';
import { prose } from '../../../model/text/shown.ts';
import { formatCount } from '../../../model/text/titles.ts';
import type { ResourceType } from '../../../model/types/resource-type.ts';
import { themeNames } from '../../../text/terminal/themes.ts';
import { ownCommands, ownIdle } from '../../kubectl/own.ts';
import { matchingItems } from '../../search/index.ts';
import type { UserCommand } from '../../settings/settings.ts';
import { savedViews, viewHint } from '../../settings/views.ts';
import { layoutOf } from '../../state/layout.ts';
import type { PickerItem, State } from '../../state/state.ts';
import { commands, isIn, type ScreenCommand } from '../bindings.ts';
import { keyLabel } from '../keys.ts';
import { siblingOrders, sortTitles } from '../sort.ts';
import { arguedOf, ownWords, withArguments, wordsOf } from './words.ts';

/** `id` is the line that is run, and what Tab completes to. */
export function lineItems(state: State, query: string): readonly PickerItem[] {
  const line = query.trimStart();
  const gap = line.search(/\s/u);
  if (gap < 0) return firstWords(state, line.toLowerCase());
  const head = line.slice(0, gap).toLowerCase();
  const rest = line.slice(gap).trim();
  const argued = arguedOf(head);
  if (argued !== undefined) return argumentItems(state, argued, head, rest);
  const kind = kindOf(state, head);
  if (kind !== undefined) return [kindItem(kind, head, rest)];
  return likeTitles(commandItems(state), line);
}

/** Those whose word or title has the words, or their letters in order. */
function likeTitles(items: readonly PickerItem[], words: string): readonly PickerItem[] {
  const titled = items.map(each => ({ label: `${each.label} ${each.hint}`, each }));
  return matchingItems(titled, words).map(({ each }) => each);
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

/** What works now, with its key; for what isn't permitted, why. */
function commandItems(state: State): readonly PickerItem[] {
  const layout = layoutOf(state);
  const keyed = commands
    .filter(command => command.palette !== false && isIn(command, state.view))
    .filter(command => command.idle?.(state, layout) === undefined)
    .map(command => item(wordsOf(command.id)[0] ?? command.id, hintOf(command, state)));
  const own = ownCommands(state).map(command => item(command.name, ownHint(command, state)));
  return [...keyed, ...own, ...Object.entries(ownWords).map(([word, hint]) => item(word, hint))];
}

function ownHint(command: UserCommand, state: State): string {
  const line = prose(`kubectl ${command.kubectl.join(' ')}  ${command.key ?? ''}`).trim();
  const idle = ownIdle(command, state);
  return idle === undefined ? line : `${line}  ${idle}`;
}

function item(word: string, hint: string): PickerItem {
  const isArgued = withArguments.some(each => each === word);
  return { id: word, label: isArgued ? `${word} …` : word, hint };
}

function hintOf({ title, keys, refused }: ScreenCommand, state: State): string {
  const key = `${title}  ${keyLabel(keys[0] ?? '', state.options.ascii)}`;
  const refusal = refused?.(state);
  return refusal === undefined ? key : `${key}  not permitted: ${refusal}`;
}

function argumentItems(
  state: State,
  argued: NonNullable<ReturnType<typeof arguedOf>>,
  head: string,
  rest: string,
): readonly PickerItem[] {
  switch (argued) {
    case 'ns': {
      const items = (state.cluster?.namespaces() ?? []).map(({ name, objects }) => ({
        id: `${head} ${name}`,
        label: name,
        hint: `${formatCount(objects)} objects`,
      }));
      const found = matchingItems(items, rest);
      if (found.length > 0) return found;
      const near = closestWords(
        rest,
        items.map(({ label }) => label),
      );
      return items.filter(({ label }) => near.includes(label));
    }
    case 'sort': {
      const items = siblingOrders.map(order => ({
        id: `${head} ${order}`,
        label: order,
        hint: sortTitles[order],
      }));
      return matchingItems(items, rest);
    }
    case 'ctx':
      return [
        { id: `${head} ${rest}`, label: rest === '' ? 'choose' : rest, hint: 'Switch to this context' },
      ];
    case 'why':
      return [{ id: `${head} ${rest}`, label: rest === '' ? 'why' : rest, hint: ownWords.why }];
    case 'filter':
      return [{ id: `${head} ${rest}`, label: rest === '' ? 'filter' : rest, hint: ownWords.filter }];
    case 'view':
      return matchingItems(
        Object.entries(savedViews(state)).map(([name, view]) => ({
          id: `${head} ${name}`,
          label: name,
          hint: viewHint(view),
        })),
        rest,
      );
    case 'theme':
      return matchingItems(
        themeNames.map(name => ({
          id: `${head} ${name}`,
          label: name,
          hint: name === state.theme ? 'current' : '',
        })),
        rest,
      );
    case 'search':
      return [{ id: `${head} ${rest}`, label: rest === '' ? 'search' : rest, hint: 'Search everything' }];
  }
}

/** The kind that kubectl understands by a word. */
export function kindOf({ cluster }: State, word: string): ResourceType | undefined {
  const found = word === '' ? undefined : cluster?.view.catalog.resolveWord(word);
  return found?.known === true && found.types.length === 1 ? found.types[0] : undefined;
}

function kindItem({ kind, resource }: ResourceType, word: string, rest: string): PickerItem {
  const what = rest === '' ? resource : `${resource} that contain "${rest}"`;
  return {
    id: rest === '' ? word : `${word} ${rest}`,
    label: `${word} ${rest}`.trim(),
    hint: `${kind}: only ${what}`,
  };
}

/** So many kinds are offered for a beginning. */
const MOST_KINDS = 12;

function kindItems(state: State, word: string): readonly PickerItem[] {
  const exact = kindOf(state, word);
  const types = state.cluster?.view.catalog.types ?? [];
  const begins = types.filter(
    type => type.preferred && type !== exact && type.verbs.includes('list') && type.resource.startsWith(word),
  );
  return [
    ...(exact === undefined ? [] : [kindItem(exact, word, '')]),
    ...begins.slice(0, MOST_KINDS).map(type => kindItem(type, type.resource, '')),
  ];
}

function closestKinds(state: State, word: string): readonly PickerItem[] {
  const found = state.cluster?.view.catalog.resolveWord(word);
  if (found === undefined || found.known) return [];
  return found.suggestions.flatMap(each => {
    const kind = kindOf(state, each);
    return kind === undefined ? [] : [kindItem(kind, each, '')];
  });
}

/** One sentence on words that mean nothing. */
export function unknownLine(state: State, line: string): string {
  const [word = ''] = line.trim().split(/\s+/u);
  const own = ownCommands(state).map(({ name }) => name);
  const all = commands.flatMap(({ id }) => wordsOf(id)).concat(own, Object.keys(ownWords));
  const found = state.cluster?.view.catalog.resolveWord(word);
  const kinds = found === undefined || found.known ? [] : found.suggestions;
  const near = [...closestWords(word.toLowerCase(), all), ...kinds].slice(0, 3);
  const hint =
    near.length === 0 ? 'Backspace empties the line, which lists all.' : `Did you mean ${near.join(', ')}?`;
  return `No command or kind "${word}". ${hint}`;
}
