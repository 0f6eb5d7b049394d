/** `npm run cluster`: a control plane with fake nodes for a person to try things on, until Ctrl-C. */
import { parseArgs } from 'node:util';
import { startControlPlane } from './control-plane.ts';

const usage = `Usage: npm run cluster -- [--nodes N] [--etcd-data FOLDER]

Starts a real Kubernetes control plane with fake nodes on free loopback ports, prints the line that points
kubectl and kubectl gc-tree at it, and runs until Ctrl-C. Nothing stays behind.

  --nodes N            fake nodes (default 3)
  --etcd-data FOLDER   start with a population that test/harness/population/populate.ts saved
  --help               this text

The first start builds the programs with Go, which takes 10 to 13 minutes on two cores.
GC_TREE_CONTROLPLANE_BIN may name a folder of ready ones.
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      nodes: { type: 'string', default: '3' },
      'etcd-data': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const nodes = Number(values.nodes);
  if (!Number.isInteger(nodes) || nodes < 0) throw new Error('--nodes takes a whole number');
  const etcdData = values['etcd-data'];
  const interrupted = new Promise<void>(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  const starting = startControlPlane({ nodes, ...(etcdData === undefined ? {} : { etcdData }) });
  // A signal while it starts: leave by the exit hook and the watchdog, which end what runs already.
  const first = await Promise.race([starting, interrupted]);
  if (first === undefined) process.exit(130);
  process.stdout.write(`export KUBECONFIG=${await first.kubeconfig()}\n`);
  process.stderr.write(`The API server is ${first.server}. Ctrl-C ends everything.\n`);
  // Neither a promise nor the detached programs keep the process alive.
  const alive = setInterval(() => {}, 60_000);
  await interrupted;
  clearInterval(alive);
  await first.stop();
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
});
