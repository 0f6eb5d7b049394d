/** Warns of handlers that a tool deletes, in unknown order, together with what they must clean up. */
import { FinalizerHandler, type Warning } from '../../forecast/index.ts';
import { compareBytes, type Identity, identityOfObject } from '../../graph/index.ts';
import { getOrInsert, type Uid } from '../../model/index.ts';
import type { CascadeContext } from './cascade-context.ts';

/** Returns one warning per finalizer and reason, without what the action itself deletes. Call it last. */
export function handlersTakenAlong(context: CascadeContext): Warning<'handlerGoesToo'>[] {
  const found = new Map<string, { finalizer: string; words: string; objects: Map<Uid, Identity> }>();
  for (const [uid, finalizer] of held(context)) {
    const object = context.view.graph.get(uid)?.object;
    const loss = object && context.lossOf(object, finalizer);
    if (object === undefined || loss === undefined) continue;
    const words = `as is assumed, ${loss}, so that the removal may come too late`;
    const group = getOrInsert(found, JSON.stringify([finalizer, words]), () => ({
      finalizer,
      words,
      objects: new Map(),
    }));
    group.objects.set(uid, identityOfObject(object));
  }
  return [...found.values()]
    .sort((a, b) => compareBytes(a.finalizer, b.finalizer) || compareBytes(a.words, b.words))
    .map(({ objects, ...each }) => ({
      code: 'handlerGoesToo',
      ...each,
      objects: [...objects.values()],
      order: [],
    }));
}

/** Yields what waits for a handler the action leaves, then each finalizer of what the tools delete. */
function* held(context: CascadeContext): Generator<readonly [Uid, string]> {
  const { terminating, timingDependent, ifHandled } = context.forecast;
  const known = new Set<Uid>();
  for (const { object, handlers } of [
    ...terminating,
    ...timingDependent,
    ...(ifHandled?.terminating ?? []),
  ]) {
    if (known.has(object.uid)) continue;
    known.add(object.uid);
    for (const handler of handlers)
      if (FinalizerHandler.mayAct(handler)) yield [object.uid, handler.finalizer];
  }
  for (const { uid, object } of context.follow()) {
    if (known.has(uid)) continue;
    for (const finalizer of object?.finalizers ?? [])
      if (FinalizerHandler.isForeign(finalizer)) yield [uid, finalizer];
  }
}
