/** Drains of a node, as kubectl would do them: what it refuses, evicts, waits for and leaves. */
import { describe, expect, test } from 'vitest';
import type { Action } from '../../../src/forecast/action.ts';
import { forecast } from '../../../src/forecast/compose/forecaster.ts';
import type { Forecast } from '../../../src/forecast/plan/forecast-result.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import { shellLine } from '../../../src/model/text/shell-line.ts';
import { planWords } from '../../../src/text/plan/plan-lines.ts';
import { now, objectOf, titles, viewOf } from '../fixtures.ts';
import { namespace, node, podOn, statefulSet } from './fixtures.ts';

type Flags = Partial<Extract<Action, { readonly verb: 'drain' }>>;

const all: Flags = { force: true, ignoreDaemonSets: true, deleteEmptyDirData: true };

function drain(view: ClusterView, flags: Flags = {}, name = 'n1'): Forecast {
  const action: Action = {
    verb: 'drain',
    targets: [objectOf(view, name)],
    force: false,
    ignoreDaemonSets: false,
    deleteEmptyDirData: false,
    disableEviction: false,
    gracePeriodSeconds: undefined,
    podSelector: undefined,
    timeout: 0,
    ...flags,
  };
  return forecast(view, action, { now });
}

function withBlind(view: ClusterView, group: string, resource: string): ClusterView {
  const type = view.catalog.preferredOf({ group, resource });
  if (type === undefined) throw new Error(`${resource} aren't built in`);
  view.apply({ changes: [], statuses: [{ type, state: 'blind', count: 0, facts: false, reason: '403' }] }, 0);
  return view;
}

function printed(plan: Forecast): string[] {
  return [...planWords.lines(plan, { wide: false, steps: false })].map(({ spans }) =>
    spans.map(({ text }) => text).join(''),
  );
}

const fates = ({ drain: effects }: Forecast): string[] =>
  (effects?.pods ?? []).map(
    ({ pod, fate, because }) => `${pod.name} ${fate}${because === '' ? '' : `: ${because}`}`,
  );

const both = namespace + node('n1', 'True') + node('n2', 'True');
const emptyDir = 'volumes: [{name: tmp, emptyDir: {}}]';
const labels = '{app: api}';

/** A ReplicaSet `api` of as many pods as names, on n1. */
const replicas = (...names: readonly string[]): string =>
  `
- {kind: ReplicaSet, name: api, spec: {replicas: ${names.length}, selector: {matchLabels: ${labels}}, template: {metadata: {labels: ${labels}}}}, status: {replicas: ${names.length}}}` +
  names
    .map(name =>
      podOn(name, { node: 'n1', owners: 'apps/v1 ReplicaSet api api +c +b', more: `labels: ${labels}` }),
    )
    .join('');

interface Counts {
  readonly allowed: number;
  readonly healthy: number;
  readonly desired: number;
  readonly expected: number;
}

const budget = (name: string, { allowed, healthy, desired, expected }: Counts, more = ''): string => `
- {kind: PodDisruptionBudget, name: ${name}, generation: 2, spec: {selector: {matchLabels: ${labels}}${more}}, status: {observedGeneration: 2, disruptionsAllowed: ${allowed}, currentHealthy: ${healthy}, desiredHealthy: ${desired}, expectedPods: ${expected}}}`;

describe('kubectl refuses to drain a node', () => {
  const daemon = `
- {kind: DaemonSet, name: log, spec: {selector: {matchLabels: {app: log}}}}${podOn('log-1', { node: 'n1', owners: 'apps/v1 DaemonSet log log +c' })}`;
  const content = `${both}${daemon}${podOn('bare', { node: 'n1' })}${podOn('tmp', { node: 'n1', spec: emptyDir })}${replicas('api-1')}`;

  test('for each pod that a flag has to allow, and cordons it all the same', () => {
    const plan = drain(viewOf(content));
    expect(plan.outcome).toBe('Refused');
    expect(fates(plan)).toEqual([
      'bare Blocks: no controller (--force evicts such pods, and nothing recreates them)',
      'log-1 Blocks: managed by DaemonSet log (--ignore-daemonsets leaves such pods there)',
      'tmp Blocks: data in an emptyDir (--delete-emptydir-data deletes it)',
    ]);
    expect(plan.deleted).toEqual([]);
    expect(plan.steps().map(({ request }) => request)).toEqual(['PATCH /api/v1/nodes/n1']);
    expect(printed(plan)).toContain(
      '  ! kubectl cordons n1 first, which stays so, and then evicts nothing from it.',
    );
  });

  test('until all flags are given', () => {
    const plan = drain(viewOf(content), all);
    expect(plan.outcome).toBe('Completes');
    expect(fates(plan)).toEqual([
      'api-1 Evicted',
      'bare Evicted: nothing recreates it',
      'log-1 Stays: managed by DaemonSet log',
      'tmp Evicted: emptyDir data is lost; nothing recreates it',
    ]);
    expect(titles(plan.deleted)).toEqual(['Pod api-1', 'Pod bare', 'Pod tmp']);
    expect(plan.recreated).toMatchObject([{ by: { name: 'api' }, count: 1, pending: 0 }]);
    expect(plan.steps()[1]).toMatchObject({
      verb: 'evict',
      request: 'POST /api/v1/namespaces/shop/pods/api-1/eviction',
    });
  });

  test('unless it has finished, or its pods are not selected', () => {
    const done = podOn('done', { node: 'n1', spec: emptyDir, phase: 'Succeeded' });
    expect(fates(drain(viewOf(both + done)))).toEqual(['done Evicted: finished']);
    const podSelector = {
      text: 'app=api',
      matches: ({ labels: its }: { labels: readonly string[] }) => its.includes('api'),
    };
    expect(fates(drain(viewOf(content), { podSelector }))).toEqual(['api-1 Evicted']);
  });

  test('unless the pod of its DaemonSet has finished', () => {
    const owners = 'apps/v1 DaemonSet log log +c';
    const done = podOn('log-1', { node: 'n1', owners, phase: 'Failed' });
    expect(fates(drain(viewOf(both + done)))).toEqual(['log-1 Evicted: finished']);
  });

  test('for a pod of a missing DaemonSet, which --force evicts, but not of one that cannot be seen', () => {
    const orphan = both + podOn('log-1', { node: 'n1', owners: 'apps/v1 DaemonSet log log +c' });
    expect(fates(drain(viewOf(orphan), { ignoreDaemonSets: true }))).toEqual([
      "log-1 Blocks: DaemonSet log doesn't exist (--force evicts its pods)",
    ]);
    expect(fates(drain(viewOf(orphan), { force: true }))).toEqual(['log-1 Evicted: nothing recreates it']);
    const blind = withBlind(viewOf(orphan), 'apps', 'daemonsets');
    expect(fates(drain(blind, { ignoreDaemonSets: true }))).toEqual([
      'log-1 Stays: managed by DaemonSet log, which cannot be seen',
    ]);
  });
});

describe('a drain', () => {
  test('leaves static pods and pods of other nodes', () => {
    const mirror = podOn('static', { node: 'n1', more: 'annotations: {kubernetes.io/config.mirror: x}' });
    const plan = drain(viewOf(both + mirror + podOn('away', { node: 'n2' })), all);
    expect(plan.outcome).toBe('Completes');
    expect(fates(plan)).toEqual(['static Stays: mirror of a static pod, which no API request stops']);
    expect(plan.deleted).toEqual([]);
  });

  test('waits for a pod that a finalizer holds', () => {
    const held = podOn('held', {
      node: 'n1',
      more: 'finalizers: [example.com/hold], deletionTimestamp: "2026-11-21T11:00:00Z", deletionGracePeriodSeconds: 0',
    });
    const plan = drain(viewOf(both + held), all);
    expect(plan.outcome).toBe('Stuck');
    expect(fates(plan)).toEqual(['held Evicted: being deleted already']);
  });

  test('recreates a pod of a StatefulSet, and leaves it Pending without another node', () => {
    const set = statefulSet('db', 'n1');
    expect(drain(viewOf(both + set)).recreated).toMatchObject([{ count: 1, pending: 0 }]);
    const alone = drain(viewOf(namespace + node('n1', 'True') + set));
    expect(alone.recreated).toMatchObject([{ count: 1, pending: 1 }]);
    expect(alone.warnings.map(({ code }) => code)).toContain('pendingPods');
  });

  test('leaves a pod Pending that only selects the drained node', () => {
    const selector = (key: string): string => `nodeSelector: {${key}: ssd}`;
    const labelled =
      namespace +
      node('n1', 'True') +
      node('n2', 'True').replace('name: n2', 'name: n2, labels: {disk: ssd}');
    const api = (key: string): string =>
      replicas('api-1').replace('spec: {nodeName: n1', `spec: {${selector(key)}, nodeName: n1`);
    expect(drain(viewOf(labelled + api('disk'))).recreated).toMatchObject([{ count: 1, pending: 0 }]);
    const pinned = drain(viewOf(labelled + api('other')));
    expect(pinned.recreated).toMatchObject([{ count: 1, pending: 1 }]);
    expect(pinned.warnings.map(({ code }) => code)).toEqual(['pendingPods']);
  });

  test('repeats its flags in the command', () => {
    const plan = drain(viewOf(both), {
      ...all,
      gracePeriodSeconds: 0,
      timeout: 90_000,
      disableEviction: true,
    });
    expect(shellLine(plan.kubectl)).toBe(
      'kubectl drain n1 --force --ignore-daemonsets --delete-emptydir-data --disable-eviction --grace-period=0 --timeout=90s',
    );
  });
});

describe('a PodDisruptionBudget', () => {
  const pods = both + replicas('api-1', 'api-2');

  test('lets as many pods go as it allows, and the others once replacements are ready', () => {
    const plan = drain(viewOf(pods + budget('guard', { allowed: 1, healthy: 2, desired: 1, expected: 2 })));
    expect(plan.outcome).toBe('Depends');
    expect(plan.drain?.pods).toMatchObject([
      { fate: 'Waits', isContended: true, budget: { name: 'guard' } },
      { fate: 'Waits', isContended: true, budget: { name: 'guard' } },
    ]);
    expect(
      plan.timingDependent.map(
        ({ object, outcomes }) => `${object.name} ${outcomes.map(({ end }) => end).join()}`,
      ),
    ).toEqual(['api-1 deleted,kept', 'api-2 deleted,kept']);
    expect(planWords.title(plan)).toBe(
      'Draining Node n1 completes only if PodDisruptionBudgets allow more evictions than they do now: 1 is recreated, 2 depend on timing.',
    );
  });

  test('keeps the others if no node takes the replacement', () => {
    const alone = namespace + node('n1', 'True') + replicas('api-1', 'api-2');
    const plan = drain(viewOf(alone + budget('guard', { allowed: 1, healthy: 2, desired: 1, expected: 2 })));
    expect(plan.outcome).toBe('Stuck');
    expect(fates(plan)[0]).toBe(
      'api-1 Refused: PodDisruptionBudget guard allows 1 of these 2 evictions now, and no node takes the replacements',
    );
  });

  test('refuses all if it wants all pods, and until enough are ready otherwise', () => {
    const wantsAll = drain(
      viewOf(pods + budget('guard', { allowed: 0, healthy: 2, desired: 2, expected: 2 })),
    );
    expect(wantsAll.outcome).toBe('Stuck');
    expect(planWords.title(wantsAll)).toBe("Draining Node n1 doesn't complete.");
    expect(printed(wantsAll)).toContain(
      "  ! kubectl cordons n1 first, which stays so, and doesn't evict all pods from it.",
    );
    expect(wantsAll.deleted).toEqual([]);
    expect(wantsAll.steps().map(({ status }) => status)).toEqual([200, 429, 429]);
    const unready = drain(
      viewOf(pods + budget('guard', { allowed: 0, healthy: 2, desired: 2, expected: 3 })),
    );
    expect(unready.outcome).toBe('Depends');
    expect(fates(unready)[0]).toBe(
      'api-1 Waits: PodDisruptionBudget guard allows no eviction until 1 more of its pods is ready (2 of 3 pods healthy, 2 wanted)',
    );
  });

  test('refuses until its pods are counted, and with a second one for good', () => {
    const counts = { allowed: 1, healthy: 2, desired: 1, expected: 2 };
    const edited = budget('guard', counts).replace('observedGeneration: 2', 'observedGeneration: 1');
    expect(drain(viewOf(pods + edited)).outcome).toBe('Depends');
    const two = drain(viewOf(pods + budget('guard', counts) + budget('more', counts)));
    expect(two.outcome).toBe('Stuck');
    expect(two.deleted).toEqual([]);
  });

  test('lets a pod go that is not ready, if the others are enough or it says so', () => {
    const unready = (text: string): string =>
      text.replaceAll('status: "True"}]}, labels', 'status: "False"}]}, labels');
    const enough = budget('guard', { allowed: 0, healthy: 1, desired: 1, expected: 2 });
    expect(fates(drain(viewOf(unready(pods) + enough)))).toEqual(['api-1 Evicted', 'api-2 Evicted']);
    const short = { allowed: 0, healthy: 0, desired: 1, expected: 2 };
    expect(drain(viewOf(unready(pods) + budget('guard', short))).deleted).toEqual([]);
    const always = budget('guard', short, ', unhealthyPodEvictionPolicy: AlwaysAllow');
    expect(drain(viewOf(unready(pods) + always)).outcome).toBe('Completes');
  });

  test('is passed over with --disable-eviction, which is said', () => {
    const view = viewOf(pods + budget('guard', { allowed: 0, healthy: 2, desired: 2, expected: 2 }));
    const plan = drain(view, { disableEviction: true });
    expect(plan.outcome).toBe('Completes');
    expect(plan.warnings).toMatchObject([{ code: 'fitAssumed' }, { code: 'budgetsPassedOver', pods: 2 }]);
  });

  test('counts nothing against the pods that two budgets select', () => {
    const counts = { allowed: 2, healthy: 2, desired: 0, expected: 2 };
    const second = budget('second', counts).replace('{app: api}', '{name: two}');
    const named = pods
      .replace('name: api-2, owners', 'name: api-2, labels: {app: api, name: two}, owners')
      .replace(/(name: api-2.*), labels: \{app: api\}\}/u, '$1}');
    expect(fates(drain(viewOf(named + budget('guard', counts) + second)))).toEqual([
      'api-1 Evicted',
      'api-2 Refused: PodDisruptionBudget guard and another one select this pod, and the API server evicts no such pod',
    ]);
  });

  test('that cannot be counted allows nothing', () => {
    const failed = budget('guard', { allowed: 0, healthy: 0, desired: 0, expected: 0 }).replace(
      'expectedPods: 0',
      'expectedPods: 0, conditions: [{type: DisruptionAllowed, status: "False", reason: SyncFailed, message: "found no controller"}]',
    );
    const plan = drain(viewOf(pods + failed));
    expect(plan.outcome).toBe('Stuck');
    expect(fates(plan)[0]).toBe(
      "api-1 Refused: PodDisruptionBudget guard allows no eviction while its pods can't be counted: found no controller",
    );
  });

  test('may refuse every running pod if budgets cannot be seen', () => {
    const view = viewOf(pods + podOn('starting', { node: 'n1', phase: 'Pending' }));
    withBlind(view, 'policy', 'poddisruptionbudgets');
    const plan = drain(view, all);
    expect(plan.outcome).toBe('Depends');
    expect(plan.drain?.pods.map(({ pod, fate }) => `${pod.name} ${fate}`)).toEqual([
      'api-1 Waits',
      'api-2 Waits',
      'starting Evicted',
    ]);
    expect(planWords.title(plan)).toContain('completes only if PodDisruptionBudgets allow 2 evictions');
  });
});

describe('several nodes', () => {
  test('are all cordoned first, and one that kubectl refuses keeps the drain from completing', () => {
    const view = viewOf(
      `${both}${podOn('bare', { node: 'n1' })}${podOn('done', { node: 'n2', phase: 'Failed' })}`,
    );
    const plan = drain(view, { targets: [objectOf(view, 'n1'), objectOf(view, 'n2')] });
    expect(plan.outcome).toBe('Stuck');
    expect(plan.drain?.refusedNodes).toEqual(['n1']);
    expect(plan.steps().map(({ verb, object }) => `${verb} ${object.name}`)).toEqual([
      'patch n1',
      'patch n2',
      'evict done',
    ]);
  });
});

test('kubectl gives up if pods may take longer than its timeout', () => {
  const view = viewOf(both + podOn('bare', { node: 'n1' }));
  const gaveUp = (flags: Flags): boolean =>
    drain(view, { ...all, ...flags }).warnings.some(({ code }) => code === 'drainTimeout');
  expect(gaveUp({ timeout: 20_000 })).toBe(true);
  expect(gaveUp({ timeout: 30_000 })).toBe(true);
  expect(gaveUp({ timeout: 40_000 })).toBe(false);
  expect(gaveUp({ timeout: 20_000, gracePeriodSeconds: 1 })).toBe(false);
  expect(gaveUp({})).toBe(false);
});
