/** A real cluster with one namespace, and in front of it a server that shows it many times. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ApiClient } from '../../harness/api-client.ts';
import { NODES_OF_NAMESPACE } from '../../harness/population/population.ts';
import { serverAccess } from './access.ts';
import type { BenchCluster } from './clusters.ts';
import type { ServeOptions } from './serve.ts';

const script = fileURLToPath(new URL('serve.ts', import.meta.url));

/** `first` ends with what comes back. Rejects where the server in front of it doesn't start; `first` goes on then. */
export async function multiplied(first: BenchCluster, namespaces: number): Promise<BenchCluster> {
  const { ca, serving } = first.tls;
  const options: ServeOptions = {
    proxy: { upstream: first.server, upstreamCa: ca, certificate: serving },
    copies: { namespaces, nodes: NODES_OF_NAMESPACE },
  };
  const child = spawn(process.execPath, [script, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [line] = (await Promise.race([once(child.stdout, 'data'), ended.then(() => [])])) as [Buffer?];
  if (line === undefined || child.pid === undefined) throw new Error('the server that multiplies has ended');
  const server = line.toString().trim();
  const kubeconfig = await first.kubeconfig(undefined, server);
  const { token } = await serverAccess(kubeconfig);
  const api = new ApiClient({ server, ca: readFileSync(ca), token });
  return {
    pids: [...first.pids, child.pid],
    isMultiplied: true,
    server,
    api,
    tls: first.tls,
    kubeconfig: (user, other = server) => first.kubeconfig(user, other),
    stop: async () => {
      api.close();
      child.stdin.end();
      await ended;
      await first.stop();
    },
  };
}
