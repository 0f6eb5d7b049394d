/**
 * A PodGC of the tests' own, written from gc_controller.go (v1.36) and not from `src/podgc`: its requests take time, its
 * cycles begin 20 s after the end of the one before, and its quarantine is a delaying queue that may just miss a cycle.
 */
import type { Condition } from '../../src/model/facts/facts.ts';
import type { KubeObject, Uid } from '../../src/model/object.ts';
import { pod as podOf } from './fixtures.ts';

/** What the API server holds. Changes are told to whoever watches. */
export class Reality {
  readonly nodes = new Map<string, KubeObject>();
  readonly pods = new Map<string, KubeObject>();
  readonly tell: (before: KubeObject | undefined, after: KubeObject | undefined) => void;

  constructor(tell: Reality['tell']) {
    this.tell = tell;
  }

  put(object: KubeObject): void {
    const map = object.type.kind === 'Pod' ? this.pods : this.nodes;
    const before = map.get(object.name);
    map.set(object.name, object);
    this.tell(before, object);
  }

  remove(object: KubeObject): void {
    const map = object.type.kind === 'Pod' ? this.pods : this.nodes;
    if (map.get(object.name) !== object) return;
    map.delete(object.name);
    this.tell(object, undefined);
  }

  /** As the API server does (pkg/registry/core/pod/strategy.go CheckGracefulDelete); `grace` in seconds. */
  deletePod(name: string, grace: number, now: number): void {
    const live = this.pods.get(name);
    if (live === undefined) return;
    const { phase, nodeName } = factsOf(live);
    const asked = nodeName === '' || phase === 'Failed' || phase === 'Succeeded' ? 0 : grace;
    const seconds = Math.min(asked, live.deletionGracePeriodSeconds ?? asked);
    if (seconds === 0 && live.finalizers.length === 0) return this.remove(live);
    const requested =
      live.deletionTimestamp === undefined
        ? Math.floor(now / 1000) * 1000
        : live.deletionTimestamp - (live.deletionGracePeriodSeconds ?? 0) * 1000;
    if (live.deletionTimestamp !== undefined && live.deletionGracePeriodSeconds === seconds) return;
    this.put(
      changed(
        live,
        {},
        { deletionTimestamp: requested + seconds * 1000, deletionGracePeriodSeconds: seconds },
      ),
    );
  }
}

export function factsOf(pod: KubeObject) {
  if (pod.facts?.kind !== 'Pod') throw new Error(`${pod.name} is no pod`);
  return pod.facts;
}

export function changed(
  live: KubeObject,
  facts: Parameters<typeof podOf>[1],
  more: Parameters<typeof podOf>[2] = {},
): KubeObject {
  return podOf(
    live.name,
    { ...factsOf(live), ...facts },
    {
      uid: live.uid,
      labels: live.labels,
      creationTimestamp: live.creationTimestamp,
      finalizers: live.finalizers,
      ...(live.deletionTimestamp === undefined
        ? {}
        : {
            deletionTimestamp: live.deletionTimestamp,
            deletionGracePeriodSeconds: live.deletionGracePeriodSeconds,
          }),
      ...more,
    },
  );
}

export interface Taking {
  readonly at: number;
  readonly cycle: number;
  readonly uid: Uid;
  readonly name: string;
  readonly rule: string;
}

export interface SlowControllerOptions {
  readonly reality: Reality;
  readonly threshold: number;
  /** Between 0 and 1. */
  readonly random: () => number;
  readonly starts: (cycle: number) => void;
  /** Called before anything that changes the pod. */
  readonly takes: (taking: Taking) => void;
}

const isLive = (phase: string): boolean => phase === 'Pending' || phase === 'Running' || phase === 'Unknown';
const isEvicted = (pod: KubeObject): boolean =>
  factsOf(pod).phase === 'Failed' && factsOf(pod).reason === 'Evicted';

function order(a: KubeObject, b: KubeObject): number {
  if (isEvicted(a) !== isEvicted(b)) return isEvicted(a) ? -1 : 1;
  return a.creationTimestamp - b.creationTimestamp || (a.name < b.name ? -1 : 1);
}

const condition: Condition = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByPodGC',
  message: 'PodGC: node no longer exists',
  since: undefined,
};

/** Yields milliseconds to wait before it goes on; never ends. `clock` is the present moment. */
export function* slowController(
  options: SlowControllerOptions,
  clock: { readonly now: number },
): Generator<number, never> {
  const { reality, random, threshold } = options;
  const waiting = new Map<string, number>();
  const ready = new Set<string>();
  for (;;) {
    const cycle = clock.now;
    options.starts(cycle);
    const pods = [...reality.pods.values()];
    const nodes = new Map(reality.nodes);
    const touched = new Set<Uid>();
    const take = function* (pod: KubeObject, rule: string): Generator<number, void> {
      const note = () => {
        const live = reality.pods.get(pod.name);
        if (live === undefined || touched.has(pod.uid)) return;
        touched.add(pod.uid);
        options.takes({ at: clock.now, cycle, uid: pod.uid, name: pod.name, rule });
      };
      const { phase } = factsOf(pod);
      if (phase !== 'Failed' && phase !== 'Succeeded') {
        yield 3 + random() * 40;
        const live = reality.pods.get(pod.name);
        if (live?.uid !== pod.uid) return;
        note();
        const { conditions } = factsOf(live);
        reality.put(
          changed(live, {
            phase: 'Failed',
            conditions: rule === 'Orphaned' ? [...conditions, condition] : conditions,
          }),
        );
      }
      yield 3 + random() * 40;
      if (reality.pods.get(pod.name)?.uid === pod.uid) note();
      reality.deletePod(pod.name, 0, clock.now);
    };
    if (threshold > 0) {
      const done = pods.filter(pod => !isLive(factsOf(pod).phase)).sort(order);
      for (const pod of done.slice(0, Math.max(0, done.length - threshold))) yield* take(pod, 'Terminated');
    }
    const off = pods.filter(pod => {
      const node = nodes.get(factsOf(pod).nodeName)?.facts;
      if (pod.deletionTimestamp === undefined || node?.kind !== 'Node') return false;
      return (
        node.conditions.find(({ type }) => type === 'Ready')?.status !== 'True' &&
        node.taints.some(({ key }) => key === 'node.kubernetes.io/out-of-service')
      );
    });
    for (const pod of off.sort(order)) yield* take(pod, 'OutOfService');
    for (const pod of pods) {
      const { nodeName } = factsOf(pod);
      if (nodeName !== '' && !nodes.has(nodeName) && !waiting.has(nodeName))
        waiting.set(nodeName, clock.now + 40_000);
    }
    // The queue's own goroutine may be late by a little.
    const late = random() < 0.3 ? 3 : 0;
    const gone = new Set<string>();
    const drained = [...ready];
    for (const [name, at] of waiting) if (at + late < clock.now) drained.push(name);
    for (const name of new Set(drained)) {
      const wasWaiting = waiting.get(name);
      ready.delete(name);
      if (wasWaiting !== undefined && wasWaiting + late < clock.now) {
        // It was missed again after its time was over.
        const isNamed = pods.some(pod => factsOf(pod).nodeName === name) && !nodes.has(name);
        if (isNamed) waiting.set(name, clock.now + 40_000);
        else waiting.delete(name);
      }
      if (nodes.has(name)) continue;
      yield 1 + random() * 5;
      if (!reality.nodes.has(name)) gone.add(name);
    }
    for (const pod of pods) if (gone.has(factsOf(pod).nodeName)) yield* take(pod, 'Orphaned');
    for (const pod of pods)
      if (pod.deletionTimestamp !== undefined && factsOf(pod).nodeName === '')
        yield* take(pod, 'UnscheduledTerminating');
    yield 20_000 + random() * 2;
  }
}
