/** Handlers of finalizers that no simulated controller removes. In a forecast they act once everything else rests. */
import { objectDeletion } from '../graph/index.ts';
import {
  FOREGROUND_FINALIZER,
  type KubeObject,
  ORPHAN_FINALIZER,
  type Sliced,
  type Uid,
} from '../model/index.ts';
import {
  type ApiClient,
  type ApiStore,
  jobRules,
  type RunOutcome,
  type SimulatedApiServer,
  specialStores,
  useProtections,
} from '../simulation/index.ts';
import { CLAIM_PROTECTION, VOLUME_PROTECTION } from './holds.ts';

/**
 * - `running`: a workload of it has ready pods.
 * - `notReady`: parts of it exist without a ready pod, or it should have acted by now.
 * - `absent`: everything that could show it is visible, and none of it exists.
 * - `outside`: it is assumed to run outside this cluster.
 * - `goesToo`: the action deletes it or something it needs, so it may be gone before it acts.
 */
export type HandlerState = 'running' | 'notReady' | 'absent' | 'outside' | 'goesToo' | 'unknown';

export interface FinalizerHandler {
  readonly finalizer: string;
  /** Its name in a sentence: `Argo CD`, `Deployment dns/external-dns`. */
  readonly handler: string;
  readonly state: HandlerState;
  /** The parts of it that were found, and those deleted by the action. */
  readonly evidence: readonly string[];
  /** A clause that follows the finalizer: `nothing in this cluster handles example.com`. */
  readonly words: string;
  /** The objects that have to be gone before it acts. */
  readonly awaits?: readonly Uid[] | undefined;
}

export interface Aftermath {
  after(object: KubeObject): KubeObject | undefined;
  namespace(name: string): KubeObject | undefined;
}

export type HandlerJudge = (object: KubeObject, finalizer: string, aftermath: Aftermath) => FinalizerHandler;

export type HandlerOf = (object: KubeObject, finalizer: string) => FinalizerHandler;

/** Checks if the handler may remove its finalizer; the results are reported as depending on it. */
function mayAct({ state }: FinalizerHandler): boolean {
  return state === 'running' || state === 'outside' || state === 'unknown';
}

/** Finalizers removed by simulated controllers: if one remains at rest, they had a reason. */
const modelled: ReadonlySet<string> = new Set([
  FOREGROUND_FINALIZER,
  ORPHAN_FINALIZER,
  specialStores.namespaceFinalizer,
  specialStores.crdFinalizer,
  CLAIM_PROTECTION,
  VOLUME_PROTECTION,
  jobRules.trackingFinalizer,
  ...useProtections.list.map(({ finalizer }) => finalizer),
]);

function isForeign(finalizer: string): boolean {
  return !modelled.has(finalizer);
}

interface RestingCluster {
  readonly store: ApiStore;
  as(actor: string): ApiClient;
  /** Runs until everything is at rest again. */
  goOn(): Sliced<RunOutcome>;
}

interface HandlersAtWork {
  readonly deleting: () => Iterable<KubeObject>;
  readonly handlerOf: HandlerOf;
  readonly removed: (object: KubeObject, finalizer: string) => void;
}

/** Lets handlers remove finalizers until nothing changes. Returns undefined if no handler acted. */
export function* letHandlersAct(
  cluster: RestingCluster,
  { deleting, handlerOf, removed }: HandlersAtWork,
): Sliced<RunOutcome | undefined> {
  let end: RunOutcome | undefined;
  for (;;) {
    let acted = false;
    for (const object of deleting()) {
      yield;
      for (const finalizer of objectDeletion.finalizers(object)) {
        if (!isForeign(finalizer)) continue;
        const handler = handlerOf(object, finalizer);
        if (!mayAct(handler) || isWaiting(cluster, handler)) continue;
        if (removeFinalizer(cluster, object, handler)) {
          acted = true;
          removed(object, finalizer);
        }
      }
    }
    if (!acted) return end;
    end = yield* cluster.goOn();
    if (end === 'limit') return end;
  }
}

function isWaiting({ store }: Pick<RestingCluster, 'store'>, { awaits = [] }: FinalizerHandler): boolean {
  return awaits.some(each => store.byUid(each) !== undefined);
}

/** Lets handlers act while everything else runs, at moments the clock chooses. Refused removals aren't retried. */
export function haveHandlersAct(
  cluster: Pick<RestingCluster, 'as'> & { readonly api: SimulatedApiServer },
  handlerOf: HandlerOf,
): void {
  const { api } = cluster;
  api.onWrite(({ op, object }) => {
    if (op === 'deleted' || object.deletionTimestamp === undefined) return;
    for (const finalizer of objectDeletion.finalizers(object)) {
      if (!isForeign(finalizer)) continue;
      const handler = handlerOf(object, finalizer);
      // It acts at rest, after the objects that it waits for are deleted.
      if (!mayAct(handler) || isWaiting(api, handler)) continue;
      api.clock.schedule(`handler ${finalizer} ${object.uid}`, () => {
        removeFinalizer({ store: api.store, as: actor => cluster.as(actor) }, object, handler);
      });
    }
  });
}

/** Removes one finalizer as its handler does; returns false if there is none or the request is refused. */
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

export const FinalizerHandler = { isForeign, mayAct };
