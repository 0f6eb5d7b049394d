/** Creates a generated population on a throw-away API server and saves its etcd folder for later starts. */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startControlPlane } from '../control-plane.ts';
import { populate } from './population.ts';

const usage = `Usage: node test/harness/population/populate.ts --pods N --save FOLDER

Writes N pods with their owners (Deployments, ReplicaSets, StatefulSets, ControllerRevisions, Jobs, Services,
EndpointSlices) to a real API server and saves etcd's data in FOLDER, which must not exist yet. Start with it by
npm run cluster -- --etcd-data FOLDER.
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      pods: { type: 'string' },
      save: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help || values.pods === undefined || values.save === undefined) {
    process.stdout.write(usage);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  if (existsSync(values.save)) throw new Error(`${values.save} exists already`);
  const pods = wholeNumber('--pods', values.pods);
  const cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver'] });
  try {
    const started = performance.now();
    let reported = 0;
    await populate(cluster, {
      pods,
      progress: written => {
        if (written - reported < 5000) return;
        reported = written;
        process.stderr.write(`${written} pods in ${seconds(started)} s\n`);
      },
    });
    await cluster.saveEtcd(values.save);
    process.stderr.write(`saved after ${seconds(started)} s\n`);
  } finally {
    await cluster.stop();
  }
}

function wholeNumber(flag: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${flag} takes a whole number above 0`);
  return number;
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
});
