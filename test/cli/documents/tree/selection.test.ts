import { expect, test } from 'vitest';
import {
  byNamespaceAndKind,
  type Selection,
  select,
  topmost,
  walk,
} from '../../../../src/cli/documents/tree/selection.ts';
import type { ClusterView } from '../../../../src/graph/cluster-view.ts';
import type { GraphNode } from '../../../../src/graph/node.ts';
import { viewOf } from '../cluster.ts';

function selectNames(view: ClusterView, ...names: string[]): Selection {
  const targets = [...view.graph.nodes()].filter(node => names.includes(node.identity.name));
  return select(view.graph, targets, byNamespaceAndKind);
}

/** The walk as indented names; `*` is a seeAlso leaf, `@` a cycle. */
function outline(selection: Selection): string[] {
  const lines: string[] = [];
  for (const { at, place } of walk(selection))
    if (at === 'enter') {
      const mark = place.cycle ? '@' : place.seeAlso ? '*' : '';
      lines.push(`${'  '.repeat(place.depth)}${place.node.identity.name}${mark}`);
    }
  return lines;
}

const deployments = `
- {kind: Deployment, name: api}
- {kind: ReplicaSet, name: api-1, owners: [apps/v1 Deployment api]}
- {kind: ReplicaSet, name: api-2, owners: [apps/v1 Deployment api]}
- {kind: Pod, name: pod-1, owners: [apps/v1 ReplicaSet api-1]}
- {kind: Pod, name: pod-2, owners: [apps/v1 ReplicaSet api-1]}
- {kind: Pod, name: loner}
`;

test('a target is shown with its owners upwards and its dependents downwards, without its siblings', () => {
  expect(outline(selectNames(viewOf(deployments), 'api-1'))).toEqual([
    'api',
    '  api-1',
    '    pod-1',
    '    pod-2',
  ]);
  expect(outline(selectNames(viewOf(deployments), 'pod-2'))).toEqual(['api', '  api-1', '    pod-2']);
});

test('an object with two owners is in full below the first and a leaf below the second', () => {
  const view = viewOf(`
- {kind: ConfigMap, name: a}
- {kind: ConfigMap, name: b}
- {kind: Job, name: both, owners: [v1 ConfigMap a, v1 ConfigMap b]}
- {kind: Pod, name: pod, owners: [batch/v1 Job both]}
`);
  expect(outline(selectNames(view, 'both'))).toEqual(['a', '  both', '    pod', 'b', '  both*']);
});

test('the further owner of a dependent is no part of the tree unless it is above a target', () => {
  const view = viewOf(`
- {kind: ConfigMap, name: a}
- {kind: ConfigMap, name: b}
- {kind: Pod, name: pod, owners: [v1 ConfigMap a, v1 ConfigMap b]}
`);
  expect(outline(selectNames(view, 'a'))).toEqual(['a', '  pod']);
});

const cycle = `
- {kind: ConfigMap, name: hen, owners: [v1 ConfigMap egg]}
- {kind: ConfigMap, name: egg, owners: [v1 ConfigMap hen]}
- {kind: ConfigMap, name: chick, owners: [v1 ConfigMap egg]}
- {kind: ConfigMap, name: self, owners: [v1 ConfigMap self]}
`;

test('a cycle ends in a leaf where it closes, whatever was asked for', () => {
  expect(outline(selectNames(viewOf(cycle), 'hen'))).toEqual(['hen', '  egg', '    chick', '    hen@']);
  expect(outline(selectNames(viewOf(cycle), 'self'))).toEqual(['self', '  self@']);
});

test('what hangs below a cycle is shown with the whole cycle above it', () => {
  expect(outline(selectNames(viewOf(cycle), 'chick'))).toEqual(['egg', '  chick', '  hen', '    egg@']);
});

test('every selected object is reached from a root exactly once', () => {
  const view = viewOf(deployments + cycle.trimStart());
  const selection = select(view.graph, view.graph.nodes(), byNamespaceAndKind);
  const full = outline(selection).filter(line => !/[*@]$/u.test(line));
  expect(full.length).toBe(10);
  expect(new Set(full.map(line => line.trim())).size).toBe(10);
});

test('an owner that nobody has seen stands as a root above its dependents', () => {
  const view = viewOf('[{kind: Pod, name: pod, owners: [apps/v1 ReplicaSet gone]}]');
  expect(outline(selectNames(view, 'pod'))).toEqual(['gone', '  pod']);
});

test('ownership deeper than the call stack is walked', () => {
  const depth = 20_000;
  const levels = Array.from(
    { length: depth },
    (_, i) => `- {kind: ConfigMap, name: c${i}${i === 0 ? '' : `, owners: [v1 ConfigMap c${i - 1}]`}}`,
  );
  const view = viewOf(levels.join('\n'));
  const selection = selectNames(view, `c${depth - 1}`);
  let deepest = 0;
  for (const { place } of walk(selection)) deepest = Math.max(deepest, place.depth);
  expect(deepest).toBe(depth - 1);
});

test('a depth limit hides dependents further down, and counts them', () => {
  const { graph } = viewOf(deployments);
  const targets = (...names: string[]) =>
    [...graph.nodes()].filter(node => names.includes(node.identity.name));
  const hidden = (names: readonly string[], depth: number): string[] =>
    [...walk(select(graph, targets(...names), byNamespaceAndKind, { depth }))].flatMap(
      ({
        at,
        place: {
          node,
          hidden: { belowDepth },
        },
      }) => (at === 'enter' ? `${node.identity.name}${belowDepth > 0 ? ` +${belowDepth}` : ''}` : []),
    );
  expect(hidden(['api'], 0)).toEqual(['api +2']);
  expect(hidden(['api'], 1)).toEqual(['api', 'api-1 +2', 'api-2']);
  expect(hidden(['api'], 2)).toEqual(['api', 'api-1', 'pod-1', 'pod-2', 'api-2']);
  // Owners of a target are always shown, and their other dependents never.
  expect(hidden(['api-1'], 0)).toEqual(['api', 'api-1 +2']);
  expect(
    topmost(graph, graph.nodes())
      .map(({ identity }) => identity.name)
      .sort(),
  ).toEqual(['api', 'loner']);
});

test('hidden types are left out, and what is below them stands by itself', () => {
  const { graph } = viewOf(deployments);
  const hides = (node: GraphNode): boolean => node.identity.kind === 'ReplicaSet';
  const selection = select(graph, graph.nodes(), byNamespaceAndKind, { hides });
  expect(outline(selection)).toEqual(['api', 'loner', 'pod-1', 'pod-2']);
  expect(selection.roots.map(node => selection.hidden(node).ofTypes)).toEqual([2, 0, 0, 0]);
  expect(selection.hiddenSize).toBe(2);
});

test('no object of a hidden type is shown because it is in a cycle', () => {
  const { graph } = viewOf(`
- {kind: ConfigMap, name: a, owners: [v1 Secret b b]}
- {kind: Secret, name: b, owners: [v1 ConfigMap a a]}
`);
  const hides = (node: GraphNode): boolean => node.identity.kind === 'Secret';
  expect(outline(select(graph, graph.nodes(), byNamespaceAndKind, { hides }))).toEqual(['a']);
});

test('of a cycle without an outer owner everything is topmost', () => {
  const { graph } = viewOf(`
- {kind: ConfigMap, name: a, owners: [v1 ConfigMap b b]}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a a]}
- {kind: ConfigMap, name: below, owners: [v1 ConfigMap a a]}
`);
  expect(topmost(graph, graph.nodes())).toHaveLength(3);
});
