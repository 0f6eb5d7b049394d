/**
 * A disposable real cluster (kind, k3d) in place of a control plane of our own. Other users are impersonated
 * by its administrator; whatever needs the components' processes is not available.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { ApiClient } from './api-client.ts';
import { type Cluster, NotAvailable } from './cluster.ts';
import { replaceFile } from './kubeconfig.ts';
import { runKubectl } from './kubectl.ts';
import type { User } from './processes/layout.ts';

/** The parts of `kubectl config view --raw --minify --flatten` that are used here. */
interface FlatKubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { server: string; 'certificate-authority-data'?: string } },
  ];
  readonly users: readonly [
    {
      user: {
        readonly token?: string;
        readonly 'client-certificate-data'?: string;
        readonly 'client-key-data'?: string;
        readonly [field: string]: unknown;
      };
    },
  ];
}

export async function existingCluster(kubeconfig: string, users: readonly User[]): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'gc-tree-cluster-'));
  const kubectl = (args: readonly string[], input?: string) =>
    runKubectl({ binary: 'kubectl', kubeconfig, home: folder }, args, input);
  const text = execFileSync('kubectl', [
    'config',
    'view',
    '--raw',
    '--minify',
    '--flatten',
    `--kubeconfig=${kubeconfig}`,
  ]).toString();
  const config = parse(text) as FlatKubeconfig;
  const { cluster } = config.clusters[0];
  const { user } = config.users[0];
  const decode = (data: string | undefined) => (data === undefined ? undefined : Buffer.from(data, 'base64'));
  const api = new ApiClient({
    server: cluster.server,
    ca: decode(cluster['certificate-authority-data']),
    token: user.token,
    cert: decode(user['client-certificate-data']),
    key: decode(user['client-key-data']),
  });
  const notAvailable = (): never => {
    throw new NotAvailable('only a control plane of our own can do this');
  };
  return {
    controllable: false,
    server: cluster.server,
    api,
    get tls() {
      return notAvailable();
    },
    get etcd() {
      return notAvailable();
    },
    kubeconfig: async (name, server) => {
      if (server !== undefined) return notAvailable();
      if (name === undefined) return kubeconfig;
      const found = users.find(candidate => candidate.name === name);
      if (found === undefined) throw new Error(`no user ${name}`);
      const path = join(folder, `kubeconfig-${name}.yaml`);
      const impersonated = structuredClone(config);
      impersonated.users[0].user = { ...user, as: name, 'as-groups': found.groups ?? [] };
      return replaceFile(path, stringify(impersonated));
    },
    kubectl,
    apply: async yaml => {
      await kubectl(['apply', '--server-side', '-f', '-'], yaml);
    },
    certificateKubeconfig: notAvailable,
    component: notAvailable,
    addNodes: notAvailable,
    stopKubelet: notAvailable,
    startKubelet: notAvailable,
    store: notAvailable,
    saveEtcd: notAvailable,
    backUpEtcd: notAvailable,
    addApiServer: notAvailable,
    apiAt: () => {
      throw new NotAvailable('a real cluster has one address');
    },
    restoreEtcd: notAvailable,
    stop: async () => {
      api.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
