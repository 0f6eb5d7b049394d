/**
 * `npm run bench`: the figures of docs/performance.md, measured side by side in one run on a real API server
 * that holds a generated population. Machines are noisy, so every comparison alternates its contestants round
 * by round, and ratios of medians count.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Cluster } from '../harness/cluster.ts';
import { startControlPlane } from '../harness/control-plane.ts';
import { populate } from '../harness/population/population.ts';
import { markdownTable, median, type Row } from './figures.ts';
import { firstFrame } from './first-frame.ts';
import { runCommand } from './process.ts';
import { bareTransfer, listsOf } from './transfer.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = path.join(root, 'bin/kubectl-gc_tree');
const node = process.execPath;

const usage = `Usage: npm run bench -- [--pods 20000] [--rounds 7] [--data FOLDER] [--write]

  --pods N       size of the population (default 20000)
  --rounds N     rounds, each running every contestant once (default 7)
  --data FOLDER  etcd data of a population; generated and saved there when it doesn't exist
  --write        put the table into docs/performance.md

CHECK_OWNERREFERENCES may name the check-ownerreferences program; its line is left out without it.
`;

interface Options {
  readonly pods: number;
  readonly rounds: number;
  readonly data: string;
  readonly write: boolean;
}

async function bench(options: Options): Promise<void> {
  if (!existsSync(options.data)) await generate(options);
  const cluster = await startControlPlane({
    components: ['etcd', 'kube-apiserver'],
    etcdData: options.data,
  });
  try {
    const rows = await measure(cluster, options);
    const table = `${heading(options)}\n\n${markdownTable(rows)}\n`;
    process.stdout.write(`\n${table}`);
    if (options.write) await writeTable(options.pods, table);
  } finally {
    await cluster.stop();
  }
}

async function measure(cluster: Cluster, { rounds, pods }: Options): Promise<Row[]> {
  const kubeconfig = await cluster.kubeconfig();
  const env = { KUBECONFIG: kubeconfig };
  const rival = process.env['CHECK_OWNERREFERENCES'];
  const tree = {
    file: node,
    args: [main, 'tree', '-A', '-v=2'],
    env,
    marks: { graph: /\bgraph complete\b/, facts: /\bfacts complete\b/ },
    until: 'facts',
  };
  const lists = await listsOf({ ...tree, args: [...tree.args.slice(0, -1), '-v=8'] });
  process.stderr.write(`${lists.length} lists\n`);
  const samples = new Map<string, number[]>();
  const add = (name: string, value: number | undefined): void => {
    const list = samples.get(name) ?? [];
    if (value !== undefined) list.push(value);
    samples.set(name, list);
  };
  // One round warms the API server's caches and the compile cache.
  for (let round = 0; round <= rounds; round++) {
    const ours = await runCommand(tree);
    const graph = ours.marks.get('graph');
    const facts = ours.marks.get('facts');
    if (graph === undefined || facts === undefined) throw new Error(`no figures from tree:\n${ours.stderr}`);
    const transfer = await bareTransfer(lists, kubeconfig);
    const check =
      rival === undefined ? undefined : await runCommand({ file: rival, args: ['--kubeconfig', kubeconfig] });
    const frame = await firstFrame({ file: node, args: [main], env });
    const help = await runCommand({ file: node, args: [main, '--help'] });
    const version = await runCommand({ file: node, args: [main, 'version', '--client'] });
    const bare = await runCommand({ file: node, args: ['-e', '0'] });
    process.stderr.write(
      `round ${round}: graph ${graph.at.toFixed(0)} facts ${facts.at.toFixed(0)} transfer ${transfer.toFixed(0)} frame ${frame.toFixed(0)}${check === undefined ? '' : ` check-ownerreferences ${check.wall.toFixed(0)}`}\n`,
    );
    if (round === 0) continue;
    add('graph', graph.at);
    add('facts', facts.at);
    add('rss', facts.rss);
    add('peak', ours.peak);
    add('transfer', transfer);
    add('check', check?.wall);
    add('checkPeak', check?.peak);
    add('frame', frame);
    add('help', help.wall);
    add('version', version.wall);
    add('bare', bare.wall);
  }
  return rowsOf(samples, pods);
}

/** 160 MB at 20,000 pods, 500 MB at 150,000; no word on other sizes. */
function memoryLimit(pods: number): { reach?: string; limit?: number } {
  const limit = pods === 20_000 ? 160 : pods === 150_000 ? 500 : undefined;
  return limit === undefined ? {} : { reach: `${limit} MB`, limit };
}

function rowsOf(samples: ReadonlyMap<string, number[]>, pods: number): Row[] {
  const of = (name: string): number[] => samples.get(name) ?? [];
  const rows: Row[] = [];
  const check = of('check');
  rows.push({
    what: 'process start → complete ownership graph',
    unit: 'ms',
    values: of('graph'),
    ...(check.length === 0
      ? { reach: '0.7 × check-ownerreferences' }
      : {
          reach: `0.7 × check-ownerreferences = ${Math.round(0.7 * median(check))} ms`,
          limit: 0.7 * median(check),
        }),
  });
  if (check.length > 0)
    rows.push({ what: '— check-ownerreferences, whole process', unit: 'ms', values: check });
  rows.push({
    what: 'process start → all facts',
    unit: 'ms',
    values: of('facts'),
    reach: `1.5 × bare transfer = ${Math.round(1.5 * median(of('transfer')))} ms`,
    limit: 1.5 * median(of('transfer')),
  });
  rows.push({
    what: '— bare transfer of the same lists (curl, in parallel)',
    unit: 'ms',
    values: of('transfer'),
  });
  rows.push({
    what: 'resident memory with all facts',
    unit: 'MB',
    values: of('rss'),
    ...memoryLimit(pods),
  });
  rows.push({ what: '— its peak until then', unit: 'MB', values: of('peak') });
  if (check.length > 0)
    rows.push({ what: '— check-ownerreferences, peak', unit: 'MB', values: of('checkPeak') });
  rows.push({
    what: 'first frame of the screen',
    unit: 'ms',
    values: of('frame'),
    reach: '200 ms',
    limit: 200,
  });
  rows.push({ what: '`--help`', unit: 'ms', values: of('help'), reach: '80 ms', limit: 80 });
  rows.push({ what: '`version --client`', unit: 'ms', values: of('version'), reach: '80 ms', limit: 80 });
  rows.push({ what: '— bare Node', unit: 'ms', values: of('bare') });
  return rows;
}

async function generate({ pods, data }: Options): Promise<void> {
  const cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver'] });
  try {
    process.stderr.write(`generating ${pods} pods with their owners …\n`);
    await populate(cluster, { pods });
    await cluster.saveEtcd(data);
  } finally {
    await cluster.stop();
  }
}

function heading({ pods, rounds }: Options): string {
  const cpu = cpus();
  return `${pods.toLocaleString('en')} pods, ${rounds} rounds, Node ${process.versions.node}, ${cpu.length} × ${cpu[0]?.model ?? 'unknown processor'}, API server on the same machine.`;
}

/** Replaces what stands between the markers of this size in docs/performance.md. */
async function writeTable(pods: number, table: string): Promise<void> {
  const file = path.join(root, 'docs/performance.md');
  const text = await readFile(file, 'utf8');
  const begin = `<!-- bench ${pods} -->`;
  const end = '<!-- end -->';
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`docs/performance.md has no place marked ${begin}`);
  await writeFile(file, `${text.slice(0, from + begin.length)}\n${table}${text.slice(to)}`);
}

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '7' },
    data: { type: 'string' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(usage);
else {
  const scratch =
    values.data === undefined ? await mkdtemp(path.join(tmpdir(), 'gc-tree-bench-')) : undefined;
  try {
    await bench({
      pods: Number(values.pods),
      rounds: Number(values.rounds),
      data: values.data ?? path.join(scratch ?? '', 'etcd'),
      write: values.write,
    });
  } finally {
    if (scratch !== undefined) await rm(scratch, { recursive: true, force: true });
  }
}
