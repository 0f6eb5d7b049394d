/** Completions of the words of `:` that take arguments: namespaces, contexts, orders, objects, views, themes, columns. */
import { ThemeName } from '../../../text/index.ts';
import { fittingItems, matchingItems } from '../../search/node-index.ts';
import { columnFaults, columnNames } from '../../settings/chosen-columns.ts';
import { savedViews, viewHint } from '../../settings/saved-views.ts';
import { siblingOrders, sortTitles } from '../../settings/sort.ts';
import type { PickerItem, State } from '../../state/state.ts';
import { namespaceItems, withTyped } from '../namespace-items.ts';
import { kindItems, kindOf, nameItems } from './kinds.ts';
import { type arguedOf, ownWords } from './line-words.ts';

type Argued = NonNullable<ReturnType<typeof arguedOf>>;

/** Lists matches, the best first; `id` is the full line, `head` the word as typed. */
export function argumentItems(
  state: State,
  argued: Argued,
  head: string,
  rest: string,
): readonly PickerItem[] {
  const item = (label: string, hint: string, id = label): PickerItem => ({
    id: `${head} ${id}`,
    label,
    hint,
  });
  switch (argued) {
    case 'ns':
      return namespacesFor(state, rest, item);
    case 'ctx':
      return contextItems(state, rest, item);
    case 'why':
      return objectItems(state, head, rest);
    case 'sort':
      return matchingItems(
        siblingOrders.map(order => item(order, sortTitles[order])),
        rest,
      );
    case 'view':
      return matchingItems(
        Object.entries(savedViews(state)).map(([name, view]) => item(name, viewHint(view))),
        rest,
      );
    case 'theme':
      return matchingItems(
        ThemeName.all.map(name => item(name, name === state.theme ? 'current' : '')),
        rest,
      );
    case 'columns':
      return columnItems(head, rest);
    case 'filter':
      return [{ id: `${head} ${rest}`, label: rest === '' ? head : rest, hint: ownWords.filter }];
    case 'search':
      return [{ id: `${head} ${rest}`, label: rest === '' ? head : rest, hint: 'Search everything' }];
  }
}

type ItemOf = (label: string, hint: string, id?: string) => PickerItem;

function namespacesFor(state: State, rest: string, item: ItemOf): readonly PickerItem[] {
  const [all, ...namespaces] = namespaceItems(state, '*').map(({ id, label, hint }) => item(label, hint, id));
  const isAll = rest === '*' || (rest !== '' && 'all'.startsWith(rest) && rest.length > 1);
  const found = withTyped(state, fittingItems(namespaces, rest), rest, item(rest, '').id);
  if (all === undefined) return found;
  if (rest === '') return [...found, all];
  // A namespace with exactly this name comes first.
  return !isAll || found[0]?.label === rest ? found : [all, ...found];
}

/** Lists the kubeconfig's contexts, or the typed word until they are read. */
function contextItems({ info, contexts }: State, rest: string, item: ItemOf): readonly PickerItem[] {
  const what =
    info?.source === 'cluster' ? 'Switch to this context' : 'There are none: this is no live cluster';
  const typed = item(rest === '' ? 'choose' : rest, what, rest);
  if (contexts === undefined) return [typed];
  const items = contexts.map(name => item(name, name === info?.context ? 'current' : ''));
  const found = fittingItems(items, rest);
  // Another cluster is gone to by its whole name alone, or by a part of it.
  return matchingItems(items, rest).length > 0 ? found : [typed, ...found];
}

/** Offers the line as it is and each completion of its last word. */
function columnItems(head: string, rest: string): readonly PickerItem[] {
  const words = rest.split(/[\s,]+/u);
  const last = words.pop() ?? '';
  const done = [head, ...words].join(' ');
  const whole = { id: `${done} ${last}`.trimEnd(), label: rest === '' ? head : rest, hint: ownWords.columns };
  const begun = [...columnNames.slice(1), 'label:', 'annotation:'].filter(
    name => name.startsWith(last) && name !== last && !words.includes(name),
  );
  return [
    ...(columnFaults([...words, last]).length === 0 || rest === '' ? [whole] : []),
    ...begun.map(name => ({ id: `${done} ${name}`, label: name, hint: '' })),
  ];
}

/** `TYPE/NAME`: kinds first, then the objects of the kind that was named. */
function objectItems(state: State, head: string, rest: string): readonly PickerItem[] {
  const [type = '', ...name] = rest.split(/[\s/]+/u);
  const typed = { id: `${head} ${rest}`, label: rest === '' ? head : rest, hint: ownWords.why };
  const kind = kindOf(state, type.toLowerCase());
  const isNaming = name.length > 0;
  const found =
    kind !== undefined && isNaming
      ? nameItems(state, kind, type, name.join(''), '/')
      : type === '' || isNaming
        ? []
        : kindItems(state, type.toLowerCase()).map(each => ({
            ...each,
            id: `${each.id}/`,
            label: `${each.label}/`,
            hint: '',
          }));
  const items = found.map(each => ({ ...each, id: `${head} ${each.id}` }));
  return items.length > 0 ? items : [typed];
}
