/** Background, foreground and orphan side by side, for objects they treat differently. */

import { Cascade, Forecast, RecreatedObjects } from '../../forecast/index.ts';
import type { Identity } from '../../graph/index.ts';
import { counted, objectTitleIn, type Uid } from '../../model/index.ts';
import { assumedLines } from '../plan/assumed.ts';
import { dependence, handlerWords } from '../plan/handlers.ts';
import { countsOf, planWords } from '../plan/plan-lines.ts';
import { countWords, creatorWords, planOrder, surroundings } from '../plan/plan-words.ts';
import { warningWords } from '../plan/warning-words.ts';
import { nameWords } from '../terminal/names.ts';
import type { Style } from '../terminal/style.ts';
import { TextLine } from '../terminal/text-line.ts';
import { displayWidth, padEnd, truncated } from '../terminal/width.ts';

export type PolicyForecasts = Readonly<Record<Cascade, Forecast>>;

type Fate = 'deleted' | 'later' | 'stays' | 'held' | 'orphaned' | 'altered' | 'uncertain';

const meanings: Readonly<Record<Cascade, string>> = {
  background: 'it is deleted at once; then the garbage collector deletes dependents without another owner',
  foreground: 'what it owns is deleted first; it stays until nothing that blocks its deletion is left',
  orphan: 'it alone is deleted; what it owns loses the reference to it and stays',
};

const legend: Readonly<Partial<Record<Fate, string>>> = {
  later: 'stays for now, and is deleted once held objects have been released',
  held: 'being deleted, and still there until nothing holds it any more',
  orphaned: 'stays, without an owner from then on',
  altered: 'stays, with other owner references or finalizers',
  uncertain: 'depends on the order of work, which cannot be foretold',
};

const styles: Readonly<Record<Fate, Style>> = {
  deleted: 'danger',
  later: 'danger',
  stays: 'good',
  held: 'warning',
  orphaned: 'info',
  altered: 'info',
  uncertain: 'warning',
};

const CELL = 12;
const SHOWN = 30;
const ALIKE = 4;
const NARROWEST = 20;

export interface PolicyTextOptions {
  readonly all: boolean;
  /** The terminal's columns; undefined without a terminal. */
  readonly width: number | undefined;
}

function endAlike(forecasts: PolicyForecasts): boolean {
  const [first, ...others] = Cascade.all.map(each => outcomeKey(forecasts[each]));
  return others.every(each => each === first);
}

function outcomeKey(forecast: Forecast): string {
  const fates = [...fatesOf(forecast)].sort(([a], [b]) => (a < b ? -1 : 1));
  const recreated = forecast.recreated.map(each => [
    RecreatedObjects.key(each),
    each.count,
    each.pending,
    each.anyway,
  ]);
  return JSON.stringify([forecast.outcome, fates, recreated]);
}

function* policyLines(forecasts: PolicyForecasts, options: PolicyTextOptions): Generator<TextLine> {
  const { targets } = forecasts.background.action;
  yield TextLine.of(`Deleting ${countWords.targets(targets)}: three ways`, 'title');
  yield TextLine.empty;
  for (const policy of Cascade.all) {
    yield TextLine.of(`  ${policy.padEnd(CELL)}${meanings[policy]}`, 'plain', CELL + 2);
    const forecast = forecasts[policy];
    yield TextLine.of(
      `${' '.repeat(CELL + 2)}${summary(forecast)}`,
      planWords.headStyle(forecast, 'muted'),
      CELL + 2,
    );
  }
  yield* table(forecasts, options);
  yield* assumedLines(
    Cascade.all.map(under => ({ forecast: forecasts[under], under })),
    options.all,
  );
  yield* remarked(waits(forecasts), '');
  yield* remarked(
    gathered(
      Cascade.all.flatMap(policy => warningWords.all(forecasts[policy]).map(words => ({ words, policy }))),
    ),
    '! ',
  );
}

function summary(forecast: Forecast): string {
  if (forecast.outcome === 'Refused') return 'is refused';
  const counts = countsOf(forecast).join(', ');
  if (forecast.outcome === 'Depends') return `${dependence(forecast)}: ${counts}`;
  if (forecast.outcome === 'Stuck') return counts === '' ? 'gets stuck' : `gets stuck: ${counts}`;
  return counts === '' ? 'changes nothing' : counts;
}

interface Row {
  readonly object: Identity;
  readonly fates: readonly Fate[];
}

function* table(forecasts: PolicyForecasts, { all, width }: PolicyTextOptions): Generator<TextLine> {
  const rows = rowsOf(forecasts);
  const targets = new Set<Uid>(forecasts.background.action.targets.map(({ uid }) => uid));
  const { differing = [], alike = [] } = Object.groupBy(rows, ({ fates, object }) =>
    new Set(fates).size > 1 || targets.has(object.uid) ? 'differing' : 'alike',
  );
  const shown = all ? differing : differing.slice(0, SHOWN);
  const namespace = surroundings(forecasts.background.action.targets);
  const names = shown.map(({ object }) => objectTitleIn(object, namespace));
  const room = width === undefined ? Infinity : Math.max(NARROWEST, width - 2 - Cascade.all.length * CELL);
  const column = Math.min(room, Math.max(...names.map(displayWidth)) + 2);
  yield TextLine.empty;
  yield TextLine.of(
    `  ${' '.repeat(column)}${Cascade.all.map(each => each.padEnd(CELL)).join('')}`.trimEnd(),
    'title',
  );
  for (const [index, { fates }] of shown.entries()) {
    const name = padEnd(truncated.title(names[index] ?? '', column - 1), column);
    yield {
      spans: [
        { text: `  ${name}`, style: 'plain' },
        ...fates.map((fate, at) => ({
          text: at === fates.length - 1 ? fate : fate.padEnd(CELL),
          style: styles[fate],
        })),
      ],
      indent: 4,
    };
  }
  const more = differing.length - shown.length;
  if (more > 0) yield TextLine.of(`  and ${counted(more, 'more object')} (-o wide shows them)`, 'muted');
  if (alike.length > 0) yield TextLine.of(`  ${alikeWords(alike, namespace, all)}`, 'muted', 4);
  const used = new Set([...shown, ...alike].flatMap(({ fates }) => fates));
  const explained = Object.entries(legend).filter(([fate]) => used.has(fate as Fate));
  if (explained.length > 0) yield TextLine.empty;
  for (const [fate, words] of explained)
    yield TextLine.of(`  ${fate.padEnd(CELL)}${words}`, 'muted', CELL + 2);
}

function alikeWords(rows: readonly Row[], namespace: string, all: boolean): string {
  if (rows.length > ALIKE && !all) return `The same under all three: ${counted(rows.length, 'object')}.`;
  const words = rows.map(
    ({ object, fates: [fate = 'stays'] }) => `${objectTitleIn(object, namespace)} ${fate}`,
  );
  return `The same under all three: ${words.join(', ')}.`;
}

/** Sorts targets first, then owners' kinds before those they own. */
function rowsOf(forecasts: PolicyForecasts): Row[] {
  const objects = new Map<Uid, Identity>();
  const fates = Cascade.all.map(each => fatesOf(forecasts[each]));
  const anyhow = Cascade.all.map(each => fatesInAnyCase(forecasts[each]));
  for (const object of forecasts.background.action.targets) objects.set(object.uid, object);
  for (const policy of Cascade.all) {
    const { deleted, terminating, changed, doomed, timingDependent } = forecasts[policy];
    for (const { object } of [...deleted, ...changed, ...terminating, ...doomed, ...timingDependent])
      if (fates.some(each => each.has(object.uid))) objects.set(object.uid, object);
  }
  const targets = forecasts.background.action.targets.length;
  const [first, others] = [[...objects.values()].slice(0, targets), [...objects.values()].slice(targets)];
  return [
    ...first,
    ...others.toSorted(
      (a, b) => nameWords.kindRank(a.kind, planOrder) - nameWords.kindRank(b.kind, planOrder),
    ),
  ].map(object => ({
    object,
    // An object that is already being deleted doesn't stay.
    fates: fates.map((each, at) => each.get(object.uid) ?? anyhow[at]?.get(object.uid) ?? 'stays'),
  }));
}

/** Omits what happens anyway, except to the targets. */
function fatesOf(forecast: Forecast): Map<Uid, Fate> {
  const fates = new Map<Uid, Fate>();
  const targets = new Set(forecast.action.targets.map(({ uid }) => uid));
  for (const { object, anyway, ownerReferencesLeft, ownerReferencesRemoved } of forecast.changed)
    if (!anyway)
      fates.set(
        object.uid,
        ownerReferencesLeft === 0 && ownerReferencesRemoved.length > 0 ? 'orphaned' : 'altered',
      );
  for (const { object } of Forecast.own(forecast.doomed)) fates.set(object.uid, 'later');
  for (const { object, anyway } of forecast.terminating)
    if (!anyway || targets.has(object.uid)) fates.set(object.uid, 'held');
  for (const { object, anyway } of forecast.deleted)
    if (!anyway || targets.has(object.uid)) fates.set(object.uid, 'deleted');
  for (const { object } of Forecast.own(forecast.timingDependent)) fates.set(object.uid, 'uncertain');
  return fates;
}

/** Returns fates that no policy changes. */
function fatesInAnyCase({ deleted, terminating, doomed }: Forecast): Map<Uid, Fate> {
  const fates = new Map<Uid, Fate>();
  for (const { object } of doomed) fates.set(object.uid, 'later');
  for (const { object } of terminating) fates.set(object.uid, 'held');
  for (const { object } of deleted) fates.set(object.uid, 'deleted');
  return fates;
}

interface Remark {
  readonly words: string;
  readonly policy: Cascade;
}

function waits(forecasts: PolicyForecasts): ReadonlyMap<string, readonly Cascade[]> {
  const namespace = surroundings(forecasts.background.action.targets);
  const remarks: Remark[] = [];
  for (const policy of Cascade.all) {
    const { terminating, recreated } = forecasts[policy];
    for (const { object, anyway, waitingFor } of terminating.slice(0, SHOWN)) {
      if (anyway) continue;
      remarks.push({
        words: `${objectTitleIn(object, namespace)} waits for ${waitingFor.join('; ')}`,
        policy,
      });
    }
    for (const words of handlerWords(Forecast.own(terminating), false)) remarks.push({ words, policy });
    for (const each of recreated) {
      const { kind, count, anyway } = each;
      if (anyway) continue;
      const words = `${counted(count, kind, countWords.plural(kind, count))} ${count === 1 ? 'is' : 'are'} recreated`;
      remarks.push({ words: `${words}${creatorWords(each, namespace)}`, policy });
    }
  }
  return gathered(remarks);
}

function gathered(remarks: readonly Remark[]): ReadonlyMap<string, readonly Cascade[]> {
  const groups = Map.groupBy(remarks, ({ words }) => words);
  return new Map([...groups].map(([words, alike]) => [words, [...new Set(alike.map(each => each.policy))]]));
}

function* remarked(remarks: ReadonlyMap<string, readonly Cascade[]>, mark: string): Generator<TextLine> {
  if (remarks.size > 0) yield TextLine.empty;
  for (const [words, under] of remarks) {
    const which = under.length === Cascade.all.length ? '' : `${under.join(' and ')}: `;
    yield TextLine.of(`  ${mark}${which}${words}`, 'warning', 4);
  }
}

export const policyWords = { areAlike: endAlike, lines: policyLines };
