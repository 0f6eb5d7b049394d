/** Findings and their causes as GitHub annotations and as Markdown. */
import { Cause, type Finding, type Severity } from '../../../diagnosis/index.ts';
import { counted, enumerated, objectTitle, showHidden, shownName, type Uid } from '../../../model/index.ts';
import type { FileLine } from '../../../source/index.ts';
import { checkWords, connectionWords, findingWords, helpUriOf } from '../../../text/index.ts';
import type { FailedContext } from '../context-list.ts';
import type { Basis } from '../definitions.ts';
import type { Annotation } from './github.ts';
import { markdownParagraph, markdownTable, markdownTitle } from './markdown.ts';

const CHECK_TITLE = 'kubectl gc-tree check';

export interface FindingReport {
  readonly context?: string | undefined;
  readonly basis: Basis;
  readonly findings: readonly Finding[];
  /** Prints one entry for each cause that holds several objects. */
  readonly byCause: boolean;
  readonly sentence: string;
  readonly notes: readonly string[];
  readonly failOnIncomplete: boolean;
  /** Returns the command that explains a finding; undefined if a shell can't express it. */
  readonly whyOf: (finding: Finding) => string | undefined;
  readonly fileLineOf: (uid: Uid) => FileLine | undefined;
  readonly now: number;
}

const levels: Readonly<Record<Severity, Annotation['level']>> = {
  error: 'error',
  warning: 'warning',
  info: 'notice',
};

/** Maximum number of a cause's objects to name; the rest are counted. */
const NAMED = 10;

/** `nothing in this cluster handles example.com: holds 3 objects: Pod shop/a, …` */
function causeSentence(cause: Cause): string {
  const { because, holds, certainty } = cause;
  const assumed = certainty === 'assumed' ? ' (assumed)' : '';
  const held = enumerated(
    holds.map(each => objectTitle(each)),
    NAMED,
  );
  return `${showHidden(because)}${assumed}: ${checkWords.tie(cause)} ${counted(holds.length, 'object')}: ${held}`;
}

export function* findingAnnotations(report: FindingReport): Generator<Annotation> {
  const { context, basis, sentence, notes, failOnIncomplete, whyOf, fileLineOf } = report;
  const titled = (title: string): string =>
    context === undefined ? title : `${shownName(context)}: ${title}`;
  const { causes, others } = Cause.grouped(report.findings, report.byCause);
  for (const cause of causes)
    yield {
      level: levels[cause.severity],
      title: titled(cause.id),
      message: causeSentence(cause),
      place: [cause.object ?? cause.holds[0]].flatMap(each => (each && fileLineOf(each.uid)) ?? [])[0],
    };
  for (const finding of others) {
    const { code, severity, object, message } = finding;
    yield {
      level: levels[severity],
      title: titled(`${objectTitle(object)}: ${code}`),
      message: [showHidden(message), whyOf(finding) ?? [], helpUriOf(code)].flat().join('\n'),
      place: fileLineOf(object.uid),
    };
  }
  const unseen = connectionWords.unseen(basis.blindSpots);
  if (!basis.complete || basis.connection !== undefined)
    yield {
      level: failOnIncomplete ? 'error' : 'warning',
      title: titled(`${CHECK_TITLE}: not everything was seen`),
      message: `What could not be seen is not known to be free of findings${unseen === '' ? '' : `: ${unseen}`}.`,
    };
  for (const message of [...notes, sentence]) yield { level: 'notice', title: titled(CHECK_TITLE), message };
}

export function failedAnnotation({ context, message }: FailedContext): Annotation {
  return { level: 'error', title: `${shownName(context)}: ${CHECK_TITLE}`, message };
}

export function* failedMarkdown({ context, message }: FailedContext): Generator<string> {
  yield markdownTitle(`${CHECK_TITLE}: ${shownName(context)}`);
  yield markdownParagraph(`It could not be read: ${message}`);
}

export function* findingMarkdown(report: FindingReport): Generator<string> {
  const { context, sentence, notes, now } = report;
  const { causes, others } = Cause.grouped(report.findings, report.byCause);
  yield markdownTitle(context === undefined ? CHECK_TITLE : `${CHECK_TITLE}: ${shownName(context)}`);
  for (const text of [sentence, ...notes]) yield markdownParagraph(text);
  yield* markdownTable(
    ['Severity', 'Object', 'Finding', 'Reason', 'Since'],
    [
      ...causes.map(cause => [
        cause.severity,
        cause.object === undefined ? '' : objectTitle(cause.object),
        cause.id,
        causeSentence(cause),
        findingWords.since(cause, now),
      ]),
      ...others.map(finding => [
        finding.severity,
        `${shownName(finding.object.kind)} ${findingWords.object(finding)}`,
        { text: finding.code, href: helpUriOf(finding.code) },
        finding.certainty === 'assumed'
          ? `${showHidden(finding.message)} (assumed)`
          : showHidden(finding.message),
        findingWords.since(finding, now),
      ]),
    ],
  );
}
