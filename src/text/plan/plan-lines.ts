/** A forecast as sanitised spans: the answer, the objects by fate, warnings and the command. */

import {
  Forecast,
  type RecreatedObjects,
  refusedWords,
  type TerminatingObject,
} from '../../forecast/index.ts';
import type { Identity } from '../../graph/index.ts';
import {
  BuiltInKind,
  counted,
  formatCount,
  objectTitle,
  ownEntry,
  type ShellCommands,
  showHidden,
  shownName,
} from '../../model/index.ts';
import type { Style } from '../terminal/style.ts';
import { TextLine } from '../terminal/text-line.ts';
import { assumedCounts, assumedLines } from './assumed.ts';
import { breakSections, usersIn } from './break-lines.ts';
import { budgetDependence, cordonedNodesWords, drainSections } from './drain-lines.ts';
import { Fates } from './fate-words.ts';
import { guardLines } from './guard-lines.ts';
import { commonRelease, dependence, handlerWords, releaseWords } from './handlers.ts';
import { nodePodLines, twiceLines, volumeLines } from './nodes.ts';
import {
  alterationsIn,
  byKind,
  countWords,
  creatorWords,
  kindGroups,
  type NameOptions,
  namesOf,
  surroundings,
} from './plan-words.ts';
import { remedySteps } from './remedy-steps.ts';
import { section } from './section.ts';
import { stopWords, uninstallSections } from './uninstall-lines.ts';
import { handlerGoesToo, warningWords } from './warning-words.ts';

export interface PlanTextOptions {
  readonly wide: boolean;
  readonly steps: boolean;
  /** The painted tree, which replaces the lists of objects. */
  readonly tree?: Iterable<TextLine>;
  /** True to only count what happens anyway; `anywayLines` names it elsewhere. */
  readonly anywayInShort?: boolean;
  /** Adapts kubectl commands to the same cluster; the default leaves them as they are. */
  readonly command?: (kubectl: ShellCommands) => ShellCommands;
}

function* planLines(forecast: Forecast, options: PlanTextOptions): Generator<TextLine> {
  yield TextLine.of(planTitle(forecast), headStyle(forecast, 'title'));
  yield* alarmLines(forecast, options);
  const cordoned = cordonedNodesWords(forecast) ?? stopWords(forecast);
  if (cordoned !== undefined) yield TextLine.of(`  ! ${cordoned}`, 'danger', 4);
  if (forecast.outcome === 'Refused') {
    const names = { namespace: '', all: options.wide };
    const listed = [...drainSections(forecast, names), ...uninstallSections(forecast, names)];
    if (listed.length > 0) yield TextLine.empty;
    yield* listed;
  } else {
    const body = [...sections(forecast, options)];
    if (body.length > 0) yield TextLine.empty;
    yield* body;
  }
  if (options.steps && forecast.steps().length > 0) {
    yield TextLine.empty;
    yield* stepLines(forecast, options);
  }
  const warnings = warningWords.sentences(forecast.warnings);
  if (warnings.length > 0) yield TextLine.empty;
  for (const warning of warnings) yield TextLine.of(`  ! ${warning}`, 'warning', 4);
  if (forecast.kubectl.length > 0) {
    yield TextLine.empty;
    const commands = options.command?.(forecast.kubectl) ?? forecast.kubectl;
    yield TextLine.command('Equivalent: ', commands, 'muted', 12);
  }
}

function* alarmLines({ alarms }: Forecast, { command }: PlanTextOptions): Generator<TextLine> {
  for (const alarm of alarms) {
    if (alarm.code !== 'handlerGoesToo') continue;
    yield TextLine.of(`  ! ${handlerGoesToo(alarm)}`, 'danger', 4);
    const order = command?.(alarm.order) ?? alarm.order;
    if (order.length > 0) yield TextLine.command('      ', order, 'danger', 8);
  }
  const others = alarms.filter(({ code }) => code !== 'handlerGoesToo');
  for (const sentence of warningWords.sentences(others)) yield TextLine.of(`  ! ${sentence}`, 'danger', 4);
}

function headStyle(forecast: Forecast, usual: Style): Style {
  const { outcome } = forecast;
  if (outcome === 'Stuck' || Forecast.dependsOnUnknown(forecast)) return 'warning';
  if (outcome === 'Depends') return 'info';
  return outcome === 'Refused' ? 'danger' : usual;
}

function planTitle(forecast: Forecast): string {
  const subject = subjectOf(forecast);
  if (forecast.outcome === 'Refused') return `${subject} is refused.`;
  const counts = countsOf(forecast);
  const { verb } = forecast.action;
  if (verb === 'none')
    return counts.length === 0 ? `${subject}, nothing happens.` : `${subject}: ${counts.join(', ')}.`;
  if (forecast.outcome === 'Depends' && verb !== 'restart')
    return `${[`${subject} ${budgetDependence(forecast) ?? dependence(forecast)}`, counts.join(', ')].filter(part => part !== '').join(': ')}.`;
  const stuck = forecast.outcome === 'Stuck' && verb !== 'restart';
  // A refused eviction holds no object that is being deleted.
  const ends = verb === 'drain' && numbersOf(forecast).held === 0 ? "doesn't complete" : 'gets stuck';
  if (counts.length === 0) {
    if (stuck) return `${subject} ${ends}.`;
    // A taint or a cordon changes the node, and affects later deletions there.
    const changed = (verb === 'taint' || verb === 'drain') && forecast.outcome === 'Completes';
    return changed ? `${subject} evicts no pod.` : `${subject} changes nothing.`;
  }
  return `${subject}${stuck ? ` ${ends}` : ''}: ${counts.join(', ')}.`;
}

function subjectOf({ action }: Forecast): string {
  const what = countWords.targets(
    action.targets,
    action.verb === 'taint' || action.verb === 'drain' ? 'node' : 'object',
  );
  switch (action.verb) {
    case 'delete':
      return action.cascade === 'orphan'
        ? `Deleting ${what} and orphaning what ${action.targets.length === 1 ? 'it owns' : 'they own'}`
        : `Deleting ${what} in the ${action.cascade ?? 'background'}`;
    case 'uninstall': {
      const { name = '', namespace = '' } = action.release ?? {};
      return `Uninstalling Helm release ${shownName(namespace)}/${shownName(name)}`;
    }
    case 'unblock':
      return action.remedy?.startsWith('undo/') === true
        ? `Undoing ${action.remedy.slice('undo/'.length)}`
        : `Unblocking ${what} by ${action.remedy ?? ''}`;
    case 'taint':
      return `Tainting ${what} ${taintWords(action.taint)}`;
    case 'drain':
      return `Draining ${what}`;
    case 'restart':
      return 'A restart of kube-controller-manager';
    case 'none':
      return 'If no user acts';
  }
}

function taintWords(taint: Forecast['action']['taint']): string {
  const name = taint?.key.split('/').at(-1) ?? '';
  return taint?.effect === 'NoExecute' ? name : `${name}:${taint?.effect ?? ''}`;
}

/** Returns counts: `3 objects are deleted`, `1 is altered`. */
export function countsOf(forecast: Forecast): string[] {
  const { untouched } = forecast;
  const timingDependent = Forecast.own(forecast.timingDependent);
  const endless = timingDependent.filter(({ mayNotEnd }) => mayNotEnd).length;
  const { deleted, altered, recreated } = numbersOf(forecast);
  const broken = (forecast.breaks ?? []).filter(({ when }) => when !== 'leftBehind');
  const then = Forecast.own(forecast.doomed).length;
  const running = untouched.filter(each => BuiltInKind.of(each) === 'Pod').length;
  const number = (of: number, one: string, many: string): string =>
    of === 0 ? '' : `${formatCount(of)} ${of === 1 ? one : many}`;
  return [
    number(deleted, 'object is deleted', 'objects are deleted'),
    number(altered, 'is altered', 'are altered'),
    ...heldCounts(forecast, number),
    then === 0
      ? ''
      : `${number(then, 'more is deleted', 'more are deleted')} ${commonRelease(forecast, surroundings(forecast.action.targets))}`,
    number(recreated, 'is recreated', 'are recreated'),
    number(running, 'keeps running', 'keep running'),
    number(timingDependent.length - endless, 'depends on timing', 'depend on timing'),
    number(endless, 'may never end', 'may never end'),
    number(usersIn(broken), 'other breaks', 'others break'),
    ...assumedCounts(forecast),
  ].filter(part => part !== '');
}

type Numbered = (of: number, one: string, many: string) => string;

function heldCounts(forecast: Forecast, number: Numbered): string[] {
  const { outcome, action } = forecast;
  const { stuck = [], waiting = [] } = heldObjects(forecast);
  return [
    number(stuck.length, 'stays terminating', 'stay terminating'),
    // Only the text for an action already says what it waits for.
    outcome === 'Depends' && action.targets.length > 0
      ? number(waiting.length, 'waits for that', 'wait for that')
      : number(
          waiting.length,
          'waits for the handler of its finalizer',
          'wait for the handlers of their finalizers',
        ),
  ];
}

/** Includes targets, even if their deletion began earlier. `waiting`: they may be deleted once handlers act. */
function heldObjects(forecast: Forecast): Partial<Record<'stuck' | 'waiting', TerminatingObject[]>> {
  const targets = new Set(forecast.action.targets.map(({ uid }) => uid));
  const awaiting = Forecast.awaitingHandlers(forecast);
  return Object.groupBy(
    forecast.terminating.filter(({ anyway, object }) => !anyway || targets.has(object.uid)),
    ({ object }) => (awaiting.has(object.uid) ? 'waiting' : 'stuck'),
  );
}

function numbersOf(forecast: Forecast) {
  const { deleted, changed, recreated } = forecast;
  return {
    deleted: Forecast.own(deleted).length,
    altered: Forecast.own(changed).length,
    held: Object.values(heldObjects(forecast)).flat().length,
    recreated: Forecast.own(recreated).reduce((sum, { count }) => sum + count, 0),
  };
}

/** Returns the counts as signs, `-8 !1 ~3 +2`, including targets that would be deleted anyway. */
function countSigns(forecast: Forecast): string {
  const { altered, held, recreated } = numbersOf(forecast);
  const targets = new Set(forecast.action.targets.map(({ uid }) => uid));
  const deleted = forecast.deleted.filter(({ anyway, object }) => !anyway || targets.has(object.uid)).length;
  const then = Forecast.own(forecast.doomed).length;
  const broken = usersIn(
    (forecast.breaks ?? []).filter(({ when, certainty }) => when !== 'leftBehind' && certainty === 'exact'),
  );
  const signed = (number: number, sign: string): string =>
    number === 0 ? '' : `${sign}${formatCount(number)}`;
  return [
    signed(deleted + then, Fates.signs.deleted),
    signed(held, Fates.signs.stuck),
    signed(broken, Fates.signs.broken),
    signed(altered, Fates.signs.altered),
    signed(Forecast.own(forecast.timingDependent).length, Fates.signs.uncertain),
    signed(recreated, Fates.ghostSign),
  ]
    .filter(part => part !== '')
    .join(' ');
}

function* sections(forecast: Forecast, options: PlanTextOptions): Generator<TextLine> {
  const names = { namespace: surroundings(forecast.action.targets), all: options.wide };
  const held = heldObjects(forecast);
  const { tree } = options;
  if (tree === undefined) yield* whatHappens(forecast, held, options, names);
  else {
    yield* tree;
    yield TextLine.empty;
  }
  const handlers = handlerWords(
    [...Object.values(held).flat(), ...Forecast.own(forecast.timingDependent)],
    options.wide,
  );
  if (handlers.length > 0) yield* section('handlers', handlers.length, shortened(handlers, options), 'info');
  if (tree === undefined) yield* whatFollows(forecast, names);
  yield* drainSections(forecast, names);
  yield* uninstallSections(forecast, names);
  yield* breakSections(forecast, names);
  if (forecast.nodes !== undefined) yield* nodeSections(forecast, forecast.nodes, options);
  if (tree === undefined) yield* whatIsLeft(forecast, options, names);
  if (options.anywayInShort === true) yield* anywayInShort(forecast);
  else yield* anywaySection(forecast, names);
  yield* assumedLines([{ forecast, under: '' }], options.wide);
}

function* whatHappens(
  forecast: Forecast,
  { stuck = [], waiting = [] }: ReturnType<typeof heldObjects>,
  options: PlanTextOptions,
  names: NameOptions,
): Generator<TextLine> {
  const deleted = Forecast.own(forecast.deleted).map(({ object }) => object);
  yield* section('deleted', deleted.length, kindGroups(deleted, names), 'danger');
  const altered = Forecast.own(forecast.changed);
  if (altered.length > 0) {
    const words = byKind(altered, alterationsIn(forecast));
    const lines = words.map(({ objects, word }) => `${namesOf(objects, names)} ${word}`);
    yield* section('altered', altered.length, lines, 'warning');
  }
  for (const [title, held] of Object.entries({ stuck, waiting })) {
    if (held.length === 0 && (title === 'waiting' || waiting.length > 0)) continue;
    const lines = held.map(
      ({ object, waitingFor }) => `${namesOf([object], names)} waits for ${waitingFor.join('; ')}`,
    );
    yield* section(title, held.length, shortened(lines, options), held.length > 0 ? 'warning' : 'plain');
  }
  const refused = Forecast.own(forecast.refused).map(
    ({ object, operation, actor, by, because }) =>
      `${operation} of ${namesOf([object], names)} by ${actor}: ${refusedWords(by, because)}`,
  );
  if (refused.length > 0) yield* section('refused', refused.length, shortened(refused, options), 'warning');
}

function* whatFollows(forecast: Forecast, names: NameOptions): Generator<TextLine> {
  const then = Forecast.own(forecast.doomed);
  const groups = Map.groupBy(then, each => releaseWords(forecast, each, names.namespace));
  const lines = [...groups].flatMap(([when, alike]) => {
    const kinds = kindGroups(
      alike.map(({ object }) => object),
      names,
    );
    const words = `deleted${when === 'then' ? '' : ` ${when}`}`;
    return kinds.length === 1 ? [`${kinds[0]}: ${words}`] : [`${words}:`, ...kinds.map(text => `  ${text}`)];
  });
  if (then.length > 0) yield* section('then', then.length, lines, 'danger');
  const recreated = Forecast.own(forecast.recreated);
  if (recreated.length === 0) return;
  const alone = recreated.length === 1;
  const news = recreated.map(
    each => `${newWords(each, alone, names)}${creatorWords(each, names.namespace)}${pendingWords(each)}`,
  );
  const total = recreated.reduce((sum, each) => sum + each.count, 0);
  yield* section('recreated', total, news, 'info');
}

function newWords(
  { actor, kind, count: number, named = [] }: RecreatedObjects,
  alone: boolean,
  names: NameOptions,
): string {
  if (actor !== undefined)
    return namesOf(
      named.map(each => ({ ...each, kind })),
      names,
    );
  const kinds = countWords.plural(kind, number);
  return alone ? kinds : counted(number, kind, kinds);
}

function pendingWords({ count, pending }: RecreatedObjects): string {
  if (pending === 0) return '';
  return `, ${pending === count ? 'Pending' : `${formatCount(pending)} Pending`}`;
}

function* whatIsLeft(forecast: Forecast, options: PlanTextOptions, names: NameOptions): Generator<TextLine> {
  const uncertain = Forecast.own(forecast.timingDependent).filter(
    ({ object }) => !Forecast.isContended(forecast, object),
  );
  if (uncertain.length > 0) {
    const lines = uncertain.map(
      ({ object, outcomes, because }) =>
        `${namesOf([object], names)}: ${outcomes.map(({ words }) => words).join(' or ')}, because ${because}`,
    );
    yield* section('uncertain', lines.length, shortened(lines, options), 'warning');
  }
  if (forecast.untouched.length > 0) {
    const lines = kindGroups(forecast.untouched, names);
    yield* section('untouched', forecast.untouched.length, shortened(lines, options), 'plain');
  }
}

function* nodeSections(
  forecast: Forecast,
  { pods, volumes, couldRunTwice }: NonNullable<Forecast['nodes']>,
  options: PlanTextOptions,
): Generator<TextLine> {
  const [first, ...more] = forecast.action.targets;
  const words = {
    namespace: '',
    all: options.wide,
    now: forecast.start,
    severalNodes: first === undefined || more.length > 0 || BuiltInKind.of(first) !== 'Node',
  };
  if (couldRunTwice.length > 0)
    yield* section('run twice', couldRunTwice.length, twiceLines(couldRunTwice, words), 'danger');
  yield* section(words.severalNodes ? 'pods' : 'its pods', pods.length, nodePodLines(pods, words), 'plain');
  if (volumes.length > 0) yield* section('volumes', volumes.length, volumeLines(volumes, words), 'info');
}

function* anywayInShort(forecast: Forecast): Generator<TextLine> {
  const { gone, altered, held, unsure } = anywayObjects(forecast);
  const kinds = new Set(held.map(({ kind }) => kind));
  if (gone.length + altered.length + unsure.length === 0) {
    const [kind = 'object'] = kinds.size === 1 ? kinds : [];
    const what = counted(held.length, kind, countWords.plural(kind, held.length));
    if (held.length > 0)
      yield TextLine.of(
        `  Either way, ${what} ${held.length === 1 ? 'keeps' : 'keep'} terminating.`,
        'muted',
        4,
      );
    return;
  }
  const parts = [
    [gone.length, 'deleted'],
    [altered.length, 'altered'],
    [held.length, 'terminating'],
    [unsure.length, 'depending on timing'],
  ] as const;
  const words = parts.flatMap(([count, word]) => (count === 0 ? [] : `${formatCount(count)} ${word}`));
  yield TextLine.of(`  Either way: ${words.join(', ')}.`, 'muted', 4);
}

function* anywayLines(forecast: Forecast, wide: boolean): Generator<TextLine> {
  const lines = [...anywaySection(forecast, { namespace: surroundings(forecast.action.targets), all: wide })];
  if (lines.length > 0) yield* [TextLine.empty, TextLine.of('Either way', 'muted'), ...lines];
}

function anywayObjects(
  forecast: Forecast,
): Record<'gone' | 'altered' | 'held' | 'unsure', readonly Identity[]> {
  const gone = forecast.deleted.filter(({ anyway }) => anyway).map(({ object }) => object);
  const altered = forecast.changed.filter(({ anyway }) => anyway).map(({ object }) => object);
  const targets = new Set(forecast.action.targets.map(({ uid }) => uid));
  const places = placesOf(forecast.action.targets);
  const held = forecast.terminating
    .filter(
      ({ anyway, object }) => anyway && !targets.has(object.uid) && (places?.has(placeOf(object)) ?? true),
    )
    .map(({ object }) => object);
  const unsure = forecast.timingDependent.filter(({ anyway }) => anyway).map(({ object }) => object);
  return { gone, altered, held, unsure };
}

function* anywaySection(
  forecast: Forecast,
  names: { readonly namespace: string; readonly all: boolean },
): Generator<TextLine> {
  const { gone, altered, held, unsure } = anywayObjects(forecast);
  const total = gone.length + altered.length + held.length + unsure.length;
  if (total === 0) return;
  const lines = [
    ...kindGroups(gone, names).map(text => `${text}: deleted either way`),
    ...kindGroups(altered, names).map(text => `${text}: altered either way`),
    ...kindGroups(held, names).map(text => `${text}: not affected, still terminating`),
    ...kindGroups(unsure, names).map(text => `${text}: depends on timing either way`),
  ];
  yield* section('anyway', total, lines, 'muted');
}

/** Returns the targets' namespaces: stuck objects elsewhere don't concern the action. */
function placesOf(targets: readonly Identity[]): ReadonlySet<string> | undefined {
  if (targets.length === 0) return undefined;
  return new Set(targets.flatMap(each => [each.namespace, placeOf(each)].filter(place => place !== '')));
}

function placeOf({ apiVersion, kind, namespace, name }: Identity): string {
  return kind === 'Namespace' && apiVersion === 'v1' ? name : namespace;
}

const SHORT = 10;

function shortened(lines: readonly string[], options: PlanTextOptions): readonly string[] {
  if (options.wide || lines.length <= SHORT) return lines;
  return [...lines.slice(0, SHORT), `and ${formatCount(lines.length - SHORT)} more (-o wide shows them)`];
}

const verbs: Readonly<Record<string, string>> = {
  create: 'creates',
  update: 'changes',
  patch: 'changes',
  delete: 'deletes',
  deletecollection: 'deletes all',
  evict: 'evicts',
};

function* stepLines(forecast: Forecast, options: PlanTextOptions): Generator<TextLine> {
  const steps = forecast.steps();
  const start = steps[0]?.at ?? 0;
  yield TextLine.of('Steps', 'title');
  const width = String(steps.length).length;
  for (const step of steps) {
    const { n, at, actor, request } = step;
    const seconds = Math.ceil((at - start) / 1000);
    const time = `+${seconds}s`.padStart(6);
    const text = `  ${String(n).padStart(width)} ${time}  ${actor} ${requestWords(step)}`;
    yield TextLine.of(options.wide ? `${text}  [${request}]` : text, 'plain', width + 12);
  }
}

type PlanStep = ReturnType<Forecast['steps']>[number];

function requestWords({ verb, object, status, because }: PlanStep): string {
  const failed = status >= 400 ? ` → ${status}` : '';
  const why = because === '' ? '' : `: ${because}`;
  return `${ownEntry(verbs, verb) ?? verb} ${objectTitle(object)}${failed}${why}`;
}

/** Returns `the garbage collector deletes Pod shop/web-1: owner StatefulSet web is absent`, sanitised. */
function stepSentence(step: PlanStep): string {
  return showHidden(`the ${step.actor.replaceAll('-', ' ')} ${requestWords(step)}`);
}

export const planWords = {
  anyway: anywayLines,
  guard: guardLines,
  lines: planLines,
  countSigns,
  headStyle,
  title: planTitle,
  remedySteps,
  stepSentence,
};
