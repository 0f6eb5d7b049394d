/**
 * Runs one pod on each eligible node (pkg/controller/daemon/daemon_controller.go, v1.36). Node selectors are unknown,
 * so eligible nodes are existing ones that have, or had in the snapshot, a pod of the set; other nodes get none.
 */

import { compareBytes } from '../../../graph/index.ts';
import {
  isEqualData,
  type KubeObject,
  labelRules,
  nodeFacts,
  objectState,
  podFacts,
  tolerationRules,
  type Uid,
  workloadFacts,
} from '../../../model/index.ts';
import type { Controller, ControllerContext } from '../../runtime/controller.ts';
import type { SyncResult } from '../../runtime/work-queue.ts';
import type { NodeOptions } from '../pods/kubelet-nodes.ts';
import { Workloads } from './claimed-children.ts';
import { draftPod } from './drafts.ts';
import { Revisions } from './revisions.ts';

export class DaemonSetController implements Controller {
  readonly name = 'daemon-set-controller';
  readonly kinds = ['DaemonSet', 'Pod', 'ControllerRevision', 'Node'] as const;
  readonly #options: NodeOptions;
  readonly #nodes = new Map<Uid, Set<string>>();
  #context!: ControllerContext;
  #sets!: Workloads;
  #revisions!: Revisions;

  constructor(options: NodeOptions = {}) {
    this.#options = options;
  }

  start(context: ControllerContext): void {
    this.#context = context;
    const sets = new Workloads({
      context,
      owner: 'DaemonSet',
      child: 'Pod',
      matches: (set, pod) => labelRules.selects(workloadFacts(set)?.selector, pod.labels),
      sync: set => this.#sync(set),
      ownerGone: set => this.#nodes.delete(set.uid),
      childSeen: (set, pod) => this.#remember(set, [pod]),
    });
    this.#sets = sets;
    this.#revisions = new Revisions({ context, owner: 'DaemonSet', wake: set => sets.wake(set) });
    context.informer('Node', {
      updated: (node, old) => {
        if (isEqualData(nodeFacts(node)?.taints, nodeFacts(old)?.taints)) return;
        for (const set of context.list('DaemonSet')) sets.wake(set);
      },
    });
  }

  #sync(set: KubeObject): SyncResult {
    const facts = workloadFacts(set);
    const selector = facts?.selector;
    if (facts === undefined || selector === undefined || set.deletionTimestamp !== undefined) return 'done';
    if (selector.matchLabels.length === 0 && selector.matchExpressions.length === 0) return 'done';
    const sets = this.#sets;
    if (!this.#revisions.adopt(set, selector)) return 'retry';
    if (!this.#revisions.restore(set, facts.templateLabels, sets.controlled(set))) return 'retry';
    if (!sets.expectations.satisfied(set.uid)) return 'done';
    const claimed = sets.claim(set, pod => labelRules.selects(selector, pod.labels));
    if (claimed.failed) return 'retry';
    this.#remember(set, claimed.children);
    return this.#reconcile(set, claimed.children);
  }

  #reconcile(set: KubeObject, pods: readonly KubeObject[]): SyncResult {
    let result: SyncResult = 'done';
    for (const node of this.#nodes.get(set.uid) ?? []) {
      const wants = this.#wants(set, node);
      if (wants === 'nothing') continue;
      // A terminating pod holds its node until its containers have stopped.
      const onNode = pods.filter(
        pod =>
          podFacts(pod)?.nodeName === node &&
          !(pod.deletionTimestamp !== undefined && objectState.isFinished(pod)),
      );
      if (onNode.length === 0) {
        if (wants === 'a pod' && !this.#createPod(set, node)) result = 'retry';
        continue;
      }
      const live = onNode.filter(pod => pod.deletionTimestamp === undefined);
      if (wants === 'no pod') {
        for (const pod of live) {
          const because = `it doesn't tolerate the taints of node ${node}`;
          if (!this.#sets.delete(set, pod, because)) result = 'retry';
        }
        continue;
      }
      const finished = live.filter(objectState.isFinished);
      const [, ...surplus] = live.filter(pod => !objectState.isFinished(pod)).sort(byAge);
      for (const pod of [...finished, ...surplus]) {
        const because = finished.includes(pod) ? 'it has finished and is to run' : `${node} has another`;
        if (!this.#sets.delete(set, pod, because)) result = 'retry';
      }
    }
    return result;
  }

  #createPod(set: KubeObject, nodeName: string): boolean {
    const facts = workloadFacts(set);
    const type = this.#context.type('Pod');
    if (facts === undefined || type === undefined) return true;
    const sibling = this.#sets.sibling(set);
    const hash = this.#revisions.hashLabel(set, sibling);
    const labels =
      hash === undefined
        ? facts.templateLabels
        : labelRules.withLabel(facts.templateLabels, 'controller-revision-hash', hash);
    const name = `${set.name}-${this.#context.random.name()}`;
    // The controller's node affinity allows no other node, so binding is immediate.
    const tolerations = tolerationRules.ofDaemons;
    const draft = draftPod({ type, owner: set, name, labels, sibling, nodeName, tolerations });
    const outcome = this.#sets.create(set, draft, `${set.name} has no pod on ${nodeName}`);
    return outcome === 'created' || outcome === 'terminating';
  }

  #remember(set: KubeObject, pods: readonly KubeObject[]): void {
    let nodes = this.#nodes.get(set.uid);
    if (nodes === undefined) {
      nodes = new Set();
      this.#nodes.set(set.uid, nodes);
      pods = [...pods, ...this.#sets.controlled(set)];
    }
    for (const pod of pods) {
      const nodeName = podFacts(pod)?.nodeName ?? '';
      if (nodeName !== '') nodes.add(nodeName);
    }
  }

  /**
   * Changes nothing on absent nodes; running pods stay if only new ones are refused (daemon_controller.go
   * NodeShouldRunDaemonPod).
   */
  #wants(set: KubeObject, nodeName: string): 'a pod' | 'whatever is there' | 'no pod' | 'nothing' {
    if (this.#options.nodesKnown === false) return 'a pod';
    const node = this.#context.find('Node', '', nodeName);
    if (node === undefined) return 'nothing';
    const sibling = this.#sets.sibling(set);
    const tolerations = [
      ...tolerationRules.ofDaemons,
      ...((sibling && podFacts(sibling))?.tolerations ?? []),
    ];
    const taints = nodeFacts(node)?.taints ?? [];
    const keepsAway = (wanted: string): boolean =>
      taints.some(taint => taint.effect === wanted && !tolerationRules.tolerates(tolerations, taint));
    if (keepsAway('NoExecute')) return 'no pod';
    return keepsAway('NoSchedule') ? 'whatever is there' : 'a pod';
  }
}

/** Sorts the pod to keep first. */
function byAge(a: KubeObject, b: KubeObject): number {
  return a.creationTimestamp - b.creationTimestamp || compareBytes(a.name, b.name);
}
