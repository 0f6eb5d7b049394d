/** A cluster with nodes and workload controllers, as their tests speak of it. */
import type { PodFacts, Taint, WorkloadFacts } from '../../../src/model/facts/facts.ts';
import type { KubeObject, Labels } from '../../../src/model/object.ts';
import type { Chooser, Task } from '../../../src/simulation/clock.ts';
import { KubeletController } from '../../../src/simulation/controllers/pods/kubelet.ts';
import { SchedulerController } from '../../../src/simulation/controllers/pods/scheduler.ts';
import type { Controller } from '../../../src/simulation/runtime/controller.ts';
import type { ClusterOptions, SimulatedCluster } from '../../../src/simulation/runtime/simulated-cluster.ts';
import { blockingRefTo, type ObjectOptions, object } from '../../graph/fixtures.ts';
import { condition, node, pod } from '../../podgc/fixtures.ts';
import { builtIn, cluster, NOW } from '../fixtures.ts';

export const app: Labels = ['app', 'web'];
const ready = [condition('Ready', 'True')];

export function workload(
  kind: string,
  name: string,
  facts: Partial<WorkloadFacts> = {},
  changes: Partial<ObjectOptions> = {},
): KubeObject {
  return object({
    uid: `uid-${name}`,
    name,
    namespace: 'default',
    type: builtIn(kind),
    generation: 1,
    creationTimestamp: NOW - 3_600_000,
    ...changes,
    facts: {
      kind: 'Workload',
      desired: 1,
      current: 0,
      ready: 0,
      updated: 0,
      available: 0,
      selector: { matchLabels: app, matchExpressions: [] },
      templateLabels: app,
      serviceAccount: '',
      suspended: false,
      observedGeneration: 1,
      active: 0,
      failed: 0,
      parallelism: 0,
      claimsWhenDeleted: kind === 'StatefulSet' ? 'Retain' : '',
      claimsWhenScaled: kind === 'StatefulSet' ? 'Retain' : '',
      claimTemplates: [],
      ttlSecondsAfterFinished: undefined,
      managedBy: '',
      successfulJobsHistoryLimit: 0,
      failedJobsHistoryLimit: 0,
      conditions: [],
      ...facts,
    },
  });
}

/** A running, ready pod on node-1. */
export function runningPod(
  name: string,
  owner: KubeObject | undefined,
  changes: Partial<ObjectOptions> = {},
  facts: Partial<PodFacts> = {},
): KubeObject {
  return pod(
    name,
    { phase: 'Running', nodeName: 'node-1', readyContainers: 1, conditions: ready, ...facts },
    {
      type: builtIn('Pod'),
      labels: app,
      creationTimestamp: NOW - 3_600_000,
      owners: owner === undefined ? [] : [blockingRefTo(owner)],
      ...changes,
    },
  );
}

export function nodeOf(name: string, ready: boolean, taints: readonly Taint[] = []): KubeObject {
  return object({ uid: `uid-${name}`, name, type: builtIn('Node'), facts: node(name, ready, taints).facts });
}

/** Two ready nodes with kubelets and a scheduler beside the controllers. */
export function world(
  objects: readonly KubeObject[],
  controllers: () => readonly Controller[],
  options: Partial<ClusterOptions> = {},
): SimulatedCluster {
  const nodes = ['node-1', 'node-2'].map(name => nodeOf(name, true));
  const created = cluster({
    objects: [...nodes, ...objects],
    processes: [
      { name: 'kube-controller-manager', controllers },
      { name: 'kube-scheduler', controllers: () => [new SchedulerController()] },
      { name: 'kubelet', controllers: () => [new KubeletController()] },
    ],
    ...options,
  });
  return created;
}

/** Objects of a kind, by name. */
export function all(of: SimulatedCluster, kind: string): KubeObject[] {
  return of.store.list(builtIn(kind)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function named(of: SimulatedCluster, kind: string, name: string, namespace = 'default'): KubeObject {
  const type = builtIn(kind);
  const found = of.store.find(type, type.namespaced ? namespace : '', name);
  if (found === undefined) throw new Error(`no ${kind} ${name}`);
  return found;
}

export function exists(of: SimulatedCluster, kind: string, name: string, namespace = 'default'): boolean {
  const type = builtIn(kind);
  return of.store.find(type, type.namespaced ? namespace : '', name) !== undefined;
}

/** The requests of one component, as `verb resource name`. */
export function requests(of: SimulatedCluster, actor: string): string[] {
  return of.api.log.entries
    .filter(entry => entry.actor === actor)
    .map(
      ({ verb, type, name, subresource }) =>
        `${verb} ${type.resource}${subresource === undefined ? '' : `/${subresource}`} ${name}`,
    );
}

/** Shows the controllers what happens to pods after everything else, so that they have to act without it. */
export const podsSeenLate: Chooser = ready => {
  const isLate = ({ lane }: Task): boolean => lane === 'watch kube-controller-manager pods';
  const chosen = ready.find(task => !isLate(task)) ?? ready[0];
  if (chosen === undefined) throw new Error('something is ready');
  return chosen;
};
