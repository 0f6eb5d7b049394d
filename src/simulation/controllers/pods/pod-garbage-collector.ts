/** PodGC as a controller: every 20 seconds it carries out the decisions of `src/podgc` (docs/kubernetes.md §7). */

import { type KubeObject, objectState, podFacts, type Uid } from '../../../model/index.ts';
import {
  ForceDeleteRequest,
  NodeQuarantine,
  type PodGcRule,
  PodGcRules,
  PodGcSettings,
  podGcCycle,
} from '../../../podgc/index.ts';
import type { Task } from '../../clock.ts';
import type { Controller, ControllerContext } from '../../runtime/controller.ts';
import type { NodeOptions } from './kubelet-nodes.ts';

export interface PodGarbageCollectorOptions extends NodeOptions {
  /** `--terminated-pod-gc-threshold`; zero or less turns this check off. */
  readonly threshold?: number;
  readonly rules?: PodGcRules;
  readonly finishedPods?: readonly KubeObject[];
}

const reasons: Readonly<Record<PodGcRule, string>> = {
  Terminated: 'more finished pods than the cluster keeps',
  OutOfService: 'its node is out of service',
  Orphaned: 'its node no longer exists',
  UnscheduledTerminating: 'it is being deleted and never had a node',
};

export class PodGarbageCollector implements Controller {
  readonly name = 'pod-garbage-collector';
  readonly #options: PodGarbageCollectorOptions;
  /** Pods shown to this process: over a snapshot, the few that changed. */
  readonly #pods = new Map<Uid, KubeObject>();
  readonly #judged = new Set<string>();
  readonly #waiting = new Set<Task>();
  #context!: ControllerContext;
  #rules!: PodGcRules;
  #quarantine!: NodeQuarantine;
  #next: Task | undefined;

  constructor(options: PodGarbageCollectorOptions = {}) {
    this.#options = options;
  }

  start(context: ControllerContext): void {
    this.#context = context;
    this.#rules = this.#options.rules ?? PodGcRules.of(context.behaviour);
    this.#quarantine = new NodeQuarantine(this.#rules.quarantine);
    const note = (pod: KubeObject): void => void this.#pods.set(pod.uid, pod);
    context.informer('Pod', {
      added: note,
      updated: note,
      deleted: pod => this.#pods.delete(pod.uid),
    });
    context.informer('Node', {
      updated: node => this.#notePodsOn(node.name),
      deleted: node => this.#notePodsOn(node.name),
    });
    this.#schedule(0, 'retry');
  }

  stop(): void {
    for (const task of [...this.#waiting, ...(this.#next ? [this.#next] : [])])
      this.#context.clock.cancel(task);
  }

  #schedule(delay: number, kind: 'work' | 'retry'): void {
    this.#next = this.#context.clock.schedule(this.name, () => this.#cycle(), { delay, kind });
  }

  /** Notes pods of a changed node that didn't change themselves. */
  #notePodsOn(nodeName: string): void {
    if (this.#context.start !== 'resume') return;
    for (const pod of this.#context.list('Pod')) {
      if (podFacts(pod)?.nodeName === nodeName) this.#pods.set(pod.uid, pod);
    }
  }

  #cycle(): void {
    // Without noted pods, the nodes of a large snapshot needn't be listed.
    if (this.#pods.size > 0) this.#collect();
    this.#schedule(podGcCycle.duration, this.#awaitsQuarantine() ? 'work' : 'retry');
  }

  #collect(): void {
    const pods = this.#podsFor();
    const deletions = podGcCycle.run({
      pods,
      // If nodes cannot be seen, each named node counts as existing, and only a known one as out of service.
      nodes: this.#nodesOf(pods),
      now: this.#context.clock.now,
      threshold: this.#options.threshold ?? PodGcSettings.defaultThreshold,
      quarantine: this.#quarantine,
      rules: this.#rules,
      getNode: name => this.#liveNode(name),
    });
    for (const { pod, rule, requests } of deletions)
      this.#later(pod, () => this.#carryOut(pod, rule, requests));
  }

  /** Lets others act between the deletions of a cycle, which come in any order. */
  #later(pod: KubeObject, act: () => void): void {
    const run = (): void => {
      this.#waiting.delete(task);
      act();
    };
    const task = this.#context.clock.schedule(`${this.name} ${pod.uid}`, run, { continues: true });
    this.#waiting.add(task);
  }

  #podsFor(): readonly KubeObject[] {
    const context = this.#context;
    const noted = [...this.#pods.values()];
    if (context.start !== 'resume') return noted;
    const { finishedPods, threshold = PodGcSettings.defaultThreshold } = this.#options;
    const finished = noted.filter(objectState.isTerminated).length;
    if (finished === 0 || threshold <= 0) return noted;
    if (finishedPods === undefined) return context.list('Pod');
    // Some may be counted twice or deleted, so this is the maximum.
    if (finished + finishedPods.length <= threshold) return noted;
    for (const { uid } of finishedPods) {
      const pod = this.#pods.has(uid) ? undefined : context.cache.byUid(uid);
      if (pod !== undefined) noted.push(pod);
    }
    return noted;
  }

  /** Returns only these pods' nodes: a large cluster has thousands. */
  #nodesOf(pods: readonly KubeObject[]): KubeObject[] {
    const names = new Set(pods.map(pod => podFacts(pod)?.nodeName ?? ''));
    return [...names].flatMap(name => (name === '' ? [] : (this.#context.find('Node', '', name) ?? [])));
  }

  #liveNode(name: string): 'exists' | 'absent' | 'failed' {
    this.#judged.add(name);
    const type = this.#context.type('Node');
    if (type === undefined || this.#options.nodesKnown === false) return 'exists';
    const answer = this.#context.api.get({ type, namespace: '', name });
    if (answer.ok) return 'exists';
    return answer.status === 404 ? 'absent' : 'failed';
  }

  #carryOut(pod: KubeObject, rule: PodGcRule, requests: readonly ForceDeleteRequest[]): void {
    const api = this.#context.api.because(reasons[rule]);
    for (const request of requests) {
      if (request.verb === 'delete') {
        api.delete(pod, { gracePeriodSeconds: request.gracePeriodSeconds });
        continue;
      }
      const answer = api.patch(
        pod,
        current => {
          const facts = podFacts(current);
          return facts === undefined ? {} : { facts: ForceDeleteRequest.patchedFacts(facts, request) };
        },
        { uid: request.uid, subresource: 'status' },
      );
      if (!answer.ok) return;
    }
  }

  #awaitsQuarantine(): boolean {
    if (this.#options.nodesKnown === false) return false;
    for (const pod of this.#pods.values()) {
      const nodeName = podFacts(pod)?.nodeName ?? '';
      if (nodeName === '' || this.#judged.has(nodeName)) continue;
      if (this.#context.find('Node', '', nodeName) === undefined) return true;
    }
    return false;
  }
}
