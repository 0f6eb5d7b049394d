/** Continues a run at rest with the handlers that are left, judging by the run. */
import { type ClusterView, identityOfObject } from '../../graph/index.ts';
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

/** Objects whose release depends on others, by the uids of these: the handlers' own and those that they wait for. */
export type Deciding = Map<Uid, Set<Uid>>;

/** Adds to `deciding` what each handler depends on. */
export function* letHandled(
  stage: Stage,
  run: Run,
  deciding: Deciding = new Map(),
): Sliced<Handled | undefined> {
  if (stage.handlers === undefined) return undefined;
  const handlerOf = handlersAfter(stage.handlers, run.store, stage.view, deciding);
  const deleting = (): Iterable<KubeObject> => stillDeleting(stage, endsOf(stage, run));
  const before = new Set(Array.from(deleting(), ({ uid }) => uid));
  const removed = new Map<string, KubeObject[]>();
  const end = yield* letHandlersAct(run, {
    deleting,
    handlerOf,
    removed: (object, finalizer) => getOrInsert(removed, finalizer, () => []).push(object),
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

/** Looks handlers up in the store's current state, and adds to `deciding` what they depend on. */
export function handlersAfter(
  judge: HandlerJudge,
  store: Pick<ApiStore, 'byUid' | 'find'>,
  { catalog }: ClusterView,
  deciding: Deciding = new Map(),
): HandlerOf {
  const namespaces = catalog.resolveKind('v1', 'Namespace');
  return (object, finalizer) => {
    const note = (uid: Uid): unknown => getOrInsert(deciding, uid, () => new Set()).add(object.uid);
    const handler = judge(object, finalizer, {
      after: ({ uid }) => {
        note(uid);
        return store.byUid(uid);
      },
      namespace: name => {
        const found = namespaces && store.find(namespaces, '', name);
        if (found !== undefined) note(found.uid);
        return found;
      },
    });
    handler.awaits?.forEach(note);
    // Its controller was simulated and didn't remove it, for unknown reasons.
    return !FinalizerHandler.isForeign(finalizer) && FinalizerHandler.mayAct(handler)
      ? { ...handler, state: 'unknown' }
      : handler;
  };
}
