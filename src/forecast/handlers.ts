/**
 * Finalizers that only a controller of their own removes, and what follows where it does. Who that controller is, and
 * whether it is left after an action, diagnosis knows: a forecast is told by whoever makes it, and lets the controllers
 * that are there do their work once everything else has come to rest.
 */
import { finalizersOf } from '../graph/deletion.ts';
import { FOREGROUND_FINALIZER, type KubeObject, ORPHAN_FINALIZER } from '../model/object.ts';
import type { Sliced } from '../model/slices.ts';
import type { SimulatedApiServer } from '../simulation/api/server.ts';
import { CRD_CLEANUP_FINALIZER, NAMESPACE_FINALIZER } from '../simulation/api/special-stores.ts';
import type { ApiStore } from '../simulation/api/store.ts';
import type { ApiClient } from '../simulation/api/types.ts';
import type { RunOutcome } from '../simulation/clock.ts';
import { JOB_TRACKING_FINALIZER } from '../simulation/controllers/workloads/job.ts';
import { CLAIM_PROTECTION, VOLUME_PROTECTION } from './holds.ts';

/**
 * - `running`: a workload of it has ready pods.
 * - `notReady`: something of it is there and no ready pod, or it had its time and nothing to wait for.
 * - `absent`: everything that could show it can be seen, and nothing of it is there.
 * - `outside`: it is taken to run where this cluster doesn't show it.
 * - `goesToo`: the action takes it away, or what it cannot work without: it may be gone before it acts.
 * - `unknown`: whether it is there cannot be told.
 */
export type HandlerState = 'running' | 'notReady' | 'absent' | 'outside' | 'goesToo' | 'unknown';

export interface FinalizerHandler {
  readonly finalizer: string;
  /** As it stands in a sentence: `Argo CD`, `Deployment dns/external-dns`. */
  readonly handler: string;
  readonly state: HandlerState;
  /** What was found of it, and what goes with the action. */
  readonly evidence: readonly string[];
  /** A clause about it, to stand after the finalizer: `nothing in this cluster handles example.com`. */
  readonly words: string;
}

/** What an action leaves of the cluster, once it has come to rest. */
export interface Aftermath {
  /** The object as it is then; undefined where it is gone. */
  after(object: KubeObject): KubeObject | undefined;
  /** The Namespace of this name; undefined where it is gone or isn't known. */
  namespace(name: string): KubeObject | undefined;
}

/** Who removes a finalizer from an object that is being deleted, as things are after the action. */
export type HandlerJudge = (object: KubeObject, finalizer: string, aftermath: Aftermath) => FinalizerHandler;

export type HandlerOf = (object: KubeObject, finalizer: string) => FinalizerHandler;

/** Whether it removes its finalizer, as far as is known: what follows from that is told as depending on it. */
export function mayAct({ state }: FinalizerHandler): boolean {
  return state === 'running' || state === 'outside' || state === 'unknown';
}

/** Removed by controllers of the simulation: where one of these is still there at rest, they had their reason. */
const modelled: ReadonlySet<string> = new Set([
  FOREGROUND_FINALIZER,
  ORPHAN_FINALIZER,
  NAMESPACE_FINALIZER,
  CRD_CLEANUP_FINALIZER,
  CLAIM_PROTECTION,
  VOLUME_PROTECTION,
  JOB_TRACKING_FINALIZER,
]);

/** Whether nobody in the simulation removes it. */
export function isForeign(finalizer: string): boolean {
  return !modelled.has(finalizer);
}

interface RestingCluster {
  readonly store: ApiStore;
  as(actor: string): ApiClient;
  /** Until everything is at rest again. */
  goOn(): Sliced<RunOutcome>;
}

/**
 * Has every handler that may act remove its finalizers from what is being deleted, again and again until nothing more
 * comes of it. `deleting` lists what is being deleted when it is asked, whatever changes after; `removed` is told of what was
 * removed. Returns undefined where nobody had anything to do.
 */
export function* letHandlersAct(
  cluster: RestingCluster,
  deleting: () => Iterable<KubeObject>,
  handlerOf: HandlerOf,
  removed: (object: KubeObject, finalizer: string) => void,
): Sliced<RunOutcome | undefined> {
  let end: RunOutcome | undefined;
  for (;;) {
    let acted = false;
    for (const object of deleting()) {
      yield;
      for (const finalizer of finalizersOf(object)) {
        if (!isForeign(finalizer)) continue;
        const handler = handlerOf(object, finalizer);
        if (!mayAct(handler) || !removeFinalizer(cluster, object, handler)) continue;
        acted = true;
        removed(object, finalizer);
      }
    }
    if (!acted) return end;
    end = yield* cluster.goOn();
    if (end === 'limit') return end;
  }
}

/**
 * Has every handler that may act do so while everything else goes on: each removal comes when the clock's chooser says so.
 * What is refused then is left.
 */
export function haveHandlersAct(
  cluster: Pick<RestingCluster, 'as'> & { readonly api: SimulatedApiServer },
  handlerOf: HandlerOf,
): void {
  const { api } = cluster;
  api.onWrite(({ op, object }) => {
    if (op === 'deleted' || object.deletionTimestamp === undefined) return;
    for (const finalizer of finalizersOf(object)) {
      if (!isForeign(finalizer)) continue;
      const handler = handlerOf(object, finalizer);
      if (!mayAct(handler)) continue;
      api.clock.schedule(`handler ${finalizer} ${object.uid}`, () => {
        removeFinalizer({ store: api.store, as: actor => cluster.as(actor) }, object, handler);
      });
    }
  });
}

/** Removes one finalizer of an object, as whoever handles it does; false if there is nothing to remove or it is refused. */
export function removeFinalizer(
  cluster: Pick<RestingCluster, 'store' | 'as'>,
  object: KubeObject,
  { finalizer, handler }: Pick<FinalizerHandler, 'finalizer' | 'handler'>,
): boolean {
  const api = cluster.as(handler).because('its work is done');
  const { uid } = object;
  const current = cluster.store.byUid(uid);
  if (current === undefined) return false;
  if (current.finalizers.includes(finalizer)) {
    const finalizers = current.finalizers.filter(each => each !== finalizer);
    return api.patch(current, { finalizers }, { uid }).ok;
  }
  const { facts } = current;
  if (facts?.kind !== 'Namespace') return false;
  const specFinalizers = facts.specFinalizers.filter(each => each !== finalizer);
  return api.patch(current, { facts: { ...facts, specFinalizers } }, { uid, subresource: 'finalize' }).ok;
}
