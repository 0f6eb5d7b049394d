/** Finished Jobs past their TTL (docs/kubernetes.md §10 row 47; pkg/controller/ttlafterfinished, v1.36). */
import { otherDeleters } from '../../../forecast/index.ts';
import { identityOfObject } from '../../../graph/index.ts';
import { isoTime, objectTitle, workloadFacts } from '../../../model/index.ts';
import { fieldEvidence } from '../../engine/evidence.ts';
import { advice, chainLink, type FindingDraft } from '../../engine/finding.ts';
import type { Rule, Subject } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { managerObstacles } from '../../manager/obstacles.ts';
import { deleteObject } from '../../remedies/deletion-remedies.ts';

/** In milliseconds: the controller has a timer per Job and acts within seconds. */
const PATIENCE = 120_000;

export const jobTtlRule: Rule = {
  appliesTo: ({ object, deleting }) =>
    !deleting && workloadFacts(object)?.ttlSecondsAfterFinished !== undefined,
  *judge({ object }: Subject, tracked: TrackedView): Iterable<FindingDraft> {
    const facts = workloadFacts(object);
    const expiry = facts && otherDeleters.expiry(facts);
    if (expiry === undefined) return;
    const { end: ended, ttl, at: due } = expiry;
    if (!tracked.lasted(due, PATIENCE)) return;
    const [obstacle] = managerObstacles(tracked, object);
    const why =
      obstacle === undefined
        ? ': its controller, a part of kube-controller-manager, is not running or is switched off, or its request is refused'
        : ` ${obstacle.because}`;
    yield {
      code: 'JobPastTTL',
      since: due,
      message: `${objectTitle(object)} should be gone: it has finished (${ended.type}), ttlSecondsAfterFinished (${ttl}) is over, and it has not been deleted${why}.`,
      brief: `past its ttlSecondsAfterFinished${obstacle === undefined ? '' : `: ${obstacle.brief}`}`,
      evidence: [
        fieldEvidence(object, 'spec.ttlSecondsAfterFinished', ttl),
        `status.conditions: ${ended.type}: True, since ${isoTime(ended.at)}`,
        ...(obstacle?.evidence ?? []),
      ],
      related: obstacle?.related ?? [],
      chain: [chainLink(identityOfObject(object), '', 'finished, and past its ttlSecondsAfterFinished', due)],
      remedies: () => [
        obstacle?.advice ??
          advice(
            'see-ttl-controller',
            'see whether kube-controller-manager runs and what its log says of ttl-after-finished: it deletes the Job, and its pods with it',
          ),
        deleteObject(tracked, object, 'background', { risk: 'caution' }),
      ],
    };
  },
};
