/** A forecast as warnings of an admission webhook, which clients print while they delete: short, the worst first. */
import {
  type AssumedEffect,
  expected,
  Forecast,
  type Warning,
  type WarningCode,
} from '../../forecast/index.ts';
import type { Identity } from '../../graph/index.ts';
import { counted, enumerated, shellLine, showHidden, shownName } from '../../model/index.ts';
import { truncate } from '../terminal/width.ts';
import { dependence } from './handlers.ts';
import {
  alterationsIn,
  byKind,
  countWords,
  creatorWords,
  kindGroups,
  namesOf,
  surroundings,
} from './plan-words.ts';
import { warningWords } from './warning-words.ts';

/** The API asks for at most this many characters each; the API server may cut all to 256. */
const MOST = 120;
/** Lines of each sort. */
const FEW = 3;

/** Alarms that have a line of their own. */
const named: ReadonlySet<WarningCode> = new Set(['handlerGoesToo', 'dataDeleted', 'dataDeletedLater']);

export interface GuardTextOptions {
  /** Set if sentences may name any object. */
  readonly seesAll: boolean;
  mayName(object: Identity): boolean;
}

/** Warnings about what a user should know before the action. */
const telling: ReadonlySet<WarningCode> = new Set([
  'budgetsPassedOver',
  'createdLater',
  'creationRefused',
  'handlerLeaves',
  'handlerNeededThen',
  'jobRetries',
  'pendingPods',
  'staticPods',
  'tokensDeleted',
  'unknownController',
  'webhookLeftBehind',
]);

/** Warnings that the forecast may lack something; said only if there is something to say. */
const doubts: ReadonlySet<WarningCode> = new Set([
  'unseenContent',
  'unseenOwner',
  'unconfirmedAbsence',
  'admission',
  'cascadeUnknown',
  'flapping',
  'neverRests',
  'notSimulated',
  'collectorOff',
  'collectorBehind',
  'managerSilent',
  'ordersNotTried',
]);

/** Returns nothing if all that happens is what every such deletion does. */
export function guardLines(forecast: Forecast, options: GuardTextOptions): string[] {
  if (forecast.outcome === 'Refused') return [];
  const alarms = forecast.alarms.filter(({ code }) => !named.has(code));
  const told = [
    ...lostLines(forecast, options),
    ...stuckLines(forecast, options),
    ...goneLines(forecast, options),
    ...breakLines(forecast, options),
    ...sentences(alarms, options),
    ...sentences(
      forecast.warnings.filter(({ code }) => telling.has(code)),
      options,
    ),
  ];
  const comesBack = Forecast.own(forecast.recreated).length > 0;
  const unread = unseenUserLines(forecast);
  if (told.length === 0 && (comesBack || unread.length === 0)) return [];
  return [
    ...told,
    ...recreatedLines(forecast, options),
    ...toolLines(forecast, 'recreated', options),
    ...unread,
    ...unseenKindLines(forecast),
    ...doubtLines(forecast, options),
    ...previewLine(forecast),
  ].map(line => shortened(showHidden(line)));
}

function* lostLines(forecast: Forecast, options: GuardTextOptions): Generator<string> {
  const lost = [...Forecast.lostVolumes(forecast)].map(
    (name): Identity => ({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      namespace: '',
      name,
      uid: '' as never,
    }),
  );
  if (lost.length > 0) yield listed('Lost for good: the data on', lost, options);
}

function* stuckLines(forecast: Forecast, options: GuardTextOptions): Generator<string> {
  for (const alarm of forecast.alarms)
    if (alarm.code === 'handlerGoesToo')
      yield listed(
        'Gets stuck, unless deleted first, because their handler is deleted too:',
        alarm.objects,
        options,
      );
  const uncertain = Forecast.own(forecast.timingDependent).map(({ object }) => object);
  if (uncertain.length > 0) yield listed('Depends on timing:', uncertain, options);
  const { outcome } = forecast;
  const isOpen = outcome === 'Stuck' || Forecast.dependsOnUnknown(forecast);
  if (!isOpen) return;
  if (outcome === 'Depends' && options.seesAll) yield `The deletion ${dependence(forecast)}.`;
  const held = Forecast.own(forecast.terminating);
  // Objects without a handler only wait for those that have one.
  const deciding = held.filter(({ handlers }) => handlers.length > 0);
  const named = (deciding.length > 0 ? deciding : held).filter(({ object }) => options.mayName(object));
  const shown = named.slice(0, FEW);
  for (const { object, waitingFor, finalizers } of shown) {
    const what = options.seesAll ? waitingFor.join('; ') : `finalizer ${enumerated(finalizers)}`;
    yield `Gets stuck: ${title(object, forecast)} waits for ${what}`;
  }
  const others = held.filter(each => !shown.includes(each)).map(({ object }) => object);
  if (others.length > 0) yield listed(shown.length > 0 ? 'Stuck with it:' : 'Gets stuck:', others, options);
  if (options.seesAll)
    for (const { object, operation, by } of Forecast.own(forecast.refused).slice(0, FEW))
      yield `Refused by ${by.kind} ${shownName(by.name)}: ${operation} of ${title(object, forecast)}`;
}

function* goneLines(forecast: Forecast, options: GuardTextOptions): Generator<string> {
  const targets = new Set(forecast.action.targets.map(({ uid }) => uid));
  const others = Forecast.own(Forecast.deletedAtMost(forecast)).filter(
    ({ object }) => !targets.has(object.uid),
  );
  // An update can only release its object.
  const released = forecast.action.verb === 'delete' ? [] : Forecast.own(forecast.deleted);
  const gone = [...new Set([...released, ...others].map(({ object }) => object))];
  const head = forecast.action.verb === 'delete' ? 'Also deleted:' : 'Deleted by this change:';
  if (gone.length > 0) yield listed(head, gone, options);
  yield* toolLines(forecast, 'deleted', options);
  const altered = Forecast.own(forecast.changed).filter(({ object }) => !targets.has(object.uid));
  const words = byKind(altered, alterationsIn(forecast));
  for (const { objects, word } of words.slice(0, FEW)) yield listed('', objects, options, ` ${word}`);
  if (words.length > FEW) yield `${counted(words.length - FEW, 'more kind')} of objects altered`;
}

function* breakLines({ breaks = [], action }: Forecast, options: GuardTextOptions): Generator<string> {
  const broken = breaks.filter(({ when }) => when !== 'leftBehind');
  const named = broken.filter(({ user, object }) => options.mayName(user) && options.mayName(object));
  for (const { user, object, how, because } of named.slice(0, FEW)) {
    const words = { namespace: surroundings(action.targets), all: true };
    const used = how.replace(/\bit\b/u, () => namesOf([object], words));
    yield `Breaks: ${namesOf([user], words)} ${used}${options.seesAll ? `: ${because}` : ''}`;
  }
  const more = broken.length - Math.min(FEW, named.length);
  if (more > 0) yield `Breaks: ${counted(more, 'more user')} of what is deleted`;
}

function* recreatedLines(forecast: Forecast, options: GuardTextOptions): Generator<string> {
  for (const each of Forecast.own(forecast.recreated).slice(0, FEW)) {
    const by = each.by === undefined || options.mayName(each.by);
    const creator = by ? creatorWords(each, surroundings(forecast.action.targets)) : '';
    yield `Recreated: ${each.count} ${countWords.plural(shownName(each.kind), each.count)}${creator}`;
  }
}

/** Tools are named by their objects, so only for those who may see any. */
function* toolLines(
  { logical = [], action }: Forecast,
  effect: AssumedEffect['effect'],
  options: GuardTextOptions,
): Generator<string> {
  const found = expected(logical, effect);
  const names = { namespace: surroundings(action.targets), all: true };
  if (!options.seesAll) {
    for (const [head, { length }] of Map.groupBy(found, headOf))
      yield `${head} ${effect} by tools: ${counted(length, 'object')}`;
    return;
  }
  const groups = Map.groupBy(found, each => `${headOf(each)} ${effect} by ${each.by}`);
  for (const [head, alike] of [...groups].slice(0, FEW)) {
    const objects = alike.map(({ object }) => object);
    yield `${head}: ${kindGroups(objects, names).join(', ')}`;
  }
}

function headOf({ when }: AssumedEffect): string {
  return when === 'unknown' ? 'Perhaps' : 'Taken to be';
}

function* sentences(found: readonly Warning[], { seesAll }: GuardTextOptions): Generator<string> {
  if (seesAll) yield* warningWords.sentences(found);
  else if (found.length > 0)
    yield `${counted(found.length, 'more effect')} on objects that you may not all list`;
}

function* doubtLines({ warnings }: Forecast, { seesAll }: GuardTextOptions): Generator<string> {
  const found = warnings.filter(each => doubts.has(each.code) && !('anyway' in each && each.anyway));
  if (seesAll) yield* warningWords.sentences(found);
  else if (found.length > 0) yield 'Not everything that decides is certain.';
}

/** Lists names if they fit, else numbers by kind, else one number; objects that may not be named are counted. */
function listed(
  head: string,
  objects: readonly Identity[],
  options: Pick<GuardTextOptions, 'mayName'>,
  tail = '',
): string {
  const known = objects.filter(each => options.mayName(each));
  const hidden = objects.length - known.length;
  const more = hidden === 0 ? [] : [`${hidden}${known.length > 0 ? ' more' : ''} that you may not list`];
  const kinds = [...Map.groupBy(known, ({ kind }) => kind)].map(
    ([kind, { length }]) => `${length} ${countWords.plural(shownName(kind), length)}`,
  );
  const names = { namespace: surroundings(objects), all: true };
  // Lists all, because `and 1 more` would count kinds, not objects.
  const choices = [kindGroups(known, names), kinds].map(words => enumerated([...words, ...more], Infinity));
  const lines = [...choices, counted(objects.length, 'object')].map(words =>
    `${head} ${words}${tail}`.trim(),
  );
  return lines.find(line => line.length <= MOST) ?? lines.at(-1) ?? '';
}

/** Users decide whether a deletion without other effects is harmless. */
function unseenUserLines({ warnings }: Forecast): string[] {
  const kinds = warnings.flatMap(each => (each.code === 'unseenUsers' ? each.kinds : []));
  const several = kinds.map(kind => countWords.plural(kind, 2));
  return kinds.length === 0
    ? []
    : [`Not known, as they were not read: whether ${enumerated(several)} use it`];
}

function unseenKindLines({ warnings }: Forecast): string[] {
  const kinds = warnings.flatMap(each => (each.code === 'unseenKinds' ? each.kinds : []));
  const names = kinds.map(({ resource }) => resource);
  return kinds.length === 0 ? [] : [`Not counted, as they cannot be seen: ${enumerated(names)}`];
}

function title(object: Identity, { action }: Forecast): string {
  return namesOf([object], { namespace: surroundings(action.targets), all: true });
}

/** Cuts a sentence at a comma, colon or semicolon if most of it stays. */
function shortened(sentence: string): string {
  if (sentence.length <= MOST) return sentence;
  const at = Math.max(...[', ', ': ', '; '].map(each => sentence.lastIndexOf(each, MOST - 2)));
  return at < MOST / 2 ? truncate(sentence, MOST) : `${sentence.slice(0, at)}…`;
}

/** A command that doesn't fit is left out: half of it would do something else. */
function* previewLine({ kubectl, action }: Forecast): Generator<string> {
  const [command, ...others] = kubectl;
  if (command === undefined || others.length > 0 || action.verb !== 'delete') return;
  const [, , ...words] = command.words.filter(word => word !== '--cascade=background');
  const line = shellLine([{ words: ['kubectl', 'gc-tree', 'plan', 'delete', ...words] }]);
  if (line !== undefined && line.length + 9 <= MOST) yield `Preview: ${line}`;
}
