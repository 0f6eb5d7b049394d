import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { basisOf } from '../../../../src/cli/documents/basis.ts';
import { printDot, printMermaid } from '../../../../src/cli/documents/print/diagram.ts';
import { printNames } from '../../../../src/cli/documents/print/document.ts';
import { printJson } from '../../../../src/cli/documents/print/print-json.ts';
import { printText, type TextOptions } from '../../../../src/cli/documents/print/text.ts';
import { printYaml } from '../../../../src/cli/documents/print/yaml.ts';
import { treeContext } from '../../../../src/cli/documents/tree/ownership-tree.ts';
import { byNamespaceAndKind, select } from '../../../../src/cli/documents/tree/selection.ts';
import type { ClusterView } from '../../../../src/graph/cluster-view.ts';
import { Glyphs } from '../../../../src/text/terminal/glyphs.ts';
import { now, viewOf } from '../cluster.ts';
import { schemaOf } from '../schema.ts';

const schema = schemaOf('OwnershipTree');
const validate = new Ajv2020({ strict: false }).compile(schema);

interface Node {
  readonly stateText?: string;
  readonly notes: readonly string[];
  readonly object: { readonly name: string; readonly namespace?: string };
  readonly state: string;
  readonly verdict: string;
  readonly owners: readonly { readonly status: string; readonly object: { readonly namespace?: string } }[];
  readonly dependents: readonly Node[];
  readonly seeAlso?: true;
  readonly cycle?: true;
}

const info = { source: 'files', context: 'test', namespace: 'shop', serverVersion: undefined } as const;

type Format = 'json' | 'yaml' | 'name' | 'dot' | 'mermaid';

function print(view: ClusterView, format: Format): string {
  const selection = select(view.graph, view.graph.nodes(), byNamespaceAndKind);
  const context = treeContext(view);
  const basis = basisOf(info, view, now);
  const pieces = {
    json: () => printJson(basis, selection, context, now),
    yaml: () => printYaml(basis, selection, context, now),
    name: () => printNames(selection, 'shop'),
    dot: () => printDot(selection, context),
    mermaid: () => printMermaid(selection, context),
  }[format]();
  return [...pieces].join('');
}

function document(view: ClusterView): { readonly basis: object; readonly roots: readonly Node[] } {
  return JSON.parse(print(view, 'json')) as ReturnType<typeof document>;
}

const odd = `
- {kind: Deployment, name: api}
- {kind: ReplicaSet, name: rs, owners: [apps/v1 Deployment api api +c +b]}
- {kind: StatefulSet, name: web, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [foregroundDeletion]}
- {kind: Pod, name: web-0, owners: [apps/v1 StatefulSet web web +c +b]}
- {kind: ConfigMap, name: orphaning, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [orphan]}
- {kind: ConfigMap, name: held, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [example.com/a]}
- {kind: ConfigMap, name: dangling, owners: [apps/v1 Deployment legacy]}
- {kind: ConfigMap, name: mismatched, owners: [apps/v1 Deployment api-v1 api]}
- {kind: Secret, name: elsewhere, namespace: infra, owners: [apps/v1 Deployment api]}
- {kind: ClusterRole, name: read-all, owners: [apps/v1 Deployment api]}
- {kind: ConfigMap, name: widget, owners: [example.com/v1 Widget w]}
- {kind: ConfigMap, name: two, owners: [v1 ConfigMap held, apps/v1 Deployment api]}
- {kind: ConfigMap, name: self, owners: [v1 ConfigMap self]}
`;

function find(roots: readonly Node[], name: string): Node {
  for (const node of roots) {
    if (node.object.name === name && node.seeAlso === undefined) return node;
    const below = node.dependents.length === 0 ? undefined : findOrNone(node.dependents, name);
    if (below !== undefined) return below;
  }
  throw new Error(`no ${name}`);
}

function findOrNone(nodes: readonly Node[], name: string): Node | undefined {
  try {
    return find(nodes, name);
  } catch {
    return undefined;
  }
}

describe('as JSON', () => {
  const { basis, roots } = document(viewOf(odd));

  test('it is valid by the published schema', () => {
    validate(document(viewOf(odd)));
    expect(validate.errors).toBeNull();
    validate(document(viewOf('[]')));
    expect(validate.errors).toBeNull();
  });

  test('the schema refuses fields that the document does not have', () => {
    expect(validate({ apiVersion: 'gc-tree.dev/v1alpha1', kind: 'OwnershipTree', basis, roots: [{}] })).toBe(
      false,
    );
    const leaf = { ...find(roots, 'api'), seeAlso: true };
    expect(
      validate({ apiVersion: 'gc-tree.dev/v1alpha1', kind: 'OwnershipTree', basis, roots: [leaf] }),
    ).toBe(false);
  });

  test('the basis says what it was made from and leaves out what is unknown', () => {
    expect(basis).toEqual({
      source: 'files',
      context: 'test',
      takenAt: '2026-11-21T12:00:00Z',
      complete: true,
      blindSpots: [],
    });
  });

  test.each([
    ['api', 'Live'],
    ['web', 'ForegroundDeleting'],
    ['orphaning', 'OrphanDeleting'],
    ['held', 'Deleting'],
    ['legacy', 'Virtual'],
  ])('%s is %s', (name, state) => {
    expect(find(roots, name).state).toBe(state);
  });

  test.each([
    ['rs', 'Solid', 'None'],
    ['web-0', 'WaitingForDependents', 'DeleteBackground'],
    ['dangling', 'Absent', 'DeleteBackground'],
    ['mismatched', 'Mismatched', 'DeleteBackground'],
    ['elsewhere', 'OtherNamespace', 'DeleteBackground'],
    ['read-all', 'ClusterScopeViolation', 'NeverCollected'],
    ['widget', 'Unresolvable', 'RetryForever'],
  ])("%s: its owner is %s, the collector's next move %s", (name, status, verdict) => {
    const node = find(roots, name);
    expect(node.owners[0]?.status).toBe(status);
    expect(node.verdict).toBe(verdict);
  });

  test('an owner that was seen is named with the namespace in which it is', () => {
    expect(find(roots, 'elsewhere').owners[0]?.object.namespace).toBe('shop');
    expect(find(roots, 'read-all').object).not.toHaveProperty('namespace');
  });

  test('a second place is a leaf with seeAlso, a cycle one with cycle too', () => {
    const places = roots.flatMap(root => root.dependents).filter(node => node.object.name === 'two');
    expect(places.map(node => node.seeAlso)).toEqual([undefined, true]);
    const [closing] = find(roots, 'self').dependents;
    expect(closing).toMatchObject({ seeAlso: true, cycle: true, dependents: [] });
  });
});

test('YAML says the same as JSON', () => {
  const view = viewOf(odd);
  expect(parse(print(view, 'yaml'))).toEqual(document(view));
  expect(parse(print(viewOf('[]'), 'yaml'))).toEqual(document(viewOf('[]')));
});

test('YAML says the same as JSON below the depth at which it stops indenting', () => {
  const levels = Array.from(
    { length: 130 },
    (_, i) =>
      `- {kind: ConfigMap, name: c${i}${i === 0 ? '' : `, owners: [v1 ConfigMap c${i - 1}]`}}\n` +
      `- {kind: ConfigMap, name: d${i}, owners: [v1 ConfigMap c${i}]}`,
  );
  const view = viewOf(levels.join('\n'));
  expect(parse(print(view, 'yaml'))).toEqual(document(view));
});

const hostile = 'x"\\\u001b]0;t\u0007\u202e`;-->{}%%<b>\u0085\nno: [1';

test('hostile text comes back whole from JSON and YAML, and no control character is in the output', () => {
  const view = viewOf(
    `[{kind: ConfigMap, name: a, finalizers: [${JSON.stringify(hostile)}, "yes", "1e3", "~", "- a"]}]`,
  );
  for (const [text, value] of [
    [print(view, 'json'), JSON.parse(print(view, 'json'))],
    [print(view, 'yaml'), parse(print(view, 'yaml'))],
  ] as const) {
    expect((value as { roots: { finalizers: string[] }[] }).roots[0]?.finalizers).toEqual([
      hostile,
      'yes',
      '1e3',
      '~',
      '- a',
    ]);
    // oxlint-disable-next-line no-control-regex -- control characters are what this is about
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/u);
  }
});

test('names are those of kubectl, each object once, and none that does not exist', () => {
  const names = print(viewOf(odd), 'name').trimEnd().split('\n');
  expect(names).toContain('statefulset.apps/web');
  expect(names).toContain('pod/web-0');
  expect(names).not.toContain('deployment.apps/legacy');
  expect(new Set(names).size).toBe(names.length);
});

test('diagrams quote hostile names and keep edges that do not hold apart', () => {
  const view = viewOf(
    `[{kind: ConfigMap, name: ${JSON.stringify(hostile)}, uid: u}, {kind: Pod, name: p, owners: [v1 ConfigMap other u]}]`,
  );
  const dot = print(view, 'dot');
  expect(dot).toContain('label="ConfigMap shop/x\\"\\\\%1B]0;t%07%E2%80%AE`;-->{}%%<b>%C2%85%0Ano: [1"');
  expect(dot).toMatch(/n1 -> n2 \[label="Mismatched"\];/u);
  const mermaid = print(view, 'mermaid');
  expect(mermaid).toMatch(/^ {2}n1\["ConfigMap shop\/x[^"%<>{}`\\]*"\]$/mu);
  expect(mermaid).toContain('n1 -->|Mismatched| n2');
});

const plain: TextOptions = {
  wide: false,
  headers: true,
  labels: false,
  colour: false,
  glyphs: Glyphs.unicode,
  marks: false,
  width: undefined,
  now,
};

test('what text shows of a node is in the document: state, note, age, labels, and the node of a pod', () => {
  const view = viewOf(`
- {kind: Pod, name: p, labels: {app: web}, spec: {nodeName: node-1}, status: {phase: Running}, owners: [v1 ConfigMap b, v1 ConfigMap gone]}
- {kind: ConfigMap, name: b}
- {kind: ConfigMap, name: held, creationTimestamp: null, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [foregroundDeletion, "example.com/a\\e[1m"]}
`);
  const { roots } = document(view);
  const pod = find(roots, 'p');
  expect(pod).toMatchObject({
    stateText: expect.stringContaining('Running') as string,
    creationTimestamp: '2026-11-21T11:00:00Z',
    labels: { app: 'web' },
    nodeName: 'node-1',
    notes: ['also owned by ConfigMap gone, which is gone'],
  });
  expect(find(roots, 'held')).toMatchObject({
    stateText: 'foreground, 12m, held: example.com/a%1B[1m',
    labels: {},
    notes: [],
  });
  expect(find(roots, 'held')).not.toHaveProperty('creationTimestamp');
  expect(find(roots, 'b')).not.toHaveProperty('stateText');
  expect(find(roots, 'b')).not.toHaveProperty('nodeName');
  // Of what was never seen only the references say something.
  const gone = find(roots, 'gone');
  expect(gone).toMatchObject({ state: 'Virtual', stateText: 'gone' });
  expect(gone).not.toHaveProperty('labels');
  expect(gone.dependents[0]?.notes).toEqual(['see above', 'also owned by ConfigMap b', 'owner is gone']);
  const text = [
    ...printText(select(view.graph, view.graph.nodes(), byNamespaceAndKind), treeContext(view), plain),
  ].join('');
  for (const { stateText = '', notes } of [pod, gone, ...gone.dependents])
    for (const words of [stateText, notes.join('; ')]) expect(text).toContain(words);
});
