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
import type { Basis } from '../basis.ts';
import { printXml, type XmlElement } from './xml.ts';

export interface JunitReport {
  readonly basis: Basis;
  readonly findings: readonly Finding[];
  readonly failOn: Severity | 'never';
  /** Whether a kind that could not be seen is a failure. */
  readonly failOnIncomplete: boolean;
  /** Objects that were looked at. */
  readonly objects: number;
  /** Where an object stands in a file. */
  readonly fileLineOf: (uid: Uid) => FileLine | undefined;
}

const NAME = 'kubectl gc-tree check';

export function printJunit(report: JunitReport): Iterable<string> {
  const { basis, findings, failOn, failOnIncomplete } = report;
  // Cluster-scoped objects come first.
  const namespaces = [...Map.groupBy(findings, ({ object }) => object.namespace)].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const suites = namespaces.map(([namespace, members]) => suite(report, namespace, members));
  // A report without a single test case is an error to some readers.
  suites.push(basisSuite(report));
  const unseen = failOnIncomplete ? basis.blindSpots.length : 0;
  const failures = findings.filter(({ severity }) => reaches(severity, failOn)).length + unseen;
  const tests = findings.length + basisCases(report).length;
  return printXml({
    name: 'testsuites',
    attributes: { name: NAME, tests, failures, errors: 0 },
    children: suites,
  });
}

function suite(report: JunitReport, namespace: string, findings: readonly Finding[]): XmlElement {
  const { basis, failOn } = report;
  return {
    name: 'testsuite',
    attributes: {
      name: namespace === '' ? 'outside of namespaces' : `namespace ${shownName(namespace)}`,
      tests: findings.length,
      failures: findings.filter(({ severity }) => reaches(severity, failOn)).length,
      errors: 0,
      skipped: 0,
      timestamp: timestampOf(basis),
    },
    children: findings.map(each => testCase(each, report)),
  };
}

/** JUnit's timestamps have no zone. */
function timestampOf({ takenAt }: Basis): string {
  return takenAt.replace(/Z$/u, '');
}

function testCase(finding: Finding, { failOn, fileLineOf }: JunitReport): XmlElement {
  const { code, severity, object } = finding;
  const place = fileLineOf(object.uid);
  const message = showHidden(finding.message);
  const failure: XmlElement = {
    name: 'failure',
    attributes: { type: code, message },
    children: detailsOf(finding),
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
    children: [reaches(severity, failOn) ? failure : passed],
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
function basisCases({ basis, objects, failOnIncomplete }: JunitReport): XmlElement[] {
  return [
    {
      name: 'testcase',
      attributes: { classname: 'cluster', name: `${counted(objects, 'object')} looked at`, time: 0 },
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
