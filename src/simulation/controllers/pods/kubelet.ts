/**
 * The kubelets of all ready nodes: they start pods that were bound to them, and confirm a deletion once the
 * grace period is over (pkg/kubelet/status/status_manager.go, v1.36). On a node that isn't ready nobody does.
 *
 * Containers are taken to start well, to become ready, to run until they are told to stop, and to use up their
 * grace period: a snapshot doesn't tell how they really behave. Where every order is tried, they may also stop at once.
 */

import { type PodFacts, withCondition } from '../../../model/facts/facts.ts';
import { getOrInsert } from '../../../model/maps.ts';
import { isFinished, type KubeObject, podFacts, type Uid } from '../../../model/object.ts';
import type { Task, TaskKind } from '../../clock.ts';
import type { Controller, ControllerContext } from '../../runtime/controller.ts';
import { isKind, POD } from '../workloads/workloads.ts';
import { hasKubelet, isNode, type NodeOptions } from './nodes.ts';

/** Milliseconds from binding to running and ready. */
const START_MS = 1000;
/** Milliseconds until a refused DELETE is sent again. */
const RETRY_MS = 10_000;

export class KubeletController implements Controller {
  readonly name = 'kubelet';
  readonly #options: NodeOptions;
  readonly #tasks = new Map<Uid, Task>();
  /** Pods whose node has no kubelet at work now, by node. */
  readonly #stranded = new Map<string, Set<Uid>>();
  /** Pods whose containers have stopped, and that finalizers may still hold. */
  readonly #confirmed = new Set<Uid>();
  /** From `start` on. */
  #context!: ControllerContext;

  constructor(options: NodeOptions = {}) {
    this.#options = options;
  }

  start(context: ControllerContext): void {
    this.#context = context;
    context.informer(type => isKind(type, POD), {
      added: (pod, initial) => this.#consider(pod, !initial || context.start === 'replay'),
      updated: (pod, old) => this.#consider(pod, podFacts(old)?.nodeName === ''),
      deleted: pod => {
        this.#drop(pod.uid);
        this.#confirmed.delete(pod.uid);
      },
    });
    context.informer(isNode, {
      added: node => this.#nodeChanged(node),
      updated: node => this.#nodeChanged(node),
    });
  }

  stop(): void {
    for (const task of this.#tasks.values()) this.#context.clock.cancel(task);
    this.#tasks.clear();
    this.#stranded.clear();
  }

  /** `bound`: the pod is new on its node. One that has been waiting there before the snapshot goes on waiting. */
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
    // Now only finalizers hold it. After a restart of the kubelet its final phase tells.
    if (this.#confirmed.has(pod.uid) || (isFinished(pod) && (pod.deletionGracePeriodSeconds ?? 0) === 0))
      return;
    const left = (pod.deletionTimestamp ?? 0) - context.clock.now;
    const stopped = isFinished(pod) || (context.anyOrder && context.random.below(2) === 0);
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
    const conditions = withCondition(facts.conditions, { type: 'Ready', status: 'True' });
    const running: PodFacts = { ...facts, phase: 'Running', readyContainers: facts.containers, conditions };
    this.#write(pod, running, 'its containers run');
  }

  /** The containers' final phase, and the DELETE without grace that ends the pod. */
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
    // The final phase outlasts the DELETE only where a finalizer holds the pod; elsewhere nobody would see it,
    // and a large forecast would pay for the write.
    if (current.finalizers.length > 0 && facts.phase !== 'Succeeded' && facts.phase !== 'Failed') {
      const since = context.clock.now;
      const conditions = withCondition(facts.conditions, { type: 'Ready', status: 'False', since });
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

  /** This very pod as it is now. */
  #current(pod: KubeObject): KubeObject | undefined {
    const answer = this.#context.api.get(pod);
    return answer.ok && answer.object.uid === pod.uid ? answer.object : undefined;
  }

  #write(pod: KubeObject, facts: PodFacts, because: string): void {
    this.#context.api.because(because).patch(pod, { facts }, { uid: pod.uid, subresource: 'status' });
  }
}
