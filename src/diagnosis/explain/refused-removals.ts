/** Answers on objects whose finalizer cannot be removed, because an event or a status quotes the API server's refusal. */
import { requestWords } from '../../forecast/index.ts';
import { objectTitle, shownName } from '../../model/index.ts';
import { gatekeepersOf, isGatekeepersAdvice, scopeAdvice } from '../admission/gatekeepers.ts';
import { type RefusedRemoval, refusedRemovalIn, underRefusal } from '../admission/probe-answers.ts';
import { answerAdvice } from '../cluster/called-services.ts';
import { type Advice, advice, type Finding, type OfferedRemedy } from '../engine/finding.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { isControllerAdvice, type Statement, type Told } from './reported-causes.ts';

/** Returns undefined unless a statement quotes a refusal of the removal that the finding waits for. */
export function withQuotedRefusal(
  tracked: TrackedView,
  finding: Finding,
  statements: readonly Statement[],
): Told | undefined {
  const end = finding.chain.at(-1);
  const object = end && tracked.view.graph.get(end.object.uid)?.object;
  const finalizer = end?.finalizer;
  if (object === undefined || finalizer === undefined || statements.length === 0) return undefined;
  const gatekeepers = gatekeepersOf(tracked, object, finalizer);
  const [refused] = statements.flatMap(({ message, failing, outdated }) =>
    failing && outdated !== true ? (refusedRemovalIn(message, object, gatekeepers) ?? []) : [],
  );
  if (refused === undefined) return undefined;
  const isOwn = object.uid === finding.object.uid;
  const title = objectTitle(object);
  const [first = ''] = finding.message.replace(/\.$/u, '').split('; ');
  const message = isOwn
    ? `${title} is being deleted, and the finalizer ${shownName(finalizer)} cannot be removed from it: ${refused.words}.`
    : `${first}; the finalizer ${shownName(finalizer)} cannot be removed from ${title}: ${refused.words}.`;
  const among: Told['among'] = remedies => [
    adviceOn(tracked, refused, object),
    ...underRefusal(
      remedies.filter(each => !isGatekeepersAdvice(each) && !isControllerAdvice(each.id, finalizer)),
      { path: requestWords.objectPath(object), name: object.name, blamed: refused.blamed },
    ),
  ];
  return {
    finding: { ...finding, message, remedies: () => among(finding.remedies()) },
    among,
    next: isOwn ? `${object.name} stays until that update is accepted.` : undefined,
  };
}

function adviceOn(
  tracked: TrackedView,
  { result, blamed, call }: RefusedRemoval,
  object: Parameters<typeof objectTitle>[0],
): OfferedRemedy {
  const actor = 'its controller';
  if (blamed.length > 0 && result === 'rejected')
    return scopeAdvice(object, blamed, { actor, isAssumed: false });
  const promise = 'its controller removes the finalizer by itself then';
  const answer = call && answerAdvice(tracked, call, { id: 'advice/admission', promise });
  if (answer !== undefined) return answer;
  return adviseFix(
    blamed.length > 0
      ? `restore the backend of ${blamed[0]?.name ?? ''} (${blamed[0]?.configuration ?? ''}), or delete that if what it belonged to is gone`
      : `fix what the API server finds invalid in ${objectTitle(object)}, or what changes it on the way`,
  );
}

function adviseFix(what: string): Advice {
  return advice('advice/admission', `${what}: its controller removes the finalizer by itself then`);
}
