/**
 * Evicts pods from nodes with NoExecute taints, even finished or deleted ones
 * (pkg/controller/tainteviction/taint_eviction.go, v1.36). Silent nodes get no taints, because the node lifecycle
 * controller isn't simulated.
 */

import {
  type Condition,
  Facts,
  isEqualData,
  type KubeObject,
  nodeFacts,
  podFacts,
  type Taint,
  type Toleration,
  tolerationRules,
  type Uid,
} from '../../../model/index.ts';
import type { Task } from '../../clock.ts';
import type { Controller, ControllerContext } from '../../runtime/controller.ts';

const TAINT_EVICTION = 'taint-eviction-controller';

export interface TaintEvictionOptions {
  /** True for forecasts, which wait for evictions minutes or hours away before the cluster is at rest. */
  readonly awaitsEvictions?: boolean;
}

/** Milliseconds within which evictions are always awaited. */
const SOON = 60_000;
/** Milliseconds after which evictions aren't awaited: some pods tolerate a taint for years. */
const LONGEST_AWAITED = 86_400_000;

const evicted: Omit<Condition, 'since'> = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByTaintManager',
  message: 'Taint manager: deleting due to NoExecute taint',
};

interface Stay {
  readonly taints: readonly Taint[];
  /** The pod's arrival on the node, or earlier. */
  readonly since: number;
}

export class TaintEvictionController implements Controller {
  readonly name = TAINT_EVICTION;
  readonly kinds = ['Node', 'Pod'] as const;
  readonly #options: TaintEvictionOptions;
  readonly #tasks = new Map<Uid, Task>();
  #context!: ControllerContext;

  constructor(options: TaintEvictionOptions = {}) {
    this.#options = options;
  }

  start(context: ControllerContext): void {
    this.#context = context;
    context.informer('Node', {
      added: node => this.#nodeChanged(node, taintsOf(node)),
      updated: (node, old) => {
        const taints = taintsOf(node);
        const before = taintsOf(old);
        if (taints.length + before.length > 0 && !isEqualData(taints, before))
          this.#nodeChanged(node, taints);
      },
      // Planned evictions continue after the node is deleted.
    });
    context.informer('Pod', {
      added: (pod, initial) => this.#podChanged(pod, initial),
      updated: (pod, old) => {
        if (pod.facts === old.facts) return;
        const [facts, before] = [podFacts(pod), podFacts(old)];
        if (facts?.nodeName === before?.nodeName && isEqualData(facts?.tolerations, before?.tolerations))
          return;
        this.#podChanged(pod, false);
      },
      deleted: ({ uid }) => this.#cancel(uid),
    });
  }

  stop(): void {
    for (const uid of this.#tasks.keys()) this.#cancel(uid);
  }

  #nodeChanged(node: KubeObject, taints: readonly Taint[]): void {
    const context = this.#context;
    // Over a snapshot, an untainted node's pods only matter if an eviction is planned.
    if (taints.length === 0 && this.#tasks.size === 0) return;
    for (const pod of context.list('Pod')) {
      if (podFacts(pod)?.nodeName === node.name)
        this.#consider(pod, node, { taints, since: pod.creationTimestamp });
    }
  }

  #podChanged(pod: KubeObject, initial: boolean): void {
    const context = this.#context;
    const nodeName = podFacts(pod)?.nodeName ?? '';
    if (nodeName === '') return;
    // For a pod deleted before the snapshot, an eviction changes nothing that is reported.
    if (initial && context.start === 'resume' && pod.deletionTimestamp !== undefined) return;
    const node = context.find('Node', '', nodeName);
    const taints = node === undefined ? [] : taintsOf(node);
    const since = initial ? pod.creationTimestamp : context.clock.now;
    if (node !== undefined && taints.length > 0) this.#consider(pod, node, { taints, since });
  }

  #consider(pod: KubeObject, node: KubeObject, stay: Stay): void {
    const context = this.#context;
    const { taints } = stay;
    const { tolerations } = podFacts(pod) ?? {};
    if (tolerations === undefined) return;
    const { now } = context.clock;
    const patience = tolerationRules.toleratedFor(tolerations, taints);
    if (patience === Number.POSITIVE_INFINITY) {
      this.#cancel(pod.uid);
      return;
    }
    // An additional tolerated taint, even if tolerated for no time, doesn't move a planned eviction.
    if (patience !== undefined && this.#tasks.has(pod.uid)) return;
    this.#cancel(pod.uid);
    // A process that ran before the snapshot counts from the first taint.
    const resumed =
      context.start === 'resume' ? tolerationRules.evictionTime({ tolerations, ...stay, now }) : undefined;
    const due = patience === undefined ? now : (resumed ?? now + patience);
    const awaited = this.#options.awaitsEvictions === true ? LONGEST_AWAITED : SOON;
    const kind = due - now <= awaited ? 'work' : 'idle';
    const because =
      patience === undefined
        ? `it doesn't tolerate ${untolerated(tolerations, taints, node)}`
        : `it tolerates the taints of node ${node.name} for ${patience / 1000} s only`;
    const evict = (): void => {
      this.#tasks.delete(pod.uid);
      this.#evict(pod, because);
    };
    this.#tasks.set(pod.uid, context.clock.schedule(`evict ${pod.uid}`, evict, { delay: due - now, kind }));
  }

  #evict(pod: KubeObject, because: string): void {
    const api = this.#context.api.because(because);
    const answer = api.get(pod);
    const facts = answer.ok ? podFacts(answer.object) : undefined;
    if (!answer.ok || facts === undefined) return;
    if (Facts.withCondition(facts.conditions, evicted) !== facts.conditions) {
      const patched = api.patch(
        pod,
        current => {
          const latest = podFacts(current) ?? facts;
          return { facts: { ...latest, conditions: Facts.withCondition(latest.conditions, evicted) } };
        },
        { uid: answer.object.uid, subresource: 'status' },
      );
      if (!patched.ok) return;
    }
    api.delete(pod);
  }

  #cancel(uid: Uid): void {
    const task = this.#tasks.get(uid);
    if (task === undefined) return;
    this.#context.clock.cancel(task);
    this.#tasks.delete(uid);
  }
}

function taintsOf(node: KubeObject): readonly Taint[] {
  return tolerationRules.noExecute(nodeFacts(node)?.taints ?? []);
}

function untolerated(tolerations: readonly Toleration[], taints: readonly Taint[], node: KubeObject): string {
  const taint = taints.find(each => tolerationRules.toleratedFor(tolerations, [each]) === undefined);
  return taint === undefined
    ? `the taints of node ${node.name}`
    : `the taint ${taint.key}:${taint.effect} of node ${node.name}`;
}

/** The controller that evicts pods, and how long it is waited for. */
export const taintEviction = { longestAwaited: LONGEST_AWAITED, name: TAINT_EVICTION };
