import { describe, expect, test } from 'vitest';
import { warningWords } from '../../src/text/plan/warning-words.ts';
import {
  deployment,
  nodes,
  now,
  objectOf,
  plan,
  planDelete,
  pod,
  title,
  titles,
  viewOf,
} from './fixtures.ts';

const set = 'apps/v1 StatefulSet web web +c +b';
const statefulSet = (whenDeleted: string, claimOwners: string): string => `${nodes}
- {kind: StatefulSet, name: web, generation: 1, spec: {replicas: 1, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}}, volumeClaimTemplates: [{metadata: {name: data}}], persistentVolumeClaimRetentionPolicy: {whenDeleted: ${whenDeleted}, whenScaled: Retain}}, status: {replicas: 1, readyReplicas: 1}}
- {kind: ControllerRevision, name: web-1, labels: {app: web}, owners: [${set}]}
- {kind: Pod, name: web-0, labels: {app: web, statefulset.kubernetes.io/pod-name: web-0}, owners: [${set}], spec: {nodeName: node-1, terminationGracePeriodSeconds: 30, containers: [{name: a}], volumes: [{name: data, persistentVolumeClaim: {claimName: data-web-0}}]}, status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}
- {kind: PersistentVolumeClaim, name: data-web-0, labels: {app: web}, owners: [${claimOwners}], finalizers: [kubernetes.io/pvc-protection], spec: {volumeName: pv-0}, status: {phase: Bound}}
- {kind: PersistentVolume, name: pv-0, finalizers: [kubernetes.io/pv-protection], spec: {persistentVolumeReclaimPolicy: Delete, claimRef: {namespace: shop, name: data-web-0, uid: data-web-0}}, status: {phase: Bound}}
`;

describe('a Deployment', () => {
  test.each(['background', 'foreground'] as const)('goes with all that it owns in the %s', cascade => {
    const forecast = planDelete(viewOf(nodes + deployment('api', 3)), 'api', cascade);
    expect(forecast).toMatchObject({
      outcome: 'Completes',
      terminating: [],
      changed: [],
      recreated: [],
      timingDependent: [],
      warnings: [],
      kubectl: [{ words: ['kubectl', 'delete', 'deployment/api', '-n', 'shop', `--cascade=${cascade}`] }],
    });
    expect(titles(forecast.deleted)).toEqual([
      'Deployment api',
      'Pod api-h-0',
      'Pod api-h-1',
      'Pod api-h-2',
      'ReplicaSet api-h',
    ]);
    expect(forecast.deleted[0]).toMatchObject({ by: 'user', reason: 'asked for' });
    expect(forecast.deleted[1]).toMatchObject({ by: 'garbage-collector' });
  });

  test('orphaned, it leaves a ReplicaSet that continues by itself', () => {
    const forecast = planDelete(viewOf(nodes + deployment('api', 3)), 'api', 'orphan');
    expect(titles(forecast.deleted)).toEqual(['Deployment api']);
    expect(forecast.changed).toMatchObject([{ object: { name: 'api-h' }, ownerReferencesRemoved: ['api'] }]);
    expect(forecast.untouched.map(title)).toEqual(['Pod api-h-0', 'Pod api-h-1', 'Pod api-h-2']);
    expect(warningWords.all(forecast)).toEqual([
      'A ReplicaSet without a Deployment keeps recreating its pods. To stop them, delete the ReplicaSet.',
    ]);
  });

  test('brings back a pod, and a ReplicaSet with its pods', () => {
    const view = viewOf(nodes + deployment('api', 2));
    expect(planDelete(view, 'api-h-0').recreated).toMatchObject([
      { by: { kind: 'ReplicaSet', name: 'api-h' }, kind: 'Pod', count: 1 },
    ]);
    const forecast = planDelete(view, 'api-h');
    expect(forecast.recreated.map(({ by, kind, count }) => `${count} ${kind} by ${by?.kind ?? ''}`)).toEqual([
      '1 ReplicaSet by Deployment',
      '2 Pod by ReplicaSet',
    ]);
  });
});

describe('a StatefulSet', () => {
  test.each([
    ['Retain', '', ['ControllerRevision web-1', 'Pod web-0', 'StatefulSet web']],
    [
      'Delete',
      set,
      ['ControllerRevision web-1', 'PersistentVolumeClaim data-web-0', 'Pod web-0', 'StatefulSet web'],
    ],
  ] as const)('whose claims are to %s', (whenDeleted, owners, gone) => {
    const view = viewOf(statefulSet(whenDeleted, owners));
    for (const cascade of ['background', 'foreground'] as const) {
      const forecast = planDelete(view, 'web', cascade);
      expect(titles(forecast.deleted)).toEqual(gone);
      expect(forecast.outcome).toBe('Completes');
      const dataGoes = warningWords
        .all(forecast)
        .some(warning => warning.startsWith('The data is deleted too: pv-0'));
      expect(dataGoes).toBe(whenDeleted === 'Delete');
    }
    const orphaned = planDelete(view, 'web', 'orphan');
    expect(titles(orphaned.deleted)).toEqual(['StatefulSet web']);
    expect(titles(orphaned.terminating)).toEqual([]);
  });
});

describe('steps', () => {
  test('are numbered requests with their time and reason', () => {
    const steps = planDelete(viewOf(nodes + deployment('api', 1)), 'api', 'foreground').steps();
    expect(steps.map(({ n }) => n)).toEqual(steps.map((_, index) => index + 1));
    expect(steps[0]).toMatchObject({
      actor: 'user',
      verb: 'delete',
      request: 'DELETE /apis/apps/v1/namespaces/shop/deployments/api?propagationPolicy=Foreground',
      status: 200,
      at: now,
    });
    const confirmed = steps.find(({ actor }) => actor === 'kubelet');
    expect(confirmed).toMatchObject({ at: now + 30_000, because: 'its containers have stopped' });
    expect(steps.at(-1)).toMatchObject({
      actor: 'garbage-collector',
      verb: 'patch',
      object: { name: 'api' },
    });
  });
});

describe('a snapshot', () => {
  test('is only read, and gives the same forecast again', () => {
    const view = viewOf(nodes + deployment('api', 2));
    const before = objectOf(view, 'api');
    const told = (): string => {
      const forecast = planDelete(view, 'api');
      return JSON.stringify([forecast, forecast.steps()]);
    };
    expect(told()).toBe(told());
    expect(objectOf(view, 'api')).toBe(before);
  });

  test('in which nothing goes on needs nobody', () => {
    expect(plan(viewOf(nodes + deployment('api', 2)), 'none')).toMatchObject({
      outcome: 'NoChange',
      deleted: [],
      warnings: [],
    });
  });

  test('tells what goes in any case apart from what the action does', () => {
    const view = viewOf(`${nodes}${deployment('api', 1)}
- {kind: ConfigMap, name: stray, owners: [v1 ConfigMap gone]}`);
    expect(plan(view, 'none')).toMatchObject({
      outcome: 'Completes',
      deleted: [{ object: { name: 'stray' } }],
    });
    const forecast = planDelete(view, 'api');
    const anyway = forecast.deleted.filter(each => each.anyway);
    expect(titles(anyway)).toEqual(['ConfigMap stray']);
    expect(forecast.deleted).toHaveLength(4);
  });
});

describe('requests that the API server refuses or that do nothing', () => {
  test('a protected namespace', () => {
    const view = viewOf('- {kind: Namespace, name: default, spec: {finalizers: [kubernetes]}}');
    const forecast = planDelete(view, 'default');
    expect(forecast).toMatchObject({ outcome: 'Refused', deleted: [] });
    expect(warningWords.all(forecast)[0]).toMatch(/^Refused \(403\)/);
  });

  test('a pod in its grace period, deleted again, is not freed of foregroundDeletion', () => {
    const view = viewOf(`${nodes}
- {kind: Pod, name: p, deletionTimestamp: "2026-11-21T12:00:20Z", deletionGracePeriodSeconds: 30, spec: {nodeName: node-2, terminationGracePeriodSeconds: 30, containers: [{name: a}]}, status: {phase: Running}}`);
    const forecast = planDelete(view, 'p');
    expect(forecast.outcome).toBe('Stuck');
    expect(titles(forecast.terminating)).toEqual(['Pod p']);
  });
});

describe('what cannot be seen', () => {
  test('is named, and owners of such kinds are taken to exist', () => {
    const view = viewOf(`
- {kind: Secret, name: s, owners: [v1 ConfigMap unseen]}
- {kind: Service, name: top}
- {kind: Secret, name: below, owners: [v1 Service top, v1 ConfigMap unseen]}`);
    const type = view.catalog.resolveKind('v1', 'ConfigMap');
    if (type === undefined) throw new Error('no ConfigMap');
    view.apply(
      { changes: [], statuses: [{ type, state: 'blind', count: 0, facts: false, reason: '403' }] },
      0,
    );
    expect(plan(view, 'none').deleted).toEqual([]);
    const forecast = planDelete(view, 'top');
    expect(titles(forecast.deleted)).toEqual(['Service top']);
    expect(forecast.changed).toMatchObject([{ object: { name: 'below' }, ownerReferencesRemoved: ['top'] }]);
    expect(warningWords.all(forecast).join('\n')).toMatch(
      /Assumed, because these cannot be seen: configmaps \(403\)/,
    );
    expect(warningWords.all(forecast).join('\n')).toMatch(
      /Secret shop\/below is assumed to be held by its owner ConfigMap/,
    );
  });

  test('a group whose discovery fails keeps a namespace from finishing', () => {
    const view = viewOf(nodes + deployment('api', 1));
    view.apply({ changes: [], failedGroups: [{ resource: '*.metrics.k8s.io', reason: '503' }] }, 0);
    const forecast = planDelete(view, 'shop');
    expect(forecast.outcome).toBe('Stuck');
    expect(forecast.terminating[0]?.waitingFor[0]).toMatch(/^the discovery of metrics\.k8s\.io/);
    expect(titles(forecast.deleted)).toContain('Deployment api');
  });

  test('kubelets where no nodes can be listed are taken to be at work', () => {
    const view = viewOf(pod('p', ''));
    const type = view.catalog.resolveKind('v1', 'Node');
    if (type === undefined) throw new Error('no Node');
    view.apply(
      { changes: [], statuses: [{ type, state: 'blind', count: 0, facts: false, reason: '403' }] },
      0,
    );
    expect(planDelete(view, 'p')).toMatchObject({ outcome: 'Completes' });
  });

  test('what an unknown controller does', () => {
    const view = viewOf(`${nodes}
- {kind: Service, name: operated}${pod('p', 'v1 Service operated operated +c')}`);
    const forecast = planDelete(view, 'p');
    expect(warningWords.all(forecast)).toEqual([
      "Service operated may recreate Pod shop/p: what its controller does isn't known.",
    ]);
  });
});

describe('a restart', () => {
  test('collects what refers to an owner by a wrong kind, which sleeps until then', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: owner}
- {kind: Secret, name: right, owners: [v1 ConfigMap owner]}
- {kind: Secret, name: wrong, owners: [v1 Service owner]}`);
    expect(plan(view, 'none').outcome).toBe('NoChange');
    const forecast = plan(view, 'restart');
    expect(forecast.outcome).toBe('Completes');
    expect(titles(forecast.deleted)).toEqual(['Secret wrong']);
  });
});
