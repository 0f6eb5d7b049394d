/** `check --watch` after the first answer. Text: a line for each finding that is new, changed or over. */

import { compareForReport, type Finding } from '../../../diagnosis/index.ts';
import { objectTitle, type SourceBatch } from '../../../model/index.ts';
import { checkWords, TextLine } from '../../../text/index.ts';
import { printLine } from '../../documents/print/print-lines.ts';
import { UsageError } from '../../runtime/errors.ts';
import { isDocument, isText } from '../../runtime/output-formats.ts';
import { type AnswerScope, keepConfirming } from '../../session/confirm.ts';
import { scopeOf } from '../../session/session.ts';
import { Watch } from '../../session/watch.ts';
import {
  type CheckRun,
  type CheckScope,
  checkScope,
  findingLook,
  findingsIn,
  printRun,
} from './run-check.ts';

export interface CheckWatch {
  readonly run: CheckRun;
  readonly scope: CheckScope;
  readonly findings: readonly Finding[];
  readonly pending: readonly SourceBatch[];
  readonly asked: AnswerScope;
}

/** Runs until it rejects, with `Interrupted` or `ReaderGone`. */
export async function watchFindings(watch: CheckWatch): Promise<void> {
  const { run, scope: first, findings, pending, asked } = watch;
  const { session, diagnosis, command, request } = run;
  const { io } = command;
  let scope = first;
  let shown = new Map(findings.map(each => [keyOf(each), each]));
  const watched = new Watch(session, io, pending, isText(request.format));
  for (;;) {
    const batches = await watched.next(diagnosis.nextDue - session.now());
    const now = session.now();
    let isNew = diagnosis.advance(now).size > 0;
    let moved = false;
    for (const batch of batches) {
      const changes = session.view.apply(batch, now);
      moved ||= changes.graph.touched.size + changes.graph.removed.size > 0;
      isNew = diagnosis.apply(changes, now).size > 0 || isNew;
    }
    keepConfirming(session, asked, { diagnosis });
    // A document's basis states that following has stopped.
    const isStanding = watched.report() && isDocument(request.format);
    if (!isNew && !isStanding) continue;
    if (moved) scope = rescope(run, scope);
    const next = new Map(findingsIn(run, scope).map(each => [keyOf(each), each]));
    if (isStanding) await printAnew(run, scope, [...next.values()]);
    else await report(run, scope, shown, next);
    shown = next;
  }
}

/** Keeps the previous scope if a target has been deleted. */
function rescope({ session, request, command }: CheckRun, before: CheckScope): CheckScope {
  try {
    return checkScope(session.view, request, scopeOf(command.flags, session.source, request.query));
  } catch (error) {
    if (error instanceof UsageError) return before;
    throw error;
  }
}

function keyOf({ code, object }: Finding): string {
  return `${code} ${object.uid}`;
}

async function report(
  run: CheckRun,
  scope: CheckScope,
  before: ReadonlyMap<string, Finding>,
  after: ReadonlyMap<string, Finding>,
): Promise<void> {
  const { command } = run;
  const fresh = [...after]
    .filter(([key, { brief, severity }]) => {
      const old = before.get(key);
      return old?.brief !== brief || old.severity !== severity;
    })
    .map(([, finding]) => finding);
  const over = [...before].filter(([key]) => !after.has(key)).map(([, finding]) => finding);
  if (fresh.length + over.length === 0) return;
  if (!isText(run.request.format)) return printAnew(run, scope, [...after.values()]);
  const options = findingLook(run);
  const columns = checkWords.widths([...before.values(), ...after.values()], options);
  const lines = [
    ...over
      .sort(compareForReport)
      .map(({ code, object }) => TextLine.of(`OVER     ${objectTitle(object)}: ${code}`, 'muted', 9)),
    ...fresh.map(each => checkWords.finding(each, columns, options)),
  ];
  await command.output.write(lines.map(each => printLine(each, options)));
}

async function printAnew(run: CheckRun, scope: CheckScope, findings: readonly Finding[]): Promise<void> {
  if (run.request.format === 'yaml') await run.command.output.write(['---\n']);
  return printRun(run, scope, findings);
}
