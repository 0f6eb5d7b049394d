import { describe, expect, test } from 'vitest';
import { warningWords } from '../../src/text/plan/warning-words.ts';
import { nodes, plan, planDelete, titles, viewOf } from './fixtures.ts';

const labels = 'labels: {app: api, pod-template-hash: h}';
const running =
  'spec: {nodeName: node-1, terminationGracePeriodSeconds: 30, containers: [{name: main}]}, status: {phase: Running, conditions: [{type: Ready, status: "True"}]}';

/** A ReplicaSet that wants so many pods, of which its status counts so many. */
function replicaSet(replicas: number): string {
  return `
- {kind: ReplicaSet, name: api-h, generation: 1, spec: {replicas: ${replicas}, selector: {matchLabels: {app: api}}, template: {metadata: {labels: {app: api}}}}, status: {replicas: 0}}`;
}

describe('a start of the controller manager', () => {
  test('is a race between the collector and a workload that would adopt a pod whose owner is gone', () => {
    const view = viewOf(`${nodes}${replicaSet(1)}
- {kind: Pod, name: api-x, ${labels}, owners: [v1 ConfigMap gone], ${running}}`);
    const forecast = plan(view, 'restart');
    expect(forecast.timingDependent).toMatchObject([
      { object: { name: 'api-x' }, because: expect.stringMatching(/first at work/) },
    ]);
    expect(forecast.timingDependent[0]?.outcomes.map(({ words }) => words)).toEqual([
      'deleted',
      expect.stringMatching(/^kept/),
    ]);
    expect(titles(forecast.deleted)).not.toContain('Pod api-x');
    expect(warningWords.all(forecast).join('\n')).toMatch(/The end depends on timing for one object/);
  });

  test('is a race between the collector and a workload that releases a pod it doesn’t select', () => {
    const view = viewOf(`${nodes}${replicaSet(0)}
- {kind: Pod, name: other, labels: {app: other}, owners: [apps/v1 ReplicaSet api-h api-h +c +b, v1 ConfigMap gone], ${running}}`);
    const forecast = plan(view, 'restart');
    expect(titles(forecast.timingDependent)).toEqual(['Pod other']);
    expect(forecast.timingDependent[0]?.outcomes.map(({ end }) => end)).toContain('deleted');
  });

  test('is no race where no workload has anything to do with a pod', () => {
    const view = viewOf(`${nodes}${replicaSet(0)}
- {kind: Pod, name: alone, labels: {app: other}, owners: [v1 ConfigMap gone], ${running}}`);
    const forecast = plan(view, 'restart');
    expect(forecast.timingDependent).toEqual([]);
    expect(titles(forecast.deleted)).toEqual(['Pod alone']);
  });

  test('carries out what was to orphan perhaps before the collector knows of all that is to be orphaned', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: leaving, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [orphan]}
- {kind: Secret, name: left, owners: [v1 ConfigMap leaving]}`);
    const { deleted, timingDependent } = plan(view, 'restart');
    expect(titles(deleted)).toEqual(['ConfigMap leaving']);
    expect(timingDependent).toMatchObject([
      { object: { name: 'left' }, because: expect.stringMatching(/first at work/) },
    ]);
    expect(timingDependent[0]?.outcomes.map(({ end }) => end)).toEqual(['deleted', 'kept']);
  });

  test('of which too much depends to try both ends of the race says so', () => {
    const strays = Array.from(
      { length: 2001 },
      (_, index) => `- {kind: ConfigMap, name: stray-${index}, owners: [v1 ConfigMap gone-${index}]}`,
    );
    const forecast = plan(viewOf(strays.join('\n')), 'restart');
    expect(forecast.deleted).toHaveLength(2001);
    expect(warningWords.all(forecast)).toEqual([
      'The end may depend on timing for 2001 objects, too many to try other orders of work.',
    ]);
  });

  test('after a deletion is such a race, too', () => {
    const view = viewOf(`${nodes}${replicaSet(1)}
- {kind: ConfigMap, name: owner}
- {kind: Pod, name: api-x, ${labels}, owners: [v1 ConfigMap owner], ${running}}`);
    const forecast = planDelete(view, 'owner', 'background', { collector: 'starting' });
    expect(titles(forecast.timingDependent)).toEqual(['Pod api-x']);
  });
});

describe('a start of a controller manager while a kind cannot be listed', () => {
  /** What goes and what is warned of, where the conversion webhook of Leases fails. */
  function restarted(serverVersion: string) {
    const view = viewOf('- {kind: ConfigMap, name: stray, owners: [v1 ConfigMap gone]}');
    const type = view.catalog.resolveKind('coordination.k8s.io/v1', 'Lease');
    if (type === undefined) throw new Error('no Leases');
    const reason = '500: conversion webhook for coordination.k8s.io/v1, Kind=Lease failed: no endpoints';
    view.apply({ changes: [], statuses: [{ type, state: 'blind', count: 0, facts: false, reason }] }, 0);
    view.settings = { ...view.settings, serverVersion };
    const forecast = plan(view, 'restart');
    const waits = forecast.warnings.filter(({ code }) => code === 'collectorWaits');
    return { deleted: titles(forecast.deleted), waits: warningWords.all({ alarms: [], warnings: waits }) };
  }

  test('collects nothing before 1.32, and says why', () => {
    expect(restarted('v1.31.14')).toEqual({
      deleted: [],
      waits: [
        'When kube-controller-manager 1.31 starts, its collector does nothing at all while leases.coordination.k8s.io cannot be listed: the conversion webhook fails.',
      ],
    });
  });

  test('collects what it sees from 1.32 on', () => {
    expect(restarted('v1.32.0')).toEqual({ deleted: ['ConfigMap stray'], waits: [] });
  });
});
