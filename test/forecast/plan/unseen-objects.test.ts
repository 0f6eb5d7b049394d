import { describe, expect, test } from 'vitest';
import { Forecaster } from '../../../src/forecast/compose/forecaster.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { LookUpAnswer } from '../../../src/model/exchange/changes.ts';
import type { Uid } from '../../../src/model/object.ts';
import { warningWords } from '../../../src/text/plan/warning-words.ts';
import { type } from '../../graph/fixtures.ts';
import { deployment, nodes, now, objectOf, plan, planDelete, pod, titles, viewOf } from '../fixtures.ts';

/** A view in which objects of this kind cannot be listed. */
function withoutSight(view: ClusterView, apiVersion: string, kind: string): ClusterView {
  const type = view.catalog.resolveKind(apiVersion, kind);
  if (type === undefined) throw new Error(`no ${kind}`);
  view.apply({ changes: [], statuses: [{ type, state: 'blind', count: 0, facts: false, reason: '403' }] }, 0);
  return view;
}

describe('owners that no list holds', () => {
  const web = {
    of: 'object',
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    namespace: 'shop',
    name: 'web',
    uid: 'web' as Uid,
  } as const;

  function lagging(yaml: string, answer?: LookUpAnswer): ClusterView {
    const view = viewOf(yaml);
    view.settings = { ...view.settings, listsMayLag: true };
    if (answer !== undefined) view.apply({ changes: [], lookUps: [{ lookUp: web, answer }] }, 0);
    return view;
  }

  const cluster = `${nodes}${pod('web-1', 'apps/v1 ReplicaSet web web +c, v1 ConfigMap settings')}
- {kind: ConfigMap, name: settings}`;

  test('exist where a look-up has found them, and hold what refers to them', () => {
    const view = lagging(cluster, { state: 'found', uid: 'web' as Uid, foreground: false });
    const forecast = planDelete(view, 'settings');
    expect(titles(forecast.deleted)).toEqual(['ConfigMap settings']);
    expect(titles(forecast.changed)).toEqual(['Pod web-1']);
    expect(warningWords.all(forecast).join('\n')).toContain(
      "Pod shop/web-1 is assumed to be held by its owner ReplicaSet web, which isn't listed yet.",
    );
    expect(plan(view, 'none').outcome).toBe('NoChange');
  });

  test('leave nothing to be done about what refers to them where a look-up has found them', () => {
    const view = viewOf(`${nodes}
- {kind: ReplicaSet, name: web-h, generation: 2, owners: [apps/v1 Deployment web web +c], spec: {replicas: 3, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}}}, status: {replicas: 0, observedGeneration: 1}}`);
    view.settings = { ...view.settings, listsMayLag: true };
    expect(titles(plan(view, 'none').deleted)).toEqual(['ReplicaSet web-h']);
    const answer = { state: 'found', uid: web.uid, foreground: false } as const;
    view.apply({ changes: [], lookUps: [{ lookUp: { ...web, kind: 'Deployment' }, answer }] }, 0);
    expect(plan(view, 'none').outcome).toBe('NoChange');
  });

  test('take their dependents along where a look-up has found them waiting for these', () => {
    const view = lagging(cluster.replace(', v1 ConfigMap settings', ''), {
      state: 'found',
      uid: 'web' as Uid,
      foreground: true,
    });
    expect(titles(plan(view, 'restart').deleted)).toEqual(['Pod web-1']);
  });

  test('are taken to be absent with a warning, which is gone once a look-up has confirmed it', () => {
    const yaml = cluster.replace(', v1 ConfigMap settings', '');
    const warned = plan(lagging(yaml), 'none');
    expect(titles(warned.deleted)).toEqual(['Pod web-1']);
    expect(warningWords.all(warned)).toContain(
      "Pod shop/web-1 is assumed to have lost its owner ReplicaSet web, which isn't in the lists: no look-up has confirmed that.",
    );
    const forbidden = plan(lagging(yaml, { state: 'unknown', reason: 'reading it is forbidden' }), 'none');
    expect(warningWords.all(forbidden).join('\n')).toContain('a look-up failed (reading it is forbidden)');
    const confirmed = plan(lagging(yaml, { state: 'absent' }), 'none');
    expect(titles(confirmed.deleted)).toEqual(['Pod web-1']);
    expect(warningWords.all(confirmed).join('\n')).not.toContain('lost its owner');
  });

  test('and nodes that no list holds are told alike', () => {
    const yaml = cluster
      .replace('nodeName: node-1', 'nodeName: node-77')
      .replace('apps/v1 ReplicaSet web web +c, ', '');
    const view = lagging(yaml);
    const warning =
      "Node node-77 is assumed to be gone, because it isn't in the lists: no look-up has confirmed that.";
    expect(warningWords.all(plan(view, 'none'))).toContain(warning);
    const lookUp = {
      of: 'object',
      apiVersion: 'v1',
      kind: 'Node',
      namespace: '',
      name: 'node-77',
      uid: '',
    } as const;
    view.apply({ changes: [], lookUps: [{ lookUp, answer: { state: 'absent' } }] }, 0);
    expect(warningWords.all(plan(view, 'none'))).not.toContain(warning);
  });
});

describe('owners that cannot be seen are taken to exist', () => {
  test('by every name that a reference has for them', () => {
    const view = withoutSight(
      viewOf(`
- {kind: Service, name: top}
- {kind: Secret, name: a, owners: [v1 Service top, v1 ConfigMap one x]}
- {kind: Secret, name: b, owners: [v1 Service top, v1 ConfigMap other x]}`),
      'v1',
      'ConfigMap',
    );
    for (const forecast of [
      planDelete(view, 'top'),
      Forecaster.create(view, { now, scope: 'action' }).forecast({
        verb: 'delete',
        cascade: 'background',
        targets: [objectOf(view, 'top')],
      }),
    ]) {
      expect(titles(forecast.deleted)).toEqual(['Service top']);
      expect(titles(forecast.changed)).toEqual(['Secret a', 'Secret b']);
      const warnings = warningWords.all(forecast).join('\n');
      expect(warnings).toContain(
        'Secret shop/a is assumed to be held by its owner ConfigMap one, which cannot be seen.',
      );
    }
    expect(plan(view, 'restart').deleted).toEqual([]);
  });

  test('and may make anew what is deleted below them', () => {
    const view = withoutSight(
      viewOf(`${nodes}${pod('api-h-0', 'apps/v1 ReplicaSet api-h api-h +c +b')}`),
      'apps/v1',
      'ReplicaSet',
    );
    const forecast = planDelete(view, 'api-h-0');
    expect(titles(forecast.deleted)).toEqual(['Pod api-h-0']);
    expect(warningWords.all(forecast).join('\n')).toContain('ReplicaSet api-h may recreate Pod shop/api-h-0');
  });
});

describe('what a namespace holds by the word of its conditions', () => {
  const namespace = `
- {kind: Namespace, name: old, namespace: '', uid: old, deletionTimestamp: "2026-11-21T08:00:00Z", spec: {finalizers: [kubernetes]}, status: {phase: Terminating, conditions: [{type: NamespaceContentRemaining, status: "True", message: 'Some resources are remaining: staticroutes.gateway.kusk.io has 1 resource instances'}]}}
`;

  test('keeps the namespace where files tell nothing else of that kind', () => {
    const view = viewOf(namespace);
    view.settings = { ...view.settings, standsStill: true };
    const forecast = plan(view, 'none');
    expect(forecast.terminating.map(({ waitingFor }) => waitingFor)).toEqual([
      ['1 staticroutes.gateway.kusk.io, which cannot be seen'],
    ]);
    expect(forecast.deleted).toEqual([]);
  });

  test('keeps nothing where the cluster does not serve that kind any more', () => {
    const fresh = namespace.replace('T08:00:00Z', 'T11:59:00Z');
    expect(titles(plan(viewOf(fresh), 'none').deleted)).toEqual(['Namespace old']);
    // Later than that its controller has not come back to it.
    expect(titles(plan(viewOf(namespace), 'none').terminating)).toEqual(['Namespace old']);
  });
});

describe('what has not ended though nothing that can be seen holds it is held by something else', () => {
  const long = 'deletionTimestamp: "2026-11-21T11:48:00Z"';

  test('a definition by an instance', () => {
    const view = viewOf(
      `- {kind: CustomResourceDefinition, name: boats.example.com, namespace: '', ${long}, finalizers: [customresourcecleanup.apiextensions.k8s.io], spec: {group: example.com, scope: Namespaced, names: {kind: Boat, plural: boats}, versions: [{name: v1, served: true, storage: true}]}, status: {conditions: [{type: Established, status: "True"}]}}`,
    );
    const boats = type({ group: 'example.com', kind: 'Boat', resource: 'boats' });
    view.apply({ types: [...view.catalog.types, boats], changes: [] }, 0);
    for (const verb of ['none', 'restart'] as const) {
      const { deleted, terminating } = plan(withoutSight(view, 'example.com/v1', 'Boat'), verb);
      expect(deleted).toEqual([]);
      expect(titles(terminating)).toEqual(['CustomResourceDefinition boats.example.com']);
    }
  });

  test('a namespace by content', () => {
    const namespace = `- {kind: Namespace, name: old, namespace: '', ${long}, spec: {finalizers: [kubernetes]}, status: {phase: Terminating}}`;
    const { deleted, terminating } = plan(withoutSight(viewOf(namespace), 'v1', 'Secret'), 'restart');
    expect(deleted).toEqual([]);
    expect(titles(terminating)).toEqual(['Namespace old']);
    expect(titles(plan(viewOf(namespace), 'restart').deleted)).toEqual(['Namespace old']);
  });
});

test('a namespace that cannot be seen takes what controllers make in it', () => {
  const view = viewOf(deployment('web', 1) + nodes.replace(/^- \{kind: Namespace.*$/mu, ''));
  const made = (of: ClusterView): string[] => planDelete(of, 'web-h-0').recreated.map(({ kind }) => kind);
  expect(made(view)).toEqual([]);
  expect(made(withoutSight(view, 'v1', 'Namespace'))).toEqual(['Pod']);
});
