/**
 * A namespace that waits for its pods: nothing else in it is deleted before the last one is gone (docs/kubernetes.md
 * §8, step 2; ordered deletion, GA in v1.34). Its conditions meanwhile claim that all content is gone.
 */

import { isDeleting } from '../../../graph/index.ts';
import { type KubeObject, objectState, podFacts } from '../../../model/index.ts';
import { PodGcRules } from '../../../podgc/index.ts';
import { firstOf, relatedTo } from '../../cluster/namespace-content.ts';
import { advice, type FindingDraft } from '../../engine/finding.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { controlPlanePods } from '../../manager/obstacles.ts';
import { chainInto } from '../../waits/chain.ts';
import {
  type FinalizerHold,
  holdEvidence,
  holdRemedies,
  holdWords,
  namespaceHolds,
  withHoldSuspects,
} from './content-holds.ts';
import { amount, type NamespaceCase, namespaceEvidence, unseenClause } from './namespace-case.ts';

/** Milliseconds after its grace period in which a pod usually ends. */
const PATIENCE = 60_000;
const SHOWN = 5;

interface PodWait {
  readonly pod: KubeObject;
  /** A predicate of the pod. */
  readonly words: string;
  readonly overdue: boolean;
}

export function podsFinding(at: NamespaceCase): FindingDraft | undefined {
  const { tracked, namespace, content, since } = at;
  const { pods, others } = content;
  if (pods.length === 0) return undefined;
  const held = pods.filter(isHeldPod);
  const holds = namespaceHolds(tracked, held);
  const waits = pods.map(pod => waitOf(tracked, pod, since));
  const overdue = waits.filter(each => each.overdue);
  const forGood = holds.some(({ presence }) => presence === 'absent');
  const [worst] = [holds[0]?.objects ?? [], overdue.map(({ pod }) => pod), pods].filter(
    each => each.length > 0,
  );
  const [deciding] = firstOf(worst ?? [], 1);
  const rest = others.length === 0 ? '' : `; ${amount(others)} will be deleted after that`;
  const unseen = unseenClause(at, rest === '' ? '; more may be in it' : ', and more may be in it');
  const title = `Namespace ${namespace.name}`;
  const stuck = forGood || overdue.length > 0;
  const why = stuck
    ? reasonFor(holds, overdue)
    : `${amount(pods)} ${pods.length === 1 ? 'is' : 'are'} ending`;
  return withHoldSuspects(tracked, holds, {
    code: 'NamespaceWaitingForPods',
    severity: stuck ? 'warning' : 'info',
    since,
    message: stuck
      ? `${title} waits for its pods before anything else in it is deleted: ${why}${rest}${unseen}.`
      : `${title} is being emptied, pods first: ${why}${rest}${unseen}.`,
    brief: stuck ? `waits for pods: ${why}` : `${amount(pods)} to end first`,
    evidence: [
      ...namespaceEvidence(at),
      ...holdEvidence(holds),
      ...firstWaits(waits).map(({ pod, words }) => `Pod ${pod.name}: ${words}`),
    ],
    related: relatedTo(worst ?? [], pods),
    certainty:
      content.unseen.length > 0 || holds.some(({ presence }) => presence === 'unknown') ? 'assumed' : 'exact',
    chain: chainInto(tracked, namespace, deciding, 'waits for its pods'),
    remedies: () => [...holdRemedies(tracked, namespace, holds), ...podAdvice(tracked, overdue)],
  });
}

/** Returns true if the containers have ended and only finalizers keep the pod. */
function isHeldPod(pod: KubeObject): boolean {
  return isDeleting(pod) && pod.finalizers.length > 0 && (pod.deletionGracePeriodSeconds ?? 0) === 0;
}

function waitOf(tracked: TrackedView, pod: KubeObject, namespaceSince: number): PodWait {
  if (!isDeleting(pod)) {
    return { pod, words: "isn't being deleted", overdue: tracked.lasted(namespaceSince, PATIENCE) };
  }
  const overdue = tracked.lasted(pod.deletionTimestamp, PATIENCE);
  if (isHeldPod(pod)) return { pod, words: `is held by ${pod.finalizers.join(' and ')}`, overdue };
  return { pod, words: withoutFinalizers(tracked, pod), overdue };
}

/** Only its kubelet can confirm that a pod has stopped; without a node, PodGC deletes it (docs/kubernetes.md §7). */
function withoutFinalizers(tracked: TrackedView, pod: KubeObject): string {
  const nodeName = podFacts(pod)?.nodeName ?? '';
  if (nodeName === '') return `was never bound to a node, and waits for PodGC${off(tracked)}`;
  const node = tracked.findKind('v1', 'Node', '', nodeName);
  if (node === undefined) {
    return tracked.seesAt(tracked.type('v1', 'Node'), '', nodeName)
      ? `is bound to node ${nodeName}, which is gone, and waits for PodGC${off(tracked)}`
      : `waits for the kubelet on ${nodeName}, a node that cannot be seen`;
  }
  return objectState.isNodeReady(node)
    ? `waits for the kubelet on ${nodeName}`
    : `waits for the kubelet on ${nodeName}, which is not ready`;
}

function off(tracked: TrackedView): string {
  return PodGcRules.switchedOff(controlPlanePods(tracked)) === undefined ? '' : ', which is switched off';
}

function reasonFor(holds: readonly FinalizerHold[], overdue: readonly PodWait[]): string {
  if (holds.length > 0) return holdWords(holds);
  const [first] = firstWaits(overdue);
  if (first === undefined) return '';
  const alike = overdue.filter(({ words }) => words === first.words);
  const others = overdue.length - alike.length;
  const tail = others === 0 ? '' : `, and ${others} more ${others === 1 ? 'is' : 'are'} late as well`;
  return alike.length === 1
    ? `Pod ${first.pod.name} ${first.words}${tail}`
    : `${alike.length} pods, ${first.pod.name} among them: each ${first.words}${tail}`;
}

function firstWaits(waits: readonly PodWait[]): PodWait[] {
  const overdue = waits.filter(each => each.overdue);
  const byPod = new Map((overdue.length > 0 ? overdue : waits).map(each => [each.pod, each]));
  return firstOf([...byPod.keys()], SHOWN).flatMap(pod => byPod.get(pod) ?? []);
}

function podAdvice(tracked: TrackedView, overdue: readonly PodWait[]): ReturnType<typeof advice>[] {
  const silent = new Set<string>();
  for (const { pod } of overdue) {
    const nodeName = podFacts(pod)?.nodeName ?? '';
    const node = nodeName === '' ? undefined : tracked.findKind('v1', 'Node', '', nodeName);
    if (node !== undefined && isDeleting(pod) && !isHeldPod(pod) && !objectState.isNodeReady(node))
      silent.add(nodeName);
  }
  const waiting = overdue.some(({ pod }) => !isDeleting(pod));
  return [
    ...[...silent].map(name =>
      advice(
        `recover-node/${name}`,
        `bring node ${name} back: its kubelet confirms that the pods have stopped, and the namespace follows`,
      ),
    ),
    ...(waiting
      ? [
          advice(
            'check-controller-manager',
            'see whether kube-controller-manager runs, and whether an admission webhook rejects the deletion: the namespace controller should have deleted these pods',
          ),
        ]
      : []),
  ];
}
