/**
 * Builds the six programs of the test control plane from the versions that `test/controlplane/go.mod` pins,
 * once per machine and pin. Apart from starting them, because a first build takes minutes and has to say so.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { writeKwokStages } from '../nodes/kwok-stages.ts';
import { CONTROL_PLANE_MODULE, ControlPlaneUnavailable, goEnvironment, requireGo } from './go-module.ts';

const KUBERNETES_VERSION = 'v1.36.3';

/** `server` is etcd: a Go binary is called like the last element of its package path. */
const binaryNames = [
  'server',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'kwok',
] as const;
type BinaryName = (typeof binaryNames)[number];

/** Absolute path of each program. */
export type Binaries = Readonly<Record<BinaryName, string>>;

function linkerFlags(): string {
  const [major, minor] = KUBERNETES_VERSION.slice(1).split('.');
  const settings = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap(pkg => [
    `-X ${pkg}.gitVersion=${KUBERNETES_VERSION}`,
    `-X ${pkg}.gitMajor=${major}`,
    `-X ${pkg}.gitMinor=${minor}`,
  ]);
  // Without a version the API server reports v0.0.0, and clients choose features by it.
  return ['-s -w', ...settings].join(' ');
}

function inFolder(folder: string): Binaries {
  return Object.fromEntries(binaryNames.map(name => [name, join(folder, name)])) as Record<
    BinaryName,
    string
  >;
}

function missingIn(folder: string): BinaryName[] {
  return binaryNames.filter(name => !existsSync(join(folder, name)));
}

/**
 * The programs, built if need be; `say` gets lines of progress. `GC_TREE_CONTROLPLANE_BIN` names a folder of
 * ready ones instead. Rejects with `ControlPlaneUnavailable` where Go is missing or the build fails.
 */
export async function controlPlaneBinaries(
  say: (line: string) => void = line => process.stderr.write(`${line}\n`),
): Promise<Binaries> {
  const ready = process.env['GC_TREE_CONTROLPLANE_BIN'];
  if (ready) {
    const missing = missingIn(ready);
    if (missing.length > 0) {
      throw new ControlPlaneUnavailable(
        `GC_TREE_CONTROLPLANE_BIN=${ready} has no ${missing.join(', ')} (etcd is called "server")`,
      );
    }
    return inFolder(ready);
  }
  const folder = await cacheFolder();
  if (missingIn(folder).length === 0) return inFolder(folder);
  await requireGo();
  const release = await lock(`${folder}.lock`, say);
  try {
    if (missingIn(folder).length > 0) await build(folder, say);
  } finally {
    await release();
  }
  return inFolder(folder);
}

async function cacheFolder(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum']) hash.update(await readFile(join(CONTROL_PLANE_MODULE, file)));
  hash.update(linkerFlags()).update(`${process.platform}/${process.arch}`);
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(base, 'kubectl-gc-tree', 'controlplane', hash.digest('hex').slice(0, 16));
}

async function build(folder: string, say: (line: string) => void): Promise<void> {
  say(
    `Building the control plane (Kubernetes ${KUBERNETES_VERSION}, etcd, kwok): 10 to 13 minutes the first`,
  );
  say('time on two cores, under a minute from the Go build cache.');
  const parent = join(folder, '..');
  await mkdir(parent, { recursive: true });
  const target = await mkdtemp(join(parent, 'building-'));
  const started = Date.now();
  const go = spawn('go', ['install', '-v', '-trimpath', '-ldflags', linkerFlags(), 'tool'], {
    cwd: CONTROL_PLANE_MODULE,
    env: { ...process.env, ...goEnvironment, GOBIN: target },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let packages = 0;
  let tail = '';
  go.stderr.setEncoding('utf8').on('data', (text: string) => {
    packages += text.split('\n').length - 1;
    tail = (tail + text).slice(-2000);
  });
  const progress = setInterval(() => {
    say(`  ${packages} packages compiled in ${Math.round((Date.now() - started) / 1000)} s`);
  }, 30_000);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      go.once('error', reject).once('close', resolve);
    });
    if (code !== 0) throw new ControlPlaneUnavailable(`building the control plane failed:\n${tail}`);
    await writeKwokStages(target);
    await rename(target, folder);
  } finally {
    clearInterval(progress);
    await rm(target, { recursive: true, force: true });
  }
}

/**
 * Holds a lock folder against other processes, waiting for it if need be; resolves with the release.
 * A lock whose holder no longer runs is taken over.
 */
async function lock(path: string, say: (line: string) => void): Promise<() => Promise<void>> {
  await mkdir(join(path, '..'), { recursive: true });
  for (let waited = false; ; waited = true) {
    try {
      await mkdir(path);
      await writeFile(join(path, 'pid'), String(process.pid));
      return () => rm(path, { recursive: true, force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (!waited) say('Waiting for another process that builds the control plane.');
    if (await isAbandoned(path)) await rm(path, { recursive: true, force: true });
    else await new Promise(resolve => setTimeout(resolve, 1000));
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const pid = Number(await readFile(join(path, 'pid'), 'utf8').catch(() => '0'));
  if (pid === 0) {
    // Between mkdir and writeFile the holder has no pid file yet.
    const made = await stat(path).catch(() => undefined);
    return made !== undefined && Date.now() - made.mtimeMs > 10_000;
  }
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
