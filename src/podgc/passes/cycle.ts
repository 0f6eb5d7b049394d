/** One cycle of PodGC: four passes in order (docs/kubernetes.md §7; pkg/controller/podgc/gc_controller.go, v1.36). */

import { type KubeObject, podFacts } from '../../model/index.ts';
import { ForceDeleteRequest } from './force-delete.ts';
import { type PodGcRule, PodGcRules, PodGcSettings } from './rules-of-version.ts';
import {
  surplusTerminatedPods,
  terminatingPodsOutOfService,
  unscheduledTerminatingPods,
} from './select-pods.ts';

/** Milliseconds from the end of one cycle to the start of the next. */
const CYCLE_MS = 20_000;

/**
 * Returns the milliseconds from a node's deletion until PodGC deletes its first pod. A quarantine is as long as two
 * cycles, and both are timers: the second or third cycle after the one that missed the node acts. On an idle cluster
 * the third acts in one in eight to one in four cases.
 */
function orphanedAfter(quarantine: number): { readonly earliest: number; readonly latest: number } {
  return { earliest: quarantine, latest: quarantine === 0 ? CYCLE_MS : quarantine + 2 * CYCLE_MS };
}

export interface CycleInput {
  readonly pods: readonly KubeObject[];
  readonly nodes: readonly KubeObject[];
  readonly now: number;
  /** `--terminated-pod-gc-threshold`; zero or less turns the first pass off. */
  readonly threshold: number;
  readonly quarantine: NodeQuarantine;
  readonly rules?: PodGcRules;
  /** Live GET of a node after its quarantine. `failed` is any answer except 200 and 404. */
  readonly getNode: (name: string) => 'exists' | 'absent' | 'failed';
}

export interface PodDeletion {
  readonly pod: KubeObject;
  readonly rule: PodGcRule;
  readonly requests: readonly ForceDeleteRequest[];
}

/**
 * Returns the deletions in order. A pod selected by two passes appears twice, as in the controller: its second DELETE
 * finds nothing, unless finalizers still hold the pod.
 */
function runCycle(input: CycleInput): readonly PodDeletion[] {
  const { pods, nodes, threshold, rules = PodGcRules.newest } = input;
  const byName = new Map(nodes.map(node => [node.name, node]));
  const selected: Readonly<Record<PodGcRule, () => readonly KubeObject[]>> = {
    Terminated: () => surplusTerminatedPods(pods, threshold, rules),
    OutOfService: () => terminatingPodsOutOfService(pods, name => byName.get(name), rules),
    Orphaned: () => orphanedPods(input, byName),
    UnscheduledTerminating: () => unscheduledTerminatingPods(pods),
  };
  return rules.passes.flatMap(rule =>
    selected[rule]().map(pod => ({ pod, rule, requests: ForceDeleteRequest.of(pod, rule, rules) })),
  );
}

/** Selects pods on nodes missing for a whole quarantine and in a live GET; a failed GET starts another quarantine. */
function orphanedPods(
  { pods, now, quarantine, getNode }: CycleInput,
  cached: ReadonlyMap<string, KubeObject>,
): readonly KubeObject[] {
  for (const pod of pods) {
    const nodeName = podFacts(pod)?.nodeName ?? '';
    if (nodeName !== '' && !cached.has(nodeName)) quarantine.miss(nodeName, now);
  }
  const gone = new Set(
    quarantine.takeEnded(now).filter(name => !cached.has(name) && getNode(name) === 'absent'),
  );
  if (gone.size === 0) return [];
  return pods.filter(pod => gone.has(podFacts(pod)?.nodeName ?? ''));
}

/** Names of missed nodes until a cycle acts on them: PodGC's only state between cycles, lost at a restart. */
export class NodeQuarantine {
  /** Node name to the end of its quarantine, in milliseconds. */
  readonly #ends = new Map<string, number>();
  readonly #missedAgain = new Set<string>();
  readonly #duration: number;

  constructor(duration: number = PodGcSettings.quarantine) {
    this.#duration = duration;
  }

  /** Notes a pod on a missing node. Never prolongs a quarantine; one that ended but isn't taken is repeated. */
  miss(nodeName: string, now: number): void {
    const end = this.#ends.get(nodeName);
    if (end === undefined) this.#ends.set(nodeName, now + this.#duration);
    else if (end <= now) this.#missedAgain.add(nodeName);
  }

  /** Takes names whose quarantine has ended; those missed again start a new one. */
  takeEnded(now: number): readonly string[] {
    const names: string[] = [];
    for (const [name, end] of this.#ends) {
      if (end > now) continue;
      names.push(name);
      if (this.#missedAgain.has(name)) this.#ends.set(name, now + this.#duration);
      else this.#ends.delete(name);
    }
    this.#missedAgain.clear();
    return names;
  }

  endedBy(now: number): readonly string[] {
    return [...this.#ends].filter(([, end]) => end <= now).map(([name]) => name);
  }
}

export const podGcCycle = { duration: CYCLE_MS, orphanedAfter, run: runCycle };
