/**
 * Random clusters and what is done to them: graphs as in `random-graphs.ts` among workloads with their controllers, claims,
 * definitions with instances, and pods on nodes of every state. Several actions in a row, some of them in the middle of what
 * a controller does, on namespaces and definitions too.
 */
import { Random } from '../../../src/simulation/runtime/random.ts';
import {
  nameOf,
  type ObjectName,
  type Scenario,
  type ScenarioManifest,
  type ScenarioStep,
} from '../../../src/source/demo/scenario.ts';
import {
  type Chance,
  type KindOfNode,
  plainKinds,
  randomCascade,
  randomManifests,
  withOwners,
} from './random-graphs.ts';

/**
 * - `workloads`: the actions come when everything has settled.
 * - `rollouts`: they come right after workloads were changed.
 * - `interrupted`: the controller manager stops right after some of them, and others are taken while it is stopped.
 * - `nodes`: a node falls silent and another is deleted before them.
 */
export type WideMode = 'workloads' | 'rollouts' | 'interrupted' | 'nodes';

export const wideModes: readonly WideMode[] = ['workloads', 'rollouts', 'interrupted', 'nodes'];

/** Its definitions get groups of their own where many of these clusters are played at once. */
const GROUP = 'wide.gc-tree.dev';

/** Of pods that nobody controls. */
const nodesOf: Readonly<Record<WideMode, readonly (string | undefined)[]>> = {
  workloads: ['node-1', 'node-1', undefined],
  rollouts: ['node-1', 'node-1', undefined],
  interrupted: ['node-1', 'node-1', undefined],
  nodes: ['node-1', 'node-2', 'node-3'],
};

/**
 * Where pods of workloads run: on the only node. Elsewhere they stay unscheduled. The simulation knows neither the node of
 * a template nor what a scheduler thinks of a claim that nobody binds, nor for how long a Job's pods run.
 */
const scheduled: ReadonlySet<WideMode> = new Set(['workloads', 'rollouts']);

/** Seconds without a change that count as rest: controllers of Jobs wait for one before they look again. */
const QUIET = 5;
/** PodGC waits 40 s before it believes that a node is gone, and looks every 20 s. */
const NODES_QUIET = 65;

export function randomCluster(seed: number, mode: WideMode): Scenario {
  const random = new Random(seed);
  const chance = (percent: number): boolean => random.below(100) < percent;
  const choice = { random, chance, mode };
  const graph = withOwners(
    numbered(randomManifests(kindsFor(choice), random, chance), choice),
    random,
    chance,
  );
  const namespaces = ['a', 'b'].map(name => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  const manifests: readonly ScenarioManifest[] = [...namespaces, ...definitionsFor(graph), ...graph];
  const act = (most: number): ScenarioStep[] =>
    Array.from({ length: 1 + random.below(most) }, () => randomAction(manifests, choice)).flatMap(
      each => each ?? [],
    );
  const start: ScenarioStep = { controllerManager: 'start' };
  const stop: ScenarioStep = { controllerManager: 'stop' };
  const begin: readonly ScenarioStep[] = [{ create: manifests }, start, 'settle'];
  const steps: Record<WideMode, () => readonly ScenarioStep[]> = {
    workloads: () => [...begin, ...act(4), 'settle'],
    rollouts: () => [...begin, ...changesOf(manifests, choice), ...act(3), 'settle'],
    interrupted: () => [
      ...begin,
      ...act(1),
      stop,
      ...act(2),
      start,
      'settle',
      ...act(1),
      stop,
      start,
      'settle',
    ],
    nodes: () => [
      ...begin,
      { node: { name: 'node-2', state: 'stopped' } },
      { node: { name: 'node-3', state: 'deleted' } },
      ...act(3),
      'settle',
    ],
  };
  return {
    title: `random cluster ${seed}, ${mode}`,
    nodes: mode === 'nodes' ? 3 : 1,
    scheduler: scheduled.has(mode),
    quiet: mode === 'nodes' ? NODES_QUIET : QUIET,
    steps: steps[mode](),
  };
}

interface Choice {
  readonly random: Random;
  readonly chance: Chance;
  readonly mode: WideMode;
}

function oneOf<T>(from: readonly T[], random: Random): T | undefined {
  return from[random.below(from.length)];
}

const containers = [{ name: 'app', image: 'example.com/app:1' }];

/** Fake kubelets don't wait for a grace period, simulated ones do; without one both are as quick. */
const graceless = { terminationGracePeriodSeconds: 0 };

function podSpec({ random, mode, chance }: Choice): Readonly<Record<string, unknown>> {
  const nodeName = oneOf(nodesOf[mode], random);
  const isHere = nodeName === 'node-1' || nodeName === undefined;
  return {
    containers,
    // Nobody is evicted: that takes five minutes.
    tolerations: [{ operator: 'Exists' }],
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(isHere || chance(50) ? graceless : {}),
  };
}

/** Labels and selectors are filled in by `numbered`. */
function kindsFor(choice: Choice): readonly KindOfNode[] {
  const { random, chance, mode } = choice;
  const workload = (kind: string, weight: number, spec: Readonly<Record<string, unknown>>): KindOfNode => ({
    apiVersion: 'apps/v1',
    kind,
    namespaced: true,
    weight,
    rest: { spec: { ...spec, template: { spec: { containers, ...graceless } } } },
  });
  const retention = (): string => (chance(50) ? 'Delete' : 'Retain');
  return [
    ...plainKinds.filter(({ kind }) => !['Widget', 'Gadget'].includes(kind)),
    workload('ReplicaSet', 3, { replicas: random.below(3) }),
    workload('Deployment', 5, { replicas: 1 + random.below(2) }),
    workload('StatefulSet', 3, { replicas: 1 + random.below(2), serviceName: 'none' }),
    ...(scheduled.has(mode)
      ? []
      : [
          workload('StatefulSet', 2, {
            replicas: 1,
            serviceName: 'none',
            persistentVolumeClaimRetentionPolicy: { whenDeleted: retention(), whenScaled: retention() },
            volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec }],
          }),
          job(1 + random.below(2)),
        ]),
    {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      namespaced: true,
      weight: 1,
      rest: {
        spec: {
          schedule: '0 3 * * *',
          suspend: true,
          jobTemplate: { spec: { template: { spec: unending } } },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      namespaced: true,
      weight: 3,
      rest: {
        spec: {
          // Nobody binds its claim, and so no scheduler would.
          ...(scheduled.has(mode) && { nodeName: 'node-1' }),
          ...podSpec(choice),
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'o1' } }],
        },
      },
    },
    { apiVersion: `${GROUP}/v1`, kind: 'Boat', namespaced: true, weight: 3, rest: { spec: {} } },
    { apiVersion: `${GROUP}/v1`, kind: 'Port', namespaced: false, weight: 2, rest: { spec: {} } },
  ];
}

const unending = { containers, restartPolicy: 'Never', ...graceless };

function job(parallelism: number): KindOfNode {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    namespaced: true,
    weight: 3,
    // What is known of a Job tells only these two together.
    rest: { spec: { parallelism, completions: parallelism, template: { spec: unending } } },
  };
}

const claimSpec = {
  accessModes: ['ReadWriteOnce'],
  storageClassName: 'nobody',
  resources: { requests: { storage: '1Gi' } },
};

/** Each workload selects its own pods, and a pod's volume is a claim that there is, in its namespace. */
function numbered(manifests: readonly ScenarioManifest[], { random }: Choice): readonly ScenarioManifest[] {
  return manifests.map(manifest => {
    const { kind, metadata } = manifest;
    const spec = manifest['spec'] as Record<string, unknown> | undefined;
    const template = spec?.['template'] as Record<string, unknown> | undefined;
    if (selecting.has(kind) && template !== undefined && template['metadata'] === undefined) {
      const labels = { app: metadata.name };
      const selector = { matchLabels: labels };
      return { ...manifest, spec: { ...spec, selector, template: { ...template, metadata: { labels } } } };
    }
    if (kind === 'Pod' && spec?.['volumes'] !== undefined) {
      const near = manifests.filter(
        each =>
          each.kind === 'PersistentVolumeClaim' && each.metadata.namespace === manifest.metadata.namespace,
      );
      const claim = oneOf(near, random);
      const { volumes: _, ...rest } = spec;
      if (claim === undefined) return { ...manifest, spec: rest };
      const volume = { name: 'data', persistentVolumeClaim: { claimName: claim.metadata.name } };
      return { ...manifest, spec: { ...rest, volumes: [volume] } };
    }
    return manifest;
  });
}

const selecting: ReadonlySet<string> = new Set(['ReplicaSet', 'Deployment', 'StatefulSet']);

function definitionsFor(manifests: readonly ScenarioManifest[]): readonly ScenarioManifest[] {
  const used = new Set(manifests.map(({ kind }) => kind));
  return ['Boat', 'Port']
    .filter(kind => used.has(kind))
    .map(kind => {
      const singular = kind.toLowerCase();
      const schema = {
        openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      };
      return {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `${singular}s.${GROUP}` },
        spec: {
          group: GROUP,
          scope: kind === 'Boat' ? 'Namespaced' : 'Cluster',
          names: { plural: `${singular}s`, singular, kind },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      };
    });
}

/** A new template or another number of replicas, of workloads that have one. */
function changesOf(manifests: readonly ScenarioManifest[], choice: Choice): ScenarioStep[] {
  return manifests.flatMap(manifest => {
    if (!selecting.has(manifest.kind) || !choice.chance(70)) return [];
    return [changeOf(manifest, choice)];
  });
}

function changeOf(manifest: ScenarioManifest, { random, chance }: Choice): ScenarioStep {
  const patch = nameOf(manifest);
  // The simulation knows no rolling update of a StatefulSet.
  if (manifest.kind !== 'StatefulSet' && chance(60)) {
    const labels = { version: String(2 + random.below(2)) };
    return { patch, with: { spec: { template: { metadata: { labels } } } } };
  }
  return { patch, with: { spec: { replicas: random.below(3) } } };
}

function randomAction(manifests: readonly ScenarioManifest[], choice: Choice): ScenarioStep | undefined {
  const { random, chance } = choice;
  const among = (accept: (manifest: ScenarioManifest) => boolean): ScenarioManifest | undefined =>
    oneOf(manifests.filter(accept), random);
  const remove = (name: ObjectName | undefined): ScenarioStep | undefined =>
    name === undefined ? undefined : { delete: name, cascade: randomCascade(random) };
  const named = (manifest: ScenarioManifest | undefined): ObjectName | undefined =>
    manifest && nameOf(manifest);
  const which = random.below(100);
  if (which < 10) return remove(`Namespace ${chance(75) ? 'a' : 'b'}`);
  if (which < 17) return remove(named(among(({ kind }) => kind === 'CustomResourceDefinition')));
  if (which < 27) {
    const held = among(({ metadata }) => (metadata.finalizers ?? []).length > 0);
    return held && { patch: nameOf(held), with: { metadata: { finalizers: [] } } };
  }
  if (which < 37) {
    const workload = among(({ kind }) => selecting.has(kind));
    return workload && changeOf(workload, choice);
  }
  if (which < 41) {
    const owned = among(({ metadata }) => (metadata.ownerReferences ?? []).length > 0);
    return owned && { patch: nameOf(owned), with: { metadata: { ownerReferences: [] } } };
  }
  if (which < 65) {
    const isWorkload = (kind: string): boolean => selecting.has(kind) || kind === 'Job' || kind === 'CronJob';
    return remove(named(among(({ kind }) => isWorkload(kind))));
  }
  if (which < 72) return remove(named(among(({ kind }) => kind === 'PersistentVolumeClaim')));
  const owners = manifests.flatMap(
    ({ metadata }) => metadata.ownerReferences?.flatMap(({ of }) => of ?? []) ?? [],
  );
  const isPlain = ({ kind }: ScenarioManifest): boolean =>
    kind !== 'Namespace' && kind !== 'CustomResourceDefinition';
  return remove((chance(70) ? oneOf(owners, random) : undefined) ?? named(among(isPlain)));
}
