/**
 * `npm run bench`: the figures of docs/performance.md, measured side by side in one run on a real API server
 * that holds a generated population. Machines are noisy, so every comparison alternates its contestants round
 * by round, and ratios of medians count.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type BenchCluster, startCluster } from './clusters/clusters.ts';
import { place, processors } from './clusters/processors.ts';
import { comparisonPrograms } from './comparison.ts';
import { keepResults, type Measured, markdownTable, type Row, resultOf } from './figures.ts';
import { order, sections } from './sections/all.ts';
import type { Section } from './sections/section.ts';

const usage = `Usage: npm run bench -- [--pods N[,N]] [--only SECTION[,SECTION]] [--rounds 7] [--data FOLDER]
                        [--multiplied] [--write]

  --pods N,N       sizes of the population (default 20000)
  --only SECTIONS  of these sections alone (default all):
${sections.map(({ name, about }) => `                     ${name.padEnd(15)} ${about}`).join('\n')}
  --rounds N       rounds, each running every contestant once (default 7)
  --data FOLDER    keeps etcd's data of each size there, to start with the next time
  --multiplied     a real API server with one namespace, and one in front of it that shows that as often as it takes: for
                   sizes that no API server has room for here, and sections that measure the tool alone:
                     ${sections
                       .filter(each => each.on === 'cluster' && each.multiplies)
                       .map(({ name }) => name)
                       .join(', ')}
  --write          keeps the results in test/bench/results.json, and makes the table of docs/performance.md of them

GC_TREE_TEST_KUBECONFIG names a cluster that holds the population already: its server isn't started then, which takes
minutes where it is large. kube-lineage is built with Go. KUBECTL_TREE and CHECK_OWNERREFERENCES name the programs that are compared, too; BUN the one that section distribution makes
an executable with, beside the archive of the release in release/ or in the folder that GC_TREE_RELEASE names. Rows are left out
without them.
`;

interface Options {
  readonly sizes: readonly number[];
  readonly chosen: readonly Section[];
  readonly rounds: number;
  /** Of etcd's data, a folder for each size. */
  readonly data: string;
  readonly isMultiplied: boolean;
  readonly scratch: string;
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** What could be measured. A section that fails has no figures, and makes the whole fail in the end. */
async function bench({ chosen, sizes, ...options }: Options): Promise<Measured[]> {
  const measured: Measured[] = [];
  const keep = async (what: Omit<Measured, 'rows'>, measure: () => Promise<Row[]>): Promise<void> => {
    const { section } = what;
    try {
      measured.push({ ...what, rows: (await measure()).map(resultOf) });
    } catch (error) {
      say(`${section} failed: ${error instanceof Error ? error.message : String(error)}`);
      process.exitCode = 1;
    }
  };
  const onCluster = chosen.filter(section => section.on === 'cluster');
  if (onCluster.length > 0) {
    const { isMultiplied, data, rounds, scratch } = options;
    // They ask for what isn't multiplied: tables, JSON, and lists in pages.
    const programs = await comparisonPrograms(say, isMultiplied ? [] : undefined);
    for (const pods of [...sizes].sort((a, b) => a - b)) {
      const cluster = await startCluster({ pods, isMultiplied, data, say });
      try {
        const kubeconfig = await cluster.kubeconfig();
        const env = { KUBECONFIG: kubeconfig, HOME: scratch, XDG_CACHE_HOME: undefined };
        const context = { cluster, kubeconfig, env, pods, rounds, programs, say };
        for (const { name, measure, apart } of onCluster) {
          say(`${name}, ${pods} pods`);
          await keep({ section: name, pods, ...(isMultiplied && { isMultiplied }) }, () =>
            apart === true
              ? onOwnProcessors(cluster, own => measure({ ...context, own }))
              : measure({ ...context, own: undefined }),
          );
        }
      } finally {
        await cluster.stop();
      }
    }
  }
  for (const section of chosen) {
    if (section.on !== 'memory') continue;
    say(section.name);
    await keep({ section: section.name }, () => section.measure(say));
  }
  return measured;
}

/** Meanwhile the servers keep to theirs. */
async function onOwnProcessors<T>({ pids }: BenchCluster, measure: (own: string) => Promise<T>): Promise<T> {
  const { all, servers, tool } = processors();
  place(pids, servers);
  try {
    return await measure(tool);
  } finally {
    place(pids, all);
  }
}

function wholeNumbers(flag: string, text: string): number[] {
  const numbers = text.split(',').map(Number);
  if (!numbers.every(number => Number.isInteger(number) && number > 0))
    throw new Error(`${flag} takes whole numbers above 0`);
  return numbers;
}

function chosenSections(only: string | undefined, isMultiplied: boolean): readonly Section[] {
  const possible = sections.filter(
    each => !isMultiplied || (each.on === 'cluster' && each.multiplies === true),
  );
  const names = only?.split(',') ?? possible.map(({ name }) => name);
  const unknown = names.find(name => !possible.some(each => each.name === name));
  if (unknown !== undefined) throw new Error(`there is no such section here: ${unknown}\n\n${usage}`);
  return possible.filter(({ name }) => names.includes(name));
}

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '20000' },
    only: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    data: { type: 'string' },
    multiplied: { type: 'boolean', default: false },
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
      chosen: chosenSections(values.only, values.multiplied),
      rounds,
      isMultiplied: values.multiplied,
      data: values.data ?? path.join(scratch, 'etcd'),
      scratch,
    });
    process.stdout.write(`\n${markdownTable(measured, order)}\n`);
    if (values.write) await keepResults(measured, order);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
