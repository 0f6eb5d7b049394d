/** Random histories of nodes and pods that PodGC looks at, and what the watch tells when it acts. */
import fc from 'fast-check';
import type { Change } from '../../src/model/exchange/changes.ts';
import { type KubeObject, objectState, podFacts, type Uid } from '../../src/model/object.ts';
import type { PodDeletion } from '../../src/podgc/passes/cycle.ts';
import { ForceDeleteRequest } from '../../src/podgc/passes/force-delete.ts';
import { node, pod } from './fixtures.ts';
import { gone, start, upsert } from './survey-cluster.ts';

export const outOfService = [{ key: 'node.kubernetes.io/out-of-service', value: '', effect: 'NoExecute' }];
export const deletedAt = (at: number) => ({ deletionTimestamp: at, deletionGracePeriodSeconds: 0 });
export const inGrace = { deletionTimestamp: start, deletionGracePeriodSeconds: 30 };

/** What the watch tells of PodGC's act: the patch, then the end. */
export function takenBy({ pod: taken, requests }: PodDeletion): readonly Change[] {
  const facts = podFacts(taken);
  const [patch] = requests;
  if (facts === undefined || patch?.verb !== 'patchStatus') return [gone(taken)];
  const patched = pod(taken.name, ForceDeleteRequest.patchedFacts(facts, patch), {
    ...deletedAt(start),
    uid: taken.uid,
    creationTimestamp: taken.creationTimestamp,
  });
  return [upsert(patched), gone(taken)];
}

export interface Step {
  readonly wait: number;
  readonly change: (
    cluster: Map<string, KubeObject>,
  ) => readonly (readonly [string, KubeObject | undefined])[];
}

const created = new WeakMap<object, number>();

/** An object that comes under the name of another one has a uid of its own. */
function freshUid(cluster: object, name: string): Uid {
  const count = (created.get(cluster) ?? 0) + 1;
  created.set(cluster, count);
  return `uid-${name}-${count}` as Uid;
}

const nodeNames = ['n1', 'n2', 'n3'];
const podNames = ['p1', 'p2', 'p3', 'p4', 'p5', 'p6'];

export const steps: fc.Arbitrary<Step> = fc.record({
  wait: fc.integer({ min: 0, max: 30_000 }),
  change: fc.oneof(
    fc
      .tuple(fc.constantFrom(...nodeNames), fc.constantFrom('ready', 'lost', 'off', 'tainted', 'gone'))
      .map(([name, state]) => () => [[name, nodeAs(name, state)] as const]),
    fc
      .record({
        name: fc.constantFrom(...podNames),
        nodeName: fc.constantFrom('', ...nodeNames),
        phase: fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed'),
        deleting: fc.boolean(),
        age: fc.integer({ min: 0, max: 3 }),
        gone: fc.boolean(),
      })
      .map(({ name, nodeName, phase, deleting, age, gone: isGone }) => (cluster: Map<string, KubeObject>) => {
        const before = cluster.get(name);
        if (isGone) return [[name, undefined] as const];
        // A pod never changes its node, nor lives again.
        const bound = before?.facts?.kind === 'Pod' ? before.facts.nodeName || nodeName : nodeName;
        // Nobody but PodGC ends one that no kubelet answers for, so the survey reads PodGC's cycles from that.
        const isHeld =
          bound === '' && before?.deletionTimestamp !== undefined && !objectState.isFinished(before);
        const made = pod(
          name,
          { nodeName: bound, phase: isHeld ? (podFacts(before)?.phase ?? phase) : phase },
          {
            uid: before?.uid ?? freshUid(cluster, name),
            creationTimestamp: age,
            ...(deleting || before?.deletionTimestamp !== undefined ? inGrace : {}),
          },
        );
        return [[name, made] as const];
      }),
  ),
});

function nodeAs(name: string, state: string): KubeObject | undefined {
  if (state === 'gone') return undefined;
  const taints = state === 'off' || state === 'tainted' ? outOfService : [];
  return node(name, state === 'ready' || state === 'tainted', taints);
}

/** Changes the cluster, and returns what a watch tells of it. */
export function changesIn(cluster: Map<string, KubeObject>, change: Step['change']) {
  return change(cluster).flatMap(([name, object]) => {
    const before = cluster.get(name);
    if (object === undefined) {
      cluster.delete(name);
      return before === undefined ? [] : [gone(before)];
    }
    cluster.set(name, object);
    return [upsert(object)];
  });
}
