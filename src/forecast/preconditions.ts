/** What a DELETE is bound to, so that it meets the object that was seen and no other. */
import { FOREGROUND_FINALIZER, type KubeObject, ORPHAN_FINALIZER } from '../model/object.ts';
import type { Cascade } from './action.ts';

/**
 * The uid, and the resourceVersion where the API server can compare it: a deletion that takes the collector's own
 * finalizers off and leaves none is compared with an empty one by mistake, and refused with 409 whenever it is sent
 * (apiserver pkg/registry/generic/registry/store.go, Delete after errDeleteNow, v0.36).
 */
export function preconditionsOf(
  { uid, resourceVersion, finalizers }: KubeObject,
  cascade: Cascade,
): Partial<Pick<KubeObject, 'resourceVersion'>> & Pick<KubeObject, 'uid'> {
  const isLast =
    cascade === 'background' &&
    finalizers.length > 0 &&
    finalizers.every(each => each === ORPHAN_FINALIZER || each === FOREGROUND_FINALIZER);
  return isLast ? { uid } : { uid, resourceVersion };
}
