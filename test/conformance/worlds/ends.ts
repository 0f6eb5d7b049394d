/** How each object of a world ends, by its plan and on the real cluster, in the same words. */
import type { Plan } from '../../../src/cli/documents/definitions.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import type { LeftObject } from '../end-state.ts';

export interface EndOfObject {
  readonly fate: 'gone' | 'deleting' | 'there';
  /** Finalizers and owners; `''` where it is gone. */
  readonly more: string;
}

/** By uid. */
export type WorldEnd = ReadonlyMap<string, EndOfObject>;

type Lists = Pick<Plan, 'deleted' | 'terminating' | 'changed'>;

/** Of the objects that were there, by the lists of a plan or those of its `ifHandled`. */
export function foretoldEnd(
  before: readonly KubeObject[],
  { deleted, terminating, changed }: Lists,
): WorldEnd {
  const gone = new Set(deleted.map(({ object }) => object.uid));
  const deleting = new Map(terminating.map(each => [each.object.uid, each]));
  const changes = new Map(changed.map(each => [each.object.uid, each]));
  return new Map<string, EndOfObject>(
    before.map((object): [string, EndOfObject] => {
      const { uid, owners } = object;
      if (gone.has(uid)) return [uid, { fate: 'gone', more: '' }];
      const change = changes.get(uid);
      const finalizers = new Set(object.finalizers);
      for (const each of change?.finalizersRemoved ?? []) finalizers.delete(each);
      for (const each of change?.finalizersAdded ?? []) finalizers.add(each);
      const dropped = change?.keepsRemovedOwner === true ? [] : (change?.ownerReferencesRemoved ?? []);
      const left = owners.filter(owner => !dropped.includes(owner.uid)).map(owner => owner.uid);
      const fate =
        deleting.has(uid) || (object.deletionTimestamp !== undefined && change === undefined)
          ? 'deleting'
          : 'there';
      return [
        uid,
        {
          fate,
          more: inWords(object.type.kind, finalizers, [...left, ...(change?.ownerReferencesAdded ?? [])]),
        },
      ];
    }),
  );
}

/** Of these objects, by what is left of everything. */
export function actualEnd(before: readonly KubeObject[], left: ReadonlyMap<string, LeftObject>): WorldEnd {
  return new Map<string, EndOfObject>(
    before.map(({ uid, type }): [string, EndOfObject] => {
      const found = left.get(uid);
      if (found === undefined) return [uid, { fate: 'gone', more: '' }];
      const owners = found.owners.map(owner => owner.uid);
      const fate = found.deleting ? 'deleting' : 'there';
      return [uid, { fate, more: inWords(type.kind, new Set(found.finalizers), owners) }];
    }),
  );
}

function inWords(kind: string, finalizers: ReadonlySet<string>, owners: readonly string[]): string {
  // Its own are of its spec.
  const held = kind === 'Namespace' ? [] : [...finalizers].sort();
  return [...held, ...[...new Set(owners)].sort().map(uid => `owned by ${uid}`)].join('; ');
}

export interface EndDifference {
  /** `ConfigMap w7-a/o3` */
  readonly object: string;
  readonly uid: string;
  readonly foretold: EndOfObject;
  readonly real: EndOfObject;
}

/** Of everything that both know. */
export function differences(
  before: readonly KubeObject[],
  foretold: WorldEnd,
  real: WorldEnd,
): readonly EndDifference[] {
  return before.flatMap(({ uid, type, namespace, name }) => {
    const [told, is] = [foretold.get(uid), real.get(uid)];
    if (told === undefined || is === undefined) return [];
    if (told.fate === is.fate && told.more === is.more) return [];
    const object = `${type.kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
    return [{ object, uid, foretold: told, real: is }];
  });
}
