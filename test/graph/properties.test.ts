import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareNodes, Forest } from '../../src/graph/forest.ts';
import { OwnershipGraph } from '../../src/graph/graph.ts';
import type { GraphChanges, GraphNode } from '../../src/graph/node.ts';
import { anyChange, anyHistory, anyReference, cast, observable } from './histories.ts';
import { picture, uidOf, violations } from './invariant.ts';

describe('a graph without workers, after any history', () => {
  test('equals a graph built from what is left, in whatever order', () => {
    fc.assert(
      fc.property(anyHistory, fc.boolean(), (history, reversed) => {
        const graph = new OwnershipGraph();
        for (const batch of history) {
          graph.apply(batch);
          expect(violations(graph)).toEqual([]);
        }
        const left = [...graph.nodes()].flatMap(node => node.object ?? []);
        if (reversed) left.reverse();
        const fresh = new OwnershipGraph();
        fresh.apply(left.map(next => ({ op: 'upsert', object: next }) as const));
        expect(picture(graph)).toEqual(picture(fresh));
        for (const { type, namespace, name } of observable) {
          expect(graph.find(type, namespace, name)?.object).toBe(fresh.find(type, namespace, name)?.object);
        }
      }),
      { numRuns: 400 },
    );
  });

  test('told of every node that a batch added, changed, or gave other neighbours', () => {
    fc.assert(
      fc.property(anyHistory, history => {
        const graph = new OwnershipGraph();
        for (const batch of history) {
          const before = picture(graph);
          const { touched, removed } = graph.apply(batch);
          const after = picture(graph);
          const told = new Set([...touched, ...removed].map(uidOf));
          for (const uid of new Set([...Object.keys(before), ...Object.keys(after)])) {
            if (!told.has(uid)) expect(after[uid]).toEqual(before[uid]);
          }
          for (const node of touched) expect(graph.get(node.identity.uid)).toBe(node);
          for (const node of removed) expect(graph.get(node.identity.uid)).not.toBe(node);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('the collector’s graph, after any history', () => {
  test('holds the invariant, also under virtual deletes of right and wrong identities', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyChange, anyReference, fc.nat(2)), { maxLength: 40 }), history => {
        const graph = new OwnershipGraph({ virtualOwners: 'until-collected' });
        let forgotten = false;
        for (const [change, { apiVersion, kind, name, uid }, step] of history) {
          const node = graph.get(uid);
          let removed: GraphChanges['removed'];
          if (step === 0 && node !== undefined) {
            ({ removed } = graph.process({ op: 'virtualDelete', identity: node.identity }));
          } else if (step === 1) {
            const identity = { apiVersion, kind, namespace: 'ns1', name, uid };
            ({ removed } = graph.process({ op: 'virtualDelete', identity }));
          } else {
            ({ removed } = graph.apply([change]));
          }
          for (const gone of removed) {
            forgotten ||= gone.dependents.size > 0 && graph.get(gone.identity.uid) === undefined;
          }
          expect(violations(graph, forgotten)).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** The forest by its definition, from the whole graph. */
function definedForest(graph: OwnershipGraph, namespace: string | undefined) {
  const all = [...graph.nodes()];
  const observedInScope = (node: GraphNode) =>
    node.object !== undefined && (namespace === undefined || node.object.namespace === namespace);
  const inScope = all.filter(
    node => observedInScope(node) || (node.virtual && [...node.dependents].some(observedInScope)),
  );
  const children = (node: GraphNode) =>
    inScope.filter(other => node.dependents.has(other)).sort(compareNodes);
  const below = (start: GraphNode) => {
    const reached = new Set<GraphNode>();
    const waiting = [start];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      for (const child of children(node)) {
        if (!reached.has(child)) {
          reached.add(child);
          waiting.push(child);
        }
      }
    }
    return reached;
  };
  const reaches = new Map(inScope.map(node => [node, below(node)]));
  const above = (node: GraphNode) => inScope.filter(other => reaches.get(other)?.has(node));
  const roots = inScope.filter(node => {
    const ancestors = above(node);
    // Below nobody, or first within a cycle that only its own members are above.
    return ancestors.every(
      ancestor => reaches.get(node)?.has(ancestor) === true && compareNodes(node, ancestor) <= 0,
    );
  });
  return { inScope, roots: roots.sort(compareNodes), children };
}

describe('a forest kept from changes', () => {
  test.each([[undefined], ['ns1'], ['ns2']])('equals its definition in scope %s', namespace => {
    fc.assert(
      fc.property(anyHistory, fc.boolean(), fc.constantFrom(...cast), (history, collector, asked) => {
        const graph = new OwnershipGraph({
          virtualOwners: collector ? 'until-collected' : 'while-referenced',
        });
        const forest = new Forest(graph, { namespace });
        for (const batch of history) {
          forest.apply(graph.apply(batch));
          const expected = definedForest(graph, namespace);
          expect(forest.roots().map(uidOf)).toEqual(expected.roots.map(uidOf));
          for (const root of forest.roots()) expect(forest.isRoot(root)).toBe(true);
          const node = graph.get(asked.uid);
          if (node !== undefined) {
            expect(forest.children(node).map(uidOf)).toEqual(expected.children(node).map(uidOf));
          }
          const reached = new Set<GraphNode>(forest.roots());
          for (const next of reached) for (const child of forest.children(next)) reached.add(child);
          expect([...reached].map(uidOf).sort()).toEqual(expected.inScope.map(uidOf).sort());
        }
        const built = new Forest(graph, { namespace });
        expect(forest.roots()).toEqual(built.roots());
      }),
      { numRuns: 250 },
    );
  });
});
