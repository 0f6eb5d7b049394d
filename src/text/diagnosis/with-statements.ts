import {
  type Statement,
  type TrackedView,
  withQuotedRefusal,
  withStatements,
} from '../../diagnosis/index.ts';
import type { WhyAnswer } from './why-lines.ts';

/** Adds statements to the sentence and the remedies, and in full below. */
export function answerWithStatements(
  tracked: TrackedView,
  answer: WhyAnswer,
  statements: readonly Statement[],
): WhyAnswer {
  const { telling, findings, remedies } = answer;
  const told =
    telling &&
    (withQuotedRefusal(tracked, telling, statements) ?? withStatements(tracked, telling, statements));
  if (told === undefined) return { ...answer, statements };
  return {
    ...answer,
    statements,
    telling: told.finding,
    summary: told.finding.message,
    findings: findings.map(each => (each === telling ? told.finding : each)),
    remedies: told.among(remedies),
    ...(told.next === undefined ? {} : { next: [told.next] }),
  };
}
