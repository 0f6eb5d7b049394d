/**
 * The end of a run in which handlers have done their work on what was held, as far as they are left: from the state at
 * rest on. Apart from the port that knows them, because what is left is read off the run.
 */
import type { ClusterView } from '../../graph/cluster-view.ts';
import { identityOfObject } from '../../graph/ownership-node.ts';
import { getOrInsert } from '../../model/maps.ts';
import type { KubeObject } from '../../model/object.ts';
import type { Sliced } from '../../model/slices.ts';
import type { ApiStore } from '../../simulation/api/store.ts';
import { type HandlerJudge, type HandlerOf, isForeign, letHandlersAct, mayAct } from '../handlers.ts';
import { endsOf, type Run, type Stage } from '../run.ts';
import { compareIdentity, type Ends } from './outcome.ts';
import type { Warning } from './plan.ts';

export interface Handled {
  readonly ends: Ends;
  /**
   * Handlers that take themselves away by what they remove, and those that aren't known to run and have to act on what is
   * deleted only then.
   */
  readonly warnings: readonly Warning<'handlerLeaves' | 'handlerNeededThen'>[];
}

/** Lets the run go on; undefined where no handler has anything to do. */
export function* letHandled(stage: Stage, run: Run): Sliced<Handled | undefined> {
  if (stage.handlers === undefined) return undefined;
  const handlerOf = handlersAfter(stage.handlers, run.store, stage.view);
  const deleting = (): Iterable<KubeObject> => stillDeleting(stage, endsOf(stage, run));
  const before = new Set(Array.from(deleting(), ({ uid }) => uid));
  const removed = new Map<string, KubeObject[]>();
  const end = yield* letHandlersAct(run, deleting, handlerOf, (object, finalizer) => {
    getOrInsert(removed, finalizer, () => []).push(object);
  });
  if (end === undefined) return undefined;
  const warnings = [...removed].flatMap(([finalizer, objects]): Handled['warnings'] => {
    const [first] = objects;
    if (first === undefined) return [];
    const { state, words } = handlerOf(first, finalizer);
    const facts = { finalizer, words, objects: objects.map(identityOfObject).sort(compareIdentity) };
    // Of what is held before, it is told with that.
    if (!objects.some(({ uid }) => before.has(uid)))
      return state === 'running' ? [] : [{ code: 'handlerNeededThen', ...facts }];
    // The first of all it removes in any case.
    return objects.length > 1 && state === 'goesToo' ? [{ code: 'handlerLeaves', ...facts }] : [];
  });
  return { ends: endsOf(stage, run), warnings };
}

/** Objects of the snapshot and new ones that are being deleted at the end. */
export function* stillDeleting(stage: Stage, ends: Ends): IterableIterator<KubeObject> {
  for (const object of stage.underWay) {
    if (object.deletionTimestamp !== undefined && !ends.has(object.uid)) yield object;
  }
  for (const { after } of ends.values()) if (after?.deletionTimestamp !== undefined) yield after;
}

/** Who removes a finalizer, as the store is when that is asked. */
export function handlersAfter(judge: HandlerJudge, store: ApiStore, { catalog }: ClusterView): HandlerOf {
  const namespaces = catalog.resolveKind('v1', 'Namespace');
  return (object, finalizer) => {
    const handler = judge(object, finalizer, {
      after: ({ uid }) => store.byUid(uid),
      namespace: name => namespaces && store.find(namespaces, '', name),
    });
    // It was simulated, and hasn't removed it: why not is not known here.
    return !isForeign(finalizer) && mayAct(handler) ? { ...handler, state: 'unknown' } : handler;
  };
}
