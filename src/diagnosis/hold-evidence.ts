/** The fields that show a hold, written as a person would look for them in the objects. */

import { finalizersOf } from '../graph/deletion.ts';
import { isoTime } from '../model/facts-to-json.ts';
import type { KubeObject, OwnerReference } from '../model/object.ts';
import { asShown, shownName } from '../model/shown.ts';
import { titleOf } from './words.ts';

/** That the object is being deleted, and by what it is held. */
export function deletionEvidence(object: KubeObject): string[] {
  const { deletionTimestamp: at, deletionGracePeriodSeconds: grace } = object;
  const lines = at === undefined ? [] : [`metadata.deletionTimestamp: ${isoTime(at)}`];
  if (object.type.kind === 'Pod' && grace !== undefined) {
    lines.push(`metadata.deletionGracePeriodSeconds: ${grace}`);
  }
  if (object.facts?.kind === 'Namespace') {
    lines.push(`spec.finalizers: [${object.facts.specFinalizers.join(', ')}]`);
  }
  if (finalizersOf(object).length > 0) lines.push(`metadata.finalizers: [${object.finalizers.join(', ')}]`);
  return lines;
}

/** The same of another object, under its name. */
export function evidenceOn(object: KubeObject, ...lines: readonly string[]): string[] {
  return lines.map(line => `${titleOf(object)}: ${line}`);
}

/** `metadata.ownerReferences: apps/v1 StatefulSet web, uid …, blockOwnerDeletion: true` */
export function referenceEvidence(reference: OwnerReference): string {
  const { apiVersion, kind, name, uid, blockOwnerDeletion, controller } = asShown(reference);
  const flags = [
    ...(controller === true ? ['controller: true'] : []),
    ...(blockOwnerDeletion === true ? ['blockOwnerDeletion: true'] : []),
  ];
  return `metadata.ownerReferences: ${[`${apiVersion} ${kind} ${name}`, `uid ${shownName(uid)}`, ...flags].join(', ')}`;
}

/** The references of a dependent that block its owner's foreground deletion. */
export function blockingReferences(dependent: KubeObject, owner: KubeObject): OwnerReference[] {
  return dependent.owners.filter(
    ({ uid, blockOwnerDeletion }) => uid === owner.uid && blockOwnerDeletion === true,
  );
}
