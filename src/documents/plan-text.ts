/** Plan and RemedyList as text on a terminal: lines folded into its width, painted where it has colours. */
import type { Forecast } from '../forecast/plan.ts';
import type { Remedy } from '../forecast/remedies.ts';
import type { Identity } from '../graph/node.ts';
import { paintSpans } from '../text/ansi.ts';
import { objectTitle } from '../text/names.ts';
import { type PlanLine, type PlanTextOptions, planLines } from '../text/plan.ts';
import { sanitise } from '../text/sanitise.ts';
import type { Span, Style } from '../text/style.ts';
import { displayWidth } from '../text/width.ts';

export interface PrintPlanOptions extends PlanTextOptions {
  readonly colour: boolean;
  readonly ascii: boolean;
  /** Columns of the terminal; undefined where output is none. */
  readonly width: number | undefined;
}

type Look = Pick<PrintPlanOptions, 'colour' | 'ascii' | 'width'>;

export function* printPlan(forecast: Forecast, options: PrintPlanOptions): Generator<string> {
  for (const line of planLines(forecast, options)) yield print(line, options);
}

/** What could be done about an object, with the command for each. */
export function* printRemedies(
  object: Identity,
  remedies: readonly Remedy[],
  command: (id: string) => string,
  look: Look,
): Generator<string> {
  const title = objectTitle(object);
  if (remedies.length === 0) {
    yield print({ spans: plain(`Nothing holds ${title} that could be taken away.`), indent: 0 }, look);
    return;
  }
  yield print({ spans: plain(`What can be done about ${title}`, 'title'), indent: 0 }, look);
  for (const { id, title: what, risk, effect } of remedies) {
    yield '\n';
    const style: Style = risk === 'safe' ? 'good' : risk === 'caution' ? 'warning' : 'danger';
    const spans = [{ text: `  ${risk.padEnd(9)}  `, style }, ...plain(sanitise(what))];
    yield print({ spans, indent: 13 }, look);
    yield print({ spans: plain(`             ${sanitise(effect)}`), indent: 13 }, look);
    yield print({ spans: plain(`             ${sanitise(command(id))}`, 'muted'), indent: 15 }, look);
  }
}

function plain(text: string, style: Style = 'plain'): Span[] {
  return [{ text, style }];
}

function print(line: PlanLine, { colour, ascii, width }: Look): string {
  const drawn = ascii ? line.spans.map(span => ({ ...span, text: asciiOf(span.text) })) : line.spans;
  const rows = width === undefined ? [drawn] : fold(drawn, line.indent, width);
  return rows.map(row => `${paintSpans(row, colour).trimEnd()}\n`).join('');
}

function asciiOf(text: string): string {
  return text.replaceAll('→', '->').replace(/[^ -~]/gu, '?');
}

/** Breaks between words; a word that is wider than the line is left to the terminal. */
function fold(spans: readonly Span[], indent: number, width: number): Span[][] {
  const rows: Span[][] = [[]];
  const start = Math.min(indent, Math.max(0, width - 20));
  let used = 0;
  for (const { text, style } of spans) {
    for (const word of text.match(/ +|[^ ]+/gu) ?? []) {
      const columns = displayWidth(word);
      const blank = word.startsWith(' ');
      if (used + columns > width && used > start) {
        rows.push([{ text: ' '.repeat(start), style: 'plain' }]);
        used = start;
        if (blank) continue;
      }
      rows.at(-1)?.push({ text: word, style });
      used += columns;
    }
  }
  return rows;
}
