/** The service account that Kubernetes mounts into a pod: where kubectl turns without any kubeconfig. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { anonymous, type KubeconfigCluster, type KubeconfigUser, noCluster } from './kubeconfig.ts';
import type { KubeconfigEnvironment } from './load-kubeconfig.ts';

const mountedAt = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface InCluster {
  readonly cluster: KubeconfigCluster;
  readonly user: KubeconfigUser;
  readonly namespace: string;
}

/**
 * The connection of a pod, or undefined outside of one (client-go `rest.InClusterConfig` and clientcmd
 * `inClusterClientConfig`, v0.36). `root` stands before the mount's path in tests.
 */
export function inCluster(env: KubeconfigEnvironment, root = ''): InCluster | undefined {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '';
  const folder = path.join(root, mountedAt);
  const tokenFile = path.join(folder, 'token');
  if (host === '' || port === '' || !isFile(tokenFile)) return undefined;
  const caFile = path.join(folder, 'ca.crt');
  return {
    cluster: {
      ...noCluster,
      name: 'in-cluster',
      server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
      caFile: isFile(caFile) ? caFile : '',
    },
    user: { ...anonymous, name: 'in-cluster', tokenFile },
    namespace: env['POD_NAMESPACE'] || readText(path.join(folder, 'namespace')) || 'default',
  };
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
