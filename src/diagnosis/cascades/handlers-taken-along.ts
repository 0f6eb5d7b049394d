/**
 * Handlers of finalizers that a tool deletes, by what was told of it, together with what they have to clean up: which of
 * them is gone first, nobody knows. An Application that holds an operator and what the operator looks after is one.
 */
import { isForeign, mayAct } from '../../forecast/handlers.ts';
import type { Warning } from '../../forecast/plan/plan.ts';
import { compareBytes, type Identity } from '../../graph/node.ts';
import { identityOfObject } from '../../graph/ownership-node.ts';
import { getOrInsert } from '../../model/maps.ts';
import type { Uid } from '../../model/object.ts';
import type { CascadeContext } from './context.ts';

/** One for each finalizer and reason, once everything has been told. What the action itself takes away is left out. */
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

/** What waits for a handler that the action leaves, then what the tools delete: each finalizer of it once. */
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
    for (const handler of handlers) if (mayAct(handler)) yield [object.uid, handler.finalizer];
  }
  for (const { uid, object } of context.follow()) {
    if (known.has(uid)) continue;
    for (const finalizer of object?.finalizers ?? []) if (isForeign(finalizer)) yield [uid, finalizer];
  }
}
