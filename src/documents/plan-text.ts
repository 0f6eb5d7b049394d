/** Plan and RemedyList as text on a terminal: lines folded into its width, painted where it has colours. */
import type { Forecast } from '../forecast/plan.ts';
import type { Remedy } from '../forecast/remedy.ts';
import type { Identity } from '../graph/node.ts';
import { objectTitle } from '../text/names.ts';
import { type PlanTextOptions, planLines } from '../text/plan.ts';
import { sanitise } from '../text/sanitise.ts';
import type { Span, Style } from '../text/style.ts';
import { type LineLook, printLine } from './print-lines.ts';

export interface PrintPlanOptions extends PlanTextOptions, LineLook {}

export function* printPlan(forecast: Forecast, options: PrintPlanOptions): Generator<string> {
  for (const line of planLines(forecast, options)) yield printLine(line, options);
}

/** What could be done about an object, with the command for each. */
export function* printRemedies(
  object: Identity,
  remedies: readonly Remedy[],
  command: (id: string) => string,
  look: LineLook,
): Generator<string> {
  const title = objectTitle(object);
  if (remedies.length === 0) {
    yield printLine({ spans: plain(`Nothing holds ${title} that could be taken away.`), indent: 0 }, look);
    return;
  }
  yield printLine({ spans: plain(`What can be done about ${title}`, 'title'), indent: 0 }, look);
  for (const { id, title: what, risk, effect, requests } of remedies) {
    yield '\n';
    const style: Style = risk === 'safe' ? 'good' : risk === 'caution' ? 'warning' : 'danger';
    const spans = [{ text: `  ${risk.padEnd(9)}  `, style }, ...plain(sanitise(what))];
    yield printLine({ spans, indent: 13 }, look);
    // Advice: it has no effect of its own, and there is nothing to send.
    if (requests.length === 0) continue;
    yield printLine({ spans: plain(`             ${sanitise(effect)}`), indent: 13 }, look);
    yield printLine({ spans: plain(`             ${sanitise(command(id))}`, 'muted'), indent: 15 }, look);
  }
}

function plain(text: string, style: Style = 'plain'): Span[] {
  return [{ text, style }];
}
