import { describe, expect, it } from 'vitest';
import { findings } from '../../subjects.ts';

const node = (more: string): string =>
  `- {kind: Node, name: node-1, namespace: '', ${more}, status: {conditions: [{type: Ready, status: "True"}]}}`;
const cordoned = node('spec: {unschedulable: true}');
const pod = (more = '', ready = true): string =>
  `- {kind: Pod, name: api-1, labels: {app: api}, ${more}spec: {nodeName: node-1, containers: [{name: a}]}, status: {phase: Running, containerStatuses: [{name: a, ready: ${ready}}]}}`;
const budget = (allowed: number, expected = 1): string =>
  `- {kind: PodDisruptionBudget, name: keep, spec: {minAvailable: 1, selector: {matchLabels: {app: api}}}, status: {disruptionsAllowed: ${allowed}, currentHealthy: 1, desiredHealthy: 1, expectedPods: ${expected}}}`;
const of = (...yaml: readonly string[]): ReturnType<typeof findings> =>
  findings(yaml.join('\n'), 'DrainBlockedByDisruptionBudget');

describe('a node that is to be emptied', () => {
  it('keeps pods whose budget allows nothing', () => {
    const [finding] = of(cordoned, pod(), budget(0));
    expect(finding).toMatchObject({ severity: 'info' });
    expect(finding?.message).toBe(
      'Node node-1 is cordoned, and a drain would not end: PodDisruptionBudget shop/keep allows no disruption now, so that the API server refuses to evict Pod shop/api-1.',
    );
    const deleting = node('deletionTimestamp: "2026-11-21T11:50:00Z", finalizers: [example.com/drain]');
    expect(of(deleting, pod(), budget(0))[0]).toMatchObject({ severity: 'warning' });
  });

  it('has nothing to wait for where nobody drains, the budget allows it, or the pods go anyway', () => {
    expect(of(node('spec: {}'), pod(), budget(0))).toEqual([]);
    expect(of(cordoned, pod(), budget(1))).toEqual([]);
    expect(of(cordoned, pod(), budget(0, 0))).toEqual([]);
    expect(of(cordoned, pod('owners: ["apps/v1 DaemonSet agent agent +c"], '), budget(0))).toEqual([]);
    expect(of(cordoned, pod('deletionTimestamp: "2026-11-21T12:00:10Z", '), budget(0))).toEqual([]);
    expect(of(cordoned, pod('', false), budget(0))).toEqual([]);
    expect(of(cordoned, pod().replace('app: api', 'app: web'), budget(0))).toEqual([]);
  });
});
