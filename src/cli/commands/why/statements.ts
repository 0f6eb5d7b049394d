import type { Diagnosis } from '../../../diagnosis/engine/diagnosis.ts';
import type { Speakers } from '../../../diagnosis/explain/statements.ts';
import { identityOfObject } from '../../../graph/ownership-node.ts';
import { hear } from '../../../source/said-of.ts';
import type { WhyAnswer } from '../../../text/diagnosis/why.ts';
import { answerWithStatements } from '../../../text/diagnosis/with-statements.ts';
import type { ClusterSession } from '../../session/session.ts';
import { type ObjectReads, PATIENCE_MILLISECONDS } from './reads.ts';

/** Rejects with `Interrupted` at Ctrl-C. */
export async function stated(
  session: ClusterSession,
  { tracked }: Diagnosis,
  { reads, speakers }: { readonly reads: ObjectReads; readonly speakers: Speakers },
  answer: WhyAnswer,
): Promise<WhyAnswer> {
  if (speakers.own.length + speakers.events.length === 0) return answer;
  const { statements, unseen } = await session.until(
    hear(session.source, speakers, {
      read: object => reads.whole(identityOfObject(object)),
      identityOf: identityOfObject,
      signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
    }),
  );
  const told = answerWithStatements(tracked, answer, statements);
  return unseen === undefined ? told : { ...told, eventsUnseen: unseen };
}
