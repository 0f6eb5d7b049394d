/**
 * The archive for Linux where nothing else is: a root with the C library and a shell, as in the smallest image, in which it
 * asks the real control plane in every way that needs more than a socket.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { type FaultProxy, startFaultProxy } from '../../harness/fault-proxy.ts';
import { portOf } from '../../harness/processes/ports.ts';
import { openTerminal } from '../../terminal/terminal.ts';
import { PATIENCE_MS } from '../eventually.ts';
import { packedArchives, thisArch, whyNotPacked } from './packed.ts';

const chroot = ['/usr/sbin/chroot', '/usr/bin/chroot'].find(existsSync);
const home = '/opt/gc-tree';

function whyNot(): string | undefined {
  if (process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined) return 'it asks a control plane of our own';
  if (process.platform !== 'linux') return 'it is for Linux';
  if (chroot === undefined || spawnSync(chroot, ['/', '/bin/sh', '-c', ':']).status !== 0)
    return 'chroot is not permitted here';
  return whyNotPacked();
}

const why = whyNot();
if (why !== undefined) process.stderr.write(`The archive is not tried in an empty root: ${why}\n`);

/** What is glibc's of what the loader names. */
const ofGlibc = /^(?:ld-linux-[\w-]+|lib(?:c|dl|m|pthread|rt))\.so\.\d$/u;

const dump = `
apiVersion: v1
kind: ConfigMap
metadata: {name: held, namespace: shop, uid: c-1, deletionTimestamp: 2026-10-01T12:00:00Z, finalizers: [example.com/drain]}
`;

const world = `
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: till, namespace: shop, finalizers: [shop.example/till]}}
`;

/** A proxy that opens connections for whoever asks, and says to where it did. */
function startTunnels(): Promise<{ server: Server; url: string; opened: readonly string[] }> {
  const opened: string[] = [];
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', ({ url = '' }, socket, head) => {
    const { hostname, port } = new URL(`http://${url}`);
    const upstream = connect(Number(port), hostname, () => {
      opened.push(url);
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    for (const [end, other] of [
      [upstream, socket],
      [socket, upstream],
    ] as const)
      end.on('error', () => other.destroy());
  });
  return new Promise(resolve =>
    server.listen(0, '127.0.0.1', () =>
      resolve({ server, url: `http://127.0.0.1:${portOf(server)}`, opened }),
    ),
  );
}

describe.skipIf(why !== undefined)('in a root with glibc and a shell', () => {
  let root: string;
  let cluster: Cluster;

  const inside = (...parts: readonly string[]): string => path.join(root, ...parts);
  const env = { PATH: '/bin', HOME: '/home', LANG: 'C.UTF-8', TERM: 'xterm-256color' };

  /** Standard output and error, and the exit code. */
  async function run(args: readonly string[], program = `${home}/kubectl-gc_tree`) {
    const child: ChildProcess = spawn(chroot ?? '', [root, program, ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve);
    });
    return { code, stdout, stderr };
  }

  /** The libraries of a program that are not in the archive, as the loader of this machine finds them. */
  function librariesOf(program: string): string[] {
    const listed = execFileSync('ldd', [program], {
      encoding: 'utf8',
      env: { ...process.env, LD_LIBRARY_PATH: inside(home, 'lib') },
    });
    const files = [...listed.matchAll(/(?:^\s+|=> )(\/\S+) \(/gmu)].flatMap(([, file]) => file ?? []);
    return files.filter(file => !file.startsWith(root));
  }

  /** A kubeconfig inside, by its path there. */
  function kubeconfig(name: string, server: string, user: object, more: object = {}): string {
    const authority = readFileSync(cluster.tls.ca).toString('base64');
    const file = `/home/${name}`;
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': authority, ...more } }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'shop' } }],
      'current-context': 'x',
    };
    writeFileSync(inside(file), JSON.stringify(config), { mode: 0o600 });
    return file;
  }

  beforeAll(async () => {
    root = mkdtempSync(path.join(tmpdir(), 'gc-tree-root-'));
    for (const each of ['bin', 'dev', 'home', home, 'tmp']) mkdirSync(inside(each), { recursive: true });
    execFileSync('mknod', ['-m', '666', inside('dev/null'), 'c', '1', '3']);
    const { folder, archives } = await packedArchives();
    const archive = archives.find(({ os, arch }) => os === 'linux' && arch === thisArch);
    if (archive === undefined) throw new Error(`${folder} has no archive for this machine`);
    execFileSync('tar', ['-xzf', path.join(folder, archive.file), '-C', inside(home)]);
    copyFileSync('/bin/sh', inside('bin/sh'));
    const needed = librariesOf(inside(home, 'lib/node'));
    expect(needed.map(file => path.basename(file)).filter(name => !ofGlibc.test(name))).toEqual([]);
    for (const file of new Set([...needed, ...librariesOf('/bin/sh')])) {
      mkdirSync(inside(path.dirname(file)), { recursive: true });
      copyFileSync(file, inside(file));
    }

    cluster = await startControlPlane({
      nodes: 0,
      components: ['etcd', 'kube-apiserver'],
      users: [{ name: 'somebody', token: 'a-token', groups: ['system:masters'] }],
    });
    await cluster.apply(world);
    await cluster.kubectl(['delete', 'configmap/till', '-n', 'shop', '--wait=false']);
  });
  afterAll(async () => {
    await cluster?.stop();
    rmSync(root, { recursive: true, force: true });
  });

  /** Asks about what is held there; nobody is told of anything else. */
  async function expectAnswer(config: string): Promise<void> {
    const { code, stdout, stderr } = await run(['why', 'cm/till', '--kubeconfig', config]);
    expect(stderr).toBe('');
    expect(stdout).toContain('shop.example/till');
    expect(code).toBe(0);
  }

  it('says its version, through links and from a folder with a colon in its name', async () => {
    symlinkSync('../opt/gc-tree/kubectl-gc_tree', inside('bin/kubectl-gc_tree'));
    const ofPath = await run(['-c', 'kubectl-gc_tree version --client'], '/bin/sh');
    // A link needs readlink, which isn't there.
    expect(ofPath).toMatchObject({ code: 2, stderr: expect.stringContaining('readlink is needed') });
    expect(await run(['version', '--client'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^kubectl gc-tree \d+\.\d+\.\d+/u),
      stderr: '',
    });
    symlinkSync('gc-tree', inside('opt/a:b'));
    // What the kernel tells of a program that was started from there; nothing else of /proc is here.
    mkdirSync(inside('proc/self'), { recursive: true });
    symlinkSync('/opt/a:b/lib/node', inside('proc/self/exe'));
    expect(await run(['version', '--client'], '/opt/a:b/kubectl-gc_tree')).toMatchObject({
      code: 0,
      stderr: '',
    });
    rmSync(inside('proc'), { recursive: true });
  });

  it('asks for no later glibc than the documents say', () => {
    const said = /glibc (2\.\d+) or newer/u.exec(
      readFileSync(path.join(import.meta.dirname, '../../../docs/install.md'), 'utf8'),
    )?.[1];
    const asked = readdirSync(inside(home, 'lib')).flatMap(name =>
      [...readFileSync(inside(home, 'lib', name), 'latin1').matchAll(/GLIBC_2\.(\d+)/gu)].map(([, minor]) =>
        Number(minor),
      ),
    );
    expect(`2.${asked.reduce((most, each) => Math.max(most, each), 0)}`).toBe(said);
  });

  it('draws the demo in a terminal, and leaves it', async () => {
    const terminal = openTerminal({
      file: chroot ?? '',
      args: [root, `${home}/kubectl-gc_tree`, 'demo'],
      env,
    });
    try {
      await terminal.waitFor('shop', PATIENCE_MS);
      terminal.send('q');
      expect(await terminal.exit).toBe(0);
    } finally {
      await terminal.close();
    }
  });

  it('checks a dump', async () => {
    writeFileSync(inside('home/dump.yaml'), dump);
    const { code, stdout, stderr } = await run(['check', '-f', '/home/dump.yaml', '-o', 'yaml']);
    expect(stderr).toMatch(/^Warning: nothing in the files is newer than 2026-10-01T12:00:00Z; [^\n]*\n$/u);
    expect(code).toBe(1);
    expect((parse(stdout) as { items: { code: string }[] }).items.map(({ code: each }) => each)).toContain(
      'TerminatingHeldByFinalizer',
    );
  });

  it('reads the cluster as whom an exec plugin lets in, which is given the environment as it was', async () => {
    const apiVersion = 'client.authentication.k8s.io/v1';
    const answer = JSON.stringify({ apiVersion, kind: 'ExecCredential', status: { token: 'a-token' } });
    writeFileSync(
      inside('home/plugin'),
      `#!/bin/sh
[ -z "\${LD_LIBRARY_PATH+set}\${KUBECTL_GC_TREE_LIBRARY_PATH+set}" ] || exit 9
echo '${answer}'
`,
      { mode: 0o755 },
    );
    const exec = { apiVersion, command: '/home/plugin', interactiveMode: 'Never' };
    await expectAnswer(kubeconfig('exec', cluster.server, { exec }));
  });

  it('reads the cluster through an HTTP proxy', async () => {
    const { server, url, opened } = await startTunnels();
    try {
      await expectAnswer(kubeconfig('proxy', cluster.server, { token: 'a-token' }, { 'proxy-url': url }));
      expect(new Set(opened)).toEqual(new Set([new URL(cluster.server).host]));
    } finally {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    }
  });

  it('reads the cluster over HTTP/2, and nothing else', async () => {
    const proxy: FaultProxy = await startFaultProxy({
      upstream: cluster.server,
      upstreamCa: cluster.tls.ca,
      certificate: cluster.tls.serving,
    });
    try {
      await expectAnswer(kubeconfig('http2', proxy.url, { token: 'a-token' }));
      expect(proxy.httpVersions).toEqual(new Set(['2.0']));
    } finally {
      await proxy.stop();
    }
  });
});
