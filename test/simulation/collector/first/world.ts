/** A cluster in which nothing but the first collector runs, for its tests. */
import { expect } from 'vitest';
import type { GraphNode } from '../../../../src/graph/node.ts';
import type { KubeObject, Uid } from '../../../../src/model/object.ts';
import { ServerBehaviour } from '../../../../src/model/server/server-behaviour.ts';
import type { DeleteOptions } from '../../../../src/simulation/api/api-client.ts';
import {
  FirstCollector,
  type FirstCollectorOptions,
} from '../../../../src/simulation/collector/first/simulated-first-collector.ts';
import type {
  ClusterOptions,
  SimulatedCluster,
} from '../../../../src/simulation/runtime/simulated-cluster.ts';
import { object, refTo } from '../../../graph/fixtures.ts';
import { builtIn, cluster, line, names } from '../../fixtures.ts';

const namespace = 'default';

export const firstBehaviour = new ServerBehaviour('v1.36.3', undefined, '1.5');
const TASKS = 20_000;

/** Started and at rest. */
export function firstCollected(
  objects: readonly KubeObject[],
  { cluster: given = {}, collector = {} }: Options = {},
): SimulatedCluster {
  const controllers = () => [new FirstCollector(collector)];
  const running = cluster({
    behaviour: firstBehaviour,
    objects,
    logReads: true,
    processes: [{ name: 'kube-controller-manager', controllers }],
    ...given,
  });
  running.start();
  expect(running.run({ tasks: TASKS })).toBe('rest');
  return running;
}

interface Options {
  readonly cluster?: Partial<ClusterOptions>;
  readonly collector?: FirstCollectorOptions;
}

export function firstOf(running: SimulatedCluster): FirstCollector {
  const found = running.controller('garbage-collector');
  if (!(found instanceof FirstCollector)) throw new Error('the first collector is not running');
  return found;
}

/** A user's DELETE, and everything that follows. */
export function removed(running: SimulatedCluster, target: KubeObject, options: DeleteOptions = {}): void {
  const answer = running.as('user').delete(target, options);
  if (!answer.ok) throw new Error(answer.message);
  expect(running.run({ tasks: TASKS })).toBe('rest');
  expect(contradictions(firstOf(running))).toEqual([]);
}

export function left(running: SimulatedCluster): string[] {
  return names(running.store.all());
}

/** The collector's own requests. */
export function requests(running: SimulatedCluster, verbs: readonly string[] = []): string[] {
  return running.api.log.entries
    .filter(
      ({ actor, verb }) => actor === 'garbage-collector' && (verbs.length === 0 || verbs.includes(verb)),
    )
    .map(line);
}

export function ownersOf(running: SimulatedCluster, { uid }: KubeObject): Uid[] {
  return running.store.byUid(uid)?.owners.map(owner => owner.uid) ?? [];
}

export function rc(name: string, init: Partial<Parameters<typeof object>[0]> = {}): KubeObject {
  return object({ type: builtIn('ReplicationController'), uid: name, namespace, ...init });
}

export function pod(name: string, ...owners: KubeObject[]): KubeObject {
  return object({ type: builtIn('Pod'), uid: name, namespace, owners: owners.map(owner => refTo(owner)) });
}

/**
 * What contradicts verifyGraphInvariants of pkg/controller/garbagecollector/garbagecollector_test.go, v1.5.8: a node
 * has a dependent exactly where that names it as an owner, unless the owner isn't in the graph.
 */
export function contradictions({ graph }: FirstCollector): string[] {
  const found: string[] = [];
  for (const node of graph.nodes()) {
    const { uid } = node.identity;
    for (const dependent of node.dependents)
      if (!refersTo(dependent, uid)) found.push(`${dependent.uid} doesn't refer to ${uid}`);
    for (const owner of node.owners) {
      const known = graph.get(owner.uid);
      if (known !== undefined && !known.dependents.has(node)) found.push(`${owner.uid} lacks ${uid}`);
    }
  }
  return found;
}

function refersTo({ owners }: GraphNode, uid: Uid): boolean {
  return owners.some(owner => owner.uid === uid);
}
