/** The real kubectl in a panel and on the terminal, on a real control plane: as the screen's own user, on its cluster. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { controlPlaneBinaries } from '../../harness/processes/binaries.ts';
import { cursorRow } from '../../terminal/program.ts';
import { keys, type Terminal } from '../../terminal/terminal.ts';
import { eventually } from '../eventually.ts';
import { openShop } from '../stories/shop.ts';
import { openTool } from '../tool.ts';

const marker = 'gc-tree-hand-over-';

/** Process ids of kubectl with the folder of these tests in its environment. */
function kubectls(): readonly string[] {
  return readdirSync('/proc').filter(pid => {
    try {
      const [program = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      const own = readFileSync(`/proc/${pid}/environ`, 'utf8').includes(marker);
      return path.basename(program) === 'kubectl' && own;
    } catch {
      return false;
    }
  });
}

describe('kubectl on the terminal of the screen', () => {
  let cluster: Cluster;
  let folder: string;
  let env: Readonly<Record<string, string | undefined>>;
  const open: Terminal[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), marker));
    const editor = path.join(folder, 'editor');
    writeFileSync(editor, '#!/bin/sh\nsed -i "s/^  replicas: 3$/  replicas: 2/" "$1"\n', { mode: 0o755 });
    const { kubectl } = await controlPlaneBinaries();
    env = {
      PATH: `${path.dirname(kubectl)}:${process.env['PATH']}`,
      KUBE_EDITOR: editor,
      XDG_STATE_HOME: folder,
    };
    cluster = await startControlPlane({ nodes: 2 });
    await openShop(cluster);
    await cluster.kubectl(['create', 'clusterrole', 'see-all', '--verb=get,list,watch', '--resource=*.*']);
    await cluster.kubectl([
      'create',
      'clusterrolebinding',
      'see',
      '--clusterrole=see-all',
      '--group=readers',
    ]);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map(terminal => terminal.close()));
  });
  afterAll(async () => {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The screen with the cursor on the Deployment, unfolded. */
  async function screen(args: readonly string[] = []): Promise<Terminal> {
    const kubeconfig = await cluster.kubeconfig();
    const terminal = openTool(['-n', 'shop', 'deploy/api', ...args], {
      kubeconfig,
      env,
      cols: 120,
      rows: 35,
    });
    open.push(terminal);
    await terminal.waitFor(() => cursorRow(terminal).includes('▾ Deployment api'));
    // Before everything is read, keys may wait.
    await terminal.waitFor(/\d kinds +live/u);
    return terminal;
  }

  /** With everything that it sets, and it takes keys. */
  async function isBack(terminal: Terminal, notice: string): Promise<void> {
    await terminal.waitFor(
      shown => shown[0]?.startsWith(' gc-tree') === true && shown.join('').includes(notice),
    );
    await terminal.waitFor(() => terminal.mouse() && terminal.alternate() && !terminal.cursorVisible());
    terminal.send('?');
    await terminal.waitFor('╭─ Help');
    terminal.send(keys.escape);
    await terminal.waitFor(() => !terminal.text().includes('╭─ Help'));
    expect(terminal.screen().at(-1)).toContain('q quit');
  }

  async function isClosed(terminal: Terminal): Promise<void> {
    await terminal.waitFor(() => !terminal.text().includes('─ kubectl '));
    expect(terminal.raw().split('\u001B[?1049l')).toHaveLength(1);
  }

  it('describes a Deployment, and tells the events of its pod', async () => {
    const terminal = await screen();
    terminal.send('D');
    await terminal.waitFor(/Namespace: +shop\b/u);
    expect(terminal.text()).toMatch(/Name: +api\b/u);
    expect(terminal.text()).toContain('─ kubectl describe deployments.v1.apps/api');
    terminal.send(keys.escape);
    await isClosed(terminal);
    expect(cursorRow(terminal)).toContain('Deployment api');
    terminal.send('jj');
    await terminal.waitFor(() => cursorRow(terminal).includes('Pod api-'));
    terminal.send('V');
    await terminal.waitFor(/Successfully assigned/u);
    terminal.send('q');
    await isClosed(terminal);
  });

  it('has the log of a pod on a node without a kubelet refused, and says why', async () => {
    const terminal = await screen();
    terminal.send('L');
    await terminal.waitFor(/Pod api-|Pod shop\/api-|╭─.*[Ll]og/u);
    terminal.send(keys.enter);
    await terminal.waitFor('app: follow');
    terminal.send(keys.enter);
    await terminal.waitFor('kubectl logs ended with exit code 1.');
    expect(terminal.text()).toMatch(/error|Error/u);
    terminal.send(keys.enter);
    await isClosed(terminal);
  });

  it.skipIf(process.platform !== 'linux')(
    'waits for an API server that hangs without holding up the screen, and ends at Escape',
    async () => {
      const terminal = await screen();
      const { pid } = cluster.component('kube-apiserver');
      if (pid === undefined) throw new Error('no API server runs');
      const before = kubectls();
      process.kill(pid, 'SIGSTOP');
      try {
        for (const [key, command] of [
          ['D', 'describe'],
          ['V', 'events'],
        ] as const) {
          terminal.send(key);
          await terminal.waitFor(`─ kubectl ${command} `);
          await eventually(() => expect(kubectls()).toHaveLength(before.length + 1));
          terminal.send(keys.escape);
          await isClosed(terminal);
          await eventually(() => expect(kubectls()).toEqual(before));
        }
        terminal.send('j');
        await terminal.waitFor(() => cursorRow(terminal).includes('ReplicaSet api-'));
      } finally {
        process.kill(pid, 'SIGCONT');
      }
    },
  );

  it('edits the Deployment, and shows what came of it', async () => {
    const terminal = await screen();
    terminal.send('e');
    await isBack(terminal, 'kubectl edit');
    await terminal.waitFor(() => /Deployment api +2\/2/u.test(cursorRow(terminal)));
    const replicas = ['get', 'deploy', 'api', '-n', 'shop', '-o', 'jsonpath={.spec.replicas}'];
    expect(await cluster.kubectl(replicas)).toBe('2');
  });

  it('is the user that the screen is: who may not edit is told so by kubectl', async () => {
    await cluster.kubectl(['scale', 'deploy', 'api', '-n', 'shop', '--replicas=3']);
    const terminal = await screen(['--as', 'reader', '--as-group', 'readers']);
    terminal.send('e');
    await terminal.waitFor('Press Enter to return to gc-tree.');
    // All that kubectl said is there, from its first line on.
    const said = terminal.text().replaceAll('\n', '');
    expect(said).toMatch(/\$ kubectl .* edit deployments\.v1\.apps\/api --namespace=shop ?error: /u);
    expect(said).toContain('User "reader" cannot patch resource "deployments"');
    terminal.send(keys.enter);
    await isBack(terminal, 'kubectl edit ended with exit code 1.');
    const replicas = ['get', 'deploy', 'api', '-n', 'shop', '-o', 'jsonpath={.spec.replicas}'];
    expect(await cluster.kubectl(replicas)).toBe('3');
  });
});
