import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TreeItem } from '../../../../src/app/cluster/tree/item.ts';
import { orderOf } from '../../../../src/app/cluster/tree/order.ts';
import { TreeRows } from '../../../../src/app/cluster/tree/tree-rows.ts';
import { ClusterView } from '../../../../src/graph/cluster-view.ts';
import { compareNodes, Forest } from '../../../../src/graph/forest.ts';
import type { GraphNode } from '../../../../src/graph/node.ts';
import type { Change } from '../../../../src/model/exchange/changes.ts';
import type { Uid } from '../../../../src/model/object.ts';
import { object, ownedBy, types } from '../../../ui/synthetic-source.ts';

function cluster(options: { expanded?: boolean } = {}) {
  const view = new ClusterView();
  view.apply({ changes: [], types: Object.values(types) }, 0);
  const forest = new Forest(view.graph, { namespace: undefined });
  const owners = (node: GraphNode) => node.owners.flatMap(({ uid }) => view.graph.get(uid) ?? []);
  const shape = {
    roots: () => forest.roots(),
    children: (node: GraphNode) => forest.children(node),
    isRoot: (node: GraphNode) => forest.isRoot(node),
    takeChangedRoots: () => forest.takeChangedRoots(),
    owners,
  };
  const rows = new TreeRows(shape, options);
  return {
    view,
    forest,
    rows,
    apply: (...changes: Change[]) => {
      const { graph } = view.apply({ changes }, 0);
      forest.apply(graph);
      rows.apply(graph);
    },
  };
}

function thing(name: string, ownerNames: readonly string[] = [], createdAt = 1): Change {
  const owner = (of: string) => ownedBy(object({ type: types.pod, namespace: 'a', name: of, uid: of }));
  return {
    op: 'upsert',
    object: object({
      type: types.pod,
      namespace: 'a',
      name,
      uid: name,
      owners: ownerNames.map(owner),
      creationTimestamp: createdAt * 1000,
    }),
  };
}

function gone(name: string): Change {
  return { op: 'delete', uid: name as Uid, type: types.pod };
}

function shown(rows: TreeRows): string[] {
  return rows.window(0, rows.length).map(item => '.'.repeat(item.depth) + nameOf(item));
}

function nameOf(item: TreeItem): string {
  return item.kind === 'object' ? item.node.identity.name : `[${item.group.key}]`;
}

function rowOf(rows: TreeRows, name: string): TreeItem {
  const item = rows.find(name as Uid);
  if (item === undefined) throw new Error(`no row of ${name}`);
  return item;
}

describe('the rows of the tree', () => {
  test('show folded roots, and what they own once unfolded', () => {
    const { rows, apply } = cluster();
    apply(thing('a'), thing('b', ['a']), thing('c', ['b']), thing('d'));
    expect(shown(rows)).toEqual(['a', 'd']);
    rows.setExpanded(rowOf(rows, 'a'), true);
    rows.setExpanded(rowOf(rows, 'b'), true);
    expect(shown(rows)).toEqual(['a', '.b', '..c', 'd']);
    rows.setExpanded(rowOf(rows, 'a'), false);
    expect(shown(rows)).toEqual(['a', 'd']);
  });

  test('keep below a folded row what was unfolded there', () => {
    const { rows, apply } = cluster();
    apply(thing('a'), thing('b', ['a']), thing('c', ['b']));
    rows.setExpanded(rowOf(rows, 'a'), true);
    rows.setExpanded(rowOf(rows, 'b'), true);
    rows.setExpanded(rowOf(rows, 'a'), false);
    rows.setExpanded(rowOf(rows, 'a'), true);
    expect(shown(rows)).toEqual(['a', '.b', '..c']);
  });

  test('show an object below each of its owners, folded apart from each other', () => {
    const { rows, apply } = cluster();
    apply(thing('a'), thing('b'), thing('x', ['a', 'b']), thing('y', ['x']));
    rows.setExpanded(rowOf(rows, 'a'), true);
    rows.setExpanded(rowOf(rows, 'b'), true);
    const [first] = rows.window(1, 1);
    if (first !== undefined) rows.setExpanded(first, true);
    expect(shown(rows)).toEqual(['a', '.x', '..y', 'b', '.x']);
  });

  test('end a cycle of owners at the first repetition, even with everything unfolded', () => {
    const { rows, apply } = cluster();
    apply(thing('a', ['c']), thing('b', ['a']), thing('c', ['b']), thing('self', ['self']));
    rows.setAllExpanded(true);
    rows.unfoldMore(Number.POSITIVE_INFINITY);
    expect(shown(rows)).toEqual(['a', '.b', '..c', '...a', 'self', '.self']);
    expect(rows.canExpand(rows.window(3, 1)[0] as TreeItem)).toBe(false);
  });

  test('unfold what is new below an unfolded row, and drop what went', () => {
    const { rows, apply } = cluster();
    apply(thing('a'), thing('b', ['a']));
    rows.setExpanded(rowOf(rows, 'a'), true);
    apply(thing('c', ['a']), gone('b'));
    expect(shown(rows)).toEqual(['a', '.c']);
  });

  test('make an orphan a root', () => {
    const { rows, apply } = cluster();
    apply(thing('a'), thing('b', ['a']));
    rows.setExpanded(rowOf(rows, 'a'), true);
    apply(thing('b'));
    expect(shown(rows)).toEqual(['a', 'b']);
  });

  test('reveal an object by unfolding the way to it', () => {
    const { rows, view, apply } = cluster();
    apply(thing('a'), thing('b', ['a']), thing('c', ['b']), thing('z'));
    const item = rows.reveal(view.graph.get('c' as Uid) as GraphNode);
    expect(item?.node.identity.name).toBe('c');
    expect(shown(rows)).toEqual(['a', '.b', '..c', 'z']);
  });

  test('narrow to a set and fold back to what was before', () => {
    const { rows, apply } = cluster();
    apply(thing('a'), thing('b', ['a']), thing('c', ['a']), thing('z'));
    rows.setFilter(new Set(['a', 'c'] as Uid[]));
    rows.unfoldMore(Number.POSITIVE_INFINITY);
    expect(shown(rows)).toEqual(['a', '.c']);
    rows.setFilter(undefined);
    expect(shown(rows)).toEqual(['a', 'z']);
  });

  test('stand in another order, and move when what orders them changes', () => {
    const { rows, apply } = cluster();
    rows.setOrder(orderOf('age', () => 0));
    apply(thing('a', [], 1), thing('b', [], 3), thing('c', [], 2));
    expect(shown(rows)).toEqual(['b', 'c', 'a']);
    apply(thing('a', [], 9), thing('b', [], 0));
    expect(shown(rows)).toEqual(['a', 'c', 'b']);
  });

  test('unfold a large tree in parts, each row once', () => {
    const { rows, apply } = cluster({ expanded: true });
    const changes: Change[] = [];
    for (let i = 0; i < 50; i++) changes.push(thing(`r${i}`), thing(`k${i}`, [`r${i}`]));
    apply(...changes);
    rows.setAllExpanded(true);
    let parts = 0;
    while (rows.unfoldMore(10)) parts += 1;
    expect(parts).toBeGreaterThan(2);
    expect(rows.length).toBe(100);
    expect(rows.unfolding).toBe(false);
  });
});

type Step =
  | { readonly op: 'set'; readonly name: string; readonly owners: readonly string[]; readonly at: number }
  | { readonly op: 'gone'; readonly name: string }
  | { readonly op: 'fold' | 'unfold'; readonly row: number };

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('set' as const),
      name,
      owners: fc.uniqueArray(name, { maxLength: 2 }),
      at: fc.nat(3),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('gone' as const), name }) },
  {
    weight: 3,
    arbitrary: fc.record({ op: fc.constantFrom('fold' as const, 'unfold' as const), row: fc.nat(20) }),
  },
);

/** The same rows by definition: everything walked anew from the roots, with the paths that are unfolded. */
function byDefinition(
  forest: Forest,
  unfolded: ReadonlySet<string>,
  order: ReturnType<typeof orderOf>,
): string[] {
  const out: string[] = [];
  const sorted = (nodes: readonly GraphNode[]) =>
    order === undefined
      ? nodes
      : [...nodes].sort((a, b) => order.rank(a) - order.rank(b) || compareNodes(a, b));
  const walk = (node: GraphNode, path: readonly string[]) => {
    const { uid } = node.identity;
    out.push([...path, uid].join('/'));
    if (path.includes(uid) || !unfolded.has([...path, uid].join('/'))) return;
    for (const child of sorted(forest.children(node))) walk(child, [...path, uid]);
  };
  for (const root of sorted(forest.roots())) walk(root, []);
  return out;
}

function pathOf(item: TreeItem): string {
  const name = item.kind === 'object' ? item.uid : `[${item.group.key}]`;
  return item.parent === undefined ? name : `${pathOf(item.parent)}/${name}`;
}

test.each(['name', 'age'] as const)('rows kept up to date equal rows built anew (sorted by %s)', key => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const { rows, forest, apply } = cluster();
      const order = orderOf(key, () => 0);
      rows.setOrder(order);
      for (const next of steps) {
        if (next.op === 'set') apply(thing(next.name, next.owners, next.at));
        else if (next.op === 'gone') apply(gone(next.name));
        else {
          const item = rows.at(next.row % Math.max(1, rows.length));
          if (item !== undefined) rows.setExpanded(item, next.op === 'unfold');
        }
        const all = rows.window(0, rows.length);
        // What is unfolded is read off the rows, so that this checks their upkeep and not the memory of folds.
        const unfolded = new Set(all.filter(item => item.children !== undefined).map(pathOf));
        expect(all.map(pathOf)).toEqual(byDefinition(forest, unfolded, order));
        expect(all.map(item => rows.indexOf(item))).toEqual(all.map((_, i) => i));
        for (const item of all) expect(rows.again(item)).toBe(item);
        const half = Math.floor(all.length / 2);
        expect(rows.window(half, 3)).toEqual(all.slice(half, half + 3));
      }
    }),
    { numRuns: 200 },
  );
});
