/** One run of `check`: what was asked for, the findings in scope, and their print in each format. */

import type { Diagnosis } from '../diagnosis/diagnosis.ts';
import { withoutEffects } from '../diagnosis/effects.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { compareForReport, countSeverities } from '../diagnosis/summary.ts';
import { basisOf } from '../documents/basis.ts';
import { findingListDocument } from '../documents/finding-list.ts';
import { type PrintFindingsOptions, printFindings } from '../documents/findings-text.ts';
import { printJunit } from '../documents/junit.ts';
import { printDocumentJson, printDocumentYaml } from '../documents/plan-print.ts';
import { printLine } from '../documents/print-lines.ts';
import { printSarif } from '../documents/sarif.ts';
import { compareBytes } from '../graph/identity.ts';
import type { Uid } from '../model/object.ts';
import { checkColumns } from '../text/check.ts';
import { type ListFacts, listSentence } from '../text/finding.ts';
import { scopedName } from '../text/names.ts';
import { commandOn } from '../text/remedy-command.ts';
import { commandLine, type TextLine, textLine } from '../text/text-line.ts';
import { textLook } from './appearance.ts';
import type { CheckRequest } from './check-request.ts';
import type { CheckScope } from './check-scope.ts';
import type { TargetCommand } from './command.ts';
import { Outlook } from './diagnose.ts';
import type { SortKey } from './flags.ts';
import { sameSource } from './same-source.ts';
import { type Session, scopeOf } from './session.ts';

/** One run of the command: what was asked for, and what it is answered from. */
export interface CheckRun {
  readonly command: TargetCommand;
  readonly request: CheckRequest;
  readonly session: Session;
  readonly diagnosis: Diagnosis;
}

const orders: Readonly<Record<SortKey, (a: Finding, b: Finding) => number>> = {
  name: (a, b) => compareBytes(a.object.name, b.object.name),
  kind: (a, b) => compareBytes(a.object.kind, b.object.kind),
  namespace: (a, b) => compareBytes(a.object.namespace, b.object.namespace),
  // As kubectl's ages: what has lasted longest first.
  age: (a, b) => (a.since ?? Number.POSITIVE_INFINITY) - (b.since ?? Number.POSITIVE_INFINITY) || 0,
};

/** The findings that were asked for, in order. */
export function findingsIn({ diagnosis, request, command }: CheckRun, scope: CheckScope): Finding[] {
  const found: Finding[] = [];
  for (const finding of diagnosis.all())
    if (request.asksFor(finding.code) && scope.has(finding.object)) found.push(finding);
  const { sortBy } = command.flags;
  const order = sortBy === undefined ? undefined : orders[sortBy];
  return found.sort((a, b) => order?.(a, b) || compareForReport(a, b));
}

export function textOptions({ command, session }: CheckRun): PrintFindingsOptions {
  return { ...textLook(command), now: session.now() };
}

/** Everything once, in the format that was asked for. */
export async function printRun(
  run: CheckRun,
  scope: CheckScope,
  findings: readonly Finding[],
): Promise<void> {
  const { command, request, session, diagnosis } = run;
  const { output, io, deps, flags } = command;
  const basis = () => basisOf(session.source.info, session.view, session.now());
  const fileLineOf = (uid: Uid) => session.source.fileLine?.(uid);
  switch (request.format) {
    case 'text':
    case 'wide': {
      const options = textOptions(run);
      await output.write(printFindings(findings, checkColumns(findings, options), options));
      const footer = footerOf(run, scope, findings).map(line => printLine(line, options));
      // For `--no-headers` there are rows alone on standard output.
      if (flags.headers) await output.write(footer);
      else io.stderr.write(footer.join(''));
      return;
    }
    case 'name':
      return output.write(namesOf(findings, scopeOf(flags, session.source)));
    case 'json':
    case 'yaml': {
      const outlook = new Outlook(diagnosis, 'list');
      const document = findingListDocument(basis(), findings, {
        remediesOf: each => (request.effects ? outlook.withEffects(each) : withoutEffects(each.remedies())),
        fileLineOf,
      });
      return output.write(
        request.format === 'json' ? printDocumentJson(document) : printDocumentYaml(document),
      );
    }
    case 'junit':
      return output.write(
        printJunit({ basis: basis(), findings, failOn: request.failOn, objects: scope.size, fileLineOf }),
      );
    case 'sarif':
      return output.write(
        printSarif({ basis: basis(), findings, version: deps.version, fileLineOf, folder: process.cwd() }),
      );
  }
}

function footerOf(
  { session, command }: CheckRun,
  scope: CheckScope,
  findings: readonly Finding[],
): TextLine[] {
  const facts: ListFacts = {
    counts: countSeverities(findings),
    objects: scope.size,
    blindSpots: session.view.blindSpots(),
    polled: session.view.polled(),
  };
  const [first] = findings;
  const sentence = listSentence(facts);
  if (first === undefined) return [textLine(sentence)];
  const source = sameSource(command.flags, 'reads');
  const why = commandOn(session.view.catalog, first.object, ['why'], source);
  return [textLine(sentence), commandLine('More about the first: ', [why], 'plain', 2)];
}

/** Each object once. */
function* namesOf(findings: readonly Finding[], namespace: string | undefined): Generator<string> {
  const names = new Set(findings.map(({ object }) => scopedName(object, namespace)));
  for (const name of names) yield `${name}\n`;
}
