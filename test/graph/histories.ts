/** Random histories of a small cluster, for properties that hold after any of them. */
import fc from 'fast-check';
import type { Change } from '../../src/model/exchange/changes.ts';
import type { KubeObject, OwnerReference } from '../../src/model/object.ts';
import { object, refTo, types } from './fixtures.ts';

/** Identities that the random histories are about: several kinds, scopes, namespaces. */
export const cast = [
  object({ uid: 'a', type: types.deployment }),
  object({ uid: 'b', type: types.replicaSet }),
  object({ uid: 'c', type: types.replicaSet, namespace: 'ns2' }),
  object({ uid: 'd' }),
  object({ uid: 'e' }),
  object({ uid: 'f', namespace: 'ns2' }),
  object({ uid: 'g', namespace: 'ns2' }),
  object({ uid: 'h', type: types.node }),
  object({ uid: 'i', type: types.node }),
  // Never observed: only referred to.
  object({ uid: 'x', type: types.secret }),
] as const;
export const observable = cast.slice(0, -1);

function rarely<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
}

export const anyReference: fc.Arbitrary<OwnerReference> = fc
  .record({
    owner: fc.constantFrom(...cast),
    name: rarely(fc.constantFrom('other', 'another')),
    kind: rarely(fc.constant('Wrong')),
    blockOwnerDeletion: fc.constantFrom(true, false, undefined),
  })
  .map(({ owner, name, kind, blockOwnerDeletion }) =>
    refTo(owner, { name: name ?? owner.name, kind: kind ?? owner.type.kind, blockOwnerDeletion }),
  );

const anyObject: fc.Arbitrary<KubeObject> = fc
  .record({
    of: fc.constantFrom(...observable),
    owners: fc.array(anyReference, { maxLength: 3 }),
    deletionTimestamp: fc.constantFrom(undefined, undefined, 1000),
    finalizers: fc.constantFrom([], ['foregroundDeletion'], ['orphan'], ['x/y']),
    resourceVersion: fc.nat(9).map(String),
  })
  .map(({ of, owners, deletionTimestamp, finalizers, resourceVersion }) =>
    object({
      type: of.type,
      namespace: of.namespace,
      uid: of.uid,
      owners,
      deletionTimestamp,
      finalizers,
      resourceVersion,
    }),
  );

export const anyChange: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: anyObject.map(next => ({ op: 'upsert', object: next }) as const) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...observable).map(({ uid, type }) => ({ op: 'delete', uid, type }) as const),
  },
);

export const anyHistory = fc.array(fc.array(anyChange, { minLength: 1, maxLength: 4 }), { maxLength: 25 });
