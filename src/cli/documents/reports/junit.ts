/** Findings as JUnit XML, in the common subset of CI systems: a suite per namespace, a case per cause or finding. */
import { Cause, type Finding, reaches, type Severity } from '../../../diagnosis/index.ts';
import { counted, objectTitle, showHidden, shownName, type Uid } from '../../../model/index.ts';
import type { FileLine } from '../../../source/index.ts';
import { checkWords, timeText } from '../../../text/index.ts';
import type { KnownFinding } from '../baseline/compare-baseline.ts';
import type { FailedContext } from '../context-list.ts';
import type { BaselineEntry, Basis } from '../definitions.ts';
import { printXml, type XmlElement } from './xml.ts';

export interface JunitReport {
  /** Context of this report, if several were asked. */
  readonly context?: string | undefined;
  readonly basis: Basis;
  readonly findings: readonly Finding[];
  /** Reports one case for each cause that holds several objects. */
  readonly byCause: boolean;
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
  const suites = reports.flatMap(suitesOf);
  const sum = (of: 'tests' | 'failures'): number =>
    suites.reduce((total, { attributes }) => total + Number(attributes?.[of]), 0);
  return printXml({
    name: 'testsuites',
    attributes: {
      name: NAME,
      tests: failed.length + sum('tests'),
      failures: sum('failures'),
      errors: failed.length,
    },
    children: [...suites, ...failed.map(failedSuite)],
  });
}

/** A test case for a finding, or for a cause that holds several objects. */
interface Case {
  /** Empty for a cause if no single object decides. */
  readonly namespace: string;
  readonly name: string;
  /** The code of the worst finding. */
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly details: string;
  readonly place: FileLine | undefined;
  readonly entry: BaselineEntry | undefined;
}

/** Groups by namespace; cluster-scoped objects come first. */
function suitesOf(report: JunitReport): XmlElement[] {
  const { findings, known } = report;
  const reasons = new Map(known.map(({ finding, entry }) => [finding, entry]));
  const cases = [...casesOf(report, findings), ...casesOf(report, [...reasons.keys()], reasons)];
  const namespaces = [...Map.groupBy(cases, ({ namespace }) => namespace)].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const suites = namespaces.map(([namespace, members]) => suite(report, namespace, members));
  // Some readers reject a report without a test case.
  return [...suites, basisSuite(report)];
}

function casesOf(
  { byCause, fileLineOf }: JunitReport,
  findings: readonly Finding[],
  reasons?: ReadonlyMap<Finding, BaselineEntry>,
): Case[] {
  const { causes, others } = Cause.grouped(findings, byCause);
  const worstFirst = causes.map(cause => ({
    cause,
    worst: cause.findings.find(each => each.severity === cause.severity),
  }));
  return [
    ...worstFirst.map(({ cause, worst }) => ({
      namespace: cause.object?.namespace ?? '',
      name: cause.id,
      code: worst?.code ?? '',
      severity: cause.severity,
      message: `${showHidden(cause.because)}: ${checkWords.tie(cause)} ${counted(cause.holds.length, 'object')}`,
      details: cause.findings.map(detailsOf).join('\n'),
      place: cause.object && fileLineOf(cause.object.uid),
      entry: worst && reasons?.get(worst),
    })),
    ...others.map(finding => ({
      namespace: finding.object.namespace,
      name: `${objectTitle(finding.object)}: ${finding.code}`,
      code: finding.code,
      severity: finding.severity,
      message: showHidden(finding.message),
      details: detailsOf(finding),
      place: fileLineOf(finding.object.uid),
      entry: reasons?.get(finding),
    })),
  ];
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

function suite(report: JunitReport, namespace: string, cases: readonly Case[]): XmlElement {
  const { basis, failOn } = report;
  return {
    name: 'testsuite',
    attributes: {
      name: suiteName(
        report,
        namespace === '' ? 'outside of namespaces' : `namespace ${shownName(namespace)}`,
      ),
      tests: cases.length,
      failures: cases.filter(each => each.entry === undefined && reaches(each.severity, failOn)).length,
      errors: 0,
      skipped: cases.filter(each => each.entry !== undefined).length,
      timestamp: timestampOf(basis),
    },
    children: cases.map(each => testCase(each, report)),
  };
}

/** Drops the zone, which JUnit's timestamps lack. */
function timestampOf({ takenAt }: Basis): string {
  return takenAt.replace(/Z$/u, '');
}

function testCase(each: Case, report: JunitReport): XmlElement {
  const { namespace, name, code, severity, message, details, place, entry } = each;
  const failure: XmlElement = { name: 'failure', attributes: { type: code, message }, children: details };
  const skipped: XmlElement = {
    name: 'skipped',
    attributes: { message: entry && `known until ${entry.expires}: ${showHidden(entry.reason)}` },
  };
  const passed: XmlElement = { name: 'system-out', children: details };
  return {
    name: 'testcase',
    attributes: {
      classname: className(report, `${shownName(namespace) || 'cluster'}.${code}`),
      name,
      // File and line as in pytest; CI systems link to them.
      ...(place === undefined || place.file === '-' ? {} : { file: shownName(place.file), line: place.line }),
      time: 0,
    },
    children: entry !== undefined ? [skipped] : [reaches(severity, report.failOn) ? failure : passed],
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
