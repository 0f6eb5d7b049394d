/**
 * Why an object is still there although its owner went, or was to go: every way that docs/kubernetes.md §9 names, in
 * words, and what happens to it next. `why` opens with it whether there is a finding or not; the findings on
 * survivors are made of it.
 */
import { isDeleting } from '../../../graph/deletion.ts';
import { controllerOf, type KubeObject } from '../../../model/object.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { namespaceGoing } from '../../rules/namespaces/going.ts';
import { formerOwnerOf } from '../../rules/survivors/former-owner.ts';
import { survivalOfClaim } from './claims.ts';
import { survivalOfControlled } from './controlled.ts';
import { survivalOfOwnerless } from './ownerless.ts';
import type { Survival } from './ways.ts';

/** Undefined for an object that survived nobody as far as can be seen: the usual case. */
export function survivalOf(tracked: TrackedView, object: KubeObject): Survival | undefined {
  const survival = survivalOfItsOwner(tracked, object);
  const going = isDeleting(object) ? '' : namespaceGoing(tracked, object);
  return survival === undefined || going === '' ? survival : { ...survival, next: `It goes: ${going}.` };
}

function survivalOfItsOwner(tracked: TrackedView, object: KubeObject): Survival | undefined {
  if (controllerOf(object) !== undefined) return survivalOfControlled(tracked, object);
  if (object.type.group === '' && object.type.kind === 'PersistentVolumeClaim') {
    return object.owners.length === 0 && !isDeleting(object) ? survivalOfClaim(tracked, object) : undefined;
  }
  // On its way out, with nothing but its kubelet's word to wait for.
  if (isDeleting(object) && object.finalizers.length === 0) return undefined;
  const former = formerOwnerOf(object);
  return former === undefined ? undefined : survivalOfOwnerless(tracked, object, former);
}
