/** What the objects that an answer ends at say themselves, read when somebody asks and put into the answer. */
import type { Diagnosis } from '../../../diagnosis/engine/diagnosis.ts';
import { type Statement, speakersOf } from '../../../diagnosis/explain/statements.ts';
import { identityOfObject } from '../../../graph/ownership-node.ts';
import { saidOf } from '../../../source/said-of.ts';
import type { WhyAnswer } from '../../../text/diagnosis/why.ts';
import { answerWithStatements } from '../../../text/diagnosis/with-statements.ts';
import type { ClusterSession } from '../../session/session.ts';
import type { ObjectReads } from './reads.ts';

/** The answer with what is said in it; as it is where nobody is asked. */
export async function stated(
  { source }: ClusterSession,
  { tracked }: Diagnosis,
  reads: ObjectReads,
  answer: WhyAnswer,
): Promise<WhyAnswer> {
  const speakers = speakersOf(tracked, answer);
  if (speakers.length === 0) return answer;
  const statements: Statement[] = [];
  for (const speaker of speakers) {
    const object = identityOfObject(speaker);
    for (const said of await saidOf(source, speaker, () => reads.whole(object)))
      statements.push({ ...said, object });
  }
  return answerWithStatements(tracked, answer, statements);
}
