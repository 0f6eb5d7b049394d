/** Pods past their grace period whose stop a ready node's kubelet hasn't confirmed (docs/kubernetes.md §10 row 46). */
import { patience } from '../../../forecast/index.ts';
import { identityOfObject } from '../../../graph/index.ts';
import {
  controllerKindOf,
  isMirrorPod,
  isoTime,
  type KubeObject,
  objectState,
  objectTitle,
  podFacts,
  shownName,
} from '../../../model/index.ts';
import { deletionEvidence, evidenceOn, fieldEvidence } from '../../engine/evidence.ts';
import { advice, type FindingDraft, type OfferedRemedy } from '../../engine/finding.ts';
import type { Rule, Subject } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { deleteMirror, redelete } from '../../remedies/deletion-remedies.ts';
import { chainOf } from '../../waits/chain.ts';

export const pastGraceRule: Rule = {
  // A grace period of 0 means that the kubelet has confirmed the stop or a client cut the time short.
  appliesTo: ({ object, deleting }) =>
    deleting && (podFacts(object)?.nodeName ?? '') !== '' && (object.deletionGracePeriodSeconds ?? 0) > 0,
  *judge({ object }: Subject, tracked: TrackedView): Iterable<FindingDraft> {
    if (!tracked.lasted(object.deletionTimestamp, patience.usual)) return;
    const facts = podFacts(object);
    const node = tracked.findKind('v1', 'Node', '', facts?.nodeName ?? '');
    if (facts === undefined || node === undefined || !objectState.isNodeReady(node)) return;
    const { deletionTimestamp: over = 0, name } = object;
    const state =
      facts.readyContainers > 0
        ? `${facts.readyContainers} of its ${facts.containers} containers still count as ready`
        : 'none of its containers is ready';
    const mirrors = isMirrorPod(object);
    yield {
      code: 'PodPastGracePeriod',
      since: over,
      message: `${objectTitle(object)} is still there though its grace period is over: ${node.name} is ready, and its kubelet ${
        mirrors
          ? `hasn't deleted it. ${staticPodWords(node.name)}`
          : `hasn't confirmed that the containers have stopped (${state}). A process that cannot be killed, a volume that cannot be unmounted, or a container runtime that hangs keeps it`
      }.`,
      brief: `past its grace period on ${node.name}, which is ready`,
      evidence: [
        ...deletionEvidence(object),
        `grace period over at ${isoTime(over)}`,
        fieldEvidence(object, 'spec.nodeName', node.name),
        ...evidenceOn(node, 'status.conditions: Ready: True'),
      ],
      related: [identityOfObject(node)],
      chain: chainOf(tracked, object),
      remedies: () =>
        mirrors
          ? mirrorRemedies(object, node)
          : [
              advice(
                'see-kubelet',
                `see what the kubelet of ${node.name} reports about ${name} (kubectl describe pod: events FailedKillPod; its log): once the containers have stopped and volumes are unmounted, ${name} is deleted`,
              ),
              advice(
                `restart-kubelet/${node.name}`,
                `if the container runtime hangs, restart it and the kubelet on ${node.name}, or the machine: then the containers have stopped, and ${name} is deleted`,
                'caution',
              ),
              redelete(object, 'background', {
                gracePeriodSeconds: 0,
                risk: 'dangerous',
                title:
                  controllerKindOf(object) === 'StatefulSet'
                    ? `delete ${name} by force: if a container still runs on ${node.name}, two pods ${name} write to the same data`
                    : `delete ${name} by force: if a container still runs on ${node.name}, it runs on unseen`,
              }),
            ],
    };
  },
};

/** A sentence without its period: the deletion of a mirror pod stops nothing. */
export function staticPodWords(node: string): string {
  return `It mirrors a static pod, which runs from a manifest on ${shownName(node)} whatever happens to this object`;
}

/** The kubelet deletes and recreates mirrors (pkg/kubelet/kubelet.go tryReconcileMirrorPods, v1.36). */
function mirrorRemedies(pod: KubeObject, node: KubeObject): readonly OfferedRemedy[] {
  return [
    advice(
      'see-kubelet',
      `see what the log of the kubelet on ${node.name} reports about ${pod.name} ("Failed deleting mirror pod")`,
    ),
    deleteMirror(pod, node.name),
  ];
}
