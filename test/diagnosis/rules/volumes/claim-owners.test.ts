import { expect, test } from 'vitest';
import { codesOn, findingOn, remediesIn } from '../../judged.ts';

function statefulSet(whenDeleted: string, whenScaled: string): string {
  return `- {kind: StatefulSet, name: db, spec: {replicas: 1, persistentVolumeClaimRetentionPolicy: {whenDeleted: ${whenDeleted}, whenScaled: ${whenScaled}}}}`;
}

function claim(owner: string): string {
  return `- {kind: PersistentVolumeClaim, name: data-db-0, owners: [${owner}]}`;
}

const ofSet = claim('apps/v1 StatefulSet db db +c +b');

test('a claim goes with its StatefulSet by the policy, and the remedy is the policy', () => {
  const finding = findingOn(
    `${statefulSet('Delete', 'Retain')}\n${ofSet}`,
    'data-db-0',
    'VolumeClaimOwnedByWorkload',
  );
  expect(finding).toMatchObject({ severity: 'warning', brief: 'deleted when db is deleted' });
  expect(finding.message).toContain('whenDeleted: Delete');
  expect(finding.evidence).toContain(
    'StatefulSet db: spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Delete',
  );
  expect(remediesIn(finding)).toEqual(['safe retain-claims']);
});

test('a claim goes as well when the StatefulSet is scaled down, where the policy says so', () => {
  const finding = findingOn(
    `${statefulSet('Delete', 'Delete')}\n${ofSet}`,
    'data-db-0',
    'VolumeClaimOwnedByWorkload',
  );
  expect(finding.brief).toBe('deleted when db is deleted or scaled down');
});

test('a claim of a pod that is scaled away goes with the pod', () => {
  const cluster = `${statefulSet('Retain', 'Delete')}
- {kind: Pod, name: db-0, owners: [apps/v1 StatefulSet db db +c +b]}
${claim('v1 Pod db-0 db-0 +c +b')}`;
  const finding = findingOn(cluster, 'data-db-0', 'VolumeClaimOwnedByWorkload');
  expect(finding.message).toContain('whenScaled: Delete');
  expect(finding.related.map(({ name }) => name)).toEqual(['db-0', 'db']);
  expect(remediesIn(finding)).toEqual(['safe retain-claims']);
});

test('a reference that outlived its policy can be taken off', () => {
  const finding = findingOn(
    `${statefulSet('Retain', 'Retain')}\n${ofSet}`,
    'data-db-0',
    'VolumeClaimOwnedByWorkload',
  );
  expect(finding.message).toContain(
    'although its persistentVolumeClaimRetentionPolicy says whenDeleted: Retain',
  );
  expect(remediesIn(finding)).toEqual(['caution prune-reference/db']);
});

test('the claim of a generic ephemeral volume is meant to go with its pod', () => {
  const pod = (volume: string): string => `
- {kind: Pod, name: job, spec: {volumes: [{name: ${volume}, ephemeral: {volumeClaimTemplate: {}}}]}}
- {kind: PersistentVolumeClaim, name: job-scratch, owners: [v1 Pod job job +c +b]}`;
  expect(codesOn(pod('scratch'), 'job-scratch')).toEqual([]);
  expect(codesOn(pod('other'), 'job-scratch')).toContain('VolumeClaimOwnedByWorkload');
});

test('a claim without an owner, or of something that runs nothing, is nobody’s trap', () => {
  expect(codesOn('- {kind: PersistentVolumeClaim, name: data}', 'data')).toEqual([]);
  expect(codesOn(`- {kind: ConfigMap, name: db}\n${claim('v1 ConfigMap db')}`, 'data-db-0')).toEqual([]);
});

test('a claim whose reference has the kind in lower case is deleted with that owner, too', () => {
  const cluster = `${statefulSet('Retain', 'Retain')}\n${claim('apps/v1 statefulset db db +b')}`;
  expect(codesOn(cluster, 'data-db-0')).toContain('VolumeClaimOwnedByWorkload');
});
