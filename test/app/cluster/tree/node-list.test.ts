import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NodeList } from '../../../../src/app/cluster/tree/node-list.ts';
import { compareIn } from '../../../../src/app/cluster/tree/order.ts';
import type { GraphNode } from '../../../../src/graph/node.ts';
import { OwnershipNode } from '../../../../src/graph/ownership-node.ts';
import type { Uid } from '../../../../src/model/object.ts';

const nodes: readonly GraphNode[] = Array.from({ length: 120 }, (_, i) => {
  const uid = `uid-${i}` as Uid;
  return new OwnershipNode(undefined, { apiVersion: 'v1', kind: 'Pod', namespace: 'a', name: uid, uid });
});
const order = { rank: ({ uid }: GraphNode) => uid.length + (uid.endsWith('7') ? -3 : 0), calm: 0 };

/** Few and many at once: each is put in place in a way of its own. */
test('an edited list stands as if it were sorted anew', () => {
  const some = fc.oneof(
    fc.shuffledSubarray([...nodes], { maxLength: 12 }),
    fc.shuffledSubarray([...nodes], { minLength: 20, maxLength: 50 }),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(some, some), { minLength: 2, maxLength: 5 }), edits => {
      const list = new NodeList();
      let expected: GraphNode[] = [];
      for (const [removed, added] of edits) {
        const gone = new Set([...removed, ...added.filter(node => expected.includes(node))]);
        list.edit(gone, added, order);
        expected = [...expected.filter(node => !gone.has(node)), ...added].sort(compareIn(order));
        expect(list.all.map(({ uid }) => uid)).toEqual(expected.map(({ uid }) => uid));
      }
    }),
  );
});
