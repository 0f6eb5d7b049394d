/** Distinguishes a release from `--cascade=orphan`: managed fields show that a client changed an object's labels. */
import { labelsSetByOthers } from '../../../diagnosis/index.ts';
import { isoTime, shownName } from '../../../model/index.ts';
import type { WhyAnswer } from '../../../text/index.ts';
import type { ObjectReads } from './why-reads.ts';

/** Ways that can be confused. */
const doubtful: ReadonlySet<WhyAnswer['survived']> = new Set(['orphaned', 'detached', 'released'] as const);

const MOST_NAMED = 3;

/** Only rejects with `Interrupted`, at Ctrl-C. */
export async function labelled(reads: ObjectReads, answer: WhyAnswer): Promise<WhyAnswer> {
  const { survived, summary, because } = answer;
  if (survived === undefined || !doubtful.has(survived)) return answer;
  const json = await reads.metadata(answer.object);
  const changes = json && labelsSetByOthers(json);
  if (changes === undefined) return answer;
  if (changes.length === 0) {
    const none = 'managed fields: only kube-controller-manager set its labels';
    return survived === 'orphaned'
      ? { ...answer, because: [...because, `${none}, as after an orphaning deletion`] }
      : answer;
  }
  const evidence = changes.map(each => `managed fields: ${setWords(each)}`);
  if (survived !== 'orphaned') return { ...answer, because: [...because, ...evidence] };
  return {
    ...answer,
    summary: `${summary.replace(/\.$/u, '')}; or its controller released it before: ${changes.map(setWords).join(', and ')}.`,
    because: [...because, ...evidence],
    // The course of an orphaning is no longer likely.
    course: [],
  };
}

/** Returns `kubectl-label has set its label app, at 2026-11-23T09:00:00Z at the latest`. */
function setWords({
  manager,
  labels,
  at,
}: NonNullable<ReturnType<typeof labelsSetByOthers>>[number]): string {
  const named = labels.slice(0, MOST_NAMED).map(shownName).join(', ');
  const more = labels.length > MOST_NAMED ? ` and ${labels.length - MOST_NAMED} more` : '';
  const when = at === undefined ? '' : `, at ${isoTime(at)} at the latest`;
  return `${shownName(manager)} has set its ${labels.length === 1 ? 'label' : 'labels'} ${named}${more}${when}`;
}
