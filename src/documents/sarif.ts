/**
 * Findings as a SARIF log (OASIS SARIF 2.1.0), which code scanning reads: a rule for each code, a result for
 * each finding, placed at a logical location because an object of a cluster is in no file.
 */
import { type FindingCode, findingCodes, type Severity, usualSeverity } from '../diagnosis/codes.ts';
import type { Finding } from '../diagnosis/finding.ts';
import type { Identity } from '../graph/node.ts';
import { shownName } from '../model/shown.ts';
import { shownUid } from '../model/synthetic-uid.ts';
import { formatTimestamp } from '../text/age.ts';
import { meaningOf } from '../text/code-words.ts';
import { objectTitle } from '../text/names.ts';
import { sanitise } from '../text/sanitise.ts';
import type { Basis } from './basis.ts';
import { stringify } from './print-json.ts';

export interface SarifReport {
  readonly basis: Basis;
  readonly findings: readonly Finding[];
  /** The product's. */
  readonly version: string;
}

const levels: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' };

export function* printSarif({ basis, findings, version }: SarifReport): Generator<string> {
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
            toolExecutionNotifications: basis.blindSpots.map(({ resource, reason }) => ({
              level: 'warning',
              message: { text: `${shownName(resource)} could not be seen: ${sanitise(reason)}` },
            })),
          },
        ],
        columnKind: 'utf16CodeUnits',
        properties: { basis },
        results: findings.map(result),
      },
    ],
  };
  yield `${stringify(log)}\n`;
}

function rule(code: FindingCode): object {
  return {
    id: code,
    name: code,
    shortDescription: { text: meaningOf(code) },
    defaultConfiguration: { level: levels[usualSeverity(code)] },
  };
}

function result(finding: Finding): object {
  const { code, severity, object, message, evidence, related, since, certainty } = finding;
  return {
    ruleId: code,
    ruleIndex: findingCodes.indexOf(code),
    level: levels[severity],
    kind: 'fail',
    message: { text: sanitise(message) },
    locations: [{ logicalLocations: [logicalLocation(object)] }],
    ...(related.length === 0
      ? {}
      : {
          relatedLocations: related.map(each => ({
            logicalLocations: [logicalLocation(each)],
            message: { text: objectTitle(each) },
          })),
        }),
    // The same object in the same state is the same result in the next run.
    partialFingerprints: { 'objectAndCode/v1': `${code}/${shownUid(object.uid) || qualifiedName(object)}` },
    properties: {
      evidence: evidence.map(sanitise),
      certainty,
      ...(since === undefined ? {} : { since: formatTimestamp(since) }),
    },
  };
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

/** `apps/v1/StatefulSet/shop/web` */
function qualifiedName({ apiVersion, kind, namespace, name }: Identity): string {
  return [apiVersion, kind, ...(namespace === '' ? [] : [namespace]), name].join('/');
}
