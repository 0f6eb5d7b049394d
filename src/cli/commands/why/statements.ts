/** What the objects that an answer ends at say themselves, read when somebody asks and put into the answer. */
import type { Diagnosis } from '../../../diagnosis/engine/diagnosis.ts';
import { type Statement, speakersOf } from '../../../diagnosis/explain/statements.ts';
import type { Identity } from '../../../graph/node.ts';
import type { Said } from '../../../model/exchange/said.ts';
import { saidBy, saidIn } from '../../../model/json/said-from-json.ts';
import type { WhyAnswer } from '../../../text/diagnosis/why.ts';
import { answerWithStatements } from '../../../text/diagnosis/with-statements.ts';
import type { ClusterSession } from '../../session/session.ts';
import type { ObjectReads } from './reads.ts';

/** The answer with what is said in it; as it is where nobody is asked. */
export async function stated(
  session: ClusterSession,
  { tracked }: Diagnosis,
  reads: ObjectReads,
  answer: WhyAnswer,
): Promise<WhyAnswer> {
  const chains = [answer.chain, ...answer.findings.map(({ chain }) => chain)];
  const speakers = speakersOf(tracked, answer.object, chains);
  if (speakers.length === 0) return answer;
  const statements: Statement[] = [];
  for (const object of speakers)
    for (const said of await saidOf(session, reads, object)) statements.push({ ...said, object });
  return answerWithStatements(tracked, answer, statements);
}

async function saidOf(
  session: ClusterSession,
  reads: ObjectReads,
  object: Identity,
): Promise<readonly Said[]> {
  const { source, view } = session;
  const facts = view.graph.get(object.uid)?.object?.facts;
  if (facts !== undefined && 'conditions' in facts) return saidBy(facts.conditions);
  if (source.said !== undefined) return source.said(object.uid);
  const json = await reads.whole(object);
  return json === undefined ? [] : saidIn(json);
}
