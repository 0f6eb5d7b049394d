/** Makes the help from the table of commands and the words in rows. */

import { showHidden, shownName } from '../../model/index.ts';
import { Glyphs, type Line } from '../../text/index.ts';
import type { ViewId } from '../settings/settings.ts';
import { keyLabel } from '../state/keys.ts';
import { layoutOf } from '../state/layout.ts';
import type { State } from '../state/state.ts';
import { views } from '../views/registry.ts';
import { isIn, isWorking, type ScreenCommand } from './bindings/binding.ts';

export const HELP_INDENT = 24;

const groups: readonly ScreenCommand['group'][] = ['Move', 'Rows', 'Act', 'Find', 'Object', 'Time', 'Screen'];

export function helpLines(state: State, commands: readonly ScreenCommand[]): readonly Line[] {
  const layout = layoutOf(state);
  const lines: Line[] = [...storyLines(state, commands)];
  for (const group of groups) {
    lines.push([{ text: group, style: 'title' }]);
    for (const command of commands) {
      if (command.group !== group || !isIn(command, state.view)) continue;
      const keys = command.keys.map(key => keyLabel(key, state.options.ascii)).join('  ');
      const works = isWorking(command, state, layout);
      const refusal = works ? command.refused?.(state) : undefined;
      const isGrey = !works || refusal !== undefined;
      lines.push([
        { text: `  ${keys.padEnd(HELP_INDENT - 2)}`, style: isGrey ? 'muted' : 'info' },
        { text: command.title, style: isGrey ? 'muted' : 'plain' },
        ...(works ? [] : [{ text: '  (nothing to do now)', style: 'muted' as const }]),
        ...(refusal === undefined
          ? []
          : [{ text: `  (not permitted: ${refusal})`, style: 'muted' as const }]),
      ]);
    }
    lines.push([]);
  }
  lines.push([{ text: 'What the rows say', style: 'title' }]);
  for (const [word, meaning, view] of legend) {
    if (view !== undefined && view !== state.view) continue;
    lines.push([
      { text: `  ${drawn(word, state).padEnd(HELP_INDENT - 2)}`, style: 'info' },
      { text: drawn(meaning, state), style: 'plain' },
    ]);
  }
  return lines;
}

const trialCommands = { why: 'search', delete: 'delete', orphan: 'orphan', unblock: 'unblock' } as const;

/** Lists sights and trials of the shown scenario. */
function storyLines({ info, options }: State, commands: readonly ScreenCommand[]): readonly Line[] {
  const { story, context = '' } = info ?? {};
  if (story === undefined || story.try.length === 0) return [];
  const keyOf = (id: string): string =>
    keyLabel(commands.find(each => each.id === id)?.keys[0] ?? '', options.ascii);
  const row = (left: string, right: string): Line => [
    { text: `  ${showHidden(left).padEnd(HELP_INDENT - 2)}`, style: 'info' },
    { text: showHidden(right), style: 'plain' },
  ];
  return [
    [{ text: `The scenario ${showHidden(context)}: ${showHidden(story.title)}`, style: 'title' }],
    ...story.look.map(each => row('look for', each)),
    ...story.try.map(({ verb, of, shows, command }) =>
      verb === 'run'
        ? row('in a shell', `${command}: ${shows}`)
        : row(`${keyOf(trialCommands[verb])}  ${verb === 'why' ? 'find' : 'on'}`, `${of}: ${shows}`),
    ),
    [],
  ];
}

function drawn(text: string, { options }: State): string {
  if (!options.ascii) return text;
  return text
    .replaceAll(Glyphs.unicode.danger, Glyphs.ascii.danger)
    .replaceAll(Glyphs.unicode.warning, Glyphs.ascii.warning)
    .replaceAll('·', '.')
    .replaceAll('⏱ ', '');
}

/** Words on the screen with their meanings; a word without a view belongs to all. */
const legend: readonly (readonly [word: string, meaning: string, view?: ViewId])[] = [
  ...views.flatMap(({ id, legend: own }) => own.map(([word, meaning]) => [word, meaning, id] as const)),
  ['✗ 3 ⚠ 11', 'in the first line: 3 errors and 11 warnings were found in the scope'],
  ['2 causes elsewhere: 0', 'in the first line: trouble out of the scope is worse than in it; 0 shows it'],
  ['⏱ 2 PodGC', 'in the first line: PodGC deletes 2 of the pods in scope'],
];

interface Named {
  readonly resource: string;
  readonly reason: string;
}

export function blindSpotLines(state: State): readonly Line[] {
  const { blindSpots = [], polled = [] } = state.cluster?.summary() ?? {};
  const mayCome = state.info?.source === 'cluster';
  const width = Math.max(...[...blindSpots, ...polled].map(({ resource }) => resource.length), 0);
  const rows = (kinds: readonly Named[]): readonly Line[] =>
    kinds.map(({ resource, reason }) => [
      { text: shownName(resource).padEnd(Math.min(width, 50) + 2), style: 'warning' },
      { text: showHidden(reason), style: 'plain' },
    ]);
  const unseen: readonly Line[] = [
    plain(
      'Objects of these kinds are missing from the tree, and owners of these kinds are assumed to exist.',
    ),
    ...(mayCome ? [muted('They are retried all the time; what becomes visible appears by itself.')] : []),
    [],
    ...rows(blindSpots),
  ];
  const unwatched: readonly Line[] = [
    plain('These kinds can be listed but not watched: what is shown of them may be up to a minute old.'),
    muted('Their lists are read again all the time, until they can be watched.'),
    [],
    ...rows(polled),
  ];
  if (polled.length === 0) return unseen;
  return blindSpots.length === 0 ? unwatched : [...unseen, [], ...unwatched];
}

function plain(text: string): Line {
  return [{ text, style: 'plain' }];
}

function muted(text: string): Line {
  return [{ text, style: 'muted' }];
}
