/**
 * From an object down to the one thing that decides when it is deleted: of all that holds it, the hold that is hardest
 * to overcome, and so on from object to object. Forecasts and diagnosis show the same path.
 */
import type { KubeObject, Uid } from '../../model/object.ts';
import { type Hold, type HoldByObject, type HoldEnd, type HoldWorld, holdsOf, leadsOn } from '../holds.ts';

/** The object is on the way already: these wait for each other in a circle. */
export interface HoldCycle {
  readonly by: 'cycle';
  /** In the order of waiting; the last waits for the first. */
  readonly members: readonly KubeObject[];
}

export interface HoldStep {
  readonly object: KubeObject;
  readonly hold: Hold | HoldCycle;
}

/** Steps after which the way isn't followed any further. */
const FARTHEST = 100;

/**
 * The steps in order, never empty. The last one's hold doesn't lead on, unless the way is too long to follow. `above`:
 * how the way came to the object, where it doesn't begin there.
 */
export function decidingPath(
  world: HoldWorld,
  object: KubeObject,
  above: readonly KubeObject[] = [],
): readonly HoldStep[] {
  return new Walk(world).from(object, above).steps;
}

/** A path of an object through one of its holds. */
export interface HoldPath {
  readonly steps: readonly HoldStep[];
  /** Goes on only when somebody acts: neither a kubelet nor the collector ends it by itself. */
  readonly stuck: boolean;
}

/** The paths through each hold of one finalizer of the object, hardest to overcome first, else by name. */
export function pathsThrough(world: HoldWorld, object: KubeObject, finalizer: string): readonly HoldPath[] {
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
      // What a pod's kubelet hasn't confirmed yet nobody else can finish.
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

/** How hard it is to overcome a hold by something that isn't being deleted. */
function untilDeleted({ by }: HoldByObject): number {
  // Nobody deletes the users of a claim for its sake, nor the claim of a volume.
  if (by === 'user' || by === 'claim') return SOMEBODY;
  return by === 'dependent' ? COLLECTOR : SOON;
}

const FOR_GOOD = 0;
const SOMEBODY = 1;
const COLLECTOR = 2;
const SOON = 3;

/** How hard an end is to overcome: 0 needs somebody to act. */
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
