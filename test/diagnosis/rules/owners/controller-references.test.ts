import { describe, expect, test } from 'vitest';
import { now } from '../../../cli/documents/cluster.ts';
import { codesOn, findingOn, remediesIn } from '../../judged.ts';

const replicas = (count: number): string =>
  `- {kind: ReplicaSet, name: api, spec: {replicas: ${count}, selector: {matchLabels: {app: api}}}}`;
const pod = (name: string, more = ''): string =>
  `- {kind: Pod, name: ${name}, labels: {app: api}, status: {phase: Running}${more}}`;
const former = ', owners: [apps/v1 ReplicaSet former former +c +b]';

describe('several controllers', () => {
  test('are what the API server refuses', () => {
    const cluster = `
- {kind: ConfigMap, name: a}
- {kind: ConfigMap, name: b}
- {kind: Secret, name: token, owners: [v1 ConfigMap a a +c +b, v1 ConfigMap b b +c +b]}
- {kind: Secret, name: fine, owners: [v1 ConfigMap a a +c +b, v1 ConfigMap b]}`;
    expect(findingOn(cluster, 'token', 'MultipleControllers')).toMatchObject({
      severity: 'warning',
      message:
        'Secret shop/token names several controllers, ConfigMap a and ConfigMap b: at most one of its owner references may say so, and the API server refuses the object as it is.',
    });
    expect(codesOn(cluster, 'fine')).toEqual([]);
  });
});

describe('a controller that does not block', () => {
  test('is worth knowing, and can be made to', () => {
    const cluster = `
- {kind: ConfigMap, name: a}
- {kind: Secret, name: token, owners: [v1 ConfigMap a a +c]}`;
    const finding = findingOn(cluster, 'token', 'ControllerDoesNotBlock');
    expect(finding.severity).toBe('info');
    expect(remediesIn(finding)).toEqual(['caution set-block/a']);
  });

  test('is how a kubelet writes the pods that stand for its static ones', () => {
    const cluster = `
- {kind: Node, name: node-1, namespace: ''}
- {kind: Pod, name: etcd-node-1, annotations: {kubernetes.io/config.mirror: x}, owners: [v1 Node node-1 node-1 +c]}`;
    expect(codesOn(cluster, 'etcd-node-1')).toEqual([]);
  });
});

describe('a pod whose controller does not exist, while another selects it', () => {
  test('is not adopted, and the collector is quicker than anybody', () => {
    const finding = findingOn(
      `${replicas(1)}\n${pod('one', former)}`,
      'one',
      'AdoptionBlockedByDanglingController',
    );
    expect(finding.severity).toBe('warning');
    expect(finding.message).toContain('cannot be adopted by ReplicaSet api');
    expect(finding.message).toContain('the collector deletes it before anybody can');
    expect(remediesIn(finding)).toEqual(['safe prune-reference/former']);
  });

  test('costs a pod when it is let in where there are enough', () => {
    const full = `${replicas(1)}\n${pod('one', former)}\n${pod('two', ', owners: [apps/v1 ReplicaSet api api +c +b]')}`;
    const finding = findingOn(full, 'one', 'AdoptionBlockedByDanglingController');
    expect(remediesIn(finding)).toEqual(['dangerous prune-reference/former']);
    expect(finding.remedies()[0]?.title).toContain('ReplicaSet api wants 1, and there are 2 then');
  });

  test('is not said to stay where taking the reference off lets it be adopted and deleted', () => {
    const none = `${replicas(0)}\n${pod('one', former)}`;
    const finding = findingOn(none, 'one', 'CollectionOverdue');
    const prune = finding.remedies().find(({ id }) => id === 'prune-reference/former');
    expect(prune).toMatchObject({ risk: 'dangerous' });
    expect(prune?.title).toBe(
      'remove the reference to ReplicaSet former from one: ReplicaSet api adopts it, and then it deletes it: ReplicaSet api wants 0, and there are 1 then',
    );
  });

  test('is adopted once the collector has taken the reference off, where another owner holds it', () => {
    const held = `${replicas(1)}\n- {kind: ConfigMap, name: shared}\n${pod('one', former.replace(']', ', v1 ConfigMap shared]'))}`;
    const finding = findingOn(held, 'one', 'AdoptionBlockedByDanglingController');
    expect(finding.message).toContain('once the collector has removed that reference, it is adopted');
  });

  test('is only news in the moments after its controller was replaced', () => {
    const fresh = `${replicas(1).replace('name: api', "name: api, creationTimestamp: '2026-11-21T11:59:30Z'")}\n${pod('one', former)}`;
    expect(findingOn(fresh, 'one', 'AdoptionBlockedByDanglingController').severity).toBe('info');
    expect(findingOn(fresh, 'one', 'AdoptionBlockedByDanglingController', now + 120_000).severity).toBe(
      'warning',
    );
  });

  test('is nobody’s where nothing selects it, or only what is being deleted', () => {
    expect(codesOn(pod('one', former), 'one')).toEqual(['CollectionOverdue']);
    const going = replicas(1).replace(
      'name: api',
      "name: api, deletionTimestamp: '2026-11-21T11:59:30Z', finalizers: [a.example.com/b]",
    );
    expect(codesOn(`${going}\n${pod('one', former)}`, 'one')).toEqual(['CollectionOverdue']);
  });
});

test('a controller that is there under another name keeps others out, and is no dangling one', () => {
  const cluster = `${replicas(1)}\n- {kind: ReplicaSet, name: web}\n${pod('one', ', owners: [apps/v1 ReplicaSet wbe web +c +b]')}`;
  expect(codesOn(cluster, 'one')).toEqual(['OwnerReferenceMismatch']);
});

describe('a pod that nobody controls', () => {
  test('will be adopted by what selects it', () => {
    const finding = findingOn(`${replicas(1)}\n${pod('one')}`, 'one', 'WillBeAdopted');
    expect(finding).toMatchObject({ severity: 'info', brief: 'will be adopted by api' });
    expect(remediesIn(finding)).toEqual([]);
  });

  test('is in danger where it is one too many', () => {
    const cluster = `${replicas(0)}\n${pod('one')}`;
    const finding = findingOn(cluster, 'one', 'WillBeAdopted');
    expect(finding).toMatchObject({ severity: 'warning', brief: 'will be adopted by api and deleted' });
    expect(remediesIn(finding)).toEqual(['safe relabel', 'caution scale-up']);
  });

  test('goes to whichever of several looks first', () => {
    const both = `${replicas(1)}\n${replicas(1).replace('name: api', 'name: web')}\n${pod('one')}`;
    expect(findingOn(both, 'one', 'WillBeAdopted')).toMatchObject({
      certainty: 'assumed',
      brief: 'will be adopted by one of 2 controllers',
    });
  });

  test('stays nobody’s where it has finished: a ReplicaSet wants no such pod', () => {
    expect(codesOn(`${replicas(1)}\n${pod('one').replace('Running', 'Succeeded')}`, 'one')).toEqual([]);
  });
});
