/** Explains objects from the view, and adds what must be fetched per object. */
import {
  CausesWithin,
  type Diagnosis,
  explain,
  prospectOf,
  speakersOf,
  Users,
} from '../../../diagnosis/index.ts';
import { type GraphNode, isDeleting } from '../../../graph/index.ts';
import type { WhyAnswer } from '../../../text/index.ts';
import { byNamespaceAndKind } from '../../documents/tree/selection.ts';
import { usersIn } from '../../session/cascades.ts';
import { diagnoseConfirmed, surroundingsOf } from '../../session/confirm.ts';
import { Outlook } from '../../session/diagnose.ts';
import type { ClusterSession } from '../../session/session.ts';
import { stated } from './answer-statements.ts';
import { labelled } from './labels.ts';
import { ManagerReports } from './manager.ts';
import { probe, probed } from './probe.ts';
import { Provenances } from './provenance.ts';
import { ObjectReads } from './why-reads.ts';

// A whole type would need a request per object.
const MOST_ASKED = 20;

export interface Explained {
  readonly diagnosis: Diagnosis;
  readonly outlook: Outlook;
  /** In the order of the answers. */
  readonly nodes: readonly GraphNode[];
  readonly plain: readonly WhyAnswer[];
  readonly speakers: readonly ReturnType<typeof speakersOf>[];
}

/** Repeat until everything it needs is read (`ClusterSession.answer`). */
export async function explainTargets(
  session: ClusterSession,
  targeted: () => readonly GraphNode[],
): Promise<Explained> {
  const diagnosis = await diagnoseConfirmed(session, {
    scope: surroundingsOf(session, targeted()),
    also: made => targeted().flatMap(node => explain(made, node).assumed),
    asked: true,
  });
  const nodes = targeted().toSorted(byNamespaceAndKind);
  const outlook = new Outlook(diagnosis, nodes.length <= MOST_ASKED ? 'few' : 'list');
  const plain = nodes.map(node => answer(diagnosis, outlook, node));
  const speakers = plain.map(each => speakersOf(diagnosis.tracked, each));
  return { diagnosis, outlook, nodes, plain, speakers };
}

function answer(diagnosis: Diagnosis, outlook: Outlook, node: GraphNode): WhyAnswer {
  const { remedies, next, ...explained } = explain(diagnosis, node);
  const causes = node.object === undefined ? [] : CausesWithin.of(diagnosis, node.object);
  const lead = CausesWithin.sentence(causes, node.identity);
  return {
    ...explained,
    ...(causes.length > 0 && { causes, summary: `${lead} ${explained.summary}` }),
    object: node.identity,
    next: next === undefined ? prospectOf(diagnosis.tracked, node, outlook) : [next],
    remedies: outlook.effectsOn(node.identity.uid, remedies()),
  };
}

async function withUses(
  users: Users,
  reads: ObjectReads,
  answer: WhyAnswer,
  { object, identity }: GraphNode,
): Promise<WhyAnswer> {
  if (object === undefined || isDeleting(object)) return answer;
  const json = Users.canUse(object) ? await reads.whole(identity) : undefined;
  return {
    ...answer,
    ...(json && { uses: users.usedIn(object, json) }),
    ...(Users.canBeUsed(object) && { usedBy: await users.of([object]) }),
  };
}

/** Adds statuses, events, managed fields and uses. The view must not change meanwhile. */
export async function completeAnswers(
  session: ClusterSession,
  { diagnosis, nodes, plain, speakers }: Explained,
  probing: boolean,
): Promise<readonly WhyAnswer[]> {
  const reads = new ObjectReads(session);
  const provenances = new Provenances(reads);
  const managers = new ManagerReports(session);
  const users = usersIn(session);
  const asked = nodes.length <= MOST_ASKED;
  const answers: WhyAnswer[] = [];
  for (const [index, known] of plain.entries()) {
    const node = nodes[index];
    if (node === undefined) continue;
    // Reading whole objects first lets provenance reuse them.
    const saying = asked ? speakers[index] : undefined;
    const told = saying ? await stated(session, diagnosis, { reads, speakers: saying }, known) : known;
    const reported = await managers.in(told);
    const whole = asked
      ? await labelled(reads, { ...reported, chain: await provenances.of(reported.chain) })
      : reported;
    const used = asked ? await withUses(users, reads, whole, node) : whole;
    answers.push(probing ? probed(used, await probe(session, diagnosis.tracked, node)) : used);
  }
  return answers;
}
