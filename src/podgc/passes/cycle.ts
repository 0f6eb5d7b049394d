/**
 * One cycle of PodGC: its four passes over what its caches hold, in the controller's order (docs/kubernetes.md §7;
 * pkg/controller/podgc/gc_controller.go, v1.36).
 */

import { type KubeObject, podFacts } from '../../model/object.ts';
import { type ForceDeleteRequest, forceDeletion } from './force-delete.ts';
import { surplusTerminatedPods, terminatingPodsOutOfService, unscheduledTerminatingPods } from './passes.ts';
import { newestRules, type PodGcRule, type PodGcRules, QUARANTINE_MS } from './rules-of-version.ts';

/** Milliseconds from the end of one cycle to the start of the next. */
export const CYCLE_MS = 20_000;

/**
 * Milliseconds from when a node is deleted until PodGC takes the first of its pods. Many pods take it longer.
 *
 * A quarantine is as long as two cycles, and both are timers: the second cycle after the one that missed the node finds
 * it over, or not quite, and then the third acts. On an idle cluster one in eight to one in four waits that long.
 */
export function orphanedAfter(quarantine: number): { readonly earliest: number; readonly latest: number } {
  return { earliest: quarantine, latest: quarantine === 0 ? CYCLE_MS : quarantine + 2 * CYCLE_MS };
}

export interface CycleInput {
  /** All pods of the cluster, as the controller's cache has them when the cycle begins. */
  readonly pods: readonly KubeObject[];
  readonly nodes: readonly KubeObject[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** `--terminated-pod-gc-threshold`; zero or less turns the first pass off. */
  readonly threshold: number;
  /** Kept from cycle to cycle; changed by this one. */
  readonly quarantine: NodeQuarantine;
  /** What the controller's version does; without them as the newest one. */
  readonly rules?: PodGcRules;
  /** The live GET on a node whose quarantine has ended. `failed` is any answer but 200 and 404. */
  readonly getNode: (name: string) => 'exists' | 'absent' | 'failed';
}

export interface PodDeletion {
  readonly pod: KubeObject;
  readonly rule: PodGcRule;
  readonly requests: readonly ForceDeleteRequest[];
}

/**
 * What the cycle deletes, in order. A pod that two passes select comes twice, as it does in the controller,
 * whose passes all work on the state at the cycle's start; the second time its DELETE finds nothing, unless
 * finalizers still hold the pod.
 */
export function runCycle(input: CycleInput): readonly PodDeletion[] {
  const { pods, nodes, threshold, rules = newestRules } = input;
  const byName = new Map(nodes.map(node => [node.name, node]));
  const selected: Readonly<Record<PodGcRule, () => readonly KubeObject[]>> = {
    Terminated: () => surplusTerminatedPods(pods, threshold, rules),
    OutOfService: () => terminatingPodsOutOfService(pods, name => byName.get(name), rules),
    Orphaned: () => orphanedPods(input, byName),
    UnscheduledTerminating: () => unscheduledTerminatingPods(pods),
  };
  return rules.passes.flatMap(rule =>
    selected[rule]().map(pod => ({ pod, rule, requests: forceDeletion(pod, rule, rules) })),
  );
}

/**
 * Pods on nodes that the cache has lacked for a whole quarantine and that a live GET doesn't find either. A
 * node whose GET failed waits out another quarantine.
 */
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

/**
 * How long PodGC waits before it believes that a node is gone: the delaying queue of node names between the cycle that
 * misses a node and the one that acts. It is all that the controller remembers from cycle to cycle, and loses at a restart.
 */
export class NodeQuarantine {
  /** Node name to the time in milliseconds at which its quarantine ends. */
  readonly #ends = new Map<string, number>();
  /** Names that were missed again after their quarantine had ended. */
  readonly #missedAgain = new Set<string>();
  readonly #duration: number;

  constructor(duration: number = QUARANTINE_MS) {
    this.#duration = duration;
  }

  /**
   * Notes that a pod names a node that the cache lacks. A quarantine under way isn't prolonged; one that has
   * ended, and whose name nobody has taken yet, is followed by another.
   */
  miss(nodeName: string, now: number): void {
    const end = this.#ends.get(nodeName);
    if (end === undefined) this.#ends.set(nodeName, now + this.#duration);
    else if (end <= now) this.#missedAgain.add(nodeName);
  }

  /** Names whose quarantine has ended, each once; those missed again meanwhile begin anew. */
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

  /** Names whose quarantine has ended by `now`. */
  endedBy(now: number): readonly string[] {
    return [...this.#ends].filter(([, end]) => end <= now).map(([name]) => name);
  }
}
