/** Nodes whose drain never ends because of a PodDisruptionBudget (docs/kubernetes.md §10 row 48). */
import { counted, objectTitle } from '../../../model/index.ts';
import {
  isCordoned,
  keeperEvidence,
  keeperLink,
  keptAdvice,
  keptPods,
  titles,
} from '../../cluster/kept-pods.ts';
import { fieldEvidence } from '../../engine/evidence.ts';
import { chainLink, type FindingDraft } from '../../engine/finding.ts';
import type { Rule, Subject } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { taintsOfDrain } from '../../waits/drains.ts';

/** Pods of which the budgets are shown. */
const SHOWN = 3;

export const drainRule: Rule = {
  appliesTo: ({ object, deleting }) => object.facts?.kind === 'Node' && (deleting || isCordoned(object)),
  *judge({ object: node, deleting }: Subject, tracked: TrackedView): Iterable<FindingDraft> {
    const kept = [...keptPods(tracked, node, taintsOfDrain(node, node.finalizers))];
    const [first] = kept;
    if (first === undefined) return;
    const budgets = [...new Set(kept.flatMap(({ keepers }) => keepers))];
    const pods = kept.map(({ pod }) => pod);
    const keeper = keeperLink(tracked, first);
    const because = kept.every(({ by }) => by === 'budget')
      ? `${titles(budgets)} ${budgets.length === 1 ? 'allows' : 'allow'} no disruption now, so that the API server refuses to evict ${titles(pods)}`
      : `${objectTitle(keeper.object)} ${keeper.because}`;
    const state = deleting ? 'is being deleted' : 'is cordoned';
    yield {
      code: 'DrainBlockedByDisruptionBudget',
      severity: deleting ? 'warning' : 'info',
      since: node.deletionTimestamp,
      message: `Node ${node.name} ${state}, and a drain would not end: ${because}.`,
      brief: `${counted(pods.length, 'pod')} kept by ${titles(budgets)}`,
      evidence: [
        deleting ? 'metadata.deletionTimestamp is set' : fieldEvidence(node, 'spec.unschedulable', true),
        ...kept.slice(0, SHOWN).flatMap(keeperEvidence),
      ],
      related: [...budgets, ...pods],
      chain: [
        chainLink(node, '', state, node.deletionTimestamp),
        chainLink(first.pod, 'not emptied of', 'not to be evicted now'),
        keeper,
      ],
      remedies: () => keptAdvice(tracked, kept),
    };
  },
};
