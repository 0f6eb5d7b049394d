/** An API server that has invented objects beside its own: the overlay, the world, and the events that happen in it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { list, record, text } from '../../src/model/json/json.ts';
import type { Cluster } from '../harness/cluster.ts';
import { Overlay } from './overlay.ts';
import { widgetDefinition } from './real-churn.ts';
import { World } from './world.ts';

const TICK_MS = 20;
const population = { deployments: 60, podsEach: 25, configMaps: 900, widgets: 500 };

export interface InventedCluster {
  readonly overlay: Overlay;
  readonly world: World;
}

export async function inventedCluster(cluster: Cluster, seed: number): Promise<InventedCluster> {
  for (const name of World.namespaces())
    await cluster.api.send({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name } } });
  const { body } = await cluster.api.send({
    method: 'POST',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    body: widgetDefinition,
  });
  await served(cluster.api, '/apis/soak.example.com/v1/widgets');
  const overlay = new Overlay({
    world: () => world,
    upstream: cluster.server,
    upstreamCa: cluster.tls.ca,
    certificate: cluster.tls.serving,
  });
  const world = new World({ size: population, random: randomFrom(seed), emit: overlay.emit });
  world.reached(Number(text(record(record(JSON.parse(body))['metadata'])['resourceVersion'])));
  world.populate();
  await overlay.start();
  return { overlay, world };
}

/** Has `rate` events a second happen, until `isOver`. */
export async function flow(world: World, rate: number, isOver: () => boolean): Promise<void> {
  const [began, before] = [performance.now(), world.events];
  while (!isOver()) {
    const wanted = before + Math.floor(((performance.now() - began) / 1000) * rate);
    // While the version doesn't move on, nothing more may change.
    for (let attempt = 0; world.events < wanted && attempt < 1000; attempt++) world.step();
    await sleep(TICK_MS);
  }
}

/** Collects whatever owners left behind. The server's version has to move on meanwhile. */
export async function settle(world: World): Promise<void> {
  const isSettled = (): boolean => Array.from({ length: 100 }).some(() => world.settle());
  while (!isSettled()) await sleep(TICK_MS);
}

/** Compares the invented objects with those of a Tree document. */
export function treeDifferences(world: World, document: string): string[] {
  const uids = new Set<string>();
  collectUids(JSON.parse(document), uids);
  const wanted = new Set(world.uids);
  return [
    ...[...wanted].filter(uid => !uids.has(uid)).map(uid => `missing from the tree: ${uid}`),
    ...[...uids]
      .filter(uid => uid.startsWith('00000000-0000-4000-8000-') && !wanted.has(uid))
      .map(uid => `left in the tree: ${uid}`),
  ];
}

async function served(
  api: { send(request: { path: string }): Promise<{ status: number }> },
  at: string,
): Promise<void> {
  for (;;) {
    const { status } = await api.send({ path: at });
    if (status === 200) return;
    await sleep(100);
  }
}

function collectUids(value: unknown, uids: Set<string>): void {
  if (Array.isArray(value)) for (const each of list(value)) collectUids(each, uids);
  else if (typeof value === 'object' && value !== null)
    for (const [key, each] of Object.entries(value)) {
      if (key === 'uid' && typeof each === 'string') uids.add(each);
      else collectUids(each, uids);
    }
}

/** xorshift: the same churn for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
