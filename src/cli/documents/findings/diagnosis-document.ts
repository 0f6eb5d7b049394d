/** The Diagnosis document (docs/documents.md): why an object still exists, survived, or will be deleted. */
import { causesOf, type Provenance, type Statement } from '../../../diagnosis/index.ts';
import { type AnswerLink, type WhyAnswer, type WhyTextOptions, whyLines } from '../../../text/index.ts';
import { API_VERSION, definedFields, managedByDocument, objectRef, optionalTime } from '../basis.ts';
import type {
  Basis,
  ChainLink,
  Diagnosis,
  DiagnosisItem,
  Statement as StatementDocument,
  UseEntry,
  Wait,
} from '../definitions.ts';
import { type LineLook, printLine } from '../print/print-lines.ts';
import { causeDocument, type FindingLookups, findingDocument, remedyDocument } from './finding-list.ts';

export function diagnosisDocument(
  basis: Basis,
  answers: readonly WhyAnswer[],
  lookups: FindingLookups,
): Diagnosis {
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
    waits: waitsOn(chain),
    causes: (answer.causes ?? causesOf(answer.findings)).map(each => causeDocument(each, lookups)),
    ...(statements === undefined ? {} : { statements: statements.map(statementDocument) }),
    because,
    course,
    next,
    ...useFields(answer),
    ...(probes === undefined ? {} : { probes }),
    managedBy: managedBy.map(managedByDocument),
    context: context.map(({ object: actor, effect, words }) => ({ object: objectRef(actor), effect, words })),
    findings: answer.findings.map(each => findingDocument(each, lookups)),
    remedies: answer.remedies.map(remedyDocument),
  };
}

function useFields({ usedBy, uses }: WhyAnswer): Pick<DiagnosisItem, 'usedBy' | 'usersUnread' | 'uses'> {
  return {
    ...(usedBy && userFields(usedBy)),
    ...(uses && {
      uses: uses.map(({ used, how, optional }) => useEntry(objectRef(used), how, optional)),
    }),
  };
}

export function userFields({
  uses,
  unseen,
}: NonNullable<WhyAnswer['usedBy']>): Pick<DiagnosisItem, 'usedBy' | 'usersUnread'> {
  return {
    usedBy: uses.map(({ user, how, optional, pods }) => useEntry(objectRef(user), how, optional, pods.size)),
    ...(unseen.length > 0 && {
      usersUnread: unseen.flatMap(({ kinds, because }) => kinds.map(kind => ({ kind, reason: because }))),
    }),
  };
}

function useEntry(object: UseEntry['object'], how: string, optional: boolean, pods = 0): UseEntry {
  return { object, how, ...(pods > 0 && { pods }), ...(optional && { optional }) };
}

function statementDocument(statement: Statement): StatementDocument {
  const { object, from, type, status, reason, message, at, count = 1, outdated } = statement;
  return definedFields({
    object: objectRef(object),
    from,
    type,
    status: status === '' ? undefined : status,
    reason,
    message,
    at: optionalTime(at),
    count: count === 1 ? undefined : count,
    outdated: outdated === true ? outdated : undefined,
  });
}

/** Skips the links of finalizers, which repeat their object, and links to owners, which are no waits. */
function waitsOn(chain: readonly AnswerLink[]): Wait[] {
  return chain.flatMap(({ object, by, because, since }, index) => {
    const from = chain[index - 1]?.object;
    const isOwner = by === 'owned by' || by === 'controlled by';
    if (from === undefined || isOwner || isSameObject(from, object)) return [];
    return definedFields({
      from: objectRef(from),
      to: objectRef(object),
      because,
      since: optionalTime(since),
    });
  });
}

function isSameObject(a: AnswerLink['object'], b: AnswerLink['object']): boolean {
  return a.uid === b.uid && a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
}

function linkDocument({ object, by, finalizer, because, since, setBy }: AnswerLink): ChainLink {
  return definedFields({
    object: objectRef(object),
    by: by === '' ? undefined : by,
    finalizer,
    because,
    since: optionalTime(since),
    setBy: setBy && setByDocument(setBy),
  });
}

function setByDocument({ manager, operation, at }: Provenance): NonNullable<ChainLink['setBy']> {
  return definedFields({ manager, operation, time: optionalTime(at) });
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
