/** Logins as a person meets them: the screen and the commands on a cluster whose exec plugin hangs or asks something. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { eventually, pluginScript } from '../kube/auth/plugin-script.ts';
import { fakeCluster } from '../kube/fake-cluster.ts';
import { temporaryFolder, write } from '../kube/kubeconfig-files.ts';
import { cleanUp } from '../kube/local-server.ts';
import { programOf } from './program.ts';
import { keys, type Terminal } from './terminal.ts';

const program = programOf('main');

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
    open: (...args: string[]): Terminal => program.start(args, { cols: 220, rows: 30, env }),
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

/** The screen with everything followed, on a plugin whose token is about to be refused. */
async function screenBefore(plugin: Plugin) {
  const { cluster, open } = await world(plugin);
  const terminal = open('-A');
  await terminal.waitFor(/1 kind {2}live/u);
  return {
    cluster,
    terminal,
    /** From now on the server wants another token, and everybody has to ask again. */
    expire: () => {
      plugin.give('new');
      cluster.accepted = new Set(['new']);
      cluster.api.endWatches();
    },
  };
}

describe('a plugin that asks while the screen is open', () => {
  // As one that opens the terminal by its name, which passwords are read from.
  const asks = `
if echo "$KUBERNETES_EXEC_INFO" | grep -q '"interactive":true'; then
  printf 'Code for %s: ' "$USER_NAME" >&2; read code
  [ "$code" = 42 ] || { echo wrong code >&2; exit 1; }
else
  (printf 'drawn over the screen' >/dev/tty) 2>/dev/null && exit 7
  echo 'no terminal to ask on' >&2; exit 3
fi`;

  test('at its start gets the terminal, and the screen comes back', async () => {
    const plugin = pluginScript({ interactiveMode: 'IfAvailable', before: asks });
    const { open } = await world(plugin);
    const terminal = open('-A');
    await terminal.waitFor('Code for');
    expect(terminal.alternate()).toBe(false);
    expect(terminal.text()).toContain(`kubectl gc-tree: ${plugin.name} has the terminal.`);
    expect(terminal.raw()).not.toContain('drawn over');
    // In its own line mode: echoed, and edited with backspace.
    terminal.send(`43${keys.backspace}2`);
    await terminal.waitFor('Code for : 42');
    terminal.send(keys.enter);
    await terminal.waitFor(/1 kind {2}live/u);
    expect(terminal.alternate()).toBe(true);
    expect(terminal.mouse()).toBe(true);
    expect(terminal.text()).not.toContain('Code for');
    // And the keys are the screen's again, each of them.
    terminal.send('?');
    await terminal.waitFor('Unfold everything');
    terminal.send(keys.escape);
    await terminal.waitFor(screen => !screen.join('').includes('Unfold everything'));
    terminal.send('q');
    expect(await terminal.exit).toBe(0);
    expect(terminal.text()).toContain('Code for : 42');
  });

  /** Asks once it has a new token to give. */
  const asksForNew = `if [ "$(cat token)" = new ]; then ${asks}\nfi`;

  test.each(['IfAvailable', 'Always'] as const)(
    'at its renewal gets the terminal (%s)',
    async interactiveMode => {
      const plugin = pluginScript({ interactiveMode, before: asksForNew });
      const { cluster, terminal, expire } = await screenBefore(plugin);
      expire();
      await terminal.waitFor('Code for', 30_000);
      expect(terminal.alternate()).toBe(false);
      cluster.api.put('shop', 'two');
      terminal.send(`42${keys.enter}`);
      await terminal.waitFor(/ConfigMap (?:shop\/)?two/u, 30_000);
      expect(terminal.alternate()).toBe(true);
      terminal.send('q');
      expect(await terminal.exit).toBe(0);
    },
  );

  test('and gets a wrong answer is told of, and the screen stays', async () => {
    const plugin = pluginScript({ interactiveMode: 'IfAvailable', before: asksForNew });
    const { terminal, expire } = await screenBefore(plugin);
    expire();
    await terminal.waitFor('Code for', 30_000);
    terminal.send(`1${keys.enter}`);
    await terminal.waitFor('failed with exit code', 30_000);
    expect(terminal.alternate()).toBe(true);
    // Nobody is asked again and again.
    const asked = terminal.raw().split('Code for').length;
    const runs = plugin.runs();
    await eventually(() => plugin.runs() > runs, 40_000);
    expect(terminal.raw().split('Code for')).toHaveLength(asked);
    terminal.send('q');
    expect(await terminal.exit).toBe(0);
  });

  test('and shows a code to enter elsewhere leaves the screen until that is done', async () => {
    const folder = temporaryFolder();
    const before = `
printf 'Open \\033[1mhttps://login.example.com\\033[0m\n' >&2
printf 'and enter ABCD-1234. ' >&2
while [ ! -e ${folder}/entered ]; do sleep 0.05; done
echo 'Welcome.' >&2`;
    const plugin = pluginScript({ interactiveMode: 'Never', before });
    const { open } = await world(plugin);
    const terminal = open('-A');
    await terminal.waitFor('and enter ABCD-1234.');
    expect(terminal.alternate()).toBe(false);
    expect(terminal.screen().join('\n')).toContain(
      `kubectl gc-tree: ${plugin.name} says:\n\nOpen https://login.example.com\nand enter ABCD-1234.`,
    );
    write(folder, 'entered', '');
    await terminal.waitFor(/1 kind {2}live/u);
    expect(terminal.alternate()).toBe(true);
    expect(terminal.text()).not.toContain('ABCD');
    terminal.send('q');
    expect(await terminal.exit).toBe(0);
  });

  test('and only has something to say does not move the screen: that is told when it is left', async () => {
    const plugin = pluginScript({ interactiveMode: 'Never', before: "echo 'a new version is out' >&2" });
    const { terminal } = await screenBefore(plugin);
    expect(terminal.raw()).not.toContain('a new version');
    terminal.send('q');
    expect(await terminal.exit).toBe(0);
    expect(terminal.raw().split('\u001B[?1049l')[1]).toContain('a new version is out');
    expect(terminal.raw().split('\u001B[?1049h')).toHaveLength(2);
  });

  test.each([
    ['Ctrl-C', 130, (terminal: Terminal) => terminal.send(keys.ctrlC)],
    ['SIGTERM', 143, (terminal: Terminal) => terminal.signal('SIGTERM')],
  ])('ends with the screen on %s, and the terminal is as it was', async (_name, code, end) => {
    const before = "printf 'Code: ' >&2; read code";
    const plugin = pluginScript({ interactiveMode: 'Always', before });
    const { open } = await world(plugin);
    const terminal = open('-A');
    await terminal.waitFor('Code:');
    end(terminal);
    expect(await terminal.exit).toBe(code);
    expect([terminal.alternate(), terminal.cursorVisible(), terminal.mouse()]).toEqual([false, true, false]);
    await eventually(() => !processesIn(plugin.folder));
  });
});

test('the log of -v=6 is not drawn over the screen, and is there when it is left', async () => {
  const plugin = pluginScript();
  const { open } = await world(plugin);
  const terminal = open('-A', '-v=6');
  await terminal.waitFor(/1 kind {2}live/u);
  terminal.send('q');
  expect(await terminal.exit).toBe(0);
  const [, during = ''] = terminal.raw().split('\u001B[?1049h');
  const [screen = '', after = ''] = during.split('\u001B[?1049l');
  expect(screen).not.toContain('GET https');
  expect(after).toMatch(/GET https:\/\/\S+\/api\/v1\/configmaps\S* 200 in \d+ ms/u);
});

describe('a plugin that asks while a command runs', () => {
  test('gets the terminal, without a line of progress in between', async () => {
    const before = 'printf \'Code: \' >&2; read code; [ "$code" = 42 ] || exit 1';
    const plugin = pluginScript({ interactiveMode: 'IfAvailable', before });
    const { open } = await world(plugin);
    const terminal = open('tree', '-A');
    await terminal.waitFor('Code:');
    // Long enough for several lines of progress.
    await terminal.settle(600);
    expect(terminal.text().trim()).toBe('Code:');
    terminal.send(`42${keys.enter}`);
    await terminal.waitFor(/ConfigMap shop\/one/u);
    expect(await terminal.exit).toBe(0);
  });

  test('is refused where it has to ask and nobody is there', async () => {
    const plugin = pluginScript({ interactiveMode: 'Always' });
    const { run: start } = await world(plugin);
    const { said, code } = start('tree', '-A');
    expect(await code).toBe(2);
    expect(said.err).toBe(
      `kubectl gc-tree: ${plugin.name} has to ask on the terminal, and standard input is none; log in with kubectl first.\n`,
    );
    expect(plugin.runs()).toBe(0);
  });
});

/** Whether a process runs whose command line names the folder. */
function processesIn(folder: string): boolean {
  return execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' }).includes(`${folder}/plugin`);
}

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
