/**
 * `npm run bench`: the figures of docs/performance.md, measured side by side in one run on a real API server
 * that holds a generated population. Machines are noisy, so every comparison alternates its contestants round
 * by round, and ratios of medians count.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Cluster } from '../harness/cluster.ts';
import { startControlPlane } from '../harness/control-plane.ts';
import { populate } from '../harness/population/population.ts';
import { comparisonPrograms } from './comparison.ts';
import { keepResults, type Measured, markdownTable, type Row, resultOf } from './figures.ts';
import { order, sections } from './sections/all.ts';
import type { Context, Section } from './sections/section.ts';

const usage = `Usage: npm run bench -- [--pods N[,N]] [--only SECTION[,SECTION]] [--rounds 7] [--data FOLDER] [--write]

  --pods N,N       sizes of the population (default 20000)
  --only SECTIONS  of these sections alone (default all):
${sections.map(({ name, about }) => `                     ${name.padEnd(15)} ${about}`).join('\n')}
  --rounds N       rounds, each running every contestant once (default 7)
  --data FOLDER    keeps etcd's data of each size there, to start with the next time
  --write          keeps the results in test/bench/results.json, and makes the table of docs/performance.md of them

GC_TREE_TEST_KUBECONFIG names a cluster that holds the population already: its server isn't started then, which takes
minutes where it is large. kube-lineage is built with Go. KUBECTL_TREE and CHECK_OWNERREFERENCES name the programs that are compared, too; their
rows are left out without them.
`;

interface Options {
  readonly sizes: readonly number[];
  readonly chosen: readonly Section[];
  readonly rounds: number;
  /** Of etcd's data, a folder for each size. */
  readonly data: string;
  readonly scratch: string;
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** What could be measured. A section that fails has no figures, and makes the whole fail in the end. */
async function bench({ chosen, sizes, ...options }: Options): Promise<Measured[]> {
  const measured: Measured[] = [];
  const keep = async (section: string, pods: number | undefined, rows: Promise<Row[]>): Promise<void> => {
    try {
      const results = (await rows).map(resultOf);
      measured.push(pods === undefined ? { section, rows: results } : { section, pods, rows: results });
    } catch (error) {
      say(`${section} failed: ${error instanceof Error ? error.message : String(error)}`);
      process.exitCode = 1;
    }
  };
  const onCluster = chosen.filter(section => section.on === 'cluster');
  if (onCluster.length > 0) {
    const programs = await comparisonPrograms(say);
    for (const pods of [...sizes].sort((a, b) => a - b)) {
      const cluster = await clusterOf(pods, options);
      try {
        const kubeconfig = await cluster.kubeconfig();
        const env = { KUBECONFIG: kubeconfig, HOME: options.scratch, XDG_CACHE_HOME: undefined };
        const { rounds } = options;
        const context: Context = { cluster, kubeconfig, env, pods, rounds, programs, say };
        for (const { name, measure } of onCluster) {
          say(`${name}, ${pods} pods`);
          await keep(name, pods, measure(context));
        }
      } finally {
        await cluster.stop();
      }
    }
  }
  for (const section of chosen) {
    if (section.on !== 'memory') continue;
    say(section.name);
    await keep(section.name, undefined, section.measure());
  }
  return measured;
}

/** Above so many pods, Go's garbage collector has to run more often for the API server to fit into 24 GB beside the rest. */
const MANY_PODS = 150_000;

async function clusterOf(pods: number, { data }: Pick<Options, 'data'>): Promise<Cluster> {
  const components = ['etcd', 'kube-apiserver'] as const;
  if (process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined) return startControlPlane({ components });
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
  return startControlPlane({
    components,
    etcdData,
    ...(pods > MANY_PODS && { apiServerEnv: { GOGC: '50' } }),
  });
}

function wholeNumbers(flag: string, text: string): number[] {
  const numbers = text.split(',').map(Number);
  if (!numbers.every(number => Number.isInteger(number) && number > 0))
    throw new Error(`${flag} takes whole numbers above 0`);
  return numbers;
}

function chosenSections(only: string | undefined): readonly Section[] {
  const names = only?.split(',') ?? order;
  const unknown = names.find(name => !order.includes(name));
  if (unknown !== undefined) throw new Error(`there is no section ${unknown}\n\n${usage}`);
  return sections.filter(({ name }) => names.includes(name));
}

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '20000' },
    only: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    data: { type: 'string' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(usage);
else {
  const scratch = await mkdtemp(path.join(tmpdir(), 'gc-tree-bench-'));
  try {
    const [rounds = 1] = wholeNumbers('--rounds', values.rounds);
    const measured = await bench({
      sizes: wholeNumbers('--pods', values.pods),
      chosen: chosenSections(values.only),
      rounds,
      data: values.data ?? path.join(scratch, 'etcd'),
      scratch,
    });
    process.stdout.write(`\n${markdownTable(measured, order)}\n`);
    if (values.write) await keepResults(measured, order);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
