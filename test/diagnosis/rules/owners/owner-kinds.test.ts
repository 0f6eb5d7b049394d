import { describe, expect, test } from 'vitest';
import { diagnoseCluster } from '../../../../src/diagnosis/diagnose-cluster.ts';
import type { Uid } from '../../../../src/model/object.ts';
import { builtInTypes } from '../../../../src/source/built-in-types.ts';
import { now, viewOf } from '../../../cli/documents/cluster.ts';
import { codesOn, findingOn, remediesIn } from '../../judged.ts';

const settings = '- {kind: ConfigMap, name: settings}';
const secret = (owners: string): string => `- {kind: Secret, name: token, owners: [${owners}]}`;

function apiService(available: string): string {
  return `- {kind: APIService, name: v1.example.com, namespace: '', spec: {group: example.com, version: v1, service: {namespace: infra, name: gauges}}, status: {conditions: [{type: Available, status: "${available}", reason: ServiceNotFound, message: service/gauges is not present, lastTransitionTime: '2026-11-21T11:30:00Z'}]}}`;
}

describe('a cluster-scoped object with an owner in a namespace', () => {
  const role = (owners: string): string =>
    `- {kind: ClusterRole, name: role, namespace: '', owners: [${owners}]}`;

  test('is never collected, whether the owner is there or not', () => {
    for (const cluster of [`${settings}\n${role('v1 ConfigMap settings')}`, role('v1 ConfigMap settings')]) {
      const finding = findingOn(cluster, 'role', 'NamespacedOwnerOfClusterScoped');
      expect(finding.severity).toBe('error');
      expect(finding.message).toMatch(/^ClusterRole role is never collected/u);
      expect(remediesIn(finding)).toEqual([
        'safe prune-reference/settings',
        'caution delete/clusterrole/role',
      ]);
    }
  });

  test.each([
    ['v1.36.3', 'exact', 'is never collected: '],
    ['v1.20.0', 'exact', 'is never collected: '],
    ['v1.19.16', 'assumed', 'is never collected by Kubernetes 1.20 or newer: '],
    [undefined, 'assumed', 'is never collected by Kubernetes 1.20 or newer: '],
  ])(
    'is left alone by a server of version %s, as far as that is known',
    (serverVersion, certainty, words) => {
      const view = viewOf(role('v1 ConfigMap settings'));
      view.settings = { ...view.settings, serverVersion };
      const [finding] = diagnoseCluster(view, now).all();
      expect(finding).toMatchObject({ code: 'NamespacedOwnerOfClusterScoped', certainty });
      expect(finding?.message).toContain(words);
    },
  );

  test('would be collected without the reference where no other owner is there', () => {
    const cluster = role('v1 ConfigMap settings, rbac.authorization.k8s.io/v1 ClusterRole nobody');
    const finding = findingOn(cluster, 'role', 'NamespacedOwnerOfClusterScoped');
    expect(finding.message).toContain('asks no further about its other owners');
    const dangerous = finding.remedies().find(({ risk }) => risk === 'dangerous');
    expect(dangerous).toMatchObject({ id: 'prune-reference/settings' });
    expect(dangerous?.title).toContain('is deleted when the collector next looks at it');
  });

  test('is no matter for one in a namespace', () => {
    const cluster = `- {kind: ClusterRole, name: role, namespace: ''}\n${secret('rbac.authorization.k8s.io/v1 ClusterRole role')}`;
    expect(codesOn(cluster, 'token')).toEqual([]);
  });
});

describe('an owner of a kind that is not served', () => {
  test('keeps the collector from deciding, and says what would make it decide', () => {
    const finding = findingOn(secret('gone.example.com/v1 Gone gone'), 'token', 'OwnerKindUnresolvable');
    expect(finding).toMatchObject({
      severity: 'warning',
      certainty: 'exact',
      brief: "undecided: Gone isn't served",
    });
    expect(remediesIn(finding)).toEqual([
      'caution prune-reference/gone',
      'caution delete/secret/token',
      'dangerous serve/gone.example.com/v1/Gone',
    ]);
  });

  test('is known by its uid where that is alive', () => {
    const finding = findingOn(
      `${settings}\n${secret('core/v1 ConfigMap settings')}`,
      'token',
      'OwnerKindUnresolvable',
    );
    expect(finding.message).toContain('its uid is that of ConfigMap settings, whose apiVersion is v1');
    expect(remediesIn(finding)[0]).toBe('safe repair-reference/settings');
  });

  test.each([
    ['core/v1 ConfigMap', 'v1 ConfigMap'],
    ['v1 Configmap', 'v1 ConfigMap'],
    ['v1 configmaps', 'v1 ConfigMap'],
    ['v1 ConfigMpa', 'v1 ConfigMap'],
    ['extensions/v1beta1 Deployment', 'apps/v1 Deployment'],
    ['apps/v1beta2 StatefulSet', 'apps/v1 StatefulSet'],
    ['batch/v1beta1 CronJob', 'batch/v1 CronJob'],
    ['networking/v1 Ingress', 'networking.k8s.io/v1 Ingress'],
    ['v1 Deployment', 'apps/v1 Deployment'],
    ['aps/v1 Deployment', 'apps/v1 Deployment'],
  ])('%s may mean %s', (wrong, right) => {
    const finding = findingOn(secret(`${wrong} other`), 'token', 'OwnerKindUnresolvable');
    expect(finding.message).toContain(`; ${right} may be meant.`);
  });

  test('is worth knowing while the owner whose kind is only in the wrong case lives, or may live', () => {
    const deployments = builtInTypes.find(({ kind, preferred }) => kind === 'Deployment' && preferred);
    if (deployments === undefined) throw new Error('no deployments');
    const named = secret('apps/v1 DEPLOYMENT web');
    const severity = (yaml: string, blind = false): string => {
      const view = viewOf(yaml);
      const status = { type: deployments, state: 'blind', count: 0, facts: false, reason: '403' } as const;
      if (blind) view.apply({ changes: [], statuses: [status] }, 0);
      const { severity, certainty } = findingOn(view, 'token', 'OwnerKindUnresolvable');
      return `${severity} ${certainty}`;
    };
    expect(severity(`- {kind: Deployment, name: web}\n${named}`)).toBe('info exact');
    expect(severity(named, true)).toBe('info assumed');
    expect(severity(named)).toBe('warning exact');
    expect(severity(`- {kind: Deployment, name: web, uid: new}\n${named}`)).toBe('warning exact');
  });

  test('is another matter than a kind in lower case, which the collector resolves', () => {
    const named = secret('apps/v1 deployment web');
    expect(codesOn(`- {kind: Deployment, name: web}\n${named}`, 'token')).toEqual([]);
    expect(codesOn(named, 'token')).toEqual(['CollectionOverdue']);
    expect(codesOn(`- {kind: Deployment, name: web, uid: new}\n${named}`, 'token')).toEqual([
      'OwnerRecreated',
    ]);
  });

  test('is another matter than the kind of a list, under which no owner exists', () => {
    const named = secret('apps/v1 DeploymentList web');
    expect(codesOn(named, 'token')).toEqual(['CollectionOverdue']);
    const finding = findingOn(`- {kind: Deployment, name: web}\n${named}`, 'token', 'OwnerReferenceMismatch');
    expect(finding).toMatchObject({ certainty: 'exact' });
    expect(finding.message).toContain('calls it DeploymentList web');
  });

  test('is guessed no further than what is near', () => {
    const finding = findingOn(
      secret('serving.example.com/v1 Service other'),
      'token',
      'OwnerKindUnresolvable',
    );
    expect(finding.message).not.toContain('may be meant');
  });

  test('is only likely the one of that name, and so no safe repair', () => {
    const finding = findingOn(
      `${settings}\n${secret('core/v1 ConfigMap settings another')}`,
      'token',
      'OwnerKindUnresolvable',
    );
    expect(finding.message).toContain('v1 ConfigMap may be meant, which exists under that name');
    expect(remediesIn(finding)[0]).toBe('caution repair-reference/another');
  });

  test('is all that keeps an object whose other owner is not there', () => {
    const finding = findingOn(
      secret('gone.example.com/v1 Gone gone, v1 ConfigMap nobody'),
      'token',
      'OwnerKindUnresolvable',
    );
    expect(remediesIn(finding)).toContain('dangerous prune-reference/gone');
  });
});

test('a kind may well be served where definitions cannot be seen', () => {
  const view = viewOf(secret('gone.example.com/v1 Gone gone'));
  const type = builtInTypes.find(({ kind }) => kind === 'CustomResourceDefinition');
  if (type === undefined) throw new Error('no definitions');
  view.apply({ changes: [], statuses: [{ type, state: 'blind', count: 0, facts: false, reason: '403' }] }, 0);
  expect(findingOn(view, 'token', 'OwnerKindUnresolvable')).toMatchObject({
    certainty: 'assumed',
    message: expect.stringContaining('no definition of it can be seen'),
  });
});

describe('an owner whose API does not answer', () => {
  const owners = 'example.com/v1 Gauge main';

  // The aggregator answers with 503 unless `Available` is True.
  test.each(['False', 'Unknown'])('names the Service that is to serve it, and since when (%s)', status => {
    const finding = findingOn(`${apiService(status)}\n${secret(owners)}`, 'token', 'OwnerApiUnavailable');
    expect(finding).toMatchObject({
      severity: 'warning',
      certainty: 'exact',
      since: Date.parse('2026-11-21T11:30:00Z'),
    });
    expect(finding.message).toContain('Service infra/gauges');
    expect(finding.message).toContain('service/gauges is not present');
    expect(finding.chain.at(-1)).toMatchObject({ object: { kind: 'APIService' }, by: 'served through' });
    expect(remediesIn(finding)).toEqual(['safe restore-api/example.com/v1']);
  });

  test('is a kind that is not served where the API answers', () => {
    expect(codesOn(`${apiService('True')}\n${secret(owners)}`, 'token')).toEqual(['OwnerKindUnresolvable']);
  });

  test('is assumed where only discovery has failed', () => {
    const view = viewOf(secret(owners));
    view.apply({ changes: [], failedGroups: [{ resource: '*.example.com', reason: '503' }] }, 0);
    expect(findingOn(view, 'token', 'OwnerApiUnavailable')).toMatchObject({ certainty: 'assumed' });
  });

  test('is judged anew when it answers again', () => {
    const view = viewOf(`${apiService('False')}\n${secret(owners)}`);
    const diagnosis = diagnoseCluster(view, now);
    const back = [...viewOf(apiService('True')).graph.nodes()].flatMap(({ object }) =>
      object === undefined ? [] : [{ op: 'upsert' as const, object }],
    );
    diagnosis.apply(view.apply({ changes: back }, 0), now);
    expect(diagnosis.of('token' as Uid).map(({ code }) => code)).toEqual(['OwnerKindUnresolvable']);
  });
});
