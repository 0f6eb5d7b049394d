/** Findings as JUnit XML, in the common subset of CI systems: a suite per namespace, a case per finding. */
import { type Finding, reaches, type Severity } from '../../../diagnosis/index.ts';
import { counted, objectTitle, showHidden, shownName, type Uid } from '../../../model/index.ts';
import type { FileLine } from '../../../source/index.ts';
import { timeText } from '../../../text/index.ts';
import type { KnownFinding } from '../baseline/compare-baseline.ts';
import type { FailedContext } from '../context-list.ts';
import type { BaselineEntry, Basis } from '../definitions.ts';
import { printXml, type XmlElement } from './xml.ts';

export interface JunitReport {
  /** Context of this report, if several were asked. */
  readonly context?: string | undefined;
  readonly basis: Basis;
  readonly findings: readonly Finding[];
  readonly failOn: Severity | 'never';
  readonly failOnIncomplete: boolean;
  /** Findings of the baseline, reported as skipped cases. */
  readonly known: readonly KnownFinding[];
  readonly notes: readonly string[];
  readonly objects: number;
  readonly fileLineOf: (uid: Uid) => FileLine | undefined;
}

const NAME = 'kubectl gc-tree check';

/** Reports one cluster or several; `failed` are those without an answer. */
export function printJunit(
  reports: readonly JunitReport[],
  failed: readonly FailedContext[] = [],
): Iterable<string> {
  let tests = failed.length;
  let failures = 0;
  for (const report of reports) {
    const { basis, findings, known, failOn, failOnIncomplete } = report;
    tests += findings.length + known.length + basisCases(report).length;
    failures += findings.filter(({ severity }) => reaches(severity, failOn)).length;
    failures += failOnIncomplete ? basis.blindSpots.length : 0;
  }
  return printXml({
    name: 'testsuites',
    attributes: { name: NAME, tests, failures, errors: failed.length },
    children: [...reports.flatMap(suitesOf), ...failed.map(failedSuite)],
  });
}

/** Groups by namespace; cluster-scoped objects come first. */
function suitesOf(report: JunitReport): XmlElement[] {
  const { findings, known } = report;
  const reasons = new Map(known.map(({ finding, entry }) => [finding, entry]));
  const namespaces = [
    ...Map.groupBy([...findings, ...reasons.keys()], ({ object }) => object.namespace),
  ].sort(([a], [b]) => (a < b ? -1 : 1));
  const suites = namespaces.map(([namespace, members]) => suite(report, namespace, members, reasons));
  // Some readers reject a report without a test case.
  return [...suites, basisSuite(report)];
}

function failedSuite({ context, message }: FailedContext): XmlElement {
  const name = `${shownName(context)} can be asked`;
  return {
    name: 'testsuite',
    attributes: { name: shownName(context), tests: 1, failures: 0, errors: 1, skipped: 0 },
    children: [
      {
        name: 'testcase',
        attributes: { classname: shownName(context), name, time: 0 },
        children: [{ name: 'error', attributes: { type: 'NotAsked', message } }],
      },
    ],
  };
}

function suiteName({ context }: JunitReport, name: string): string {
  return context === undefined ? name : `${shownName(context)}: ${name}`;
}

function className({ context }: JunitReport, name: string): string {
  return context === undefined ? name : `${shownName(context)}.${name}`;
}

function suite(
  report: JunitReport,
  namespace: string,
  findings: readonly Finding[],
  reasons: ReadonlyMap<Finding, BaselineEntry>,
): XmlElement {
  const { basis, failOn } = report;
  return {
    name: 'testsuite',
    attributes: {
      name: suiteName(
        report,
        namespace === '' ? 'outside of namespaces' : `namespace ${shownName(namespace)}`,
      ),
      tests: findings.length,
      failures: findings.filter(each => !reasons.has(each) && reaches(each.severity, failOn)).length,
      errors: 0,
      skipped: findings.filter(each => reasons.has(each)).length,
      timestamp: timestampOf(basis),
    },
    children: findings.map(each => testCase(each, report, reasons.get(each))),
  };
}

/** Drops the zone, which JUnit's timestamps lack. */
function timestampOf({ takenAt }: Basis): string {
  return takenAt.replace(/Z$/u, '');
}

function testCase(finding: Finding, report: JunitReport, entry: BaselineEntry | undefined): XmlElement {
  const { code, severity, object } = finding;
  const { failOn, fileLineOf } = report;
  const place = fileLineOf(object.uid);
  const message = showHidden(finding.message);
  const failure: XmlElement = {
    name: 'failure',
    attributes: { type: code, message },
    children: detailsOf(finding),
  };
  const skipped: XmlElement = {
    name: 'skipped',
    attributes: { message: entry && `known until ${entry.expires}: ${showHidden(entry.reason)}` },
  };
  const passed: XmlElement = { name: 'system-out', children: detailsOf(finding) };
  return {
    name: 'testcase',
    attributes: {
      classname: className(report, `${shownName(object.namespace) || 'cluster'}.${code}`),
      name: `${objectTitle(object)}: ${code}`,
      // File and line as in pytest; CI systems link to them.
      ...(place === undefined || place.file === '-' ? {} : { file: shownName(place.file), line: place.line }),
      time: 0,
    },
    children: entry !== undefined ? [skipped] : [reaches(severity, failOn) ? failure : passed],
  };
}

function detailsOf({ severity, message, evidence, since, certainty }: Finding): string {
  return [
    `${severity}: ${showHidden(message)}`,
    ...evidence.map(each => `  ${showHidden(each)}`),
    ...(since === undefined ? [] : [`since ${timeText.timestamp(since)}`]),
    ...(certainty === 'assumed' ? ['something that could not be seen may change this'] : []),
  ].join('\n');
}

function basisSuite(report: JunitReport): XmlElement {
  const cases = basisCases(report);
  return {
    name: 'testsuite',
    attributes: {
      name: suiteName(report, 'what was looked at'),
      tests: cases.length,
      failures: report.failOnIncomplete ? report.basis.blindSpots.length : 0,
      errors: 0,
      skipped: report.failOnIncomplete ? 0 : report.basis.blindSpots.length,
      timestamp: timestampOf(report.basis),
    },
    children: cases,
  };
}

/** Returns a case that always passes, and one per unseen kind: skipped, or failed with `failOnIncomplete`. */
function basisCases(report: JunitReport): XmlElement[] {
  const { basis, objects, notes, failOnIncomplete } = report;
  const classname = className(report, 'cluster');
  return [
    {
      name: 'testcase',
      attributes: { classname, name: `${counted(objects, 'object')} looked at`, time: 0 },
      ...(notes.length === 0 ? {} : { children: [{ name: 'system-out', children: notes.join('\n') }] }),
    },
    ...basis.blindSpots.map(
      ({ resource, reason }): XmlElement => ({
        name: 'testcase',
        attributes: { classname, name: `${shownName(resource)} can be seen`, time: 0 },
        children: [
          { name: failOnIncomplete ? 'failure' : 'skipped', attributes: { message: showHidden(reason) } },
        ],
      }),
    ),
  ];
}
