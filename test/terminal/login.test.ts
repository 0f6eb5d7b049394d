/** Logins as a person meets them: the screen and the commands on a cluster whose exec plugin hangs or asks something. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { eventually, pluginScript } from '../kube/auth/plugin-script.ts';
import { fakeCluster } from '../kube/fake-cluster.ts';
import { temporaryFolder } from '../kube/kubeconfig-files.ts';
import { cleanUp } from '../kube/local-server.ts';
import { programOf } from './program.ts';
import { keys, type Terminal } from './terminal.ts';

const program = programOf('src/main.ts');

type Plugin = ReturnType<typeof pluginScript>;

async function world(plugin: Plugin) {
  const cluster = await fakeCluster();
  cluster.api.put('shop', 'one');
  const kubeconfig = cluster.kubeconfig(temporaryFolder(), plugin.user);
  const env = { HOME: temporaryFolder(), KUBECONFIG: kubeconfig };
  return {
    cluster,
    env,
    /** The screen, or a command, in a terminal. */
    open: (...args: string[]): Terminal => program.start(args, { cols: 150, rows: 30, env }),
    /** A command without any terminal. */
    run: (...args: string[]) => run(args, env),
  };
}

function run(args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [program.file, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text;
  });
  const code = new Promise<number | null>(resolve => child.once('close', resolve));
  return { child, said, code };
}

describe('a plugin that hangs at the start', () => {
  test.each([
    ['q', 0],
    [keys.ctrlC, 130],
  ])('is named by the screen, which %j leaves at once and without it', async (key, code) => {
    const plugin = pluginScript({ hangs: true });
    const { open } = await world(plugin);
    const terminal = open();
    await terminal.waitFor(`connecting, waiting for the exec plugin ${plugin.folder}/plugin of user "test"…`);
    await plugin.started();
    terminal.send(key);
    expect(await terminal.exit).toBe(code);
    expect(plugin.running()).toEqual([]);
    expect(plugin.runs()).toBe(1);
  });

  test('is named by a command, which ends at Ctrl-C and with it', async () => {
    const plugin = pluginScript({ hangs: true, ignores: true });
    const { open } = await world(plugin);
    const terminal = open('tree', '-A');
    await terminal.waitFor('connecting, waiting for the exec plugin');
    await plugin.started();
    terminal.send(keys.ctrlC);
    expect(await terminal.exit).toBe(130);
    expect(plugin.running()).toEqual([]);
  });

  test('is waited for as long as --request-timeout says', async () => {
    const plugin = pluginScript({ hangs: true });
    const { run: start } = await world(plugin);
    const { said, code } = start('tree', '-A', '--request-timeout=2s');
    expect(await code).toBe(2);
    expect(said.err).toBe(`kubectl gc-tree: ${plugin.name} did not answer within --request-timeout.\n`);
    expect(plugin.running()).toEqual([]);
  });

  test('is said to be waited for where nobody sees progress, and ends with the command', async () => {
    const plugin = pluginScript({ hangs: true });
    const { run: start } = await world(plugin);
    const { child, said, code } = start('tree', '-A');
    await eventually(() => said.err.includes('\n'));
    expect(said.err).toBe(`kubectl gc-tree: connecting, waiting for ${plugin.name} …\n`);
    child.kill('SIGTERM');
    expect(await code).toBe(143);
    expect(plugin.running()).toEqual([]);
  });
});

test('a plugin that hangs at its renewal shows as a lost connection, and the screen is right again after it', async () => {
  const plugin = pluginScript({ lastsMs: 2_000 });
  const { cluster, open } = await world(plugin);
  const terminal = open('-A');
  await terminal.waitFor(/ConfigMap shop\/one/u);
  await terminal.waitFor('live');
  plugin.hang();
  await plugin.started();
  // As a server that is restarted; whoever was followed has to ask again.
  cluster.api.endWatches();
  await terminal.waitFor(`Reconnecting: ${plugin.name} does not answer.`, 40_000);
  expect(terminal.text()).toContain('not connected');
  expect(terminal.text()).not.toContain('live');
  cluster.api.put('shop', 'two');
  cluster.api.remove('shop', 'one');
  // What it waited for is there at last.
  plugin.recover();
  for (const pid of plugin.running()) process.kill(pid, 'SIGKILL');
  await terminal.waitFor(/ConfigMap shop\/two/u, 40_000);
  await terminal.waitFor(/1 kind {2}live/u);
  expect(terminal.text()).not.toContain('shop/one');
  terminal.send('q');
  expect(await terminal.exit).toBe(0);
  expect(plugin.running()).toEqual([]);
});

describe('a connection that is never made', () => {
  test.each(['http', 'socks5'])('ends with the command, whatever the proxy does (%s)', async scheme => {
    const open = new Set<Socket>();
    const mute = createServer(socket => open.add(socket.on('error', () => {}))).listen(0, '127.0.0.1');
    cleanUp(() => {
      for (const socket of open) socket.destroy();
      mute.close();
    });
    await once(mute, 'listening');
    const { port } = mute.address() as AddressInfo;
    const { said, code } = run(['tree', '-A', '--server=https://api.example.com', '--request-timeout=1s'], {
      HOME: temporaryFolder(),
      KUBECONFIG: '/nowhere',
      HTTPS_PROXY: `${scheme}://127.0.0.1:${port}`,
    });
    expect(await code).toBe(2);
    expect(said.err).toContain('no complete answer within --request-timeout');
  });
});
