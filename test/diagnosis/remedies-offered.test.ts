import { describe, expect, test } from 'vitest';
import { diagnoseCluster } from '../../src/diagnosis/diagnose-cluster.ts';
import type { Diagnosis } from '../../src/diagnosis/engine/diagnosis.ts';
import { isApplicable } from '../../src/diagnosis/engine/finding.ts';
import { offeredRemedies } from '../../src/diagnosis/offers/offered-remedies.ts';
import { deleteObject } from '../../src/diagnosis/remedies/deletion-remedies.ts';
import { now, viewOf } from '../cli/documents/cluster.ts';
import { nodes, objectOf, pod } from '../forecast/fixtures.ts';

const foreground = 'deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [foregroundDeletion]';
const held = 'deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0, finalizers:';
const view = viewOf(`${nodes}
- {kind: ConfigMap, name: web, ${foreground}}${pod('web-2', 'v1 ConfigMap web web +b', `, ${held} [example.com/drain]`)}
- {kind: ClusterRole, name: wrong, owners: [v1 ConfigMap web]}
- {kind: ConfigMap, name: calm}`);
const diagnosis = diagnoseCluster(view, now);

describe('the remedies that are offered for an object', () => {
  test('are those of its findings, the safest first', () => {
    const offered = offeredRemedies.of(diagnosis, objectOf(view, 'web'));
    const order = ['safe', 'caution', 'dangerous'];
    const risks = offered.map(({ risk }) => order.indexOf(risk));
    expect(risks).toEqual(risks.toSorted((a, b) => a - b));
    expect(offered.filter(isApplicable)[0]?.id).toBe('clear-block/pod/web-2');
    expect(new Set(offered.map(({ id }) => id)).size).toBe(offered.length);
  });

  test('are as risky as the warier of two findings says', () => {
    const calm = objectOf(view, 'calm');
    const remedies = (['safe', 'dangerous', 'caution'] as const).map(risk =>
      deleteObject(diagnosis.tracked, calm, 'background', { risk }),
    );
    const findings = remedies.map(each => ({ remedies: () => [each] }));
    const several = { of: () => findings } as unknown as Diagnosis;
    expect(offeredRemedies.of(several, calm).map(({ risk }) => risk)).toEqual(['dangerous']);
  });

  test('are recommended where they delete nothing that nobody deletes yet, whatever they are called', () => {
    const web = objectOf(view, 'web');
    const deletions = ['web', 'web-2', 'wrong', 'calm'].map(uid =>
      deleteObject(diagnosis.tracked, objectOf(view, uid), 'background', { risk: 'safe' }),
    );
    const recommended = offeredRemedies.recommendable(view, web, deletions);
    expect(recommended.map(({ id }) => id)).toEqual(['delete/configmap/web', 'delete/pod/web-2']);
  });

  test('are none for an object without findings', () => {
    expect(offeredRemedies.of(diagnosis, objectOf(view, 'calm'))).toEqual([]);
    expect(offeredRemedies.every(diagnosis, objectOf(view, 'calm'))).toEqual([]);
  });

  test('are followed by whatever else could be done, each once', () => {
    const target = objectOf(view, 'web');
    const all = offeredRemedies.every(diagnosis, target).map(({ id }) => id);
    expect(all).toEqual(expect.arrayContaining(offeredRemedies.of(diagnosis, target).map(({ id }) => id)));
    expect(all).toContain('redelete/orphan');
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('the remedy of an id', () => {
  test('is the one that a finding offers, with its own word on the risk', () => {
    const target = objectOf(view, 'wrong');
    const offered = offeredRemedies.of(diagnosis, target).find(({ id }) => id === 'prune-reference/web');
    expect(offered?.risk).toBe('safe');
    const named = [
      offeredRemedies.byId(diagnosis, target, 'prune-reference/web'),
      offeredRemedies.byId(diagnosis, target, 'prune-reference/configmap/web'),
    ];
    for (const each of named) expect(each).toMatchObject({ id: 'prune-reference/web', risk: 'safe' });
  });

  test('is a generic one where no finding offers it', () => {
    expect(offeredRemedies.byId(diagnosis, objectOf(view, 'web'), 'redelete/orphan')?.risk).toBe('caution');
  });

  test('is none where the object gives no cause for it, or where it is advice', () => {
    const target = objectOf(view, 'web');
    expect(offeredRemedies.byId(diagnosis, target, 'retain-claims')).toBeUndefined();
    expect(offeredRemedies.byId(diagnosis, objectOf(view, 'calm'), 'redelete/background')).toBeUndefined();
    const advised = offeredRemedies.of(diagnosis, target).filter(each => !isApplicable(each));
    expect(advised.length).toBeGreaterThan(0);
    for (const { id } of advised) expect(offeredRemedies.byId(diagnosis, target, id)).toBeUndefined();
  });
});
