import { describe, expect, it } from 'vitest';
import { findings } from '../../subjects.ts';

const node = (ready: string): string =>
  `- {kind: Node, name: node-1, namespace: '', status: {conditions: [{type: Ready, status: "${ready}"}]}}`;
const pod = (over: string, grace = 30): string =>
  `- {kind: Pod, name: web-0, owners: ["apps/v1 StatefulSet web web +c"], deletionTimestamp: "${over}", deletionGracePeriodSeconds: ${grace}, spec: {nodeName: node-1, containers: [{name: a}, {name: b}]}, status: {phase: Running, containerStatuses: [{name: a, ready: true}, {name: b, ready: false}]}}`;
const set = '- {kind: StatefulSet, name: web, spec: {replicas: 1}}';

describe('a pod past its grace period', () => {
  it('waits for the kubelet of its node, which is ready', () => {
    const [finding] = findings(
      [node('True'), pod('2026-11-21T11:50:00Z'), set].join('\n'),
      'PodPastGracePeriod',
    );
    expect(finding).toMatchObject({ severity: 'warning', since: Date.parse('2026-11-21T11:50:00Z') });
    expect(finding?.message).toContain('1 of its 2 containers still count as ready');
    const remedies = finding?.remedies() ?? [];
    expect(remedies.map(({ risk, requests }) => `${risk} ${requests.length}`)).toEqual([
      'safe 0',
      'caution 0',
      'dangerous 1',
    ]);
    expect(remedies.at(-1)?.title).toContain('two pods web-0 write to the same data');
  });

  it('is in time until a minute after, is of PodGC on a node that is not ready, and has stopped where no grace is left', () => {
    const of = (...yaml: readonly string[]): number =>
      findings([...yaml, set].join('\n'), 'PodPastGracePeriod').length;
    expect(of(node('True'), pod('2026-11-21T11:59:30Z'))).toBe(0);
    expect(of(node('True'), pod('2026-11-21T12:00:20Z'))).toBe(0);
    expect(of(node('Unknown'), pod('2026-11-21T11:50:00Z'))).toBe(0);
    expect(of(node('True'), pod('2026-11-21T11:50:00Z', 0))).toBe(0);
    expect(of(pod('2026-11-21T11:50:00Z'))).toBe(0);
  });

  it('is harmless if the pod mirrors a static pod, which runs from its manifest', () => {
    const mirror = pod('2026-11-21T11:50:00Z').replace(
      'name: web-0, owners',
      'name: web-0, annotations: {kubernetes.io/config.mirror: x}, owners',
    );
    const [finding] = findings([node('True'), mirror, set].join('\n'), 'PodPastGracePeriod');
    expect(finding?.message).toBe(
      "Pod shop/web-0 is still there though its grace period is over: node-1 is ready, and its kubelet hasn't deleted it. It mirrors a static pod, which runs from a manifest on node-1 whatever happens to this object.",
    );
    const remedies = finding?.remedies() ?? [];
    expect(remedies.map(({ id, risk }) => `${risk} ${id}`)).toEqual([
      'safe see-kubelet',
      'safe redelete/background-now',
    ]);
    expect(finding?.chain.map(({ because }) => because)).toContain(
      'the kubelet on node-1 has to delete the mirror of its static pod',
    );
  });
});
