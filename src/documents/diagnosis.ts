/** Diagnosis of the documents contract: why an object is still here, survived, or will go. */
import type { ChainLink, Finding, OfferedRemedy } from '../diagnosis/finding.ts';
import type { Identity } from '../graph/node.ts';
import { formatTimestamp } from '../text/age.ts';
import { API_VERSION, type Basis } from './basis.ts';
import {
  type FindingDocument,
  findingDocument,
  type RemedyDocument,
  remedyDocument,
} from './finding-list.ts';
import { type ObjectRef, objectRef } from './object-ref.ts';

export interface ChainLinkDocument {
  readonly object: ObjectRef;
  /** How the link before leads here: `blocked by`; left out of the first. */
  readonly by?: string;
  /** Set where the link is a finalizer of the object and not the object itself. */
  readonly finalizer?: string;
  readonly because: string;
  readonly since?: string;
}

export interface DiagnosisItem {
  readonly object: ObjectRef;
  readonly summary: string;
  readonly chain: readonly ChainLinkDocument[];
  /** What becomes of it if nobody acts, as far as there is anything to tell. */
  readonly next: readonly string[];
  readonly findings: readonly FindingDocument[];
  readonly remedies: readonly RemedyDocument[];
}

export interface DiagnosisDocument {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'Diagnosis';
  readonly basis: Basis;
  readonly items: readonly DiagnosisItem[];
}

/** The answer about one object, with everything that had to be asked for. */
export interface Answer {
  readonly object: Identity;
  readonly summary: string;
  readonly chain: readonly ChainLink[];
  readonly next: readonly string[];
  readonly findings: readonly Finding[];
  /** With their effects. */
  readonly remedies: readonly OfferedRemedy[];
}

export function diagnosisDocument(
  basis: Basis,
  answers: readonly Answer[],
  remediesOf: (finding: Finding) => readonly OfferedRemedy[],
): DiagnosisDocument {
  return {
    apiVersion: API_VERSION,
    kind: 'Diagnosis',
    basis,
    items: answers.map(({ object, summary, chain, next, findings, remedies }) => ({
      object: objectRef(object),
      summary,
      chain: chain.map(linkDocument),
      next,
      findings: findings.map(each => findingDocument(each, remediesOf(each))),
      remedies: remedies.map(remedyDocument),
    })),
  };
}

function linkDocument({ object, by, finalizer, because, since }: ChainLink): ChainLinkDocument {
  return {
    object: objectRef(object),
    ...(by === '' ? {} : { by }),
    ...(finalizer === undefined ? {} : { finalizer }),
    because,
    ...(since === undefined ? {} : { since: formatTimestamp(since) }),
  };
}
