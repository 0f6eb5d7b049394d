/** Pods that no kubelet releases (docs/kubernetes.md §10 rows 28 to 30) and PodGC's part (docs/kubernetes.md §7). */

import { type ApplicableRemedy, taintOperations } from '../../../forecast/index.ts';
import {
  BuiltInKind,
  type Condition,
  controllerKindOf,
  controllerOf,
  enumerated,
  isMirrorPod,
  type KubeObject,
  nodeFacts,
  objectState,
  objectTitle,
  podFacts,
  prose,
  serverReleases,
  shownName,
  type Uid,
} from '../../../model/index.ts';
import {
  KubeletState,
  NodeQuarantine,
  outOfServiceNodes,
  type PodGcRule,
  PodGcRules,
  PodGcSettings,
  podGcCycle,
  podGcNodes,
} from '../../../podgc/index.ts';
import { fieldEvidence, finalizersEvidence } from '../../engine/evidence.ts';
import { advice, chainLink, type FindingDraft, type OfferedRemedy } from '../../engine/finding.ts';
import type { Rule, Subject } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { controlPlanePods } from '../../manager/obstacles.ts';
import { deleteMirror, redelete } from '../../remedies/deletion-remedies.ts';
import { patch, remedy } from '../../remedies/remedy-requests.ts';
import { chainOf } from '../../waits/chain.ts';
import { staticPodWords } from './past-grace.ts';

/** Milliseconds after which PodGC's work within a cycle or quarantine is overdue. */
const OVERDUE_MS = podGcCycle.orphanedAfter(PodGcSettings.quarantine).latest;

const unreachable: Rule = {
  // A grace period of 0 means that the stop is confirmed and only finalizers hold the pod.
  appliesTo: ({ object, deleting }) =>
    deleting && (podFacts(object)?.nodeName ?? '') !== '' && (object.deletionGracePeriodSeconds ?? 0) > 0,
  *judge({ object }: Subject, tracked: TrackedView): Iterable<FindingDraft> {
    const node = nodeOf(tracked, object);
    const facts = node && nodeFacts(node);
    if (node === undefined || facts === undefined || objectState.isNodeReady(node)) return;
    if (!tracked.lasted(object.deletionTimestamp, 0)) return;
    const ready = facts.conditions.find(({ type }) => type === 'Ready');
    const { rules } = PodGcSettings.of(tracked.view);
    const off = podGcOff(tracked);
    const isTaken = off === undefined && podGcRule(tracked, object, node) === 'OutOfService';
    const overdue = !isTaken || isOverdue(tracked, object);
    const what = isTaken
      ? `; the node is tainted out of service, so PodGC deletes it by force within ${podGcCycle.duration / 1000} s`
      : KubeletState.of(node) === 'Reports'
        ? `; its kubelet reports that itself, so it may still confirm${replacement(object)}`
        : `, so whether they still run is unknown${replacement(object)}`;
    const ignored = !isTaken && outOfServiceNodes.isOn(node) ? [ignoredTaint(rules, off)] : [];
    const assumption = `PodGC has done that since Kubernetes ${serverReleases.defaultSince('podGcOutOfService')}; that of this server isn't known`;
    yield {
      code: 'PodOnUnreachableNode',
      severity: overdue ? 'warning' : 'info',
      since: object.deletionTimestamp,
      message: isMirrorPod(object)
        ? `${objectTitle(object)} waits for the kubelet of ${node.name} to delete it; ${node.name} isn't ready (${conditionWords(ready)})${isTaken ? what : ''}. ${staticPodWords(node.name)}.`
        : `${objectTitle(object)} waits for the kubelet of ${node.name} to confirm that its containers have stopped; ${node.name} isn't ready (${conditionWords(ready)})${what}.`,
      brief: isTaken ? `${node.name} is out of service: PodGC deletes it` : `${node.name} isn't ready`,
      evidence: [
        fieldEvidence(object, 'spec.nodeName', node.name),
        fieldEvidence(
          object,
          'metadata.deletionGracePeriodSeconds',
          object.deletionGracePeriodSeconds ?? '',
          `metadata.deletionGracePeriodSeconds: ${object.deletionGracePeriodSeconds}, which are over`,
        ),
        `Node ${node.name}: status.conditions: ${conditionWords(ready)}`,
        ready?.message && `Node ${node.name}: ${prose(ready.message)}`,
        ...ignored,
        isTaken && rules.assumed && assumption,
      ],
      related: [node],
      certainty: isTaken && rules.assumed ? 'assumed' : 'exact',
      chain: chainOf(tracked, object),
      remedies: () => unreachableNodeRemedies(tracked, object, node, isTaken),
    };
  },
};

function ignoredTaint({ version, outOfService }: PodGcRules, off: string | undefined): string {
  if (off !== undefined) return `the node is tainted out of service, but ${off}`;
  return outOfService !== 'Absent'
    ? `the node is tainted out of service, which PodGC of Kubernetes ${version} honors only if the feature gate NodeOutOfServiceVolumeDetach is on`
    : `the node is tainted out of service, which PodGC of Kubernetes ${version} doesn't know yet`;
}

/** A StatefulSet recreates a pod only after the one with that name is deleted. */
function replacement(pod: KubeObject): string {
  const owner = controllerOf(pod);
  return owner !== undefined && BuiltInKind.of(owner) === 'StatefulSet'
    ? `, and StatefulSet ${owner.name} creates no other ${pod.name} before it is deleted`
    : '';
}

const missing: Rule = {
  // Nearly every pod has its node. Subscribing for each would cost more memory than all findings, so `affectedBy` finds
  // the pods of a deleted node.
  appliesTo: ({ object }, { view }) => {
    const nodeName = podFacts(object)?.nodeName ?? '';
    if (nodeName === '') return false;
    const type = view.catalog.resolveKind('v1', 'Node');
    return type !== undefined && view.graph.find(type, '', nodeName) === undefined;
  },
  *judge({ object, deleting }: Subject, tracked: TrackedView): Iterable<FindingDraft> {
    const nodeName = podFacts(object)?.nodeName ?? '';
    if (!tracked.lacks(tracked.type('v1', 'Node'), '', nodeName)) return;
    const taken = deleting && (object.deletionGracePeriodSeconds ?? 0) === 0;
    const { finalizers } = object;
    const holders =
      finalizers.length === 0 ? '' : `, and then it stays until ${enumerated(finalizers)} is removed`;
    const off = podGcOff(tracked);
    // PodGC soon deletes the pods of a deleted node, so files that have one may just lack its node.
    const mayLackNode = tracked.view.settings.standsStill === true && !taken && off === undefined;
    const seconds = secondsAfterNode(PodGcSettings.of(tracked.view).rules);
    const taking =
      off === undefined
        ? `PodGC deletes it by force ${seconds} after the node was deleted, or later if many pods are deleted${holders}`
        : `nothing deletes it: ${off}`;
    yield {
      code: 'PodOnMissingNode',
      // A DaemonSet's pod is deleted with its node and not replaced.
      severity: taken || controllerKindOf(object) === 'DaemonSet' ? 'info' : 'warning',
      since: taken ? object.deletionTimestamp : undefined,
      message: taken
        ? `${objectTitle(object)} is bound to ${nodeName}, which no longer exists: it was deleted by force, and it stays until ${enumerated(finalizers) || 'the API server removes it'}${finalizers.length === 0 ? '' : ' is removed'}.`
        : `${objectTitle(object)} is bound to ${nodeName}, which no longer exists: ${taking}.`,
      brief: `${nodeName} is gone: ${taken ? 'held by finalizers' : off === undefined ? 'PodGC deletes it' : 'PodGC is switched off'}`,
      evidence: [
        fieldEvidence(object, 'spec.nodeName', nodeName),
        `there is no Node ${nodeName}`,
        mayLackNode && 'PodGC at work would soon have deleted the pod: the files may lack the Node',
        finalizers.length > 0 && finalizersEvidence(object, `metadata.finalizers: ${finalizers.join(', ')}`),
      ],
      certainty: mayLackNode ? 'assumed' : 'exact',
      chain: deleting
        ? chainOf(tracked, object)
        : [chainLink(object, '', `bound to ${nodeName}, which doesn't exist`)],
      // PodGC's delete of a pod that was deleted by force already changes nothing.
      remedies: () => [
        taken
          ? undefined
          : off === undefined
            ? advice(
                'wait-for-podgc',
                `wait: PodGC deletes ${object.name} ${seconds} after ${nodeName} was deleted, as long as kube-controller-manager runs`,
              )
            : switchOnPodGc,
      ],
    };
  },
  *affectedBy(gone: KubeObject, tracked: TrackedView): Iterable<Uid> {
    if (gone.type.kind !== 'Node' || gone.type.group !== '') return;
    for (const { uid } of tracked.view.podsOn(gone.name)) yield uid;
  },
};

/** `PodGC is switched off: kube-controller-manager runs with --controllers=*,-podgc`; undefined if it is on. */
function podGcOff(tracked: TrackedView): string | undefined {
  const off = PodGcRules.switchedOff(controlPlanePods(tracked));
  return off && `PodGC is switched off: kube-controller-manager runs with ${shownName(off.flag)}`;
}

const switchOnPodGc = advice(
  'switch-on-podgc',
  'run kube-controller-manager with pod-garbage-collector-controller among its --controllers: see first what that would delete (kubectl gc-tree podgc)',
);

/** Returns when an orphaned pod is deleted, counted from the deletion of its node: `40 to 80 s`. */
function secondsAfterNode({ quarantine }: PodGcRules): string {
  const { earliest, latest } = podGcCycle.orphanedAfter(quarantine);
  return earliest === 0 ? `up to ${latest / 1000} s` : `${earliest / 1000} to ${latest / 1000} s`;
}

const unscheduled: Rule = {
  appliesTo: ({ object, deleting }) => deleting && podFacts(object)?.nodeName === '',
  *judge({ object }: Subject, tracked: TrackedView): Iterable<FindingDraft> {
    const off = podGcOff(tracked);
    if (podGcRule(tracked, object, undefined) !== 'UnscheduledTerminating') return;
    const { finalizers, deletionTimestamp } = object;
    const held = finalizers.length > 0;
    const overdue = off !== undefined || isOverdue(tracked, object);
    yield {
      code: 'PodTerminatingUnscheduled',
      severity: overdue && !held ? 'warning' : 'info',
      since: deletionTimestamp,
      message: `${objectTitle(object)} is being deleted and never had a node: ${unscheduledWords(tracked, object, overdue, off)}.`,
      brief: `never had a node: ${held ? finalizers.join(', ') : off === undefined ? 'PodGC deletes it' : 'PodGC is switched off'}`,
      evidence: [
        'spec.nodeName: none',
        finalizersEvidence(
          object,
          `metadata.finalizers: ${finalizers.length === 0 ? 'none' : finalizers.join(', ')}`,
        ),
      ],
      chain: held ? chainOf(tracked, object) : [chainLink(object, '', 'deleting, without a node')],
      remedies: () => unscheduledRemedies(object, off),
    };
  },
};

/** Returns false for files, which may be copied long after they were written. */
function isOverdue(tracked: TrackedView, { deletionTimestamp }: KubeObject): boolean {
  return tracked.view.settings.standsStill !== true && tracked.lasted(deletionTimestamp, OVERDUE_MS);
}

function unscheduledWords(
  tracked: TrackedView,
  pod: KubeObject,
  overdue: boolean,
  off: string | undefined,
): string {
  const { finalizers } = pod;
  const { marksFailed } = PodGcSettings.of(tracked.view).rules;
  const holders = `${enumerated(finalizers)} alone ${finalizers.length === 1 ? 'holds' : 'hold'} it`;
  // A failed pod was deleted by force or is only deleted again; older versions leave no such trace.
  if (finalizers.length > 0 && (objectState.isFinished(pod) || (overdue && !marksFailed)))
    return `no kubelet has a say, PodGC can do no more, and ${holders}`;
  if (off !== undefined)
    return `no kubelet has a say, nothing deletes it: ${off}${finalizers.length > 0 ? `; and ${holders}` : ''}`;
  if (overdue)
    return 'PodGC should have deleted it by now, so kube-controller-manager is away or its requests are refused';
  const podGc = `PodGC deletes it by force within ${podGcCycle.duration / 1000} s`;
  return finalizers.length > 0
    ? `no kubelet has a say, ${podGc}, and after that ${holders}`
    : `no kubelet has a say, and ${podGc}`;
}

export const podRules: readonly Rule[] = [unreachable, missing, unscheduled];

function nodeOf(tracked: TrackedView, pod: KubeObject): KubeObject | undefined {
  return tracked.findKind('v1', 'Node', '', podFacts(pod)?.nodeName ?? '');
}

/** Returns the PodGC rule that applies once the quarantine is over, ignoring the limit for finished pods. */
function podGcRule(
  tracked: TrackedView,
  pod: KubeObject,
  node: KubeObject | undefined,
): PodGcRule | undefined {
  const [deletion] = podGcCycle.run({
    pods: [pod],
    nodes: node === undefined ? [] : [node],
    now: tracked.now,
    threshold: 0,
    quarantine: new NodeQuarantine(0),
    rules: PodGcSettings.of(tracked.view).rules,
    getNode: () => (node === undefined ? 'absent' : 'exists'),
  });
  return deletion?.rule;
}

function conditionWords(ready: Condition | undefined): string {
  if (ready === undefined) return 'no Ready condition';
  return `Ready: ${ready.status}${ready.reason === '' ? '' : `, ${ready.reason}`}`;
}

/**
 * Only the kubelet can prove that a container has stopped: after a forced deletion the pod may run on next to its
 * replacement, and the taint is for a node that is certain to be off (docs/kubernetes.md §10).
 */
function unreachableNodeRemedies(
  tracked: TrackedView,
  pod: KubeObject,
  node: KubeObject,
  isTainted: boolean,
): readonly OfferedRemedy[] {
  if (isMirrorPod(pod)) {
    const recovered = `bring ${node.name} back: its kubelet deletes ${pod.name}, and creates it again as long as it finds the manifest`;
    return [deleteMirror(pod, node.name), advice(`recover-node/${node.name}`, recovered)];
  }
  const reports = KubeletState.of(node) === 'Reports';
  const recover = advice(
    `recover-node/${node.name}`,
    reports
      ? `see what its kubelet says of ${node.name} (kubectl describe node): once it can, it stops the containers, confirms it, and ${pod.name} is deleted`
      : `bring ${node.name} back: its kubelet stops the containers, confirms it, and ${pod.name} is deleted`,
  );
  const force = redelete(pod, 'background', {
    gracePeriodSeconds: 0,
    risk: 'dangerous',
    title:
      controllerKindOf(pod) === 'StatefulSet'
        ? `delete ${pod.name} by force: if it still runs on ${node.name}, two pods ${pod.name} write to the same data`
        : `delete ${pod.name} by force: if it still runs on ${node.name}, it runs on unseen`,
  });
  // A taint that PodGC ignores only evicts the pods left on the node.
  const isHonored = PodGcRules.atWork(tracked.view).rules.passes.includes('OutOfService');
  // A machine whose kubelet reports isn't off.
  if (isTainted || !isHonored || reports) return [recover, force];
  const pods = [...tracked.view.podsOn(node.name)].map(each => objectTitle(each).replace(/^Pod /, '')).sort();
  return [
    recover,
    {
      ...taintOutOfService(tracked, node),
      risk: 'caution',
      title: `once ${node.name} is certain to be off, declare it out of service: all pods on it are deleted: ${enumerated(pods)}`,
    },
    force,
  ];
}

function unscheduledRemedies(pod: KubeObject, off: string | undefined): readonly OfferedRemedy[] {
  if (pod.finalizers.length > 0) {
    return [
      advice(
        'look-at-finalizers',
        `see to it that ${enumerated(pod.finalizers)} ${pod.finalizers.length === 1 ? 'is' : 'are'} removed by what put ${pod.finalizers.length === 1 ? 'it' : 'them'} there`,
      ),
    ];
  }
  if (off !== undefined) return [redelete(pod, 'background', { gracePeriodSeconds: 0 }), switchOnPodGc];
  return [advice('check-controller-manager', 'see whether kube-controller-manager runs')];
}

/** Dangerous: a pod without the toleration is deleted, and if it still runs, its replacement shares its volume. */
export function taintOutOfService(tracked: TrackedView, node: KubeObject): ApplicableRemedy {
  return remedy({
    id: `taint-out-of-service/${node.name}`,
    title: `declare node ${node.name} out of service, once it is certain to be powered off: all its pods are deleted`,
    risk: 'dangerous',
    acts: [patch(tracked.view.catalog, node, taintOperations(node, podGcNodes.outOfServiceTaint))],
  });
}
