/** An action's progress and outcome, compared with its forecast. */
import type { Ended, Prepared, Reversal } from '../../actions/index.ts';
import { Forecast, type TerminatingObject } from '../../forecast/index.ts';
import type { Identity } from '../../graph/index.ts';
import {
  counted,
  formatCount,
  objectTitle,
  type ShellCommands,
  showHidden,
  type Uid,
} from '../../model/index.ts';
import { dependence } from '../plan/handlers.ts';
import { countWords } from '../plan/plan-words.ts';
import { warningWords } from '../plan/warning-words.ts';
import { timeText } from '../terminal/age.ts';
import type { Style } from '../terminal/style.ts';
import { TextLine } from '../terminal/text-line.ts';
import { failureWords } from './failure.ts';

type Progress = NonNullable<Ended['progress']>;

type Comparison = Ended['compared'][number];

const SHOWN = 10;
const LOST = 3;

/** Returns `2 of 5 done; StatefulSet shop/web is being deleted`. */
function progressLine({ done, total, pending, departures }: Progress): string {
  const [first] = departures;
  if (first !== undefined) return departureWords(first);
  const [next] = pending;
  const waits = next === undefined ? '' : `; ${objectTitle(next.object)} ${showHidden(next.state)}`;
  return `${formatCount(done)} of ${formatCount(total)} done${waits}`;
}

/** Returns `3 of 7 · waits for Pod shop/web-2, which is still there`. */
function stepWords({ done, total, pending, departures }: Progress): string {
  const [first] = departures;
  if (first !== undefined) return departureWords(first);
  if (total === 0) return 'nothing to wait for';
  const [next] = pending;
  const waits =
    next === undefined ? '' : ` · waits for ${objectTitle(next.object)}, which ${showHidden(next.state)}`;
  return `${formatCount(done)} of ${formatCount(total)}${waits}`;
}

const ends: Readonly<Record<Comparison['expected'], string>> = {
  gone: 'deleted',
  held: 'held',
  changed: 'altered',
  made: 'created',
  bound: 'bound to a new claim',
  kept: 'kept',
  recreated: 'recreated',
};

function objectsIn(compared: readonly Comparison[]): number {
  return compared.reduce((sum, { makes }) => sum + (makes?.count ?? 1), 0);
}

function* comparedLines(compared: readonly Comparison[]): Generator<TextLine> {
  if (compared.length === 0) return;
  yield TextLine.of('Forecast and reality', 'title');
  for (const [expected, alike] of Map.groupBy(compared, each => each.expected)) {
    const all = objectsIn(alike);
    const reached = objectsIn(alike.filter(({ standing }) => standing === 'asForecast'));
    const style = reached === all ? 'good' : 'warning';
    yield TextLine.of(
      `  ${ends[expected].padEnd(11)}${formatCount(reached)} of ${formatCount(all)} as forecast`,
      style,
      13,
    );
  }
  const others = compared.filter(({ standing }) => standing !== 'asForecast');
  yield* listed(
    others,
    'warning',
    ({ object, actual, standing }) =>
      `    ${objectTitle(object)} ${showHidden(actual ?? '')}${standing === 'pending' ? ', so far' : ''}`,
  );
}

export interface UndoWords {
  readonly reversal: Reversal;
  /** The screen's key for it. */
  readonly key?: string;
  readonly command: (entries: readonly string[]) => ShellCommands;
  readonly list: ShellCommands;
}

export interface OutcomeOptions {
  /** Milliseconds since the first request. */
  readonly took: number;
  /** Undefined if undo is impossible in principle. */
  readonly undo: UndoWords | undefined;
  /** True if the user waited for the end. */
  readonly followed: boolean;
}

function* outcomeLines(ended: Ended, { took, undo, followed }: OutcomeOptions): Generator<TextLine> {
  const { state, progress, departures, because } = ended;
  const { pending = [] } = progress ?? {};
  const after = took < 1000 ? '' : ` after ${timeText.duration(took)}`;
  if (!followed && departures.length === 0) {
    yield TextLine.of('Sent. What becomes of it is not followed.');
  } else if (state === 'reached') {
    const stuck = endsStuck(ended);
    yield TextLine.of(reachedWords(ended, after), stuck ? 'warning' : 'good');
    if (stuck) yield* listed(stillHeld(ended), 'warning', each => `  ${stuckWords(each)}.`);
  } else if (state === 'departed') {
    yield TextLine.of(`The cluster did not follow the forecast${after}:`, 'danger');
    yield* listed(departures, 'danger', each => `  ${departureWords(each)}`);
    yield* listed(pending, 'warning', each => `  Not there yet either: ${pendingWords(each)}`);
    if (progress === undefined) {
      const { taken, prepared } = ended;
      const total = counted(prepared.requests.length, 'request');
      yield TextLine.of(
        `It stopped there: ${formatCount(taken)} of ${total} ${taken === 1 ? 'was' : 'were'} sent.`,
      );
    }
  } else {
    yield TextLine.of(`Not as forecast yet${after}: ${showHidden(because)}.`, 'warning');
    yield* listed(pending, 'warning', each => `  ${pendingWords(each)}`);
    if (awaitsRetry(ended))
      yield TextLine.of(
        '  The garbage collector has failed to decide on it before, and pauses longer after each failure, up to 1000 s: it may take almost 17 minutes.',
        'muted',
        2,
      );
    yield TextLine.of(
      'Requests that were sent still take effect; `kubectl gc-tree why` shows what the objects wait for.',
      'muted',
    );
  }
  if (ended.found !== undefined) {
    yield TextLine.of(`No clear answer came to a request. ${failureWords.found(ended.found)}`, 'warning');
  }
  if (undo !== undefined) yield* undoLines(undo);
}

/**
 * Returns true if a deletion may wait for the collector's next try: removing a reference triggers no check, and the
 * collector's pauses aren't visible (docs/kubernetes.md §3.4).
 */
function awaitsRetry({ prepared: { intent, forecast }, progress }: Ended): boolean {
  if (intent.verb !== 'unblock' || !intent.remedy.id.startsWith('prune-reference')) return false;
  const deleted = new Set(Forecast.own(forecast.deleted).map(({ object }) => object.uid));
  return progress?.pending.some(({ object }) => deleted.has(object.uid)) === true;
}

function leavesStuck({ intent, forecast }: Prepared): boolean {
  return intent.verb === 'delete' && forecast.outcome === 'Stuck';
}

/** Like `leavesStuck`, after following: a missing handler may have acted after all. */
function endsStuck(ended: Ended): boolean {
  const { prepared } = ended;
  return leavesStuck(prepared) && (stuckObjects(prepared).length === 0 || stillHeld(ended).length > 0);
}

function stillHeld({ prepared, compared }: Ended): readonly TerminatingObject[] {
  const gone = new Set<Uid>();
  for (const { expected, standing, actual, object } of compared)
    if (expected === 'held' && standing === 'asForecast' && actual !== undefined) gone.add(object.uid);
  return stuckObjects(prepared).filter(({ object }) => !gone.has(object.uid));
}

/** Lists objects that the action leaves held even after all handlers have acted. */
function stuckObjects({ forecast }: Prepared): readonly TerminatingObject[] {
  const awaiting = Forecast.awaitingHandlers(forecast);
  return Forecast.own(forecast.terminating).filter(({ object }) => !awaiting.has(object.uid));
}

/** Like `leavesStuck`, before acting: also true if a handler's presence is unknown. */
function mayLeaveStuck(prepared: Prepared): boolean {
  return (
    leavesStuck(prepared) ||
    (prepared.intent.verb === 'delete' && Forecast.dependsOnUnknown(prepared.forecast))
  );
}

function* listed<T>(objects: readonly T[], style: Style, words: (each: T) => string): Generator<TextLine> {
  for (const each of objects.slice(0, SHOWN)) yield TextLine.of(words(each), style, 4);
  const more = objects.length - SHOWN;
  if (more > 0) yield TextLine.of(`  and ${counted(more, 'more object')}`, style);
}

function stuckWords({ object, waitingFor: [first, ...others] }: TerminatingObject): string {
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `${objectTitle(object)} is stuck${first === undefined ? '' : `: it waits for ${showHidden(first)}${more}`}`;
}

function stuckRefusal(prepared: Prepared): string {
  const { forecast } = prepared;
  const { action } = forecast;
  if (forecast.outcome === 'Depends')
    return `deleting ${countWords.targets(action.targets)} could get stuck: it ${dependence(forecast)}.\nNothing was changed; --allow-stuck deletes it anyway.`;
  const [first] = stuckObjects(prepared);
  const orphaned = forecast.alarms.find(({ code }) => code === 'handlerGoesToo');
  if (orphaned?.code === 'handlerGoesToo')
    return `deleting ${countWords.targets(action.targets)} would get stuck.\n${warningWords.sentences([orphaned]).join(' ')}\nNothing was changed; --allow-stuck deletes it anyway.`;
  const because = first === undefined ? '' : ` (${stuckWords(first)})`;
  return `deleting ${countWords.targets(action.targets)} would get stuck${because}.\nNothing was changed; --allow-stuck deletes it anyway.`;
}

/** Offers nothing that would be refused, and names what can't be recreated. */
function* undoLines({ reversal, key, command, list }: UndoWords): Generator<TextLine> {
  const { entries } = reversal;
  if (!reversal.known) {
    if (entries.length > 0) yield wayLine('What can be undone shows when it is done: ', key, list);
    return;
  }
  const { lost } = reversal;
  if (entries.length > 0) yield wayLine('Undo: ', key, command(entries));
  else if (lost.length > 0) yield TextLine.of('Undo cannot restore:', 'muted');
  const lead = entries.length > 0 ? 'cannot come back: ' : '';
  for (const each of lost.slice(0, LOST)) yield TextLine.of(`  ${lead}${each}`, 'muted', 4);
  const more = lost.length - LOST;
  if (more > 0) yield TextLine.of(`  and ${formatCount(more)} more`, 'muted');
}

function wayLine(lead: string, key: string | undefined, commands: ShellCommands): TextLine {
  if (key === undefined) return TextLine.command(lead, commands, 'muted', 6);
  return commands.length === 0
    ? TextLine.of(`${lead}${key}`, 'muted', 6)
    : TextLine.command(`${lead}${key}, or `, commands, 'muted', 6);
}

function pendingWords({ object, state }: Progress['pending'][number]): string {
  return `${objectTitle(object)} ${state}`;
}

function departureWords({ object, expected, actual }: Ended['departures'][number]): string {
  return `${objectTitle(object)} ${showHidden(actual)}; the forecast was that it ${showHidden(expected)}`;
}

/** Returns `As forecast after 3s: 2 objects are gone, 1 is altered.` */
function reachedWords(ended: Ended, after: string): string {
  const { forecast } = ended.prepared;
  const end = Forecast.expectedEnd(forecast);
  const held = stillHeld(ended).length;
  const gone = Forecast.own(end.deleted).length + Forecast.own(end.terminating).length - held;
  const altered = Forecast.own(end.changed).filter(each => !isListed(each.object, end)).length;
  const back = forecast.recreated.reduce((sum, { count, anyway }) => sum + (anyway ? 0 : count), 0);
  const parts = [
    gone === 0 ? '' : `${counted(gone, 'object')} ${gone === 1 ? 'is' : 'are'} gone`,
    altered === 0 ? '' : `${formatCount(altered)} ${altered === 1 ? 'is' : 'are'} altered`,
    held === 0 ? '' : `${formatCount(held)} ${held === 1 ? 'stays' : 'stay'} terminating`,
    back === 0 ? '' : `${formatCount(back)} ${back === 1 ? 'is' : 'are'} recreated`,
  ].filter(each => each !== '');
  return `As forecast${after}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}.`;
}

/** Avoids counting an object altered during its deletion twice. */
function isListed({ uid }: Identity, { terminating }: Pick<Forecast, 'terminating'>): boolean {
  return terminating.some(({ object }) => object.uid === uid);
}

export const outcomeWords = {
  lines: outcomeLines,
  compared: comparedLines,
  step: stepWords,
  endsStuck,
  mayLeaveStuck,
  progress: progressLine,
  stuckRefusal,
};
