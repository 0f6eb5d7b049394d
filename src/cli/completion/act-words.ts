import { setTimeout as sleep } from 'node:timers/promises';
import { diagnoseCluster, isApplicable, offeredRemedies, remediesForMany } from '../../diagnosis/index.ts';
import { ClusterView } from '../../graph/index.ts';
import { SourceInfo } from '../../source/index.ts';
import { journalOf } from '../commands/actions/action-session.ts';
import type { Flags } from '../runtime/flags.ts';
import type { Io } from '../runtime/io.ts';
import { openSource, scopeOf } from '../session/session.ts';
import { findObjects, parseTargets } from '../targets/targets.ts';
import type { Candidate, CompletionContext } from './answer.ts';

const PATIENCE_MILLISECONDS = 5000;

/** Lists ids for `--remedy`; empty if reading takes too long. */
export async function remedyWords(
  targets: readonly string[],
  flags: Flags,
  { io, services }: CompletionContext,
): Promise<Candidate[]> {
  const query = parseTargets(targets, flags);
  if (query.words.length === 0) return [];
  const source = await openSource(flags, io, services);
  const view = new ClusterView();
  try {
    const tooLong = sleep(PATIENCE_MILLISECONDS, 'late' as const, { ref: false });
    const read = source
      .start(batch => view.apply(batch, SourceInfo.moment(source.info, io.now())))
      .then(() => source.factsComplete);
    if ((await Promise.race([read, tooLong])) === 'late') return [];
    const [object, ...others] = findObjects(view, query, scopeOf(flags, source));
    if (object === undefined) return [];
    const diagnosis = diagnoseCluster(view, SourceInfo.moment(source.info, io.now()), { asked: true });
    const offered =
      others.length === 0
        ? offeredRemedies.every(diagnosis, object)
        : remediesForMany.forChosen(diagnosis, [object, ...others]);
    return offered
      .filter(isApplicable)
      .map(({ id, risk, title }) => ({ word: id, description: `${risk}: ${title}` }));
  } finally {
    await source.close();
  }
}

/** Lists journal entries, the latest first, without asking a cluster. */
export async function entryWords(flags: Flags, io: Io): Promise<Candidate[]> {
  const entries = await journalOf(flags.demo === undefined ? 'cluster' : 'demo', io).list();
  return entries.map(({ intended }) => ({ word: intended.id, description: intended.title }));
}
