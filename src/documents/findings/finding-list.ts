/** The FindingList document (docs/documents.md), and Finding and Remedy as all documents have them. */
import { type FindingCode, findingCodes } from '../../diagnosis/engine/codes.ts';
import {
  countSeverities,
  type Fact,
  type Finding,
  type OfferedRemedy,
  type SeverityCounts,
} from '../../diagnosis/engine/finding.ts';
import type { Remedy } from '../../forecast/action.ts';
import type { Identity } from '../../graph/node.ts';
import type { Uid } from '../../model/object.ts';
import { shellLine } from '../../model/text/shell-line.ts';
import type { FileLine } from '../../source/source.ts';
import { type CheckTextOptions, checkLines } from '../../text/diagnosis/check.ts';
import { helpUriOf } from '../../text/diagnosis/code-words.ts';
import { formatTimestamp } from '../../text/terminal/age.ts';
import type { TableColumns } from '../../text/terminal/table.ts';
import type { Baselined, KnownFinding } from '../baseline/baseline.ts';
import { API_VERSION, type Basis, type ObjectRef, objectRef } from '../basis.ts';
import { type LineLook, printLine } from '../print/lines.ts';

/** Advice has the effect `''`: it cannot be forecast. */
export interface RemedyDocument extends Omit<Remedy, 'kubectl'> {
  /** For advice, a command that only shows something. Omitted without one, or if a name can't be in a shell line. */
  readonly kubectl?: string;
}

/** `id` is unique in a list, and the same in the next run and on a recreated cluster. */
export interface FindingDocument
  extends Pick<Finding, 'id' | 'code' | 'severity' | 'message' | 'evidence' | 'certainty'> {
  readonly object: ObjectRef;
  readonly source?: FileLine;
  readonly since?: string;
  readonly facts: readonly FactDocument[];
  readonly related: readonly ObjectRef[];
  readonly helpUri: string;
  readonly remedies: readonly RemedyDocument[];
}

export interface FactDocument extends Omit<Fact, 'object'> {
  readonly object?: ObjectRef;
}

export interface FindingListDocument {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'FindingList';
  readonly basis: Basis;
  readonly counts: FindingCounts;
  readonly baseline?: BaselineDocument;
  readonly items: readonly FindingDocument[];
}

interface KnownFindingDocument extends Pick<Finding, 'id' | 'severity'> {
  readonly entry: string;
  readonly reason: string;
  readonly expires: string;
}

interface BaselineDocument {
  readonly file: string;
  readonly known: readonly KnownFindingDocument[];
  readonly expired: readonly KnownFindingDocument[];
  readonly worse: readonly KnownFindingDocument[];
  readonly unmatched: readonly string[];
}

export interface FindingCounts extends SeverityCounts {
  readonly total: number;
  /** Codes with findings, in the order of `findingCodes`. */
  readonly byCode: Readonly<Partial<Record<FindingCode, number>>>;
}

export interface FindingLookups {
  readonly remediesOf: (finding: Finding) => readonly OfferedRemedy[];
  readonly fileLineOf: (uid: Uid) => FileLine | undefined;
}

export function remedyDocument({ id, title, risk, effect, requests, kubectl }: Remedy): RemedyDocument {
  const line = shellLine(kubectl);
  return { id, title, risk, effect, requests, ...(line === undefined ? {} : { kubectl: line }) };
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
    ...(since === undefined ? {} : { since: formatTimestamp(since) }),
    message,
    evidence,
    facts: facts.map(each => factDocument(each, object)),
    related: related.map(objectRef),
    certainty,
    helpUri: helpUriOf(code),
    remedies: lookups.remediesOf(finding).map(remedyDocument),
  };
}

function factDocument({ object, path, value }: Fact, of: Identity): FactDocument {
  return { ...(object.uid === of.uid ? {} : { object: objectRef(object) }), path, value };
}

export function findingListDocument(
  basis: Basis,
  findings: readonly Finding[],
  lookups: FindingLookups,
  baselined?: Baselined,
): FindingListDocument {
  return {
    apiVersion: API_VERSION,
    kind: 'FindingList',
    basis,
    counts: countsOf(findings),
    ...(baselined === undefined ? {} : { baseline: baselineDocument(baselined) }),
    items: findings.map(each => findingDocument(each, lookups)),
  };
}

function baselineDocument({ file, known, expired, worse, unmatched }: Baselined): BaselineDocument {
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

function countsOf(findings: readonly Finding[]): FindingCounts {
  const byCode: Partial<Record<FindingCode, number>> = {};
  for (const code of findingCodes) {
    const count = findings.filter(each => each.code === code).length;
    if (count > 0) byCode[code] = count;
  }
  return { total: findings.length, ...countSeverities(findings), byCode };
}

export type PrintFindingsOptions = CheckTextOptions & LineLook;

export function* printFindings(
  findings: readonly Finding[],
  columns: TableColumns,
  options: PrintFindingsOptions,
): Generator<string> {
  // Columns already fit, so only paragraphs are folded.
  const look = columns === undefined ? options : { ...options, width: undefined };
  for (const line of checkLines(findings, columns, options)) yield printLine(line, look);
}
