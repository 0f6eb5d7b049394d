/** Twenty namespaces that one finalizer keeps from ending, freed by keys from where the screen opens. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { cursorRow } from '../../terminal/program.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { eventually } from '../eventually.ts';
import { openTool } from '../tool.ts';

const COUNT = 20;

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('twenty stuck namespaces', () => {
  let cluster: Cluster;
  let state: string;
  let terminal: Terminal | undefined;

  beforeAll(async () => {
    state = mkdtempSync(join(tmpdir(), 'gc-tree-stuck-'));
    cluster = await startControlPlane({
      components: ['etcd', 'kube-apiserver', 'kube-controller-manager'],
      users: [{ name: 'dev', token: 'dev-token', groups: ['devs'] }],
    });
  });
  afterEach(async () => {
    await terminal?.close();
  });
  afterAll(async () => {
    await cluster?.stop();
    rmSync(state, { recursive: true, force: true });
  });

  const open = async (args: readonly string[] = [], user?: string): Promise<Terminal> => {
    terminal = openTool(args, {
      kubeconfig: await cluster.kubeconfig(user),
      cols: 160,
      rows: 45,
      env: { XDG_STATE_HOME: state, GC_TREE_READ_ONLY: undefined },
    });
    return terminal;
  };

  async function left(): Promise<readonly string[]> {
    const out = await cluster.kubectl(['get', 'namespaces', '-o', 'name']);
    return out.split('\n').filter(name => name.includes('stuck-'));
  }

  it('are on the screen where it opens, and freed with four keys and one question', async () => {
    const names = Array.from({ length: COUNT }, (_, i) => `stuck-${i}`);
    const manifests = names.map(
      name => `apiVersion: v1
kind: Namespace
metadata: { name: ${name} }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: held, namespace: ${name}, finalizers: [example.com/drain] }
`,
    );
    await cluster.apply(manifests.join('---\n'));
    await cluster.kubectl(['delete', 'namespace', ...names, '--wait=false']);
    await eventually(async () => {
      const reported =
        'jsonpath={.items[*].status.conditions[?(@.type=="NamespaceFinalizersRemaining")].status}';
      const remaining = await cluster.kubectl(['get', 'namespaces', '-o', reported]);
      expect(remaining.split(' ').filter(status => status === 'True')).toHaveLength(COUNT);
    });

    const own = await open(['-n', 'stuck-3']);
    await own.waitFor(/\[2 Problems \d/u);
    expect(own.text()).toContain('example.com/drain');
    expect(own.text()).toContain('Namespace stuck-3');
    own.send('n');
    await own.waitFor(/stuck-5 +\d+ objects? {2}.*Terminating/u);
    await own.close();

    const screen = await open();
    let pressed = 0;
    const press = (keys: string): void => {
      pressed += keys.length;
      screen.send(keys);
    };
    await screen.waitFor('but 1 cause elsewhere');
    await screen.waitFor(() => cursorRow(screen).includes('example.com/drain'));
    press('u');
    await screen.waitFor('Type 20 and press enter');
    press('20\r');
    await screen.waitFor('As forecast');
    expect(pressed).toBeLessThanOrEqual(4);
    await eventually(async () => expect(await left()).toEqual([]));
  });

  it('a user with rights in two namespaces alone goes from one to the other by its name', async () => {
    for (const name of ['one', 'two', 'three']) {
      await cluster.kubectl(['create', 'namespace', name]);
      await cluster.kubectl(['create', 'configmap', `in-${name}`, '-n', name]);
      if (name === 'three') continue;
      const role = ['create', 'rolebinding', 'devs', '--clusterrole=view', '--group=devs', '-n', name];
      await cluster.kubectl(role);
    }
    const screen = await open(['-n', 'one'], 'dev');
    await screen.waitFor('ConfigMap in-one');
    await screen.waitFor(/kinds unseen/u);
    screen.send('ntwo\r');
    await screen.waitFor('ConfigMap in-two');
    screen.send(':ns three\r');
    await screen.waitFor('Nothing in namespace three could be listed so far');
    expect(screen.text()).not.toContain('in-three');
  });
});
