import type { Diagnosis, Speakers } from '../../../diagnosis/index.ts';
import { identityOfObject } from '../../../graph/index.ts';
import { hear, type Source } from '../../../source/index.ts';
import { answerWithStatements, type WhyAnswer } from '../../../text/index.ts';
import type { ClusterSession } from '../../session/session.ts';
import { type ObjectReads, PATIENCE_MILLISECONDS } from './why-reads.ts';

/** Rejects with `Interrupted` at Ctrl-C. */
export async function stated(
  session: ClusterSession,
  { tracked }: Diagnosis,
  { reads, speakers }: { readonly reads: ObjectReads; readonly speakers: Speakers },
  answer: WhyAnswer,
): Promise<WhyAnswer> {
  if (speakers.own.length + speakers.events.length === 0) return answer;
  const { statements, unseen } = await session.until(
    hear(knownFirst(session), speakers, {
      read: object => reads.whole(identityOfObject(object)),
      identityOf: identityOfObject,
      signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
    }),
  );
  const told = answerWithStatements(tracked, answer, statements);
  return unseen === undefined ? told : { ...told, eventsUnseen: unseen };
}

/** Answers from what look-ups have read, so that nothing is read twice. */
function knownFirst({ source, view }: ClusterSession): Pick<Source, 'content' | 'events'> {
  return {
    content: object => source.content?.(object) ?? view.absences.contentOf(object.uid),
    ...(source.events && {
      events: async (about, signal) =>
        view.absences.contentOf(about.uid)?.events ?? (await source.events?.(about, signal)) ?? [],
    }),
  };
}
