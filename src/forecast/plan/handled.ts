/** Continues a run at rest with the handlers that are left, judging by the run. */
import { type ClusterView, identityOfObject, objectDeletion } from '../../graph/index.ts';
import { getOrInsert, type KubeObject, type Sliced, type Uid } from '../../model/index.ts';
import type { ApiStore } from '../../simulation/index.ts';
import {
  FinalizerHandler,
  type HandlerJudge,
  type HandlerOf,
  letHandlersAct,
} from '../finalizer-handlers.ts';
import { endsOf, type Run, type Stage } from '../simulated-run.ts';
import type { Warning } from './forecast-result.ts';
import { compareIdentity, type Ends } from './run-ends.ts';

export interface Handled {
  readonly ends: Ends;
  /** Handlers that remove themselves, and uncertain ones needed only for later deletions. */
  readonly warnings: readonly Warning<'handlerLeaves' | 'handlerNeededThen'>[];
}

/** Adds the objects that handlers wait for to `awaited`. */
export function* letHandled(stage: Stage, run: Run, awaited = new Set<Uid>()): Sliced<Handled | undefined> {
  if (stage.handlers === undefined) return undefined;
  const handlerOf = handlersAfter(stage.handlers, run.store, stage.view);
  const deleting = (): Iterable<KubeObject> => stillDeleting(stage, endsOf(stage, run));
  const before = new Set(Array.from(deleting(), ({ uid }) => uid));
  const removed = new Map<string, KubeObject[]>();
  const end = yield* letHandlersAct(run, {
    deleting,
    handlerOf,
    removed: (object, finalizer) => getOrInsert(removed, finalizer, () => []).push(object),
    waits: uids => uids.forEach(uid => awaited.add(uid)),
  });
  if (end === undefined) return undefined;
  const warnings = [...removed].flatMap(([finalizer, objects]): Handled['warnings'] => {
    const [first] = objects;
    if (first === undefined) return [];
    const { state, words } = handlerOf(first, finalizer);
    const facts = { finalizer, words, objects: objects.map(identityOfObject).sort(compareIdentity) };
    // Objects held before have their handlers reported already.
    if (!objects.some(({ uid }) => before.has(uid)))
      return state === 'running' ? [] : [{ code: 'handlerNeededThen', ...facts }];
    // It removes at least the first one.
    return objects.length > 1 && state === 'goesToo' ? [{ code: 'handlerLeaves', ...facts }] : [];
  });
  return { ends: endsOf(stage, run), warnings };
}

export function* stillDeleting(stage: Stage, ends: Ends): IterableIterator<KubeObject> {
  for (const object of stage.underWay) {
    if (object.deletionTimestamp !== undefined && !ends.has(object.uid)) yield object;
  }
  for (const { after } of ends.values()) if (after?.deletionTimestamp !== undefined) yield after;
}

type ReadableStore = Pick<ApiStore, 'byUid' | 'find'>;

/** Looks handlers up in the store's current state. */
export function handlersAfter(
  judge: HandlerJudge,
  store: ReadableStore,
  { catalog }: ClusterView,
): HandlerOf {
  const namespaces = catalog.resolveKind('v1', 'Namespace');
  return (object, finalizer) => {
    const handler = judge(object, finalizer, {
      after: ({ uid }) => store.byUid(uid),
      namespace: name => namespaces && store.find(namespaces, '', name),
    });
    // Its controller was simulated and didn't remove it, for unknown reasons.
    return !FinalizerHandler.isForeign(finalizer) && FinalizerHandler.mayAct(handler)
      ? { ...handler, state: 'unknown' }
      : handler;
  };
}

/** Lists the objects on which a release by handlers depends before any action: the handlers' own and those they wait for. */
export function decidingFor({ handlers, base, view }: Stage, object: KubeObject): Iterable<Uid> {
  const deciding = new Set<Uid>();
  if (handlers === undefined) return deciding;
  const note = (each: KubeObject | undefined): KubeObject | undefined => {
    if (each !== undefined) deciding.add(each.uid);
    return each;
  };
  const noting: ReadableStore = {
    byUid: uid => note(base.byUid(uid)),
    find: (type, namespace, name) => note(base.find(type, namespace, name)),
  };
  const handlerOf = handlersAfter(handlers, noting, view);
  for (const finalizer of objectDeletion.finalizers(object)) {
    if (!FinalizerHandler.isForeign(finalizer)) continue;
    for (const uid of handlerOf(object, finalizer).awaits ?? []) deciding.add(uid);
  }
  return deciding;
}
