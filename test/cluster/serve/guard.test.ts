/** Warnings that kubectl prints on a real control plane that asks the guard, for the product's stories. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { runTool } from '../tool.ts';
import { GuardedCluster } from './guarded.ts';

const template = (app: string): string => `
    metadata: {labels: {app: ${app}}}
    spec: {terminationGracePeriodSeconds: 1, containers: [{name: app, image: registry.example.com/app}]}`;

const world = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template: ${template('web')}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: default}
spec:
  replicas: 2
  serviceName: db
  selector: {matchLabels: {app: db}}
  template: ${template('db')}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: leaf, namespace: default}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: default}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: reader, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: reader}}
  template:
    metadata: {labels: {app: reader}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: app, image: registry.example.com/app}]
      volumes: [{name: settings, configMap: {name: settings}}]
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: disk}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], persistentVolumeReclaimPolicy: Delete, storageClassName: slow, hostPath: {path: /tmp/disk}, claimRef: {namespace: default, name: data}}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: default}, spec: {storageClassName: slow, accessModes: [ReadWriteOnce], volumeName: disk, resources: {requests: {storage: 1Gi}}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: release, namespace: default}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: default}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: team}}
---
{apiVersion: v1, kind: Secret, metadata: {name: token, namespace: team}, stringData: {key: open-sesame}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: held, namespace: team, finalizers: [example.com/drain]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: bare, namespace: default}, spec: {containers: [{name: app, image: registry.example.com/app}]}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: deleter}
rules: [{apiGroups: ["apps"], resources: [deployments, replicasets], verbs: [get, list, delete]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: deleter}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: deleter}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: clerk}]
`;

/** Dependents of objects, whose uids the API server chooses. */
const owned = (uids: Readonly<Record<string, string>>): string => {
  const reference = (kind: string, name: string, block = false): string =>
    `{apiVersion: v1, kind: ${kind}, name: ${name}, uid: ${uids[name] ?? ''}, blockOwnerDeletion: ${block}}`;
  return `
{apiVersion: v1, kind: Secret, metadata: {name: cert, namespace: default, ownerReferences: [${reference('ConfigMap', 'release')}]}}
---
{apiVersion: v1, kind: Secret, metadata: {name: shared, namespace: default, ownerReferences: [${reference('ConfigMap', 'release')}, ${reference('ConfigMap', 'other')}]}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: blocker, namespace: default, finalizers: [example.com/drain], ownerReferences: [${reference('ConfigMap', 'release', true)}]}}
---
{apiVersion: v1, kind: Secret, metadata: {name: of-bare, namespace: default, ownerReferences: [${reference('Pod', 'bare')}]}}
---
{apiVersion: v1, kind: Secret, metadata: {name: of-held, namespace: team, ownerReferences: [${reference('ConfigMap', 'held')}]}}
`;
};

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('kubectl delete with a guard', () => {
  let guarded: GuardedCluster;

  beforeAll(async () => {
    guarded = await GuardedCluster.start({ nodes: 2 });
    const { cluster } = guarded;
    await cluster.apply(world);
    await eventually(async () => {
      const { stdout } = await guarded.kubectl(
        'get',
        'pods',
        '--field-selector=status.phase=Running',
        '-o',
        'name',
      );
      expect(stdout.trim().split('\n')).toHaveLength(7);
      expect((await guarded.kubectl('get', 'pvc/data', '-o', 'jsonpath={.status.phase}')).stdout).toBe(
        'Bound',
      );
    });
    const uids: Record<string, string> = {};
    for (const [name, target] of [
      ['release', 'cm/release'],
      ['other', 'cm/other'],
      ['bare', 'pod/bare'],
    ] as const)
      uids[name] = (await guarded.kubectl('get', target, '-o', 'jsonpath={.metadata.uid}')).stdout;
    const held = await guarded.kubectl('get', 'cm/held', '-n', 'team', '-o', 'jsonpath={.metadata.uid}');
    await cluster.apply(owned({ ...uids, held: held.stdout }));
    await guarded.ask(await guarded.startGuard());
    await eventually(async () => expect(await guarded.warningsFor('deploy/web')).not.toEqual([]));
  });
  afterAll(() => guarded?.stop());

  /** Without what is different on each cluster. */
  async function said(...words: readonly string[]): Promise<string[]> {
    const warnings = await guarded.warningsFor(...words);
    return warnings.map(line =>
      line.replaceAll(/(?<=(?:web|db)-)(?:[a-z0-9]{8,10})(?:-[a-z0-9]{5})?\b/gu, 'X'),
    );
  }

  const command = (words: string): string => `Preview: kubectl gc-tree plan delete ${words}`;
  const web = 'deployment/web -n default';
  const blocked =
    'Gets stuck: ConfigMap blocker waits for finalizer example.com/drain, which its own controller has to remove';

  it('tells how the policies differ (story 3)', async () => {
    const deleted = 'Also deleted: ReplicaSet web-X and Pods web-X, web-X, web-X';
    expect(await said('deploy/web')).toEqual([deleted, command(web)]);
    expect(await said('deploy/web', '--cascade=foreground')).toEqual([
      deleted,
      command(`${web} --cascade=foreground`),
    ]);
    expect(await said('deploy/web', '--cascade=orphan')).toEqual([
      'ReplicaSet web-X loses its owner reference and keeps its 3 pods',
      command(`${web} --cascade=orphan`),
    ]);
  });

  it('tells what survives a StatefulSet (story 1)', async () => {
    expect(await said('sts/db', '--cascade=orphan')).toEqual([
      'ControllerRevision db-X loses its owner reference',
      'Pods db-0, db-1 lose their owner reference',
      command('statefulset/db -n default --cascade=orphan'),
    ]);
  });

  it('tells on what a foreground deletion gets stuck (story 4), and which dependents have another owner (story 2)', async () => {
    expect(await said('cm/release', '--cascade=foreground')).toEqual([
      blocked,
      'Stuck with it: ConfigMap release',
      'Also deleted: Secret cert',
      'Secret shared loses an owner reference',
      command('configmap/release -n default --cascade=foreground'),
    ]);
    expect(await said('cm/release')).not.toContain('Stuck with it: ConfigMap release');
  });

  it('tells which pods PodGC deletes with a node, and what comes back (story 6)', async () => {
    const told = (await said('node/node-1')).join('\n');
    expect(told).toMatch(/^Also deleted: .*Pods?\b/mu);
    expect(told).toMatch(/^Recreated: \d Pods? by /mu);
  });

  it('tells what is lost, what breaks, and what a namespace takes along or gets stuck on', async () => {
    expect(await said('pvc/data')).toEqual([
      'Lost for good: the data on PersistentVolume disk',
      command('persistentvolumeclaim/data -n default'),
    ]);
    expect(await said('configmap/settings')).toEqual([
      'Breaks: Deployment reader mounts ConfigMap settings as a volume: its next pod waits in ContainerCreating…',
      command('configmap/settings -n default'),
    ]);
    expect(await said('ns/team')).toEqual([
      'Gets stuck: ConfigMap team/held waits for finalizer example.com/drain, which its own controller has to remove',
      'Stuck with it: Namespace team',
      'Also deleted: ConfigMap kube-root-ca.crt, Secrets of-held, token and ServiceAccount default',
      command('namespace/team'),
    ]);
  });

  it('is silent if nothing else happens, and if a controller makes it again', async () => {
    expect(await said('configmap/leaf')).toEqual([]);
    expect(await said('pod', '-l', 'app=web')).toEqual([]);
  });

  it('names only what the user may list', async () => {
    expect(await said('deploy/web', '--as=clerk')).toEqual([
      'Also deleted: ReplicaSet web-X and 3 more that you may not list',
      command(web),
    ]);
  });

  it('tells what an eviction takes along', async () => {
    const drain = ['drain', 'node-1', 'node-2', '--force', '--ignore-daemonsets', '--dry-run=server'];
    const { warnings } = await guarded.kubectl(...drain);
    expect(warnings).toContain('Also deleted: Secret of-bare');
    expect(warnings.join('\n')).not.toContain('web-');
  });

  it('tells what an update releases, and nothing about others', async () => {
    const held = ['cm/held', '-n', 'team'];
    await guarded.kubectl('delete', ...held, '--wait=false');
    const patch = '[{"op":"remove","path":"/metadata/finalizers"}]';
    await eventually(async () => {
      const { warnings } = await guarded.kubectl(
        'patch',
        ...held,
        '--type=json',
        '-p',
        patch,
        '--dry-run=server',
      );
      expect(warnings).toEqual(['Deleted by this change: ConfigMap held and Secret of-held']);
    });
    expect((await guarded.kubectl('label', ...held, 'a=b', '--dry-run=server')).warnings).toEqual([]);
  });

  it('warns at the deletion too, whose end is what the warning said; the control plane is not asked about', async () => {
    const { warnings } = await guarded.kubectl('delete', 'deploy/web', '--wait=false');
    expect(warnings).toHaveLength(2);
    await eventually(async () => {
      const { stdout } = await guarded.kubectl('get', 'rs,pods', '-l', 'app=web', '-o', 'name');
      expect(stdout).toBe('');
    });
    // Its matchConditions leave the collector out, which has deleted the dependents.
    expect(await guarded.reviews('warned')).toBeGreaterThan(0);
    expect(await guarded.reviews('unasked')).toBe(0);
    expect(await guarded.reviews('failed')).toBe(0);
  });

  it('is known to plan, which takes it not to refuse', async () => {
    const { stdout } = await runTool(['plan', 'delete', 'sts/db', '-n', 'default'], {
      kubeconfig: await guarded.cluster.kubeconfig(),
    });
    expect(stdout).toContain('Deleting StatefulSet default/db');
    expect(stdout).not.toContain('lets requests pass');
  });
});
