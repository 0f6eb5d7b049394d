/** What became of an action, against its forecast; and how far it is while it is under way. */
import type { Prepared } from '../../actions/prepare/prepare.ts';
import type { Departure, Ended, Progress } from '../../actions/run/ports.ts';
import type { Reversal } from '../../actions/undo/undo.ts';
import type { Forecast } from '../../forecast/plan/plan.ts';
import type { Identity } from '../../graph/node.ts';
import type { ShellCommands } from '../../model/text/shell-line.ts';
import { showHidden } from '../../model/text/shown.ts';
import { counted, objectTitle } from '../../model/text/titles.ts';
import { formatDuration } from '../terminal/age.ts';
import { commandLine, type TextLine, textLine } from '../terminal/text-line.ts';
import { foundSentence } from './failure.ts';

const SHOWN = 10;
const LOST = 3;

/** `2 of 5 done; StatefulSet shop/web is being deleted`: one line. */
export function progressLine({ done, total, pending, departures }: Progress): string {
  const [first] = departures;
  if (first !== undefined) return departureWords(first);
  const [next] = pending;
  const waits = next === undefined ? '' : `; ${objectTitle(next.object)} ${showHidden(next.state)}`;
  return `${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} done${waits}`;
}

export interface UndoWords {
  readonly reversal: Reversal;
  /** The key that does it on the screen. */
  readonly key?: string;
  /** The commands that take these entries back; none where only the key does. */
  readonly command: (entries: readonly string[]) => ShellCommands;
  /** The commands that list entries; none where only the key does. */
  readonly list: ShellCommands;
}

export interface OutcomeOptions {
  /** Milliseconds since the first request was sent. */
  readonly took: number;
  /** Undefined where nobody could take it back later, whatever it was. */
  readonly undo: UndoWords | undefined;
  /** Whether somebody waited for the end. */
  readonly followed: boolean;
}

/** For an action that was sent in whole. */
export function* outcomeLines(ended: Ended, { took, undo, followed }: OutcomeOptions): Generator<TextLine> {
  const { state, prepared, progress, departures, because } = ended;
  const after = took < 1000 ? '' : ` after ${formatDuration(took)}`;
  if (!followed && departures.length === 0) {
    yield textLine('Sent. What becomes of it is not followed.');
  } else if (state === 'reached') {
    yield textLine(reachedWords(prepared.forecast, after), leavesStuck(prepared) ? 'warning' : 'good');
    if (leavesStuck(prepared)) yield* stuckLines(prepared.forecast);
  } else if (state === 'departed') {
    yield textLine(`The cluster did not follow the forecast${after}:`, 'danger');
    for (const each of departures.slice(0, SHOWN)) yield textLine(`  ${departureWords(each)}`, 'danger', 4);
    const more = departures.length - SHOWN;
    if (more > 0) yield textLine(`  and ${counted(more, 'more object')}`, 'danger');
    yield* pendingLines(progress, '  Not there yet either: ');
  } else {
    yield textLine(`Not as forecast yet${after}: ${showHidden(because)}.`, 'warning');
    yield* pendingLines(progress, '  ');
    yield textLine('What was sent goes on by itself; `kubectl gc-tree why` says what it waits for.', 'muted');
  }
  if (ended.found !== undefined) {
    yield textLine(`No clear answer came to a request. ${foundSentence(ended.found)}`, 'warning');
  }
  if (undo !== undefined) yield* undoLines(undo);
}

/** It is as forecast, and what was to be deleted is still there. */
export function leavesStuck({ intent, forecast }: Prepared): boolean {
  return intent.verb === 'delete' && forecast.outcome === 'Stuck';
}

function* stuckLines({ terminating }: Forecast): Generator<TextLine> {
  const held = terminating.filter(({ anyway }) => !anyway);
  for (const { object, waitingFor } of held.slice(0, SHOWN))
    yield textLine(`  ${stuckWords(object, waitingFor)}.`, 'warning', 4);
  const more = held.length - SHOWN;
  if (more > 0) yield textLine(`  and ${counted(more, 'more object')}`, 'warning');
}

function stuckWords(object: Identity, waitingFor: readonly string[]): string {
  const [first, ...others] = waitingFor;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `${objectTitle(object)} is stuck${first === undefined ? '' : `: it waits for ${showHidden(first)}${more}`}`;
}

/** Why a deletion is refused that nobody looks at: `deleting namespace gears would get stuck`, and on what. */
export function stuckRefusal({ forecast }: Prepared): string {
  const { action, terminating } = forecast;
  const [target] = action.targets;
  const what =
    action.targets.length === 1 && target !== undefined
      ? objectTitle(target)
      : counted(action.targets.length, 'object');
  const [first] = terminating.filter(({ anyway }) => !anyway);
  const because = first === undefined ? '' : ` (${stuckWords(first.object, first.waitingFor)})`;
  return `deleting ${what} would get stuck${because}.\nNothing was changed; --allow-stuck deletes it anyway.`;
}

/** Nothing that would be refused: what cannot be recreated is said instead. */
function* undoLines({ reversal, key, command, list }: UndoWords): Generator<TextLine> {
  const { entries } = reversal;
  if (!reversal.known) {
    if (entries.length > 0) yield wayLine('What can be undone shows when it is done: ', key, list);
    return;
  }
  const { lost } = reversal;
  if (entries.length > 0) yield wayLine('Undo: ', key, command(entries));
  else if (lost.length > 0) yield textLine('Undo cannot take it back:', 'muted');
  const lead = entries.length > 0 ? 'cannot come back: ' : '';
  for (const each of lost.slice(0, LOST)) yield textLine(`  ${lead}${each}`, 'muted', 4);
  const more = lost.length - LOST;
  if (more > 0) yield textLine(`  and ${more.toLocaleString('en-US')} more`, 'muted');
}

function wayLine(lead: string, key: string | undefined, commands: ShellCommands): TextLine {
  if (key === undefined) return commandLine(lead, commands, 'muted', 6);
  return commands.length === 0
    ? textLine(`${lead}${key}`, 'muted', 6)
    : commandLine(`${lead}${key}, or `, commands, 'muted', 6);
}

function* pendingLines(progress: Progress | undefined, lead: string): Generator<TextLine> {
  const pending = progress?.pending ?? [];
  for (const { object, state } of pending.slice(0, SHOWN))
    yield textLine(`${lead}${objectTitle(object)} ${state}`, 'warning', 4);
  const more = pending.length - SHOWN;
  if (more > 0) yield textLine(`  and ${counted(more, 'more object')}`, 'warning');
}

function departureWords({ object, expected, actual }: Departure): string {
  return `${objectTitle(object)} ${showHidden(actual)}; the forecast was that it ${showHidden(expected)}`;
}

/** `As forecast after 3s: 2 objects are gone, 1 is altered.` */
function reachedWords(forecast: Forecast, after: string): string {
  const own = (list: readonly { readonly anyway: boolean }[]): number =>
    list.filter(({ anyway }) => !anyway).length;
  const gone = own(forecast.deleted);
  const altered = own(forecast.changed.filter(each => !isListed(each.object, forecast)));
  const held = own(forecast.terminating);
  const back = forecast.recreated.reduce((sum, { count, anyway }) => sum + (anyway ? 0 : count), 0);
  const parts = [
    gone === 0 ? '' : `${counted(gone, 'object')} ${gone === 1 ? 'is' : 'are'} gone`,
    altered === 0 ? '' : `${altered.toLocaleString('en-US')} ${altered === 1 ? 'is' : 'are'} altered`,
    held === 0 ? '' : `${held.toLocaleString('en-US')} ${held === 1 ? 'stays' : 'stay'} terminating`,
    back === 0 ? '' : `${back.toLocaleString('en-US')} ${back === 1 ? 'is' : 'are'} recreated`,
  ].filter(each => each !== '');
  return `As forecast${after}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}.`;
}

/** One that is altered while it is deleted counts once. */
function isListed({ uid }: Identity, { terminating }: Forecast): boolean {
  return terminating.some(({ object }) => object.uid === uid);
}
