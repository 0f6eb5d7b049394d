/** An answer with what objects say themselves of why they don't finish. */
import type { TrackedView } from '../../diagnosis/engine/tracked-view.ts';
import { type Statement, withStatements } from '../../diagnosis/explain/statements.ts';
import type { WhyAnswer } from './why.ts';

/** What they say is in its sentence and in what can be done, and stands below in whole. */
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
