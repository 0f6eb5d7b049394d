/**
 * Forecasts against reality: each is made with the built product, then the action is taken with kubectl, and what
 * survives, with which references and finalizers, must be what was foretold.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { collectorIsAtWork } from '../../conformance/real/run.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { settled } from '../settled.ts';
import { runTool } from '../tool.ts';

interface ObjectRef {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
}

interface Plan {
  readonly outcome: string;
  readonly deleted: readonly { readonly object: ObjectRef }[];
  readonly terminating: readonly { readonly object: ObjectRef; readonly waitingFor: readonly string[] }[];
  readonly changed: readonly {
    readonly object: ObjectRef;
    readonly ownerReferencesRemoved: readonly string[];
  }[];
  readonly recreated: readonly { readonly by: string; readonly kind: string; readonly count: number }[];
  readonly timingDependent: readonly { readonly object: ObjectRef; readonly outcomes: readonly string[] }[];
  readonly warnings: readonly string[];
}

interface Live {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
}

const kinds =
  'deployments,replicasets,statefulsets,controllerrevisions,pods,jobs,cronjobs,persistentvolumeclaims,configmaps,secrets';

const podTemplate = (labels: string): string => `
  template:
    metadata: {labels: ${labels}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: app, image: registry.example.com/app}]`;

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: api}
spec:
  replicas: 2
  selector: {matchLabels: {app: api}}${podTemplate('{app: api}')}
`;

const statefulSet = (whenDeleted: string, storageClass: string, whenScaled = 'Retain'): string => `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web}
spec:
  replicas: 2
  serviceName: web
  selector: {matchLabels: {app: web}}
  persistentVolumeClaimRetentionPolicy: {whenDeleted: ${whenDeleted}, whenScaled: ${whenScaled}}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], storageClassName: ${storageClass}, resources: {requests: {storage: 1Mi}}}${podTemplate('{app: web}')}
`;

/** Nobody provisions volumes here, and pods wait for theirs. */
const volumes = (storageClass: string): string =>
  [0, 1]
    .map(
      index => `
apiVersion: v1
kind: PersistentVolume
metadata: {name: ${storageClass}-${index}}
spec:
  storageClassName: ${storageClass}
  accessModes: [ReadWriteOnce]
  capacity: {storage: 1Mi}
  persistentVolumeReclaimPolicy: Retain
  hostPath: {path: /nowhere}
---`,
    )
    .join('');

const job = `
apiVersion: batch/v1
kind: Job
metadata: {name: work}
spec:
  parallelism: 2
  completions: 2
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 1
      containers: [{name: app, image: registry.example.com/app}]
`;

const configMap = (name: string, more = ''): string => `
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}${more}}
`;

// Only a control plane of our own has fake kubelets, and a controller manager that can be stopped.
describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)(
  'what is planned is what happens',
  () => {
    let cluster: Cluster;
    let kubeconfig: string;
    let namespaces = 0;
    beforeAll(async () => {
      cluster = await startControlPlane({ nodes: 3 });
      kubeconfig = await cluster.kubeconfig();
    });
    afterAll(() => cluster.stop());

    /** A new namespace with these manifests; resolves with its name. */
    async function world(manifests: string, pods = 0): Promise<string> {
      namespaces += 1;
      const namespace = `plan-${namespaces}`;
      await cluster.kubectl(['create', 'namespace', namespace]);
      if (manifests !== '') await cluster.kubectl(['apply', '-n', namespace, '-f', '-'], manifests);
      await eventually(async () => {
        const live = await list(namespace);
        expect(live.filter(({ kind }) => kind === 'Pod')).toHaveLength(pods);
      });
      await settled(cluster, namespace);
      return namespace;
    }

    async function list(namespace: string): Promise<Live[]> {
      const text = await cluster.kubectl(['get', kinds, '-n', namespace, '-o', 'json']);
      const { items } = JSON.parse(text) as { readonly items: readonly Live[] };
      return items.filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt');
    }

    async function plan(args: readonly string[]): Promise<Plan> {
      const { code, stdout, stderr } = await runTool(['plan', ...args, '-o', 'json'], { kubeconfig });
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout) as Plan;
    }

    const label = (object: Live): string =>
      `${object.kind} ${object.metadata.name}${object.metadata.deletionTimestamp === undefined ? '' : ' (deleting)'} of ${(object.metadata.ownerReferences ?? []).length}`;

    /** What the plan says will be left of what there was before, in the words of `label`. */
    function foretold(before: readonly Live[], { deleted, terminating, changed }: Plan): string[] {
      const gone = new Set(deleted.map(({ object }) => object.uid));
      return before
        .filter(({ metadata }) => !gone.has(metadata.uid))
        .map(each => {
          const change = changed.find(({ object }) => object.uid === each.metadata.uid);
          const { deletionTimestamp: _deletionTimestamp, ownerReferences = [], ...metadata } = each.metadata;
          const deleting = terminating.some(({ object }) => object.uid === each.metadata.uid);
          return label({
            kind: each.kind,
            metadata: {
              ...metadata,
              ...(deleting ? { deletionTimestamp: 'yes' } : {}),
              ownerReferences: ownerReferences.filter(
                ({ uid }) => !change?.ownerReferencesRemoved.includes(uid),
              ),
            },
          });
        })
        .sort();
    }

    /** Plans, acts, and holds the two against each other. */
    async function holds(namespace: string, target: string, cascade: string): Promise<Plan> {
      const before = await list(namespace);
      // Of two kinds it may hear of a deletion before it hears of what came before that.
      await collectorIsAtWork(cluster, `before-${namespace}-${target.replace('/', '-')}`);
      const made = await plan(['delete', target, `--cascade=${cascade}`, '-n', namespace]);
      expect(made.timingDependent).toEqual([]);
      await cluster.kubectl(['delete', target, `--cascade=${cascade}`, '-n', namespace, '--wait=false']);
      await matches(namespace, before, made);
      return made;
    }

    async function matches(namespace: string, before: readonly Live[], made: Plan): Promise<void> {
      const known = new Set(before.map(({ metadata }) => metadata.uid));
      const news = made.recreated.reduce((sum, { count }) => sum + count, 0);
      await eventually(async () => {
        const after = await list(namespace);
        expect(
          after
            .filter(({ metadata }) => known.has(metadata.uid))
            .map(label)
            .sort(),
        ).toEqual(foretold(before, made));
        expect(after.filter(({ metadata }) => !known.has(metadata.uid))).toHaveLength(news);
      });
    }

    it.each(['background', 'foreground', 'orphan'])('a Deployment, %s', async cascade => {
      const namespace = await world(deployment, 2);
      const made = await holds(namespace, 'deployment/api', cascade);
      expect(made.outcome).toBe('Completes');
      expect(made.deleted).toHaveLength(cascade === 'orphan' ? 1 : 4);
    });

    it('a pod and a ReplicaSet that come back', async () => {
      const namespace = await world(deployment, 2);
      const live = await list(namespace);
      const pod = live.find(({ kind }) => kind === 'Pod')?.metadata.name ?? '';
      const made = await holds(namespace, `pod/${pod}`, 'background');
      expect(made.recreated).toMatchObject([{ kind: 'Pod', count: 1 }]);
      const set = live.find(({ kind }) => kind === 'ReplicaSet')?.metadata.name ?? '';
      await eventually(async () => expect(await list(namespace)).toHaveLength(4));
      await settled(cluster, namespace);
      const again = await holds(namespace, `replicaset/${set}`, 'background');
      expect(again.recreated.map(({ kind, count }) => `${count} ${kind}`).sort()).toEqual([
        '1 ReplicaSet',
        '2 Pod',
      ]);
    });

    it.each([
      ['Retain', 'background'],
      ['Retain', 'orphan'],
      ['Delete', 'background'],
      ['Delete', 'foreground'],
      ['Delete', 'orphan'],
    ])('a StatefulSet whose claims are to %s, %s', async (whenDeleted, cascade) => {
      const storageClass = `plan-${whenDeleted}-${cascade}`.toLowerCase();
      await cluster.apply(volumes(storageClass));
      const namespace = await world(statefulSet(whenDeleted, storageClass), 2);
      await holds(namespace, 'statefulset/web', cascade);
    });

    it.each(['Retain', 'Delete'])(
      'a StatefulSet that was scaled down, whose claims are to go then, and to %s when it is deleted',
      async whenDeleted => {
        const storageClass = `plan-scaled-${whenDeleted}`.toLowerCase();
        await cluster.apply(volumes(storageClass));
        const namespace = await world(statefulSet(whenDeleted, storageClass, 'Delete'), 2);
        const patchPod = (operation: string): Promise<string> =>
          cluster.kubectl(['patch', 'pod', 'web-1', '-n', namespace, '--type=json', '-p', `[${operation}]`]);
        await patchPod('{"op":"add","path":"/metadata/finalizers","value":["example.com/hold"]}');
        await cluster.kubectl(['scale', 'statefulset/web', '--replicas=1', '-n', namespace]);
        await eventually(async () => {
          const claim = await cluster.kubectl(['get', 'pvc', 'data-web-1', '-n', namespace, '-o', 'json']);
          const pod = await cluster.kubectl(['get', 'pod', 'web-1', '-n', namespace, '-o', 'json']);
          expect(JSON.parse(claim)).toMatchObject({ metadata: { ownerReferences: [{ kind: 'Pod' }] } });
          expect(JSON.parse(pod)).toMatchObject({
            metadata: { deletionTimestamp: expect.anything(), deletionGracePeriodSeconds: 0 },
          });
        });
        const before = await list(namespace);
        const unblock = ['unblock', 'pod/web-1', '--remedy', 'remove-finalizer/example.com/hold'];
        const made = await plan([...unblock, '-n', namespace]);
        expect(made.deleted.map(({ object }) => object.name).sort()).toEqual(['data-web-1', 'web-1']);
        await patchPod('{"op":"remove","path":"/metadata/finalizers"}');
        await matches(namespace, before, made);
        const gone = await holds(namespace, 'statefulset/web', 'background');
        expect(gone.deleted.some(({ object }) => object.name === 'data-web-0')).toBe(
          whenDeleted === 'Delete',
        );
      },
    );

    it.each(['background', 'foreground', 'orphan'])('a Job, %s', async cascade => {
      const namespace = await world(job, 2);
      await holds(namespace, 'job/work', cascade);
    });

    it.each(['background', 'foreground', 'orphan'])('a CronJob with a Job, %s', async cascade => {
      const cronJob = `
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: "0 0 1 1 *"
  suspend: true
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          terminationGracePeriodSeconds: 1
          containers: [{name: app, image: registry.example.com/app}]
`;
      const namespace = await world(cronJob);
      await cluster.kubectl(['create', 'job', 'now', '--from=cronjob/nightly', '-n', namespace]);
      await eventually(async () => expect(await list(namespace)).toHaveLength(3));
      await settled(cluster, namespace);
      await holds(namespace, 'cronjob/nightly', cascade);
    });

    it('a namespace, and one that something in it holds up', async () => {
      const easy = await world(deployment + configMapAfter('settings'), 2);
      const made = await plan(['delete', `namespace/${easy}`]);
      expect(made.outcome).toBe('Completes');
      await cluster.kubectl(['delete', 'namespace', easy, '--wait=false']);
      await eventually(async () =>
        expect(await cluster.kubectl(['get', 'ns', easy, '--ignore-not-found'])).toBe(''),
      );

      const held = await world(
        configMap('kept', ', finalizers: [example.com/hold]') + `---\n${deployment}`,
        2,
      );
      const before = await list(held);
      const stuck = await plan(['delete', `namespace/${held}`]);
      expect(stuck.outcome).toBe('Stuck');
      expect(stuck.terminating.find(({ object }) => object.kind === 'Namespace')?.waitingFor).toEqual([
        'ConfigMap kept, held by finalizer example.com/hold',
      ]);
      await cluster.kubectl(['delete', 'namespace', held, '--wait=false']);
      await matches(held, before, stuck);
    });

    it('a protected namespace is refused', async () => {
      expect(await plan(['delete', 'namespace/default'])).toMatchObject({ outcome: 'Refused', deleted: [] });
      await expect(cluster.kubectl(['delete', 'namespace', 'default'])).rejects.toThrow(/forbidden/i);
    });

    it('a definition with an instance that is held', async () => {
      await cluster.apply(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.plan.example.com}
spec:
  group: plan.example.com
  scope: Namespaced
  names: {kind: Gadget, plural: gadgets, singular: gadget}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`);
      const namespace = await world('');
      const gadget = (name: string, more: string): string => `
apiVersion: plan.example.com/v1
kind: Gadget
metadata: {name: ${name}${more}}
---`;
      const manifests = gadget('free', '') + gadget('held', ', finalizers: [example.com/hold]');
      await eventually(() => cluster.kubectl(['apply', '-n', namespace, '-f', '-'], manifests));
      const made = await plan(['delete', 'crd/gadgets.plan.example.com']);
      expect(made.outcome).toBe('Stuck');
      expect(made.deleted.map(({ object }) => object.name)).toEqual(['free']);
      expect(made.terminating.map(({ object, waitingFor }) => [object.name, ...waitingFor])).toContainEqual([
        'gadgets.plan.example.com',
        `Gadget ${namespace}/held, held by finalizer example.com/hold`,
      ]);
      await cluster.kubectl(['delete', 'crd', 'gadgets.plan.example.com', '--wait=false']);
      await eventually(async () => {
        const left = await cluster.kubectl(['get', 'gadgets', '-n', namespace, '-o', 'name']);
        expect(left.trim()).toBe('gadget.plan.example.com/held');
      });
      await cluster.kubectl([
        'patch',
        'gadget',
        'held',
        '-n',
        namespace,
        '--type=json',
        '-p',
        '[{"op":"remove","path":"/metadata/finalizers"}]',
      ]);
      await eventually(async () =>
        expect(await cluster.kubectl(['get', 'crd', 'gadgets.plan.example.com', '--ignore-not-found'])).toBe(
          '',
        ),
      );
    });

    describe('deletions that hang', () => {
      afterEach(async () => {
        // A test that fails in between must not take the next ones along.
        const manager = cluster.component('kube-controller-manager');
        if (!manager.running) await manager.start();
      });
      const uidOf = async (namespace: string, name: string): Promise<string> =>
        (await list(namespace)).find(({ metadata }) => metadata.name === name)?.metadata.uid ?? '';
      const owned = async (namespace: string, name: string, owner: string, more = ''): Promise<string> =>
        configMap(
          name,
          `, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: ${owner}, uid: ${await uidOf(namespace, owner)}, blockOwnerDeletion: true}]${more}`,
        );
      const apply = (namespace: string, manifest: string): Promise<string> =>
        cluster.kubectl(['apply', '-n', namespace, '-f', '-'], manifest);

      it('by a finalizer on a blocking dependent, and let go by clear-block (docs/kubernetes.md §10 row 1)', async () => {
        const namespace = await world(configMap('a'));
        await apply(namespace, await owned(namespace, 'b', 'a', ', finalizers: [example.com/hold]'));
        const made = await holds(namespace, 'configmap/a', 'foreground');
        expect(made.outcome).toBe('Stuck');
        const [blocked] = made.terminating.filter(({ object }) => object.name === 'a');
        expect(blocked?.waitingFor).toEqual(['ConfigMap b, held by finalizer example.com/hold']);
        const now = await plan(['-n', namespace]);
        expect(now.outcome).toBe('Stuck');
        const before = await list(namespace);
        const freed = await plan([
          'unblock',
          'configmap/a',
          '-n',
          namespace,
          '--remedy',
          'clear-block/configmap/b',
        ]);
        expect(freed.deleted.map(({ object }) => object.name)).toEqual(['a']);
        await cluster.kubectl([
          'patch',
          'configmap',
          'b',
          '-n',
          namespace,
          '--type=json',
          '-p',
          '[{"op":"replace","path":"/metadata/ownerReferences/0/blockOwnerDeletion","value":false}]',
        ]);
        await matches(namespace, before, freed);
      });

      it('by a reference to itself (docs/kubernetes.md §10 row 4)', async () => {
        const namespace = await world(configMap('self'));
        await apply(namespace, await owned(namespace, 'self', 'self'));
        const made = await holds(namespace, 'configmap/self', 'foreground');
        expect(made.outcome).toBe('Stuck');
        expect(made.terminating[0]?.waitingFor[0]).toMatch(/^itself/);
        const freed = await plan([
          'unblock',
          'configmap/self',
          '-n',
          namespace,
          '--remedy',
          'redelete/background',
        ]);
        expect(freed.outcome).toBe('Completes');
        await cluster.kubectl([
          'delete',
          'configmap',
          'self',
          '-n',
          namespace,
          '--cascade=background',
          '--wait=false',
        ]);
        await eventually(async () => expect(await list(namespace)).toEqual([]));
      });

      it('by a cycle whose members were all deleted while the controller manager was down (docs/kubernetes.md §10 row 5)', async () => {
        const namespace = await world(configMap('a'));
        await apply(namespace, await owned(namespace, 'b', 'a'));
        await cluster.component('kube-controller-manager').stop();
        await apply(namespace, await owned(namespace, 'a', 'b'));
        const before = await list(namespace);
        const made = await plan(['delete', 'configmap', 'a', 'b', '--cascade=foreground', '-n', namespace]);
        expect(made.outcome).toBe('Stuck');
        // The order in which the collector works decides.
        const ends = new Map(made.timingDependent.map(({ object, outcomes }) => [object.uid, outcomes]));
        expect([...ends.keys()].sort()).toEqual(before.map(({ metadata }) => metadata.uid).sort());
        await cluster.kubectl([
          'delete',
          'configmap',
          'a',
          'b',
          '-n',
          namespace,
          '--cascade=foreground',
          '--wait=false',
        ]);
        // A restart doesn't hold up what is held up without it.
        const restart = await plan(['restart', '-n', namespace]);
        expect(restart.outcome).toBe('NoChange');
        expect(restart.terminating[0]?.waitingFor[0]).toMatch(/a cycle of blocking owner references/);
        await cluster.component('kube-controller-manager').start();
        await collectorIsAtWork(cluster, `after-${namespace}`);
        await settled(cluster, namespace);
        // A collector that begins with a part of its graph may take one for an owner that nothing blocks.
        const left = await list(namespace);
        for (const { metadata } of before) {
          const isThere = left.some(each => each.metadata.uid === metadata.uid);
          const end = isThere ? 'stuck deleting, with foregroundDeletion' : 'deleted';
          expect(ends.get(metadata.uid)).toContain(end);
        }
      });

      it('by a claim that the pod mounts and owns, let go by another DELETE (docs/kubernetes.md §10 row 7)', async () => {
        const namespace = await world(
          `
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  nodeName: node-1
  terminationGracePeriodSeconds: 1
  containers: [{name: app, image: registry.example.com/app}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
`,
          1,
        );
        await apply(
          namespace,
          `
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
  ownerReferences: [{apiVersion: v1, kind: Pod, name: web, uid: ${await uidOf(namespace, 'web')}, blockOwnerDeletion: true}]
spec: {accessModes: [ReadWriteOnce], storageClassName: nobody, resources: {requests: {storage: 1Mi}}}
`,
        );
        const made = await holds(namespace, 'pod/web', 'foreground');
        expect(made.outcome).toBe('Stuck');
        // What hangs elsewhere in the cluster is told, too.
        const here = made.terminating.filter(({ object }) => object.namespace === namespace);
        expect(here.map(({ object }) => object.name).sort()).toEqual(['data', 'web']);
        const waiting = here.find(({ object }) => object.name === 'web')?.waitingFor;
        expect(waiting?.[0]).toMatch(/^PersistentVolumeClaim data, which waits for/);
        const before = await list(namespace);
        const freed = await plan(['unblock', 'pod/web', '-n', namespace, '--remedy', 'redelete/background']);
        expect(freed.deleted.map(({ object }) => object.name).sort()).toEqual(['data', 'web']);
        const options = ['--cascade=background', '--grace-period=0', '--force', '--wait=false'];
        await cluster.kubectl(['delete', 'pod', 'web', '-n', namespace, ...options]);
        await matches(namespace, before, freed);
      });

      it('dormant references: a restart collects what the running collector leaves alone', async () => {
        const namespace = await world(configMap('owner'));
        await apply(namespace, await owned(namespace, 'child', 'owner'));
        // The collector has heard of it: what comes later is a change.
        await collectorIsAtWork(cluster, `heard-${namespace}`);
        const uid = await uidOf(namespace, 'owner');
        await apply(
          namespace,
          configMap(
            'child',
            `, ownerReferences: [{apiVersion: v1, kind: Secret, name: owner, uid: ${uid}, blockOwnerDeletion: true}]`,
          ),
        );
        const before = await list(namespace);
        expect(await plan(['-n', namespace])).toMatchObject({ outcome: 'NoChange' });
        const made = await plan(['restart', '-n', namespace]);
        expect(made.deleted.map(({ object }) => object.name)).toEqual(['child']);
        // A younger object without an owner goes, and this one stays.
        await collectorIsAtWork(cluster, `asleep-${namespace}`);
        expect(await list(namespace)).toHaveLength(2);
        await cluster.component('kube-controller-manager').stop();
        await cluster.component('kube-controller-manager').start();
        await matches(namespace, before, made);
      });
    });
  },
);

function configMapAfter(name: string): string {
  return `---${configMap(name)}`;
}
