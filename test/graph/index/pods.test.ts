import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ClusterView } from '../../../src/graph/cluster-view.ts';
import { isDeleting } from '../../../src/graph/deletion.ts';
import { objectState, podFacts } from '../../../src/model/object.ts';
import { anyHistory } from '../../diagnosis/histories.ts';

const names = ['node-1', 'node-2', 'node-gone', ''];

test('the pods of a node, and those that end, are after any history those that a look at every object finds', () => {
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
      const index = view.indexPods();
      for (const [nth, name] of names.entries())
        if (there[nth]?.length !== 0) expect([...index.nodeNames()]).toContain(name);
      const ending = pods.filter(
        pod => podFacts(pod) !== undefined && (isDeleting(pod) || objectState.isTerminated(pod)),
      );
      expect([...index.ending()].sort()).toEqual(ending.map(({ uid }) => uid).sort());
    }),
    { numRuns: 300 },
  );
});
