/** `podgc`: which pods PodGC will take, by which rule and when, and why others that look the same stay. */
import { PodGcSurvey } from '../../../podgc/survey/survey.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE } from '../../runtime/errors.ts';
import { confirmMissingNodes } from '../../session/confirm.ts';
import { type ClusterSession, openSession } from '../../session/session.ts';
import { requireKnownScope } from '../../targets/known-scope.ts';
import { ManagerWatch } from './manager.ts';
import { parsePodGc } from './request.ts';
import { answerOf, type PodGcRun, printPodGc } from './run.ts';
import { podGcScope } from './scope.ts';
import { watchPodGc } from './watch.ts';

export async function podgc(command: TargetCommand): Promise<number> {
  const { flags, io, services, targets } = command;
  const request = parsePodGc(targets, flags);
  const session = await openSession(flags, io, services);
  try {
    await session.load(true);
    await confirmMissingNodes(session);
    const pending = session.holdStill(flags.watch === true);
    const scope = podGcScope(session, request, flags);
    requireKnownScope(session, scope.namespace);
    const survey = new PodGcSurvey(session.view, { now: session.now() });
    await learnRemovals(session, survey);
    const run: PodGcRun = { command, request, session, survey, scope };
    const manager = new ManagerWatch(run);
    await manager.look();
    const answer = answerOf(run);
    await printPodGc(run, answer);
    if (flags.watch === true) await watchPodGc(run, answer.items, { pending, manager });
    return EXIT_DONE;
  } finally {
    await session.close();
  }
}

// Events are a help, and nobody waits long for them.
const PATIENCE_MILLISECONDS = 5_000;

/** Asked only where something depends on it: a node is gone, and nobody saw when. */
async function learnRemovals(session: ClusterSession, survey: PodGcSurvey): Promise<void> {
  if (survey.unseenRemovals.length === 0 || session.source.nodeRemovals === undefined) return;
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>(resolve => {
    timer = setTimeout(resolve, PATIENCE_MILLISECONDS);
  });
  const asked = session.source.nodeRemovals().catch(() => undefined);
  const removals = await session.until(Promise.race([asked, patience])).finally(() => clearTimeout(timer));
  if (removals) survey.learnRemovals(removals, session.now());
}
