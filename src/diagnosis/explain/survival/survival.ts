/**
 * Why an object is still there although its owner went, or was to go: every way that docs/kubernetes.md §9 names, in
 * words, and what happens to it next. `why` opens with it whether there is a finding or not; the findings on
 * survivors are made of it.
 */
import { isDeleting } from '../../../graph/deletion.ts';
import { controllerOf } from '../../../model/facts/object-facts.ts';
import type { KubeObject } from '../../../model/object.ts';
import type { Scene } from '../../engine/scene.ts';
import { namespaceGoing } from '../../rules/namespaces/going.ts';
import { formerOwnerOf } from '../../rules/survivors/former-owner.ts';
import { survivalOfClaim } from './claims.ts';
import { survivalOfControlled } from './controlled.ts';
import { survivalOfOwnerless } from './ownerless.ts';
import type { Survival } from './ways.ts';

/** Undefined for an object that survived nobody as far as can be seen: the usual case. */
export function survivalOf(scene: Scene, object: KubeObject): Survival | undefined {
  const survival = survivalOfItsOwner(scene, object);
  const going = isDeleting(object) ? '' : namespaceGoing(scene, object);
  return survival === undefined || going === '' ? survival : { ...survival, next: `It goes: ${going}.` };
}

function survivalOfItsOwner(scene: Scene, object: KubeObject): Survival | undefined {
  if (controllerOf(object) !== undefined) return survivalOfControlled(scene, object);
  if (object.type.group === '' && object.type.kind === 'PersistentVolumeClaim') {
    return object.owners.length === 0 && !isDeleting(object) ? survivalOfClaim(scene, object) : undefined;
  }
  // On its way out, with nothing but its kubelet's word to wait for.
  if (isDeleting(object) && object.finalizers.length === 0) return undefined;
  const former = formerOwnerOf(object);
  return former === undefined ? undefined : survivalOfOwnerless(scene, object, former);
}
