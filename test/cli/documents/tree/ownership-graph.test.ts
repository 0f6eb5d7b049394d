/** The flat form of the tree, held against the nested one. */
import { MultiDirectedGraph } from 'graphology';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { basisOf } from '../../../../src/cli/documents/basis.ts';
import type { Edge, FlatNode } from '../../../../src/cli/documents/definitions.ts';
import { printDocument } from '../../../../src/cli/documents/print/document.ts';
import { printJson } from '../../../../src/cli/documents/print/print-json.ts';
import { ownershipGraphDocument } from '../../../../src/cli/documents/tree/ownership-graph.ts';
import { type TreeNodeHead, treeContext } from '../../../../src/cli/documents/tree/ownership-tree.ts';
import { byNamespaceAndKind, type Selection, select } from '../../../../src/cli/documents/tree/selection.ts';
import type { ClusterView } from '../../../../src/graph/cluster-view.ts';
import { Random } from '../../../../src/simulation/runtime/random.ts';
import { viewOf as randomView, world } from '../../../forecast/random-world.ts';
import { now, viewOf } from '../cluster.ts';

interface Flat {
  readonly nodes: readonly FlatNode[];
  readonly edges: readonly Edge[];
}

interface Nested extends TreeNodeHead {
  readonly dependents: readonly Nested[];
}

const info = { source: 'files', context: 'test', namespace: 'shop', serverVersion: undefined } as const;

function whole(view: ClusterView): Selection {
  return select(view.graph, view.graph.nodes(), byNamespaceAndKind);
}

function document(view: ClusterView, selection: Selection) {
  return ownershipGraphDocument(basisOf(info, view, now), selection, treeContext(view), now);
}

function flatOf(view: ClusterView, selection = whole(view)): Flat {
  return JSON.parse([...printDocument(document(view, selection), 'json')].join('')) as Flat;
}

function nestedOf(view: ClusterView, selection: Selection): readonly Nested[] {
  const text = [...printJson(basisOf(info, view, now), selection, treeContext(view), now)].join('');
  return (JSON.parse(text) as { readonly roots: readonly Nested[] }).roots;
}

describe('the flat form', () => {
  const odd = `
- {kind: Deployment, name: web, uid: new}
- {kind: ConfigMap, name: a, owners: [apps/v1 Deployment web old, v1 ConfigMap b, v1 ConfigMap b]}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a, apps/v1 Deployment web new +c +b]}
- {kind: ConfigMap, name: self, owners: [v1 ConfigMap self]}
- {kind: Secret, name: apart, labels: {app.kubernetes.io/name: x, "y": "no: 1"}}
`;

  test('has every object once, and an owner that only references name beside the one that took its place', () => {
    const { nodes } = flatOf(viewOf(odd));
    expect(nodes.map(({ id, state }) => `${id} ${state}`).toSorted()).toEqual([
      'ConfigMap/shop/a Live',
      'ConfigMap/shop/b Live',
      'ConfigMap/shop/self Live',
      'Deployment.apps/shop/web Live',
      'Deployment.apps/shop/web#old Virtual',
      'Secret/shop/apart Live',
    ]);
  });

  test('has an edge for each owner reference, in cycles too', () => {
    const { edges } = flatOf(viewOf(odd));
    expect(
      edges
        .map(({ owner, dependent, status, controller }) => [owner, dependent, status, controller].join(' '))
        .toSorted(),
    ).toEqual([
      'ConfigMap/shop/a ConfigMap/shop/b Solid false',
      'ConfigMap/shop/b ConfigMap/shop/a Solid false',
      'ConfigMap/shop/b ConfigMap/shop/a Solid false',
      'ConfigMap/shop/self ConfigMap/shop/self Solid false',
      'Deployment.apps/shop/web ConfigMap/shop/b Solid true',
      'Deployment.apps/shop/web#old ConfigMap/shop/a Absent false',
    ]);
  });

  test('says the same as YAML, hostile labels and empty lists included', () => {
    for (const yaml of [
      odd,
      '[]',
      '[{kind: ConfigMap, name: a, labels: {"a: b": "#", "on": "\\e[1m", "": ""}}]',
    ]) {
      const view = viewOf(yaml);
      const text = [...printDocument(document(view, whole(view)), 'yaml')].join('');
      expect(parse(text)).toMatchObject({ ...flatOf(view) });
    }
  });

  test('names owners outside of the document at their dependent', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: a}
- {kind: ConfigMap, name: b}
- {kind: ConfigMap, name: c, owners: [v1 ConfigMap a, v1 ConfigMap b]}
`);
    const target = [...view.graph.nodes()].filter(({ identity }) => identity.name === 'a');
    const { nodes, edges } = flatOf(view, select(view.graph, target, byNamespaceAndKind));
    expect(nodes.map(({ id, otherOwners }) => [id, ...otherOwners.map(({ object }) => object.name)])).toEqual(
      [['ConfigMap/shop/a'], ['ConfigMap/shop/c', 'b']],
    );
    expect(edges).toHaveLength(1);
  });

  test('describes the same graph as the nested one, of random clusters and of parts of them', () => {
    const seen = { cycles: 0, shared: 0, virtual: 0, outside: 0 };
    for (let seed = 1; seed <= 100; seed++) {
      const random = new Random(seed);
      const view = randomView(world(random));
      const part = [...view.graph.nodes()].filter(() => random.below(3) === 0);
      for (const selection of [whole(view), select(view.graph, part, byNamespaceAndKind)]) {
        const flat = flatOf(view, selection);
        const nested = nestedOf(view, selection);
        expect(told(graphOfFlat(flat)), `seed ${seed}`).toEqual(told(graphOfNested(nested)));
        for (const each of places(nested)) {
          seen.cycles += Number(each.cycle === true);
          seen.shared += Number(each.seeAlso === true);
          seen.virtual += Number(each.state === 'Virtual');
        }
        seen.outside += flat.nodes.filter(({ otherOwners }) => otherOwners.length > 0).length;
      }
    }
    // The clusters are odd enough for that to say something.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(5);
  });
});

function* places(nodes: readonly Nested[]): Generator<Nested> {
  for (const node of nodes) {
    yield node;
    yield* places(node.dependents);
  }
}

/** Nodes by uid with what is said of each, and an edge for each owner reference with what it says. */
type Graph = MultiDirectedGraph<Record<string, unknown>, { readonly said: string }>;

const uidOf = ({ object }: { readonly object: { readonly uid?: string } }): string => object.uid ?? '';

function graphOfNested(roots: readonly Nested[]): Graph {
  const graph: Graph = new MultiDirectedGraph();
  // By first places, and then what is below every place.
  for (const { seeAlso, cycle: _cycle, owners, dependents: _dependents, ...said } of places(roots))
    if (seeAlso === undefined) graph.addNode(uidOf(said), { ...said, owners: owners.length });
  for (const place of places(roots))
    for (const each of place.dependents) {
      if (graph.hasDirectedEdge(uidOf(place), uidOf(each))) continue;
      for (const owner of each.owners)
        if (uidOf(owner) === uidOf(place))
          graph.addDirectedEdge(uidOf(place), uidOf(each), { said: JSON.stringify(owner) });
    }
  return graph;
}

function graphOfFlat({ nodes, edges }: Flat): Graph {
  // As it comes: ids are the keys, and a second node or an edge to none would throw.
  const loaded = new MultiDirectedGraph<FlatNode, Omit<Edge, 'owner' | 'dependent'>>();
  for (const node of nodes) loaded.addNode(node.id, node);
  for (const { owner, dependent, ...edge } of edges) loaded.addEdge(owner, dependent, edge);
  const graph: Graph = new MultiDirectedGraph();
  loaded.forEachNode((id, { id: _id, otherOwners, ...said }) =>
    graph.addNode(uidOf(said), { ...said, owners: loaded.inDegree(id) + otherOwners.length }),
  );
  loaded.forEachEdge((_key, { reference, ...standing }, _owner, _dependent, owner, dependent) =>
    graph.addEdge(uidOf(owner), uidOf(dependent), {
      said: JSON.stringify({ object: reference, ...standing }),
    }),
  );
  return graph;
}

/** The graph in an order of its own. */
function told(graph: Graph): unknown {
  return {
    nodes: graph.mapNodes((uid, said) => ({ uid, said })).sort((a, b) => (a.uid < b.uid ? -1 : 1)),
    edges: graph.mapEdges((_key, { said }, owner, dependent) => `${owner} → ${dependent}: ${said}`).sort(),
  };
}
