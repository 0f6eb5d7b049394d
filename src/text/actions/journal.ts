/** The journal as lines, with the effects and limits of an undo. */
import { type Entry, type RequestState, type Trace, tookEffect, type Undo } from '../../actions/index.ts';
import { formatCount } from '../../model/index.ts';
import type { JournalTrace } from '../diagnosis/gone-lines.ts';
import { timeText } from '../terminal/age.ts';
import type { Style } from '../terminal/style.ts';
import { TextLine } from '../terminal/text-line.ts';

interface Reversibility {
  readonly extent: Undo['extent'];
  /** The reason that undo is impossible or partial. */
  readonly because?: string;
}

export interface JudgedEntry {
  readonly entry: Entry;
  readonly reversibility: Reversibility;
}

export interface JournalTextOptions {
  readonly wide: boolean;
  readonly headers: boolean;
  readonly now: number;
}

const COLUMNS = { id: 25, age: 7, outcome: 13, undo: 9 } as const;
const INDENT = COLUMNS.id + COLUMNS.age + COLUMNS.outcome + COLUMNS.undo;
const SHOWN = 10;

function* journalLines(
  entries: readonly JudgedEntry[],
  { wide, headers, now }: JournalTextOptions,
): Generator<TextLine> {
  if (headers) yield TextLine.of(row('ENTRY', 'AGE', 'OUTCOME', 'UNDO', 'WHAT'), 'title', INDENT);
  for (const { entry, reversibility } of entries) {
    const { id, at, title } = entry.intended;
    const undo = { whole: 'yes', part: 'in part', nothing: 'no' }[reversibility.extent];
    yield TextLine.of(
      row(id, timeText.age(at, now), outcomeWord(entry), undo, title),
      styleOf(entry),
      INDENT,
    );
    if (!wide) continue;
    const { because } = reversibility;
    if (because !== undefined) yield TextLine.of(`  ${because}`, 'muted', 4);
    for (const [index, { method, path }] of entry.intended.requests.entries())
      yield TextLine.of(`  ${method} ${path}: ${stateWords(entry.requests[index])}`, 'muted', 4);
  }
}

function row(id: string, age: string, outcome: string, undo: string, what: string): string {
  return `${id.padEnd(COLUMNS.id)}${age.padEnd(COLUMNS.age)}${outcome.padEnd(COLUMNS.outcome)}${undo.padEnd(COLUMNS.undo)}${what}`;
}

function outcomeWord(entry: Entry): string {
  const outcome = entry.ended?.outcome;
  if (outcome !== undefined) return outcome === 'reached' ? 'as forecast' : outcome;
  if (tookEffect(entry) !== 'no') return 'unknown';
  return entry.requests.some(({ state }) => state === 'answered') ? 'refused' : 'not sent';
}

function styleOf(entry: Entry): Style {
  const { outcome } = entry.ended ?? {};
  if (outcome === 'departed') return 'danger';
  return outcome === 'reached' || outcome === 'refused' ? 'plain' : 'warning';
}

function stateWords(request: RequestState | undefined): string {
  switch (request?.state) {
    case 'answered':
      return `${request.status}${request.message === undefined ? '' : ` ${request.message}`}`;
    case 'unknown':
      return 'sent perhaps, without an answer';
    case 'notSent':
    case undefined:
      return 'not sent';
  }
}

/** Describes this tool's actions on an object that isn't there. */
function journalTrace({ entry, effect, what }: Trace): JournalTrace {
  const { at, id, title } = entry.intended;
  return { entry: id, at, action: title, what: traceWords(what, effect), effect };
}

function traceWords(what: Trace['what'], effect: Trace['effect']): string {
  const isSure = effect === 'yes';
  switch (what.of) {
    case 'deletion':
      return isSure ? 'the API server accepted its deletion' : 'its deletion was requested';
    case 'finalizers':
      return removalWords('finalizer', what.removed, isSure);
    case 'owners':
      return removalWords('reference to', what.removed, isSure);
    case 'otherwise':
      return isSure ? 'it was changed' : 'a change of it was requested';
    case 'around':
      return isSure
        ? 'other objects were changed for that'
        : 'changes of other objects were requested for that';
    case 'along':
      return 'the forecast was that it is deleted as well';
  }
}

function removalWords(what: string, removed: readonly string[], isSure: boolean): string {
  const which =
    removed.length === 0
      ? `a ${what === 'finalizer' ? what : 'reference'}`
      : `its ${what} ${removed.join(', ')}`;
  return isSure ? `${which} was removed` : `the removal of ${which} was requested`;
}

function* undoNotes({ intended, requests }: Entry, undo: Undo, now: number): Generator<TextLine> {
  const ago = timeText.age(intended.at, now);
  yield TextLine.of(`  Takes back: ${intended.title}, ${ago} ago`, 'plain', 4);
  if (requests.some(({ state }) => state === 'unknown'))
    yield TextLine.of(
      '  ! Whether all of its requests took effect is unknown: no answer came.',
      'warning',
      4,
    );
  yield* limited(undo.does, each => TextLine.of(`  + ${each}`, 'good', 4));
  yield* limited(undo.lost, each => TextLine.of(`  ! cannot come back: ${each}`, 'warning', 4));
}

function* lostLines({ lost }: Undo): Generator<TextLine> {
  if (lost.length === 0) return;
  yield TextLine.of('Not back:', 'warning');
  yield* limited(lost, each => TextLine.of(`  ${each}`, 'warning', 4));
}

function* limited(lines: readonly string[], line: (text: string) => TextLine): Generator<TextLine> {
  for (const each of lines.slice(0, SHOWN)) yield line(each);
  const more = lines.length - SHOWN;
  if (more > 0) yield line(`and ${formatCount(more)} more`);
}

export const journalWords = { lost: lostLines, undoNotes, trace: journalTrace, lines: journalLines };
