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

export interface JunitReport {
  readonly basis: Basis;
  readonly findings: readonly Finding[];
  readonly failOn: Severity | 'never';
  /** Objects that were looked at. */
  readonly objects: number;
  /** Where an object stands in a file. */
  readonly fileLineOf: (uid: Uid) => FileLine | undefined;
}

const NAME = 'kubectl gc-tree check';

export function printJunit(report: JunitReport): Iterable<string> {
  const { findings, failOn } = report;
  // Cluster-scoped objects come first.
  const namespaces = [...Map.groupBy(findings, ({ object }) => object.namespace)].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const suites = namespaces.map(([namespace, members]) => suite(report, namespace, members));
  // A report without a single test case is an error to some readers.
  suites.push(basisSuite(report));
  const failures = findings.filter(({ severity }) => reaches(severity, failOn)).length;
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
      failures: 0,
      errors: 0,
      skipped: report.basis.blindSpots.length,
      timestamp: timestampOf(report.basis),
    },
    children: cases,
  };
}

/** One case that always passes, and a skipped one for each kind that couldn't be seen. */
function basisCases({ basis, objects }: JunitReport): XmlElement[] {
  return [
    {
      name: 'testcase',
      attributes: { classname: 'cluster', name: `${counted(objects, 'object')} looked at`, time: 0 },
    },
    ...basis.blindSpots.map(
      ({ resource, reason }): XmlElement => ({
        name: 'testcase',
        attributes: { classname: 'cluster', name: `${shownName(resource)} can be seen`, time: 0 },
        children: [{ name: 'skipped', attributes: { message: showHidden(reason) } }],
      }),
    ),
  ];
}

export interface XmlElement {
  readonly name: string;
  /** An attribute that is undefined is left out. */
  readonly attributes?: Readonly<Record<string, string | number | undefined>>;
  /** Text, or elements; not both. */
  readonly children?: string | readonly XmlElement[];
}

const INDENT = '  ';

/** The document in pieces of at least one line. */
function* printXml(root: XmlElement): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield* printElement(root, '');
}

function* printElement(
  { name, attributes = {}, children = '' }: XmlElement,
  indent: string,
): Generator<string> {
  let open = `${indent}<${name}`;
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined) open += ` ${key}="${attribute(String(value))}"`;
  if (children.length === 0) yield `${open}/>\n`;
  else if (typeof children === 'string') yield `${open}>${text(children)}</${name}>\n`;
  else {
    yield `${open}>\n`;
    for (const child of children) yield* printElement(child, indent + INDENT);
    yield `${indent}</${name}>\n`;
  }
}

// XML 1.0 has no way to write these, not even as references; unpaired surrogates aren't characters at all.
const forbidden = /[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function text(value: string): string {
  // A parser would make a line break of a carriage return.
  return value.replace(forbidden, '\ufffd').replace(/[&<>\r]/gu, entity);
}

/** Line breaks and tabs would be read as spaces. */
function attribute(value: string): string {
  return value.replace(forbidden, '\ufffd').replace(/[&<>"\t\n\r]/gu, entity);
}

function entity(character: string): string {
  return entities[character] ?? `&#${character.codePointAt(0) ?? 0};`;
}
