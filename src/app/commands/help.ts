/** Makes the help from the table of commands and the words in rows. */

import { activityKinds } from '../../activity/entry.ts';
import { showHidden, shownName } from '../../model/text/shown.ts';
import { activityMeanings } from '../../text/activity/details.ts';
import { activityWord } from '../../text/activity/line.ts';
import { asciiGlyphs, unicodeGlyphs } from '../../text/terminal/glyphs.ts';
import type { Line } from '../../text/terminal/style.ts';
import { layoutOf } from '../state/layout.ts';
import type { State } from '../state/state.ts';
import type { ViewId } from '../state/views.ts';
import { commands, isIn, isWorking, type ScreenCommand } from './bindings.ts';
import { keyLabel } from './keys.ts';

export const HELP_INDENT = 24;

const groups: readonly ScreenCommand['group'][] = ['Move', 'Rows', 'Act', 'Find', 'Object', 'Time', 'Screen'];

export function helpLines(state: State): readonly Line[] {
  const layout = layoutOf(state);
  const lines: Line[] = [...storyLines(state)];
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
function storyLines({ info, options }: State): readonly Line[] {
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
    .replaceAll(unicodeGlyphs.danger, asciiGlyphs.danger)
    .replaceAll(unicodeGlyphs.warning, asciiGlyphs.warning)
    .replaceAll('·', '.')
    .replaceAll('⏱ ', '');
}

/** Words on the screen with their meanings; a word without a view belongs to all. */
export const legend: readonly (readonly [word: string, meaning: string, view?: ViewId])[] = [
  ['✗ REASON', 'an error was found: the details say more, and 2 lists all', 'tree'],
  ['⚠ REASON', 'the same with a warning', 'tree'],
  ['✗ 2 below', 'folded, and 2 objects below have errors; with ⚠ they have warnings', 'tree'],
  ['foreground, 12m', 'deleted in the foreground 12 minutes ago: waits for what it owns', 'tree'],
  ['orphaning', 'deleted, and its dependents are being orphaned', 'tree'],
  ['held: NAME', 'deleted, and waits until its handler removes this finalizer', 'tree'],
  ['will be collected', 'no owner exists any more: the garbage collector deletes it next', 'tree'],
  ['never collected', 'a cluster-scoped object with a namespaced owner: the collector refuses it', 'tree'],
  ['only in references', 'others name it as their owner, but it was never seen', 'tree'],
  ['shop (54 objects)', 'a namespace, or cluster-scoped: what stands at the top of it is below', 'tree'],
  [
    '31 ConfigMaps',
    'objects of one kind; of one namespace, those without relations and without trouble',
    'tree',
  ],
  ['✗ 3 ⚠ 8', 'of a group: 3 objects in it have errors, 8 others have warnings', 'tree'],
  ['(+1 owner)', 'it has another owner, and stands below that one too', 'tree'],
  ['(Helm/web)', 'in MANAGED BY: it is managed with its controller, as a pod with its Deployment', 'tree'],
  ['(cycle)', 'it stands above itself: its owners form a circle', 'tree'],
  ['✗ CODE (2)', '2 errors: something is stuck for good, or will be lost that should stay', 'problems'],
  ['⚠ CODE (2)', '2 warnings: something is stuck for now, or a trap', 'problems'],
  ['· CODE (2)', '2 things worth knowing', 'problems'],
  ['in <14s', "PodGC's next cycle takes the pod, and comes within that time", 'podgc'],
  ['in ~31s', 'about then: when a cycle of PodGC begins cannot be seen', 'podgc'],
  ['now', 'the next cycle takes it; in files, where no time passes', 'podgc'],
  ['overdue', 'PodGC should have taken it: it is away, or its requests are refused', 'podgc'],
  ['again', 'PodGC deletes it in each cycle, to no effect as long as finalizers hold it', 'podgc'],
  ['no', 'it looks like a candidate and is none: the details say what it lacks', 'podgc'],
  ['unknown', 'whether PodGC takes it depends on what cannot be seen', 'podgc'],
  ...activityKinds.map(kind => [activityWord(kind), activityMeanings[kind], 'activity'] as const),
  ['✗ 3 ⚠ 11', 'in the first line: 3 errors and 11 warnings were found in the scope'],
  ['⏱ 2 PodGC', 'in the first line: PodGC takes 2 of the pods in scope'],
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
