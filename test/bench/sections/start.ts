/** Section `start`: from the start of a process to the whole graph and all facts, and what that takes of memory. */
import { median, type Row } from '../figures.ts';
import { runCommand } from '../process.ts';
import { bareTransfer, countObjects, listsOf } from '../transfer.ts';
import { type Context, main, node, Samples } from './section.ts';

/** Of 20,000 pods and of 150,000, with their owners. */
const memoryLimits: ReadonlyMap<number, number> = new Map([
  [20_000, 160],
  [150_000, 500],
]);
const HALF_A_MILLION = 500_000;
const MOST_BYTES = 1.2 * 1024;

/** What all facts took per object at the smallest size of this run, which others are held to. */
let smallest: { readonly pods: number; readonly microseconds: number } | undefined;

export async function measureStart({
  env,
  kubeconfig,
  cluster,
  pods,
  rounds,
  programs,
  say,
}: Context): Promise<Row[]> {
  const check = programs.rivals['check-ownerreferences'];
  const facts = {
    file: node,
    args: [main, 'tree', '-A', '-v=2'],
    env,
    marks: { facts: /\bfacts complete\b/ },
    until: 'facts',
  };
  // Names need no facts, so that everything is read as metadata.
  const graph = {
    ...facts,
    args: [main, 'tree', '-A', '-o', 'name', '-v=2'],
    marks: { graph: /\bgraph complete\b/ },
    until: 'graph',
  };
  // What isn't read costs nothing: where a kind cannot be seen, there is no figure.
  const everything = ['check', '-A', '--fail-on=never', '-o', 'json'];
  await runCommand({ file: node, args: [main, ...everything], env, prints: /"complete": true/ });
  const lists = await listsOf({ ...facts, args: [main, 'tree', '-A', '-v=8'] });
  const objects = await countObjects(cluster.api, lists);
  say(`${lists.length} lists of ${objects} objects`);
  // What is ended at its mark keeps no compiled code: the first runs of a command that come to their end do.
  for (const output of [['-o', 'name'], [], []])
    await runCommand({ file: node, args: [main, 'tree', '-A', ...output], env, prints: /./u });
  const samples = new Samples();
  // One round warms the API server's caches.
  for (let round = 0; round <= rounds; round++) {
    const inGraph = (await runCommand(graph)).marks.get('graph');
    const run = await runCommand(facts);
    const transfer = await bareTransfer(lists, kubeconfig);
    const other =
      check === undefined
        ? undefined
        : await runCommand({
            file: check,
            args: [],
            env,
            marks: { done: /^No invalid ownerReferences found$/u },
          });
    if (round === 0) continue;
    const inFacts = run.marks.get('facts');
    if (inGraph === undefined || inFacts === undefined) throw new Error('no figures of tree');
    samples.add('graph', inGraph.at);
    samples.add('facts', inFacts.at);
    samples.add('processor', inFacts.processor);
    samples.add('memory', inFacts.rss);
    samples.add('peak', run.peak);
    samples.add('perObject', (inFacts.at * 1000) / objects);
    samples.add('bytes', (inFacts.rss * 2 ** 20) / objects);
    samples.add('transfer', transfer);
    if (other !== undefined) {
      samples.add('check', other.wall);
      samples.add('checkPeak', other.peak);
    }
    say(
      `round ${round}: graph ${inGraph.at.toFixed(0)} facts ${inFacts.at.toFixed(0)} transfer ${transfer.toFixed(0)} ms`,
    );
  }
  return rowsOf(samples, { pods, objects, isReal: !cluster.isMultiplied });
}

interface Population {
  readonly pods: number;
  readonly objects: number;
  /** Lists come as fast as an API server makes them, so that their transfer is something to be held to. */
  readonly isReal: boolean;
}

function rowsOf(samples: Samples, { pods, objects, isReal }: Population): Row[] {
  const check = samples.of('check');
  const graphLimit = 0.6 * median(check);
  const factsLimit = 1.2 * median(samples.of('transfer'));
  const perObject = samples.of('perObject');
  if (smallest === undefined || pods < smallest.pods) smallest = { pods, microseconds: median(perObject) };
  const memory = memoryLimits.get(pods);
  const rows: Row[] = [
    {
      what: 'process start → complete ownership graph',
      unit: 'ms',
      values: samples.of('graph'),
      ...(check.length > 0 && {
        reach: `0.6 × check-ownerreferences = ${Math.round(graphLimit)} ms`,
        limit: graphLimit,
      }),
    },
    { what: '— check-ownerreferences, whole process', unit: 'ms', values: check },
    {
      what: 'process start → all facts',
      unit: 'ms',
      values: samples.of('facts'),
      ...(isReal && { reach: `1.2 × bare transfer = ${Math.round(factsLimit)} ms`, limit: factsLimit }),
    },
    { what: '— bare transfer of the same lists', unit: 'ms', values: samples.of('transfer') },
    { what: '— processor time of all facts', unit: 'ms', values: samples.of('processor') },
    {
      what: 'all facts, for each object',
      unit: 'µs',
      values: perObject,
      ...(pods > smallest.pods && {
        reach: `1.1 × that of ${smallest.pods.toLocaleString('en')} pods = ${(1.1 * smallest.microseconds).toFixed(1)} µs`,
        limit: 1.1 * smallest.microseconds,
      }),
    },
    {
      what: 'resident memory with all facts',
      unit: 'MB',
      values: samples.of('memory'),
      ...(memory !== undefined && { reach: `${memory} MB`, limit: memory }),
    },
    { what: '— its peak until then', unit: 'MB', values: samples.of('peak') },
    { what: '— check-ownerreferences, peak', unit: 'MB', values: samples.of('checkPeak') },
    {
      what: 'resident memory for each object',
      unit: 'bytes',
      values: samples.of('bytes'),
      ...(objects >= HALF_A_MILLION && { reach: '1.2 KB', limit: MOST_BYTES }),
    },
  ];
  return rows.filter(({ values }) => values.length > 0);
}
