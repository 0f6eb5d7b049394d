import type { TrackedView } from '../../diagnosis/engine/tracked-view.ts';
import { type Statement, withStatements } from '../../diagnosis/explain/statements.ts';
import type { WhyAnswer } from './why.ts';

/** Adds statements to the sentence and the remedies, and in full below. */
export function answerWithStatements(
  tracked: TrackedView,
  answer: WhyAnswer,
  statements: readonly Statement[],
): WhyAnswer {
  const { telling, findings, remedies } = answer;
  const told = telling && withStatements(tracked, telling, statements);
  if (told === undefined) return { ...answer, statements };
  return {
    ...answer,
    statements,
    telling: told.finding,
    summary: told.finding.message,
    findings: findings.map(each => (each === telling ? told.finding : each)),
    remedies: told.among(remedies),
  };
}
