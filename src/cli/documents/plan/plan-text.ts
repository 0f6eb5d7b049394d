/** Plan and RemedyList as terminal text, folded and coloured. */

import type { Forecast, Remedy } from '../../../forecast/index.ts';
import { type KubeObject, type ShellCommand, type ShellCommands, showHidden } from '../../../model/index.ts';
import {
  countWords,
  type PlanTextOptions,
  planWords,
  type Span,
  type Style,
  TextLine,
} from '../../../text/index.ts';
import { type LineLook, printLine } from '../print/print-lines.ts';

export interface PrintPlanOptions extends PlanTextOptions, LineLook {}

export function* printPlan(forecast: Forecast, options: PrintPlanOptions): Generator<string> {
  for (const line of planWords.lines(forecast, options)) yield printLine(line, options);
}

export interface RemedyLook extends LineLook {
  /** Adjusts kubectl commands to reach the same cluster. */
  readonly kubectl: (commands: ShellCommands) => ShellCommands;
}

/** Lists remedies for objects with their commands. A remedy that can be applied has its number for `--remedy`. */
export function* printRemedies(
  objects: readonly KubeObject[],
  remedies: readonly Remedy[],
  command: (id: string) => ShellCommand,
  look: RemedyLook,
): Generator<string> {
  const title = countWords.targets(objects);
  if (remedies.length === 0) {
    const words =
      objects.length === 1
        ? `Nothing is known to be in the way of ${title}: there is nothing to unblock.`
        : `Nothing can be done to the ${title} as one. Name one of them to see what can be done about it.`;
    yield printLine({ spans: plain(words), indent: 0 }, look);
    return;
  }
  yield printLine({ spans: plain(`What can be done about ${title}`, 'title'), indent: 0 }, look);
  const indent = 16;
  const blank = ' '.repeat(indent);
  let number = 0;
  for (const remedy of remedies) {
    const { id, title: what, risk, effect, requests, kubectl } = remedy;
    const isAdvice = requests.length === 0;
    if (!isAdvice) number += 1;
    yield '\n';
    const style: Style = risk === 'safe' ? 'good' : risk === 'caution' ? 'warning' : 'danger';
    const mark = `${isAdvice ? '' : number}`.padStart(3);
    const spans = [...plain(mark), { text: `  ${risk.padEnd(9)}  `, style }, ...plain(showHidden(what))];
    yield printLine({ spans, indent }, look);
    // A command that only shows more can still be pasted.
    if (isAdvice && kubectl.length > 0)
      yield printLine(TextLine.command(blank, look.kubectl(kubectl), 'muted', indent + 2), look);
    if (isAdvice) continue;
    for (const line of planWords.remedySteps(remedy, indent - 1)) yield printLine(line, look);
    yield printLine({ spans: plain(`${blank}${showHidden(effect)}`), indent }, look);
    yield printLine(TextLine.command(blank, [command(id)], 'muted', indent + 2), look);
  }
}

function plain(text: string, style: Style = 'plain'): Span[] {
  return [{ text, style }];
}
