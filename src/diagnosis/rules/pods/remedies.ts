/** What can be done about pods that no kubelet lets go of. Apart, because it is made only when somebody asks. */

import { controllerOf, type KubeObject, podFacts } from '../../../model/object.ts';
import { kubeletOf } from '../../../podgc/passes/kubelet.ts';
import { podGcSettings } from '../../../podgc/passes/settings.ts';
import type { OfferedRemedy } from '../../engine/finding.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { enumerated, findingTitle } from '../../engine/words.ts';
import { advice } from '../../remedies/advice.ts';
import { redelete } from '../../remedies/deletion.ts';
import { taintOutOfService } from '../../remedies/nodes.ts';

/**
 * The kubelet's word is the only proof that a container has stopped. The taint is for a node that is certain to be
 * off; a forced deletion says nothing about the node, and the pod may run on beside its replacement
 * (docs/kubernetes.md §10).
 */
export function unreachableNodeRemedies(
  tracked: TrackedView,
  pod: KubeObject,
  node: KubeObject,
  isTainted: boolean,
): readonly OfferedRemedy[] {
  const reports = kubeletOf(node) === 'Reports';
  const recover = advice(
    `recover-node/${node.name}`,
    reports
      ? `see what its kubelet says of ${node.name} (kubectl describe node): once it can, it stops the containers, confirms it, and ${pod.name} goes`
      : `bring ${node.name} back: its kubelet stops the containers, confirms it, and ${pod.name} goes`,
    'safe',
  );
  const force = redelete(tracked, pod, 'background', {
    gracePeriodSeconds: 0,
    risk: 'dangerous',
    title:
      controllerOf(pod)?.kind === 'StatefulSet'
        ? `delete ${pod.name} by force: if it still runs on ${node.name}, two pods ${pod.name} write to the same data`
        : `delete ${pod.name} by force: if it still runs on ${node.name}, it runs on unseen`,
  });
  // Where PodGC doesn't heed the taint, that would only evict what is left on the node.
  const isHeeded = podGcSettings(tracked.view).rules.passes.includes('OutOfService');
  // A machine whose kubelet reports isn't off.
  if (isTainted || !isHeeded || reports) return [recover, force];
  const pods = podsOn(tracked, node.name);
  return [
    recover,
    {
      ...taintOutOfService(tracked, node),
      risk: 'caution',
      title: `once ${node.name} is certain to be off, declare it out of service: all pods on it go: ${enumerated(pods)}`,
    },
    force,
  ];
}

export function missingNodeRemedies(
  pod: KubeObject,
  nodeName: string,
  seconds: string,
): readonly OfferedRemedy[] {
  return [
    advice(
      'wait-for-podgc',
      `wait: PodGC deletes ${pod.name} ${seconds} after ${nodeName} went, as long as kube-controller-manager runs`,
      'safe',
    ),
  ];
}

export function unscheduledRemedies(pod: KubeObject): readonly OfferedRemedy[] {
  if (pod.finalizers.length > 0) {
    return [
      advice(
        'look-at-finalizers',
        `see to it that ${enumerated(pod.finalizers)} ${pod.finalizers.length === 1 ? 'is' : 'are'} taken off by whoever put ${pod.finalizers.length === 1 ? 'it' : 'them'} there`,
        'safe',
      ),
    ];
  }
  return [advice('check-controller-manager', 'see whether kube-controller-manager runs', 'safe')];
}

/** `shop/web-0` of every pod on a node. */
function podsOn(tracked: TrackedView, nodeName: string): readonly string[] {
  const type = tracked.type('v1', 'Pod');
  if (type === undefined) return [];
  const names: string[] = [];
  for (const pod of tracked.all(type)) {
    if (podFacts(pod)?.nodeName === nodeName) names.push(findingTitle(pod).replace(/^Pod /, ''));
  }
  return names.sort();
}
