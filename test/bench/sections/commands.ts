/** Sections of whole commands: `programs` about what needs no cluster, `targets` about one object of a cluster. */
import { median, type Row } from '../figures.ts';
import { runCommand } from '../process.ts';
import { type Context, main, node, openScreen, Samples, TARGET } from './section.ts';

const ONCE_LOADED_MS = 80;
const FIRST_FRAME_MS = 200;
const TARGET_MS = 350;
const TARGET_MB = 100;

export async function measurePrograms(context: Context): Promise<Row[]> {
  const commands = [
    { what: '`--help`', args: [main, '--help'], prints: /^Usage: kubectl gc-tree /, limit: ONCE_LOADED_MS },
    {
      what: '`version --client`',
      args: [main, 'version', '--client'],
      prints: /^kubectl gc-tree \d+\.\d+\.\d+\S*\n$/,
      limit: ONCE_LOADED_MS,
    },
    { what: '— bare Node', args: ['-e', 'console.log(1)'], prints: /^1\n$/ },
  ];
  const { env, rounds, say } = context;
  const samples = new Samples();
  for (let round = 0; round <= rounds; round++) {
    for (const { what, args, prints } of commands) {
      const { wall } = await runCommand({ file: node, args, prints, env });
      if (round > 0) samples.add(what, wall);
    }
    const screen = openScreen(context, []);
    try {
      const frame = await screen.until(/\[1 Tree\]/);
      if (round > 0) samples.add('frame', frame);
    } finally {
      await screen.close();
    }
  }
  say('programs measured');
  return [
    ...commands.map(
      ({ what, limit }): Row => ({
        what,
        unit: 'ms',
        values: samples.of(what),
        ...(limit !== undefined && { reach: `${limit} ms`, limit }),
      }),
    ),
    {
      what: 'first frame of the screen',
      unit: 'ms',
      values: samples.of('frame'),
      reach: `${FIRST_FRAME_MS} ms`,
      limit: FIRST_FRAME_MS,
    },
  ];
}

interface Contestant {
  readonly what: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly prints: RegExp;
  readonly isOurs?: true;
}

export async function measureTargets({ env, rounds, programs, say }: Context): Promise<Row[]> {
  const { namespace, name, objects } = TARGET;
  const place = [name, '-n', namespace];
  const contestants: Contestant[] = [
    {
      what: '`why` of a StatefulSet in a namespace of 400 pods',
      file: node,
      args: [main, 'why', 'sts', ...place],
      prints: new RegExp(`^StatefulSet ${namespace}/${name} is not being deleted`),
      isOurs: true,
    },
    {
      what: '`tree` of it',
      file: node,
      args: [main, 'tree', 'sts', ...place],
      prints: new RegExp(`StatefulSet ${namespace}/${name} .*\\n(?: .*${name}-.*\\n){${objects - 1}}$`),
      isOurs: true,
    },
    {
      what: '`plan delete` of it',
      file: node,
      args: [main, 'plan', 'delete', 'sts', ...place],
      prints: new RegExp(`${name} in the background: ${objects} objects are deleted`),
      isOurs: true,
    },
  ];
  const { 'kubectl-tree': kubectlTree, 'kube-lineage': kubeLineage } = programs.rivals;
  const pods = new RegExp(`Pod/${name}-0[^]*Pod/${name}-4 `);
  if (kubectlTree !== undefined)
    contestants.push({ what: '— kubectl-tree', file: kubectlTree, args: ['sts', ...place], prints: pods });
  if (kubeLineage !== undefined)
    contestants.push({ what: '— kube-lineage', file: kubeLineage, args: ['sts', ...place], prints: pods });
  contestants.push({
    what: '— `kubectl get`',
    file: programs.kubectl,
    args: ['get', 'sts', ...place],
    prints: new RegExp(`^${name} +5/5 `, 'm'),
  });
  const times = new Samples();
  const memory = new Samples();
  // One round fills the caches of all.
  for (let round = 0; round <= rounds; round++) {
    // In turn from the front and from the back, so that nobody always follows the same one.
    const order = round % 2 === 0 ? contestants : [...contestants].reverse();
    for (const { what, file, args, prints } of order) {
      const { wall, peak } = await runCommand({ file, args, prints, env });
      if (round === 0) continue;
      times.add(what, wall);
      memory.add(what, peak);
    }
    say(`targets: round ${round} of ${rounds}`);
  }
  const rival =
    kubectlTree === undefined ? Number.POSITIVE_INFINITY : 1.1 * median(times.of('— kubectl-tree'));
  const limit = Math.min(TARGET_MS, rival);
  const reach =
    kubectlTree === undefined
      ? `${TARGET_MS} ms`
      : `${TARGET_MS} ms and 1.1 × kubectl-tree = ${Math.round(rival)} ms`;
  return [
    ...contestants.map(
      ({ what, isOurs }): Row => ({
        what,
        unit: 'ms',
        values: times.of(what),
        ...(isOurs && { reach, limit }),
      }),
    ),
    ...contestants.map(
      ({ what, isOurs }): Row => ({
        what: `${what}: peak of memory`,
        unit: 'MB',
        values: memory.of(what),
        ...(isOurs && { reach: `${TARGET_MB} MB`, limit: TARGET_MB }),
      }),
    ),
  ];
}
