/** `delete`, `unblock` and `undo` by commands on a real control plane: what they promise, do, refuse and take back. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { settled } from '../settled.ts';
import { runTool, type ToolResult } from '../tool.ts';
import { keepPolicy } from './keep-policy.ts';

interface Live {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly {
      readonly name: string;
      readonly uid: string;
      readonly blockOwnerDeletion?: boolean;
    }[];
  };
  readonly data?: Readonly<Record<string, string>>;
}

interface Journal {
  readonly items: readonly {
    readonly id: string;
    readonly action: string;
    readonly object: { readonly kind: string; readonly name: string };
    readonly outcome?: string;
    readonly reversible: boolean;
    readonly because?: string;
    readonly requests: readonly { readonly verb: string; readonly status?: number }[];
  }[];
}

const statefulSet = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web}
spec:
  replicas: 2
  serviceName: web
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: app, image: registry.example.com/app}]
`;

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: api}
spec:
  replicas: 2
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: app, image: registry.example.com/app}]
`;

const viewers = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reads-everything}
rules: [{apiGroups: ["*"], resources: ["*"], verbs: [get, list, watch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: reads-everything}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reads-everything}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: viewers}]
`;

// Only a control plane of our own has fake kubelets and users.
describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('actions by commands', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  let state: string;
  let namespaces = 0;

  beforeAll(async () => {
    state = mkdtempSync(join(tmpdir(), 'gc-tree-state-'));
    cluster = await startControlPlane({
      nodes: 2,
      users: [{ name: 'viewer', token: 'viewer-token', groups: ['viewers'] }],
    });
    kubeconfig = await cluster.kubeconfig();
    await cluster.apply(viewers);
    await cluster.apply(keepPolicy);
  });
  afterAll(async () => {
    await cluster.stop();
    rmSync(state, { recursive: true, force: true });
  });

  const tool = (args: readonly string[], config = kubeconfig): Promise<ToolResult> =>
    runTool(args, {
      kubeconfig: config,
      env: { XDG_STATE_HOME: state, GC_TREE_READ_ONLY: undefined },
    });

  async function done(args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await tool(args);
    expect(code, stdout + stderr).toBe(0);
    return stdout;
  }

  async function refused(args: readonly string[], config = kubeconfig): Promise<string> {
    const { code, stderr } = await tool(args, config);
    expect(code).toBe(2);
    return stderr;
  }

  async function newNamespace(): Promise<string> {
    namespaces += 1;
    const namespace = `act-${namespaces}`;
    await cluster.kubectl(['create', 'namespace', namespace]);
    return namespace;
  }

  async function list(namespace: string, kinds: string): Promise<readonly Live[]> {
    const text = await cluster.kubectl(['get', kinds, '-n', namespace, '-o', 'json']);
    const { items } = JSON.parse(text) as { readonly items: readonly Live[] };
    return items.filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt');
  }

  const names = (objects: readonly Live[]): string[] => objects.map(({ metadata }) => metadata.name).sort();

  async function create(namespace: string, name: string, metadata: object = {}, kind = 'ConfigMap') {
    const data = kind === 'Secret' ? { stringData: { token: 'hunter2' } } : { data: { of: name } };
    const manifest = { apiVersion: 'v1', kind, metadata: { ...metadata, name }, ...data };
    await cluster.kubectl(['create', '-n', namespace, '-f', '-'], JSON.stringify(manifest));
    const [object] = (await list(namespace, kind.toLowerCase())).filter(each => each.metadata.name === name);
    if (object === undefined) throw new Error(`${name} was not created`);
    const { uid } = object.metadata;
    return (blockOwnerDeletion: boolean) => ({
      ownerReferences: [{ apiVersion: 'v1', kind, name, uid, blockOwnerDeletion }],
    });
  }

  async function running(namespace: string, pods: number): Promise<void> {
    await eventually(async () => {
      const phases = await cluster.kubectl([
        'get',
        'pods',
        '-n',
        namespace,
        '-o',
        'jsonpath={.items[*].status.phase}',
      ]);
      expect(phases.split(' ').filter(phase => phase === 'Running')).toHaveLength(pods);
    });
    await settled(cluster, namespace);
  }

  async function journal(namespace: string): Promise<Journal['items']> {
    const { items } = JSON.parse(await done(['undo', '-n', namespace, '-o', 'json'])) as Journal;
    return items;
  }

  it.each([
    ['background', ['stays']],
    ['foreground', ['stays']],
    ['orphan', ['child', 'grandchild', 'stays']],
  ])('a cascade in the %s policy ends as it was forecast, and is taken back', async (cascade, left) => {
    const namespace = await newNamespace();
    const owned = await create(namespace, 'owner');
    const below = await create(namespace, 'child', owned(true));
    await create(namespace, 'grandchild', below(true));
    await create(namespace, 'stays');
    const out = await done(['delete', 'cm/owner', `--cascade=${cascade}`, '--yes', '-n', namespace]);
    expect(out).toContain(`DELETE /api/v1/namespaces/${namespace}/configmaps/owner`);
    expect(out).toMatch(/^As forecast/m);
    expect(names(await list(namespace, 'configmaps'))).toEqual(left);

    const [entry] = await journal(namespace);
    expect(entry).toMatchObject({
      action: 'delete',
      object: { kind: 'ConfigMap', name: 'owner' },
      outcome: 'reached',
      reversible: true,
      requests: [{ verb: 'DELETE', status: 200 }],
    });
    await done(['undo', entry?.id ?? '', '--yes', '-n', namespace]);
    const after = await list(namespace, 'configmaps');
    expect(names(after)).toEqual(['child', 'grandchild', 'owner', 'stays']);
    const byName = new Map(after.map(each => [each.metadata.name, each]));
    const owner = byName.get('owner');
    expect(owner?.data).toEqual({ of: 'owner' });
    expect(byName.get('child')?.metadata.ownerReferences).toMatchObject([
      { name: 'owner', uid: owner?.metadata.uid, blockOwnerDeletion: true },
    ]);
    expect(byName.get('grandchild')?.metadata.ownerReferences).toMatchObject([
      { name: 'child', uid: byName.get('child')?.metadata.uid },
    ]);
    // The collector agrees with what was put back.
    const check = await tool(['check', '-n', namespace]);
    expect(check.stdout).not.toContain('ConfigMap');
  });

  it('a Deployment goes with its pods, and one that is taken back has new ones', async () => {
    const namespace = await newNamespace();
    await cluster.kubectl(['apply', '-n', namespace, '-f', '-'], deployment);
    await running(namespace, 2);
    expect(await done(['delete', 'deploy/api', '--cascade=foreground', '--yes', '-n', namespace])).toMatch(
      /^As forecast.*4 objects are gone/m,
    );
    expect(await list(namespace, 'deployments,replicasets,pods')).toEqual([]);
    const [entry] = await journal(namespace);
    const out = await done(['undo', entry?.id ?? '', '--yes', '-n', namespace]);
    expect(out).toContain('cannot come back');
    await running(namespace, 2);
  });

  it.each([
    ['Deployment', 'deployment/api', deployment],
    ['StatefulSet', 'statefulset/web', statefulSet],
  ])('an orphaned %s is taken back, and rules its pods again without a restart', async (_, target, yaml) => {
    const namespace = await newNamespace();
    await cluster.kubectl(['apply', '-n', namespace, '-f', '-'], yaml);
    await running(namespace, 2);
    const uids = async (): Promise<string[]> =>
      (await list(namespace, 'pods')).map(({ metadata }) => metadata.uid).sort();
    const before = await uids();
    await done(['delete', target, '--cascade=orphan', '--yes', '-n', namespace]);
    const [entry] = await journal(namespace);
    await done(['undo', entry?.id ?? '', '--yes', '-n', namespace]);
    expect(await uids()).toEqual(before);
    const left = await list(namespace, 'replicasets,pods,controllerrevisions');
    expect(left.filter(({ metadata }) => metadata.ownerReferences === undefined)).toEqual([]);
  });

  it('a pod of a controller comes back, and whom to delete instead is said', async () => {
    const namespace = await newNamespace();
    await cluster.kubectl(['apply', '-n', namespace, '-f', '-'], deployment);
    await running(namespace, 2);
    const [pod] = await list(namespace, 'pods');
    const target = `pod/${pod?.metadata.name ?? ''}`;
    const out = await done(['delete', target, '--now', '--yes', '-n', namespace]);
    expect(out).toContain('To prevent that, delete Deployment api instead.');
    expect(out).toContain('gracePeriodSeconds 1');
    await running(namespace, 2);
  });

  it('a stuck foreground deletion of a StatefulSet is unblocked, and the set can be made again', async () => {
    const namespace = await newNamespace();
    await cluster.kubectl(['apply', '-n', namespace, '-f', '-'], statefulSet);
    await running(namespace, 2);
    const hold = '[{"op":"add","path":"/metadata/finalizers","value":["example.com/drain"]}]';
    await cluster.kubectl(['patch', 'pod', 'web-1', '-n', namespace, '--type=json', '-p', hold]);
    await cluster.kubectl(['delete', 'sts/web', '-n', namespace, '--cascade=foreground', '--wait=false']);
    // The set waits for the one pod that is left, once that is being deleted too.
    await eventually(async () => {
      const left = await list(namespace, 'statefulsets,pods');
      expect(names(left)).toEqual(['web', 'web-1']);
      expect(left.filter(({ metadata }) => metadata.deletionTimestamp === undefined)).toEqual([]);
    });
    const listed = await done(['unblock', 'sts/web', '-n', namespace, '-o', 'name']);
    expect(listed.split('\n')[0]).toBe('clear-block/pod/web-1');
    const remedy = ['--remedy', 'clear-block/pod/web-1', '--yes'];
    const out = await done(['unblock', 'sts/web', '-n', namespace, ...remedy]);
    expect(out).toMatch(/^As forecast/m);
    const [pod, ...others] = await list(namespace, 'statefulsets,pods');
    expect(others).toEqual([]);
    expect(pod?.metadata).toMatchObject({ name: 'web-1', finalizers: ['example.com/drain'] });

    const [entry] = await journal(namespace);
    expect(entry).toMatchObject({ action: 'unblock', outcome: 'reached', reversible: true });
    const undone = await tool(['undo', entry?.id ?? '', '--yes', '-n', namespace]);
    expect(undone.code, undone.stdout + undone.stderr).toBe(0);
    expect(names(await list(namespace, 'statefulsets'))).toEqual(['web']);
  });

  it('taking foregroundDeletion away says what is collected then and what stays, and does just that', async () => {
    const namespace = await newNamespace();
    const owned = await create(namespace, 'owner');
    const other = await create(namespace, 'other');
    await create(namespace, 'held', { ...owned(true), finalizers: ['example.com/hold'] });
    await create(namespace, 'shared', {
      ownerReferences: [...owned(false).ownerReferences, ...other(false).ownerReferences],
    });
    await cluster.kubectl(['delete', 'cm/owner', '-n', namespace, '--cascade=foreground', '--wait=false']);
    await eventually(async () => {
      const left = await list(namespace, 'cm');
      const metadata = (name: string) => left.find(each => each.metadata.name === name)?.metadata;
      expect(metadata('shared')?.ownerReferences).toHaveLength(1);
      expect(metadata('held')?.deletionTimestamp).toBeDefined();
    });
    const remedy = ['--remedy', 'remove-finalizer/foregroundDeletion', '--yes'];
    const out = await done(['unblock', 'cm/owner', '-n', namespace, ...remedy]);
    expect(out).toContain('Being deleted, and held: ConfigMap held.');
    expect(names(await list(namespace, 'cm'))).toEqual(['held', 'other', 'shared']);
  });

  it('the data of a Secret is in the backup only where that was asked for, and never shown', async () => {
    const namespace = await newNamespace();
    // As kapp, Rancher and others keep what they have applied.
    const applied = '{"kind":"Secret","stringData":{"token":"hunter2"}}';
    const annotations = {
      'kapp.k14s.io/original': applied,
      'objectset.rio.cattle.io/applied': gzipSync(applied).toString('base64'),
      'example.com/note': 'hunter2',
    };
    const values = ['hunter2', Buffer.from('hunter2').toString('base64'), ...Object.values(annotations)];
    const filesOf = (entry: string | undefined): string => {
      const folder = join(state, 'kubectl-gc-tree', 'journal', entry ?? '');
      return readdirSync(folder)
        .map(name => readFileSync(join(folder, name), 'utf8').replaceAll('\\"', '"'))
        .join('\n');
    };
    await create(namespace, 'plain', { annotations }, 'Secret');
    await create(namespace, 'kept', { annotations }, 'Secret');
    const printed = [
      await done(['delete', 'secret/plain', '--yes', '-n', namespace]),
      await done(['delete', 'secret/kept', '--yes', '--backup-secret-data', '-n', namespace]),
    ];
    const [kept, plain] = await journal(namespace);
    expect(printed[0]).toContain('Undo cannot restore:\n  Secret plain: its data is not in the backup');
    expect(printed[0]).not.toMatch(/^Undo: /mu);
    expect(printed[1]).toContain(`Undo: kubectl gc-tree undo ${kept?.id ?? ''}`);
    expect(plain).toMatchObject({ reversible: false });
    expect(plain?.because).toContain('its data is not in the backup');
    printed.push(await refused(['undo', plain?.id ?? '', '--yes', '-n', namespace]));
    printed.push(await done(['undo', kept?.id ?? '', '--yes', '-n', namespace]));
    printed.push(await done(['undo', '-o', 'yaml', '-n', namespace]));
    const secrets = await list(namespace, 'secrets');
    expect(secrets.find(({ metadata }) => metadata.name === 'kept')?.data).toEqual({
      token: Buffer.from('hunter2').toString('base64'),
    });
    expect(names(secrets)).toEqual(['kept']);
    expect(secrets.find(({ metadata }) => metadata.name === 'kept')?.metadata).toMatchObject({ annotations });
    const [undone] = await journal(namespace);
    expect(undone?.action).toBe('undo');
    for (const value of values) {
      expect(printed.join('\n')).not.toContain(value);
      expect(filesOf(plain?.id)).not.toContain(value);
      // It isn't written a second time by taking the first entry back.
      expect(filesOf(undone?.id)).not.toContain(value);
    }
    expect(filesOf(kept?.id)).toContain(values[1]);
  });

  it('the journal and its backups are private', async () => {
    const folder = join(state, 'kubectl-gc-tree', 'journal');
    const files = readdirSync(folder, { recursive: true, withFileTypes: true });
    expect(files.filter(file => file.isFile()).length).toBeGreaterThan(0);
    for (const file of files)
      expect(statSync(join(file.parentPath, file.name)).mode & 0o077, file.name).toBe(0);
  });

  describe('is refused before anything is sent', () => {
    it('to a user who may only read, with the permission that is missing', async () => {
      const namespace = await newNamespace();
      const owned = await create(namespace, 'owner');
      await create(namespace, 'child', { ...owned(true), finalizers: ['example.com/hold'] });
      const viewer = await cluster.kubeconfig('viewer');
      await done(['delete', 'cm/owner', '--dry-run=server', '-n', namespace]);
      const before = readdirSync(join(state, 'kubectl-gc-tree', 'journal')).length;
      const yes = ['--yes', '--allow-stuck', '-n', namespace];
      expect(await refused(['delete', 'cm/owner', ...yes], viewer)).toContain(
        `the permission delete on configmaps owner in namespace ${namespace} is missing`,
      );
      const dry = ['delete', 'cm/owner', '--dry-run=server', '-n', namespace];
      expect(await refused(dry, viewer)).toContain('is missing');
      await cluster.kubectl(['delete', 'cm/owner', '-n', namespace, '--cascade=foreground', '--wait=false']);
      // The owner is stuck once the collector has tried to delete the child.
      await eventually(async () => {
        const left = await list(namespace, 'cm');
        expect(left.filter(({ metadata }) => metadata.deletionTimestamp === undefined)).toEqual([]);
      });
      const remedy = ['--remedy', 'clear-block/configmap/child', '--yes'];
      expect(await refused(['unblock', 'cm/owner', '-n', namespace, ...remedy], viewer)).toContain(
        `the permission patch on configmaps child in namespace ${namespace} is missing`,
      );
      expect(readdirSync(join(state, 'kubectl-gc-tree', 'journal'))).toHaveLength(before);
      expect(names(await list(namespace, 'cm'))).toEqual(['child', 'owner']);
    });

    it('by admission, in the server’s words', async () => {
      const namespace = await newNamespace();
      await create(namespace, 'guarded', { labels: { keep: 'true' } });
      await eventually(async () => {
        const words = await refused(['delete', 'cm/guarded', '--dry-run=server', '-n', namespace]);
        expect(words).toContain('backups are running');
      });
      const words = await refused(['delete', 'cm/guarded', '--yes', '-n', namespace]);
      expect(words).toContain('backups are running');
      expect(words).toContain('Nothing was sent.');
      expect(names(await list(namespace, 'cm'))).toEqual(['guarded']);
    });

    it('where the API server protects an object', async () => {
      expect(await refused(['delete', 'ns/default', '--yes'])).toMatch(/forbidden|not allowed/);
    });

    it('of an entry that was done to another cluster', async () => {
      const other = await startControlPlane({ components: ['etcd', 'kube-apiserver'] });
      try {
        const [entry] = await journal('default');
        const config = await other.kubeconfig();
        await eventually(async () =>
          expect(await refused(['undo', entry?.id ?? '', '--yes'], config)).toContain('and this is not it'),
        );
      } finally {
        await other.stop();
      }
    });
  });

  it('a dry run asks the API server and changes nothing', async () => {
    const namespace = await newNamespace();
    await create(namespace, 'owner');
    const out = await done(['delete', 'cm/owner', '--dry-run=server', '-n', namespace]);
    expect(out).toContain('Nothing was changed (--dry-run=server).');
    expect(names(await list(namespace, 'cm'))).toEqual(['owner']);
  });

  it('what is not reached in time ends with exit code 1 and says what it waits for', async () => {
    const namespace = await newNamespace();
    const owned = await create(namespace, 'owner');
    await create(namespace, 'child', owned(true));
    await cluster.component('kube-controller-manager').stop();
    try {
      const args = ['delete', 'cm/owner', '--cascade=foreground', '--yes', '--timeout=2s', '-n', namespace];
      const { code, stdout } = await tool(args);
      expect(code).toBe(1);
      expect(stdout).toContain(`ConfigMap ${namespace}/owner is being deleted`);
      const [entry] = await journal(namespace);
      expect(entry?.outcome).toBe('unfinished');
    } finally {
      await cluster.component('kube-controller-manager').start();
    }
  });
});
