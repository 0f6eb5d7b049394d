import { expect, test } from 'vitest';
import { printText, type TextOptions } from '../../../../src/cli/documents/print/text.ts';
import { treeContext } from '../../../../src/cli/documents/tree/ownership-tree.ts';
import { byNamespaceAndKind, select } from '../../../../src/cli/documents/tree/selection.ts';
import type { ClusterView } from '../../../../src/graph/cluster-view.ts';
import { Glyphs } from '../../../../src/text/terminal/glyphs.ts';
import { displayWidth } from '../../../../src/text/terminal/width.ts';
import { now, viewOf } from '../cluster.ts';

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

function print(view: ClusterView, options: Partial<TextOptions> = {}): string {
  const selection = select(view.graph, view.graph.nodes(), byNamespaceAndKind);
  return [...printText(selection, treeContext(view), { ...plain, ...options })].join('');
}

const shop = `
- {kind: Deployment, name: api, labels: {app: api}, spec: {replicas: 2}, status: {readyReplicas: 2}}
- {kind: ReplicaSet, name: api-1, owners: [apps/v1 Deployment api api +c +b], spec: {replicas: 2}, status: {readyReplicas: 2}}
- {kind: Pod, name: api-1-a, owners: [apps/v1 ReplicaSet api-1 api-1 +c +b], spec: {nodeName: node-1}, status: {phase: Running}}
- {kind: Pod, name: api-1-b, owners: [apps/v1 ReplicaSet api-1 api-1 +c +b, v1 ConfigMap lease], status: {phase: Pending}}
- {kind: ConfigMap, name: lease}
- {kind: Secret, name: cert, namespace: infra, owners: [apps/v1 Deployment api]}
- {kind: ConfigMap, name: old, owners: [apps/v1 Deployment legacy]}
- {kind: ConfigMap, name: self, owners: [v1 ConfigMap self]}
`;

test('the tree is aligned, and says what is odd about each reference', () => {
  expect(print(viewOf(shop))).toBe(
    `\
NAME                     STATE                 AGE   NOTE
Deployment shop/api      2/2                   60m
├─ Secret infra/cert     ✗ will be collected   60m   owner is in another namespace
└─ ReplicaSet api-1      2/2                   60m
   ├─ Pod api-1-a        Running               60m
   └─ Pod api-1-b        Pending               60m   also owned by ConfigMap lease
Deployment shop/legacy   ✗ gone
└─ ConfigMap old         ✗ will be collected   60m   owner is gone
ConfigMap shop/lease                           60m
└─ Pod api-1-b           Pending               60m   see above; also owned by ReplicaSet api-1
ConfigMap shop/self                            60m   owns itself
└─ ConfigMap self                              60m   owns itself
`,
  );
});

test('wide adds readiness, node, owner flags, finalizers, managers and uid; labels come before the note', () => {
  const [titles = '', api = ''] = print(viewOf(shop), { wide: true, labels: true }).split('\n');
  expect(titles.split(/ {3,}/u)).toEqual([
    'NAME',
    'STATE',
    'AGE',
    'READY',
    'REASON',
    'NODE',
    'OWNERS',
    'FINALIZERS',
    'MANAGED BY',
    'UID',
    'LABELS',
    'NOTE',
  ]);
  expect(api).toMatch(/60m( +<none>){6} +api +app=api$/u);
});

test('wide names the node of a pod that has one, and says <none> as kubectl does where there is nothing', () => {
  const lines = print(viewOf(shop), { wide: true }).split('\n');
  const cellsOf = (name: string): string[] | undefined =>
    lines.find(line => line.includes(name))?.split(/ {3,}/u);
  expect(cellsOf('Pod api-1-a')?.slice(-5, -3)).toEqual(['node-1', 'controller+blocks']);
  expect(cellsOf('Pod api-1-b')).toContain('<none>');
  expect(cellsOf('Deployment shop/legacy')?.slice(2)).toEqual([...Array(6).fill('<none>'), 'legacy']);
});

test('wide has the condition Ready of an object that has one, as kubectl-tree does', () => {
  const conditions = 'conditions: [{type: Ready, status: "False", reason: ContainersNotReady}]';
  const view = viewOf(`- {kind: Pod, name: web-0, status: {phase: Running, ${conditions}}}`);
  expect(print(view, { wide: true })).toMatch(/ False +ContainersNotReady /u);
});

test('labels have columns of their own, titled as kubectl titles them', () => {
  const view = viewOf('- {kind: Pod, name: web-0, labels: {app.kubernetes.io/name: web}}');
  const labelColumns = ['app.kubernetes.io/name', 'tier'];
  const [titles, row] = print(view, { labelColumns, width: undefined }).split('\n');
  expect(titles).toMatch(/^NAME +STATE +AGE +NAME +TIER$/u);
  expect(row).toMatch(/ 60m +web +<none>$/u);
});

test('wide names the tools that manage an object', () => {
  const labels = { 'cluster.x-k8s.io/cluster-name': 'west', 'serving.knative.dev/service': 'hello' };
  const view = viewOf(
    `- {kind: ConfigMap, name: o, namespace: shop, labels: ${JSON.stringify(labels)}}
- {kind: ConfigMap, name: p, namespace: shop, owners: [v1 ConfigMap o o +c]}`,
  );
  const [, own, controlled] = print(view, { wide: true }).split('\n');
  expect(own).toMatch(/ ClusterAPI\/west,Knative\/hello /u);
  expect(controlled).toMatch(/ \(ClusterAPI\/west\),\(Knative\/hello\) /u);
});

test('without headers there are none, and in ASCII there is nothing else', () => {
  const view = viewOf(`${shop}- {kind: ConfigMap, name: o, owners: [v1 ConfigMap übel]}`);
  const text = print(view, { headers: false, glyphs: Glyphs.ascii, width: 60 });
  expect(text).toMatch(/^Deployment shop\/api/u);
  expect(text).toMatch(/^[ -~\n]*$/u);
  expect(text).toContain('|- Secret');
});

test.each([1, 2, 9, 20, 40, 60, 80, 200])('no line is wider than a terminal of %d columns', width => {
  const wide = viewOf(`${shop}- {kind: ConfigMap, name: o, owners: [v1 ConfigMap 東京東京東京東京]}`);
  for (const options of [{}, { wide: true, labels: true }])
    for (const line of print(wide, { ...options, width }).split('\n'))
      expect(displayWidth(line)).toBeLessThanOrEqual(width);
});

test('where room is short the notes give way before the names', () => {
  const lines = print(viewOf(shop), { width: 66 }).split('\n');
  expect(lines[2]).toBe('├─ Secret infra/cert     ✗ will be collected   60m   owner is in …');
});

test('colour changes nothing but colour', () => {
  const view = viewOf(shop);
  const coloured = print(view, { colour: true });
  expect(coloured).not.toBe(print(view));
  // oxlint-disable-next-line no-control-regex -- colours are what this is about
  expect(coloured.replace(/\u001b\[[0-9;]*m/gu, '')).toBe(print(view));
});

test('names and labels cannot write to the terminal', () => {
  const view = viewOf(
    '[{kind: ConfigMap, name: "a\\u001b[2Jb", labels: {"x\\u009b1m": "y\\u202e"}, owners: ["v1 Config\\u0007Map o"]}]',
  );
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/u;
  expect(print(view, { wide: true, labels: true })).not.toMatch(controls);
});

test('a chain of a thousand owners stays readable and linear in size', () => {
  const levels = Array.from(
    { length: 1000 },
    (_, i) => `- {kind: ConfigMap, name: c${i}${i === 0 ? '' : `, owners: [v1 ConfigMap c${i - 1}]`}}`,
  );
  const text = print(viewOf(levels.join('\n')));
  expect(text).toContain('(999) ConfigMap c999');
  expect(text.length).toBeLessThan(1000 * 250);
});
