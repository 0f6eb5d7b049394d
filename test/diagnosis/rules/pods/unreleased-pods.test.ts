import { describe, expect, it } from 'vitest';
import { diagnoseCluster } from '../../../../src/diagnosis/diagnose-cluster.ts';
import { now, objects, viewOf } from '../../../cli/documents/cluster.ts';
import { diagnose, findings } from '../../subjects.ts';

const silent = `
- {kind: Node, name: node-4, status: {conditions: [{type: Ready, status: Unknown, reason: NodeStatusUnknown, message: Kubelet stopped posting node status., lastTransitionTime: "2026-11-21T11:40:00Z"}]}}
`;
const tainted = silent.replace(
  'status: {',
  'spec: {taints: [{key: node.kubernetes.io/out-of-service, effect: NoExecute}]}, status: {',
);
const ready = `
- {kind: Node, name: node-4, status: {conditions: [{type: Ready, status: "True"}]}}
`;
const pod = (more: string, name = 'db-1'): string => `
- {kind: Pod, name: ${name}, spec: {nodeName: node-4, containers: [{name: main}]}, status: {phase: Running}${more}}
`;
const deleting = ', deletionTimestamp: "2026-11-21T11:59:30Z", deletionGracePeriodSeconds: 30';
const ofSet = ', owners: [apps/v1 StatefulSet db db +c +b]';
const set = '- {kind: StatefulSet, name: db}\n';

describe('a pod on a node that does not answer', () => {
  it('waits for a kubelet, and its set for the pod', () => {
    const [finding] = findings(silent + set + pod(deleting + ofSet), 'PodOnUnreachableNode');
    expect(finding).toMatchObject({
      severity: 'warning',
      since: Date.parse('2026-11-21T11:59:30Z'),
      message:
        "Pod shop/db-1 waits for the kubelet of node-4 to confirm that its containers have stopped; node-4 isn't ready (Ready: Unknown, NodeStatusUnknown), so whether they still run is unknown, and StatefulSet db creates no other db-1 before it is deleted.",
    });
  });

  it('is not found before its grace period is over, and is then', () => {
    const later = deleting.replace('11:59:30', '12:00:20');
    const diagnosis = diagnoseCluster(viewOf(silent + pod(later)), now);
    expect(diagnosis.size).toBe(0);
    diagnosis.advance(now + 21_000);
    expect([...diagnosis.all()].map(({ code }) => code)).toEqual(['PodOnUnreachableNode']);
  });

  it('stops nothing there if it mirrors a static pod, and may be deleted by force', () => {
    const mirror = `${deleting}, annotations: {kubernetes.io/config.mirror: x}, owners: [v1 Node node-4 node-4 +c]`;
    const [finding] = findings(silent + pod(mirror), 'PodOnUnreachableNode');
    expect(finding?.message).toBe(
      "Pod shop/db-1 waits for the kubelet of node-4 to delete it; node-4 isn't ready (Ready: Unknown, NodeStatusUnknown). It mirrors a static pod, which runs from a manifest on node-4 whatever happens to this object.",
    );
    expect(finding?.remedies().map(({ id, risk }) => `${risk} ${id}`)).toEqual([
      'safe redelete/background-now',
      'safe recover-node/node-4',
    ]);
    // The owner alone, as any client may write it, makes no mirror of a pod that runs.
    const [running] = findings(
      silent + pod(mirror.replace('config.mirror', 'config.hash')),
      'PodOnUnreachableNode',
    );
    expect(running?.remedies().map(({ id, risk }) => `${risk} ${id}`)).toContain(
      'dangerous redelete/background-now',
    );
  });

  it('is not found on a ready node', () => {
    expect(findings(ready + pod(deleting), 'PodOnUnreachableNode')).toEqual([]);
  });

  it('is not found once only finalizers hold it', () => {
    const held =
      ', deletionTimestamp: "2026-11-21T11:59:30Z", deletionGracePeriodSeconds: 0, finalizers: [a.example/b]';
    expect(findings(silent + pod(held), 'PodOnUnreachableNode')).toEqual([]);
  });

  it('is taken by PodGC where the node is tainted out of service', () => {
    const [finding] = findings(tainted + pod(deleting), 'PodOnUnreachableNode');
    expect(finding).toMatchObject({ severity: 'info' });
    expect(finding?.message).toContain('PodGC deletes it by force within 20 s');
    const [late] = findings(tainted + pod(deleting), 'PodOnUnreachableNode', now + 3_600_000);
    expect(late?.severity).toBe('warning');
  });

  it('may still end it where it says itself that the node is not ready: such a machine is not out of service', () => {
    const reports = silent.replace(
      'status: Unknown, reason: NodeStatusUnknown',
      'status: "False", reason: KubeletNotReady',
    );
    const [finding] = findings(reports + pod(deleting), 'PodOnUnreachableNode');
    expect(finding?.message).toBe(
      "Pod shop/db-1 waits for the kubelet of node-4 to confirm that its containers have stopped; node-4 isn't ready (Ready: False, KubeletNotReady); its kubelet reports that itself, so it may still confirm.",
    );
    expect(finding?.remedies().map(({ id }) => id)).toEqual([
      'recover-node/node-4',
      'redelete/background-now',
    ]);
  });

  it('can be freed by the node, by a taint that takes all pods of the node, and at worst by force', () => {
    const other = pod('', 'api-1');
    const [finding] = findings(silent + set + pod(deleting + ofSet) + other, 'PodOnUnreachableNode');
    const remedies = finding?.remedies() ?? [];
    expect(remedies.map(({ id, risk }) => `${risk} ${id}`)).toEqual([
      'safe recover-node/node-4',
      'caution taint-out-of-service/node-4',
      'dangerous redelete/background-now',
    ]);
    expect(remedies[1]?.title).toContain('shop/api-1 and shop/db-1');
    expect(remedies[2]?.title).toContain('two pods db-1 write to the same data');
  });
});

describe('a pod on a node that does not exist', () => {
  it('is taken by PodGC within a minute', () => {
    const [finding] = findings(pod(''), 'PodOnMissingNode');
    expect(finding).toMatchObject({
      severity: 'warning',
      message:
        'Pod shop/db-1 is bound to node-4, which no longer exists: PodGC deletes it by force 40 to 80 s after the node was deleted, or later if many pods are deleted.',
    });
  });

  it('is ordinary for a DaemonSet', () => {
    const owned = `${pod(', owners: [apps/v1 DaemonSet agent agent +c +b]')}- {kind: DaemonSet, name: agent}\n`;
    expect(findings(owned, 'PodOnMissingNode')[0]?.severity).toBe('info');
  });

  it('names what holds it afterwards', () => {
    const [finding] = findings(pod(', finalizers: [a.example/b]'), 'PodOnMissingNode');
    expect(finding?.message).toContain('and then it stays until a.example/b is removed');
  });

  it('is not concluded where nodes cannot be listed', () => {
    expect(diagnose(pod(''), ['nodes'])).toEqual([]);
  });

  it('is assumed in files, which may lack the node, until PodGC has acted', () => {
    const certainties = [
      '',
      ', deletionTimestamp: "2026-11-21T11:59:30Z", deletionGracePeriodSeconds: 0',
    ].map(more => {
      const view = viewOf(pod(`${more}, finalizers: [a.example/b]`));
      view.settings = { ...view.settings, standsStill: true };
      const all = [...diagnoseCluster(view, now).all()];
      return all.find(({ code }) => code === 'PodOnMissingNode')?.certainty;
    });
    expect(certainties).toEqual(['assumed', 'exact']);
  });

  it('is found when the node goes, and no more when it is back', () => {
    const view = viewOf(ready + pod(''));
    const diagnosis = diagnoseCluster(view, now);
    expect(diagnosis.size).toBe(0);
    const [node] = objects(ready);
    if (node?.op !== 'upsert') throw new Error('no node');
    diagnosis.apply(
      view.apply({ changes: [{ op: 'delete', type: node.object.type, uid: node.object.uid }] }, 0),
      now,
    );
    expect([...diagnosis.all()].map(({ code }) => code)).toEqual(['PodOnMissingNode']);
    diagnosis.apply(view.apply({ changes: [node] }, 0), now);
    expect(diagnosis.size).toBe(0);
  });
});

describe('a pod that was deleted before it had a node', () => {
  const unscheduled = (more: string): string =>
    `- {kind: Pod, name: import-x, spec: {containers: [{name: main}]}, status: {phase: Pending}, deletionTimestamp: "2026-11-21T11:59:50Z", deletionGracePeriodSeconds: 0${more}}`;

  it('is taken by PodGC within a cycle', () => {
    const [finding] = findings(unscheduled(''), 'PodTerminatingUnscheduled');
    expect(finding).toMatchObject({ severity: 'info' });
    expect(finding?.message).toContain('PodGC deletes it by force within 20 s');
    const [late] = findings(unscheduled(''), 'PodTerminatingUnscheduled', now + 120_000);
    expect(late?.severity).toBe('warning');
  });

  it('is then held by finalizers alone', () => {
    const [finding] = findings(unscheduled(', finalizers: [a.example/b]'), 'PodTerminatingUnscheduled');
    expect(finding).toMatchObject({ severity: 'info' });
    expect(finding?.message).toContain('after that a.example/b alone holds it');
  });

  it('is held by finalizers alone once PodGC has let it fail', () => {
    const failed = unscheduled(', finalizers: [a.example/b]').replace('Pending', 'Failed');
    const [finding] = findings(failed, 'PodTerminatingUnscheduled', now + 120_000);
    expect(finding).toMatchObject({ severity: 'info' });
    expect(finding?.message).toContain('PodGC can do no more, and a.example/b alone holds it');
  });

  it('is overdue where PodGC has not touched what finalizers hold either', () => {
    const held = unscheduled(', finalizers: [a.example/b]');
    const [finding] = findings(held, 'PodTerminatingUnscheduled', now + 120_000);
    expect(finding?.message).toContain('PodGC should have deleted it by now');
  });
});
