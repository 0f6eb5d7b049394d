/** The terminal in the hands of kubectl and back, by keys: with a kubectl that writes down how it was called. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../kube/auth/plugin-script.ts';
import { fakeCluster } from '../../kube/fake-cluster.ts';
import { temporaryFolder, write } from '../../kube/kubeconfig-files.ts';
import { cursorRow, programOf, untilJudged } from '../program.ts';
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
      PAGER: undefined,
      LESS: undefined,
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

const sizes = [
  { cols: 200, rows: 50 },
  { cols: 120, rows: 35 },
  { cols: 80, rows: 24 },
  { cols: 60, rows: 15 },
];

describe('describe', () => {
  test.each(sizes)('is read in less, also where it is short, and q returns (%o)', async size => {
    const { terminal, argv } = await world({ size });
    terminal.send('D');
    await terminal.waitFor('this is --context test describe pods/web-0 --namespace=shop');
    expect(terminal.text()).not.toContain('gc-tree  test');
    expect(argv()).toEqual(['--context', 'test', 'describe', 'pods/web-0', '--namespace=shop']);
    terminal.send('q');
    await isBack(terminal, 'Back from kubectl describe.');
    expect(cursorRow(terminal)).toContain('Pod web-0');
    // And so are events.
    terminal.send('V');
    await terminal.waitFor('this is --context test events');
    expect(argv()).toEqual(['--context', 'test', 'events', '--for=pods/web-0', '--namespace=shop']);
    terminal.send('q');
    await isBack(terminal, 'Back from kubectl events.');
  });

  test('goes on while somebody reads: what changed is there at the return, and said', async () => {
    const { terminal, cluster } = await world();
    terminal.send('4');
    await terminal.waitFor('[4 Activity');
    terminal.send('1');
    await terminal.waitFor('[1 Tree');
    cluster.api.put('shop', 'late-0', { resource: 'pods' });
    // On a busy machine a change may reach the screen only after the return: then another one is made.
    for (let times = 1; ; times += 1) {
      terminal.send('D');
      await terminal.waitFor('this is');
      cluster.api.remove('shop', `late-${times - 1}`);
      cluster.api.put('shop', `late-${times}`, { resource: 'pods' });
      await terminal.settle(500);
      terminal.send('q');
      await terminal.waitFor(screen => screen.join('').includes('Back from kubectl describe.'));
      await terminal.waitFor(() => terminal.mouse());
      if (terminal.text().includes('Meanwhile: ')) {
        expect(terminal.text()).toContain(`Pod late-${times}`);
        expect(terminal.text()).not.toContain(`Pod late-${times - 1}`);
        break;
      }
      expect(times).toBeLessThan(10);
      // A key that comes while the terminal is being taken again may be nobody's.
      await isBack(terminal, '');
    }
    await isBack(terminal, 'Meanwhile: ');
  });

  test('that fails is there until somebody has read why', async () => {
    const { terminal } = await world({ does: 'echo "Error from server (NotFound)" >&2; exit 1' });
    terminal.send('D');
    await terminal.waitFor('Press Enter to return to gc-tree.');
    expect(terminal.text()).toContain('Error from server (NotFound)');
    expect(terminal.alternate()).toBe(false);
    terminal.send(keys.enter);
    await isBack(terminal, 'kubectl describe ended with exit code 1.');
  });

  test('that is long ends with the pager', async () => {
    const { terminal, folder } = await world({
      does: 'i=0; while [ $i -lt 100000 ]; do echo "line $i of many, many lines"; i=$((i+1)); done; touch done',
    });
    terminal.send('D');
    await terminal.waitFor('line 5 of');
    terminal.send('q');
    await isBack(terminal, 'Back from kubectl describe.');
    expect(existsSync(path.join(folder, 'done'))).toBe(false);
  });

  test.each([
    ['cat', 'this is'],
    ['sed "s/^/paged: /"', 'paged: this is'],
    ['no-such-pager', 'Press Enter'],
  ])('is read in the pager of the user, and stays where that ends by itself (%s)', async (PAGER, shown) => {
    const { terminal } = await world({ env: { PAGER } });
    terminal.send('D');
    await terminal.waitFor('Press Enter to return to gc-tree.');
    expect(terminal.text()).toContain(shown);
    terminal.send(keys.enter);
    await isBack(terminal, 'Back from kubectl describe.');
  });

  test('is read in less that would end by itself', async () => {
    const { terminal } = await world({ env: { PAGER: 'less -FX', LESS: '-F -E' } });
    terminal.send('D');
    await terminal.waitFor('this is');
    await terminal.settle(300);
    expect(terminal.text()).not.toContain('Press Enter');
    terminal.send('q');
    await isBack(terminal, 'Back from kubectl describe.');
  });
});

describe('logs', () => {
  const follows = 'echo "a line of the log"; case "$*" in *--follow*) while :; do sleep 0.1; done;; esac';

  test.each(sizes)('that are followed end at Ctrl-C, and the screen does not (%o)', async size => {
    const { terminal, argv } = await world({ does: follows, size });
    terminal.send('L');
    await terminal.waitFor('app: follow');
    terminal.send(keys.enter);
    await terminal.waitFor('a line of the log');
    expect(terminal.text()).toContain('(Ctrl-C returns to gc-tree)');
    expect(argv().slice(2)).toEqual([
      'logs',
      'pods/web-0',
      '--namespace=shop',
      '--container=app',
      '--follow',
      '--tail=500',
    ]);
    terminal.send(keys.ctrlC);
    await isBack(terminal, 'Back from kubectl logs.');
    // Of another container, what it said before it was restarted.
    terminal.send('L');
    await terminal.waitFor('app: follow');
    terminal.send('before');
    await terminal.waitFor('> log: before its last restart');
    expect(terminal.text()).not.toContain('app: before');
    terminal.send(keys.enter);
    // In the pager, which is not where the other one was.
    const isRead = (text: string): boolean =>
      /a line of the log/u.test(text) && !/Ctrl-C returns/u.test(text);
    await terminal.waitFor(() => isRead(terminal.text()));
    expect(argv().slice(2)).toEqual([
      'logs',
      'pods/web-0',
      '--namespace=shop',
      '--container=log',
      '--previous',
    ]);
    terminal.send('q');
    await isBack(terminal, 'Back from kubectl logs.');
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
    terminal.send('q');
    await isBack(terminal, 'Back from kubectl logs.');
  });

  test('that end by themselves wait to be read', async () => {
    const { terminal } = await world({ does: 'echo the end' });
    terminal.send('L');
    await terminal.waitFor('app: follow');
    terminal.send(keys.enter);
    await terminal.waitFor('Press Enter');
    terminal.send(keys.enter);
    await isBack(terminal, 'Back from kubectl logs.');
  });

  test('with escape sequences in them leave nothing behind', async () => {
    const { terminal } = await world({
      does: `printf '\\033[?1003h\\033[?1006h\\033[?2004h\\033[5;9r\\033(0\\033[?7l\\033[31mevil\\n'; ${follows}`,
    });
    terminal.send('L');
    await terminal.waitFor('app: follow');
    terminal.send(keys.enter);
    // What the log prints stands over the line that says so.
    await terminal.waitFor(() => terminal.raw().includes('(Ctrl-C returns'));
    await terminal.settle(300);
    terminal.send(keys.ctrlC);
    await isBack(terminal, 'Back from kubectl logs.');
    expect(lastMode(terminal, '1003')).toBe('l');
    expect(terminal.screen().at(-1)).toContain('q quit');
    terminal.send('q');
    expect(await terminal.exit).toBe(0);
    expect([terminal.alternate(), terminal.cursorVisible(), terminal.mouse()]).toEqual([false, true, false]);
    expect(lastMode(terminal, '7')).toBe('h');
  });
});

describe('edit and shell', () => {
  test.each(sizes)('have the keys, and give them back (%o)', async size => {
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
    const { terminal, argv, environment } = await world({
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
    expect(readFileSync(file, 'utf8')).toContain('"token":"s3cr3t"');
    expect(terminal.raw()).not.toContain('s3cr3t');
    terminal.send('q');
    await isBack(terminal, 'Back from kubectl describe.');
    expect(existsSync(file)).toBe(false);
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
    return world({ env: { XDG_CONFIG_HOME: config, PAGER: 'cat' }, args });
  };

  test('gets the names of the row, and asks first where it changes something', async () => {
    const { terminal, argv } = await settled(
      `commands: [{ name: restart, key: R, ${restart}, changes: true }]`,
    );
    terminal.send('R');
    await terminal.waitFor('Run kubectl rollout restart pods/web-0 -n shop');
    terminal.send(keys.enter);
    await terminal.waitFor('Press Enter');
    terminal.send(keys.enter);
    await isBack(terminal, 'Back from kubectl restart.');
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
