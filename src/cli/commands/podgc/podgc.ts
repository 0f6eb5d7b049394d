/** `podgc`: the pods that PodGC will delete, by rule and time, and why similar ones stay. */
import { PodGcSurvey } from '../../../podgc/index.ts';
import { printsOf, type TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE } from '../../runtime/errors.ts';
import { formatOf } from '../../runtime/output-formats.ts';
import { confirmMissingNodes } from '../../session/confirm.ts';
import { requireKnownScope } from '../../session/known-scope.ts';
import { openSession } from '../../session/session.ts';
import { type PodGcQuery, parsePodGc, podGcScope } from './podgc-scope.ts';
import { answerOf, askManager, inTime, type PodGcRun, printPodGc } from './run-podgc.ts';
import { watchPodGc } from './watch-podgc.ts';

export async function podgc(command: TargetCommand): Promise<number> {
  const { flags, targets } = command;
  const request = parsePodGc(targets, flags);
  if (flags.contexts !== undefined) {
    const { podGcContexts } = await import('./podgc-contexts.ts');
    return podGcContexts(command, flags.contexts, (each, tell) => answer(each, request, tell));
  }
  return answer(command, request, printPodGc);
}

async function answer(command: TargetCommand, request: PodGcQuery, tell: typeof printPodGc): Promise<number> {
  const { flags, io, services } = command;
  const session = await openSession(flags, io, services);
  try {
    await session.load(true);
    await confirmMissingNodes(session);
    const pending = session.holdStill(flags.watch === true);
    const scope = podGcScope(session, request, flags);
    requireKnownScope(session, scope.namespace);
    const survey = new PodGcSurvey(session.view, { now: session.now() });
    const run: PodGcRun = { command, request, session, survey, scope };
    await learnRemovals(run);
    await learnManager(run);
    const found = answerOf(run);
    for (const each of printsOf(command)) {
      const format = formatOf('podgc', each.flags.output);
      await tell({ ...run, command: each, request: { ...request, format } }, found);
    }
    if (flags.watch === true) await watchPodGc(run, found.items, pending);
    return EXIT_DONE;
  } finally {
    await session.close();
  }
}

/** A manager renews its lease within this time. */
const RENEWAL_MILLISECONDS = 3_000;

/** Asks only if a missing node's deletion wasn't seen. */
async function learnRemovals({ session, survey }: PodGcRun): Promise<void> {
  if (survey.unseenRemovals.length === 0 || session.source.nodeRemovals === undefined) return;
  const asked = session.source.nodeRemovals().catch(() => undefined);
  const removals = await session.until(inTime(asked));
  if (removals) survey.learnRemovals(removals, session.now());
}

/** Asks only if pods wait for it. Checks an old renewal twice, as the manager's clock may be behind. */
async function learnManager(run: PodGcRun): Promise<void> {
  const { session, survey, command } = run;
  if (!survey.asksManager(session.now())) return;
  await session.until(askManager(run));
  if (!survey.manager.isAway || survey.manager.holder === '') return;
  await session.until(command.io.pause(RENEWAL_MILLISECONDS));
  await session.until(askManager(run));
}
