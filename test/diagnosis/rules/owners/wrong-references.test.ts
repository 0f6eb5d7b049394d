import { describe, expect, test } from 'vitest';
import { diagnoseCluster } from '../../../../src/diagnosis/diagnose-cluster.ts';
import { offeredRemedies } from '../../../../src/diagnosis/offers/offered-remedies.ts';
import { forecast } from '../../../../src/forecast/compose/forecaster.ts';
import type { Uid } from '../../../../src/model/object.ts';
import { builtInTypes } from '../../../../src/source/built-in-types.ts';
import { now, objectOf, viewOf } from '../../../forecast/fixtures.ts';
import { codesOn, findingOn, findingsOn, remediesIn } from '../../judged.ts';

const settings = '- {kind: ConfigMap, name: settings}';
const secret = (owners: string, more = ''): string =>
  `- {kind: Secret, name: token, owners: [${owners}]${more}}`;
const young = ", creationTimestamp: '2026-11-21T11:59:30Z'";

function blind(yaml: string, kind: string) {
  const view = viewOf(yaml);
  const type = builtInTypes.find(each => each.kind === kind && each.preferred);
  if (type === undefined) throw new Error(kind);
  view.apply({ changes: [], statuses: [{ type, state: 'blind', count: 0, facts: false, reason: '403' }] }, 0);
  return view;
}

/** What the remedy does, by the forecast: `deleted`, `changed` or nothing. */
function result(yaml: string, id: string): string {
  const view = viewOf(yaml);
  const object = objectOf(view, 'token');
  const remedy = offeredRemedies.byId(diagnoseCluster(view, now), object, id);
  if (remedy === undefined) throw new Error(`no ${id}`);
  const { deleted, changed } = forecast(view, { verb: 'unblock', target: object, remedy }, { now });
  return [
    ...deleted.map(each => `deleted ${each.object.name}`),
    ...changed.map(each => `changed ${each.object.name}`),
  ].join(', ');
}

describe('an owner that was re-created', () => {
  const cluster = `${settings}\n${secret('v1 ConfigMap settings former')}`;

  test('is an error where the dependent will be lost, and is told without a latest time, because a restart may miss it again', () => {
    const finding = findingOn(cluster, 'token', 'OwnerRecreated');
    expect(finding).toMatchObject({
      severity: 'error',
      certainty: 'exact',
      message:
        'Secret shop/token will be deleted when the collector next looks at it, which may take a restart of kube-controller-manager: its owner reference is to an earlier ConfigMap settings, and the one that exists now has another uid.',
      related: [{ kind: 'ConfigMap', name: 'settings', uid: 'settings' }],
    });
    expect(remediesIn(finding)).toEqual([
      'safe repair-reference/former',
      'safe plan-restart',
      'caution prune-reference/former',
      'caution delete/secret/token',
    ]);
  });

  test('is told by nothing else than its own code', () => {
    expect(codesOn(cluster, 'token')).toEqual(['OwnerRecreated']);
  });

  test('is no trouble in the moments in which what the former one had goes', () => {
    const replaced = `- {kind: ConfigMap, name: settings${young}}\n${secret('v1 ConfigMap settings former')}`;
    expect(findingOn(replaced, 'token', 'OwnerRecreated').severity).toBe('info');
    expect(findingOn(replaced, 'token', 'OwnerRecreated', now + 120_000).severity).toBe('error');
  });

  test('is an error at once where the dependent is younger: it never had the owner that is there', () => {
    const restored = `${settings}\n${secret('v1 ConfigMap settings former', young)}`;
    expect(findingOn(restored, 'token', 'OwnerRecreated')).toMatchObject({ severity: 'error' });
    expect(findingOn(restored, 'token', 'OwnerRecreated').message).toContain(
      'as soon as the collector looks at it',
    );
  });

  test('costs only the reference where another owner holds the dependent', () => {
    const held = `${cluster.replace('former]', 'former, v1 ConfigMap shared]')}\n- {kind: ConfigMap, name: shared}`;
    expect(findingOn(held, 'token', 'OwnerRecreated')).toMatchObject({
      severity: 'warning',
      brief: 'loses the reference: owner was recreated',
    });
    expect(findingOn(held, 'token', 'OwnerRecreated').message).toContain(
      'and depend on ConfigMap shared alone',
    );
  });

  test('may cost the dependent where the other owner cannot be seen', () => {
    const view = blind(cluster.replace('former]', 'former, v1 Service shared]'), 'Service');
    const finding = findingOn(view, 'token', 'OwnerRecreated');
    expect(finding).toMatchObject({ severity: 'warning', certainty: 'assumed' });
    expect(finding.message).toContain('depending on whether Service shared exists, which cannot be seen');
  });

  test('is why a dependent is being deleted, and says nothing of an owner kind that cannot be seen', () => {
    const deleting = ", finalizers: [a.example.com/b], deletionTimestamp: '2026-11-21T11:50:00Z'";
    const going = `${settings}\n${secret('v1 ConfigMap settings former', deleting)}`;
    expect(findingOn(going, 'token', 'OwnerRecreated')).toMatchObject({
      severity: 'info',
      message: expect.stringContaining('is being deleted because its owner reference is to an earlier'),
    });
    expect(codesOn(blind(secret('v1 ConfigMap settings former'), 'ConfigMap'), 'token')).toEqual([]);
  });

  test('is repaired, or kept without an owner, or deleted, as each remedy says', () => {
    expect(result(cluster, 'repair-reference/former')).toBe('changed token');
    expect(result(cluster, 'prune-reference/former')).toBe('changed token');
    expect(result(cluster, 'delete/secret/token')).toBe('deleted token');
  });

  test('is no repair where the new owner is going, or where it would delete the dependent', () => {
    const going = cluster.replace(
      'name: settings}',
      `name: settings, finalizers: [a.example.com/b], deletionTimestamp: '2026-11-21T11:50:00Z'}`,
    );
    expect(remediesIn(findingOn(going, 'token', 'OwnerRecreated'))).not.toContain(
      'safe repair-reference/former',
    );
    const full = `
- {kind: ReplicaSet, name: api, spec: {replicas: 0, selector: {matchLabels: {app: api}}}}
- {kind: Pod, name: token, labels: {app: api}, owners: [apps/v1 ReplicaSet api former +c +b]}`;
    expect(remediesIn(findingOn(full, 'token', 'OwnerRecreated'))).toContain(
      'dangerous repair-reference/former',
    );
  });

  test('is a repair that costs another object where the new owner keeps the dependent in its place', () => {
    const full = `
- {kind: ReplicaSet, name: api, spec: {replicas: 1, selector: {matchLabels: {app: api}}}}
- {kind: Pod, name: token, labels: {app: api}, owners: [apps/v1 ReplicaSet api former +c +b], spec: {nodeName: node-1}, status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}
- {kind: Pod, name: other, labels: {app: api}, owners: [apps/v1 ReplicaSet api api +c +b], status: {phase: Pending}}`;
    const repair = findingOn(full, 'token', 'OwnerRecreated')
      .remedies()
      .find(({ id }) => id === 'repair-reference/former');
    expect(repair?.risk).toBe('dangerous');
    expect(repair?.title).toContain('it keeps it and deletes Pod other');
  });
});

describe('an owner reference whose uid and name disagree', () => {
  test('means a loss that may lie dormant until a restart', () => {
    const finding = findingOn(
      `${settings}\n${secret('v1 ConfigMap setings settings')}`,
      'token',
      'OwnerReferenceMismatch',
    );
    expect(finding).toMatchObject({
      severity: 'error',
      brief: 'will be deleted: owner is settings, not setings',
    });
    expect(finding.message).toMatch(/which may take a restart of kube-controller-manager/u);
    expect(finding.evidence).toEqual([
      'metadata.ownerReferences[0]: v1 ConfigMap setings, uid settings',
      'ConfigMap settings: apiVersion: v1, metadata.uid: settings',
    ]);
  });

  test('can be repaired towards the uid or towards the name, where both are there', () => {
    const both = `${settings}\n- {kind: ConfigMap, name: defaults}\n${secret('v1 ConfigMap defaults settings')}`;
    const finding = findingOn(both, 'token', 'OwnerReferenceMismatch');
    const repairs = finding.remedies().filter(({ id }) => id.startsWith('repair'));
    expect(repairs.map(({ id, title }) => `${id}: ${title}`)).toEqual([
      'repair-reference/settings: make the reference of token name ConfigMap settings, which is there',
      'repair-reference/settings/configmap/defaults: make the reference of token name ConfigMap defaults, which is there',
    ]);
    expect(result(both, 'repair-reference/settings/configmap/defaults')).toBe('changed token');
  });

  test('keeps quiet where the same uid also stands rightly: that is a story of its own', () => {
    expect(
      codesOn(`${settings}\n${secret('v1 ConfigMap settings, v1 ConfigMap setings settings')}`, 'token'),
    ).toEqual(['DuplicateOwnerUid']);
  });

  test('is undecided as long as another owner is of a kind that is not served', () => {
    const finding = findingOn(
      `${settings}\n${secret('gone.example.com/v1 Gone x, v1 ConfigMap setings settings')}`,
      'token',
      'OwnerReferenceMismatch',
    );
    expect(finding.severity).toBe('warning');
    expect(finding.message).toContain(
      'is still here only because the collector cannot look up its owner Gone x',
    );
  });
});

describe('an owner in another namespace', () => {
  const cluster = `- {kind: ConfigMap, name: settings, namespace: infra}\n${secret('v1 ConfigMap settings')}`;

  test('counts as none, and the reference can safely go', () => {
    const finding = findingOn(cluster, 'token', 'OwnerInOtherNamespace');
    expect(finding).toMatchObject({ severity: 'error', brief: 'will be deleted: owner lives in infra' });
    expect(finding.message).toContain('its owner reference is to ConfigMap infra/settings');
    expect(remediesIn(finding)[0]).toBe('safe prune-reference/settings');
    expect(result(cluster, 'prune-reference/settings')).toBe('changed token');
  });

  test('can be exchanged for the one of the same name beside the dependent', () => {
    const copied = `${cluster}\n- {kind: ConfigMap, name: settings, uid: local}`;
    expect(remediesIn(findingOn(copied, 'token', 'OwnerInOtherNamespace'))[0]).toBe(
      'safe repair-reference/settings',
    );
  });

  test('is one that a cluster-scoped object took by its uid', () => {
    const role = `${settings}\n- {kind: ClusterRole, name: role, namespace: '', owners: [rbac.authorization.k8s.io/v1 ClusterRole settings]}`;
    expect(findingOn(role, 'role', 'OwnerInOtherNamespace').message).toContain(
      'what is in a namespace cannot own what is in none',
    );
  });
});

describe('owners of which only some exist', () => {
  test('keep the object, and the reference to the others can safely go', () => {
    const finding = findingOn(
      `${settings}\n${secret('v1 ConfigMap nobody, v1 ConfigMap settings')}`,
      'token',
      'PartlyDangling',
    );
    expect(finding).toMatchObject({ severity: 'info', certainty: 'exact' });
    expect(remediesIn(finding)).toEqual(['safe prune-reference/nobody']);
  });

  test('may all be gone where the rest cannot be seen', () => {
    const view = blind(secret('v1 ConfigMap nobody, v1 Service unseen'), 'Service');
    const finding = findingOn(view, 'token', 'PartlyDangling');
    expect(finding).toMatchObject({ severity: 'warning', certainty: 'assumed' });
    expect(finding.message).toMatch(/^Secret shop\/token will be deleted .* unless Service unseen exists/u);
  });
});

describe('a uid that stands twice', () => {
  test('takes the right reference along with the wrong one', () => {
    const cluster = `${settings}\n${secret('v1 ConfigMap settings, v1 ConfigMap setings settings')}`;
    const finding = findingOn(cluster, 'token', 'DuplicateOwnerUid');
    expect(finding.message).toContain('and have no owner');
    expect(remediesIn(finding)).toEqual(['safe prune-reference/settings']);
    const view = viewOf(cluster);
    const [remedy] = finding.remedies();
    expect(remedy?.requests[0]?.body).toContainEqual({ op: 'remove', path: '/metadata/ownerReferences/1' });
    expect(forecast(view, { verb: 'restart' }, { now }).changed[0]?.ownerReferencesRemoved).toEqual([
      'settings',
    ]);
  });

  test('leaves the object to its other owner', () => {
    const cluster = `${settings}\n- {kind: ConfigMap, name: shared}\n${secret('v1 ConfigMap settings, v1 ConfigMap setings settings, v1 ConfigMap shared')}`;
    expect(findingOn(cluster, 'token', 'DuplicateOwnerUid').message).toContain(
      'and depend on ConfigMap shared alone',
    );
  });

  test('is none where all say the same, but for the block', () => {
    expect(
      codesOn(`${settings}\n${secret('v1 ConfigMap settings, v1 ConfigMap settings settings +b')}`, 'token'),
    ).toEqual([]);
  });

  test('is a plain mismatch where none is right', () => {
    const codes = codesOn(
      `${settings}\n${secret('v1 ConfigMap setings settings, v1 Secret settings')}`,
      'token',
    );
    expect(codes).toEqual(['OwnerReferenceMismatch', 'OwnerReferenceMismatch']);
  });
});

describe('what is due for collection', () => {
  test('is told as what will happen, and after two minutes as what should have', () => {
    const cluster = secret('v1 ConfigMap nobody', young);
    expect(findingOn(cluster, 'token', 'PendingCollection')).toMatchObject({
      severity: 'info',
      message:
        "Secret shop/token will be deleted as soon as the collector looks at it: its owner ConfigMap nobody doesn't exist.",
    });
    expect(codesOn(cluster, 'token', now + 90_000)).toEqual(['CollectionOverdue']);
    expect(findingOn(cluster, 'token', 'CollectionOverdue', now + 90_000)).toMatchObject({
      severity: 'warning',
    });
  });

  test('is in time for two minutes after the owner was seen to go, however old it is', () => {
    const view = viewOf(`${settings}\n${secret('v1 ConfigMap settings')}`);
    const owner = objectOf(view, 'settings');
    view.apply({ changes: [{ op: 'delete', uid: owner.uid, type: owner.type }] }, now);
    expect(codesOn(view, 'token', now + 119_000)).toEqual(['PendingCollection']);
    const finding = findingOn(view, 'token', 'CollectionOverdue', now + 120_000);
    expect(finding.since).toBe(now);
    expect(finding.message).not.toContain('a moment ago');
  });

  test('may have become so only now, where nobody saw the owner go', () => {
    expect(findingOn(secret('v1 ConfigMap nobody'), 'token', 'CollectionOverdue').message).toContain(
      'unless that is so only since a moment ago',
    );
  });

  test('goes with an owner that waits for it', () => {
    const waiting = `- {kind: ConfigMap, name: settings, finalizers: [foregroundDeletion], deletionTimestamp: '2026-11-21T11:59:30Z'}`;
    expect(
      findingOn(`${waiting}\n${secret('v1 ConfigMap settings')}`, 'token', 'PendingCollection').message,
    ).toContain('is being deleted in the foreground');
  });

  test('is kept by taking the one reference off', () => {
    expect(result(secret('v1 ConfigMap nobody'), 'prune-reference/nobody')).toBe('changed token');
  });

  test('is judged anew when the owner comes back', () => {
    const view = viewOf(secret('v1 ConfigMap settings'));
    const diagnosis = diagnoseCluster(view, now);
    const [change] = [...viewOf(settings).graph.nodes()].flatMap(({ object }) =>
      object === undefined ? [] : [{ op: 'upsert' as const, object }],
    );
    if (change === undefined) throw new Error('no owner');
    expect(diagnosis.apply(view.apply({ changes: [change] }, 0), now)).toContain('token');
    expect(diagnosis.of('token' as Uid)).toEqual([]);
  });
});

test('healthy references are no finding', () => {
  expect(findingsOn(`${settings}\n${secret('v1 ConfigMap settings settings +c +b')}`, 'token')).toEqual([]);
});
