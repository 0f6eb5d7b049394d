import { describe, expect, test } from 'vitest';
import { NOTHING_PAINTED } from '../../../src/app/painting/painting.ts';
import { type DriverOptions, ScreenDriver } from '../screen-driver.ts';

const stuck = `
- { kind: Namespace, name: shop, namespace: '' }
- { kind: StatefulSet, name: web, deletionTimestamp: '2026-11-21T11:48:00Z', finalizers: [foregroundDeletion] }
- { kind: Pod, name: web-2, owners: [apps/v1 StatefulSet web web +c +b], deletionTimestamp: '2026-11-21T11:48:00Z',
    deletionGracePeriodSeconds: 0, finalizers: [example.com/drain], spec: { nodeName: node-1 } }
- { kind: Node, name: node-1, namespace: '', status: { conditions: [{ type: Ready, status: 'True' }] } }
- { kind: ConfigMap, name: hen, owners: [v1 ConfigMap egg] }
- { kind: ConfigMap, name: egg, owners: [v1 ConfigMap hen] }
- { kind: ConfigMap, name: calm }
`;
const elsewhere = `
- { kind: Namespace, name: infra, namespace: '' }
- { kind: ConfigMap, name: self, namespace: infra, owners: [v1 ConfigMap self] }
`;

/** ConfigMaps in namespaces of their own, all held by one finalizer. */
function heldIn(namespaces: number): string {
  const held = (at: number): string => `
- { kind: Namespace, name: ns-${at}, namespace: '' }
- { kind: ConfigMap, name: held, namespace: ns-${at}, uid: held-${at}, deletionTimestamp: '2026-11-21T11:48:00Z',
    finalizers: [example.com/drain] }`;
  return Array.from({ length: namespaces }, (_, at) => held(at)).join('');
}

function problems(yaml: string, options = {}): ScreenDriver {
  return ScreenDriver.complete(yaml, options).press('2');
}

describe('the Problems view', () => {
  test('says that nothing is diagnosed of a cluster with the first collector', () => {
    const screen = problems('- { kind: ConfigMap, name: calm }');
    const { cluster } = screen.state;
    if (cluster === undefined) throw new Error('no cluster');
    expect(screen.rows().join(' ')).toContain('No problems found');
    cluster.view.settings = { ...cluster.view.settings, collector: '1.5' };
    expect(screen.rows().join(' ')).toContain('Nothing is diagnosed with the collector of Kubernetes 1.5');
  });

  test('lists causes, what they hold, and below them the other findings by code', () => {
    const screen = problems(stuck);
    expect(screen.rows()).toEqual([
      expect.stringMatching(/^>▾ ✗ example\.com\/drain holds StatefulSet web and Pod web-2 {2,}12m$/),
      expect.stringMatching(/^ {3,}StatefulSet web {2}waits for web-2: example\.com\/drain {2}12m$/),
      expect.stringMatching(/^ {5}Pod web-2 {2}held by example\.com\/drain {2}12m/),
      expect.stringMatching(/^ ▾ ⚠ OwnerCycle \(2\)/),
      expect.stringMatching(/ConfigMap egg {2}owned in a cycle with hen/),
      expect.stringMatching(/ConfigMap hen {2}owned in a cycle with egg/),
    ]);
    expect(screen.title()).toContain('✗ 2 ⚠ 2');
    expect(screen.tabs()).toContain('[2 Problems 4]');
  });

  test('lists findings by code on a key, the worst first, and by cause on the same key', () => {
    const screen = problems(stuck);
    expect(screen.footer()).toContain('s by code');
    expect(screen.press('s').footer()).toContain('s by cause');
    expect(screen.rows()).toEqual([
      expect.stringMatching(/^ ▾ ✗ ForegroundBlockedByFinalizer \(1\) {2}A foreground deletion waits/),
      expect.stringMatching(/^> {2}StatefulSet web {2}waits for web-2: example\.com\/drain {2}12m$/),
      expect.stringMatching(/^ ▾ ✗ PodHeldByFinalizer \(1\)/),
      expect.stringMatching(/^ {5}Pod web-2 {2}held by example\.com\/drain {2}12m/),
      expect.stringMatching(/^ ▾ ⚠ OwnerCycle \(2\)/),
      expect.stringMatching(/ConfigMap egg {2}owned in a cycle with hen/),
      expect.stringMatching(/ConfigMap hen {2}owned in a cycle with egg/),
    ]);
    expect(screen.title()).toContain('✗ 2 ⚠ 2');
    expect(screen.tabs()).toContain('[2 Problems 4]');
    expect(screen.press('s').rows()).toHaveLength(6);
    expect(screen.rows()[1]).toMatch(/^> {2}StatefulSet web/);
  });

  test('folds a cause that holds many, and says what to do about the whole', () => {
    const screen = problems(heldIn(20), { namespace: undefined, columns: 200 });
    expect(screen.rows()).toEqual([
      expect.stringMatching(
        /^>▸ ✗ example\.com\/drain: nothing .*: holds 20 ConfigMaps in 20 namespaces {2,}12m$/,
      ),
    ]);
    expect(screen.title()).toMatch(/✗ 20$/u);
    const details = screen.details().replaceAll(/\s+/gu, ' ');
    expect(details).toContain('holds 20 ConfigMaps in 20 namespaces, oldest 12m');
    expect(details).toContain('u looks for one remedy for all 20, and asks before it sends anything');
    expect(details).toContain('safe bring the controller of example.com/drain back');
    expect(details).not.toContain('--remedy remove-finalizer');
    expect(details).toContain('ConfigMap ns-19/held');
    expect(screen.press('l').rows()).toHaveLength(21);
    expect(screen.press('j').rows()[1]).toMatch(/^> {2}ConfigMap ns-0\/held/);
    expect(screen.press('k', 'enter').rows()).toHaveLength(1);
  });

  test('offers no remedy for what a cause holds in files', () => {
    const screen = problems(heldIn(20), { namespace: undefined, columns: 200, info: { source: 'files' } });
    expect(screen.details().replaceAll(/\s+/gu, ' ')).toContain('holds 20 ConfigMaps in 20 namespaces');
    expect(screen.details()).not.toContain('u looks for');
  });

  test('opens the group of a finding on the way to it, and keeps the cursor on it from list to list', () => {
    const screen = problems(heldIn(20), { namespace: undefined, columns: 200 }).press(']');
    expect(screen.rows().find(row => row.startsWith('>'))).toContain('ConfigMap ns-0/held');
    screen.press('-', 's', '*', 'j', 'j', 's');
    expect(screen.rows()).toHaveLength(21);
  });

  test('unblocks all that a cause holds from its heading', () => {
    const screen = problems(heldIn(20), { namespace: undefined, columns: 200 }).press('u');
    expect(screen.effects.at(-1)).toMatchObject({ type: 'openAction', wish: { what: 'unblock' } });
    expect(screen.state.dialog).toMatchObject({ title: 'Unblock 20 objects' });
  });

  test('counts causes and what they hold above every other view', () => {
    const screen = ScreenDriver.complete(heldIn(20), { namespace: undefined, columns: 160 });
    expect(screen.title()).toMatch(/1 cause holds 20 objects: 2 {2}✗ 20$/u);
    expect(screen.press('2').title()).not.toContain('cause');
  });

  test("doesn't count an owner that references name wrongly as a cause that holds them", () => {
    const references = `
- { kind: Namespace, name: shop, namespace: '' }
- { kind: ConfigMap, name: a, owners: [example.com/v1 Widget theme] }
- { kind: ConfigMap, name: b, owners: [example.com/v1 Widget theme] }
`;
    expect(ScreenDriver.complete(references, { columns: 160 }).title()).not.toContain('cause');
    expect(problems(references).rows()[0]).toMatch(
      /⚠ Widget shop\/theme.* is referenced as owner by ConfigMap a and ConfigMap b/,
    );
  });

  test.each([60, 80, 100, 140, 200])('shows what decides on each row at %i columns', columns => {
    const name = 'ledger-reconciliation-worker-with-a-long-name';
    const screen = problems(stuck.replaceAll(/\bweb\b/gu, name), { columns });
    for (const row of screen.rows().slice(0, 2)) expect(row).toContain('example.com/drain');
    if (columns > 60) expect(screen.rows()[1]).toMatch(/StatefulSet ledg\S*me /u);
  });

  test('tells why, how it hangs together, and what can be done about the row under the cursor', () => {
    const details = problems(stuck).press('j').details();
    expect(details).toMatch(/StatefulSet shop\/web is stuck/);
    expect(details).toMatch(/└─ blocked by Pod web-2[^]*└─ held by finalizer example\.com\/drain/);
    expect(details).toContain('metadata.finalizers: [foregroundDeletion]');
    expect(details.replaceAll(/\s+/gu, ' ')).toContain(
      'kubectl gc-tree unblock statefulset/web -n shop --remedy clear-block/pod/web-2',
    );
    expect(details).toMatch(/dangerous {2}remove example\.com\/drain from web-2/);
  });

  test('tells on a heading what the code means', () => {
    const screen = problems(stuck).press('s', 'k');
    expect(screen.details()).toContain('1 finding, the worst of them: error.');
    expect(screen.footer()).toContain('enter fold');
  });

  test('folds a sort of problems, from its heading and from within', () => {
    const screen = problems(stuck).press('j', 'j', 'j', 'h', 'h');
    expect(screen.rows()[3]).toMatch(/^>▸ ⚠ OwnerCycle \(2\)/);
    expect(screen.rows()).toHaveLength(4);
    expect(screen.press('enter').rows()).toHaveLength(6);
    expect(screen.press('-').rows()).toHaveLength(2);
    expect(screen.press('*').rows()).toHaveLength(6);
  });

  test('shows the object of a finding in the tree on enter', () => {
    const screen = problems(stuck).press('j', 'enter');
    expect(screen.state.view).toBe('tree');
    expect(screen.rows().find(row => row.startsWith('>'))).toContain('StatefulSet web');
    expect(screen.press('2').rows()[1]).toMatch(/^> {2}StatefulSet web/);
  });

  test('shows an object of another namespace by going there', () => {
    const screen = problems(stuck + elsewhere, { namespace: undefined }).press(
      '/',
      ...'infra',
      'tab',
      'enter',
    );
    expect(screen.state.cluster?.namespace).toBeUndefined();
    expect(screen.rows().find(row => row.startsWith('>'))).toContain('ConfigMap self');
    expect(screen.rows()).toContainEqual(expect.stringMatching(/▾ infra /u));
  });

  test('is narrowed by words that are searched for, and widened by escape', () => {
    const screen = problems(stuck).press('/', ...'hen', 'ctrl-f');
    expect(screen.rows()).toHaveLength(3);
    expect(screen.banner()).toContain('Only problems that contain "hen"');
    expect(screen.press('/', ...'xyz', 'tab').rows()).toEqual([
      'No problem contains these words. Esc shows all.',
    ]);
    expect(screen.press('escape').rows()).toHaveLength(6);
    expect(screen.banner()).toBe('');
  });

  test('follows the cluster, and the cursor stays on its finding', () => {
    const screen = problems(stuck).press('G', 'k');
    expect(screen.rows()[4]).toMatch(/^> {2}ConfigMap egg/);
    screen.remove(`
- { kind: StatefulSet, name: web }
- { kind: Pod, name: web-2 }
`);
    expect(screen.rows()[1]).toMatch(/^> {2}ConfigMap egg/);
    screen.change(`- { kind: ConfigMap, name: hen }`);
    expect(screen.rows()).toEqual(['No problems found in namespace shop.']);
    expect(screen.title()).not.toContain('problem');
  });

  test('finds by the clock alone what was only in progress', () => {
    const screen = problems(`
- { kind: Namespace, name: shop, namespace: '' }
- { kind: ConfigMap, name: slow, deletionTimestamp: '2026-11-21T11:59:59Z', finalizers: [foregroundDeletion] }
`);
    const before = screen.tabs();
    screen.wait(24 * 3_600_000);
    expect([before, screen.tabs()]).toEqual([
      expect.stringContaining('Problems 0'),
      expect.stringContaining('Problems 1'),
    ]);
  });

  test('keeps to the namespace, and says what it leaves out', () => {
    const screen = problems(`
- { kind: Namespace, name: shop, namespace: '' }
${elsewhere}`);
    expect(screen.rows()).toEqual([
      'No problems found in namespace shop.',
      '1 problem elsewhere: 0 shows all namespaces, n chooses one.',
    ]);
    const going = `
- { kind: Namespace, name: shop, namespace: '', deletionTimestamp: '2026-11-21T09:00:00Z', finalizers: [example.com/x],
    status: { phase: Terminating } }
`;
    expect(problems(going).rows().join('\n')).toContain('Namespace shop');
  });

  test('is honest about what is not known yet, and about what cannot be seen', () => {
    const screen = new ScreenDriver().press('2');
    expect(screen.rows()[0]).toContain('Still loading');
    screen.list('[]');
    expect(screen.rows()[0]).toContain('Still loading');
    screen.facts();
    expect(screen.rows()[0]).toContain('is being checked');
    expect(screen.tabs()).toContain('2 Problems …');
    expect(screen.effects).toContainEqual({ type: 'judge' });
    screen.judge();
    expect(screen.rows()).toEqual(['No problems found in namespace shop.']);
    const blind = problems('[]', { failedGroups: [{ resource: '*.metrics.k8s.io', reason: '503' }] });
    expect(blind.rows()[1]).toBe('Not everything can be seen: 1 kind unseen. B says which, and why.');
  });

  test('copies remedies, as this tool applies them and as kubectl does', () => {
    const screen = problems(stuck).press('j', 'c');
    const { dialog } = screen.state;
    const labels = dialog?.kind === 'picker' ? (dialog.items ?? []).map(({ label }) => label) : [];
    expect(labels).toContain(
      'kubectl gc-tree unblock statefulset/web -n shop --remedy clear-block/pod/web-2 --context test',
    );
    expect(labels.some(label => label.startsWith('kubectl patch pod/web-2 -n shop --type=json'))).toBe(true);
  });

  test('lets nothing from the cluster act on the terminal', () => {
    const screen = problems(
      `- { kind: ConfigMap, name: "evil\\e[2Jx", uid: evil, deletionTimestamp: '2026-11-21T09:00:00Z',
    finalizers: ["a.example.com/\\e]0;owned\\a\\u202Etxt"] }`,
    );
    const drawn = [
      ...screen.rows(),
      screen.details(),
      screen.press('c').footer(),
      screen.press('escape').title(),
    ];
    expect(drawn.join()).toContain('evil%1B[2Jx');
    // oxlint-disable-next-line no-control-regex -- control characters are what this is about
    expect(drawn.join('')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/u);
  });

  test('draws with ASCII alone where asked to', () => {
    const screen = problems(stuck, { ascii: true });
    expect(
      [...screen.rows(), screen.tabs(), screen.title(), screen.details(), screen.footer()].join('\n'),
    ).toMatch(/^[ -~\n]*$/);
    expect(screen.rows()[1]).toContain('waits for web-2');
  });

  test.each([60, 80, 120, 200])('fills its rows at %i columns, and no more', columns => {
    const screen = problems(stuck, { columns });
    for (const row of screen.rows()) expect(row.length).toBeLessThanOrEqual(columns);
    expect(screen.title()).toMatch(/✗ 2 ⚠ 2$/u);
  });
});

describe('the tree', () => {
  test('bears what was found on its rows, and counts it on folded ones', () => {
    const screen = ScreenDriver.complete(stuck);
    expect(screen.rows()).toContainEqual(
      expect.stringMatching(/StatefulSet web {2}✗ waits for web-2: example/),
    );
    expect(screen.rows()).toContainEqual(expect.stringMatching(/Pod web-2 {2}✗ held by example\.com\/drain/));
    screen.press('-');
    expect(screen.rows()).toContainEqual(expect.stringMatching(/StatefulSet web \(1\) {2}✗ .*✗ 1 below/));
  });

  test('counts only what is shown below, each object once for each owner above it', () => {
    const screen = ScreenDriver.complete(`
- { kind: Namespace, name: shop, namespace: '' }
- { kind: Deployment, name: api }
- { kind: ReplicaSet, name: a, owners: [apps/v1 Deployment api api +c +b] }
- { kind: ConfigMap, name: one, owners: [apps/v1 ReplicaSet a, apps/v1 Deployment api-v1 api] }
- { kind: ClusterRole, name: out, namespace: '', owners: [apps/v1 Deployment api] }
`).press('-');
    expect(screen.rows()).toEqual([expect.stringMatching(/Deployment api \(2\).*⚠ 1 below/)]);
  });

  test('counts anew on folded rows when somebody else owns what is below', () => {
    const screen = ScreenDriver.complete(`
- { kind: Deployment, name: api }
- { kind: ReplicaSet, name: a }
- { kind: ConfigMap, name: one, owners: [apps/v1 ReplicaSet a, v1 ConfigMap one] }
`).press('-', 'G');
    expect(screen.rows().join()).toMatch(/ReplicaSet a \(1\) .*⚠ 1 below/);
    screen.change(`- { kind: ReplicaSet, name: a, owners: [apps/v1 Deployment api api +c +b] }`);
    expect(screen.rows()).toEqual([expect.stringMatching(/Deployment api \(1\).*⚠ 1 below/)]);
  });

  test('shows only objects with problems after f, as long as they have them', () => {
    const screen = ScreenDriver.complete(stuck).press('f');
    expect(screen.banner()).toContain('Only objects with problems');
    expect(screen.rows().join()).not.toContain('calm');
    screen.change(`- { kind: ConfigMap, name: hen }`);
    expect(screen.rows().join()).not.toContain('egg');
    screen.change(`- { kind: ConfigMap, name: calm, owners: [v1 ConfigMap calm] }`);
    expect(screen.rows().join()).toContain('calm');
    expect(screen.press('escape').rows().join()).toContain('egg');
  });

  test('is narrowed to a bare type, and widened by escape', () => {
    const target = {
      find: () => undefined,
      missing: () => 'nothing there',
      title: 'statefulsets',
      matcher: () => (node: { identity: { kind: string } }) => node.identity.kind === 'StatefulSet',
    };
    const screen = ScreenDriver.complete(stuck, { target });
    expect(screen.banner()).toContain('Only statefulsets and their owners.');
    expect(screen.rows()).toHaveLength(1);
    screen.change(`- { kind: StatefulSet, name: db }`);
    expect(screen.rows()).toHaveLength(2);
    expect(screen.press('escape').rows().length).toBeGreaterThan(4);
    expect(screen.title()).toContain('▸ shop');
    const nothing = ScreenDriver.complete('[]', { target });
    expect(nothing.effects).toContainEqual({ type: 'quit', code: 2, error: 'nothing there' });
  });

  test('says that it shows more than the namespace where what was asked for is in none, and goes back at 0', () => {
    const isNode = (node: { identity: { kind: string } }) => node.identity.kind === 'Node';
    const missing = () => 'nothing there';
    const target = { find: () => undefined, missing, title: 'nodes', matcher: () => isNode };
    const cluster = `- { kind: Node, name: n1 }\n- { kind: ConfigMap, name: a }`;
    const screen = ScreenDriver.complete(cluster, { target });
    expect(screen.title()).toContain('▸ all namespaces');
    expect(screen.banner()).toContain('nothing of "nodes" is in namespace shop. 0 shows shop.');
    expect(screen.press('0').title()).toContain('▸ shop');
    const find: NonNullable<DriverOptions['target']>['find'] = model =>
      [...model.view.graph.nodes()].find(isNode);
    const one = ScreenDriver.complete(cluster, { target: { find, missing } });
    expect(one.banner()).toContain(
      'This shows all namespaces: Node n1 is not in namespace shop. 0 shows shop.',
    );
    expect(one.press('0').title()).toContain('▸ shop');
  });
});

test.each([
  ['cluster', undefined, 'live'],
  ['demo', undefined, 'live demo'],
  ['files', Date.parse('2026-11-20T12:00:00Z'), 'files as of 2026-11-20T12:00:00Z'],
] as const)('the title says what a source of the kind %s shows', (source, takenAt, words) => {
  expect(ScreenDriver.complete('[]', { info: { source, takenAt } }).title()).toMatch(
    new RegExp(` ${words}$`),
  );
});

test('what files show is as old as it was when they were taken', () => {
  const info = { source: 'files', takenAt: Date.parse('2026-11-21T11:50:00Z') } as const;
  const screen = ScreenDriver.complete(stuck, { info });
  screen.wait(86_400_000);
  expect(screen.press('2').rows()[1]).toMatch(/2m\d*s?$/);
});

test('headings count what is wrong after another namespace was shown below a forecast', () => {
  const { cluster } = ScreenDriver.complete(stuck + elsewhere, { namespace: undefined }).state;
  const inShop = { key: 'shop', of: 'namespace', namespace: 'shop', objectKind: '' } as const;
  const before = cluster?.troubleIn(inShop);
  expect(before).toMatchObject({ errors: 2 });
  cluster?.paint(NOTHING_PAINTED);
  cluster?.setScope('infra');
  cluster?.setScope(undefined);
  expect(cluster?.troubleIn(inShop)).toEqual(before);
});
