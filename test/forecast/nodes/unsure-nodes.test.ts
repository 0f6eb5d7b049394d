/** What a plan of a lost node must not leave out: everything that may run on, or come back, beyond the plain case. */
import { describe, expect, test } from 'vitest';
import { forecast } from '../../../src/forecast/compose/forecaster.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import { shellLine } from '../../../src/model/text/shell-line.ts';
import { podGcNodes } from '../../../src/podgc/passes/node-condition.ts';
import { planWords } from '../../../src/text/plan/plan-lines.ts';
import { warningWords } from '../../../src/text/plan/warning-words.ts';
import { now, objectOf, planDelete, titles, viewOf } from '../fixtures.ts';
import { effectsOf, fates, namespace, node, planTaint, podOn, statefulSet } from './fixtures.ts';

const both = node('alive', 'True') + node('lost', 'Unknown');

const owner = (kind: string, name: string): string => `apps/v1 ${kind} ${name} ${name} +c +b`;

/** A ReplicaSet of one pod on the node, which uses the claim `shared`. */
const replicaSet = (on: string, more = ''): string => `
- {kind: PersistentVolumeClaim, name: shared, finalizers: [kubernetes.io/pvc-protection], status: {phase: Bound}}
- {kind: ReplicaSet, name: api, spec: {replicas: 1, selector: {matchLabels: {app: api}}, template: {metadata: {labels: {app: api}}}}, status: {replicas: 1}}${podOn(
  'api-x',
  {
    node: on,
    owners: owner('ReplicaSet', 'api'),
    more: `labels: {app: api}${more}`,
    spec: 'volumes: [{name: v, persistentVolumeClaim: {claimName: shared}}]',
  },
)}`;

/** A StatefulSet without claims, its pods as `ordinal node ready`. */
const webSet = (replicas: number, ...pods: readonly string[]): string => `
- {kind: StatefulSet, name: web, spec: {replicas: ${replicas}, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}}}, status: {replicas: ${replicas}}}${pods
  .map(text => {
    const [ordinal = '', on = '', ready = 'True'] = text.split(' ');
    const pod = podOn(`web-${ordinal}`, {
      node: on,
      owners: owner('StatefulSet', 'web'),
      more: 'labels: {app: web}',
    });
    return pod.replace('status: "True"', `status: "${ready}"`);
  })
  .join('')}`;

const view = (yaml: string): ClusterView => viewOf(namespace + yaml);

/** `without`: kinds that the view cannot list, however much of them is in it. */
const blind = (yaml: string, ...without: readonly string[]): ClusterView => {
  const some = view(yaml);
  const statuses = some.catalog.types
    .filter(({ kind, preferred }) => preferred && without.includes(kind))
    .map(type => ({ type, state: 'blind' as const, count: 0, facts: false, reason: 'forbidden' }));
  some.apply({ changes: [], statuses }, 0);
  return some;
};

const twice = (plan: ReturnType<typeof planDelete>): string[] =>
  effectsOf(plan).couldRunTwice.map(({ pod, replacedBy, claim, certainty, heldBy }) =>
    [
      pod.name,
      `by ${replacedBy.kind} ${replacedBy.name}`,
      ...(claim === undefined ? [] : [`with ${claim}`]),
      certainty,
      ...heldBy.map(each => `after ${each}`),
    ].join(' '),
  );

const headline = (plan: ReturnType<typeof planDelete>): string =>
  planWords
    .lines(plan, { wide: false, steps: false })
    .next()
    .value?.spans.map(({ text }: { readonly text: string }) => text)
    .join('') ?? '';

describe('what could run twice', () => {
  test('is named where a finalizer still keeps its name, because somebody will take that off', () => {
    const held = view(both + statefulSet('db', 'lost', ', finalizers: [example.com/hold]'));
    for (const plan of [planDelete(held, 'lost'), planTaint(held, 'lost')])
      expect(twice(plan)).toEqual(['db-0 by StatefulSet db exact after example.com/hold']);
    // A kubelet that works stops the containers meanwhile.
    const alive = view(both + statefulSet('db', 'alive', ', finalizers: [example.com/hold]'));
    expect(twice(planDelete(alive, 'alive'))).toEqual([]);
  });

  test('is named where only PodGC has said that its containers have finished', () => {
    const marked = statefulSet(
      'db',
      'lost',
      ', finalizers: [example.com/hold], deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0',
    ).replace('phase: Running', 'phase: Failed');
    expect(twice(planDelete(view(both + marked), 'lost'))).toEqual([
      'db-0 by StatefulSet db exact after example.com/hold',
    ]);
  });

  test('by another name with the same claim, is named though a finalizer keeps the old pod', () => {
    const held = view(both + replicaSet('lost', ', finalizers: [example.com/hold]'));
    for (const plan of [planDelete(held, 'lost'), planTaint(held, 'lost')]) {
      expect(plan.recreated).toMatchObject([{ by: { name: 'api' }, count: 1 }]);
      expect(twice(plan)).toEqual(['api-x by ReplicaSet api with shared exact']);
    }
  });

  test('is named whatever the ordinals of a set begin with', () => {
    // The lower one isn't ready, so that a set that makes its pods in order waits with the other.
    const plan = planDelete(view(both + webSet(2, '5 alive False', '6 lost')), 'lost');
    expect(twice(plan)).toEqual(['web-6 by StatefulSet web exact']);
    expect(plan.recreated).toEqual([]);
    expect(warningWords.all(plan).join('\n')).toContain(
      'StatefulSet shop/web is taken to create its pods in order',
    );
  });

  test('and pods that a set makes in order aren’t the only ones that it may make', () => {
    const plan = planTaint(view(node('only', 'True') + webSet(2, '0 only', '1 only')), 'only');
    expect(plan.recreated).toMatchObject([{ count: 1, pending: 1 }]);
    expect(warningWords.all(plan).join('\n')).toContain(
      'creates 1 of 2 for now. With podManagementPolicy Parallel',
    );
    expect(
      warningWords.all(planTaint(view(both + webSet(2, '0 lost', '1 lost')), 'lost')).join('\n'),
    ).not.toContain('Parallel');
  });

  test('isn’t what its set is about to take away', () => {
    expect(twice(planDelete(view(both + webSet(1, '0 alive', '1 lost')), 'lost'))).toEqual([]);
    expect(twice(planDelete(view(both + webSet(1, '5 lost', '6 lost')), 'lost'))).toEqual([
      'web-5 by StatefulSet web exact',
    ]);
  });

  test('is said to be possible where nobody knows what the owner does', () => {
    const custom = `
- {kind: Service, name: cache}${podOn('cache-0', { node: 'lost', owners: 'v1 Service cache cache +c +b' })}`;
    const plan = planDelete(view(both + custom), 'lost');
    expect(twice(plan)).toEqual(['cache-0 by Service cache assumed']);
    const unknown = podOn('queue-0', { node: 'lost', owners: 'example.com/v1 Queue queue queue-uid +c' });
    expect(twice(planTaint(view(both + unknown), 'lost'))).toEqual(['queue-0 by Queue queue assumed']);
  });

  test('is said to be possible where the owner cannot be seen', () => {
    const pods = statefulSet('db', 'lost').replace(/^- \{kind: StatefulSet.*$/mu, '');
    expect(twice(planDelete(blind(both + pods, 'StatefulSet'), 'lost'))).toEqual([
      'db-0 by StatefulSet db assumed',
    ]);
    const replica = replicaSet('lost').replace(/^- \{kind: ReplicaSet.*$/mu, '');
    expect(twice(planDelete(blind(both + replica, 'ReplicaSet'), 'lost'))).toEqual([
      'api-x by ReplicaSet api with shared assumed',
    ]);
  });

  test('isn’t what belongs to nobody, to a set that goes, to the node, or to a namespace that goes', () => {
    const alone =
      podOn('bare', { node: 'lost' }) + podOn('static', { node: 'lost', owners: 'v1 Node lost lost +c' });
    expect(twice(planDelete(view(both + alone), 'lost'))).toEqual([]);
    const going = view(both + statefulSet('db', 'lost'));
    expect(twice(planDelete(going, 'db lost'))).toEqual([]);
    const ending = namespace.replace('name: shop,', 'name: shop, deletionTimestamp: "2026-11-21T11:48:00Z",');
    expect(ending).not.toBe(namespace);
    expect(twice(planDelete(viewOf(ending + both + statefulSet('db', 'lost')), 'lost'))).toEqual([]);
  });
});

describe('a node that is not ready, but says so itself', () => {
  const sick = view(
    node('alive', 'True') +
      node('sick', 'False') +
      statefulSet('db', 'sick') +
      podOn('leaving', {
        node: 'sick',
        more: 'deletionTimestamp: "2026-11-21T12:00:25Z", deletionGracePeriodSeconds: 30',
      }),
  );

  test('has a machine that runs, which both plans say first', () => {
    for (const plan of [planDelete(sick, 'sick'), planTaint(sick, 'sick')]) {
      const [alarm = '', ...more] = warningWords.sentences(plan.alarms);
      expect(more).toEqual([]);
      expect(alarm).toContain('its kubelet reports so itself (Ready: False), so its machine runs');
      expect(warningWords.all(plan)[0]).toBe(alarm);
      expect(effectsOf(plan).couldRunTwice[0]?.because).toContain(
        'run on until the kubelet has stopped them',
      );
    }
    expect(warningWords.sentences(planTaint(sick, 'sick').alarms)[0]).toContain(
      'PodGC deletes pods by force without waiting',
    );
  });

  test('may confirm sooner than PodGC comes what was being deleted', () => {
    expect(fates(planDelete(sick, 'sick'))).toContain('leaving Deleted by pod-garbage-collector 0..80');
  });
});

describe('a taint of another effect than NoExecute', () => {
  const deleting = podOn('leaving', {
    node: 'alive',
    phase: 'Failed',
    more: 'finalizers: [a/b], deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0',
  });

  test('isn’t said to be tolerated, and what waits for finalizers not to wait for a kubelet', () => {
    const plan = planTaint(view(both + podOn('bare', { node: 'alive' }) + deleting), 'alive', 'NoSchedule');
    expect(effectsOf(plan).pods.map(({ pod, because }) => `${pod.name}: ${because}`)).toEqual([
      'bare: not evicted, because only a taint of the effect NoExecute does that',
      'leaving: was being deleted before, and waits for its finalizers alone',
    ]);
  });

  test('is a change all the same', () => {
    const plan = planTaint(view(both + podOn('bare', { node: 'alive' })), 'alive', 'NoSchedule');
    expect(headline(plan)).toBe('Tainting Node alive out-of-service:NoSchedule evicts no pod.');
  });

  test('isn’t why pods are evicted that the node’s own taints evict', () => {
    const silent = '{key: node.kubernetes.io/unreachable, effect: NoExecute}';
    const plan = planTaint(
      view(node('lost', 'Unknown', silent) + podOn('bare', { node: 'lost' })),
      'lost',
      'NoSchedule',
    );
    expect(effectsOf(plan).pods[0]?.because).toContain('evicted for another taint of the node, then deleted');
  });
});

describe('the mirror of a static pod', () => {
  const mirror = podOn('static', {
    node: 'alive',
    owners: 'v1 Node alive alive +c',
    more: 'annotations: {kubernetes.io/config.mirror: x}',
    spec: 'tolerations: [{operator: Exists, effect: NoExecute}]',
  });

  test('goes with its node, and its containers don’t', () => {
    const [told] = effectsOf(planDelete(view(both + mirror), 'alive')).pods;
    expect(told?.because).toContain('the static pod behind it runs on as long as its kubelet does');
    const plan = planTaint(view(both + mirror), 'alive');
    expect([fates(plan), headline(plan)]).toEqual([
      ['static Stays'],
      'Tainting Node alive out-of-service evicts no pod.',
    ]);
  });
});

describe('a node that finalizers keep', () => {
  const kept = node('alive', 'True').replace(
    'name: alive,',
    'name: alive, finalizers: [example.com/machine],',
  );

  test('goes when they are taken off, and the plan says what that means for its pods', () => {
    const plan = planDelete(
      view(kept + statefulSet('db', 'alive') + podOn('bare', { node: 'alive' })),
      'alive',
    );
    expect([plan.outcome, titles(plan.deleted)]).toEqual(['Stuck', []]);
    const [warning = ''] = warningWords.all(plan);
    expect(warning).toContain('until example.com/machine is removed');
    expect(warning).toContain('(2 now) PodGC deletes by force 40 to 80 s later');
    expect(warning).toContain('could run twice then: shop/db-0.');
  });

  test('has a kubelet that works on', () => {
    const some = view(kept + podOn('bare', { node: 'alive' }));
    const plan = planDelete(some, 'alive bare');
    expect(titles(plan.deleted)).toEqual(['Pod bare']);
  });
});

describe('times', () => {
  test('are longer where many pods share what PodGC may ask for in a second', () => {
    const crowd = Array.from({ length: 100 }, (_, index) => podOn(`p-${index}`, { node: 'lost' })).join('');
    const many = view(both + crowd);
    // 200 requests: 30 at once and 20 a second.
    expect(fates(planDelete(many, 'lost'))[0]).toMatch(/^p-0 Deleted by pod-garbage-collector 40\.\.89$/u);
    // As many of the eviction before, which the first of PodGC's cycles may come in the middle of.
    expect(fates(planTaint(many, 'lost'))[0]).toMatch(/^p-0 Deleted by pod-garbage-collector 0\.\.37$/u);
  });
});

test('a warning that is true of many nodes names the first of them, and says so of the rest', () => {
  const names = Array.from({ length: 12 }, (_, index) => `n${index + 10}`);
  const plan = planTaint(view(names.map(name => node(name, 'True')).join('')), names.join(' '));
  const alarms = warningWords.sentences(plan.alarms);
  expect(alarms).toHaveLength(6);
  expect(alarms[5]).toBe('The same is true of Nodes n15, n16, n17, n18, n19 and 2 more.');
});

describe('a pod that tolerates a taint', () => {
  const patient = (seconds: number, key = 'out-of-service'): string =>
    podOn('patient', {
      node: 'lost',
      spec: `tolerations: [{key: node.kubernetes.io/${key}, operator: Exists, tolerationSeconds: ${seconds}}]`,
    });

  test('for hours goes then, and for years stays for now', () => {
    const hours = planTaint(view(both + patient(7200)), 'lost');
    expect(fates(hours)).toEqual(['patient Deleted by pod-garbage-collector 7200..7220']);
    const years = planTaint(view(both + patient(2_147_483_647)), 'lost');
    expect([years.outcome, fates(years)]).toEqual(['Completes', ['patient Stays']]);
    expect(effectsOf(years).pods[0]?.because).toContain('for 24,855 days at most, and is evicted then');
    expect(warningWords.all(years).join('\n')).not.toContain('never came to rest');
  });

  test('for years doesn’t keep other forecasts from coming to rest', () => {
    const silent = node('lost', 'Unknown', '{key: node.kubernetes.io/unreachable, effect: NoExecute}');
    const some = view(
      node('alive', 'True') +
        silent +
        patient(2_147_483_647, 'unreachable') +
        podOn('bare', { node: 'alive' }),
    );
    expect(planDelete(some, 'bare')).toMatchObject({ outcome: 'Completes', warnings: [] });
  });
});

test('a grace period of a year is one, and nothing that never comes to rest', () => {
  const slow = podOn('slow', { node: 'alive' }).replace('Seconds: 30', 'Seconds: 31536000');
  const plan = planTaint(view(both + slow), 'alive');
  expect([plan.outcome, fates(plan)]).toEqual(['Completes', ['slow Deleted by kubelet 0..31536000']]);
  const told = [...planWords.lines(plan, { wide: false, steps: false })].flatMap(line =>
    line.spans.map(({ text }) => text),
  );
  expect(told.join('')).toContain('Pod shop/slow is deleted within 365 days');
});

describe('what isn’t looked at is said', () => {
  test('of Jobs, which may fail instead of making a new pod', () => {
    const job = `
- {kind: Job, name: report, spec: {parallelism: 1, completions: 1, selector: {matchLabels: {job: report}}, template: {metadata: {labels: {job: report}}}}, status: {active: 1}}${podOn('report-x', { node: 'lost', owners: 'batch/v1 Job report report +c +b', more: 'labels: {job: report}, finalizers: [batch.kubernetes.io/job-tracking]' })}`;
    const plan = planDelete(view(both + job), 'lost');
    expect(plan.recreated).toMatchObject([{ by: { kind: 'Job', name: 'report' }, count: 1 }]);
    expect(warningWords.all(plan).join('\n')).toContain(
      'Whether Job shop/report creates a new pod or fails is decided by backoffLimit and podFailurePolicy',
    );
    const quiet = planDelete(view(both + replicaSet('lost')), 'lost');
    expect(warningWords.all(quiet).join('\n')).not.toContain('backoffLimit');
  });

  test('of pods that cannot be seen, before anything else', () => {
    const { alarms } = planDelete(blind(both, 'Pod'), 'lost');
    expect(warningWords.sentences(alarms)).toEqual([expect.stringContaining('Not all pods can be seen')]);
  });

  test('of claims that cannot be seen', () => {
    const claims = blind(
      both + statefulSet('db', 'lost').replace(/^- \{kind: PersistentVolumeClaim.*$/mu, ''),
      'PersistentVolumeClaim',
    );
    const plan = planDelete(claims, 'lost');
    expect(effectsOf(plan).volumes).toEqual([]);
    expect(warningWords.all(plan).join('\n')).toContain('more volumes may become free than are named');
  });
});

describe('a controller manager that starts after the action', () => {
  test('does to the pods of the node what one that runs does', () => {
    const inhabitants =
      statefulSet('db', 'lost') +
      podOn('bare', { node: 'lost' }) +
      podOn('stubborn', { node: 'lost', spec: 'tolerations: [{operator: Exists}]' });
    const some = view(both + inhabitants);
    const starting = { collector: 'starting' } as const;
    for (const cascade of ['background', 'foreground', 'orphan'] as const) {
      const plan = planDelete(some, 'lost', cascade, starting);
      expect(fates(plan)).toEqual(fates(planDelete(some, 'lost', cascade)));
      expect(twice(plan)).toEqual(['db-0 by StatefulSet db exact']);
      expect(plan.recreated).toMatchObject([{ by: { name: 'db' }, count: 1 }]);
    }
    const taint = {
      verb: 'taint',
      taint: podGcNodes.outOfServiceTaint,
      targets: [objectOf(some, 'lost')],
    } as const;
    expect(fates(forecast(some, taint, { now, ...starting }))).toEqual(fates(planTaint(some, 'lost')));
  });
});

test('the command that taints leaves out what has the taint, which kubectl would refuse', () => {
  const taint = '{key: node.kubernetes.io/out-of-service, value: x, effect: NoExecute}';
  const some = view(node('a', 'Unknown', taint) + node('b', 'Unknown'));
  expect(shellLine(planTaint(some, 'a b').kubectl)).toMatch(/^kubectl taint nodes b node\.kubernetes\.io/u);
  expect(planTaint(some, 'a').kubectl).toEqual([]);
});

test('volumes of a ready node whose server doesn’t heed the taint wait for the kubelet', () => {
  const some = view(both + statefulSet('db', 'alive'));
  some.settings = { ...some.settings, serverVersion: 'v1.22.0' };
  const [volume] = effectsOf(planTaint(some, 'alive')).volumes;
  expect(volume?.because).toContain('as soon as the kubelet has unmounted it');
});
