/** Nodes whose drain never ends because of a PodDisruptionBudget (docs/kubernetes.md §10 row 48). */
import { identityOfObject } from '../../../graph/ownership-node.ts';
import { selects } from '../../../model/facts/label-selector.ts';
import { controllerKindOf, isFinished, type KubeObject, nodeFacts, podFacts } from '../../../model/object.ts';
import { counted, enumerated, objectTitle } from '../../../model/text/titles.ts';
import { evidenceOn, fieldEvidence } from '../../engine/evidence.ts';
import { advice, chainLink, type FindingDraft } from '../../engine/finding.ts';
import type { Rule, Subject } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';

const NAMED = 3;

export const drainRule: Rule = {
  codes: ['DrainBlockedByDisruptionBudget'],
  appliesTo: ({ object, deleting }) => object.facts?.kind === 'Node' && (deleting || isCordoned(object)),
  *judge({ object: node, deleting }: Subject, tracked: TrackedView): Iterable<FindingDraft> {
    const kept = [...keptPods(tracked, node)];
    const [first] = kept;
    if (first === undefined) return;
    const budgets = [...new Set(kept.map(({ budget }) => budget))];
    const pods = kept.map(({ pod }) => pod);
    const state = deleting ? 'is being deleted' : 'is cordoned';
    yield {
      code: 'DrainBlockedByDisruptionBudget',
      severity: deleting ? 'warning' : 'info',
      since: node.deletionTimestamp,
      message: `Node ${node.name} ${state}, and a drain would not end: ${titles(budgets)} ${budgets.length === 1 ? 'allows' : 'allow'} no disruption now, so that the API server refuses to evict ${titles(pods)}.`,
      brief: `${counted(pods.length, 'pod')} kept by ${titles(budgets)}`,
      evidence: [
        deleting ? 'metadata.deletionTimestamp is set' : fieldEvidence(node, 'spec.unschedulable', true),
        ...budgets.slice(0, NAMED).flatMap(evidenceOfBudget),
      ],
      related: [...budgets, ...pods].map(identityOfObject),
      chain: [
        chainLink(identityOfObject(node), '', state, node.deletionTimestamp),
        chainLink(identityOfObject(first.pod), 'not emptied of', 'ready, and not to be evicted now'),
        chainLink(identityOfObject(first.budget), 'kept by', 'disruptionsAllowed: 0'),
      ],
      remedies: () => [
        advice(
          'wait-for-replicas',
          'get the other pods that these budgets count ready, or scale the workloads up: evictions are allowed again then',
        ),
        advice(
          'loosen-budget',
          `where a budget can never allow one (minAvailable as high as there are replicas, or maxUnavailable 0), change ${titles(budgets)}`,
          'caution',
        ),
      ],
    };
  },
};

function isCordoned(node: KubeObject): boolean {
  return nodeFacts(node)?.unschedulable === true;
}

interface KeptPod {
  readonly pod: KubeObject;
  readonly budget: KubeObject;
}

function* keptPods(tracked: TrackedView, node: KubeObject): Iterable<KeptPod> {
  const podType = tracked.type('v1', 'Pod');
  const budgetType = tracked.type('policy/v1', 'PodDisruptionBudget');
  if (podType === undefined || budgetType === undefined) return;
  for (const each of tracked.view.podsOn(node.name)) {
    // Recorded one by one: an unschedulable node gets no new pods.
    const pod = tracked.find(podType, each.namespace, each.name);
    if (pod === undefined || !isEvictedByDrains(pod)) continue;
    for (const budget of tracked.list(budgetType, pod.namespace)) {
      const { facts } = budget;
      if (facts?.kind !== 'PodDisruptionBudget' || facts.disruptionsAllowed > 0) continue;
      // The disruption controller hasn't counted its pods yet.
      if (facts.expectedPods === 0 || !selects(facts.selector, pod.labels)) continue;
      yield { pod, budget };
      break;
    }
  }
}

/** `kubectl drain` skips pods of DaemonSets; a budget's policy may let pods that aren't ready be evicted. */
function isEvictedByDrains(pod: KubeObject): boolean {
  const facts = podFacts(pod);
  if (facts === undefined || pod.deletionTimestamp !== undefined || isFinished(pod)) return false;
  return (
    controllerKindOf(pod) !== 'DaemonSet' &&
    facts.containers > 0 &&
    facts.readyContainers === facts.containers
  );
}

function evidenceOfBudget(budget: KubeObject): ReturnType<typeof evidenceOn> {
  const { facts } = budget;
  if (facts?.kind !== 'PodDisruptionBudget') return [];
  return evidenceOn(
    budget,
    fieldEvidence(budget, 'status.disruptionsAllowed', facts.disruptionsAllowed),
    `${facts.currentHealthy} of ${facts.expectedPods} pods healthy, ${facts.desiredHealthy} wanted`,
  );
}

function titles(objects: readonly KubeObject[]): string {
  return enumerated(objects.map(objectTitle), NAMED);
}
