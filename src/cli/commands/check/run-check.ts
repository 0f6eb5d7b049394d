import {
  compareForReport,
  countSeverities,
  type Diagnosis,
  type Finding,
  type FindingCode,
  reaches,
  remedyEffects,
} from '../../../diagnosis/index.ts';
import { type ClusterView, compareBytes, type GraphNode, type Identity } from '../../../graph/index.ts';
import { type ShellCommand, shellLine, type Uid } from '../../../model/index.ts';
import type { FileLine } from '../../../source/index.ts';
import {
  actionCommands,
  checkWords,
  findingWords,
  type ListFacts,
  nameWords,
  TextLine,
} from '../../../text/index.ts';
import {
  applyBaseline,
  type Baseline,
  type Baselined,
  printBaseline,
} from '../../documents/baseline/compare-baseline.ts';
import type { FindingList } from '../../documents/definitions.ts';
import {
  findingListDocument,
  type PrintFindingsOptions,
  printFindings,
} from '../../documents/findings/finding-list.ts';
import { printDocument } from '../../documents/print/document.ts';
import { printLine } from '../../documents/print/print-lines.ts';
import { type FindingReport, findingAnnotations, findingMarkdown } from '../../documents/reports/findings.ts';
import { printAnnotations } from '../../documents/reports/github.ts';
import { type JunitReport, printJunit } from '../../documents/reports/junit.ts';
import { printSarif } from '../../documents/reports/sarif.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import type { FailLevel, SortKey } from '../../runtime/flags.ts';
import { textLook } from '../../runtime/format.ts';
import type { FormatOf } from '../../runtime/output-formats.ts';
import { say } from '../../runtime/say.ts';
import { appendStepSummary, repositoryFolder } from '../../runtime/step-summary.ts';
import { Outlook } from '../../session/diagnose.ts';
import { sameSource } from '../../session/same-source.ts';
import { type ClusterSession, scopeOf } from '../../session/session.ts';
import { reservationLines } from '../../session/watch.ts';
import {
  findTargets,
  hidesTypes,
  selectsAll,
  type TargetQuery,
  type TypeLimits,
} from '../../targets/targets.ts';
import { baselineSentences } from './baseline-sentences.ts';

export interface CheckRequest {
  readonly query: TargetQuery;
  readonly format: FormatOf<'check'>;
  readonly failOn: FailLevel;
  readonly baseline: Baseline | undefined;
  readonly effects: boolean;
  readonly types: TypeLimits;
  includes(code: FindingCode): boolean;
}

export interface CheckRun {
  readonly command: TargetCommand;
  readonly request: CheckRequest;
  readonly session: ClusterSession;
  readonly diagnosis: Diagnosis;
}

export interface CheckScope {
  has(object: Identity): boolean;
  readonly size: number;
  /** Objects of types that are left out. */
  readonly hiddenSize: number;
}

/**
 * Without targets, covers a namespace and its Namespace object, or everything. Otherwise covers the targets, their
 * dependents, and the content of Namespaces. Throws a `UsageError` for unknown types and names.
 */
export function checkScope(
  view: ClusterView,
  { query, types }: Pick<CheckRequest, 'query' | 'types'>,
  namespace: string | undefined,
): CheckScope {
  const isIn = selectsAll(query) ? inNamespace(namespace) : belowTargets(view, query, namespace);
  const isHidden = hidesTypes(view, types) ?? (() => false);
  let size = 0;
  let hiddenSize = 0;
  for (const { identity, virtual } of view.graph.nodes()) {
    if (virtual || !isIn(identity)) continue;
    if (isHidden(identity)) hiddenSize += 1;
    else size += 1;
  }
  return { has: object => isIn(object) && !isHidden(object), size, hiddenSize };
}

function belowTargets(
  view: ClusterView,
  query: TargetQuery,
  namespace: string | undefined,
): (object: Identity) => boolean {
  const uids = new Set<Uid>();
  const namespaces = new Set<string>();
  const open = [...findTargets(view, query, namespace)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { identity } = node;
    if (uids.has(identity.uid)) continue;
    uids.add(identity.uid);
    if (isNamespace(node)) namespaces.add(identity.name);
    open.push(...node.dependents);
  }
  if (namespaces.size > 0)
    for (const { identity } of view.graph.nodes())
      if (namespaces.has(identity.namespace)) uids.add(identity.uid);
  return ({ uid }) => uids.has(uid);
}

function inNamespace(namespace: string | undefined): (object: Identity) => boolean {
  return object =>
    namespace === undefined ||
    object.namespace === namespace ||
    (object.kind === 'Namespace' && object.apiVersion === 'v1' && object.name === namespace);
}

function isNamespace({ identity, virtual }: GraphNode): boolean {
  return !virtual && identity.kind === 'Namespace' && identity.apiVersion === 'v1';
}

const orders: Readonly<Record<SortKey, (a: Finding, b: Finding) => number>> = {
  name: (a, b) => compareBytes(a.object.name, b.object.name),
  kind: (a, b) => compareBytes(a.object.kind, b.object.kind),
  namespace: (a, b) => compareBytes(a.object.namespace, b.object.namespace),
  // The longest-lasting comes first, as with kubectl's ages.
  age: (a, b) => (a.since ?? Number.POSITIVE_INFINITY) - (b.since ?? Number.POSITIVE_INFINITY) || 0,
};

export function findingsIn(run: CheckRun, scope: CheckScope): readonly Finding[] {
  return baselinedIn(run, scope)?.counting ?? everyFinding(run, scope);
}

function baselinedIn(run: CheckRun, scope: CheckScope): Baselined | undefined {
  const { command, request, session } = run;
  const { baseline, query, types } = request;
  if (baseline === undefined) return undefined;
  const namespace = scopeOf(command.flags, session.source, query);
  const looked = {
    namespace,
    everything: selectsAll(query) && types.include === undefined && types.exclude === undefined,
    includes: (code: FindingCode) => request.includes(code),
  };
  // Suppressions expire by the clock for a dump as well.
  return applyBaseline(baseline, everyFinding(run, scope), looked, command.io.now());
}

function everyFinding({ diagnosis, request, command }: CheckRun, scope: CheckScope): Finding[] {
  const found: Finding[] = [];
  for (const finding of diagnosis.all())
    if (request.includes(finding.code) && scope.has(finding.object)) found.push(finding);
  const { sortBy } = command.flags;
  const order = sortBy === undefined ? undefined : orders[sortBy];
  return found.sort((a, b) => order?.(a, b) || compareForReport(a, b));
}

export function findingLook({ command, session }: CheckRun): PrintFindingsOptions {
  return { ...textLook(command), now: session.now() };
}

export async function printRun(
  run: CheckRun,
  scope: CheckScope,
  findings: readonly Finding[],
): Promise<void> {
  const { command, request, session } = run;
  const { output, io, services, flags } = command;
  const baselined = baselinedIn(run, scope);
  const notes = notesOf(run, scope);
  const fileLineOf = fileLines(run);
  switch (request.format) {
    case 'text':
    case 'wide':
      return printText(run, scope, findings, notes);
    case 'name':
      say(io, notes.map(note => `${note}\n`).join(''));
      return output.write(namesOf(findings, scopeOf(flags, session.source)));
    case 'json':
    case 'yaml':
      return output.write(printDocument(documentOf(run, scope, findings), request.format));
    case 'baseline': {
      say(io, reservationLines(session).join(''));
      const kept = [...new Set(baselined?.known.map(({ entry }) => entry))];
      const failing = findings.filter(({ severity }) => reaches(severity, request.failOn));
      return output.write(
        printBaseline({ findings: failing, kept, byCause: isByCause(flags), now: io.now() }),
      );
    }
    case 'junit':
      return output.write(printJunit([junitOf(run, scope, findings)]));
    case 'github': {
      const report = reportOf(run, scope, findings);
      await output.write(printAnnotations([...findingAnnotations(report)], repositoryFolder(io)));
      appendStepSummary(command, findingMarkdown(report));
      return;
    }
    case 'markdown':
      return output.write(findingMarkdown(reportOf(run, scope, findings)));
    case 'sarif':
      return output.write(
        printSarif({
          basis: session.basis(),
          findings,
          byCause: isByCause(flags),
          known: baselined?.known ?? [],
          notes,
          version: services.version,
          fileLineOf,
          folder: process.cwd(),
        }),
      );
  }
}

async function printText(
  run: CheckRun,
  scope: CheckScope,
  findings: readonly Finding[],
  notes: readonly string[],
): Promise<void> {
  const { flags, io, output } = run.command;
  const options = findingLook(run);
  const folded = isByCause(flags)
    ? checkWords.foldAlike(findings, options.now)
    : { causes: [], listed: findings, folds: [] };
  const { causes } = folded;
  const isWide = run.request.format === 'wide';
  const listed = isWide ? findings : folded.listed;
  const folds = isWide ? [] : folded.folds;
  const columns = checkWords.widths(listed, options);
  await output.write(causes.map(each => printLine(checkWords.foldLine(each, columns), options)));
  await output.write(printFindings(listed, columns, options));
  await output.write(folds.map(fold => printLine(checkWords.foldLine(fold, columns), options)));
  const footer = [...footerOf(run, scope, findings), ...notes.map(note => TextLine.of(note))].map(line =>
    printLine(line, options),
  );
  // With `--no-headers`, standard output has only rows.
  if (flags.headers) await output.write(footer);
  else io.stderr.write(footer.join(''));
}

/** Returns false with `--codes` or `--by-cause=false`, which print each finding on its own. */
function isByCause({ codes, byCause }: TargetCommand['flags']): boolean {
  return codes === undefined && byCause !== false;
}

function fileLines({ session }: CheckRun): (uid: Uid) => FileLine | undefined {
  return uid => session.source.fileLine?.(uid);
}

function notesOf(run: CheckRun, scope: CheckScope): readonly string[] {
  const baselined = baselinedIn(run, scope);
  return baselined === undefined ? [] : baselineSentences(baselined, run.session.view.complete);
}

export function documentOf(run: CheckRun, scope: CheckScope, findings: readonly Finding[]): FindingList {
  const { request, session, diagnosis } = run;
  const foretold = request.effects ? new Outlook(diagnosis, 'list').sharedEffects(findings) : undefined;
  return findingListDocument(
    session.basis(),
    findings,
    {
      remediesOf: each =>
        foretold === undefined
          ? remedyEffects.removed(each.remedies())
          : (foretold.get(each) ?? each.remedies()),
      fileLineOf: fileLines(run),
    },
    baselinedIn(run, scope),
  );
}

export function junitOf(
  run: CheckRun,
  scope: CheckScope,
  findings: readonly Finding[],
  context?: string,
): JunitReport {
  const { request, session, command } = run;
  return {
    context,
    basis: session.basis(),
    findings,
    byCause: isByCause(command.flags),
    known: baselinedIn(run, scope)?.known ?? [],
    notes: notesOf(run, scope),
    failOn: request.failOn,
    failOnIncomplete: command.flags.failOnIncomplete === true,
    objects: scope.size,
    fileLineOf: fileLines(run),
  };
}

export function reportOf(
  run: CheckRun,
  scope: CheckScope,
  findings: readonly Finding[],
  context?: string,
): FindingReport {
  const { session, command } = run;
  return {
    context,
    basis: session.basis(),
    findings,
    byCause: isByCause(command.flags),
    sentence: sentenceOf(run, scope, findings),
    notes: notesOf(run, scope),
    failOnIncomplete: command.flags.failOnIncomplete === true,
    whyOf: finding => shellLine([whyOf(run, finding)]),
    fileLineOf: fileLines(run),
    now: session.now(),
  };
}

function sentenceOf({ session }: CheckRun, scope: CheckScope, findings: readonly Finding[]): string {
  const facts: ListFacts = {
    counts: countSeverities(findings),
    objects: scope.size,
    blindSpots: session.view.blindSpots(),
    polled: session.view.polled(),
  };
  return findingWords.list(facts);
}

function whyOf({ session, command }: CheckRun, { object }: Finding): ShellCommand {
  return actionCommands.on(session.view.catalog, object, ['why'], sameSource(command.flags, 'reads'));
}

function footerOf(run: CheckRun, scope: CheckScope, findings: readonly Finding[]): TextLine[] {
  const [first] = findings;
  const sentence = sentenceOf(run, scope, findings);
  // Standard input can't be read twice.
  if (first === undefined || run.command.flags.filename?.includes('-')) return [TextLine.of(sentence)];
  return [TextLine.of(sentence), TextLine.command('More about the first: ', [whyOf(run, first)], 'plain', 2)];
}

function* namesOf(findings: readonly Finding[], namespace: string | undefined): Generator<string> {
  const names = new Set(findings.map(({ object }) => nameWords.scoped(object, namespace)));
  for (const name of names) yield `${name}\n`;
}
