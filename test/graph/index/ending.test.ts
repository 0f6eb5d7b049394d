import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ClusterView } from '../../../src/graph/cluster-view.ts';
import { isDeleting } from '../../../src/graph/deletion.ts';
import { objectState, podFacts } from '../../../src/model/object.ts';
import { anyHistory } from '../../diagnosis/histories.ts';

const names = ['node-1', 'node-2', 'node-gone', ''];

test('after any history, what ends and the pods of a node equal what a walk over all objects finds', () => {
  fc.assert(
    fc.property(anyHistory, fc.nat(5), (history, asked) => {
      const view = new ClusterView();
      for (const [index, { changes }] of history.entries()) {
        if (index === asked) view.indexEnding();
        view.apply({ changes }, 0);
      }
      const found = names.map(name => [...view.podsOn(name)].map(({ uid }) => uid).sort());
      const objects = [...view.graph.nodes()].flatMap(({ object }) => object ?? []);
      const there = names.map(name =>
        objects
          .filter(({ facts }) => name !== '' && facts?.kind === 'Pod' && facts.nodeName === name)
          .map(({ uid }) => uid)
          .sort(),
      );
      expect(found).toEqual(there);
      const index = view.indexEnding();
      for (const [nth, name] of names.entries())
        if (there[nth]?.length !== 0) expect([...index.nodeNames()]).toContain(name);
      const ending = objects.filter(
        each => isDeleting(each) || (podFacts(each) !== undefined && objectState.isTerminated(each)),
      );
      expect([...index.ending()].sort()).toEqual(ending.map(({ uid }) => uid).sort());
      const virtual = [...view.graph.nodes()].filter(node => node.virtual);
      expect([...index.virtual()].sort()).toEqual(virtual.map(({ uid }) => uid).sort());
    }),
    { numRuns: 300 },
  );
});
