/** kubectl in a panel, and with the terminal in its hands, by keys: with a kubectl that writes down how it was called. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../kube/auth/plugin-script.ts';
import { fakeCluster } from '../../kube/fake-cluster.ts';
import { temporaryFolder, write } from '../../kube/kubeconfig-files.ts';
import { cursorRow, programOf, sizes, untilJudged } from '../program.ts';
import { keys, type Terminal } from '../terminal.ts';

const program = programOf('main');

interface WorldOptions {
  /** What kubectl does, in sh. */
  readonly does?: string;
  readonly user?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly size?: { readonly cols: number; readonly rows: number };
}

/** The screen on two containers in a pod, below a ReplicationController. */
async function world({
  does = 'echo "this is $*"',
  user = '{}',
  args = [],
  env = {},
  size,
}: WorldOptions = {}) {
  const cluster = await fakeCluster(['Pod', 'ReplicationController']);
  cluster.api.put('shop', 'web', { resource: 'replicationcontrollers' });
  const uid = cluster.api.objects.get('shop/web')?.uid ?? '';
  const owners = [{ kind: 'ReplicationController', name: 'web', uid }];
  cluster.api.put('shop', 'web-0', { resource: 'pods', owners });
  cluster.api.bodies.set('shop/web-0', {
    spec: { containers: [{ name: 'app' }, { name: 'log' }] },
    status: {
      containerStatuses: [
        { name: 'app', restartCount: 0, state: { running: {} } },
        { name: 'log', restartCount: 1, state: { running: {} }, lastState: { terminated: { exitCode: 1 } } },
      ],
    },
  });
  const folder = temporaryFolder();
  const bin = path.join(folder, 'bin');
  const script = `#!/bin/sh\nprintf '%s\\n' "$@" > ${folder}/argv\nenv > ${folder}/env\n${does}\n`;
  write(bin, 'kubectl', script, 0o755);
  const kubeconfig = cluster.kubeconfig(folder, user);
  const terminal = program.start(['-n', 'shop', ...args], {
    cols: 120,
    rows: 35,
    ...size,
    env: {
      HOME: folder,
      KUBECONFIG: kubeconfig,
      PATH: `${bin}:${process.env['PATH']}`,
      ...env,
    },
  });
  await terminal.waitFor(/2 kinds +live|2 objects/u);
  terminal.send(`${keys.end}`);
  await terminal.waitFor(() => cursorRow(terminal).includes('Pod web-0'));
  return {
    terminal,
    folder,
    cluster,
    kubeconfig,
    argv: () => readFileSync(path.join(folder, 'argv'), 'utf8').trimEnd().split('\n'),
    environment: () => readFileSync(path.join(folder, 'env'), 'utf8'),
  };
}

/** The screen is there with all that it sets, and takes keys. */
async function isBack(terminal: Terminal, notice: string): Promise<void> {
  await terminal.waitFor(
    screen => screen[0]?.startsWith(' gc-tree') === true && screen.join('').includes(notice),
  );
  await terminal.waitFor(() => terminal.mouse());
  expect(terminal.alternate()).toBe(true);
  expect(terminal.cursorVisible()).toBe(false);
  expect(lastMode(terminal, '2004')).toBe('h');
  terminal.send('?');
  await terminal.waitFor('Page down');
  terminal.send(keys.escape);
  await terminal.waitFor(screen => !screen.join('').includes('Page down'));
}

/** Whether a mode of the terminal was set (`h`) or reset (`l`) last. */
function lastMode(terminal: Terminal, mode: string): string | undefined {
  // oxlint-disable-next-line no-control-regex
  return [...terminal.raw().matchAll(/\u001B\[\?([\d;]+)([hl])/gu)].findLast(
    ([, modes]) => modes === mode,
  )?.[2];
}

const each = sizes.map(([cols, rows]) => ({ cols, rows }));

/** Nothing of the screen has left, and the panel is closed. */
async function isClosed(terminal: Terminal): Promise<void> {
  await terminal.waitFor(screen => !screen.join('').includes('─ kubectl '));
  expect(terminal.raw().split('\u001B[?1049l')).toHaveLength(1);
}

describe('describe', () => {
  test.each(each)('is read in a panel of the screen, which Escape closes (%o)', async size => {
    const { terminal, argv } = await world({ size });
    terminal.send('D');
    await terminal.waitFor('this is --context test describe');
    expect(terminal.text()).toContain('gc-tree  test');
    expect(terminal.text()).toContain('─ kubectl describe pods/web-0');
    expect(argv()).toEqual(['--context', 'test', 'describe', 'pods/web-0', '--namespace=shop']);
    terminal.send(keys.escape);
    await isClosed(terminal);
    expect(cursorRow(terminal)).toContain('Pod web-0');
    // And so are events.
    terminal.send('V');
    await terminal.waitFor('this is --context test events');
    expect(argv()).toEqual(['--context', 'test', 'events', '--for=pods/web-0', '--namespace=shop']);
    terminal.send('q');
    await isClosed(terminal);
  });

  test('that fails says why, with the exit code', async () => {
    const { terminal } = await world({ does: 'echo "Error from server (NotFound)" >&2; exit 1' });
    terminal.send('D');
    await terminal.waitFor('kubectl describe ended with exit code 1.');
    expect(terminal.text()).toContain('Error from server (NotFound)');
    terminal.send(keys.enter);
    await isClosed(terminal);
  });

  test('that prints nothing says so', async () => {
    const { terminal } = await world({ does: 'true' });
    terminal.send('V');
    await terminal.waitFor('It printed nothing.');
  });

  test('that is long scrolls and is searched', async () => {
    const { terminal } = await world({
      does: 'i=0; while [ $i -lt 2000 ]; do echo "line <$i>"; i=$((i+1)); done',
    });
    terminal.send('D');
    await terminal.waitFor(/lines 1 to \d+ of 2000/u);
    terminal.send('G');
    await terminal.waitFor('line <1999>');
    terminal.send('/<1234>');
    await terminal.waitFor('line 1 of 1 that contain it');
    expect(terminal.text()).toContain('line <1234>');
  });

  test('that never ends is cut, and its program ends', async () => {
    const { terminal, folder } = await world({ does: 'echo $$ > "$HOME/pid"; exec yes "and so on"' });
    terminal.send('D');
    await terminal.waitFor(/of 20001/u);
    terminal.send('G');
    await terminal.waitFor('Only the first 20000 lines are shown.');
    await eventually(() => !isRunning(folder));
  });

  test('that is closed early ends', async () => {
    const { terminal, folder } = await world({ does: 'echo $$ > "$HOME/pid"; echo begun; exec sleep 1000' });
    terminal.send('D');
    await terminal.waitFor('begun');
    expect(isRunning(folder)).toBe(true);
    terminal.send(keys.escape);
    await eventually(() => !isRunning(folder));
    await isClosed(terminal);
  });
});

function isRunning(folder: string): boolean {
  const pid = Number(readFileSync(path.join(folder, 'pid'), 'utf8'));
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('logs', () => {
  test.each(each)('that are followed keep their end in view until Escape (%o)', async size => {
    const does =
      'echo $$ > "$HOME/pid"; case "$*" in *--follow*) i=0; while :; do echo "log line $i."; i=$((i+1)); sleep 0.02; done;; esac; echo "what it said before"';
    const { terminal, argv, folder } = await world({ does, size });
    terminal.send('L');
    await terminal.waitFor('app: follow');
    terminal.send(keys.enter);
    await terminal.waitFor('log line 120.');
    expect(terminal.text()).toContain('following');
    expect(argv().slice(2)).toEqual([
      'logs',
      'pods/web-0',
      '--namespace=shop',
      '--container=app',
      '--follow',
      '--tail=500',
    ]);
    // A place that the user went to stays.
    terminal.send('g');
    await terminal.waitFor('log line 0.');
    await terminal.waitFor(/lines 1 to \d+ of (?!1\d\d\b)\d{3}/u);
    expect(terminal.text()).toContain('log line 0.');
    terminal.send(keys.escape);
    await isClosed(terminal);
    await eventually(() => !isRunning(folder));
    // Of another container, what it said before it was restarted.
    terminal.send('L');
    await terminal.waitFor('app: follow');
    terminal.send('before');
    await terminal.waitFor('> log: before its last restart');
    expect(terminal.text()).not.toContain('app: before');
    terminal.send(keys.enter);
    await terminal.waitFor('what it said before');
    expect(argv().slice(2)).toEqual([
      'logs',
      'pods/web-0',
      '--namespace=shop',
      '--container=log',
      '--previous',
    ]);
  });

  test('of a workload: the pod first, then its container', async () => {
    const { terminal, argv } = await world();
    terminal.send(`${keys.home}L`);
    await terminal.waitFor('ReplicationController shop/web');
    terminal.send(keys.enter);
    await terminal.waitFor('log: all so far');
    terminal.send('log all\r');
    await terminal.waitFor('this is');
    expect(argv().slice(-4)).toEqual(['logs', 'pods/web-0', '--namespace=shop', '--container=log']);
  });

  test('of a stopped API server show the error in the panel', async () => {
    const { terminal, cluster } = await world();
    await cluster.api.stop();
    terminal.send('L');
    await terminal.waitFor('─ Logs of Pod shop/web-0');
    await terminal.waitFor(/│ cannot reach https:.*\n.*is a *│\n|│ cannot reach https:/u, 30_000);
    expect(terminal.text()).toContain('─ Logs of Pod shop/web-0');
  });

  test('with escape sequences in them change nothing on the terminal', async () => {
    const { terminal } = await world({
      does: `printf '\\033[?1003h\\033[?1006h\\033[?2004h\\033[5;9r\\033(0\\033[?7l\\033[31mevil\\033]0;title\\007 and\\ttabs\\r\\n'`,
    });
    terminal.send('L');
    await terminal.waitFor('app: follow');
    terminal.send(keys.enter);
    await terminal.waitFor('evil and    tabs');
    expect(terminal.raw()).not.toContain('\u001B[5;9r');
    expect(terminal.raw()).not.toContain('\u001B[?1003h\u001B[?1006h\u001B[?2004h\u001B[5');
    expect(terminal.screen().at(-1)).toContain('Esc back');
  });
});

describe('edit and shell', () => {
  test.each(each)('have the keys, and give them back (%o)', async size => {
    const { terminal, argv } = await world({
      does: 'printf "type: "; read x; echo "got $x" > "$HOME/got"',
      size,
    });
    terminal.send('!');
    await terminal.waitFor('log  ');
    terminal.send(`${keys.down}${keys.enter}`);
    await terminal.waitFor('type: ');
    // In the terminal's own line mode: echoed, and edited with backspace.
    terminal.send(`qx${keys.backspace}q`);
    await terminal.waitFor('type: qq');
    terminal.send(keys.enter);
    await isBack(terminal, 'Back from kubectl exec.');
    expect(argv().slice(2)).toEqual([
      'exec',
      '--stdin',
      '--tty',
      'pods/web-0',
      '--namespace=shop',
      '--container=log',
      '--',
      'sh',
    ]);
    terminal.send('e');
    // The prompt of before stands above it.
    const asks = (line: string): boolean => line.startsWith('type: ');
    await terminal.waitFor(screen => {
      const edit = screen.findLastIndex(line => line.includes('test edit '));
      return edit >= 0 && screen.slice(edit).some(asks);
    });
    terminal.send(keys.enter);
    await isBack(terminal, 'Back from kubectl edit.');
    expect(argv().slice(2)).toEqual(['edit', 'pods/web-0', '--namespace=shop']);
  });

  test('that fail leave all that they said to be read', async () => {
    const { terminal } = await world({ does: 'echo "error: forbidden" >&2; exit 1' });
    terminal.send('e');
    await terminal.waitFor('Press Enter to return to gc-tree.');
    expect(terminal.text()).toMatch(/^\$ kubectl --context test edit pods\/web-0 .*\nerror: forbidden\n/u);
    terminal.send(keys.enter);
    await isBack(terminal, 'kubectl edit ended with exit code 1.');
  });

  test('that are killed in the middle leave the terminal as it was', async () => {
    const crash = 'stty raw -echo; printf "\\033[?1049h\\033[?1000h\\033[?25ldrawn"; sleep 0.3; kill -9 $$';
    const { terminal } = await world({ does: crash });
    terminal.send('e');
    await terminal.waitFor('Press Enter to return to gc-tree.');
    expect(terminal.text()).toContain('kubectl edit was ended by SIGKILL.');
    expect([terminal.alternate(), terminal.mouse(), terminal.cursorVisible()]).toEqual([false, false, true]);
    terminal.send(keys.enter);
    await isBack(terminal, 'kubectl edit was ended by SIGKILL.');
    terminal.send('q');
    expect(await terminal.exit).toBe(0);
    expect([terminal.alternate(), terminal.mouse(), terminal.cursorVisible()]).toEqual([false, false, true]);
  });

  test('are refused with --read-only, describe is not', async () => {
    const { terminal, folder } = await world({ args: ['--read-only'] });
    terminal.send('e');
    await terminal.waitFor('Not here: read-only');
    terminal.send('!');
    await terminal.settle(200);
    expect(existsSync(path.join(folder, 'argv'))).toBe(false);
    terminal.send('D');
    await terminal.waitFor('this is');
  });

  test('end with the screen, and so does what they started', async () => {
    const { terminal, folder } = await world({
      does: `echo $$ > pid; exec sleep 1000`.replace('pid', '"$HOME/pid"'),
    });
    terminal.send('e');
    await eventually(() => existsSync(path.join(folder, 'pid')));
    terminal.signal('SIGTERM');
    expect(await terminal.exit).toBe(143);
    const pid = Number(readFileSync(path.join(folder, 'pid'), 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow();
    expect([terminal.alternate(), terminal.mouse(), terminal.cursorVisible()]).toEqual([false, false, true]);
  });
});

describe('the connection', () => {
  test('with a token of the command line goes by a file: neither arguments nor environment hold it', async () => {
    const { terminal, argv, environment, folder } = await world({
      args: ['--token', 's3cr3t', '--as', 'boss'],
      does: 'cp "$2" "$HOME/seen"; stat -c %a "$2"; echo "this is"',
    });
    terminal.send('D');
    await terminal.waitFor('this is');
    expect(terminal.text()).toContain('600');
    const [flag, file = ''] = argv();
    expect(flag).toBe('--kubeconfig');
    expect(argv().join(' ')).not.toContain('s3cr3t');
    expect(environment()).not.toContain('s3cr3t');
    expect(readFileSync(path.join(folder, 'seen'), 'utf8')).toContain('"token":"s3cr3t"');
    expect(terminal.raw()).not.toContain('s3cr3t');
    await eventually(() => !existsSync(file));
  });

  test('stays that of the screen when the kubeconfig says another current context', async () => {
    const { terminal, kubeconfig, argv } = await world();
    const text = readFileSync(kubeconfig, 'utf8').replace('current-context: test', 'current-context: prod');
    write(path.dirname(kubeconfig), 'config', text);
    terminal.send('D');
    await terminal.waitFor('this is');
    expect(argv().slice(0, 2)).toEqual(['--context', 'test']);
  });

  test('is not made where kubectl is missing, and that is said with what to do', async () => {
    const { terminal } = await world({ env: { PATH: '/nowhere' } });
    terminal.send('D');
    await terminal.waitFor('kubectl describe did not start: kubectl is not on the PATH. Install it');
    expect(terminal.raw().split('\u001B[?1049l')).toHaveLength(1);
  });
});

test('the demo says why nothing happens, and what there is instead', async () => {
  const terminal = program.start(['demo'], { cols: 120, rows: 35, env: { HOME: temporaryFolder() } });
  await untilJudged(terminal);
  for (const [key, words] of [
    ['D', 'kubectl describe needs a cluster, and this one is simulated. y shows it as YAML.'],
    ['L', 'kubectl logs needs a cluster, and this one is simulated.'],
    ['!', 'kubectl exec needs a cluster, and this one is simulated.'],
  ] as const) {
    terminal.send(key);
    await terminal.waitFor(words);
  }
});

describe('a command of the user’s own', () => {
  const restart = 'kubectl: [rollout, restart, "{target}", -n, "{namespace}"]';
  const settled = async (
    yaml: string,
    args: readonly string[] = [],
  ): Promise<Awaited<ReturnType<typeof world>>> => {
    const config = temporaryFolder();
    write(path.join(config, 'kubectl-gc-tree'), 'config.yaml', yaml, 0o600);
    return world({ env: { XDG_CONFIG_HOME: config }, args });
  };

  test('gets the names of the row, and asks first where it changes something', async () => {
    const { terminal, argv } = await settled(
      `commands: [{ name: restart, key: R, ${restart}, changes: true }]`,
    );
    terminal.send('R');
    await terminal.waitFor('Run kubectl rollout restart pods/web-0 -n shop');
    terminal.send(keys.enter);
    await terminal.waitFor('this is');
    expect(argv().slice(-5)).toEqual(['rollout', 'restart', 'pods/web-0', '-n', 'shop']);
  });

  test('says why it does nothing: another kind, and a screen that is read-only', async () => {
    const own = `commands: [{ name: restart, key: R, ${restart}, kinds: [Deployment] }, { name: touch, key: F, ${restart}, changes: true }]`;
    const { terminal } = await settled(own, ['--read-only']);
    terminal.send('R');
    await terminal.waitFor('restart is for Deployment, and this is a Pod.');
    terminal.send('F');
    await terminal.waitFor('Not here: read-only');
  });
});
