/** `podgc --watch` after the first answer. Text: a line for each pod that becomes a candidate, changes, or is gone. */

import { type SourceBatch, shownName } from '../../../model/index.ts';
import type { PodOutlook } from '../../../podgc/index.ts';
import { podGcTable, podGcWords, TextLine } from '../../../text/index.ts';
import { printLine } from '../../documents/print/print-lines.ts';
import { keepConfirmingNodes } from '../../session/confirm.ts';
import { Watch } from '../../session/watch.ts';
import { answerOf, askManager, type PodGcRun, printPodGc, textOptions } from './run-podgc.ts';

/** Interval for checks of what becomes due by time alone. */
const TICK_MILLISECONDS = 1_000;

/** Smaller changes of an estimate are ignored. */
const MOVED_MILLISECONDS = 5_000;

/** Runs until it rejects, with `Interrupted` or `ReaderGone`. */
export async function watchPodGc(
  run: PodGcRun,
  first: readonly PodOutlook[],
  pending: readonly SourceBatch[],
): Promise<void> {
  const { session, survey, command } = run;
  const { format } = run.request;
  const isText = format === 'text' || format === 'wide';
  const watched = new Watch(session, command.io, pending, isText);
  // Lines as last printed, because estimates change every second.
  const shown = byUid(first);
  let { isAway, startedAt } = survey.manager;
  let isAsking = false;
  for (;;) {
    // Documents contain everything, so one per second is enough.
    if (!isText) await session.until(command.io.pause(TICK_MILLISECONDS));
    const batches = await watched.next(TICK_MILLISECONDS);
    const now = session.now();
    for (const batch of batches) survey.apply(session.view.apply(batch, now), now);
    if (batches.length > 0) {
      run.scope.follow();
      keepConfirmingNodes(session, survey);
    }
    if (!isAsking && survey.asksManager(now)) {
      isAsking = true;
      void askManager(run).finally(() => (isAsking = false));
    }
    const isStanding = watched.report();
    const answer = answerOf(run);
    const next = byUid(answer.items);
    const fresh = answer.items.filter(item => isNews(shown.get(item.pod.uid), item, now));
    const over = [...shown.values()].filter(({ pod }) => !next.has(pod.uid));
    for (const { pod } of over) shown.delete(pod.uid);
    for (const item of fresh) shown.set(item.pod.uid, item);
    const returned = isAway !== survey.manager.isAway;
    const restarted = startedAt !== survey.manager.startedAt;
    ({ isAway, startedAt } = survey.manager);
    if (fresh.length + over.length === 0 && !returned && (isText || !(restarted || isStanding))) continue;
    if (isText) {
      if (returned) await tellManager(run);
      await tell(run, fresh, over);
    } else {
      if (format === 'yaml') await command.output.write(['---\n']);
      await printPodGc(run, answer);
    }
  }
}

function byUid(items: readonly PodOutlook[]): Map<PodOutlook['pod']['uid'], PodOutlook> {
  return new Map(items.map(item => [item.pod.uid, item]));
}

function isNews(shown: PodOutlook | undefined, item: PodOutlook, now: number): boolean {
  if (stateOf(shown) !== stateOf(item)) return true;
  const { due } = item;
  if (shown?.due.when !== 'at' || due.when !== 'at') return false;
  const isMoved = Math.abs(due.by - shown.due.by) > MOVED_MILLISECONDS;
  // An overdue estimate only moves with time.
  return isMoved && due.by > now && (shown.due.at < due.from || shown.due.at > due.by);
}

function stateOf(item: PodOutlook | undefined): string {
  if (item === undefined) return '';
  const { rule, due, reason, heldBy } = item;
  const restarted = reason.kind === 'NodeGone' ? reason.restarted : undefined;
  const manager = due.when === 'overdue' ? due.manager : '';
  return [rule, due.when, manager, reason.kind, restarted ?? '', ...heldBy].join(' ');
}

async function tellManager(run: PodGcRun): Promise<void> {
  const options = textOptions(run);
  const { manager } = run.survey;
  const sentence = manager.isAway
    ? podGcWords.manager(run.survey, options.now)
    : 'kube-controller-manager holds its lease again.';
  await run.command.output.write([
    printLine(TextLine.of(sentence, manager.isAway ? 'warning' : 'plain', 2), options),
  ]);
}

async function tell(run: PodGcRun, fresh: readonly PodOutlook[], over: readonly PodOutlook[]): Promise<void> {
  const { session, command } = run;
  const options = { ...textOptions(run), clock: true };
  const columns = podGcTable.widths([...fresh, ...over], { ...options, headers: false });
  const lines = [
    ...over.map(({ pod, rule, nodeName }) => {
      const isGone = session.view.graph.get(pod.uid)?.object === undefined;
      const where = nodeName === '' ? '' : ` on ${shownName(nodeName)}`;
      const what = isGone ? 'gone' : 'no longer a candidate';
      return TextLine.of(
        `${shownName(pod.namespace)}/${shownName(pod.name)}${where}: ${what} (${rule})`,
        'muted',
        2,
      );
    }),
    ...fresh.map(item => podGcTable.line(item, columns, options)),
  ];
  await command.output.write(lines.map(line => printLine(line, options)));
}
