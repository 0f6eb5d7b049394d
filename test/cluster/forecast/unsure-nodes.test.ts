/**
 * Forecasts of lost nodes beyond the plain case, against reality: what finalizers keep, ordinals that don't begin with
 * 0, claims of ReplicaSets, Jobs that may fail, a node that reports that it isn't ready, one that finalizers keep, and
 * a controller manager that starts only after the action.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/cli/documents/definitions.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { runTool } from '../tool.ts';

interface LivePod {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly kind: string }[];
  };
  readonly spec: {
    readonly nodeName?: string;
    readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
  };
  readonly status: { readonly phase: string };
}

/** node-1 stays. What `Ready` of the others says before anybody acts, and what is done. */
const fates = {
  'node-2': { ready: 'False', action: ['taint', 'node/node-2', 'out-of-service'] },
  'node-3': { ready: 'Unknown', action: ['delete', 'node/node-3'] },
} as const;

type Lost = keyof typeof fates;

const lost = Object.keys(fates) as Lost[];

const podSpec =
  'terminationGracePeriodSeconds: 600, containers: [{name: app, image: registry.example.com/app}]';
const hold = 'finalizers: [example.com/hold]';

const set = (name: string, { replicas = 1, spec = '', metadata = '' }): string => `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: ${name}}
spec:
  replicas: ${replicas}
  serviceName: ${name}
  selector: {matchLabels: {app: ${name}}}
  template: {metadata: {labels: {app: ${name}}${metadata}}, spec: {${podSpec}}}
${spec}
---`;

const workloads = `${set('from-three', { replicas: 2, spec: '  podManagementPolicy: Parallel\n  ordinals: {start: 3}' })}
${set('kept', { metadata: `, ${hold}` })}
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: shared}
spec: {accessModes: [ReadWriteOnce], storageClassName: none, resources: {requests: {storage: 1Mi}}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: sharing}
spec:
  replicas: 1
  selector: {matchLabels: {app: sharing}}
  template:
    metadata: {labels: {app: sharing}, ${hold}}
    spec: {volumes: [{name: data, persistentVolumeClaim: {claimName: shared}}], ${podSpec}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: owner}
`;

/** The scheduler binds no pod with a claim that no volume is bound to. */
const volume = (node: Lost): string => `
apiVersion: v1
kind: PersistentVolume
metadata: {name: volume-of-${node}}
spec:
  storageClassName: none
  accessModes: [ReadWriteOnce]
  capacity: {storage: 1Mi}
  persistentVolumeReclaimPolicy: Retain
  claimRef: {namespace: on-${node}, name: shared}
  hostPath: {path: /nowhere}
`;

const bound = (node: Lost, owner: string): string => `
apiVersion: v1
kind: Pod
metadata:
  name: of-an-operator
  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: owner, uid: ${owner}, controller: true}]
spec: {nodeName: ${node}, ${podSpec}}
`;

/** Its pod is bound once the kubelet has stopped, so that it neither runs nor completes. */
const job = (node: Lost): string => `
apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec:
  backoffLimit: 0
  template: {spec: {restartPolicy: Never, nodeName: ${node}, ${podSpec}}}
`;

/** Of the same name or the same claim as an old one, and not the same. */
function doublesOf(before: readonly LivePod[], after: readonly LivePod[]): string[] {
  const claims = ({ spec }: LivePod): string[] =>
    (spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) =>
      claim === undefined ? [] : [claim.claimName],
    );
  const known = new Set(before.map(({ metadata }) => metadata.uid));
  const news = after.filter(({ metadata }) => !known.has(metadata.uid));
  return before
    .filter(old =>
      news.some(
        each =>
          each.metadata.namespace === old.metadata.namespace &&
          (each.metadata.name === old.metadata.name ||
            claims(each).some(claim => claims(old).includes(claim))),
      ),
    )
    .map(({ metadata }) => metadata.name)
    .sort();
}

// Only a control plane of our own has fake kubelets that stop, and a controller manager that can be stopped.
describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)(
  'what is planned for a node that is lost in an odd way is what becomes of its pods',
  () => {
    let cluster: Cluster;
    const plans = new Map<Lost, Plan>();
    let keptNode: Plan;
    let before: readonly LivePod[];

    const pods = async (): Promise<readonly LivePod[]> => {
      const list = await cluster.api.json<{ readonly items: readonly LivePod[] }>({ path: '/api/v1/pods' });
      return list.items;
    };
    const on = (list: readonly LivePod[], node: string): readonly LivePod[] =>
      list.filter(({ spec }) => spec.nodeName === node);
    const inNamespaceOf = (list: readonly LivePod[], node: Lost): readonly LivePod[] =>
      list.filter(({ metadata }) => metadata.namespace === `on-${node}`);

    const planOf = (node: Lost): Plan => {
      const plan = plans.get(node);
      if (plan === undefined) throw new Error(`nothing was planned for ${node}`);
      return plan;
    };

    const plan = async (words: readonly string[]): Promise<Plan> => {
      const kubeconfig = await cluster.kubeconfig();
      const planned = await runTool(['plan', ...words, '-o', 'json'], { kubeconfig });
      expect(planned.code, planned.stderr).toBe(0);
      return JSON.parse(planned.stdout) as Plan;
    };

    const fill = async (node: Lost): Promise<void> => {
      const namespace = `on-${node}`;
      await cluster.kubectl(['create', 'namespace', namespace]);
      await cluster.apply(volume(node));
      await cluster.kubectl(['apply', '-n', namespace, '-f', '-'], workloads);
      const owner = await cluster.kubectl([
        'get',
        'configmap',
        'owner',
        '-n',
        namespace,
        '-o',
        'jsonpath={.metadata.uid}',
      ]);
      await cluster.kubectl(['apply', '-n', namespace, '-f', '-'], bound(node, owner));
      await eventually(async () => {
        const here = on(await pods(), node);
        expect(here).toHaveLength(5);
        expect(here.every(({ status }) => status.phase === 'Running')).toBe(true);
      });
      await cluster.stopKubelet(node);
      await cluster.kubectl(['apply', '-n', namespace, '-f', '-'], job(node));
      await eventually(async () => expect(on(await pods(), node)).toHaveLength(6));
    };

    /** As a kubelet, or the node lifecycle controller in place of one that is silent, would write it. */
    const setReady = (node: Lost): Promise<string> => {
      const condition = { type: 'Ready', status: fates[node].ready, reason: 'ForTheTest' };
      const status = JSON.stringify({ status: { conditions: [condition] } });
      return cluster.kubectl(['patch', 'node', node, '--subresource=status', '-p', status]);
    };

    beforeAll(async () => {
      // However long it takes to fill the nodes, nobody notices that their kubelets have stopped before this test says so.
      cluster = await startControlPlane({
        nodes: 4,
        controllerManagerFlags: ['--node-monitor-grace-period=1h'],
      });
      const everyNode = ['node-1', ...lost, 'node-4'];
      for (const node of lost) {
        await cluster.kubectl(['cordon', ...everyNode]);
        await cluster.kubectl(['uncordon', node]);
        await fill(node);
      }
      await cluster.kubectl(['uncordon', ...everyNode]);
      const finalizers = JSON.stringify({ metadata: { finalizers: ['example.com/machine'] } });
      await cluster.kubectl(['patch', 'node', 'node-4', '--type=merge', '-p', finalizers]);
      // From here on nobody writes conditions or taints but this test.
      const manager = cluster.component('kube-controller-manager');
      await manager.stop();
      for (const node of lost) await setReady(node);
      before = await pods();
      for (const node of lost) plans.set(node, await plan(fates[node].action));
      keptNode = await plan(['delete', 'node/node-4']);
      for (const node of lost) await cluster.kubectl((planOf(node).kubectl ?? '').split(' ').slice(1));
      await cluster.kubectl(['delete', 'node', 'node-4', '--wait=false']);
      await manager.start();
      await eventually(async () => {
        const left = new Set((await pods()).map(({ metadata }) => metadata.uid));
        for (const node of lost)
          for (const { pod, fate } of planOf(node).nodePods ?? [])
            if (fate === 'Deleted') expect(left.has(pod.uid ?? ''), pod.name).toBe(false);
      });
    });
    afterAll(() => cluster.stop());

    it.each(lost)('%s: every pod on it has the fate that was foretold', async node => {
      const foretold = (planOf(node).nodePods ?? []).map(({ pod, fate }) => `${pod.name} ${fate}`);
      expect(foretold).toHaveLength(6);
      await eventually(async () => {
        const after = new Map((await pods()).map(pod => [pod.metadata.uid, pod]));
        const real = on(before, node).map(({ metadata }) => {
          const left = after.get(metadata.uid);
          if (left === undefined) return `${metadata.name} Deleted`;
          return `${metadata.name} ${left.metadata.deletionTimestamp === undefined ? 'Stays' : 'Terminating'}`;
        });
        expect(foretold.sort()).toEqual(real.sort());
      });
    });

    it.each(lost)('%s: everything that exists twice, once finalizers are off, was named', async node => {
      const twice = planOf(node).couldRunTwice ?? [];
      const named = (condition: (each: (typeof twice)[number]) => boolean): string[] =>
        twice
          .filter(condition)
          .map(({ pod }) => pod.name)
          .sort();
      const old = inNamespaceOf(before, node);
      const sharing = old.find(({ metadata }) => metadata.name.startsWith('sharing-'));
      const now = named(({ certainty, heldBy }) => certainty === 'exact' && heldBy?.length === 0);
      expect(now).toEqual(['from-three-3', 'from-three-4', sharing?.metadata.name]);
      await eventually(async () => expect(doublesOf(old, inNamespaceOf(await pods(), node))).toEqual(now));
      for (const { metadata } of old) {
        const patch = ['patch', 'pod', metadata.name, '-n', metadata.namespace, '--type=merge'];
        if (metadata.name === 'kept-0')
          await cluster.kubectl([...patch, '-p', JSON.stringify({ metadata: { finalizers: null } })]);
      }
      const certain = named(({ certainty }) => certainty === 'exact');
      expect(certain).toEqual([...now, 'kept-0'].sort());
      await eventually(async () =>
        expect(doublesOf(old, inNamespaceOf(await pods(), node))).toEqual(certain),
      );
      // What nobody knows of is said to be unknown. Nothing makes the pod of a ConfigMap again.
      expect(named(({ certainty }) => certainty === 'assumed')).toEqual(['of-an-operator']);
    });

    it.each(lost)('%s: a Job that fails instead of making a new pod is spoken of', async node => {
      const failed = ['get', 'job', 'once', '-n', `on-${node}`, '-o', 'jsonpath={.status.failed}'];
      await eventually(async () => expect(await cluster.kubectl(failed)).toBe('1'));
      expect(planOf(node).warnings.join('\n')).toContain(
        `Whether Job on-${node}/once creates a new pod or fails`,
      );
    });

    it('is loud about a node whose kubelet reports, because its machine runs', () => {
      expect(planOf('node-2').warnings[0]).toContain('its kubelet reports so itself (Ready: False)');
      expect(planOf('node-3').warnings.join('\n')).not.toContain('reports so itself');
    });

    it('a node that a finalizer keeps stays, and the plan says until when', async () => {
      expect(keptNode.outcome).toBe('Stuck');
      expect(keptNode.warnings.join('\n')).toContain(
        'Node node-4 stays only until example.com/machine is removed',
      );
      const node = await cluster.kubectl([
        'get',
        'node',
        'node-4',
        '-o',
        'jsonpath={.metadata.deletionTimestamp}',
      ]);
      expect(node).not.toBe('');
    });
  },
);
