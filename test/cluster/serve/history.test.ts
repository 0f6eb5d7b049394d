/** The history of `serve` on a real control plane: who deleted what, what followed, and what a kill leaves of it. */
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ActivityEntry } from '../../../src/cli/documents/definitions.ts';
import { eventually, PATIENTLY } from '../eventually.ts';
import { runTool, type ToolResult } from '../tool.ts';
import { GuardedCluster } from './guarded.ts';

const world = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {terminationGracePeriodSeconds: 1, containers: [{name: app, image: registry.example.com/app}]}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: leaf, namespace: default}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: default}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: clerk, namespace: default}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: clerk}
rules:
- {nonResourceURLs: [/v1alpha1/history], verbs: [get]}
- {apiGroups: [""], resources: [configmaps, pods], verbs: [list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: clerk}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: clerk}
subjects: [{kind: ServiceAccount, name: clerk, namespace: default}]
`;

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('the history of serve', () => {
  let guarded: GuardedCluster;
  let folder: string;
  let url: string;
  let admin: string;

  const start = async (): Promise<void> => {
    url = await guarded.startGuard([...guarded.tls, '--history', path.join(folder, 'history')]);
    await guarded.ask(url);
  };

  const activity = (token: string, ...words: readonly string[]): Promise<ToolResult> => {
    const { ca } = guarded.cluster.tls;
    return runTool(
      ['activity', '-n', 'default', `--from=${url}`, '--token', token, '--certificate-authority', ca].concat(
        words,
      ),
    );
  };

  const entries = async (token = admin): Promise<readonly ActivityEntry[]> => {
    const { code, stdout, stderr } = await activity(token, '-o', 'json');
    if (code !== 0) throw new Error(stderr);
    return stdout
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line) as ActivityEntry);
  };

  const deletionOf = (name: string): Promise<ActivityEntry> =>
    eventually(async () => {
      const found = (await entries()).find(({ object, what }) => object.name === name && what === 'Deleted');
      if (found === undefined) throw new Error(`${name} is not told`);
      return found;
    });

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'gct-history-'));
    guarded = await GuardedCluster.start({ nodes: 1 });
    await guarded.cluster.apply(world);
    await guarded.cluster.kubectl(['rollout', 'status', 'deploy/web', '-n', 'default', PATIENTLY]);
    const kubeconfig = await readFile(await guarded.cluster.kubeconfig(), 'utf8');
    admin = /token: (\S+)/u.exec(kubeconfig)?.[1] ?? '';
    await start();
  });

  afterAll(async () => {
    await guarded?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('tells who deleted an object, and what the garbage collector did about it', async () => {
    const user = await guarded.cluster.kubectl([
      'auth',
      'whoami',
      '-o',
      'jsonpath={.status.userInfo.username}',
    ]);
    // The API server takes a moment to ask a new webhook.
    await eventually(async () => {
      const warned = await guarded.warningsFor('deploy/web', '-n', 'default');
      if (warned.length === 0) throw new Error('not asked yet');
    });
    await guarded.kubectl('delete', 'deploy/web', '-n', 'default');
    expect((await deletionOf('web')).requests).toEqual([{ user, verb: 'delete', at: expect.any(String) }]);
    await eventually(async () => {
      const told = (await entries()).map(({ what, object }) => `${what} ${object.kind}`);
      expect(told.filter(each => each === 'Collected ReplicaSet')).toHaveLength(1);
      expect(told.filter(each => each === 'Deleted Pod' || each === 'Collected Pod')).toHaveLength(2);
    });
    const { stdout } = await activity(admin, 'deploy/web');
    expect(stdout).toMatch(
      new RegExp(`deleted +Deployment default/web: by a request; delete by ${user}$`, 'mu'),
    );
    expect(stdout).toMatch(
      /collected +ReplicaSet default\/web-\S+: its only owner Deployment web was deleted/u,
    );
  });

  it('tells a user nothing that names an object that they may not list', async () => {
    await guarded.kubectl('delete', 'configmap/leaf', '-n', 'default');
    await deletionOf('leaf');
    const token = (await guarded.cluster.kubectl(['create', 'token', 'clerk', '-n', 'default'])).trim();
    const { stdout, stderr } = await activity(token);
    expect(stdout).toContain('ConfigMap default/leaf');
    // Pods may be listed, but their ends name a ReplicaSet.
    expect(stdout).not.toMatch(/Deployment|ReplicaSet|web/u);
    expect(stderr).toMatch(/Left out because of objects that you may not list: [1-9]/u);
  });

  it('loses nothing older than a second when it is killed, and finds what happened meanwhile', async () => {
    const before = await entries();
    expect(before.map(({ object }) => object.name)).toContain('leaf');
    // A crash may lose the last second.
    await sleep(1_000);
    guarded.guard?.child.kill('SIGKILL');
    await guarded.guard?.exit;
    await guarded.cluster.kubectl(['delete', 'configmap/other', '-n', 'default']);
    await start();
    const after = await entries();
    const known = ({ at, what, object, requests }: ActivityEntry): object => ({ at, what, object, requests });
    for (const entry of before) expect(after.map(known)).toContainEqual(known(entry));
    await deletionOf('other');
    const kept = path.join(folder, 'history');
    const names = await readdir(kept);
    expect(names).toHaveLength(2);
    for (const name of names) expect((await stat(path.join(kept, name))).mode & 0o777).toBe(0o600);
  });
});
