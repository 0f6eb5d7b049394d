import { expect, test } from 'vitest';
import { type Exported, exportSteps } from '../../../src/app/session/export.ts';
import { type DriverOptions, ScreenDriver } from '../screen-driver.ts';

const shop = `
- { kind: Namespace, name: shop, namespace: '' }
- { kind: StatefulSet, name: web, deletionTimestamp: '2026-11-21T11:48:00Z', finalizers: [foregroundDeletion] }
- { kind: Pod, name: web-2, owners: [apps/v1 StatefulSet web web +c +b], deletionTimestamp: '2026-11-21T11:48:00Z',
    deletionGracePeriodSeconds: 0, finalizers: [example.com/drain-before-the-end-of-the-quarter], spec: { nodeName: node-1 } }
- { kind: Node, name: node-1, namespace: '', status: { conditions: [{ type: Ready, status: 'True' }] } }
- { kind: ConfigMap, name: 網站, labels: { web: '2' } }
`;

function exported(screen: ScreenDriver): Exported {
  const steps = exportSteps(screen.state);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function manyPods(count: number): string {
  return Array.from({ length: count }, (_, i) => `- { kind: Pod, name: job-${1000 + i} }`).join('\n');
}

const small: DriverOptions = { columns: 60, rows: 15 };

test('an export has every row of the tree, not only those that show, and nothing of them is cut', () => {
  const screen = ScreenDriver.complete(`${shop}${manyPods(60)}`, small).press('*', 'i');
  const { text, size } = exported(screen.press('i'));
  expect(size).toBe('64 rows');
  for (let i = 1000; i < 1060; i++) expect(text).toContain(`Pod job-${i}`);
  expect(text).toContain('example.com/drain-before-the-end-of-the-quarter');
  expect(text).toMatch(/^ ▾ 60 Pods$/mu);
  expect(text).not.toContain('…');
});

test('an export begins with what cluster it was, when, and how it was sorted and narrowed', () => {
  const screen = ScreenDriver.complete(shop, {
    failedGroups: [{ resource: 'widgets.example.com', reason: 'the API does not answer' }],
  }).press('f');
  const [title, view, narrowed, blank, header] = exported(screen).text.split('\n');
  expect(title).toMatch(/^gc-tree {2}test ▸ shop {2}.*1 kind unseen/u);
  expect(view).toBe('Tree, written at 2026-11-21T12:00:00Z; order: the worst first');
  expect(narrowed).toBe('Only objects with problems, and their owners.');
  expect(blank).toBe('');
  expect(header).toMatch(/^ NAME +STATE↑ +NODE +AGE$/u);
});

test('columns stand below each other and are no wider than they need, with wide characters too', () => {
  const screen = ScreenDriver.complete(`
- { kind: Namespace, name: shop, namespace: '' }
- { kind: ConfigMap, name: 網站 }
- { kind: Pod, name: a, status: { phase: Running } }
`);
  const lines = exported(screen).text.split('\n');
  const header = lines.find(line => line.startsWith(' NAME')) ?? '';
  const age = header.indexOf('AGE') + 'AGE'.length;
  expect(header.length).toBeLessThan(60);
  expect(lines.find(line => line.includes('網站'))).toHaveLength(age - '網站'.length);
  expect(lines.find(line => line.includes('Pod a'))).toHaveLength(age);
});

test('the Problems view is exported with its headings, and with the details where they are open', () => {
  const open = ScreenDriver.complete(shop).press('2', 'j');
  const { name, text } = exported(open);
  expect(name).toBe('gc-tree-problems-20261121T120000Z.txt');
  expect(text).toMatch(
    /^ ▾ ✗ example\.com\/drain.*: holds StatefulSet shop\/web and Pod shop\/web-2, oldest 12m$/mu,
  );
  // A heading is as long as it is, and pushes no column aside.
  expect(text).toMatch(/^>? +StatefulSet web {2,12}waits for web-2: /mu);
  expect(text).toMatch(/\n-{8}\n\nStatefulSet shop\/web[^]*└─ held by finalizer/u);
  const hidden = exported(open.press('i')).text;
  expect(hidden).toContain('StatefulSet web');
  expect(hidden).not.toContain('held by finalizer');
});

test('where the details take the place of the list, they alone are exported', () => {
  const { text, size } = exported(ScreenDriver.complete(shop, small).press('2', 'j', 'i'));
  expect(size).toBe('the details');
  expect(text).toContain('└─ blocked by Pod web-2');
  expect(text).not.toContain('REASON');
});

test('a view without rows is exported with what it says instead', () => {
  const { text } = exported(
    ScreenDriver.complete("[{ kind: Namespace, name: shop, namespace: '' }]").press('2'),
  );
  expect(text).toContain('No problems found in namespace shop.');
});

test('a text that covers the view is exported in its place, under a name that is no path', () => {
  const screen = ScreenDriver.complete(shop).press('2', 'j', 'y');
  const title = 'StatefulSet shop/web';
  expect(screen.press('w').effects).not.toContainEqual({ type: 'export' });
  screen.send({ type: 'document', title, lines: [[{ text: 'kind: StatefulSet', style: 'plain' }], []] });
  expect(screen.press('w').effects).toContainEqual({ type: 'export' });
  const { name, text, size } = exported(screen);
  expect({ text, size }).toEqual({ text: 'kind: StatefulSet\n\n', size: '2 lines' });
  expect(name).toBe('gc-tree-statefulset-shop-web-20261121T120000Z.txt');
  const hostile = {
    kind: 'text',
    title: '../../.ssh/\u001b[31mkeys',
    lines: [],
    top: 0,
    loading: false,
  } as const;
  screen.state = { ...screen.state, dialog: hostile };
  expect(exported(screen).name).toBe('gc-tree-ssh-31mkeys-20261121T120000Z.txt');
});

test('w asks for an export of any view', () => {
  for (const view of ['1', '2', '3']) {
    const screen = ScreenDriver.complete(shop).press(view, 'w');
    expect(screen.effects).toContainEqual({ type: 'export' });
  }
});
