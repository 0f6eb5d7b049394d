/** Draws the time line: a recording's range, moment and deletions, or the shown step of a forecast. */
import { formatCount } from '../../model/index.ts';
import { displayWidth, type Line, type Span, timeText } from '../../text/index.ts';
import { fit, glyphsOf } from '../drawing/fit.ts';
import type { ForecastStep } from '../state/action-dialog.ts';
import { currentStep } from '../state/forecast-step.ts';
import type { State } from '../state/state.ts';

interface Parts {
  readonly head: string;
  readonly begin: string;
  readonly end: string;
  readonly tail: string;
  readonly width: number;
}

const DAY = 24 * 60 * 60 * 1_000;

function hasTimeline({ info, replay }: State): boolean {
  return info?.recording !== undefined && replay.known;
}

/** Returns undefined without a recording and at a forecast's end. */
export function timelineLine(state: State): Line | undefined {
  const { info, replay, options } = state;
  const step = currentStep(state);
  if (step !== undefined) return stepLine(state, step);
  const parts = partsOf(state);
  const range = info?.recording;
  if (parts === undefined || range === undefined) return undefined;
  const { head, begin, end, tail, width } = parts;
  const here = columnOf(info?.takenAt ?? range.to, range, width);
  const spans: Span[] = [
    { text: head, style: 'title' },
    { text: begin, style: 'muted' },
  ];
  for (let column = 0; column < width; column += 1) {
    const isDeletion = hasDeletion(replay.marks, column, width);
    if (column === here) spans.push({ text: options.ascii ? '@' : '●', style: 'title' });
    else if (isDeletion) spans.push({ text: options.ascii ? 'x' : '✗', style: 'danger' });
    else spans.push({ text: options.ascii ? '-' : '─', style: 'muted' });
  }
  return [...joined(spans), { text: end, style: 'muted' }, { text: tail, style: 'info' }];
}

function stepLine(state: State, step: ForecastStep): Line {
  const { columns, options } = state;
  const { length } = step.painting.steps();
  const width = stepsWidth(state, step);
  const here = length < 2 ? 0 : Math.round(((step.n - 1) / (length - 1)) * (width - 1));
  const rule = options.ascii ? '-' : '─';
  const line: Line = [
    { text: ` ${rule.repeat(here)}`, style: 'muted' },
    { text: options.ascii ? '@' : '●', style: 'title' },
    { text: rule.repeat(width - 1 - here), style: 'muted' },
    { text: ` ${stepWords(step)}`, style: 'info' },
  ];
  return fit(line, columns - 1, glyphsOf(state).ellipsis);
}

function stepWords({ painting, n }: ForecastStep): string {
  const steps = painting.steps();
  const order = steps.isOneOfSeveral ? ', in one of several orders' : '';
  return `step ${formatCount(n)} of ${formatCount(steps.length)}${order}: ${steps.words(n)}`;
}

/** Leaves most of the line to the sentence. */
function stepsWidth({ columns }: State, { painting }: ForecastStep): number {
  return Math.min(painting.steps().length, Math.floor(columns / 8));
}

/** Returns the step that the line shows in this column. */
export function stepAt(state: State, step: ForecastStep, column: number): number {
  const { length } = step.painting.steps();
  const width = stepsWidth(state, step);
  const part = width < 2 ? 0 : Math.max(0, Math.min(1, (column - 1) / (width - 1)));
  return 1 + Math.round(part * (length - 1));
}

export function momentAt(state: State, column: number): number | undefined {
  const range = state.info?.recording;
  const parts = partsOf(state);
  if (parts === undefined || range === undefined || parts.width < 2) return undefined;
  const left = displayWidth(parts.head) + displayWidth(parts.begin);
  const part = (column - left) / (parts.width - 1);
  return range.from + Math.max(0, Math.min(1, part)) * (range.to - range.from);
}

/** Speaks the time line: `Replay, paused at 2026-11-21T14:02:05Z, from … to …, at 10 times the speed.` */
export function spokenTimeline(state: State): string {
  const { info, replay } = state;
  const range = info?.recording;
  const step = currentStep(state);
  if (step !== undefined) return `The tree is at ${stepWords(step)}.`;
  if (!hasTimeline(state) || range === undefined) return '';
  const how = replay.playing ? `playing at ${replay.speed} times its speed` : 'paused';
  const deletions = replay.marks?.reduce((sum, each) => sum + each, 0);
  const told = deletions === undefined ? '' : `, ${deletions} deletions in it`;
  return `Replay, ${how}, at ${timeText.timestamp(info?.takenAt ?? range.to)}; from ${timeText.timestamp(range.from)} to ${timeText.timestamp(range.to)}${told}.`;
}

function partsOf(state: State): Parts | undefined {
  const { info, replay, columns, options } = state;
  const range = info?.recording;
  if (!hasTimeline(state) || range === undefined) return undefined;
  const moment = info?.takenAt ?? range.to;
  const sign = replay.playing ? (options.ascii ? '>' : '▶') : options.ascii ? '=' : '‖';
  const isLong = range.to - range.from >= DAY;
  const clock = (at: number): string =>
    isLong ? timeText.timestamp(at).slice(5, 16) : timeText.clock(at).replace(/\.\d(?=Z$)/u, '');
  const head = ` ${sign} ${isLong ? timeText.timestamp(moment) : timeText.clock(moment)}  `;
  const tail = ` ${replay.speed}x `;
  const isWide = columns >= 80;
  const begin = isWide ? `${clock(range.from)} ` : '';
  const end = isWide ? ` ${clock(range.to)}` : '';
  const used = [head, begin, end, tail].reduce((sum, text) => sum + displayWidth(text), 0);
  return { head, begin, end, tail, width: Math.max(1, columns - used) };
}

function columnOf(
  moment: number,
  { from, to }: { readonly from: number; readonly to: number },
  width: number,
): number {
  return Math.round(((moment - from) / Math.max(1, to - from)) * (width - 1));
}

function hasDeletion(marks: Uint32Array | undefined, column: number, width: number): boolean {
  if (marks === undefined) return false;
  // Columns end at the last moment and marks start at the first, so each column covers the marks around it.
  const first = Math.max(0, Math.floor(((column - 0.5) / Math.max(1, width - 1)) * marks.length));
  const last = Math.min(marks.length, Math.ceil(((column + 0.5) / Math.max(1, width - 1)) * marks.length));
  for (let part = first; part < last; part += 1) if ((marks[part] ?? 0) > 0) return true;
  return false;
}

function joined(spans: readonly Span[]): readonly Span[] {
  const out: Span[] = [];
  for (const span of spans) {
    const last = out.at(-1);
    if (last?.style === span.style) out[out.length - 1] = { ...last, text: last.text + span.text };
    else out.push(span);
  }
  return out;
}
