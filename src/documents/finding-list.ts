/** FindingList of the documents contract, and Finding and Remedy as every document holds them. */
import type { Certainty } from '../collector/status.ts';
import type { FindingCode, Severity } from '../diagnosis/codes.ts';
import type { Finding, OfferedRemedy } from '../diagnosis/finding.ts';
import type { Remedy } from '../forecast/remedy.ts';
import { shellLine } from '../model/shell-line.ts';
import { formatTimestamp } from '../text/age.ts';
import { API_VERSION, type Basis } from './basis.ts';
import { type ObjectRef, objectRef } from './object-ref.ts';

export interface RemedyDocument {
  readonly id: string;
  readonly title: string;
  readonly risk: OfferedRemedy['risk'];
  /** What it brings about by the forecast; `''` of advice, which nothing can be forecast of. */
  readonly effect: string;
  readonly requests: OfferedRemedy['requests'];
  /** Left out of advice, and where no line of a shell can hold a name in it as it is. */
  readonly kubectl?: string;
}

export interface FindingDocument {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly object: ObjectRef;
  readonly since?: string;
  readonly message: string;
  readonly evidence: readonly string[];
  readonly related: readonly ObjectRef[];
  readonly certainty: Certainty;
  readonly remedies: readonly RemedyDocument[];
}

export interface FindingListDocument {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'FindingList';
  readonly basis: Basis;
  readonly items: readonly FindingDocument[];
}

export function remedyDocument({ id, title, risk, effect, requests, kubectl }: Remedy): RemedyDocument {
  const line = shellLine(kubectl);
  return { id, title, risk, effect, requests, ...(line === undefined ? {} : { kubectl: line }) };
}

/** `remedies`: those of the finding, with their effects. */
export function findingDocument(finding: Finding, remedies: readonly OfferedRemedy[]): FindingDocument {
  const { code, severity, object, since, message, evidence, related, certainty } = finding;
  return {
    code,
    severity,
    object: objectRef(object),
    ...(since === undefined ? {} : { since: formatTimestamp(since) }),
    message,
    evidence,
    related: related.map(objectRef),
    certainty,
    remedies: remedies.map(remedyDocument),
  };
}

/** `remediesOf` gives a finding's remedies with their effects. */
export function findingListDocument(
  basis: Basis,
  findings: readonly Finding[],
  remediesOf: (finding: Finding) => readonly OfferedRemedy[],
): FindingListDocument {
  return {
    apiVersion: API_VERSION,
    kind: 'FindingList',
    basis,
    items: findings.map(each => findingDocument(each, remediesOf(each))),
  };
}
