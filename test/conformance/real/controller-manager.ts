/**
 * The controller manager of conformance runs. Apart from the harness's own, because a hundred graphs at once
 * would wait for its client's usual limit of twenty requests a second.
 */
import { mkdir } from 'node:fs/promises';
import { request } from 'node:https';
import { dirname, join } from 'node:path';
import type { Cluster, ComponentControl } from '../../harness/cluster.ts';
import { controlPlaneBinaries } from '../../harness/processes/binaries.ts';
import { Component } from '../../harness/processes/component.ts';
import { freePorts } from '../../harness/processes/ports.ts';

/**
 * For a control plane of our own that was started without one; `flags` win. Where `server` is an address before several
 * API servers, it goes there, with one connection for each request at a time: over HTTP/2 a single one would be enough.
 */
export async function fastControllerManager(
  plane: Cluster,
  flags: readonly string[],
  { server, user }: { readonly server?: string | undefined; readonly user?: string | undefined } = {},
): Promise<ComponentControl> {
  const kubeconfig = await plane.kubeconfig(user, server);
  const folder = dirname(kubeconfig);
  const binaries = await controlPlaneBinaries();
  const [port = 0] = await freePorts(1);
  const certificates = join(folder, 'fast-controller-manager');
  await mkdir(certificates, { recursive: true });
  return new Component({
    name: 'kube-controller-manager',
    port,
    binary: binaries['kube-controller-manager'],
    folder,
    args: [
      `--kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${certificates}`,
      '--leader-elect=false',
      '--kube-api-qps=2000',
      '--kube-api-burst=4000',
      '--concurrent-namespace-syncs=20',
      '--node-monitor-period=2s',
      '--node-monitor-grace-period=60s',
      ...flags,
    ],
    ready: () => isHealthy(port),
    ...(server !== undefined && { env: { DISABLE_HTTP2: 'true' } }),
  });
}

function isHealthy(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const options = { rejectUnauthorized: false, timeout: 10_000, agent: false } as const;
    const outgoing = request(`https://127.0.0.1:${port}/healthz`, options, incoming => {
      incoming.resume();
      resolve(incoming.statusCode === 200);
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')));
    outgoing.on('error', reject);
    outgoing.end();
  });
}
