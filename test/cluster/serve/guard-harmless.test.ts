/** Whatever becomes of the guard, no deletion fails because of it. */

import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { issueCertificate } from '../../harness/certificates.ts';
import { type FaultProxy, startFaultProxy } from '../../harness/fault-proxy.ts';
import { freePorts, portOf } from '../../harness/processes/ports.ts';
import { eventually } from '../eventually.ts';
import { GuardedCluster } from './guarded.ts';

const WARNING = 'Also deleted: Secret child';

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('a guard that fails', () => {
  let guarded: GuardedCluster;
  let proxy: FaultProxy | undefined;
  let slow: Server | undefined;

  beforeAll(async () => {
    guarded = await GuardedCluster.start({ components: ['etcd', 'kube-apiserver'] });
  });
  afterAll(() => guarded?.stop());

  beforeEach(async () => {
    await guarded.cluster.apply(
      '{apiVersion: v1, kind: ConfigMap, metadata: {name: owner, namespace: default}}',
    );
    const { stdout } = await guarded.kubectl('get', 'cm/owner', '-o', 'jsonpath={.metadata.uid}');
    await guarded.cluster.apply(
      `{apiVersion: v1, kind: Secret, metadata: {name: child, namespace: default, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: owner, uid: ${stdout}}]}}`,
    );
  });
  afterEach(async () => {
    guarded.guard?.child.kill('SIGKILL');
    slow?.close();
    slow?.closeAllConnections();
    await proxy?.stop();
    proxy = slow = undefined;
  });

  const warned = (): Promise<unknown> =>
    eventually(async () => expect(await guarded.warningsFor('cm/owner')).toContain(WARNING));

  /** Deletes without a warning, and in the time that the API server waits for a webhook. */
  async function deletesUnwarned(most = 10_000): Promise<void> {
    const before = performance.now();
    const { warnings } = await guarded.kubectl('delete', 'cm/owner', '--wait=false');
    expect(warnings).toEqual([]);
    expect(performance.now() - before).toBeLessThan(most);
    await expect(guarded.kubectl('get', 'cm/owner')).rejects.toThrow('not found');
  }

  it('is killed', async () => {
    await guarded.ask(await guarded.startGuard());
    await warned();
    guarded.guard?.child.kill('SIGKILL');
    await deletesUnwarned();
  });

  it('cannot be reached', async () => {
    const [port = 0] = await freePorts(1);
    await guarded.ask(`https://127.0.0.1:${port}`);
    await deletesUnwarned();
  });

  it('never answers', async () => {
    const { certificate, key } = guarded.cluster.tls.serving;
    const asked: string[] = [];
    slow = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, ({ url = '' }) =>
      asked.push(url),
    );
    await new Promise<void>(resolve => slow?.listen(0, '127.0.0.1', resolve));
    await guarded.ask(`https://127.0.0.1:${portOf(slow)}`);
    await eventually(async () => {
      await guarded.warningsFor('cm/owner');
      expect(asked).toContain('/admission?timeout=2s');
    });
    await deletesUnwarned();
  });

  it('has a certificate that expired', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'guard-'));
    const { certificate, key } = await issueCertificate(folder, 'expired', {
      extensions: ['subjectAltName=IP:127.0.0.1'],
      days: -1,
    });
    const tls = ['--tls-cert-file', certificate, '--tls-private-key-file', key];
    await guarded.ask(await guarded.startGuard(tls), tls);
    await deletesUnwarned();
    expect(await guarded.reviews()).toBe(0);
  });

  it('is cut off from the API server, so that it does not follow the cluster', async () => {
    const { ca, serving } = guarded.cluster.tls;
    const own = await startFaultProxy({
      upstream: guarded.cluster.server,
      upstreamCa: ca,
      certificate: serving,
    });
    proxy = own;
    const kubeconfig = await guarded.cluster.kubeconfig(undefined, own.url);
    await guarded.ask(await guarded.startGuard(guarded.tls, kubeconfig));
    await warned();
    own.addRule({ match: /./u, fault: { kind: 'status', status: 503 } });
    for (const exchange of own.exchanges(/watch/u)) exchange.cut();
    await eventually(async () => expect(await guarded.warningsFor('cm/owner')).toEqual([]));
    await deletesUnwarned();
  });
});
