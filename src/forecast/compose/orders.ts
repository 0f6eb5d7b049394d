/** Finds ends that depend on the order of work. Differing ends are reported as possible, never as one of them. */
import { cyclesAbove, Identity, identityOfObject, isDeleting, objectDeletion } from '../../graph/index.ts';
import { type KubeObject, Sliced, type Uid } from '../../model/index.ts';
import {
  type Chooser,
  firstRepeated,
  LOOKS_FURTHER,
  Random,
  SnapshotComponents,
  type Task,
} from '../../simulation/index.ts';
import type { Action } from '../action.ts';
import type { HandlerOf } from '../finalizer-handlers.ts';
import type { PossibleEnd } from '../plan/forecast-result.ts';
import { letHandled } from '../plan/handled.ts';
import { letReleased } from '../plan/released.ts';
import { type Ends, endOf, isKept } from '../plan/run-ends.ts';
import { endsOf, type Run, type RunOptions, runAction, type Stage, USER } from '../simulated-run.ts';

/** Runs times objects: small contests are tried in many orders, large ones in few. */
const BUDGET = 5000;
export const MOST_ORDERS = 80;
const FEWEST_ORDERS = 4;
/** Above this many changed objects, no other order is tried. */
export const LARGEST_CONTEST = 2000;

/** Finds objects whose end another order could change: several moving owners, a cycle, or a wrong owner. */
export function* contestedObjects(stage: Stage, action: Action, ends: Ends): Sliced<Set<Uid>> {
  const { base } = stage;
  const contested = new Set<Uid>();
  const targets = new Set<Uid>(action.verb === 'delete' ? action.targets.map(({ uid }) => uid) : []);
  const suspects = new Set<KubeObject>();
  yield* Sliced.each(ends, ([uid, end]) => {
    if (end.before === undefined || isKept(end)) return;
    suspects.add(end.before);
    for (const dependent of base.ownedBy(uid)) suspects.add(dependent);
  });
  yield;
  yield* Sliced.each(suspects, object => {
    if (object.owners.length === 0 && !targets.has(object.uid)) return;
    const owners = new Set(object.owners.map(({ uid }) => uid));
    const moving = [...owners].filter(uid => {
      const end = ends.get(uid);
      return base.byUid(uid) === undefined || (end !== undefined && !isKept(end));
    });
    const wrong = object.owners.some(reference => {
      const owner = base.byUid(reference.uid);
      return (
        owner !== undefined &&
        (!Identity.matches(reference, identityOfObject(owner)) ||
          (owner.namespace !== '' && owner.namespace !== object.namespace))
      );
    });
    const severalSides = owners.size > 1 && moving.length > 0;
    const targetBelow =
      targets.has(object.uid) && (moving.length > 0 || object.deletionTimestamp !== undefined);
    // A starting collector may see owners and dependents in either order.
    const seenAnew = stage.fresh && moving.length > 0;
    if (severalSides || targetBelow || wrong || seenAnew || isOvertaken(stage, object, ends))
      contested.add(object.uid);
  });
  yield;
  const { graph } = base;
  const starts = [...suspects].flatMap(({ uid, owners }) => {
    const node = graph.get(uid);
    return node === undefined || owners.length === 0 || node.dependents.size === 0 ? [] : [node];
  });
  const cycles = cyclesAbove(starts, node =>
    node.owners.flatMap(({ uid }) => {
      const owner = graph.get(uid);
      return owner === undefined ? [] : [owner];
    }),
  );
  for (const { members } of cycles) for (const { identity } of members) contested.add(identity.uid);
  return contested;
}

/**
 * Checks if the collector may judge the object late: it doesn't wait for dependents that don't block a foreground
 * deletion, so their owner may be solid or gone by then (docs/kubernetes.md §3.1).
 */
function isOvertaken({ base }: Stage, { uid, owners }: KubeObject, ends: Ends): boolean {
  const end = ends.get(uid);
  if (end === undefined || isKept(end)) return false;
  return owners.some(owner => {
    const its = ends.get(owner.uid);
    if (owner.blockOwnerDeletion === true || its === undefined || isKept(its)) return false;
    const { after } = its;
    if (after !== undefined && isDeleting(after) && !objectDeletion.isForeground(after)) return true;
    return end.after !== undefined && base.ownedBy(uid).length > 0;
  });
}

/**
 * Checks if the action sends the only request, even if everything under way comes first. Then components read only the
 * state before or after that request, and act on neither, so every order ends alike.
 */
export function* isOnlyRequest(stage: Stage, action: Action, first: Run['log']): Sliced<boolean> {
  const isAlone = ([request, ...others]: Run['log']): boolean =>
    request?.actor === USER && others.length === 0;
  if (stage.fresh || !isAlone(first)) return false;
  return isAlone((yield* runAction(stage, action, { chooser: userLast })).log);
}

export interface Tried {
  readonly orders: number;
  /** Every end seen of each object whose end differs, the first order's first. */
  readonly differing: ReadonlyMap<Uid, readonly PossibleEnd[]>;
  /** Those that depend on which component starts first, and on what the collector knows. */
  readonly byStart: ReadonlySet<Uid>;
  readonly ends: readonly Ends[];
  /** The results after handlers have acted; empty if they have nothing to do. */
  readonly handled: Pick<Tried, 'differing' | 'ends'>;
  /** Objects whose end differs after everything held was released. */
  readonly differingThen: ReadonlySet<Uid>;
  /** The differing objects that the action does not meet. */
  readonly elsewhere: ReadonlySet<Uid>;
}

export interface Trial {
  readonly first: Ends;
  /** The ends after handlers have acted; undefined if none has anything to do. */
  readonly handled: Ends | undefined;
  /** The ends after everything held was released; undefined if that changes nothing. */
  readonly released: Ends | undefined;
  /** Knows the handlers, judging by the end of the first order. */
  readonly handlerOf: HandlerOf | undefined;
  /** If false, only a start is tried in several ways. */
  readonly contested: boolean;
  readonly most: number;
}

/** Runs the action in other orders; undefined if too many connected objects would start anew. */
export function* tryOrders(stage: Stage, action: Action, trial: Trial): Sliced<Tried | undefined> {
  const { first, handled, released, most, contested } = trial;
  const listed = stage.fresh ? componentsOf(stage, first.keys()) : [];
  if (listed.length > LARGEST_CONTEST) return undefined;
  const held = new SeenEnds(stage, first);
  const after = handled && new SeenEnds(stage, handled);
  const then = released && new SeenEnds(stage, released);
  const note = function* (options: RunOptions): Sliced<void> {
    const run = yield* runAction(stage, action, { listed, ...options });
    const ends = endsOf(stage, run);
    // With handlers active from the start, the holds without them are unknown.
    if (options.handlerOf === undefined) held.note(ends);
    if (after !== undefined) after.note((yield* letHandled(stage, run))?.ends ?? endsOf(stage, run));
    if (then !== undefined && (yield* letReleased(stage, run)) !== undefined) then.note(endsOf(stage, run));
  };
  if (stage.fresh) {
    for (const workloadsLate of [false, true]) yield* note({ workloadsLate });
    const deletingFirst = listed.toSorted((a, b) => Number(isDeleting(b)) - Number(isDeleting(a)));
    yield* note({ collectorEarly: true, listed: deletingFirst, anyOrder: true, chooser: workersFirst });
  }
  const byStart = new Set(held.differing.keys());
  const fitting = Math.max(FEWEST_ORDERS, Math.floor(BUDGET / (first.size + (handled?.size ?? 0) + 1)));
  const count = contested ? Math.min(most, fitting) : 0;
  const known = ordersFor([...first.values()].flatMap(({ before }) => before ?? []));
  for (let seed = 0; seed < count; seed++) {
    const workloadsLate = stage.fresh && seed % 3 === 2;
    const options = { anyOrder: true, workloadsLate };
    yield* note({ ...options, ...orderOf(seed, known) });
    if (after !== undefined && seed % 2 === 1)
      yield* note({ ...options, ...orderOf(seed, known), handlerOf: trial.handlerOf });
  }
  return {
    orders: held.others.length,
    differing: held.differing,
    byStart,
    ends: held.others,
    handled: { differing: after?.differing ?? new Map(), ends: after?.others ?? [] },
    differingThen: new Set(then?.differing.keys()),
    elsewhere: new Set(),
  };
}

/** Adds objects whose end differs without the action, out of those that the action doesn't meet. */
export function withElsewhere(
  own: Tried | undefined,
  without: Tried,
  isElsewhere: (uid: Uid) => boolean,
): Tried {
  const far = <T>(differing: ReadonlyMap<Uid, T> = new Map()): readonly (readonly [Uid, T])[] =>
    [...differing].filter(([uid]) => isElsewhere(uid));
  const [held, handled] = [far(without.differing), far(without.handled.differing)];
  return {
    orders: Math.max(own?.orders ?? 0, without.orders),
    differing: new Map([...(own?.differing ?? []), ...held]),
    byStart: own?.byStart ?? new Set(),
    ends: own?.ends ?? [],
    handled: {
      differing: new Map([...(own?.handled.differing ?? []), ...handled]),
      ends: own?.handled.ends ?? [],
    },
    differingThen: own?.differingThen.union(without.differingThen) ?? without.differingThen,
    elsewhere: new Set([...held, ...handled].map(([uid]) => uid)),
  };
}

class SeenEnds {
  readonly #stage: Stage;
  readonly #seen = new Map<Uid, Map<string, PossibleEnd>>();
  readonly others: Ends[] = [];

  constructor(stage: Stage, first: Ends) {
    this.#stage = stage;
    for (const [uid, end] of first) if (end.before !== undefined) this.#add(uid, endOf(end));
  }

  note(ends: Ends): void {
    this.others.push(ends);
    for (const [uid, end] of ends) {
      if (end.before === undefined) continue;
      // The first order left it unchanged.
      if (!this.#seen.has(uid)) this.#add(uid, stillAsBefore(this.#stage, uid));
      this.#add(uid, endOf(end));
    }
    for (const uid of this.#seen.keys()) if (!ends.has(uid)) this.#add(uid, stillAsBefore(this.#stage, uid));
  }

  get differing(): ReadonlyMap<Uid, readonly PossibleEnd[]> {
    const differing = new Map<Uid, readonly PossibleEnd[]>();
    for (const [uid, possible] of this.#seen)
      if (possible.size > 1) differing.set(uid, [...possible.values()]);
    return differing;
  }

  #add(uid: Uid, end: PossibleEnd): void {
    const known = this.#seen.get(uid);
    if (known === undefined) this.#seen.set(uid, new Map([[end.words, end]]));
    else if (!known.has(end.words)) known.set(end.words, end);
  }
}

/** Returns everything connected to these objects by owner references, up to the largest contest. */
function componentsOf({ base }: Stage, uids: Iterable<Uid>): KubeObject[] {
  const components = new SnapshotComponents(base.graph);
  const members: KubeObject[] = [];
  for (const uid of uids) {
    for (const { object } of components.take(uid)) if (object !== undefined) members.push(object);
    if (members.length > LARGEST_CONTEST) break;
  }
  return members;
}

export function endIn(stage: Stage, ends: Ends, uid: Uid): PossibleEnd {
  const end = ends.get(uid);
  return end === undefined ? stillAsBefore(stage, uid) : endOf(end);
}

function stillAsBefore({ base }: Stage, uid: Uid): PossibleEnd {
  const before = base.byUid(uid);
  return endOf({ before, after: before });
}

const ORPHAN = 'garbage-collector orphan';
const WORKER = /^garbage-collector (?!graph)/u;
const SLOW = /^(?:namespace-controller empties|handler) /u;

/** Orders for emptying a namespace: in one of them, the collector acts between any two kinds. */
const emptying: readonly Order[] = (['backwards', 'forwards'] as const).map(unordered => ({
  chooser: byRank(({ lane }) => (SLOW.test(lane) ? 1 : 0)),
  unordered,
}));

/** The collector processes each object as soon as its graph has it. */
const workersFirst = byRank(({ lane }) => (WORKER.test(lane) ? 0 : 1));

const userLast = byRank(({ lane }) => (lane === USER ? 1 : 0));

/** Orders that expose races. */
const telling: readonly Order[] = [
  byRank(({ lane }) => (lane.startsWith(ORPHAN) ? 1 : 0)),
  byRank(({ lane }) => (lane.startsWith(ORPHAN) ? -1 : 0)),
  byRank(({ lane }) => (lane === USER ? -1 : 0)),
  userLast,
  byRank(({ sequence }) => -sequence),
  // All others wait for answers until a back-off ends.
  byRank(({ kind }) => (kind === 'retry' ? 0 : 1)),
].map(chooser => ({ chooser }));

/** For repeated references: the worker looks the owner up again at once, or after all others. */
const lookingFurther: readonly Order[] = [-1, 1].map(rank => ({
  chooser: byRank(({ lane }) => (lane.startsWith(LOOKS_FURTHER) ? rank : 0)),
}));

type Order = Pick<RunOptions, 'chooser' | 'unordered' | 'seed'>;

function ordersFor(changed: readonly KubeObject[]): readonly Order[] {
  const empties = changed.some(({ facts }) => facts?.kind === 'Namespace');
  const looksFurther = changed.some(({ owners }) => firstRepeated(owners) < owners.length);
  return [...(empties ? emptying : []), ...(looksFurther ? lookingFurther : []), ...telling];
}

/** Uses the known orders first, then random ones. */
function orderOf(index: number, known: readonly Order[]): Order {
  return { chooser: randomPriorities(new Random(index)), seed: index, ...known[index] };
}

function byRank(rank: (task: Task) => number): Chooser {
  return ready => {
    let best: Task | undefined;
    let lowest = Number.POSITIVE_INFINITY;
    for (const task of ready) {
      const its = rank(task);
      if (best === undefined || its < lowest) {
        best = task;
        lowest = its;
      }
    }
    if (best === undefined) throw new Error('a chooser is only asked while something is ready');
    return best;
  };
}

/** Gives each lane a random priority that sometimes changes, which finds races that uniform choice rarely meets. */
function randomPriorities(random: Random): Chooser {
  const priorities = new Map<string, number>();
  const highest = byRank(({ lane }) => {
    const priority = priorities.get(lane) ?? random.below(1_000_000);
    priorities.set(lane, priority);
    return -priority;
  });
  return ready => {
    const best = highest(ready);
    if (random.below(10) === 0) priorities.delete(best.lane);
    return best;
  };
}
