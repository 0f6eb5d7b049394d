/** `why --probe`: tests by dry runs if admission allows the controllers' next requests. Nothing is stored. */
import { probesOf } from '../../../diagnosis/admission/admission.ts';
import { type ProbeOutcome, readProbe, withProbes } from '../../../diagnosis/admission/answers.ts';
import type { TrackedView } from '../../../diagnosis/engine/tracked-view.ts';
import type { GraphNode } from '../../../graph/node.ts';
import type { Source } from '../../../source/source.ts';
import type { WhyAnswer } from '../../../text/diagnosis/why.ts';
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
    outcomes.push(readProbe(each, answer));
  }
  return outcomes;
}

export function probed(answer: WhyAnswer, outcomes: readonly ProbeOutcome[]): WhyAnswer {
  const probes = outcomes.map(({ result, message, evidence }) => ({ result, message, evidence }));
  const { telling } = answer;
  if (telling === undefined || outcomes.length === 0) return { ...answer, probes };
  const told = withProbes(telling, outcomes);
  const known = new Set(answer.remedies.map(({ id }) => id));
  const added = told.remedies().filter(({ id }) => !known.has(id));
  return {
    ...answer,
    probes,
    telling: told,
    summary: told.message,
    because: told.evidence,
    findings: answer.findings.map(each => (each === telling ? told : each)),
    remedies: [...added, ...answer.remedies],
  };
}
