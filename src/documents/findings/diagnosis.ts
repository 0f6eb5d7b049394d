/** The Diagnosis document (docs/documents.md): why an object still exists, survived, or will be deleted. */
import type { ActsToo } from '../../diagnosis/explain/context.ts';
import type { Provenance } from '../../diagnosis/explain/provenance.ts';
import type { Statement } from '../../diagnosis/explain/statements.ts';
import { type AnswerLink, type WhyAnswer, type WhyTextOptions, whyLines } from '../../text/diagnosis/why.ts';
import { formatTimestamp } from '../../text/terminal/age.ts';
import {
  API_VERSION,
  type Basis,
  type ManagedByDocument,
  managedByDocument,
  type ObjectRef,
  objectRef,
} from '../basis.ts';
import { type LineLook, printLine } from '../print/lines.ts';
import {
  type FindingDocument,
  type FindingLookups,
  findingDocument,
  type RemedyDocument,
  remedyDocument,
} from './finding-list.ts';

export interface ChainLinkDocument {
  readonly object: ObjectRef;
  /** Relation to the previous link, such as `blocked by`; omitted for the first. */
  readonly by?: string;
  /** Set if the link is one of the object's finalizers. */
  readonly finalizer?: string;
  readonly because: string;
  readonly since?: string;
  /** Manager that set the finalizer or reference, from managed fields; the time is the latest possible. */
  readonly setBy?: { readonly manager: string; readonly operation: string; readonly time?: string };
}

/** An object's own report of why it doesn't finish. */
export interface StatementDocument extends Pick<Statement, 'from' | 'type' | 'reason' | 'message'> {
  readonly object: ObjectRef;
  readonly status?: string;
  /** Written for an older generation of the object. */
  readonly outdated?: true;
  readonly count?: number;
  readonly at?: string;
}

export interface ActsTooDocument extends Pick<ActsToo, 'effect' | 'words'> {
  readonly object: ObjectRef;
}

export interface DiagnosisItem extends Pick<WhyAnswer, 'summary' | 'because' | 'course' | 'next' | 'probes'> {
  readonly object: ObjectRef;
  readonly chain: readonly ChainLinkDocument[];
  readonly statements?: readonly StatementDocument[];
  readonly managedBy: readonly ManagedByDocument[];
  readonly context: readonly ActsTooDocument[];
  readonly findings: readonly FindingDocument[];
  readonly remedies: readonly RemedyDocument[];
}

export interface DiagnosisDocument {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'Diagnosis';
  readonly basis: Basis;
  readonly items: readonly DiagnosisItem[];
}

export function diagnosisDocument(
  basis: Basis,
  answers: readonly WhyAnswer[],
  lookups: FindingLookups,
): DiagnosisDocument {
  return {
    apiVersion: API_VERSION,
    kind: 'Diagnosis',
    basis: withEvents(basis, answers),
    items: answers.map(each => diagnosisItem(each, lookups)),
  };
}

export function diagnosisItem(answer: WhyAnswer, lookups: FindingLookups): DiagnosisItem {
  const { object, summary, chain, statements, because, course, managedBy, context, next, probes } = answer;
  return {
    object: objectRef(object),
    summary,
    chain: chain.map(linkDocument),
    ...(statements === undefined ? {} : { statements: statements.map(statementDocument) }),
    because,
    course,
    next,
    ...(probes === undefined ? {} : { probes }),
    managedBy: managedBy.map(managedByDocument),
    context: context.map(({ object: actor, effect, words }) => ({ object: objectRef(actor), effect, words })),
    findings: answer.findings.map(each => findingDocument(each, lookups)),
    remedies: answer.remedies.map(remedyDocument),
  };
}

function statementDocument(statement: Statement): StatementDocument {
  const { object, from, type, status, reason, message, at, count = 1, outdated } = statement;
  return {
    object: objectRef(object),
    from,
    type,
    ...(status === '' ? {} : { status }),
    reason,
    message,
    ...(at === undefined ? {} : { at: formatTimestamp(at) }),
    ...(count === 1 ? {} : { count }),
    ...(outdated === true ? { outdated } : {}),
  };
}

function linkDocument({ object, by, finalizer, because, since, setBy }: AnswerLink): ChainLinkDocument {
  return {
    object: objectRef(object),
    ...(by === '' ? {} : { by }),
    ...(finalizer === undefined ? {} : { finalizer }),
    because,
    ...(since === undefined ? {} : { since: formatTimestamp(since) }),
    ...(setBy === undefined ? {} : { setBy: setByDocument(setBy) }),
  };
}

function setByDocument({ manager, operation, at }: Provenance): NonNullable<ChainLinkDocument['setBy']> {
  return { manager, operation, ...(at === undefined ? {} : { time: formatTimestamp(at) }) };
}

/** Adds events as a blind spot: they aren't watched, so only a request shows if they can be read. */
function withEvents(basis: Basis, answers: readonly WhyAnswer[]): Basis {
  const reason = answers.find(({ eventsUnseen }) => eventsUnseen !== undefined)?.eventsUnseen;
  return reason === undefined
    ? basis
    : { ...basis, blindSpots: [...basis.blindSpots, { resource: 'events', reason }] };
}

/** `optionsFor` is per answer, because commands name the object. */
export function* printAnswers(
  answers: readonly WhyAnswer[],
  optionsFor: (answer: WhyAnswer) => WhyTextOptions,
  look: LineLook,
): Generator<string> {
  for (const [index, answer] of answers.entries()) {
    if (index > 0) yield '\n';
    for (const line of whyLines(answer, optionsFor(answer))) yield printLine(line, look);
  }
}
