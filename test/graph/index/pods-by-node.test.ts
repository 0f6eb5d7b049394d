import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ClusterView } from '../../../src/graph/cluster-view.ts';
import { anyHistory } from '../../diagnosis/histories.ts';

const names = ['node-1', 'node-2', 'node-gone', ''];

test('the pods of a node are, after any history, those that a look at every object finds', () => {
  fc.assert(
    fc.property(anyHistory, fc.nat(5), (history, asked) => {
      const view = new ClusterView();
      for (const [index, { changes }] of history.entries()) {
        if (index === asked) view.indexPods();
        view.apply({ changes }, 0);
      }
      const found = names.map(name => [...view.podsOn(name)].map(({ uid }) => uid).sort());
      const pods = [...view.graph.nodes()].flatMap(({ object }) => object ?? []);
      const there = names.map(name =>
        pods
          .filter(({ facts }) => name !== '' && facts?.kind === 'Pod' && facts.nodeName === name)
          .map(({ uid }) => uid)
          .sort(),
      );
      expect(found).toEqual(there);
    }),
    { numRuns: 300 },
  );
});
