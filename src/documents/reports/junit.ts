/**
 * Findings as a JUnit report, as CI systems read it: a suite for each namespace, a test case for each finding,
 * failed where the finding is at or above the threshold. There is no standard; this is the part that all read.
 */

import type { Severity } from '../../diagnosis/engine/codes.ts';
import { type Finding, reaches } from '../../diagnosis/engine/finding.ts';
import type { Uid } from '../../model/object.ts';
import { showHidden, shownName } from '../../model/text/shown.ts';
import { counted, objectTitle } from '../../model/text/titles.ts';
import type { FileLine } from '../../source/source.ts';
import { formatTimestamp } from '../../text/terminal/age.ts';
import type { BaselineEntry, KnownFinding } from '../baseline/baseline.ts';
import type { Basis } from '../basis.ts';
import type { FailedContext } from '../context-list.ts';
import { printXml, type XmlElement } from './xml.ts';

export interface JunitReport {
  /** Of several that are asked, the one that this is about; undefined where one is. */
  readonly context?: string | undefined;
  readonly basis: Basis;
  readonly findings: readonly Finding[];
  readonly failOn: Severity | 'never';
  /** Whether a kind that could not be seen is a failure. */
  readonly failOnIncomplete: boolean;
  /** Left out for a reason: skipped cases. */
  readonly known: readonly KnownFinding[];
  /** What else is told of the baseline. */
  readonly notes: readonly string[];
  /** Objects that were looked at. */
  readonly objects: number;
  /** Where an object stands in a file. */
  readonly fileLineOf: (uid: Uid) => FileLine | undefined;
}

const NAME = 'kubectl gc-tree check';

/** Of one cluster, or of several; `failed`: those that nothing can be told of. */
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

/** By namespace; cluster-scoped objects come first. */
function suitesOf(report: JunitReport): XmlElement[] {
  const { findings, known } = report;
  const reasons = new Map(known.map(({ finding, entry }) => [finding, entry]));
  const namespaces = [
    ...Map.groupBy([...findings, ...reasons.keys()], ({ object }) => object.namespace),
  ].sort(([a], [b]) => (a < b ? -1 : 1));
  const suites = namespaces.map(([namespace, members]) => suite(report, namespace, members, reasons));
  // A report without a single test case is an error to some readers.
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

/** `prod: ` in front of what is told of a context. */
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

/** JUnit's timestamps have no zone. */
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
      // As pytest writes them; CI systems link to the line.
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
    ...(since === undefined ? [] : [`since ${formatTimestamp(since)}`]),
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

/** One case that always passes, and one for each kind that couldn't be seen: skipped, unless that fails the command. */
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
