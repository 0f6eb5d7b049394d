/** Objects deleted only after something held is released, by any actor; `handled.ts` covers handlers. */
import { type Identity, identityOfObject, objectDeletion } from '../../graph/index.ts';
import { type KubeObject, podFacts, type Sliced, type Uid } from '../../model/index.ts';
import { jobRules } from '../../simulation/index.ts';
import type { Action } from '../action.ts';
import { FinalizerHandler, removeFinalizer } from '../finalizer-handlers.ts';
import { endsOf, type Run, runAction, type Stage } from '../simulated-run.ts';
import type { DoomedObject } from './forecast-result.ts';
import { stillDeleting } from './handled.ts';
import { compareIdentity, deletedObjects, type Ends } from './run-ends.ts';

const RELEASE = 'whatever releases it';

/** Above this many held objects, the decisive ones aren't searched. */
const MOST_HELD = 10;
/** Held objects times objects: leaving out each takes a run. */
const BUDGET = 20_000;

/** Releases what finalizers or silent kubelets hold, repeatedly. Undefined if nothing is held, or it never rests. */
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
  for (const finalizer of objectDeletion.finalizers(object)) {
    if (!FinalizerHandler.isForeign(finalizer) && finalizer !== jobRules.trackingFinalizer) continue;
    if (removeFinalizer(run, object, { finalizer, handler: RELEASE })) acted = true;
  }
  const pod = run.store.byUid(object.uid);
  if ((podFacts(pod ?? object)?.nodeName ?? '') === '' || !((pod?.deletionGracePeriodSeconds ?? 0) > 0))
    return acted;
  return pod !== undefined && run.as(RELEASE).delete(pod, { gracePeriodSeconds: 0 }).ok;
}

interface Rest {
  /** Already continued by handlers, if any. */
  readonly going: Run;
  readonly ends: Ends;
  readonly calm: { released(): Sliced<Ends> } | undefined;
}

export interface Doomed {
  readonly objects: readonly DoomedObject[];
  readonly ends: Ends;
}

/** Finds objects that exist at rest but are gone after the release; undefined if none. */
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

/** Leaves out one held object at a time. Objects for which the decisive ones don't suffice are omitted. */
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
