/** Pods that only PodGC deletes, where kube-controller-manager was started without it. */
import { describe, expect, it } from 'vitest';
import { diagnoseCluster } from '../../../../src/diagnosis/diagnose-cluster.ts';
import type { Finding } from '../../../../src/diagnosis/engine/finding.ts';
import { now, viewOf } from '../../../cli/documents/cluster.ts';

const OFF = 'PodGC is switched off: kube-controller-manager runs with --controllers=*,-podgc';

function findingOn(name: string, controllers: string, yaml: string): Finding {
  const view = viewOf(`
- {kind: Node, name: node-1, status: {conditions: [{type: Ready, status: "True"}]}}
- {kind: Pod, name: kube-controller-manager-cp, namespace: kube-system, spec: {nodeName: node-1, containers: [{name: manager, command: [kube-controller-manager, "--controllers=${controllers}"]}]}, status: {phase: Running}}
- {kind: Pod, name: coredns, namespace: kube-system, spec: {nodeName: node-1, containers: [{name: dns}]}, status: {phase: Running}}
${yaml}`);
  const finding = [...diagnoseCluster(view, now).all()].find(({ object }) => object.name === name);
  if (finding === undefined) throw new Error(`no finding on ${name}`);
  return finding;
}

const lost = `
- {kind: Pod, name: lost, spec: {nodeName: node-9, containers: [{name: app}]}, status: {phase: Running}}`;
const never = `
- {kind: Pod, name: never, deletionTimestamp: "2026-11-21T11:59:50Z", deletionGracePeriodSeconds: 30, spec: {containers: [{name: app}]}, status: {phase: Pending}}`;
const tainted = `
- {kind: Node, name: node-4, spec: {taints: [{key: node.kubernetes.io/out-of-service, effect: NoExecute}]}, status: {conditions: [{type: Ready, status: Unknown}]}}
- {kind: Pod, name: silent, deletionTimestamp: "2026-11-21T11:59:30Z", deletionGracePeriodSeconds: 30, spec: {nodeName: node-4, containers: [{name: app}]}, status: {phase: Running}}`;

describe.each([
  ['a pod on a node that is gone', 'lost', lost],
  ['a pod that is being deleted and never had a node', 'never', never],
])('%s', (_what, name, yaml) => {
  it('waits for PodGC', () => {
    const { message, brief } = findingOn(name, '*', yaml);
    expect(message).toContain('PodGC deletes it by force');
    expect(brief).toContain('PodGC deletes it');
  });

  it('is deleted by nobody where PodGC is switched off', () => {
    const { severity, message, brief, remedies } = findingOn(name, '*,-podgc', yaml);
    expect(severity).toBe('warning');
    expect(message).toContain(`nothing deletes it: ${OFF}`);
    expect(message).not.toContain('PodGC deletes');
    expect(brief).toContain('PodGC is switched off');
    expect(remedies().map(({ id }) => id)).toContain('switch-on-podgc');
  });
});

describe('a pod on a node that is tainted out of service', () => {
  it('is taken by PodGC, or by nobody where PodGC is switched off', () => {
    expect(findingOn('silent', '*', tainted).message).toContain('PodGC deletes it by force');
    const { message, evidence } = findingOn('silent', '*,-podgc', tainted);
    expect(message).not.toContain('PodGC');
    expect(evidence).toContain(`the node is tainted out of service, but ${OFF}`);
  });
});
