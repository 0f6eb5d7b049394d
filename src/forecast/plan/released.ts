/**
 * What is deleted only once somebody releases what is held when everything rests, and whose release it takes. Apart from
 * the work of handlers (`handled.ts`): here it doesn't matter who releases it.
 */
import { finalizersOf } from '../../graph/deletion.ts';
import type { Identity } from '../../graph/node.ts';
import { identityOfObject } from '../../graph/ownership-node.ts';
import { type KubeObject, podFacts, type Uid } from '../../model/object.ts';
import type { Sliced } from '../../model/slices.ts';
import { JOB_TRACKING_FINALIZER } from '../../simulation/controllers/workloads/job.ts';
import type { Action } from '../action.ts';
import { isForeign, removeFinalizer } from '../handlers.ts';
import { endsOf, type Run, runAction, type Stage } from '../run.ts';
import { stillDeleting } from './handled.ts';
import { compareIdentity, deletedObjects, type Ends } from './outcome.ts';
import type { DoomedObject } from './plan.ts';

const RELEASE = 'whoever releases it';

/** Of more held objects nobody finds out one by one which decide. */
const MOST_HELD = 10;
/** Held objects times objects: each is left out in a run of its own. */
const BUDGET = 20_000;

/**
 * Releases everything that is being deleted and held by a finalizer of others, or by a kubelet that doesn't answer, again
 * and again until nothing more comes of it. Leaves out `kept`. Returns what was released; undefined where nothing was, or the
 * cluster doesn't come to rest.
 */
export function* letReleased(
  stage: Stage,
  run: Run,
  only: (uid: Uid) => boolean = () => true,
): Sliced<ReadonlyMap<Uid, KubeObject> | undefined> {
  const released = new Map<Uid, KubeObject>();
  for (;;) {
    let acted = false;
    for (const object of stillDeleting(stage, endsOf(stage, run))) {
      yield;
      if (!only(object.uid) || !release(run, object)) continue;
      acted = true;
      released.set(object.uid, object);
    }
    if (!acted) return released.size === 0 ? undefined : released;
    if ((yield* run.goOn()) === 'limit') return undefined;
  }
}

function release(run: Run, object: KubeObject): boolean {
  let acted = false;
  for (const finalizer of finalizersOf(object)) {
    if (!isForeign(finalizer) && finalizer !== JOB_TRACKING_FINALIZER) continue;
    if (removeFinalizer(run, object, { finalizer, handler: RELEASE })) acted = true;
  }
  const pod = run.store.byUid(object.uid);
  if ((podFacts(pod ?? object)?.nodeName ?? '') === '' || !((pod?.deletionGracePeriodSeconds ?? 0) > 0))
    return acted;
  return pod !== undefined && run.as(RELEASE).delete(pod, { gracePeriodSeconds: 0 }).ok;
}

interface Rest {
  /** Gone on with by handlers, if there are any. */
  readonly going: Run;
  readonly ends: Ends;
  /** The cluster without the action, once everything is released; undefined if nothing happens in it. */
  readonly calm: { released(): Sliced<Ends> } | undefined;
}

interface Doomed {
  readonly objects: readonly DoomedObject[];
  /** Once everything is released. */
  readonly ends: Ends;
}

/** What is neither gone nor being deleted at rest, and gone once all is released; undefined if there is nothing of the kind. */
export function* doomedObjects(
  stage: Stage,
  performed: Action,
  { going, ends, calm }: Rest,
): Sliced<Doomed | undefined> {
  yield* letReleased(stage, going);
  const released = endsOf(stage, going);
  const without = calm && (yield* calm.released());
  const found = deletedObjects(released, going.log, uid => isGone(without, uid)).filter(({ object }) => {
    const end = ends.get(object.uid);
    const atRest = end === undefined ? stage.base.byUid(object.uid) : end.after;
    return atRest !== undefined && atRest.deletionTimestamp === undefined;
  });
  if (found.length === 0) return undefined;
  const decisive = yield* decisiveReleases(
    stage,
    performed,
    found.map(({ object }) => object.uid),
  );
  return { objects: found.map(each => ({ ...each, after: decisive.get(each.object.uid) })), ends: released };
}

function isGone(ends: Ends | undefined, uid: Uid): boolean {
  const end = ends?.get(uid);
  return end !== undefined && end.after === undefined;
}

/**
 * Leaves out one of the held objects after the other: those without which an object stays decide. If they don't suffice,
 * because any of several others would do, nothing is said of the object.
 */
function* decisiveReleases(
  stage: Stage,
  performed: Action,
  doomed: readonly Uid[],
): Sliced<ReadonlyMap<Uid, readonly Identity[]>> {
  const after = function* (only?: (uid: Uid) => boolean) {
    const run = yield* runAction(stage, performed);
    const held = yield* letReleased(stage, run, only);
    return { held, ends: endsOf(stage, run) };
  };
  const { held, ends } = yield* after();
  const holders = [...(held?.values() ?? [])];
  if (holders.length > MOST_HELD || holders.length * ends.size > BUDGET) return new Map();
  const needed = new Map(doomed.map((uid): [Uid, KubeObject[]] => [uid, []]));
  for (const holder of holders) {
    const without = holders.length === 1 ? undefined : (yield* after(uid => uid !== holder.uid)).ends;
    for (const [uid, list] of needed) if (!isGone(without, uid)) list.push(holder);
  }
  const decisive = new Map<Uid, readonly Identity[]>();
  for (const alike of Map.groupBy(needed, ([, list]) => list.map(({ uid }) => uid).join(' ')).values()) {
    const list = alike[0]?.[1] ?? [];
    const uids = new Set(list.map(({ uid }) => uid));
    const enough = holders.length === 1 ? ends : (yield* after(uid => uids.has(uid))).ends;
    const identities = list.map(identityOfObject).sort(compareIdentity);
    for (const [uid] of alike) if (isGone(enough, uid)) decisive.set(uid, identities);
  }
  return decisive;
}
