/** Nodes and machines that are being deleted, and whose drain a pod keeps from ending. */
import { describe, expect, test } from 'vitest';
import type { Diagnosis, DiagnosisItem } from '../../../src/cli/documents/definitions.ts';
import { command } from '../../cli/console.ts';

async function answer(target: string, ...objects: readonly string[]): Promise<DiagnosisItem> {
  const stdin = objects.join('---\n');
  const { out, err, exitCode } = await command(`why ${target} -o json -f - --closed-world`, { stdin });
  expect(exitCode, err).toBeLessThan(2);
  const [item] = (JSON.parse(out) as Diagnosis).items;
  if (item === undefined) throw new Error(`no answer about ${target}`);
  return item;
}

const born = 'creationTimestamp: "2026-05-01T08:00:00Z"';
const deleting = `${born}, deletionTimestamp: "2026-05-02T08:00:00Z", deletionGracePeriodSeconds: 0`;

const disrupted = 'taints: [{key: karpenter.sh/disrupted, effect: NoSchedule}]';
const node = (more: string, spec: string): string => `
apiVersion: v1
kind: Node
metadata: {name: n-1, uid: n1, ${more}}
spec: {providerID: "cloud:///i-1", ${spec}}
status: {conditions: [{type: Ready, status: "True", lastTransitionTime: "2026-05-01T08:00:00Z"}]}
`;
const leaving = node(`${deleting}, finalizers: [karpenter.sh/termination]`, disrupted);
const cordoned = node(born, 'unschedulable: true');

interface Setup {
  readonly name?: string;
  readonly ready?: boolean;
  readonly more?: string;
  readonly spec?: string;
  readonly phase?: string;
}
const pod = ({
  name = 'api-1',
  ready = true,
  more = '',
  spec = 'nodeName: n-1, ',
  phase,
}: Setup = {}): string => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: shop, uid: ${name}, ${born}, labels: {app: api}${more}}
spec: {${spec}containers: [{name: a, image: a}]}
status: {phase: ${phase ?? 'Running'}, containerStatuses: [{name: a, ready: ${ready}, restartCount: 0, image: a, imageID: a}]}
`;
const unscheduled = pod({ name: 'api-2', ready: false, spec: '', phase: 'Pending' }).replace(
  /containerStatuses.*\n/u,
  'conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: "0/1 nodes are available: no room."}]}\n',
);
const budget = (
  numbers: readonly [allowed: number, healthy: number, wanted: number, all: number],
  name = 'api',
  spec = '',
): string => `
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: ${name}, namespace: shop, uid: b-${name}, ${born}}
spec: {selector: {matchLabels: {app: api}}${spec}}
status: {disruptionsAllowed: ${numbers[0]}, currentHealthy: ${numbers[1]}, desiredHealthy: ${numbers[2]}, expectedPods: ${numbers[3]}, observedGeneration: 1}
`;
const none = budget([0, 1, 1, 2]);
const karpenter = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: karpenter, namespace: kube-system, uid: k, ${born}}
spec: {replicas: 1}
status: {replicas: 1, readyReplicas: 1}
`;
const nodeClaim = `
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: claim-1, uid: nc, ${deleting}, finalizers: [karpenter.sh/termination], labels: {karpenter.k8s.aws/ec2nodeclass: large}}
status: {nodeName: n-1, providerID: "cloud:///i-1"}
`;
const nodeClass = `
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: large, uid: ec, ${deleting}, finalizers: [karpenter.k8s.aws/termination]}
status: {}
`;
const machine = `
apiVersion: cluster.x-k8s.io/v1beta1
kind: Machine
metadata: {name: m-1, namespace: fleet, uid: m1, ${deleting}, finalizers: [machine.cluster.x-k8s.io]}
spec: {clusterName: c, providerID: "cloud:///i-1"}
status: {nodeRef: {apiVersion: v1, kind: Node, name: n-1}}
`;
const clusterApi = karpenter.replace('name: karpenter', 'name: capi-controller-manager');

const keeps = 'PodDisruptionBudget shop/api allows no eviction of Pod shop/api-1';

describe('a node that Karpenter empties', () => {
  test('waits for the pod that a budget keeps, and so does all that waits for the node', async () => {
    for (const target of ['ec2nodeclass/large', 'nodeclaim/claim-1']) {
      const { summary, remedies } = await answer(
        target,
        nodeClass,
        nodeClaim,
        leaving,
        pod(),
        unscheduled,
        none,
        karpenter,
      );
      expect(summary).toContain(keeps);
      expect(summary).toContain("Pod shop/api-2 can't be scheduled");
      expect(remedies[0]?.title).toContain(
        "get Pod shop/api-2, which can't be scheduled (0/1 nodes are available: no room), ready",
      );
      expect(remedies[1]?.kubectl).toBe('kubectl edit poddisruptionbudget/api -n shop');
      expect(remedies.map(({ title }) => title).join()).not.toContain('in the log');
    }
  });

  test('waits for a pod with do-not-disrupt', async () => {
    const kept = pod({ more: ', annotations: {karpenter.sh/do-not-disrupt: "true"}' });
    const { summary, remedies } = await answer('nodeclaim/claim-1', nodeClaim, leaving, kept, karpenter);
    expect(summary).toContain('Pod shop/api-1 has the annotation karpenter.sh/do-not-disrupt');
    expect(remedies[0]?.kubectl).toBe('kubectl annotate pod/api-1 -n shop karpenter.sh/do-not-disrupt-');
  });

  test('never empties a pod of two budgets', async () => {
    const two = [budget([1, 2, 1, 2]), budget([1, 2, 1, 2], 'other')];
    const { summary } = await answer('nodeclaim/claim-1', nodeClaim, leaving, pod(), ...two, karpenter);
    expect(summary).toContain('the API server evicts no pod of several budgets');
  });

  test('waits for a pod that is not ready only if too few of the others are', async () => {
    const ill = pod({ ready: false });
    const claim = [nodeClaim, leaving, ill, karpenter];
    expect((await answer('nodeclaim/claim-1', ...claim, budget([0, 0, 1, 2]))).summary).toContain(keeps);
    for (const each of [none, budget([0, 0, 1, 2], 'api', ', unhealthyPodEvictionPolicy: AlwaysAllow')])
      expect((await answer('nodeclaim/claim-1', ...claim, each)).summary).not.toContain('allows no eviction');
  });

  test('leaves pods that tolerate its taint, static ones, and those that may go', async () => {
    const tolerant = pod({ spec: 'nodeName: n-1, tolerations: [{operator: Exists}], ' });
    const mirror = pod({ more: ', annotations: {kubernetes.io/config.mirror: x}' });
    const sets: readonly string[][] = [
      [tolerant, none],
      [mirror, none],
      [pod(), budget([1, 2, 1, 2])],
    ];
    for (const each of sets)
      expect(
        (await answer('nodeclaim/claim-1', nodeClaim, leaving, ...each, karpenter)).summary,
      ).not.toContain('eviction');
  });
});

describe('a machine of Cluster API', () => {
  test('waits for the pod that a budget keeps on its node, which wants all of its pods', async () => {
    const all = budget([0, 1, 1, 1]);
    const { summary, remedies } = await answer(
      'machine/m-1 -n fleet',
      machine,
      cordoned,
      pod(),
      all,
      clusterApi,
    );
    expect(summary).toContain(keeps);
    expect(remedies[0]?.title).toContain(
      'which wants all of its pods healthy and so never allows an eviction',
    );
  });

  test('waits for no pod before its node is cordoned', async () => {
    const open = node(born, 'unschedulable: false');
    const { summary } = await answer('machine/m-1 -n fleet', machine, open, pod(), none, clusterApi);
    expect(summary).not.toContain('eviction');
  });
});

describe('what drains no node', () => {
  test('a virtual machine on a cordoned node', async () => {
    const instance = `
apiVersion: virt.example.com/v1
kind: Instance
metadata: {name: vm, namespace: shop, uid: vm, ${deleting}, finalizers: [virt.example.com/stop]}
status: {nodeName: n-1}
`;
    const { summary } = await answer('instance/vm -n shop', instance, cordoned, pod(), none);
    expect(summary).not.toContain('eviction');
  });

  test('a finalizer of Rancher on a cordoned node', async () => {
    const rancher = node(`${deleting}, finalizers: [wrangler.cattle.io/node]`, 'unschedulable: true');
    const { findings } = await answer('node/n-1', rancher, pod(), none);
    const held = findings.find(({ code }) => code === 'TerminatingHeldByFinalizer');
    expect(held?.message ?? '').not.toContain('eviction');
  });
});
