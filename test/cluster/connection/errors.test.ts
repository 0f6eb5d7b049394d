/** What goes wrong before there is a tree: one clear line each, exit code 2, and no credentials in it. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { freePorts } from '../../harness/processes/ports.ts';
import { runTool } from '../tool.ts';

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('a failure', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  const folder = mkdtempSync(join(tmpdir(), 'gc-tree-errors-'));
  beforeAll(async () => {
    cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver'] });
    kubeconfig = await cluster.kubeconfig();
    await cluster.kubectl(['create', 'configmap', 'settings']);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await cluster.stop();
  });

  /** The one or two lines of standard error. */
  async function failure(args: readonly string[], config = kubeconfig): Promise<string> {
    const { code, stdout, stderr } = await runTool(args, { kubeconfig: config });
    expect(code, stderr).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^kubectl gc-tree: .+\n(.+\n)?$/);
    expect(stderr).not.toMatch(/\bat .*:\d+:\d+|Error:/);
    return stderr;
  }

  /** The administrator's kubeconfig with something changed. */
  async function changed(name: string, change: (config: Kubeconfig) => void): Promise<string> {
    const config = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
    change(config);
    const path = join(folder, name);
    await writeFile(path, stringify(config));
    return path;
  }
  interface Kubeconfig {
    clusters: [{ cluster: { server: string; 'certificate-authority'?: string } }];
    users: [{ user: Record<string, string> }];
  }

  it('by a context that does not exist names those that do', async () => {
    const said = await failure(['--context', 'prdo', 'tree']);
    expect(said).toContain('prdo');
    expect(said).toContain('gc-tree-test');
  });

  it('for want of a kubeconfig says so', async () => {
    expect(await failure(['tree'], '')).toMatch(/kubeconfig|KUBECONFIG/);
  });

  it('by a kubeconfig that is not there names it', async () => {
    expect(await failure(['tree', '--kubeconfig', '/nowhere/config'])).toContain('/nowhere/config');
  });

  it('by a refused connection names the server', async () => {
    const [port] = await freePorts(1);
    const config = await changed('refused.yaml', ({ clusters }) => {
      clusters[0].cluster.server = `https://127.0.0.1:${port}`;
    });
    expect(await failure(['tree'], config)).toMatch(new RegExp(`127\\.0\\.0\\.1:${port}`));
  });

  it('by a wrong token asks to sign in again and does not repeat the token', async () => {
    const config = await changed('token.yaml', ({ users }) => {
      users[0].user = { token: 'wrong-token-of-mine' };
    });
    const said = await failure(['tree'], config);
    expect(said).toMatch(/unauthori[sz]ed|401|credentials|sign in|log in/i);
    expect(said).not.toContain('wrong-token-of-mine');
  });

  it('by an expired client certificate says that the credentials are the matter', async () => {
    const config = await cluster.certificateKubeconfig('carol', { expired: true });
    expect(await failure(['tree'], config)).toMatch(/expired|unauthori[sz]ed|401|credentials/i);
  });

  it('by a server certificate of an unknown authority says so', async () => {
    const config = await changed('authority.yaml', ({ clusters }) => {
      delete clusters[0].cluster['certificate-authority'];
    });
    expect(await failure(['tree'], config)).toMatch(/certificate/i);
  });

  it('by an unknown type names it', async () => {
    expect(await failure(['tree', 'wigdets/one'])).toContain('wigdets');
  });

  it('by an unknown name says which type and namespace were searched', async () => {
    const said = await failure(['tree', 'configmap/setings', '-n', 'default']);
    expect(said).toMatch(/configmap/i);
    expect(said).toContain('"setings"');
    expect(said).toContain('default');
    expect(said).toMatch(/did you mean settings\?/i);
  });

  it('by an unknown flag names it', async () => {
    expect(await failure(['tree', '--nonsense'])).toContain('--nonsense');
  });
});
