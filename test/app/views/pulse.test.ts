/** The pulse sums up all namespaces, and a quiet cluster opens on it. */
import { describe, expect, test } from 'vitest';
import { type DriverOptions, ScreenDriver } from '../screen-driver.ts';

const now = '2026-11-21T11:48:00Z';

const calm = `
- { kind: Namespace, name: shop, namespace: '', uid: ns-shop }
- { kind: Namespace, name: empty, namespace: '', uid: ns-empty }
- { kind: Namespace, name: infra, namespace: '', uid: ns-infra }
- { kind: Node, name: node-1, namespace: '', uid: node-1 }
- { kind: Deployment, name: api, uid: api }
- { kind: ConfigMap, name: settings, namespace: infra, uid: settings }`;
/** A deletion that nothing holds for long. */
const ending = `
- { kind: Pod, name: web-0, namespace: infra, uid: web-0, deletionTimestamp: '2026-11-21T12:00:20Z',
    deletionGracePeriodSeconds: 30, spec: { nodeName: node-1 } }`;
const held = `
- { kind: ConfigMap, name: one, uid: one, deletionTimestamp: '${now}', finalizers: [example.com/drain] }
- { kind: ConfigMap, name: two, uid: two, deletionTimestamp: '${now}', finalizers: [example.com/drain] }`;

function opened(yaml: string, options: DriverOptions = {}): ScreenDriver {
  return ScreenDriver.complete(yaml, { namespace: undefined, chooses: true, ...options });
}

describe('a quiet cluster', () => {
  test('opens on the pulse: each namespace with its objects and deletions', () => {
    const screen = opened(calm + ending);
    expect(screen.tabs()).toContain('[6 Pulse]');
    expect(screen.rows()).toEqual([
      expect.stringMatching(/^ ▾ Cluster \(0\) {2}nothing of concern found *$/u),
      expect.stringMatching(/^ ▾ Namespaces \(3\)/u),
      expect.stringMatching(/^> {2}infra {2}2 {2}1 {2}10s/u),
      expect.stringMatching(/^ {3}empty {2}0 *$/u),
      expect.stringMatching(/^ {3}shop {2}1 *$/u),
    ]);
    expect(screen.details()).toMatch(/1 object being deleted[^]*Pod web-0/u);
    screen.press('home');
    expect(screen.details()).toContain('Nothing of concern found: no unreachable webhook or API');
  });

  test('follows creations, deletions and time', () => {
    const screen = opened(calm + ending);
    screen.wait(50_000);
    expect(screen.rows()[2]).toMatch(/infra {2}2 {2}1 {2}60s/u);
    screen.remove(ending);
    expect(screen.rows().join('\n')).toMatch(/infra {2}1 *\n/u);
    screen.change('- { kind: Namespace, name: new, namespace: "", uid: ns-new }');
    expect(screen.rows().some(row => / new {2}0/u.test(row))).toBe(true);
  });

  test('opens on the tree for -n and -A, in files, and with a view in config.yaml', () => {
    for (const options of [
      { namespace: 'shop' },
      { settings: { view: 'tree' } },
      { info: { source: 'files' } },
    ] as const)
      expect(opened(calm, options).tabs()).toContain('[1 Tree]');
  });

  test('is not one with errors anywhere, nor with namespaces that cannot be read', () => {
    expect(opened(calm + held).tabs()).toContain('[2 Problems');
    const screen = new ScreenDriver({ namespace: undefined, chooses: true });
    screen.list(calm);
    screen.press('j').facts();
    screen.judge();
    expect(screen.tabs()).toContain('[1 Tree]');
  });
});

describe('the pulse', () => {
  test('leads to the tree of a namespace by Enter, and back', () => {
    const screen = opened(calm + ending).press('enter');
    expect(screen.tabs()).toContain('[1 Tree]');
    expect(screen.title()).toContain('▸ infra');
    expect(screen.press('{').tabs()).toContain('[6 Pulse]');
    expect(screen.press('j', 'j').footer()).toContain('enter open');
  });

  test('acts on the Namespace of its row', () => {
    const screen = opened(calm + ending).press('d');
    expect(screen.effects.at(-1)).toMatchObject({ wish: { what: 'delete', uids: ['ns-infra'] } });
  });

  test('is found by its word, and narrowed by words', () => {
    const screen = opened(calm, { namespace: 'shop' }).press(':', ...'pulse', 'enter');
    expect(screen.tabs()).toContain('[6 Pulse]');
    screen.press('/', ...'infra', 'tab');
    expect(screen.rows().filter(row => row.includes('Namespaces') || row.includes('infra'))).toHaveLength(2);
    expect(screen.rows()).toHaveLength(3);
  });

  test('counts pods that PodGC deletes and leads to them, and names kinds that cannot be seen', () => {
    const pods = `
- { kind: Pod, name: lost, uid: lost, deletionTimestamp: '${now}', deletionGracePeriodSeconds: 0 }`;
    const failedGroups = [{ resource: '*.metrics.k8s.io', reason: '503' }];
    const screen = opened(calm + pods, { settings: { view: 'pulse' }, failedGroups });
    expect(screen.rows().slice(0, 3)).toEqual([
      expect.stringMatching(/^ ▾ Cluster \(2\)/u),
      expect.stringMatching(/^> {2}PodGC deletes 1 pod {2}Pod shop\/lost (in|now|overdue)/u),
      expect.stringMatching(/^ {3}1 kind unseen/u),
    ]);
    expect(screen.press('j', 'enter').banner()).toContain('B says which kinds are unseen');
    expect(screen.press('k', 'enter').tabs()).toContain('[3 PodGC');
  });

  test('shows namespaces that are terminating, and the cluster-scoped objects with them', () => {
    const broken = `
- { kind: Namespace, name: old, namespace: '', uid: ns-old, deletionTimestamp: '${now}',
    spec: { finalizers: [kubernetes] }, status: { phase: Terminating } }`;
    const screen = opened(calm + broken, { settings: { view: 'pulse' } });
    expect(screen.rows().find(row => row.includes(' old '))).toMatch(/old {2}0 {2}12m {2}Terminating/u);
    expect(screen.rows()[1]).toMatch(/cluster-scoped {2}5 {2}1 {2}12m/u);
  });

  test.each([60, 80, 100, 140, 200])('fits %i columns', columns => {
    const screen = opened(calm + ending, { columns, settings: { view: 'pulse' } });
    expect(screen.rows().find(row => row.includes('infra'))).toMatch(/infra {2}2 {2}1 {2}10s/u);
  });
});
