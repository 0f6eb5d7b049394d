/** `wait --for=delete`, which also explains deletions that don't finish. Flags and outcomes match `kubectl wait`. */

import type { GraphNode } from '../../../graph/index.ts';
import { waitWords } from '../../../text/index.ts';
import { outcomeOf, type WaitItem, type WaitResult } from '../../documents/wait/wait-result.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { parseDuration } from '../../runtime/duration.ts';
import { EXIT_DONE, EXIT_FOUND, EXIT_WRONG, UsageError } from '../../runtime/errors.ts';
import { type Flags, standingFlag } from '../../runtime/flags.ts';
import { formatOf, isText } from '../../runtime/output-formats.ts';
import { say } from '../../runtime/say.ts';
import { StatusLine } from '../../runtime/status-line.ts';
import { nothingSelected } from '../../session/known-scope.ts';
import { readingFor } from '../../session/reading.ts';
import { type ClusterSession, scopeOf, withSession } from '../../session/session.ts';
import { Watch } from '../../session/watch.ts';
import { targetsFromFiles } from '../../targets/from-files.ts';
import { parseChangeable, type TargetQuery } from '../../targets/targets.ts';
import { completeAnswers, type Explained, explainTargets } from '../why/answers.ts';
import { printItems, printResult } from './print-wait.ts';
import { WaitedObjects } from './waited.ts';

/** kubectl's default. */
const USUAL_TIMEOUT = '30s';
const WEEK_MILLISECONDS = 7 * 24 * 60 * 60 * 1000;
/** Intervals for repeated checks and for progress in a pipeline's log. */
const ROUND_MILLISECONDS = 5_000;
const WORD_MILLISECONDS = 60_000;

export async function wait(given: TargetCommand): Promise<number> {
  requireDelete(given.flags);
  requireChanging(given.flags, given.targets);
  const { command, query: fromFiles } = await targetsFromFiles(given, given.targets, 'wait for');
  const { flags, io } = command;
  const format = formatOf('wait', flags.output);
  const query = fromFiles ?? parseWait(command.targets, flags);
  const timeout = timeoutOf(flags.timeout);
  return withSession(command, async session => {
    const deadline = io.now() + timeout;
    await session.load(true, readingFor(session, { query, flags, follows: true }));
    const namespace = scopeOf(flags, session.source, query);
    const waited = new WaitedObjects(session, io);
    await session.answer(() => waited.choose(query, namespace));
    const told = isText(format)
      ? (items: readonly WaitItem[]) => printItems(command, items, timeout)
      : undefined;
    await follow({ command, session, waited, deadline, told });
    const explained = await explain(session, waited);
    const answers = await completed(session, explained);
    const result: WaitResult = { items: waited.items(answers), timeoutMilliseconds: timeout };
    await printResult({ command, session, format, explained }, result);
    if (waited.size === 0) return nothingSelected(command, namespace);
    return exitCodes[outcomeOf(result)];
  });
}

const exitCodes = { Reached: EXIT_DONE, TimedOut: EXIT_FOUND, Unknown: EXIT_WRONG } as const;

function requireDelete(flags: Flags): void {
  if (flags.for === undefined) throw new UsageError('say what to wait for: wait TYPE/NAME --for=delete.');
  if (flags.for.toLowerCase() !== 'delete')
    throw new UsageError('only --for=delete is waited for here. kubectl wait knows the other conditions.');
}

function requireChanging(flags: Flags, targets: readonly string[]): void {
  const ofThePast = flags.replay === undefined ? undefined : '--replay';
  // Without a target, files name what to wait for.
  const standing = targets.length === 0 ? ofThePast : standingFlag(flags);
  if (standing !== undefined)
    throw new UsageError(`wait needs something that changes: leave ${standing} out.`);
}

function parseWait(targets: readonly string[], flags: Flags): TargetQuery {
  if (targets.length === 0)
    throw new UsageError(
      'name the objects to wait for: wait TYPE/NAME --for=delete, wait TYPE -l LABELS, wait TYPE --all or wait -f MANIFESTS.',
    );
  return parseChangeable('wait', targets, flags);
}

/** Returns milliseconds. As in kubectl, 0 checks once, and a negative value is a week. */
function timeoutOf(text: string = USUAL_TIMEOUT): number {
  if (!text.startsWith('-')) return parseDuration('--timeout', text);
  parseDuration('--timeout', text.slice(1));
  return WEEK_MILLISECONDS;
}

interface Following {
  readonly command: TargetCommand;
  readonly session: ClusterSession;
  readonly waited: WaitedObjects;
  /** Milliseconds since the epoch on this machine's clock. */
  readonly deadline: number;
  /** Receives ends as they occur; undefined to print them together. */
  readonly told: ((items: readonly WaitItem[]) => Promise<void>) | undefined;
}

/** Runs until nothing remains or time is up, and leaves the view as of then. */
async function follow({ command, session, waited, deadline, told }: Following): Promise<void> {
  const { io } = command;
  const pending = session.holdStill(true);
  const watch = new Watch(session, io, pending, true);
  const status = new StatusLine(io);
  const over = new AbortController();
  let isUp = deadline <= io.now();
  const up = isUp ? undefined : io.pause(deadline - io.now(), over.signal);
  void up?.then(() => {
    isUp = true;
  });
  try {
    let worded = io.now();
    if (!isUp && waited.remaining.length > 0) tell(status, command, waited);
    for (;;) {
      const fresh = await waited.settle(isUp);
      if (told !== undefined && fresh.length > 0) {
        status.wipe();
        await told(fresh);
      }
      if (waited.remaining.length === 0 || isUp) return;
      if (io.stderrIsTerminal || io.now() - worded >= WORD_MILLISECONDS) {
        tell(status, command, waited);
        worded = io.now();
      }
      const left = Math.max(0, deadline - io.now());
      const batches = await watch.next(Math.min(left, ROUND_MILLISECONDS));
      for (const batch of batches) session.view.apply(batch, session.now());
      watch.report();
    }
  } finally {
    over.abort();
    status.wipe();
    session.listen(batch => {
      session.view.apply(batch, session.now());
    });
  }
}

function tell(status: StatusLine, { io }: TargetCommand, waited: WaitedObjects): void {
  const words = waitWords.progress(waited.size - waited.remaining.length, waited.remaining);
  if (io.stderrIsTerminal) status.show(words);
  else say(io, `kubectl gc-tree: ${words}\n`);
}

async function explain(session: ClusterSession, waited: WaitedObjects): Promise<Explained | undefined> {
  const nodes = (): GraphNode[] =>
    waited.remaining.flatMap(({ uid }) => {
      const node = session.view.graph.get(uid);
      return node?.object === undefined ? [] : [node];
    });
  if (nodes().length === 0) return undefined;
  const explained = await session.answer(() => explainTargets(session, nodes));
  session.holdStill(false);
  return explained;
}

async function completed(
  session: ClusterSession,
  explained: Explained | undefined,
): Promise<Parameters<WaitedObjects['items']>[0]> {
  if (explained === undefined) return new Map();
  const answers = await completeAnswers(session, explained, false);
  return new Map(answers.map(each => [each.object.uid, each]));
}
