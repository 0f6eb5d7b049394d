/** Commands on a cluster whose lists are older than what refers to what they lack. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { command } from './console.ts';
import { LaggingSource } from './lagging-source.ts';

const secret = '- {kind: Secret, name: token, owners: [v1 ConfigMap settings]}';
const settings = '- {kind: ConfigMap, name: settings}';
const former = '- {kind: ConfigMap, name: settings, uid: former}';

afterEach(() => {
  vi.useRealTimers();
});

describe('an owner that was created between the list of its kind and that of its dependents', () => {
  test.each([
    ['and no list holds', secret],
    ['under a name that the list has for the one before it', `${former}\n${secret}`],
  ])('%s is there for every command', async (_, listed) => {
    const source = (): LaggingSource => new LaggingSource(listed, { unlisted: settings });
    const checked = await command('check -n shop', { source: source() });
    expect(checked.out).toContain('No findings');
    expect(checked.exitCode).toBe(0);
    const why = await command('why secret/token', { source: source() });
    expect(why.out).toContain('ConfigMap settings owns it');
    expect(why.out).not.toContain('exist is assumed');
    const tree = await command('tree secret/token -o json', { source: source() });
    expect(tree.out).toMatch(/"status": ?"Solid"/u);
    expect(tree.out).not.toContain('assumed');
    const plan = await command('plan -o json', { source: source() });
    expect(JSON.parse(plan.out)).toMatchObject({ outcome: 'NoChange', deleted: [] });
    const remedies = await command('unblock secret/token -o name', { source: source() });
    expect(remedies.out).not.toContain('prune-reference');
  });
});

describe('an owner that is absent', () => {
  test('is told for certain once that is confirmed', async () => {
    const source = new LaggingSource(secret);
    const { out, exitCode } = await command('check -n shop -o json', { source });
    expect(JSON.parse(out)).toMatchObject({
      items: [{ code: 'CollectionOverdue', certainty: 'exact' }],
    });
    expect(out).toContain('prune-reference/settings');
    expect(exitCode).toBe(1);
    expect(source.wanted).toHaveLength(1);
  });

  test('is assumed where it may not be looked up, and nothing that changes the cluster is offered', async () => {
    const source = new LaggingSource(secret, {
      answer: () => ({ state: 'unknown', reason: 'reading it is forbidden' }),
    });
    const { out } = await command('check -n shop -o json', { source });
    const [item] = JSON.parse(out).items as { certainty: string; message: string; remedies: object[] }[];
    expect(item?.certainty).toBe('assumed');
    expect(item?.message).toContain('(reading it is forbidden)');
    expect(item?.remedies.every(each => 'requests' in each && String(each.requests) === '')).toBe(true);
    const refused = await command('plan unblock secret/token --remedy prune-reference/settings', {
      source: new LaggingSource(secret, {
        answer: () => ({ state: 'unknown', reason: 'reading it is forbidden' }),
      }),
    });
    expect(refused.exitCode).toBe(2);
    expect(refused.err).toContain('absence of ConfigMap shop/settings (reading it is forbidden)');
    const tree = await command('tree -n shop', {
      source: new LaggingSource(secret, { answer: () => ({ state: 'unknown', reason: 'forbidden' }) }),
    });
    expect(tree.out).toContain('will be collected (assumed)');
    expect(tree.out).toContain('gone (assumed)');
  });

  test('is waited for so long and no longer', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    const running = command('check -n shop -o json', {
      source: new LaggingSource(secret, { answer: () => undefined }),
    });
    let isOver = false;
    void running.then(() => {
      isOver = true;
    });
    while (vi.getTimerCount() === 0) await new Promise(resolve => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(9_000);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1_500);
    const { out } = await running;
    expect(JSON.parse(out)).toMatchObject({ items: [{ certainty: 'assumed' }] });
    expect(out).toContain('no look-up has confirmed it yet');
  });
});

test('only what the answer depends on is asked', async () => {
  const listed = `
${secret}
- {kind: Secret, name: other, namespace: infra, owners: [v1 ConfigMap gone]}
- {kind: ConfigMap, name: alone, namespace: quiet}`;
  const names = async (words: string): Promise<readonly string[]> => {
    const source = new LaggingSource(listed);
    await command(words, { source });
    return source.wanted.map(({ name }) => name).sort();
  };
  expect(await names('why secret/token -n shop')).toEqual(['settings']);
  expect(await names('tree secret/other -n infra')).toEqual(['gone']);
  expect(await names('plan delete configmap/alone -n quiet')).toEqual([]);
  expect(await names('check -n shop')).toEqual(['settings']);
  expect(await names('check -A')).toEqual(['gone', 'settings']);
  expect(await names('plan')).toEqual(['gone', 'settings']);
});

test('a node that is missing, and a set whose pods are left, are asked about as well', async () => {
  const pods = `
- {kind: Pod, name: lost, spec: {nodeName: node-77, containers: [{name: a}]}, status: {phase: Running}}
- {kind: Pod, name: web-0, labels: {statefulset.kubernetes.io/pod-name: web-0}, spec: {containers: [{name: a}]}, status: {phase: Running}}`;
  const there = `
- {kind: Node, name: node-77, status: {conditions: [{type: Ready, status: "True"}]}}
- {kind: StatefulSet, name: web, spec: {replicas: 1}}`;
  const absent = new LaggingSource(pods);
  const { out } = await command('check -n shop -o json', { source: absent });
  expect(JSON.parse(out)).toMatchObject({
    items: [
      { code: 'StatefulSetSurvivor', certainty: 'exact' },
      { code: 'PodOnMissingNode', certainty: 'exact' },
    ],
  });
  expect(absent.wanted.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual([
    'Node node-77',
    'StatefulSet web',
  ]);
  const found = await command('check -n shop -o json', {
    source: new LaggingSource(pods, { unlisted: there }),
  });
  expect(found.out).not.toContain('PodOnMissingNode');
  expect(found.out).not.toContain('"exact"');
});

test('podgc says of a node that no list holds what is confirmed', async () => {
  const pod =
    '- {kind: Pod, name: lost, spec: {nodeName: node-77, containers: [{name: a}]}, status: {phase: Running}}';
  const items = async (source: LaggingSource): Promise<unknown> =>
    JSON.parse((await command('podgc -o json', { source })).out).items as unknown;
  const confirmed = await items(new LaggingSource(pod));
  expect(confirmed).toMatchObject([{ rule: 'Orphaned', due: 'at' }]);
  expect(confirmed).not.toMatchObject([{ assumed: true }]);
  const forbidden = new LaggingSource(pod, { answer: () => ({ state: 'unknown', reason: 'forbidden' }) });
  expect(await items(forbidden)).toMatchObject([
    { rule: 'Orphaned', assumed: true, because: expect.stringContaining('no look-up has confirmed it yet') },
  ]);
  const there = '- {kind: Node, name: node-77, status: {conditions: [{type: Ready, status: "True"}]}}';
  expect(await items(new LaggingSource(pod, { unlisted: there }))).toEqual([]);
});

test('a foreground deletion counts as stale only once nobody is found to refer to the object', async () => {
  const deleting =
    "- {kind: Deployment, name: api, finalizers: [foregroundDeletion], deletionTimestamp: '2026-11-21T11:30:00Z', deletionGracePeriodSeconds: 0}";
  const late = '- {kind: ReplicaSet, name: api-1, owners: [apps/v1 Deployment api api +c +b]}';
  const free = await command('check -n shop -o json', { source: new LaggingSource(deleting) });
  expect(JSON.parse(free.out)).toMatchObject({ items: [{ code: 'ForegroundStale', certainty: 'exact' }] });
  expect(free.out).toContain('remove-finalizer/foregroundDeletion');
  const blocked = await command('check -n shop -o json', {
    source: new LaggingSource(deleting, { unlisted: late }),
  });
  expect(JSON.parse(blocked.out)).toMatchObject({
    items: [{ code: 'ForegroundStale', certainty: 'assumed' }],
  });
  expect(blocked.out).not.toContain('remove-finalizer/foregroundDeletion');
});
