/**
 * Forecasts of what becomes of a node's pods against reality: a node that answers is deleted and another tainted, one
 * that has stopped is deleted and another tainted, all at the same time because PodGC's quarantine takes most of it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/cli/documents/definitions.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { DEAD_KUBELET_SHOWS_SOON } from '../../harness/processes/layout.ts';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { runTool } from '../tool.ts';

interface LivePod {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
  };
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly phase: string };
}

/** node-1 stays; each of the others has a namespace of its own. */
const fates = {
  'node-2': { stops: false, action: ['delete', 'node/node-2'] },
  'node-3': { stops: true, action: ['delete', 'node/node-3'] },
  'node-4': { stops: true, action: ['taint', 'node/node-4', 'out-of-service'] },
  'node-5': { stops: false, action: ['taint', 'nodes', 'node-5', 'out-of-service'] },
} as const;

/** Milliseconds. */
const LOOK_EVERY = 250;

type Doomed = keyof typeof fates;

const doomed = Object.keys(fates) as Doomed[];

const podSpec =
  'terminationGracePeriodSeconds: 5, containers: [{name: app, image: registry.example.com/app}]';

const workloads = (node: Doomed): string => `
apiVersion: v1
kind: PersistentVolume
metadata: {name: volume-of-${node}}
spec:
  storageClassName: of-${node}
  accessModes: [ReadWriteOnce]
  capacity: {storage: 1Mi}
  persistentVolumeReclaimPolicy: Retain
  hostPath: {path: /nowhere}
---
apiVersion: v1
kind: Namespace
metadata: {name: on-${node}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: on-${node}}
spec:
  replicas: 2
  selector: {matchLabels: {app: api}}
  template: {metadata: {labels: {app: api}}, spec: {${podSpec}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: on-${node}}
spec:
  replicas: 1
  serviceName: db
  selector: {matchLabels: {app: db}}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], storageClassName: of-${node}, resources: {requests: {storage: 1Mi}}}
  template: {metadata: {labels: {app: db}}, spec: {${podSpec}}}
---
apiVersion: v1
kind: Pod
metadata: {name: bare, namespace: on-${node}}
spec: {${podSpec}}
---
apiVersion: v1
kind: Pod
metadata: {name: held, namespace: on-${node}, finalizers: [example.com/hold]}
spec: {${podSpec}}
---
apiVersion: v1
kind: Pod
metadata: {name: stubborn, namespace: on-${node}}
spec: {nodeName: ${node}, tolerations: [{operator: Exists}], ${podSpec}}
`;

const daemonSet = `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: default}
spec:
  selector: {matchLabels: {app: agent}}
  template: {metadata: {labels: {app: agent}}, spec: {${podSpec}}}
`;

/** What kubelets and drivers make for a node, which fake ones don't. */
const belongings = (node: Doomed, uid: string): string => {
  const owner = `{apiVersion: v1, kind: Node, name: ${node}, uid: ${uid}`;
  return `
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: lease-of-${node}, namespace: kube-node-lease, ownerReferences: [${owner}}]}
---
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata: {name: ${node}, ownerReferences: [${owner}}]}
spec: {drivers: []}
---
apiVersion: v1
kind: Pod
metadata: {name: static, namespace: on-${node}, ownerReferences: [${owner}, controller: true}]}
spec: {nodeName: ${node}, tolerations: [{operator: Exists}], ${podSpec}}
`;
};

// Only a control plane of our own has fake kubelets that stop.
describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)(
  'what is planned for a node is what becomes of its pods',
  () => {
    let cluster: Cluster;
    const plans = new Map<Doomed, Plan>();
    let before: readonly LivePod[];
    /** Milliseconds since the epoch. */
    const actedAt = new Map<Doomed, number>();
    const goneAt = new Map<string, number>();
    /** Milliseconds. */
    let slowestLook = 0;

    const pods = async (): Promise<readonly LivePod[]> => {
      const list = await cluster.api.json<{ readonly items: readonly LivePod[] }>({ path: '/api/v1/pods' });
      return list.items;
    };

    const on = (list: readonly LivePod[], node: Doomed): readonly LivePod[] =>
      list.filter(({ spec }) => spec.nodeName === node);

    const planOf = (node: Doomed): Plan => {
      const plan = plans.get(node);
      if (plan === undefined) throw new Error(`nothing was planned for ${node}`);
      return plan;
    };

    beforeAll(async () => {
      cluster = await startControlPlane({ nodes: 5, controllerManagerFlags: [DEAD_KUBELET_SHOWS_SOON] });
      const everyNode = ['node-1', ...doomed];
      const cordon = (nodes: readonly string[], verb = 'cordon'): Promise<string> =>
        cluster.kubectl([verb, ...nodes]);
      await cordon(everyNode);
      await cluster.apply(daemonSet);
      // First those that stop: it takes the others' time until anybody notices.
      const stopping = doomed.filter(node => fates[node].stops);
      for (const node of [...stopping, ...doomed.filter(each => !stopping.includes(each))]) {
        await cordon([node], 'uncordon');
        await cluster.apply(workloads(node));
        const uid = await cluster.kubectl(['get', 'node', node, '-o', 'jsonpath={.metadata.uid}']);
        await cluster.apply(belongings(node, uid));
        await eventually(async () => {
          const here = on(await pods(), node);
          expect(here.map(({ metadata }) => metadata.name)).toHaveLength(8);
          expect(here.every(({ status }) => status.phase === 'Running')).toBe(true);
        });
        await cordon([node]);
        if (stopping.includes(node)) await cluster.stopKubelet(node);
      }
      await cordon(everyNode, 'uncordon');
      await eventually(async () => {
        for (const node of stopping) {
          // Its condition changes first, and then it gets the taint.
          const taints = await cluster.kubectl(['get', 'node', node, '-o', 'jsonpath={.spec.taints}']);
          expect(taints).toMatch(/unreachable.*NoExecute|NoExecute.*unreachable/u);
        }
      });
      before = await pods();
      const kubeconfig = await cluster.kubeconfig();
      for (const node of doomed) {
        const planned = await runTool(['plan', ...fates[node].action, '-o', 'json'], { kubeconfig });
        expect(planned.code, planned.stderr).toBe(0);
        plans.set(node, JSON.parse(planned.stdout) as Plan);
      }
      for (const node of doomed) {
        const { action, kubectl = '' } = planOf(node);
        actedAt.set(node, Date.now());
        // Deletions of nodes have no finalizer to wait for.
        await cluster.kubectl(kubectl.split(' ').slice(1));
        expect(action.targets).toMatchObject([{ kind: 'Node', name: node }]);
      }
      await watchUntilForetold();
    });
    afterAll(() => cluster.stop());

    /** Notes when each pod goes, until what is left of the old ones and what is made anew is what was foretold. */
    async function watchUntilForetold(): Promise<void> {
      const deadline = Date.now() + 2 * PATIENCE_MS;
      const toGo = doomed.flatMap(node =>
        (planOf(node).nodePods ?? [])
          .filter(({ fate }) => fate === 'Deleted')
          .map(({ pod }) => pod.uid ?? ''),
      );
      const areMade = (list: readonly LivePod[]): boolean =>
        doomed.every(node => newOn(list, node).length >= foretoldAnew(node).length);
      for (let isOver = false; !isOver && Date.now() < deadline; ) {
        const looked = Date.now();
        const list = await pods();
        const left = new Set(list.map(({ metadata }) => metadata.uid));
        for (const { metadata } of before)
          if (!left.has(metadata.uid) && !goneAt.has(metadata.uid)) goneAt.set(metadata.uid, Date.now());
        isOver = toGo.every(uid => goneAt.has(uid)) && areMade(list);
        await sleep(LOOK_EVERY);
        slowestLook = Math.max(slowestLook, Date.now() - looked - LOOK_EVERY);
      }
      // And what nobody foretold.
      await sleep(5000);
    }

    /** Pods of the node's namespace that weren't there before. */
    const newOn = (list: readonly LivePod[], node: Doomed): readonly LivePod[] => {
      const known = new Set(before.map(({ metadata }) => metadata.uid));
      return list.filter(({ metadata }) => metadata.namespace === `on-${node}` && !known.has(metadata.uid));
    };

    /** Kinds of the controllers that make pods anew. Elsewhere those of the other silent node follow in minutes. */
    const foretoldAnew = (node: Doomed): readonly string[] =>
      planOf(node).recreated.flatMap(({ by, count, anyway = false }) =>
        anyway ? [] : Array.from({ length: count }, () => by.split(' ')[0] ?? ''),
      );

    it.each(doomed)('%s: every pod on it is told of, and has the fate that was foretold', async node => {
      const after = new Map((await pods()).map(pod => [pod.metadata.uid, pod]));
      const real = on(before, node).map(({ metadata }) => {
        const left = after.get(metadata.uid);
        const fate =
          left === undefined
            ? 'Deleted'
            : left.metadata.deletionTimestamp === undefined
              ? 'Stays'
              : 'Terminating';
        return `${metadata.namespace}/${metadata.name} ${fate}`;
      });
      const foretold = (planOf(node).nodePods ?? []).map(
        ({ pod, fate }) => `${pod.namespace ?? ''}/${pod.name} ${fate}`,
      );
      expect(foretold).toHaveLength(8);
      expect(foretold.sort()).toEqual(real.sort());
      expect(planOf(node).timingDependent).toEqual([]);
      expect(planOf(node).terminating.map(({ object }) => object.name)).toContain('held');
    });

    it.each(doomed)('%s: its pods go in the time that was foretold', node => {
      const plan = planOf(node);
      const start = Date.parse(plan.basis.takenAt);
      const acted = actedAt.get(node) ?? Number.NaN;
      let checked = 0;
      for (const { pod, fate, earliest = '', latest = '' } of plan.nodePods ?? []) {
        if (fate !== 'Deleted') continue;
        const after = (goneAt.get(pod.uid ?? '') ?? Number.NaN) - acted;
        // A second for the time stamps, and some for two busy cores and the look that noticed it. Where one request of
        // this test took long, each of those that controllers and kubelets send in turn may have.
        const late = 8000 + 8 * slowestLook;
        expect(after, pod.name).toBeGreaterThanOrEqual(Date.parse(earliest) - start - 1000);
        expect(after, pod.name).toBeLessThanOrEqual(Date.parse(latest) - start + late);
        checked++;
      }
      expect(checked).toBeGreaterThan(4);
    });

    it.each(doomed)('%s: controllers make anew what was foretold, elsewhere', async node => {
      const news = newOn(await pods(), node);
      const real = news.map(({ metadata }) => metadata.ownerReferences?.[0]?.kind ?? '').sort();
      const foretold = foretoldAnew(node).toSorted();
      expect(foretold).toEqual(real);
      expect(foretold).toEqual(['ReplicaSet', 'ReplicaSet', 'StatefulSet']);
      for (const { spec } of news) expect(spec.nodeName).not.toBe(node);
    });

    it.each(doomed)('%s: a claim is free when no pod on the node uses it', async node => {
      expect(planOf(node).freedVolumes).toMatchObject([
        { claim: { namespace: `on-${node}`, name: 'data-db-0' }, volume: `volume-of-${node}`, node },
      ]);
      const db = (await pods()).find(
        ({ metadata }) => metadata.namespace === `on-${node}` && metadata.name === 'db-0',
      );
      expect(db?.spec.nodeName).not.toBe(node);
    });

    it('names what could run twice where no kubelet was waited for, and nothing else', async () => {
      const after = await pods();
      for (const node of doomed) {
        const twice = planOf(node).couldRunTwice ?? [];
        expect(twice.map(({ pod }) => `${pod.namespace ?? ''}/${pod.name}`)).toEqual(
          node === 'node-5' ? [] : [`on-${node}/db-0`],
        );
        for (const { pod } of twice) {
          const again = after.filter(
            ({ metadata }) => metadata.namespace === pod.namespace && metadata.name === pod.name,
          );
          expect(again.map(({ metadata }) => metadata.uid)).not.toContain(pod.uid);
          expect(again).toHaveLength(1);
        }
      }
    });

    it('a node takes along what it owns when it is deleted, and nothing when it is tainted', async () => {
      for (const node of doomed) {
        const gone = fates[node].action[0] === 'delete';
        const foretold = planOf(node).deleted.map(({ object }) => `${object.kind} ${object.name}`);
        for (const [kind, resource, name] of [
          ['Lease', 'lease/', `lease-of-${node}`],
          ['CSINode', 'csinode/', node],
        ] as const) {
          expect(foretold.includes(`${kind} ${name}`), `${kind} ${name}`).toBe(gone);
          const found = await cluster.kubectl([
            'get',
            `${resource}${name}`,
            '-n',
            'kube-node-lease',
            '-o',
            'name',
            '--ignore-not-found',
          ]);
          expect(found === '', `${kind} ${name}`).toBe(gone);
        }
      }
    });

    it('is loud about the nodes that are Ready, and about nobody’s word where they are not', () => {
      for (const node of doomed) {
        const [first = ''] = planOf(node).warnings;
        expect(first).toMatch(
          fates[node].stops
            ? /^No kubelet confirms that the containers on /
            : new RegExp(`^Node ${node} is Ready`, 'u'),
        );
      }
    });
  },
);
