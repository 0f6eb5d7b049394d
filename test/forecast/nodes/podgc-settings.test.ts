import { describe, expect, test } from 'vitest';
import type { ClusterSettings } from '../../../src/graph/cluster-view.ts';
import { nodes, plan, planDelete, titles, viewOf } from '../fixtures.ts';

function settled(yaml: string, settings: Partial<ClusterSettings>) {
  const view = viewOf(nodes + yaml);
  view.settings = { ...view.settings, ...settings };
  return view;
}

function finished(name: string, minute: number, namespace = 'shop'): string {
  return `
- {kind: Pod, name: ${name}, namespace: ${namespace}, creationTimestamp: "2026-11-21T11:0${minute}:00Z", spec: {nodeName: node-1, containers: [{name: main}]}, status: {phase: Succeeded}}`;
}

describe('the threshold of finished pods that somebody gave', () => {
  const three = finished('a', 1) + finished('b', 2) + finished('c', 3);

  test('decides how many go', () => {
    const forecast = (threshold: number | undefined) =>
      titles(plan(settled(three, { terminatedPodGcThreshold: threshold }), 'none').deleted);
    expect(forecast(1)).toEqual(['Pod a', 'Pod b']);
    expect(forecast(3)).toEqual([]);
    expect(forecast(undefined)).toEqual([]);
  });

  test('is no limit at zero', () => {
    expect(plan(settled(three, { terminatedPodGcThreshold: 0 }), 'none').outcome).toBe('NoChange');
  });

  test.each(['everything', 'action'] as const)(
    'is met by pods of all namespaces together, where %s counts',
    scope => {
      const elsewhere = finished('x', 1, 'other') + finished('y', 2, 'other') + finished('z', 3, 'other');
      const view = settled(elsewhere + finished('a', 4), { terminatedPodGcThreshold: 2 });
      const { deleted } = planDelete(view, 'a', 'background', { scope });
      expect(titles(deleted).sort()).toEqual(['Pod a', 'Pod x']);
    },
  );
});

describe('the version of the server', () => {
  const lost = `
- {kind: Node, name: lost, spec: {taints: [{key: node.kubernetes.io/out-of-service, effect: NoExecute}]}, status: {conditions: [{type: Ready, status: Unknown}]}}
- {kind: Pod, name: db-0, deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 30, spec: {nodeName: lost, containers: [{name: main}]}, status: {phase: Running}}`;

  test.each([
    ['v1.22.17', []],
    ['v1.25.16', []],
    ['v1.26.0', ['Pod db-0']],
    [undefined, ['Pod db-0']],
  ])('%s decides whether PodGC deletes pods from an out-of-service node: %j', (serverVersion, deleted) => {
    const forecast = plan(settled(lost, { serverVersion }), 'none');
    expect(titles(forecast.deleted)).toEqual(deleted);
    expect(titles(forecast.terminating)).toEqual(deleted.length === 0 ? ['Pod db-0'] : []);
  });
});
