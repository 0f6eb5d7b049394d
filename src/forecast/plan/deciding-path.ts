/** The path from an object to what decides its deletion, through the hold that is hardest to overcome at each step. */
import type { KubeObject, Uid } from '../../model/index.ts';
import { type Hold, type HoldByObject, type HoldEnd, type HoldWorld, holdsOf, leadsOn } from '../holds.ts';

/** A path that returns to an object on it. */
export interface HoldCycle {
  readonly by: 'cycle';
  /** In waiting order; the last waits for the first. */
  readonly members: readonly KubeObject[];
}

export interface HoldStep {
  readonly object: KubeObject;
  readonly hold: Hold | HoldCycle;
}

const FARTHEST = 100;

/** Returns the steps, never empty. The last hold leads nowhere unless the path is too long. */
function decidingPath(
  world: HoldWorld,
  object: KubeObject,
  above: readonly KubeObject[] = [],
): readonly HoldStep[] {
  return new Walk(world).from(object, above).steps;
}

export interface HoldPath {
  readonly steps: readonly HoldStep[];
  /** True if the hold needs an actor: no kubelet or collector will end it. */
  readonly stuck: boolean;
}

/** Returns the paths through each hold of one finalizer, hardest first, then by name. */
function pathsThrough(world: HoldWorld, object: KubeObject, finalizer: string): readonly HoldPath[] {
  const walk = new Walk(world);
  const paths: Path[] = [];
  for (const hold of holdsOf(world, object)) {
    if (hold.finalizer === finalizer) paths.push(walk.through(object, hold, [object]));
  }
  return paths
    .sort((a, b) => a.rank - b.rank)
    .map(({ steps, rank }) => ({ steps, stuck: rank === FOR_GOOD || rank === SOMEBODY }));
}

interface Path {
  readonly steps: readonly HoldStep[];
  readonly rank: number;
}

class Walk {
  readonly #world: HoldWorld;
  readonly #known = new Map<Uid, Path>();

  constructor(world: HoldWorld) {
    this.#world = world;
  }

  from(object: KubeObject, above: readonly KubeObject[]): Path {
    const again = above.findIndex(({ uid }) => uid === object.uid);
    if (again >= 0) {
      return { steps: [{ object, hold: { by: 'cycle', members: above.slice(again) } }], rank: FOR_GOOD };
    }
    const known = this.#known.get(object.uid);
    if (known !== undefined) return known;
    let best: Path | undefined;
    const way = [...above, object];
    for (const hold of holdsOf(this.#world, object)) {
      const path = this.through(object, hold, way);
      if (best === undefined || path.rank < best.rank) best = path;
      // Only the kubelet can finish a pod it hasn't confirmed yet.
      if (best.rank === FOR_GOOD || hold.by === 'kubelet') break;
    }
    const found = best ?? { steps: [], rank: SOON };
    this.#known.set(object.uid, found);
    return found;
  }

  through(object: KubeObject, hold: Hold, way: readonly KubeObject[]): Path {
    if (!leadsOn(hold)) return { steps: [{ object, hold }], rank: rankOf(hold) };
    if (way.length >= FARTHEST) return { steps: [{ object, hold }], rank: SOMEBODY };
    const { steps, rank } = this.from(hold.object, way);
    const alive = steps[0]?.hold.by === 'alive';
    return { steps: [{ object, hold }, ...steps], rank: alive ? untilDeleted(hold) : rank };
  }
}

/** Ranks a hold by an object that isn't being deleted. */
function untilDeleted({ by }: HoldByObject): number {
  // No controller deletes a claim's users or a volume's claim for this purpose.
  if (by === 'user' || by === 'claim') return SOMEBODY;
  return by === 'dependent' ? COLLECTOR : SOON;
}

const FOR_GOOD = 0;
const SOMEBODY = 1;
const COLLECTOR = 2;
const SOON = 3;

/** Ranks an end: 0 needs an actor. */
function rankOf(hold: HoldEnd): number {
  switch (hold.by) {
    case 'itself':
    case 'finalizer':
    case 'admission':
      return FOR_GOOD;
    case 'uncollected':
      return hold.because === 'unknown' ? SOMEBODY : FOR_GOOD;
    case 'discovery':
    case 'unseenClaim':
    case 'unseen':
      return SOMEBODY;
    case 'kubelet':
      return hold.state === 'notReady' ? SOMEBODY : SOON;
    case 'collector':
      return COLLECTOR;
    case 'apiServer':
    case 'alive':
      return SOON;
  }
}

export const HoldPath = { deciding: decidingPath, through: pathsThrough };
