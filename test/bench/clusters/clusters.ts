/** The clusters that sections are measured on: a real API server with a population of any size, or one that is multiplied. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { PODS_IN_NAMESPACE, populate } from '../../harness/population/population.ts';
import { multiplied } from './multiplied.ts';

/** What sections use of a cluster. */
export interface BenchCluster extends Pick<Cluster, 'api' | 'kubeconfig' | 'server' | 'tls' | 'stop'> {
  /** Of what serves, as far as it runs here. */
  readonly pids: readonly number[];
  /** It is a server of ours that sends the lists, as fast as it can. */
  readonly isMultiplied: boolean;
}

export interface ClusterOptions {
  readonly pods: number;
  readonly isMultiplied: boolean;
  /** Of etcd's data, a folder for each size. */
  readonly data: string;
  readonly say: (line: string) => void;
}

/** Above so many pods, Go's garbage collector has to run more often for the API server to fit into 24 GB beside the rest. */
const MANY_PODS = 150_000;
const components = ['etcd', 'kube-apiserver'] as const;

/** Rejects where so many pods cannot be had. */
export async function startCluster({
  pods,
  isMultiplied,
  ...options
}: ClusterOptions): Promise<BenchCluster> {
  if (!isMultiplied) return realCluster(pods, options);
  if (pods % PODS_IN_NAMESPACE !== 0)
    throw new Error(`namespaces of ${PODS_IN_NAMESPACE} pods are multiplied, which makes no ${pods}`);
  const first = await realCluster(PODS_IN_NAMESPACE, options);
  try {
    return await multiplied(first, pods / PODS_IN_NAMESPACE);
  } catch (error) {
    await first.stop();
    throw error;
  }
}

async function realCluster(
  pods: number,
  { data, say }: Pick<ClusterOptions, 'data' | 'say'>,
): Promise<BenchCluster> {
  if (process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)
    return served(await startControlPlane({ components }), []);
  const etcdData = path.join(data, String(pods));
  if (!existsSync(etcdData)) {
    const cluster = await startControlPlane({ components });
    try {
      say(`making ${pods} pods with their owners …`);
      await populate(cluster, { pods });
      await mkdir(data, { recursive: true });
      await cluster.saveEtcd(etcdData);
    } finally {
      await cluster.stop();
    }
  }
  const cluster = await startControlPlane({
    components,
    etcdData,
    ...(pods > MANY_PODS && { apiServerEnv: { GOGC: '50' } }),
  });
  return served(
    cluster,
    components.flatMap(name => cluster.component(name).pid ?? []),
  );
}

function served(cluster: Cluster, pids: readonly number[]): BenchCluster {
  return {
    pids,
    isMultiplied: false,
    server: cluster.server,
    api: cluster.api,
    // That of an existing cluster isn't there to be asked for.
    get tls() {
      return cluster.tls;
    },
    kubeconfig: (user, server) => cluster.kubeconfig(user, server),
    stop: () => cluster.stop(),
  };
}
