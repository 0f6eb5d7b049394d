/**
 * What goes on in the demo while somebody looks: pods are replaced one by one, and now and then a Deployment
 * gets a new ReplicaSet. Deterministic; one step of the generator is a few seconds of a cluster's time.
 */
import type { Change } from '../../model/changes.ts';
import { type JsonRecord, record, text } from '../../model/json.ts';
import type { Population } from './population.ts';

// The letters that Kubernetes picks for generated names (k8s.io/apimachinery pkg/util/rand, v0.36).
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Names like Kubernetes' generated ones, the same sequence at each start. */
function nameGenerator(): (length: number) => string {
  let state = 20_261_121;
  return length =>
    Array.from({ length }, () => {
      // Numerical Recipes' linear congruential generator; its high bits are good enough for names.
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return alphabet.charAt((state >>> 16) % alphabet.length);
    }).join('');
}

interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

interface World {
  readonly population: Population;
  readonly clock: Clock;
  readonly name: (length: number) => string;
}

function present(...changes: readonly (Change | undefined)[]): readonly Change[] {
  return changes.filter(change => change !== undefined);
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function metadataOf(json: JsonRecord): JsonRecord {
  return record(json['metadata']);
}

function uidOf(json: JsonRecord): string {
  return text(metadataOf(json)['uid']);
}

/** Marks a pod as deleting with its grace period, as the API server does (spec §4.5). */
function terminate(world: World, pod: JsonRecord): Change {
  const grace = 30;
  return world.population.put({
    ...pod,
    metadata: {
      ...metadataOf(pod),
      deletionTimestamp: iso(world.clock.now() + grace * 1000),
      deletionGracePeriodSeconds: grace,
    },
  });
}

function newPod(world: World, replicaSet: JsonRecord): JsonRecord {
  const parent = metadataOf(replicaSet);
  const name = `${text(parent['name'])}-${world.name(5)}`;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: parent['namespace'],
      uid: `${text(parent['namespace'])}-pod-${name}`,
      creationTimestamp: iso(world.clock.now()),
      labels: parent['labels'],
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: parent['name'],
          uid: parent['uid'],
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: { nodeName: 'node-2', terminationGracePeriodSeconds: 30, containers: [{ name: 'main' }] },
    status: { phase: 'Pending', containerStatuses: [waiting] },
  };
}

const waiting = {
  name: 'main',
  ready: false,
  restartCount: 0,
  state: { waiting: { reason: 'ContainerCreating' } },
};
const running = { name: 'main', ready: true, restartCount: 0, state: { running: {} } };

function started(pod: JsonRecord): JsonRecord {
  return { ...pod, status: { phase: 'Running', containerStatuses: [running] } };
}

/** Writes the counts of ready pods into a workload's status. */
function scaled(workload: JsonRecord, replicas: number, ready: number): JsonRecord {
  return {
    ...workload,
    status: {
      ...record(workload['status']),
      replicas,
      readyReplicas: ready,
      availableReplicas: ready,
      updatedReplicas: replicas,
    },
  };
}

function healthyPods(world: World, replicaSet: JsonRecord): JsonRecord[] {
  return world.population
    .controlledBy(uidOf(replicaSet))
    .filter(pod => metadataOf(pod)['deletionTimestamp'] === undefined);
}

/** One pod goes and its ReplicaSet makes another. */
function* replacePod(world: World, deployment: JsonRecord, replicaSet: JsonRecord): Steps {
  const { population } = world;
  const [old] = healthyPods(world, replicaSet);
  if (old === undefined) return;
  const pod = newPod(world, replicaSet);
  yield [
    terminate(world, old),
    population.put(pod),
    population.put(scaled(replicaSet, 3, 2)),
    population.put(scaled(deployment, 3, 2)),
  ];
  yield [
    population.put(started(pod)),
    population.put(scaled(replicaSet, 3, 3)),
    population.put(scaled(deployment, 3, 3)),
  ];
  yield present(population.remove(uidOf(old)));
}

/** A new ReplicaSet takes over pod by pod; the one before stays at 0, the one before that goes. */
function* roll(world: World, deployment: JsonRecord, old: JsonRecord): Steps {
  const { population } = world;
  const hash = `${world.name(9)}`;
  const name = `${text(metadataOf(deployment)['name'])}-${hash}`;
  const labels = { ...record(metadataOf(old)['labels']), 'pod-template-hash': hash };
  const next: JsonRecord = {
    ...old,
    metadata: {
      ...metadataOf(old),
      name,
      uid: `shop-rs-${name}`,
      labels,
      creationTimestamp: iso(world.clock.now()),
    },
    spec: { replicas: 3, selector: { matchLabels: labels } },
  };
  yield [population.put(scaled({ ...next, status: {} }, 0, 0))];
  const leaving = healthyPods(world, old);
  for (const [index, pod] of leaving.entries()) {
    const fresh = newPod(world, next);
    yield [population.put(fresh), population.put(scaled(next, index + 1, index))];
    yield [
      population.put(started(fresh)),
      population.put(scaled(next, index + 1, index + 1)),
      terminate(world, pod),
      population.put(scaled({ ...old, spec: { ...record(old['spec']), replicas: 0 } }, 2 - index, 2 - index)),
    ];
    yield present(population.remove(uidOf(pod)));
  }
  const empty = population
    .controlledBy(uidOf(deployment))
    .filter(each => uidOf(each) !== uidOf(next) && uidOf(each) !== uidOf(old));
  yield present(...empty.map(each => population.remove(uidOf(each))));
}

/** The changes of one step each. */
export type Steps = Generator<readonly Change[], void>;

/** Goes on for ever; ends only where the scenario has no Deployment with pods under this uid. */
export function* life(population: Population, clock: Clock, deploymentUid: string): Steps {
  const world: World = { population, clock, name: nameGenerator() };
  for (let round = 1; ; round += 1) {
    const deployment = population.byUid(deploymentUid);
    const replicaSet = population
      .controlledBy(deploymentUid)
      .filter(each => each['kind'] === 'ReplicaSet' && healthyPods(world, each).length > 0)
      .at(-1);
    if (deployment === undefined || replicaSet === undefined) return;
    if (round % 3 === 0) yield* roll(world, deployment, replicaSet);
    else yield* replacePod(world, deployment, replicaSet);
    // A quiet moment between two events.
    yield [];
  }
}

/** The uid of the first Deployment among listed changes. */
export function firstDeployment(changes: readonly Change[]): string | undefined {
  const first = changes.find(change => change.op === 'upsert' && change.object.type.kind === 'Deployment');
  return first?.op === 'upsert' ? first.object.uid : undefined;
}
