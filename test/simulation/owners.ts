/** Owner references that no object stands behind. */
import type { OwnerReference } from '../../src/model/object.ts';
import { uid } from '../graph/fixtures.ts';

export const ownerRefs = {
  /** To a kind that isn't served. */
  unknown: (init: { name: string; uid: string }): OwnerReference => ({
    apiVersion: 'unknown.example.com/v1',
    kind: 'Unknown',
    name: init.name,
    uid: uid(init.uid),
    controller: undefined,
    blockOwnerDeletion: undefined,
  }),
};
