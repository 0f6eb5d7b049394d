/** `why --probe`: tests by dry runs if admission allows the controllers' next requests. Nothing is stored. */

import {
  ProbeOutcome,
  probesOf,
  refusedRemoval,
  type TrackedView,
  underRefusal,
} from '../../../diagnosis/index.ts';
import type { GraphNode } from '../../../graph/index.ts';
import type { Source } from '../../../source/index.ts';
import type { WhyAnswer } from '../../../text/index.ts';
import { UsageError } from '../../runtime/errors.ts';
import type { ClusterSession } from '../../session/session.ts';

const UNSUPPORTED_MEDIA_TYPE = 415;

/** Throws a `UsageError` for a source without an API server. */
export function dryRunOf({ info, dryRun }: Source): NonNullable<Source['dryRun']> {
  if (dryRun === undefined)
    throw new UsageError(`--probe asks an API server, and ${whatHasNone[info.source]} none. Leave it out.`);
  return dryRun;
}

const whatHasNone: Readonly<Record<Source['info']['source'], string>> = {
  cluster: 'this source has',
  files: 'files have',
  demo: 'a scenario has',
  replay: 'a recording has',
};

/** Runs in the controllers' order. Rejects with `Interrupted` at Ctrl-C. */
export async function probe(
  session: ClusterSession,
  tracked: TrackedView,
  node: GraphNode,
): Promise<readonly ProbeOutcome[]> {
  const { source } = session;
  const outcomes: ProbeOutcome[] = [];
  for (const each of probesOf(tracked, node)) {
    const first = await session.until(dryRunOf(source).call(source, each.request));
    const answer =
      first.status === UNSUPPORTED_MEDIA_TYPE && each.fallback !== undefined
        ? await session.until(dryRunOf(source).call(source, each.fallback))
        : first;
    outcomes.push(ProbeOutcome.read(each, answer));
  }
  return outcomes;
}

export function probed(answer: WhyAnswer, outcomes: readonly ProbeOutcome[]): WhyAnswer {
  const probes = outcomes.map(({ result, message, evidence }) => ({ result, message, evidence }));
  const { telling } = answer;
  if (telling === undefined || outcomes.length === 0) return { ...answer, probes };
  const told = ProbeOutcome.addedTo(telling, outcomes);
  const before = new Set(telling.remedies().map(({ id }) => id));
  const after = told.remedies();
  const kept = new Set(after.map(({ id }) => id));
  const added = after.filter(({ id }) => !before.has(id));
  const others = answer.remedies.filter(({ id }) => kept.has(id) || !before.has(id));
  const refused = refusedRemoval(answer.object, outcomes);
  return {
    ...answer,
    probes,
    telling: told,
    summary: told.message,
    because: told.evidence,
    findings: answer.findings.map(each => (each === telling ? told : each)),
    ...(refused === undefined
      ? { remedies: [...added, ...others] }
      : {
          next: [`${answer.object.name} stays until that removal is accepted.`],
          remedies: [
            ...added,
            ...underRefusal(others, {
              path: refused.probe.request.path.split('?')[0] ?? '',
              name: answer.object.name,
              blamed: refused.blamed,
            }),
          ],
        }),
  };
}
