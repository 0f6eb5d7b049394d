/**
 * Remedies that remove one finalizer and leave the others. What a foreign one stands for is not done any more, so this
 * is dangerous unless whoever offers it knows better.
 */
import type { ApplicableRemedy, Risk } from '../../forecast/action.ts';
import { FOREGROUND_FINALIZER, type KubeObject } from '../../model/object.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { patch, remedy } from './request.ts';

export interface FinalizerOffer {
  readonly risk: Risk;
  readonly title?: string;
}

/** `finalizer` is one of the object's `metadata.finalizers`. */
export function removeFinalizer(
  tracked: TrackedView,
  object: KubeObject,
  finalizer: string,
  { risk, title }: FinalizerOffer = { risk: 'dangerous' },
): ApplicableRemedy {
  const index = object.finalizers.indexOf(finalizer);
  if (index < 0) throw new Error(`${object.name} has no finalizer ${finalizer}`);
  const path = `/metadata/finalizers/${index}`;
  return remedy({
    id: `remove-finalizer/${finalizer}`,
    title: title ?? `remove ${finalizer} from ${object.name}: what it protects is left behind`,
    risk,
    acts: [
      patch(tracked.view.catalog, object, [
        { op: 'test', path, value: finalizer },
        { op: 'remove', path },
      ]),
    ],
  });
}

/**
 * Takes `foregroundDeletion` off an object that nothing blocks any more. Dependents that are left are collected once
 * it is gone, as after a deletion in the background.
 */
export function removeForeground(tracked: TrackedView, object: KubeObject): ApplicableRemedy {
  return removeFinalizer(tracked, object, FOREGROUND_FINALIZER, {
    risk: 'caution',
    title: `finish the deletion of ${object.name} now: what it still owns is deleted after it`,
  });
}
