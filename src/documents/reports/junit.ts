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
import { printXml, type XmlElement } from './xml.ts';

export interface JunitReport {
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

export function printJunit(report: JunitReport): Iterable<string> {
  const { basis, findings, known, failOn, failOnIncomplete } = report;
  // Cluster-scoped objects come first.
  const reasons = new Map(known.map(({ finding, entry }) => [finding, entry]));
  const all = [...findings, ...reasons.keys()];
  const namespaces = [...Map.groupBy(all, ({ object }) => object.namespace)].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const suites = namespaces.map(([namespace, members]) => suite(report, namespace, members, reasons));
  // A report without a single test case is an error to some readers.
  suites.push(basisSuite(report));
  const unseen = failOnIncomplete ? basis.blindSpots.length : 0;
  const failures = findings.filter(({ severity }) => reaches(severity, failOn)).length + unseen;
  const tests = all.length + basisCases(report).length;
  return printXml({
    name: 'testsuites',
    attributes: { name: NAME, tests, failures, errors: 0 },
    children: suites,
  });
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
      name: namespace === '' ? 'outside of namespaces' : `namespace ${shownName(namespace)}`,
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

function testCase(
  finding: Finding,
  { failOn, fileLineOf }: JunitReport,
  entry: BaselineEntry | undefined,
): XmlElement {
  const { code, severity, object } = finding;
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
      classname: `${shownName(object.namespace) || 'cluster'}.${code}`,
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
      name: 'what was looked at',
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
function basisCases({ basis, objects, notes, failOnIncomplete }: JunitReport): XmlElement[] {
  return [
    {
      name: 'testcase',
      attributes: { classname: 'cluster', name: `${counted(objects, 'object')} looked at`, time: 0 },
      ...(notes.length === 0 ? {} : { children: [{ name: 'system-out', children: notes.join('\n') }] }),
    },
    ...basis.blindSpots.map(
      ({ resource, reason }): XmlElement => ({
        name: 'testcase',
        attributes: { classname: 'cluster', name: `${shownName(resource)} can be seen`, time: 0 },
        children: [
          { name: failOnIncomplete ? 'failure' : 'skipped', attributes: { message: showHidden(reason) } },
        ],
      }),
    ),
  ];
}
