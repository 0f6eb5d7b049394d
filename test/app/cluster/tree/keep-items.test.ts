import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TreeItem } from '../../../../src/app/cluster/tree/item.ts';
import { mergeItems } from '../../../../src/app/cluster/tree/keep-items.ts';
import type { GraphNode } from '../../../../src/graph/node.ts';
import { OwnershipNode } from '../../../../src/graph/ownership-node.ts';
import type { Uid } from '../../../../src/model/object.ts';

const nodes: readonly GraphNode[] = Array.from({ length: 12 }, (_, i) => {
  const uid = `uid-${i}` as Uid;
  return new OwnershipNode(undefined, { apiVersion: 'v1', kind: 'Pod', namespace: 'a', name: uid, uid });
});

test('roots that stay keep their rows, whichever come and go', () => {
  const some = fc.subarray([...nodes]);
  fc.assert(
    fc.property(some, some, (before, wanted) => {
      const old = before.map(node => new TreeItem(node, undefined));
      const byUid = new Map(old.map(item => [item.uid, item]));
      const created: GraphNode[] = [];
      const discarded: GraphNode[] = [];
      const merged = mergeItems(old, wanted, {
        find: uid => byUid.get(uid),
        create: node => {
          created.push(node);
          return new TreeItem(node, undefined);
        },
        discard: item => discarded.push(item.node),
      });
      expect(merged.map(({ node }) => node)).toEqual(wanted);
      expect(merged.filter(item => old.includes(item)).map(({ node }) => node)).toEqual(
        before.filter(node => wanted.includes(node)),
      );
      expect(created).toEqual(wanted.filter(node => !before.includes(node)));
      expect(discarded).toEqual(before.filter(node => !wanted.includes(node)));
    }),
  );
});
