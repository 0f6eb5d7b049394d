/** Runs a line typed behind `:`. */
import type { FindingCode } from '../../../diagnosis/index.ts';
import type { GraphNode } from '../../../graph/index.ts';
import { counted, ownEntry, prose, SimilarWord, shownName, wordForms } from '../../../model/index.ts';
import { ThemeName } from '../../../text/index.ts';
import { ownCommands, runOwn } from '../../kubectl/own.ts';
import { matcher } from '../../search/node-index.ts';
import { savedViews } from '../../settings/saved-views.ts';
import { orderNamed, siblingOrders } from '../../settings/sort.ts';
import { layoutOf } from '../../state/layout.ts';
import { asking, type State, withNewRevision, withNotice, withTree } from '../../state/state.ts';
import { columnsOf } from '../../state/tree-state.ts';
import { leaving } from '../../views/places.ts';
import { views } from '../../views/registry.ts';
import { jumpTo, switchNamespace } from '../../views/scope.ts';
import { narrowTree } from '../../views/tree/moves.ts';
import { isIn, wordsOf } from '../bindings/binding.ts';
import { type CommandId, commands } from '../bindings.ts';
import { markAll } from '../marks.ts';
import { mayExist } from '../namespace-items.ts';
import { narrowView } from '../narrow.ts';
import { runCommand } from '../run-command.ts';
import { unknownLine } from './items.ts';
import { isOf, kindOf } from './kinds.ts';
import { arguedOf } from './line-words.ts';
import { chooseColumns, ownColumns } from './set-columns.ts';

const MOST_LINES = 50;

/** Runs a line after its dialog closed; for an unknown one, suggests others. */
export function runLine(state: State, typed: string): State {
  const line = typed.trim().replace(/^:+/u, '');
  if (line === '') return state;
  const others = state.typedLines.filter(each => each !== line);
  return runTyped({ ...state, typedLines: [...others, line].slice(-MOST_LINES) }, line);
}

function runTyped(state: State, line: string): State {
  const [first = '', ...more] = line.split(/\s+/u);
  const word = first.toLowerCase();
  const rest = more.join(' ');
  if (rest !== '') {
    const argued = runArgued(state, word, rest);
    if (argued !== undefined) return argued;
  }
  if (word === 'why') return withDetails(state);
  if (word === 'cast' || word === 'asciicast') return asking(state, { type: 'cast' });
  if (word === 'survivors') return markSurvivors(state);
  if (rest === '' && (word === 'view' || word === 'theme'))
    return withNotice(state, `Write :${word} and a name; Tab completes it.`, 'info');
  if (word === 'columns' && rest === '') return ownColumns(state);
  if (word === 'all' && state.cluster?.namespace === undefined)
    return withNotice(state, 'All namespaces are shown.', 'info');
  const own = ownCommands(state).find(({ name }) => name === word);
  if (own !== undefined && rest === '') return runOwn(state, own);
  const command = commands.find(each => wordsOf(each).includes(word));
  if (command !== undefined && rest === '') return runIfWorking(state, command.id as CommandId);
  return (
    narrowToKind(state, word, rest) ?? withNotice(state, prose(unknownLine(state, line, commands)), 'warning')
  );
}

function runIfWorking(state: State, id: CommandId): State {
  const command = commands.find(each => each.id === id);
  if (command === undefined) return state;
  // Commands of the tree switch to it.
  const there = isIn(command, state.view) || !isIn(command, 'tree') ? state : runCommand(state, 'treeView');
  const idle = isIn(command, there.view) ? command.idle?.(there, layoutOf(there)) : 'Not in this view.';
  return idle === undefined ? runCommand(there, id) : withNotice(there, idle, 'info');
}

function runArgued(state: State, word: string, rest: string): State | undefined {
  switch (arguedOf(word)) {
    case 'ns':
      return toNamespace(state, rest);
    case 'ctx': {
      if (state.info?.source !== 'cluster') return runIfWorking(state, 'context');
      const begun = state.contexts?.filter(name => name.startsWith(rest)) ?? [];
      if (begun.length > 0 && !begun.includes(rest))
        return withNotice(
          state,
          `No context "${shownName(rest)}", but ${begun.map(shownName).join(', ')}.`,
          'warning',
        );
      return asking({ ...state, opening: rest, waitingFor: undefined }, { type: 'open', context: rest });
    }
    case 'sort':
      return sortBy(state, rest);
    case 'why':
      return whyOf(state, rest);
    case 'filter':
      return narrowView(state, rest);
    case 'theme':
      return takeTheme(state, rest);
    case 'columns':
      return chooseColumns(state, rest);
    case 'view':
      return openView(state, rest);
    case 'search': {
      const opened = runCommand(state, 'search');
      if (opened.dialog?.kind !== 'search') return opened;
      return asking(
        { ...opened, dialog: { ...opened.dialog, query: rest, done: false } },
        { type: 'search', query: rest },
      );
    }
    case undefined:
      return undefined;
  }
}

function toNamespace(state: State, name: string): State {
  const names = state.cluster?.namespaces().map(each => each.name) ?? [];
  if (names.includes(name)) return switchNamespace(state, name);
  if (name === '*' || name === 'all') return runTyped(state, 'all');
  if (mayExist(state, name)) return switchNamespace(state, name);
  return withNotice(state, `No namespace "${shownName(name)}". ${suggested(name, names)}`, 'warning');
}

function suggested(word: string, known: readonly string[]): string {
  const near = SimilarWord.closest(word, known);
  return near.length === 0 ? ':ns lists them.' : `Did you mean ${near.map(shownName).join(', ')}?`;
}

function sortBy(state: State, word: string): State {
  const order = orderNamed(word);
  if (order === undefined)
    return withNotice(state, `No order "${shownName(word)}": ${siblingOrders.join(', ')}.`, 'warning');
  let sorted = runIfWorking(state, 'sort');
  for (let left = siblingOrders.length; sorted.tree.sort !== order && left > 0; left--)
    sorted = runCommand(sorted, 'sort');
  return sorted;
}

function takeTheme(state: State, word: string): State {
  const theme = ThemeName.all.find(each => each === word);
  if (theme === undefined)
    return withNotice(state, `No theme "${shownName(word)}": ${ThemeName.all.join(', ')}.`, 'warning');
  if (!state.options.color) return withNotice(state, 'Colours are switched off.', 'info');
  return withNewRevision({ ...state, theme });
}

/** Opens a view of `config.yaml`; fields that it omits stay. */
function openView(state: State, name: string): State {
  const view = ownEntry(savedViews(state), name);
  if (view === undefined) {
    const near = SimilarWord.closest(name, Object.keys(savedViews(state)));
    const hint =
      near.length === 0 ? 'config.yaml has none of this name.' : `Did you mean ${near.join(', ')}?`;
    return withNotice(state, `No view "${shownName(name)}". ${hint}`, 'warning');
  }
  const { namespace, sort, columns, filter, problems } = view;
  const lines = [
    ...(namespace === undefined ? [] : [namespace === '' ? 'ns *' : `ns ${namespace}`]),
    ...(view.view === undefined ? [] : [views.find(({ id }) => id === view.view)?.words[0] ?? '']),
    'show-all',
    ...(sort === undefined ? [] : [`sort ${sort}`]),
    ...(filter === undefined ? [] : [`filter ${filter}`]),
    ...(problems === true ? ['only-problems'] : []),
  ];
  let next: State = withTree(
    { ...state, notice: undefined },
    columns === undefined ? {} : columnsOf(columns),
  );
  for (const line of lines) {
    const before = next.notice;
    next = runTyped(next, line);
    // An info about one part of the view isn't worth showing.
    if (next.notice?.style === 'info') next = { ...next, notice: before };
  }
  return next.notice === undefined ? withNotice(next, `View ${name}.`, 'info') : next;
}

function withDetails(state: State): State {
  const { details } = layoutOf(state);
  const shown = details === undefined ? runIfWorking(state, 'details') : state;
  return layoutOf(shown).tree === undefined || shown.focus === 'details'
    ? shown
    : runIfWorking(shown, 'focus');
}

/** Goes to `sts/web` or `sts web`, preferring the shown namespace. */
function whyOf(state: State, words: string): State {
  const { cluster } = state;
  const [type = '', name = ''] = words.split(/[\s/]+/u);
  const kind = kindOf(state, type.toLowerCase());
  if (kind !== undefined && name === '')
    return withNotice(state, `Which one? Write TYPE/NAME, such as ${shownName(type)}/web.`, 'info');
  if (cluster === undefined || kind === undefined)
    return withNotice(state, `No kind "${shownName(type)}": write TYPE/NAME, such as sts/web.`, 'warning');
  let found: GraphNode | undefined;
  for (const node of cluster.view.graph.nodes()) {
    const { object } = node;
    if (object?.name !== name || !isOf(kind, node)) continue;
    if (found === undefined || cluster.inScope(node)) found = node;
  }
  if (found === undefined)
    return withNotice(state, `No ${kind.kind} of the name ${shownName(name)} can be seen.`, 'warning');
  return withDetails(jumpTo(state, found.uid));
}

/** Narrows the tree to one kind, and to words if there are any. */
function narrowToKind(state: State, word: string, words: string): State | undefined {
  const { cluster } = state;
  const kind = kindOf(state, word);
  if (cluster === undefined || kind === undefined) return undefined;
  const contains = words === '' ? undefined : matcher(words);
  const kinds = wordForms.plural(kind.kind, kind.resource);
  const title = words === '' ? kinds : `${kinds} that contain "${words}"`;
  const matches = (node: GraphNode): boolean => isOf(kind, node) && contains?.(node) !== false;
  const filter = { kind: 'targets', title, matches } as const;
  const narrowed = narrowTree({ ...leaving(state), view: 'tree', focus: 'tree' }, filter);
  if (narrowed !== undefined) return narrowed;
  const where =
    cluster.namespace === undefined
      ? ''
      : ` in namespace ${shownName(cluster.namespace)}; :all shows all namespaces`;
  return withNotice(state, `No ${shownName(title)}${where}.`, 'warning');
}

const survivorCodes: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'StatefulSetSurvivor',
  'ReplicaSetSurvivor',
  'JobSurvivor',
]);

function markSurvivors(state: State): State {
  const found = state.cluster?.problems?.inOrder().filter(({ code }) => survivorCodes.has(code)) ?? [];
  return markAll(
    state,
    found.map(({ object }) => object.uid),
    count => `${counted(count, 'survivor')} marked.`,
  );
}
