/**
 * Chains end at what decides: whoever removes what the leaf names, and then what the next leaf names, frees the
 * object in the end. Nothing else is ever done to the cluster here.
 */

import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import type { ChainLink } from '../../../src/diagnosis/engine/finding.ts';
import { chainOf } from '../../../src/diagnosis/waits/chain.ts';
import type { Uid } from '../../../src/model/object.ts';
import type { SimulatedWorld } from '../../../src/source/demo/world/simulated-world.ts';
import { viewOf } from '../findings/judge-simulated.ts';
import { arrive, nameIn, type TruthState, type Violation } from './state.ts';

/** More leaves than a small cluster has. */
const MOST_LEAVES = 60;
const MINUTE = 60_000;

export async function* wrongChains(state: TruthState): AsyncIterableIterator<Violation> {
  for (const { object } of state.view.graph.nodes()) {
    if (object?.deletionTimestamp === undefined) continue;
    const stuck = await follow(state, object.uid);
    if (stuck !== undefined) yield { rule: 'chain', what: `${nameIn(state, object.uid)}: ${stuck}` };
  }
}

/** What is said when nothing that the chain names is left to remove; undefined once the object is gone. */
async function follow({ scenario }: TruthState, uid: Uid): Promise<string | undefined> {
  const { world } = await arrive(scenario);
  if (!world.cluster.isRunning('kube-controller-manager')) {
    world.control('start');
    world.settle();
    world.wait(10 * MINUTE);
  }
  const done = new Set<string>();
  for (let step = 0; step < MOST_LEAVES; step++) {
    const view = viewOf(world.cluster);
    const { tracked } = diagnoseCluster(view, world.now);
    const object = view.graph.get(uid)?.object;
    if (object === undefined) return undefined;
    const chain = chainOf(tracked, object);
    const leaf = chain.at(-1);
    const words = chain.map(each => `${each.by} ${each.object.kind} ${each.object.name}: ${each.because}`);
    const what = words.join(' / ');
    if (leaf === undefined || done.has(what)) return `nothing is freed by following ${what}`;
    done.add(what);
    if (!remove(world, leaf, chain)) return `cannot be followed: ${what}`;
    world.settle();
    world.wait(10 * MINUTE);
  }
  return 'no end of it';
}

/** Does the one thing that the leaf says is missing. False where it isn't known what that is. */
function remove(world: SimulatedWorld, leaf: ChainLink, chain: readonly ChainLink[]): boolean {
  const { store } = world.cluster;
  const api = world.cluster.as('user');
  const object = store.byUid(leaf.object.uid);
  const above = chain.at(-2);
  if (leaf.by === 'owned by') {
    // A reference that the collector fails on: it goes.
    const holder = above && store.byUid(above.object.uid);
    if (holder === undefined) return false;
    const { uid, name, kind } = leaf.object;
    const owners = holder.owners.filter(
      owner => !(owner.uid === uid && owner.name === name && owner.kind === kind),
    );
    if (owners.length === holder.owners.length) return false;
    return api.patch(holder, () => ({ owners })).ok;
  }
  if (object === undefined) return false;
  if (object.type.kind === 'Node') {
    world.node({ name: object.name, state: 'started' });
    return true;
  }
  if (leaf.finalizer !== undefined && isForeign(leaf.finalizer)) {
    return api.patch(object, ({ finalizers }) => ({
      finalizers: finalizers.filter(each => each !== leaf.finalizer),
    })).ok;
  }
  if (object.deletionTimestamp === undefined) return api.delete(object, {}).ok;
  // A cycle, or the object itself: its own blocking references don't block any more.
  const blocks = object.owners.some(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
  return (
    blocks &&
    api.patch(object, ({ owners }) => ({
      owners: owners.map(each => ({ ...each, blockOwnerDeletion: false })),
    })).ok
  );
}

function isForeign(finalizer: string): boolean {
  return finalizer !== 'foregroundDeletion' && finalizer !== 'orphan';
}
