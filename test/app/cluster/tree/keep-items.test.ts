import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Entry } from '../../../../src/app/cluster/tree/groups.ts';
import { ObjectItem } from '../../../../src/app/cluster/tree/item.ts';
import { entryOf, mergeItems } from '../../../../src/app/cluster/tree/keep-items.ts';
import type { GraphNode } from '../../../../src/graph/node.ts';
import { OwnershipNode } from '../../../../src/graph/ownership-node.ts';
import type { Uid } from '../../../../src/model/object.ts';

const nodes: readonly GraphNode[] = Array.from({ length: 12 }, (_, i) => {
  const uid = `uid-${i}` as Uid;
  return new OwnershipNode(undefined, { apiVersion: 'v1', kind: 'Pod', namespace: 'a', name: uid, uid });
});

/** Nodes have nothing that tells them apart for a comparison by their fields. */
function uidsOf(entries: readonly Entry[]): readonly Uid[] {
  return entries.map(entry => (entry as GraphNode).uid);
}

test('what stays keeps its row, whatever comes, goes and moves', () => {
  const some = fc.shuffledSubarray([...nodes]);
  fc.assert(
    fc.property(some, some, (before, wanted) => {
      const generation = { shown: true };
      const old = before.map(node => new ObjectItem(node, undefined, generation));
      const created: Entry[] = [];
      const discarded: Entry[] = [];
      const merged = mergeItems(old, wanted, {
        create: entry => {
          created.push(entry);
          return new ObjectItem(entry as GraphNode, undefined, generation);
        },
        discard: item => discarded.push(entryOf(item)),
      });
      expect(uidsOf(merged.map(entryOf))).toEqual(uidsOf(wanted));
      for (const item of old) if (wanted.includes(item.node)) expect(merged).toContain(item);
      expect(uidsOf(created)).toEqual(uidsOf(wanted.filter(node => !before.includes(node))));
      expect(uidsOf(discarded)).toEqual(uidsOf(before.filter(node => !wanted.includes(node))));
    }),
  );
});
