/** Users who may delete what they may not read, or not even list: what the backup has then, and what is said of it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { runTool, type ToolResult } from '../tool.ts';

const VALUE = 'opensesame';

const role = (name: string, rules: string): string => `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: ${name}}
rules:
${rules}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: ${name}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${name}}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: ${name}}]
---`;

const rights = [
  role(
    'deleters',
    `- {apiGroups: ["*"], resources: ["*"], verbs: [list, watch]}
- {apiGroups: [""], resources: [configmaps], verbs: [get, create, delete]}
- {apiGroups: [""], resources: [secrets], verbs: [delete]}`,
  ),
  role(
    'half-blind',
    `- {apiGroups: [""], resources: [namespaces, configmaps, serviceaccounts], verbs: [get, list, watch, delete]}`,
  ),
].join('\n');

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('rights', () => {
  let cluster: Cluster;
  let state: string;
  let namespaces = 0;

  beforeAll(async () => {
    state = mkdtempSync(join(tmpdir(), 'gc-tree-state-'));
    cluster = await startControlPlane({
      users: [
        { name: 'deleter', token: 'deleter-token', groups: ['deleters'] },
        { name: 'half-blind', token: 'half-blind-token', groups: ['half-blind'] },
      ],
    });
    await cluster.apply(rights);
    // The authorizer hears of new bindings a moment later.
    for (const user of ['deleter', 'half-blind']) {
      const may = ['auth', 'can-i', 'delete', 'configmaps', '-A'];
      const kubeconfig = `--kubeconfig=${await cluster.kubeconfig(user)}`;
      await eventually(() => cluster.kubectl([...may, kubeconfig]));
    }
  });
  afterAll(async () => {
    await cluster?.stop();
    rmSync(state, { recursive: true, force: true });
  });

  async function tool(user: string, ...args: readonly string[]): Promise<ToolResult> {
    return runTool(args, {
      kubeconfig: await cluster.kubeconfig(user),
      env: { XDG_STATE_HOME: state, GC_TREE_READ_ONLY: undefined },
    });
  }

  /** A namespace with a ConfigMap that owns a Secret. */
  async function family(): Promise<string> {
    namespaces += 1;
    const namespace = `rights-${namespaces}`;
    await cluster.kubectl(['create', 'namespace', namespace]);
    await cluster.kubectl(['create', 'configmap', 'top', '-n', namespace]);
    const uid = await cluster.kubectl(['get', 'cm/top', '-n', namespace, '-o', 'jsonpath={.metadata.uid}']);
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'top', uid, blockOwnerDeletion: true };
    await cluster.apply(
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'key', namespace, labels: { app: 'shop' }, ownerReferences: [owner] },
        stringData: { password: VALUE },
      }),
    );
    return namespace;
  }

  /** Whatever the entry has on the disk. */
  function filesOf(entry: string): string {
    const folder = join(state, 'kubectl-gc-tree', 'journal', entry);
    return readdirSync(folder)
      .map(name => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
  }

  async function latest(user: string): Promise<{ readonly id: string; readonly because?: string }> {
    const { stdout } = await tool(user, 'undo', '-o', 'json');
    const { items } = JSON.parse(stdout) as { items: { id: string; because?: string }[] };
    const [item] = items;
    if (item === undefined) throw new Error('no entry');
    return item;
  }

  it('a Secret that may be deleted and not be read is deleted, with its metadata in the backup', async () => {
    const namespace = await family();
    const flags = ['--yes', '--backup-secret-data', '-n', namespace];
    const { code, stdout, stderr } = await tool('deleter', 'delete', 'secret/key', ...flags);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(
      `! You lack get on secrets in namespace ${namespace}: of Secret key the backup may have the metadata alone.`,
    );
    expect(stdout).toMatch(/^As forecast/m);
    expect(stdout).toContain('Undo cannot restore:\n  Secret key: its content is not in the backup');
    const { id, because } = await latest('deleter');
    expect(because).toContain('its content is not in the backup');
    expect(filesOf(id)).toContain('"labels":{"app":"shop"}');
    expect(filesOf(id)).toContain('"blockOwnerDeletion":true');
    expect(filesOf(id)).not.toContain(Buffer.from(VALUE).toString('base64'));
  });

  it('what may be read of a tree comes back, and what could not is said to be lost', async () => {
    const namespace = await family();
    const cascade = ['--cascade=foreground', '--yes', '-n', namespace];
    const { code, stdout, stderr } = await tool('deleter', 'delete', 'cm/top', ...cascade);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Undo: kubectl gc-tree undo \S+\n {2}cannot come back: Secret key: its content/m);
    const { id } = await latest('deleter');
    const undone = await tool('deleter', 'undo', id, '--yes', '-n', namespace);
    expect(undone.code, undone.stdout + undone.stderr).toBe(0);
    const left = await cluster.kubectl(['get', 'cm,secret', '-n', namespace, '-o', 'name']);
    expect(left).toContain('configmap/top');
    expect(left).not.toContain('secret/key');
  });

  it('a namespace says that it may hold what cannot even be listed', async () => {
    const namespace = await family();
    const looked = await tool('half-blind', 'delete', `ns/${namespace}`, '--dry-run=server');
    expect(looked.code, looked.stderr).toBe(0);
    expect(looked.stdout).toContain(
      `! Undo cannot bring back what else there is in Namespace ${namespace}, such as secrets, persistentvolumeclaims,`,
    );
    expect(looked.stdout).toMatch(/that cannot be seen here\.$/m);
    const { code, stdout } = await tool('half-blind', 'delete', `ns/${namespace}`, '--yes');
    expect(code, stdout).toBe(0);
    await eventually(async () => {
      const left = await cluster.kubectl(['get', 'ns', '-o', 'name']);
      expect(left).not.toContain(namespace);
    });
    expect(stdout).toContain(`cannot come back: what else there is in Namespace ${namespace}`);
  });
});
