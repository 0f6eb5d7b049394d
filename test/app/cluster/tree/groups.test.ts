import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TreeItem } from '../../../../src/app/cluster/tree/item.ts';
import { LONE, orderOf, troubleRank } from '../../../../src/app/cluster/tree/order.ts';
import { TreeRows } from '../../../../src/app/cluster/tree/tree-rows.ts';
import { TreeTrouble } from '../../../../src/app/cluster/tree/trouble.ts';
import type { TreeSort } from '../../../../src/app/settings/settings.ts';
import type { FindingCode } from '../../../../src/diagnosis/engine/codes.ts';
import type { Finding } from '../../../../src/diagnosis/engine/finding.ts';
import { ClusterView } from '../../../../src/graph/cluster-view.ts';
import { Forest } from '../../../../src/graph/forest.ts';
import type { GraphNode } from '../../../../src/graph/node.ts';
import type { Change } from '../../../../src/model/exchange/changes.ts';
import type { Uid } from '../../../../src/model/object.ts';
import { object, ownedBy, types } from '../../../ui/synthetic-source.ts';

interface Options {
  readonly namespace?: string | undefined;
  readonly sort?: TreeSort;
}

/** Two kinds in two namespaces and outside of them: `pod-a-1` is Pod 1 in namespace a. */
class Cluster {
  readonly view = new ClusterView();
  readonly trouble = new TreeTrouble();
  readonly rows: TreeRows;
  readonly #options: Options;
  readonly #forest: Forest;
  readonly #found = new Map<Uid, Finding>();

  constructor(options: Options = {}) {
    this.#options = options;
    this.view.apply({ changes: [], types: Object.values(types) }, 0);
    this.#forest = this.#newForest();
    this.rows = this.#rowsOf(this.#forest);
  }

  apply(...changes: Change[]): void {
    const { graph } = this.view.apply({ changes }, 0);
    this.#forest.apply(graph);
    this.rows.apply(graph, this.#renew());
  }

  find(name: string, severity: 'error' | 'warning' | undefined): void {
    if (severity === undefined) this.#found.delete(name as Uid);
    else {
      const code: FindingCode = severity === 'error' ? 'ForegroundBlockedByFinalizer' : 'OwnerCycle';
      this.#found.set(name as Uid, { severity, code } as Finding);
    }
    this.rows.apply({ touched: new Set(), removed: new Set() }, this.#renew());
  }

  /** The same rows, made anew of what is known now. */
  fresh(): TreeRows {
    const rows = this.#rowsOf(this.#newForest(), this.rows);
    rows.unfoldMore(Number.POSITIVE_INFINITY);
    return rows;
  }

  node(name: string): GraphNode | undefined {
    return this.view.graph.get(name as Uid);
  }

  inScope(node: GraphNode): boolean {
    return this.#forest.contains(node);
  }

  #renew(): ReadonlySet<GraphNode> {
    const changed = this.trouble.renew(this.#found, {
      node: uid => {
        const node = this.view.graph.get(uid);
        return node !== undefined && this.#forest.contains(node) ? node : undefined;
      },
      owners: node => this.#forest.owners(node),
      isRoot: node => this.#forest.isRoot(node),
    });
    return new Set([...changed].flatMap(uid => this.view.graph.get(uid) ?? []));
  }

  #newForest(): Forest {
    return new Forest(this.view.graph, { namespace: this.#options.namespace });
  }

  #rowsOf(forest: Forest, like?: TreeRows): TreeRows {
    const { namespace, sort = 'trouble' } = this.#options;
    const { view, trouble } = this;
    const rank = (node: GraphNode): number => troubleRank(node, trouble);
    return new TreeRows(
      {
        roots: () => forest.roots(),
        children: node => forest.children(node),
        isRoot: node => forest.isRoot(node),
        takeChangedRoots: () => forest.takeChangedRoots(),
        owners: node => node.owners.flatMap(({ uid }) => view.graph.get(uid) ?? []),
      },
      {
        order: orderOf(sort, rank),
        grouping: {
          by: namespace === undefined ? 'namespace and kind' : 'kind',
          standsAlone: node => rank(node) !== LONE,
        },
        folds: like?.folds,
      },
    );
  }
}

function thing(name: string, owners: readonly string[] = [], deleted = false): Change {
  const made = (of: string) => {
    const [kind, namespace = ''] = of.split('-');
    const type = kind === 'pod' ? types.pod : kind === 'ns' ? types.namespace : types.replicaSet;
    return object({ type, namespace: kind === 'ns' ? '' : namespace, name: of, uid: of });
  };
  const { type, namespace } = made(name);
  const deletion = deleted ? { deletionTimestamp: 5_000 } : {};
  return {
    op: 'upsert',
    object: object({
      type,
      namespace,
      name,
      uid: name,
      owners: owners.map(of => ownedBy(made(of))),
    }).with(deletion),
  };
}

function gone(name: string): Change {
  return { op: 'delete', uid: name as Uid, type: types.pod };
}

function several(kind: string, count: number): Change[] {
  return Array.from({ length: count }, (_, i) => thing(`${kind}-${i}`));
}

function nameOf(item: TreeItem): string {
  return item.kind === 'object' ? item.node.identity.name : `[${item.group.key}]`;
}

function shown(rows: TreeRows): string[] {
  return rows.window(0, rows.length).map(item => '.'.repeat(item.depth) + nameOf(item));
}

describe('groups of the tree', () => {
  test('of one namespace hold what has no relations, kind by kind, as soon as there are four of them', () => {
    const one = new Cluster({ namespace: 'a' });
    one.apply(...several('pod-a', 3), thing('rs-a-0'), thing('pod-a-x', ['rs-a-0']));
    expect(shown(one.rows)).toEqual(['rs-a-0', 'pod-a-0', 'pod-a-1', 'pod-a-2']);
    one.apply(thing('pod-a-3'));
    expect(shown(one.rows)).toEqual(['rs-a-0', '[/Pod]']);
    one.apply(gone('pod-a-1'));
    expect(shown(one.rows)).toEqual(['rs-a-0', 'pod-a-0', 'pod-a-2', 'pod-a-3']);
  });

  test('of the whole cluster are namespaces with the kinds in them, what is in none last', () => {
    const cluster = new Cluster();
    cluster.apply(...several('pod-b', 4), ...several('ns', 4), thing('pod-a-0'), thing('rs-b-0'));
    expect(shown(cluster.rows)).toEqual(['[a]', '[b]', '[]']);
    for (const item of cluster.rows.window(0, 3)) cluster.rows.setExpanded(item, true);
    expect(shown(cluster.rows)).toEqual([
      '[a]',
      '.pod-a-0',
      '[b]',
      '.rs-b-0',
      '.[b/Pod]',
      '[]',
      '.[/Namespace]',
    ]);
  });

  test('let go of what is found to be wrong, and have it back', () => {
    const cluster = new Cluster({ namespace: 'a' });
    cluster.apply(...several('pod-a', 5));
    cluster.find('pod-a-3', 'warning');
    expect(shown(cluster.rows)).toEqual(['pod-a-3', '[/Pod]']);
    cluster.find('pod-a-3', undefined);
    expect(shown(cluster.rows)).toEqual(['[/Pod]']);
  });

  test('stand by the worst that is in them, with the count of it', () => {
    const cluster = new Cluster();
    cluster.apply(...several('pod-b', 5), thing('pod-a-0'), thing('rs-c-0'), thing('pod-c-0', ['rs-c-0']));
    cluster.find('pod-b-4', 'warning');
    cluster.find('pod-c-0', 'error');
    expect(shown(cluster.rows)).toEqual(['[c]', '[b]', '[a]']);
    expect(cluster.trouble.in('c')).toEqual({ errors: 1, warnings: 0 });
    expect(cluster.trouble.in('b/Pod')).toEqual({ errors: 0, warnings: 1 });
    const { rows, trouble } = cluster;
    const worst = trouble.firstOfWorst(rows.rootsIn(undefined), node => rows.childrenOf(node));
    expect(worst?.uid).toBe('pod-c-0');
    expect(rows.reveal(worst as GraphNode)?.depth).toBe(2);
    expect(shown(rows)).toEqual(['[c]', '.rs-c-0', '..pod-c-0', '[b]', '[a]']);
  });
});

type Step =
  | {
      readonly op: 'set';
      readonly name: string;
      readonly owners: readonly string[];
      readonly deleted: boolean;
    }
  | { readonly op: 'gone'; readonly name: string }
  | { readonly op: 'reveal'; readonly name: string }
  | { readonly op: 'find'; readonly name: string; readonly severity: 'error' | 'warning' | undefined }
  | { readonly op: 'fold'; readonly row: number }
  | { readonly op: 'unfold'; readonly row: number };

const names = ['pod-a', 'pod-b', 'rs-a', 'ns'].flatMap(kind =>
  Array.from({ length: 6 }, (_, i) => `${kind}-${i}`),
);
const name = fc.constantFrom(...names);
const severity = fc.constantFrom('error' as const, 'warning' as const, undefined);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constant('set' as const),
      name,
      owners: fc.oneof(
        { weight: 3, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.uniqueArray(name, { maxLength: 2 }) },
      ),
      deleted: fc.constantFrom(false, false, false, true),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('gone' as const), name }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('reveal' as const), name }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('find' as const), name, severity }) },
  {
    weight: 3,
    arbitrary: fc.record({ op: fc.constant('unfold' as const), row: fc.nat(30) }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('fold' as const), row: fc.nat(30) }) },
);

function take(cluster: Cluster, next: Step): void {
  const { rows } = cluster;
  if (next.op === 'set') cluster.apply(thing(next.name, next.owners, next.deleted));
  else if (next.op === 'gone') cluster.apply(gone(next.name));
  else if (next.op === 'find') cluster.find(next.name, next.severity);
  else if (next.op === 'fold' || next.op === 'unfold') {
    const item = rows.at(next.row % Math.max(1, rows.length));
    if (item !== undefined) rows.setExpanded(item, next.op === 'unfold');
  } else {
    const node = cluster.node(next.name);
    if (node !== undefined && cluster.inScope(node)) expect(rows.reveal(node)?.node).toBe(node);
  }
}

test.each([
  { namespace: 'a', sort: 'trouble' },
  { namespace: undefined, sort: 'trouble' },
  { namespace: undefined, sort: 'name' },
] as const)('groups kept up to date equal groups built anew: %o', options => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const cluster = new Cluster(options);
      const { rows } = cluster;
      for (const next of steps) {
        take(cluster, next);
        expect(shown(rows)).toEqual(shown(cluster.fresh()));
        const all = rows.window(0, rows.length);
        expect(all.map(item => rows.indexOf(item))).toEqual(all.map((_, i) => i));
        for (const item of all) expect(rows.again(item)).toBe(item);
      }
    }),
    { numRuns: 300 },
  );
});
