/** A changed copy of an immutable object; the same instance where nothing differs. */
import { equalReferences } from '../../graph/owner-changes.ts';
import { KubeObject, type ObjectInit, type OwnerReference } from '../../model/object.ts';

/** Fields to change. One that is undefined is set so; one that is left out stays. */
export type Revision = Partial<Omit<ObjectInit, 'type' | 'name' | 'namespace' | 'uid'>>;

/** `specChanges`: new facts count as a new generation, where the object has generations at all. */
export function revised(object: KubeObject, changes: Revision, specChanges = false): KubeObject {
  const { type, namespace, name, uid, creationTimestamp } = object;
  const given = 'facts' in changes ? changes.facts : object.facts;
  const facts = equalValues(given, object.facts) ? object.facts : given;
  const marked = 'deletionTimestamp' in changes;
  const newSpec = specChanges && facts !== object.facts && object.generation > 0;
  const after = new KubeObject({
    type,
    namespace,
    name,
    uid,
    creationTimestamp,
    resourceVersion: changes.resourceVersion ?? object.resourceVersion,
    generation: (changes.generation ?? object.generation) + (newSpec ? 1 : 0),
    deletionTimestamp: marked ? changes.deletionTimestamp : object.deletionTimestamp,
    deletionGracePeriodSeconds:
      'deletionGracePeriodSeconds' in changes
        ? changes.deletionGracePeriodSeconds
        : object.deletionGracePeriodSeconds,
    finalizers: changes.finalizers ?? object.finalizers,
    owners: changes.owners ?? object.owners,
    labels: changes.labels ?? object.labels,
    facts,
  });
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
    equalOwners(a.owners, b.owners)
  );
}

function equalLists(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((each, index) => each === b[index]));
}

function equalOwners(a: readonly OwnerReference[], b: readonly OwnerReference[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  return a.every((each, index) => {
    const other = b[index];
    return other !== undefined && equalReferences(each, other);
  });
}

/** Facts are plain data; the API server compares what is stored, not who made it. */
export function equalValues(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const entries = Object.entries(a);
  const others = new Map(Object.entries(b));
  return (
    entries.length === others.size && entries.every(([key, value]) => equalValues(value, others.get(key)))
  );
}
