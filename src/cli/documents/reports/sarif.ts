/** Findings as SARIF (OASIS SARIF 2.1.0) for code scanning: a rule per code, a result per cause or finding. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  Cause,
  type Finding,
  type FindingCode,
  findingCodes,
  meaningOf,
  type Severity,
  usualSeverity,
} from '../../../diagnosis/index.ts';
import type { Identity } from '../../../graph/index.ts';
import { counted, objectTitle, showHidden, shownName, type Uid } from '../../../model/index.ts';
import type { FileLine } from '../../../source/index.ts';
import { checkWords, documentText, helpUriOf, timeText } from '../../../text/index.ts';
import type { KnownFinding } from '../baseline/compare-baseline.ts';
import type { Basis } from '../definitions.ts';
import { partsBelow } from './github.ts';

export interface SarifReport {
  readonly basis: Basis;
  readonly findings: readonly Finding[];
  /** Reports one result for each cause that holds several objects. */
  readonly byCause: boolean;
  /** Findings of the baseline, reported as suppressed results. */
  readonly known: readonly KnownFinding[];
  readonly notes: readonly string[];
  readonly version: string;
  readonly fileLineOf: (uid: Uid) => FileLine | undefined;
  /** Files below it get relative paths, which readers in a repository need. */
  readonly folder: string;
}

const levels: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' };

export function* printSarif(report: SarifReport): Generator<string> {
  const { basis, findings, known, notes, version } = report;
  const log = {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'kubectl gc-tree',
            semanticVersion: version,
            rules: findingCodes.map(rule),
          },
        },
        invocations: [
          {
            executionSuccessful: true,
            endTimeUtc: basis.takenAt,
            toolExecutionNotifications: [
              ...basis.blindSpots.map(({ resource, reason }) => ({
                level: 'warning',
                message: messageOf(`${shownName(resource)} could not be seen: ${reason}`),
              })),
              ...notes.map(text => ({ level: 'note', message: messageOf(text) })),
            ],
          },
        ],
        columnKind: 'utf16CodeUnits',
        properties: { basis },
        results: [
          ...results(findings, report),
          ...known.map(({ finding, entry }) => ({
            ...result(finding, report),
            suppressions: [{ kind: 'external', status: 'accepted', justification: showHidden(entry.reason) }],
          })),
        ],
      },
    ],
  };
  yield `${documentText.json(log)}\n`;
}

function rule(code: FindingCode): object {
  return {
    id: code,
    name: code,
    shortDescription: { text: meaningOf(code) },
    helpUri: helpUriOf(code),
    defaultConfiguration: { level: levels[usualSeverity(code)] },
  };
}

function results(findings: readonly Finding[], report: SarifReport): object[] {
  const { causes, others } = Cause.grouped(findings, report.byCause);
  return [...causes.map(each => causeResult(each, report)), ...others.map(each => result(each, report))];
}

/** Locates the deciding object or, if no single one does, the first one that the cause holds. */
function causeResult(cause: Cause, report: SarifReport): object {
  const { id, because, severity, object, holds, findings, since, certainty } = cause;
  const code = (findings.find(each => each.severity === severity) ?? findings[0])?.code;
  return {
    ruleId: code,
    ruleIndex: findingCodes.findIndex(each => each === code),
    level: levels[severity],
    kind: 'fail',
    message: messageOf(`${because}: ${checkWords.tie(cause)} ${counted(holds.length, 'object')}`),
    locations: [object ?? holds[0]].flatMap(each => (each === undefined ? [] : location(each, report))),
    relatedLocations: holds.map(each => ({
      ...location(each, report),
      message: messageOf(objectTitle(each)),
    })),
    partialFingerprints: { 'causeId/v1': id },
    properties: {
      findings: findings.map(each => showHidden(each.id)),
      certainty,
      ...(since === undefined ? {} : { since: timeText.timestamp(since) }),
    },
  };
}

function result(finding: Finding, report: SarifReport): object {
  const { id, code, severity, object, message, evidence, related, since, certainty } = finding;
  return {
    ruleId: code,
    ruleIndex: findingCodes.indexOf(code),
    level: levels[severity],
    kind: 'fail',
    message: messageOf(message),
    locations: [location(object, report)],
    ...(related.length === 0
      ? {}
      : {
          relatedLocations: related.map(each => ({
            ...location(each, report),
            message: messageOf(objectTitle(each)),
          })),
        }),
    // Identifies a finding between runs.
    partialFingerprints: { 'findingId/v1': id },
    properties: {
      evidence: evidence.map(showHidden),
      certainty,
      ...(since === undefined ? {} : { since: timeText.timestamp(since) }),
    },
  };
}

/** Escapes links (SARIF 2.1.0, 3.11.6) and placeholders (3.11.5). */
function messageOf(message: string): { readonly text: string } {
  let text = showHidden(message);
  if (text.includes('](')) text = text.replace(/[\\[\]]/gu, '\\$&');
  if (/\{\d+\}/u.test(text)) text = text.replace(/[{}]/gu, '$&$&');
  return { text };
}

function location(object: Identity, { fileLineOf, folder }: SarifReport): object {
  const place = fileLineOf(object.uid);
  const uri = place && uriOf(place.file, folder);
  return {
    ...(uri === undefined
      ? {}
      : {
          physicalLocation: { artifactLocation: { uri }, region: { startLine: place?.line } },
        }),
    logicalLocations: [logicalLocation(object)],
  };
}

/** Returns a relative path for a file below the folder; undefined for standard input. */
function uriOf(file: string, folder: string): string | undefined {
  if (file === '-') return undefined;
  const whole = path.resolve(folder, file);
  const parts = partsBelow(folder, whole);
  if (parts === undefined) return pathToFileURL(whole).href;
  return parts.map(each => encodeURIComponent(each.toWellFormed())).join('/');
}

function logicalLocation(object: Identity): object {
  return {
    name: shownName(object.name),
    fullyQualifiedName: qualifiedName(object).split('/').map(shownName).join('/'),
    kind: 'resource',
    properties: {
      apiVersion: object.apiVersion,
      kind: object.kind,
      ...(object.namespace === '' ? {} : { namespace: object.namespace }),
    },
  };
}

function qualifiedName({ apiVersion, kind, namespace, name }: Identity): string {
  return [apiVersion, kind, ...(namespace === '' ? [] : [namespace]), name].join('/');
}
