/**
 * The kubelets of all ready nodes: they start pods and confirm deletions (pkg/kubelet/status/status_manager.go, v1.36).
 * Containers are assumed to start, become ready, run until stopped, and use their whole grace period; if every order is
 * tried, they may also stop at once.
 */

import {
  Facts,
  getOrInsert,
  isMirrorPod,
  type KubeObject,
  objectState,
  type PodFacts,
  podFacts,
  type Uid,
} from '../../../model/index.ts';
import type { Task, TaskKind } from '../../clock.ts';
import type { Controller, ControllerContext } from '../../runtime/controller.ts';
import { hasKubelet, type NodeOptions } from './kubelet-nodes.ts';

/** Milliseconds from binding to running and ready. */
const START_MS = 1000;
const RETRY_MS = 10_000;

export class KubeletController implements Controller {
  readonly name = 'kubelet';
  readonly kinds = ['Pod', 'Node'] as const;
  readonly #options: NodeOptions;
  readonly #tasks = new Map<Uid, Task>();
  readonly #stranded = new Map<string, Set<Uid>>();
  /** Pods with stopped containers, which finalizers may still hold. */
  readonly #confirmed = new Set<Uid>();
  #context!: ControllerContext;

  constructor(options: NodeOptions = {}) {
    this.#options = options;
  }

  start(context: ControllerContext): void {
    this.#context = context;
    context.informer('Pod', {
      added: (pod, initial) => this.#consider(pod, !initial || context.start === 'replay'),
      updated: (pod, old) => this.#consider(pod, podFacts(old)?.nodeName === ''),
      deleted: pod => {
        this.#drop(pod.uid);
        this.#confirmed.delete(pod.uid);
      },
    });
    context.informer('Node', {
      added: node => this.#nodeChanged(node),
      updated: node => this.#nodeChanged(node),
    });
  }

  stop(): void {
    for (const task of this.#tasks.values()) this.#context.clock.cancel(task);
    this.#tasks.clear();
    this.#stranded.clear();
  }

  /** `bound`: the pod is new on its node. A pod that was pending there before the snapshot stays pending. */
  #consider(pod: KubeObject, bound: boolean): void {
    const context = this.#context;
    const facts = podFacts(pod);
    if (facts === undefined || facts.nodeName === '') return;
    const deleting = pod.deletionTimestamp !== undefined;
    if (!deleting && !(bound && facts.phase === 'Pending')) return;
    if (!hasKubelet(context, facts.nodeName, this.#options)) {
      this.#drop(pod.uid);
      this.#strand(pod, facts.nodeName);
      return;
    }
    if (!deleting) {
      this.#schedule(pod.uid, START_MS, () => this.#startContainers(pod));
      return;
    }
    // Only finalizers hold the pod. After a restart of the kubelet its final phase shows this.
    if (
      this.#confirmed.has(pod.uid) ||
      (objectState.isFinished(pod) && (pod.deletionGracePeriodSeconds ?? 0) === 0)
    )
      return;
    const left = (pod.deletionTimestamp ?? 0) - context.clock.now;
    // The kubelet drops a mirror pod at once: nothing of it runs.
    const stopped =
      isMirrorPod(pod) || objectState.isFinished(pod) || (context.anyOrder && context.random.below(2) === 0);
    this.#schedule(pod.uid, stopped ? 0 : left, () => this.#confirm(pod));
  }

  #strand(pod: KubeObject, nodeName: string): void {
    getOrInsert(this.#stranded, nodeName, () => new Set()).add(pod.uid);
  }

  #nodeChanged(node: KubeObject): void {
    const pods = this.#stranded.get(node.name);
    if (pods === undefined || !hasKubelet(this.#context, node.name, this.#options)) return;
    this.#stranded.delete(node.name);
    for (const uid of pods) {
      const pod = this.#context.cache.byUid(uid);
      if (pod !== undefined) this.#consider(pod, true);
    }
  }

  #schedule(uid: Uid, delay: number, run: () => void, kind: TaskKind = 'work'): void {
    this.#drop(uid);
    const task = (): void => {
      this.#tasks.delete(uid);
      run();
    };
    this.#tasks.set(uid, this.#context.clock.schedule(`kubelet ${uid}`, task, { delay, kind }));
  }

  #drop(uid: Uid): void {
    const task = this.#tasks.get(uid);
    if (task === undefined) return;
    this.#context.clock.cancel(task);
    this.#tasks.delete(uid);
  }

  #startContainers(pod: KubeObject): void {
    const current = this.#current(pod);
    const facts = current && podFacts(current);
    if (facts === undefined || facts.phase !== 'Pending') return;
    const conditions = Facts.withCondition(facts.conditions, { type: 'Ready', status: 'True' });
    const running: PodFacts = { ...facts, phase: 'Running', readyContainers: facts.containers, conditions };
    this.#write(pod, running, 'its containers run');
  }

  /** Writes the final phase, and sends the DELETE without grace that ends the pod. */
  #confirm(pod: KubeObject): void {
    const context = this.#context;
    const current = this.#current(pod);
    const facts = current && podFacts(current);
    if (current === undefined || facts === undefined) return;
    // The node may have been lost while the containers were stopping.
    if (!hasKubelet(context, facts.nodeName, this.#options)) {
      this.#strand(pod, facts.nodeName);
      return;
    }
    // The final phase is only visible if a finalizer holds the pod; other writes would only cost time.
    if (current.finalizers.length > 0 && facts.phase !== 'Succeeded' && facts.phase !== 'Failed') {
      const since = context.clock.now;
      const conditions = Facts.withCondition(facts.conditions, { type: 'Ready', status: 'False', since });
      const failed: PodFacts = { ...facts, phase: 'Failed', readyContainers: 0, conditions };
      this.#write(pod, failed, 'its containers have stopped');
    }
    this.#confirmed.add(pod.uid);
    const answer = context.api
      .because('its containers have stopped')
      .delete(pod, { gracePeriodSeconds: 0, preconditions: { uid: pod.uid } });
    if (!answer.ok && answer.objection !== undefined)
      this.#schedule(pod.uid, RETRY_MS, () => this.#confirm(pod), 'retry');
  }

  #current(pod: KubeObject): KubeObject | undefined {
    const answer = this.#context.api.get(pod);
    return answer.ok && answer.object.uid === pod.uid ? answer.object : undefined;
  }

  #write(pod: KubeObject, facts: PodFacts, because: string): void {
    this.#context.api.because(because).patch(pod, { facts }, { uid: pod.uid, subresource: 'status' });
  }
}
