/** Fates of objects that a tool manages, by the finalizer with which it holds the managing object. */
import type { AssumedEffect } from '../../forecast/index.ts';
import type { KubeObject } from '../../model/index.ts';
import type { CascadeContext } from './cascade-context.ts';

export type Fate = Pick<AssumedEffect, 'effect' | 'when' | 'because'>;

export function kept(because: string): Fate {
  return { effect: 'kept', when: undefined, because };
}

export function deletedOnRequest(because: string): Fate {
  return { effect: 'deleted', when: 'onRequest', because };
}

export function maybeDeleted(because: string): Fate {
  return { effect: 'deleted', when: 'unknown', because };
}

/** Deleted, unless the finalizer's handler may not act. */
export function deletedByHandler(
  context: CascadeContext,
  { uid }: Pick<KubeObject, 'uid'>,
  finalizer: string,
  because: string,
): Fate {
  const unhandled = context.unhandled(uid, finalizer);
  return unhandled === undefined
    ? { effect: 'deleted', when: 'automatically', because }
    : maybeDeleted(`${because}, but ${unhandled}`);
}

/** Returns why everything stays: the managing object has no finalizer, or the action removes it. */
export function keptWithoutFinalizer(
  context: CascadeContext,
  { uid, finalizers }: KubeObject,
  {
    finalizer,
    tool,
    called = 'it',
  }: { readonly finalizer: string; readonly tool: string; readonly called?: string },
): Fate | undefined {
  if (!finalizers.includes(finalizer)) return kept(`${called} has no finalizer ${finalizer}`);
  return keptIfLost(context, uid, `the finalizer ${finalizer}, and ${tool}`);
}

/** `what`: the finalizer and who isn't waited for. */
export function keptIfLost(context: CascadeContext, uid: KubeObject['uid'], what: string): Fate | undefined {
  return context.loses(uid) ? kept(`the action takes off ${what} is not waited for`) : undefined;
}
