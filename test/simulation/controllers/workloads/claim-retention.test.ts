import { describe, expect, it } from 'vitest';
import type { OwnerReference } from '../../../../src/model/object.ts';
import { retentionOwners } from '../../../../src/simulation/controllers/workloads/statefulset.ts';
import { blockingRefTo, object, refTo, type, types } from '../../../graph/fixtures.ts';

const statefulSet = type({ group: 'apps', kind: 'StatefulSet', resource: 'statefulsets' });
const claimType = type({ kind: 'PersistentVolumeClaim', resource: 'persistentvolumeclaims' });
const set = object({ uid: 'set-uid', name: 'set', type: statefulSet });
const pod = object({ uid: 'pod-uid', name: 'set-2', type: types.pod });
const strangers = ['rand1', 'rand2'].map(uid => refTo(object({ uid, type: types.pod })));

interface Case {
  readonly owners: readonly OwnerReference[];
  readonly whenScaled?: string;
  readonly whenDeleted?: string;
  readonly condemned?: boolean;
}

function written({ owners, whenScaled = 'Delete', whenDeleted = 'Delete', condemned = false }: Case) {
  const claim = object({ uid: 'claim', type: claimType, owners });
  const result = retentionOwners({ claim, set, pod, condemned, whenDeleted, whenScaled });
  return result?.map(({ uid, controller, blockOwnerDeletion }) => ({ uid, controller, blockOwnerDeletion }));
}

function uids(references: readonly { readonly uid: string }[]): string[] {
  return references.map(({ uid }) => uid);
}

describe('the owners of a StatefulSet’s claims', () => {
  const table = [
    { whenScaled: 'Retain', whenDeleted: 'Retain', condemned: false, wanted: [] },
    { whenScaled: 'Retain', whenDeleted: 'Retain', condemned: true, wanted: [] },
    { whenScaled: 'Retain', whenDeleted: 'Delete', condemned: false, wanted: ['set-uid'] },
    { whenScaled: 'Retain', whenDeleted: 'Delete', condemned: true, wanted: ['set-uid'] },
    { whenScaled: 'Delete', whenDeleted: 'Retain', condemned: false, wanted: [] },
    { whenScaled: 'Delete', whenDeleted: 'Retain', condemned: true, wanted: ['pod-uid'] },
    { whenScaled: 'Delete', whenDeleted: 'Delete', condemned: false, wanted: ['set-uid'] },
    { whenScaled: 'Delete', whenDeleted: 'Delete', condemned: true, wanted: ['pod-uid'] },
  ];
  it.each(table)(
    'M11: whenScaled $whenScaled, whenDeleted $whenDeleted, condemned $condemned: $wanted, from any start',
    ({ wanted, ...policy }) => {
      for (const ours of [[], [set], [pod], [set, pod]]) {
        for (const others of [[], strangers]) {
          const owners = [...ours.map(blockingRefTo), ...others];
          const result = written({ owners, ...policy });
          const before = ours.map(({ uid }) => uid as string);
          if (wanted.length === before.length && wanted.every(uid => before.includes(uid))) {
            expect(result).toBeUndefined();
          } else {
            expect(uids(result ?? [])).toEqual([...uids(others), ...wanted]);
          }
        }
      }
    },
  );

  it('are controllers and block', () => {
    expect(written({ owners: [] })).toEqual([{ uid: 'set-uid', controller: true, blockOwnerDeletion: true }]);
  });

  it('are rewritten where ours is there without being the controller', () => {
    expect(written({ owners: [refTo(set)] })).toEqual([
      { uid: 'set-uid', controller: true, blockOwnerDeletion: true },
    ]);
  });

  it('stay untouched where a former set or pod of the same name left its reference', () => {
    const formerSet = object({ uid: 'former', name: 'set', type: statefulSet });
    const formerPod = object({ uid: 'former', name: 'set-2', type: types.pod });
    expect(written({ owners: [blockingRefTo(formerSet)] })).toBeUndefined();
    expect(written({ owners: [blockingRefTo(formerPod)] })).toBeUndefined();
  });

  it('lose ours beside a foreign controller, and gain none', () => {
    const foreign = blockingRefTo(object({ uid: 'foreign', type: types.configMap }));
    expect(uids(written({ owners: [blockingRefTo(set), foreign] }) ?? [])).toEqual(['foreign']);
    expect(written({ owners: [foreign] })).toBeUndefined();
  });

  it('stay with a foreign controller under Retain and Retain', () => {
    const foreign = blockingRefTo(object({ uid: 'foreign', type: types.configMap }));
    expect(written({ owners: [foreign], whenScaled: 'Retain', whenDeleted: 'Retain' })).toBeUndefined();
  });
});
