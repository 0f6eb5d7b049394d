import { describe, expect, test } from 'vitest';
import { dotGraph, renderDot } from '../../src/graph/dot.ts';
import { OwnershipGraph } from '../../src/graph/graph.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { object, refTo, uid } from './fixtures.ts';

function owned(name: string, ...owners: string[]): KubeObject {
  return object({ uid: name, owners: owners.map(owner => refTo(object({ uid: owner }))) });
}

function graphOf(...objects: KubeObject[]): OwnershipGraph {
  const graph = new OwnershipGraph({ virtualOwners: 'until-collected' });
  graph.apply(objects.map(next => ({ op: 'upsert', object: next }) as const));
  return graph;
}

function drawn(graph: OwnershipGraph, ...starts: string[]): { vertices: string[]; edges: string[] } {
  const { vertices, edges } = dotGraph(graph, starts.length === 0 ? undefined : starts.map(uid));
  return {
    vertices: vertices.map(vertex => `${vertex.uid}${vertex.missing ? ' (missing)' : ''}`),
    edges: edges.map(({ dependent, owner }) => `${dependent} -> ${owner}`),
  };
}

const twoChains = [
  owned('golf'),
  owned('foxtrot', 'golf'),
  owned('delta', 'foxtrot'),
  owned('charlie'),
  owned('bravo'),
  owned('alpha', 'bravo', 'charlie'),
];
const firstChain = ['alpha', 'bravo', 'charlie'];
const secondChain = ['delta', 'foxtrot', 'golf'];

describe('the graph as vertices and edges', () => {
  test('V1: owners and dependents, sorted by uid', () => {
    const graph = graphOf(owned('charlie'), owned('bravo'), owned('alpha', 'bravo', 'charlie'));
    expect(drawn(graph)).toEqual({
      vertices: firstChain,
      edges: ['alpha -> bravo', 'alpha -> charlie'],
    });
  });

  test('V2: an owner that is missing from the graph has a vertex of its own', () => {
    const graph = graphOf(owned('bravo'), owned('charlie'), owned('alpha', 'bravo', 'charlie'));
    graph.process({ op: 'delete', object: owned('bravo') });
    expect(drawn(graph)).toEqual({
      vertices: ['alpha', 'bravo (missing)', 'charlie'],
      edges: ['alpha -> bravo', 'alpha -> charlie'],
    });
  });

  test('V3: objects without owners and dependents are left out', () => {
    expect(drawn(graphOf(owned('echo'), owned('alpha', 'bravo'), owned('bravo'))).vertices).toEqual([
      'alpha',
      'bravo',
    ]);
  });

  test('V4: two chains side by side', () => {
    const all = drawn(graphOf(...twoChains));
    expect(all.vertices).toEqual([...firstChain, ...secondChain]);
    expect(all.edges).toEqual(['alpha -> bravo', 'alpha -> charlie', 'delta -> foxtrot', 'foxtrot -> golf']);
  });

  test('V5: from one object, all that is connected with it in either direction', () => {
    expect(drawn(graphOf(...twoChains), 'bravo').vertices).toEqual(firstChain);
  });

  test('V6: from an object with a missing owner, that owner too', () => {
    const graph = graphOf(owned('bravo'), owned('alpha', 'bravo'));
    graph.process({ op: 'delete', object: owned('bravo') });
    expect(drawn(graph, 'alpha').vertices).toEqual(['alpha', 'bravo (missing)']);
  });

  test('V7: from an isolated object, nothing', () => {
    const graph = graphOf(...twoChains, owned('echo'));
    expect(drawn(graph, 'echo')).toEqual({ vertices: [], edges: [] });
  });

  test('V8: from the owner at the end of a chain, the chain', () => {
    expect(drawn(graphOf(...twoChains), 'golf').vertices).toEqual(secondChain);
  });

  test('V10: from objects of both chains, both', () => {
    expect(drawn(graphOf(...twoChains), 'delta', 'charlie').vertices).toEqual([
      ...firstChain,
      ...secondChain,
    ]);
  });
});

describe('V11: DOT text', () => {
  test('of an empty graph', () => {
    expect(renderDot(dotGraph(graphOf()))).toBe('strict digraph ownership {\n}\n');
  });

  test('of an owner and its dependent', () => {
    expect(renderDot(dotGraph(graphOf(owned('bravo'), owned('alpha', 'bravo'))))).toMatchInlineSnapshot(`
      "strict digraph ownership {
        0 [
          label="Pod ns1/alpha\\nuid alpha"
          apiVersion="v1"
          kind="Pod"
          namespace="ns1"
          name="alpha"
          uid="alpha"
          missing="false"
          virtual="false"
          beingDeleted="false"
          deletingDependents="false"
        ];
        1 [
          label="Pod ns1/bravo\\nuid bravo"
          apiVersion="v1"
          kind="Pod"
          namespace="ns1"
          name="bravo"
          uid="bravo"
          missing="false"
          virtual="false"
          beingDeleted="false"
          deletingDependents="false"
        ];
        0 -> 1;
      }
      "
    `);
  });

  test('never lets a name end its string or its line', () => {
    const hostile = object({
      uid: 'h',
      name: 'a"b\\c\nd\u001b[2J\u0007',
      owners: [refTo(object({ uid: 'o' }))],
    });
    const lines = renderDot(dotGraph(graphOf(hostile))).split('\n');
    expect(lines).toContain('    name="a\\"b\\\\c\\nd[2J"');
    const attributeLine = /^ {4}\w+="(?:[^"\\]|\\.)*"$/;
    for (const line of lines.filter(text => text.startsWith('    '))) expect(line).toMatch(attributeLine);
  });
});
