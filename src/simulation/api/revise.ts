/** Makes a changed copy of an immutable object; returns the same instance if nothing differs. */
import { OwnerChanges } from '../../graph/index.ts';
import { isEqualData, type KubeObject, type ObjectInit } from '../../model/index.ts';

/** Fields to change. An undefined field is unset; a missing one stays. */
export type Revision = Partial<Omit<ObjectInit, 'type' | 'name' | 'namespace' | 'uid'>>;

/** `specChanges`: new facts increment the generation, if the object has generations. */
export function revised(object: KubeObject, changes: Revision, specChanges = false): KubeObject {
  const given = 'facts' in changes ? changes.facts : object.facts;
  const facts = isEqualData(given, object.facts) ? object.facts : given;
  const newSpec = specChanges && facts !== object.facts && object.generation > 0;
  const generation = (changes.generation ?? object.generation) + (newSpec ? 1 : 0);
  const after = object.with({ ...changes, facts, generation });
  return isSame(object, after) ? object : after;
}

function isSame(a: KubeObject, b: KubeObject): boolean {
  return (
    a.resourceVersion === b.resourceVersion &&
    a.generation === b.generation &&
    a.deletionTimestamp === b.deletionTimestamp &&
    a.deletionGracePeriodSeconds === b.deletionGracePeriodSeconds &&
    a.facts === b.facts &&
    equalLists(a.finalizers, b.finalizers) &&
    equalLists(a.labels, b.labels) &&
    OwnerChanges.equalOwners(a.owners, b.owners)
  );
}

function equalLists(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((each, index) => each === b[index]));
}
