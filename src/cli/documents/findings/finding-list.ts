/** The FindingList document (docs/documents.md), and Finding and Remedy as all documents have them. */
import {
  Cause,
  causesOf,
  countSeverities,
  type Finding,
  type FindingCode,
  findingCodes,
  type OfferedRemedy,
} from '../../../diagnosis/index.ts';
import type { Remedy } from '../../../forecast/index.ts';
import type { Identity } from '../../../graph/index.ts';
import { shellLine, type Uid } from '../../../model/index.ts';
import type { FileLine } from '../../../source/index.ts';
import {
  type CheckTextOptions,
  checkWords,
  helpUriOf,
  type TableWidths,
  timeText,
} from '../../../text/index.ts';
import type { Baselined, KnownFinding } from '../baseline/compare-baseline.ts';
import { API_VERSION, definedFields, objectRef, optionalTime } from '../basis.ts';
import type {
  Basis,
  Cause as CauseDocument,
  Fact as FactDocument,
  Finding as FindingDocument,
  FindingList,
  KnownFinding as KnownFindingDocument,
  Remedy as RemedyDocument,
} from '../definitions.ts';
import { type LineLook, printLine } from '../print/print-lines.ts';

export interface FindingLookups {
  readonly remediesOf: (finding: Finding) => readonly OfferedRemedy[];
  readonly fileLineOf: (uid: Uid) => FileLine | undefined;
}

export function remedyDocument(remedy: Remedy): RemedyDocument {
  const { id, title, risk, effect, requests, steps, kubectl } = remedy;
  const line = shellLine(kubectl);
  return {
    id,
    title,
    risk,
    effect,
    requests: requests.map(({ verb, path, query, contentType, body }) =>
      definedFields({ verb, path, query, contentType, body }),
    ),
    ...(steps === undefined ? {} : { steps: steps.map(each => ({ title: each.title, risk: each.risk })) }),
    ...(line === undefined ? {} : { kubectl: line }),
  };
}

export function findingDocument(finding: Finding, lookups: FindingLookups): FindingDocument {
  const { id, code, severity, object, since, message, evidence, facts, related, certainty } = finding;
  const source = lookups.fileLineOf(object.uid);
  return {
    id,
    code,
    severity,
    object: objectRef(object),
    ...(source === undefined ? {} : { source }),
    ...(since === undefined ? {} : { since: timeText.timestamp(since) }),
    message,
    evidence,
    facts: facts.map(each => factDocument(each, object)),
    related: related.map(objectRef),
    certainty,
    helpUri: helpUriOf(code),
    remedies: lookups.remediesOf(finding).map(remedyDocument),
  };
}

function factDocument({ object, path, value }: Finding['facts'][number], of: Identity): FactDocument {
  return { ...(object.uid === of.uid ? {} : { object: objectRef(object) }), path, value };
}

export function findingListDocument(
  basis: Basis,
  findings: readonly Finding[],
  lookups: FindingLookups,
  baselined?: Baselined,
): FindingList {
  return {
    apiVersion: API_VERSION,
    kind: 'FindingList',
    basis,
    counts: countsOf(findings),
    ...(baselined === undefined ? {} : { baseline: baselineDocument(baselined) }),
    causes: causesOf(findings).map(each => causeDocument(each, lookups)),
    items: findings.map(each => findingDocument(each, lookups)),
  };
}

export function causeDocument(cause: Cause, { remediesOf }: FindingLookups): CauseDocument {
  const { id, because, severity, object, certainty, since, holds, findings } = cause;
  const nearest = Cause.nearest(cause);
  return definedFields({
    id,
    because,
    severity,
    object: object && objectRef(object),
    certainty,
    since: optionalTime(since),
    holds: holds.map(objectRef),
    findings: findings.map(each => each.id),
    remedies: nearest === undefined ? [] : remediesOf(nearest).map(remedyDocument),
  });
}

function baselineDocument({
  file,
  known,
  expired,
  worse,
  unmatched,
}: Baselined): NonNullable<FindingList['baseline']> {
  return {
    file,
    known: known.map(knownDocument),
    expired: expired.map(knownDocument),
    worse: worse.map(knownDocument),
    unmatched: unmatched.map(({ id }) => id),
  };
}

function knownDocument({ finding: { id, severity }, entry }: KnownFinding): KnownFindingDocument {
  return { id, severity, entry: entry.id, reason: entry.reason, expires: entry.expires };
}

function countsOf(findings: readonly Finding[]): FindingList['counts'] {
  const counts = Map.groupBy(findings, ({ code }) => code);
  const byCode: Partial<Record<FindingCode, number>> = {};
  for (const code of findingCodes) {
    const count = counts.get(code)?.length;
    if (count !== undefined) byCode[code] = count;
  }
  return { total: findings.length, ...countSeverities(findings), byCode };
}

export type PrintFindingsOptions = CheckTextOptions & LineLook;

export function* printFindings(
  findings: readonly Finding[],
  columns: TableWidths,
  options: PrintFindingsOptions,
): Generator<string> {
  // Columns already fit, so only paragraphs are folded.
  const look = columns === undefined ? options : { ...options, width: undefined };
  for (const line of checkWords.lines(findings, columns, options)) yield printLine(line, look);
}
