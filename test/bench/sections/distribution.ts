/**
 * Section `distribution`: the product as it is installed, in turns: from the clone, from the archive that a release packed
 * into `release/`, where there is one, and as one executable that holds Node, as Windows has it. What is read is a dump, so
 * that no server has a share in it.
 */
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { windowsExecutable } from '../../../scripts/release/windows-executable.ts';
import type { Row } from '../figures.ts';
import { runCommand } from '../process.ts';
import { Screen } from '../screen.ts';
import { main, node, Samples } from './section.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const ROUNDS = 9;
const PODS = 20_000;
const PODS_OF_EACH = 5;

interface Installed {
  readonly what: string;
  readonly command: readonly [file: string, ...args: string[]];
  /** What has to be there; the clone's needs more than can be counted here. */
  readonly folder?: string;
  readonly archive?: string;
}

export async function measureDistribution(): Promise<Row[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gc-tree-installed-'));
  try {
    const dump = path.join(folder, 'dump.json');
    await writeFile(dump, JSON.stringify(dumpOf(PODS)));
    const all: Installed[] = [{ what: 'from a clone', command: [node, main] }];
    all.push(...(await fromArchive(path.join(folder, 'archive'))));
    all.push(await asOneExecutable(path.join(folder, 'executable')));
    const samples = new Samples();
    for (const [index, each] of all.entries()) {
      const env = { HOME: path.join(folder, `home-${index}`), XDG_CACHE_HOME: undefined };
      await mkdir(env.HOME);
      if (each.archive !== undefined) samples.add(`${each.what}: archive`, await megabytes(each.archive));
      if (each.folder !== undefined) samples.add(`${each.what}: installed`, await megabytes(each.folder));
      // The first runs keep compiled code.
      for (let run = 0; run < 3; run += 1) await round(each, dump, env, new Samples());
    }
    for (let turn = 0; turn < ROUNDS; turn += 1)
      for (const [index, each] of all.entries())
        await round(
          each,
          dump,
          { HOME: path.join(folder, `home-${index}`), XDG_CACHE_HOME: undefined },
          samples,
        );
    return all.flatMap(each => rowsOf(each, samples));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function round(
  { what, command: [file, ...args] }: Installed,
  dump: string,
  env: NodeJS.ProcessEnv,
  samples: Samples,
): Promise<void> {
  const version = await runCommand({
    file,
    args: [...args, 'version', '--client'],
    env,
    prints: /^kubectl gc-tree \d/u,
  });
  samples.add(`${what}: version`, version.wall);
  const screen = new Screen({ file, args: [...args, 'demo'], env });
  try {
    samples.add(`${what}: frame`, await screen.until(/\[1 Tree\]/u));
  } finally {
    await screen.close();
  }
  const check = await runCommand({
    file,
    args: [...args, 'check', '-A', '-f', dump, '--fail-on=never', '-o', 'json'],
    env,
    prints: /"kind": "FindingList"/u,
  });
  samples.add(`${what}: dump`, check.wall);
  samples.add(`${what}: memory`, check.peak);
}

function rowsOf({ what }: Installed, samples: Samples): Row[] {
  const row = (name: string, unit: Row['unit'], said: string): Row[] => {
    const values = samples.of(`${what}: ${name}`);
    return values.length === 0 ? [] : [{ what: `${what}: ${said}`, unit, values }];
  };
  return [
    ...row('archive', 'MB', 'the archive'),
    ...row('installed', 'MB', 'installed'),
    ...row('version', 'ms', '`version --client`'),
    ...row('frame', 'ms', 'first frame of the demo'),
    ...row('dump', 'ms', `\`check\` of a dump of ${PODS.toLocaleString('en')} pods`),
    ...row('memory', 'MB', '— peak of its memory'),
  ];
}

async function fromArchive(to: string): Promise<readonly Installed[]> {
  const release = path.join(root, 'release');
  const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const names = await readdir(release).catch(() => []);
  const name = names.find(each => each.endsWith(`_linux_${arch}.tar.gz`));
  if (name === undefined) return [];
  const archive = path.join(release, name);
  await mkdir(to);
  await promisify(execFile)('tar', ['-xzf', archive, '-C', to]);
  return [{ what: 'from the archive', command: [path.join(to, 'kubectl-gc_tree')], folder: to, archive }];
}

async function asOneExecutable(to: string): Promise<Installed> {
  await cp(path.join(root, 'dist'), path.join(to, 'dist'), { recursive: true });
  await writeFile(path.join(to, 'package.json'), '{"type":"module"}\n');
  const file = path.join(to, 'kubectl-gc_tree');
  await writeFile(file, await windowsExecutable(node, node));
  await chmod(file, 0o755);
  return { what: 'as one executable', command: [file], folder: to };
}

async function megabytes(place: string): Promise<number> {
  const found = await stat(place);
  if (found.isFile()) return found.size / 1e6;
  const names = await readdir(place);
  const sizes = await Promise.all(names.map(name => megabytes(path.join(place, name))));
  return sizes.reduce((sum, each) => sum + each, 0);
}

/** Pods of ReplicaSets, in namespaces of a thousand, as `kubectl get -o json` prints them. */
function dumpOf(pods: number): object {
  const items: object[] = [];
  for (let index = 0; index < pods; index += 1) {
    const namespace = `team-${Math.floor(index / 1000)}`;
    const set = Math.floor(index / PODS_OF_EACH);
    const created = { creationTimestamp: '2026-11-20T00:00:00Z', resourceVersion: String(index + 1) };
    if (index % PODS_OF_EACH === 0)
      items.push({
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { name: `set-${set}`, namespace, uid: `set-${set}`, ...created },
        spec: { replicas: PODS_OF_EACH, selector: { matchLabels: { set: String(set) } } },
      });
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `set-${set}`, uid: `set-${set}` };
    items.push({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `pod-${index}`,
        namespace,
        uid: `pod-${index}`,
        labels: { set: String(set) },
        ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
        ...created,
      },
      spec: { nodeName: `node-${index % 100}`, containers: [{ name: 'main', image: 'example.com/app:1' }] },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    });
  }
  return { apiVersion: 'v1', kind: 'List', metadata: {}, items };
}
