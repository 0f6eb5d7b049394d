import { describe, expect, test } from 'vitest';
import { ClusterModel } from '../../../src/app/cluster/model.ts';
import { type DriverOptions, ScreenDriver } from '../screen-driver.ts';

const ready = `status: { conditions: [{ type: Ready, status: 'True' }] }`;
const silent = `status: { conditions: [{ type: Ready, status: Unknown, reason: NodeStatusUnknown,
      lastTransitionTime: '2026-11-21T11:50:00Z' }] }`;
const outOfService = `spec: { taints: [{ key: node.kubernetes.io/out-of-service, value: nodeshutdown, effect: NoExecute }] }`;
const deleting = `deletionTimestamp: '2026-11-21T11:59:58Z', deletionGracePeriodSeconds: 0`;
const running = `status: { phase: Running }`;

function on(node: string): string {
  return `spec: { nodeName: ${node} }`;
}

const nodes = `
- { kind: Namespace, name: shop, namespace: '' }
- { kind: Node, name: healthy, namespace: '', ${ready} }
- { kind: Node, name: dead, namespace: '', ${silent} }
- { kind: Node, name: tainted, namespace: '', ${outOfService}, ${silent} }
`;
const busy = `${nodes}
- { kind: Pod, name: calm, ${on('healthy')}, ${running} }
- { kind: Pod, name: stopped, ${deleting}, ${on('tainted')}, ${running} }
- { kind: Pod, name: lost, ${on('gone')}, ${running} }
- { kind: Pod, name: early, ${deleting}, finalizers: [example.com/hold], status: { phase: Pending } }
- { kind: Pod, name: waiting, ${deleting}, ${on('dead')}, ${running} }
- { kind: Pod, name: done, ${on('healthy')}, status: { phase: Succeeded } }
`;

function podgc(yaml: string, options: DriverOptions = {}): ScreenDriver {
  return ScreenDriver.complete(yaml, options).press('3');
}

/** The row under the cursor. */
function chosen(screen: ScreenDriver): string | undefined {
  return screen.rows().find(row => row.startsWith('>'));
}

function flowing(text: string): string {
  return text.replaceAll(/\s+/gu, ' ');
}

describe('the PodGC view', () => {
  test('lists pods below the rules that take them, in the order of the passes, then those that only look so', () => {
    const screen = podgc(busy);
    expect(screen.rows()).toEqual([
      expect.stringMatching(
        /^ ▾ Terminated \(0\) {2}1 of 12,500 finished pods cluster-wide \(threshold assumed\)/,
      ),
      expect.stringMatching(/^ ▾ OutOfService \(1\) {2}deleting, on a node that is not ready and tainted/),
      expect.stringMatching(/^> {2}stopped {2}in <\d+s {2}tainted not ready, tainted out-of-service/),
      expect.stringMatching(/^ ▾ Orphaned \(1\)/),
      expect.stringMatching(/^ {3}lost {2}in ~\d+s {2}gone does not exist/),
      expect.stringMatching(/^ ▾ UnscheduledTerminating \(1\)/),
      expect.stringMatching(/^ {3}early {2}in <\d+s {2}deleted before it was scheduled; held by example/),
      expect.stringMatching(/^ ▾ Not deleted \(1\)/),
      expect.stringMatching(/^ {3}waiting {2}no {2}dead not ready, but not tainted out-of-service/),
    ]);
  });

  test('counts what is due, not what only looks so, in title and tab', () => {
    const screen = podgc(busy);
    expect(screen.title()).toMatch(/⏱ 3 PodGC$/);
    expect(screen.tabs()).toContain('[3 PodGC 3]');
    expect(podgc(nodes).title()).not.toContain('PodGC');
  });

  test('counts down by the second, with the cursor on its pod', () => {
    const screen = podgc(busy).press('j', 'j');
    const seconds = (): number => Number(/in ~(\d+)s/u.exec(chosen(screen) ?? '')?.[1]);
    const before = seconds();
    screen.wait(5_000);
    expect(chosen(screen)).toMatch(/lost/);
    // The middle of a span whose end alone is known moves half as fast, until its begin has passed.
    expect(seconds()).toBeLessThan(before);
    expect(flowing(screen.details())).toContain(`PodGC deletes it in about ${seconds()}s.`);
  });

  test('counts to the latest moment once the likely one is over, and down to now, never to no time at all', () => {
    const screen = podgc(busy).press('j', 'j');
    const seen = new Set<string>();
    for (let second = 0; second < 200; second++) {
      seen.add((/lost {2}(\S+(?: [~<]?\d+s)?)/u.exec(chosen(screen) ?? '')?.[1] ?? '').replace(/\d+/u, 'N'));
      expect(chosen(screen)).not.toMatch(/in [~<]?0s/u);
      expect(flowing(screen.details())).not.toMatch(/(?:about|within) 0s/u);
      screen.wait(1_000);
    }
    expect([...seen]).toEqual(['in ~Ns', 'in <Ns', 'now', 'overdue']);
  });

  test('calls overdue what PodGC should have deleted long ago', () => {
    const screen = podgc(busy);
    screen.wait(10 * 60_000);
    expect(screen.rows()[2]).toMatch(/stopped {2}overdue {2}should be gone since/);
    expect(screen.details()).toContain('OutOfService: overdue.');
  });

  test('calls nothing overdue while the cluster cannot be followed', () => {
    const screen = podgc(busy);
    const connection = { state: 'lost', reason: 'connection refused', since: screen.state.now } as const;
    screen.send({ type: 'batch', batch: { changes: [], connection }, now: screen.state.now });
    screen.wait(10 * 60_000);
    expect(screen.rows()[2]).toMatch(/stopped {2}in <\d+s/);
    expect(screen.press('k').details()).toContain('The connection is lost');
  });

  test('lets time stand still where files are shown', () => {
    const info = { source: 'files', takenAt: ScreenDriver.complete('[]').state.now } as const;
    const screen = podgc(busy, { info });
    const before = screen.rows();
    screen.wait(10 * 60_000);
    expect(screen.rows()).toEqual(before);
    expect(before[2]).toMatch(/stopped {2}now/);
  });

  test('follows a node that is deleted and comes back', () => {
    const screen = podgc(busy);
    screen.remove(`- { kind: Node, name: healthy, namespace: '' }`);
    expect(screen.rows()).toContainEqual(
      expect.stringMatching(/calm {2}in ~\d+s {2}healthy gone since 12:00:00Z; 40s quarantine/),
    );
    expect(screen.tabs()).toContain('PodGC 5');
    screen.change(`- { kind: Node, name: healthy, namespace: '', ${ready} }`);
    expect(screen.rows().join()).not.toContain('calm');
    expect(screen.tabs()).toContain('PodGC 3');
  });

  test('keeps the cursor on a pod that comes under another rule, and on its line where the pod was deleted', () => {
    const screen = podgc(busy).press('G');
    expect(chosen(screen)).toMatch(/waiting {2}no/);
    screen.change(`- { kind: Node, name: dead, namespace: '', ${outOfService}, ${silent} }`);
    expect(chosen(screen)).toMatch(/waiting {2}in <\d+s/);
    expect(screen.rows()[1]).toMatch(/OutOfService \(2\)/);
    screen.remove('- { kind: Pod, name: waiting }');
    expect(chosen(screen)).toMatch(/Orphaned \(1\)/);
  });

  test('shows by the clock alone a pod whose kubelet is late, and the cursor stays on its own', () => {
    const late = `deletionTimestamp: '2026-11-21T11:59:45Z', deletionGracePeriodSeconds: 30`;
    const screen = podgc(`${busy}
- { kind: Pod, name: a-late-one, ${late}, ${on('healthy')}, ${running} }
`).press('G');
    expect(screen.rows().join()).not.toContain('a-late-one');
    screen.wait(16_000);
    expect(screen.rows()).toContainEqual(
      expect.stringMatching(/^ {3}a-late-one {2}no {2}healthy is ready: its kubelet ends the pod/),
    );
    expect(chosen(screen)).toMatch(/waiting {2}no/);
  });

  test('begins the details of another row at their first line', () => {
    const screen = podgc(busy, { rows: 20 }).press('J', 'J');
    expect(screen.state.detailsTop).toBeGreaterThan(0);
    expect(screen.press('j').state.detailsTop).toBe(0);
  });

  test('folds a rule, everything, and by itself what is long and is not taken', () => {
    const screen = podgc(busy).press('left', 'left');
    expect(screen.rows()[1]).toMatch(/^>▸ OutOfService \(1\)/);
    expect(screen.press('enter').rows()[2]).toContain('stopped');
    expect(screen.press('-').rows()).toHaveLength(5);
    expect(screen.press('*').rows()).toHaveLength(9);
    const many = Array.from(
      { length: 11 },
      (_, i) => `- { kind: Pod, name: w-${i}, ${deleting}, ${on('dead')}, ${running} }\n`,
    );
    const folded = podgc(nodes + many.join(''));
    expect(folded.rows()).toEqual([
      expect.stringContaining('Terminated (0)'),
      expect.stringContaining('▸ Not deleted (11)'),
    ]);
    expect(folded.press('/', ...'w-7', 'tab').rows()).toEqual([
      expect.stringContaining('▾ Not deleted (1)'),
      expect.stringContaining('w-7'),
    ]);
  });

  test('is narrowed by words of pod, node, rule and reason, and widened by escape', () => {
    const screen = podgc(busy).press('/', ...'orphaned gone');
    expect(screen.rows()).toHaveLength(9);
    screen.press('tab');
    expect(screen.rows()).toHaveLength(2);
    expect(screen.banner()).toContain('Only pods that contain "orphaned gone"');
    expect(screen.press('/', ...'xyz', 'tab').rows()).toEqual([
      'No pod contains these words. Esc shows all.',
    ]);
    expect(screen.press('escape').rows()).toHaveLength(9);
  });

  test('finds what it would have found at once, whatever it was narrowed to before', () => {
    const pods = (screen: ScreenDriver): readonly string[] => screen.rows().map(row => row.slice(1));
    const narrowed = (screen: ScreenDriver, words: string): readonly string[] =>
      pods(screen.press('/', ...words, 'tab'));
    const screen = podgc(busy);
    for (const words of ['t', 'te', 'ter', 'te', 'te d', 'te do', 'te d'])
      expect(narrowed(screen, words)).toEqual(narrowed(podgc(busy), words));
    screen.remove(`- { kind: Pod, name: stopped }`);
    screen.change(`- { kind: Pod, name: later, ${deleting}, ${on('tainted')}, ${running} }`);
    expect(screen.rows()).not.toContainEqual(expect.stringContaining('stopped'));
    expect(screen.rows()).toContainEqual(expect.stringContaining('later'));
  });

  test('shows a pod in the tree on enter, and keeps its place', () => {
    const screen = podgc(busy).press('j', 'j', 'enter');
    expect(screen.state.view).toBe('tree');
    expect(chosen(screen)).toContain('Pod lost');
    expect(chosen(screen.press('3'))).toContain('lost');
  });

  test('acts on the pod under the cursor', () => {
    const screen = podgc(busy).press('d');
    expect(screen.effects).toContainEqual({
      type: 'openAction',
      number: 1,
      wish: { what: 'delete', uids: [expect.stringContaining('stopped')] },
    });
    const labels = (): string[] => {
      const { dialog } = screen.press('escape', 'c').state;
      return dialog?.kind === 'picker' ? (dialog.items ?? []).map(({ label }) => label) : [];
    };
    expect(labels()).toContain('kubectl gc-tree why pods/stopped -n shop --context test');
  });

  test('keeps to the namespace, but counts finished pods everywhere', () => {
    const screen = podgc(`${busy}
- { kind: Pod, name: other, namespace: infra, ${on('gone')}, ${running} }
- { kind: Pod, name: old, namespace: infra, ${on('healthy')}, status: { phase: Failed } }
`);
    expect(screen.rows().join()).not.toContain('other');
    expect(screen.rows()[0]).toContain('2 of 12,500 finished pods cluster-wide');
    screen.state.cluster?.setScope(undefined);
    screen.wait(1_000);
    expect(screen.rows()).toContainEqual(expect.stringContaining('infra/other'));
  });
});

describe('the details of a pod', () => {
  test('tell the rule, the time, what PodGC does first and what holds the pod afterwards', () => {
    const details = flowing(
      podgc(busy)
        .press('/', ...'early', 'tab')
        .details(),
    );
    expect(details).toMatch(/UnscheduledTerminating: PodGC deletes it within \d+s\./);
    expect(details).toContain('patches its status: phase Failed deletes it without grace');
    expect(details).toContain('then it stays until example.com/hold is removed');
    expect(details).toMatch(/An estimate: by 2026-11-21T12:00:\d\dZ/);
  });

  test('name the condition that PodGC writes for a pod on a deleted node, and since when it is', () => {
    const screen = podgc(busy);
    screen.remove(`- { kind: Node, name: healthy, namespace: '' }`);
    screen.wait(3_000);
    const details = flowing(screen.press('/', ...'calm', 'tab').details());
    expect(details).toContain('phase Failed, condition DisruptionTarget (DeletionByPodGC)');
    expect(details).toContain('Node healthy gone since 2026-11-21T12:00:00Z, 3s ago 2 pods on it');
    expect(details).toMatch(/between 2026-11-21T12:00:\d\dZ and 2026-11-21T12:01:\d\dZ/);
  });

  test('take over when a node was deleted that nobody saw being deleted, where the cluster still tells', () => {
    const screen = ScreenDriver.complete(busy);
    expect(screen.effects).toContainEqual({ type: 'askPodGcSigns', sign: 'removals' });
    const removals = new Map([
      ['gone', { first: Date.UTC(2026, 10, 21, 11, 59, 50), last: Date.UTC(2026, 10, 21, 11, 59, 50) }],
    ]);
    screen.send({ type: 'removals', removals });
    expect(screen.press('3').rows()).toContainEqual(
      expect.stringMatching(/lost {2}in ~\d+s {2}gone gone since 11:59/),
    );
    expect(ScreenDriver.complete(nodes).effects).not.toContainEqual({
      type: 'askPodGcSigns',
      sign: 'removals',
    });
  });

  test('say of a pod that only looks like a candidate what would make it one, with its remedies', () => {
    const asked = `deletionTimestamp: '2026-11-21T11:55:00Z', deletionGracePeriodSeconds: 30`;
    const screen = podgc(`${nodes}
- { kind: Pod, name: neighbour, ${on('dead')}, ${running} }
- { kind: Pod, name: waiting, ${asked}, ${on('dead')}, ${running} }
`);
    const details = flowing(screen.details());
    expect(details).toContain('PodGC does not delete it. dead not ready, but not tainted out-of-service');
    expect(details).toContain(
      'If it were tainted out-of-service, PodGC would delete 1 terminating pod, and 1 other pod would be evicted: shop/neighbour.',
    );
    expect(details).toContain('not ready; Ready is Unknown for 10m (NodeStatusUnknown)');
    expect(details).toContain('What you can do');
    expect(screen.footer()).toContain('u unblock');
  });

  test('on a heading say what the rule is for, and how far the limit on finished pods is', () => {
    const details = flowing(podgc(busy).press('g').details());
    expect(details).toContain('evicted ones are deleted first, then the oldest');
    expect(details).toContain('Terminated: 1 of 12,500 finished pods (default threshold assumed); none due.');
    expect(details).toContain('first in line: shop/done');
    expect(details).toContain('Finished pods count in the whole cluster');
  });
});

describe('without a candidate', () => {
  test('says so, with the limit and what would go first', () => {
    expect(
      podgc(`${nodes}- { kind: Pod, name: done, ${on('healthy')}, status: { phase: Failed } }`).rows(),
    ).toEqual([
      'PodGC deletes no pod in namespace shop, and none looks as if it would.',
      'Terminated: 1 of 12,500 finished pods (default threshold assumed); none due.',
      expect.stringContaining('first in line: shop/done'),
      'Finished pods count in the whole cluster, whatever namespace is shown.',
      expect.stringContaining("The server's version isn't known"),
    ]);
  });

  test('names what it leaves out: other namespaces, and nodes that cannot be seen', () => {
    const elsewhere = podgc(`${nodes}- { kind: Pod, name: x, namespace: infra, ${deleting} }`);
    expect(elsewhere.rows()[1]).toBe('1 pod elsewhere: 0 shows all namespaces, n chooses one.');
    const blind = new ScreenDriver();
    blind.list(busy);
    const { cluster } = blind.state;
    const status = [...(cluster?.view.statuses.values() ?? [])].find(({ type }) => type.kind === 'Node');
    if (status === undefined) throw new Error('no nodes');
    const statuses = [{ ...status, state: 'blind' as const, reason: 'forbidden' }];
    blind.send({ type: 'batch', batch: { changes: [], statuses }, now: blind.state.now });
    blind.facts();
    blind.judge();
    blind.press('3');
    expect(blind.rows().join()).not.toContain('lost');
    expect(blind.rows()).toContainEqual(expect.stringMatching(/Orphaned \(\?\) {2}nodes cannot be seen/));
    expect(blind.rows()).toContainEqual(expect.stringMatching(/OutOfService \(\?\) {2}nodes cannot be seen/));
    expect(blind.rows()).toContainEqual(expect.stringMatching(/waiting {2}unknown {2}nodes cannot be seen/));
    expect(blind.rows()).toContainEqual(expect.stringMatching(/Not known \(2\)/));
    expect(blind.press('G').details()).toContain('Whether PodGC deletes it is unknown.');
    expect(blind.press('g').details()).toContain('Not all nodes can be seen');
  });

  test('takes words to filter by before there are rows, and none of them for a command', () => {
    const screen = new ScreenDriver().press('3', '/', ...'2 daily', 'tab');
    expect(screen.state.view).toBe('podgc');
    screen.list(`${busy}
- { kind: Pod, name: daily-2, ${on('gone')}, ${running} }
`);
    screen.facts();
    screen.judge();
    expect(screen.rows()).toEqual([
      expect.stringContaining('Orphaned (1)'),
      expect.stringMatching(/^> {2}daily-2/),
    ]);
    expect(screen.press('escape').rows().join()).toContain('stopped');
  });

  test('says that it is still loading', () => {
    const screen = new ScreenDriver().press('3');
    expect(screen.rows()[0]).toContain('Still loading');
    expect(screen.tabs()).toContain('3 PodGC …');
  });
});

describe('a limit that was given', () => {
  function limited(threshold: number): ScreenDriver {
    const screen = new ScreenDriver();
    const cluster = new ClusterModel({ namespace: 'shop' });
    cluster.view.settings = { serverVersion: 'v1.36.3', terminatedPodGcThreshold: threshold };
    screen.send({ type: 'opened', info: { ...screen.info(), serverVersion: 'v1.36.3' }, cluster });
    const pods = ['a', 'b', 'c'].map(
      (name, i) =>
        `- { kind: Pod, name: ${name}, ${on('healthy')}, creationTimestamp: '2026-11-21T0${9 - i}:00:00Z', status: { phase: Succeeded } }\n`,
    );
    screen.list(nodes + pods.join(''));
    screen.facts();
    screen.judge();
    return screen.press('3');
  }

  test('decides which finished pods go, the oldest first', () => {
    const screen = limited(1);
    expect(screen.rows()).toEqual([
      expect.stringMatching(/Terminated \(2\) {2}3 finished pods cluster-wide where 1 are kept$/),
      expect.stringMatching(/^> {2}c {2}in <\d+s {2}number 1 of 2 finished pods beyond the threshold/),
      expect.stringMatching(/^ {3}b {2}in <\d+s {2}number 2 of 2 finished pods/),
    ]);
    expect(flowing(screen.details())).toContain('What PodGC does deletes it without grace');
  });

  test('may be none', () => {
    expect(limited(0).rows()[1]).toContain('no limit (threshold 0), so none is due');
  });
});

describe('drawn', () => {
  test('lets nothing from the cluster act on the terminal', () => {
    const screen = podgc(`${nodes}
- { kind: Pod, name: "evil\\e[2Jx", ${deleting}, finalizers: ["a.example.com/\\e]0;owned\\a\\u202Etxt"],
    spec: { nodeName: "no\\e[31mde" }, ${running} }
`);
    const drawn = [...screen.rows(), screen.details(), screen.press('k').details(), screen.footer()].join('');
    expect(drawn).toContain('evil%1B[2Jx');
    // oxlint-disable-next-line no-control-regex -- control characters are what this is about
    expect(drawn).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/u);
  });

  test('with ASCII alone where asked to', () => {
    const screen = podgc(busy, { ascii: true });
    const drawn = [...screen.rows(), screen.tabs(), screen.title(), screen.details(), screen.footer()];
    expect(drawn.join('\n')).toMatch(/^[ -~\n]*$/);
    expect(screen.title()).toMatch(/ 3 PodGC$/);
  });

  test.each([60, 80, 120, 200])(
    'tells pods and reasons apart at %i columns, however long the names',
    columns => {
      const node = 'ip-10-20-30-40.eu-central-1.compute.internal';
      const long = 'payment-service-with-a-long-name-that-goes-on-and-on-6d4cf56db6';
      const screen = podgc(
        `${nodes}
- { kind: Node, name: ${node}, namespace: '', ${silent} }
- { kind: Pod, name: ${long}-x2k4p, ${deleting}, ${on(node)}, ${running} }
- { kind: Pod, name: ${long}-q9rst, ${on(`gone-${node}`)}, ${running} }
`,
        { columns, rows: 15 },
      );
      const drawn = screen.rows().join('\n');
      expect(drawn).toMatch(/pay.*…\S*-q9rst .* gone-ip.*…\S*al does not/u);
      expect(drawn).toMatch(/pay.*…\S*-x2k4p .* ip-10.*…\S*al not/u);
    },
  );

  test.each([60, 80, 120, 200])('fills its rows at %i columns, and no more', columns => {
    const screen = podgc(busy, { columns, rows: 15 });
    for (const row of screen.rows()) expect(row.length).toBeLessThanOrEqual(columns);
    expect(screen.title()).toContain('3 PodGC');
    expect(screen.tabs().length).toBeLessThanOrEqual(columns);
    expect(screen.rows()[2]).toMatch(/stopped .*in <\d+s/u);
  });
});
