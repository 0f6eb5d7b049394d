/**
 * Every certificate of a cluster replaced, with their authority, while the screen runs: the API server takes the new ones from
 * its files, as at a rotation, and the kubeconfig gets its own later.
 */
import { X509Certificate } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../harness/certificates.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { replaceFile, writeKubeconfig } from '../../harness/kubeconfig.ts';
import { runKubectl } from '../../harness/kubectl.ts';
import { type Balancer, startBalancer } from '../../harness/processes/balancer.ts';
import { controlPlaneBinaries } from '../../harness/processes/binaries.ts';
import { eventually } from '../eventually.ts';
import { openTool } from '../tool.ts';

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('the screen', () => {
  let folder: string;
  let cluster: Cluster;
  let relay: Balancer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gc-tree-certificates-'));
    cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver'] });
    relay = await startBalancer([cluster.component('kube-apiserver').port]);
  });
  afterAll(async () => {
    relay.stop();
    await cluster.stop();
    await rm(folder, { recursive: true });
  });

  const run = async (kubeconfig: string, ...args: string[]): Promise<string> => {
    const { kubectl } = await controlPlaneBinaries();
    return runKubectl({ binary: kubectl, kubeconfig, home: folder }, args);
  };

  /** Of the certificate that whoever connects now is shown. */
  function fingerprint(): Promise<string | undefined> {
    const port = Number(new URL(relay.server).port);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
        resolve(socket.getPeerX509Certificate()?.fingerprint256);
        socket.destroy();
      });
      socket.on('error', reject);
    });
  }

  it('goes on with what the kubeconfig has by then, once the API server takes nothing else', async () => {
    const groups = ['system:masters'];
    const inFiles = await cluster.certificateKubeconfig('jane', { groups });
    const whole = await run(inFiles, 'config', 'view', '--raw', '--flatten');
    const kubeconfig = join(folder, 'config');
    await replaceFile(kubeconfig, whole.replace(cluster.server, relay.server));
    await cluster.kubectl(['create', 'configmap', 'before', '--namespace=default']);
    const terminal = openTool(['-n', 'default'], { kubeconfig });
    try {
      await terminal.waitFor(/ConfigMap before/);
      await terminal.waitFor(/\blive\b/);

      const { ca, serving } = cluster.tls;
      const next = await CertificateAuthority.create(folder);
      const served = await next.server('served');
      await copyFile(next.ca.certificate, ca);
      await copyFile(served.key, serving.key);
      await copyFile(served.certificate, serving.certificate);
      const wanted = new X509Certificate(await readFile(served.certificate)).fingerprint256;
      await eventually(async () => expect(await fingerprint()).toBe(wanted));
      relay.cut();
      await terminal.waitFor(/lost|reconnect/i);
      await expect(run(kubeconfig, 'get', 'configmaps')).rejects.toThrow(/x509/);
      expect(terminal.text()).toMatch(/ConfigMap before/);

      const client = await next.client('jane', groups);
      await writeKubeconfig(kubeconfig, {
        server: relay.server,
        ca: next.ca.certificate,
        user: 'jane',
        credentials: { 'client-certificate': client.certificate, 'client-key': client.key },
      });
      await eventually(() => run(kubeconfig, 'create', 'configmap', 'after', '--namespace=default'));
      await terminal.waitFor(/ConfigMap after/);
      await terminal.waitFor(/\blive\b/);
    } finally {
      await terminal.close();
    }
  });
});
