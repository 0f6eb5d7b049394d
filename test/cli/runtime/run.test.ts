import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { buildProgram } from '../../../src/cli/program/program.ts';
import { runCommandLine } from '../../../src/cli/run-command-line.ts';
import { commandNames } from '../../../src/cli/runtime/command.ts';
import { showsAscii, terminalOf } from '../../../src/cli/runtime/format.ts';
import { platformOf } from '../../../src/platform/platform.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { scenarioNames } from '../../../src/source/demo/scenarios.ts';
import { command, consoleFor, SmallSource } from '../console.ts';
import { objects } from '../documents/cluster.ts';

const shop = `
- {kind: Deployment, name: api, labels: {app: api}}
- {kind: ReplicaSet, name: api-1, labels: {app: api}, owners: [apps/v1 Deployment api]}
- {kind: Pod, name: pod-1, labels: {app: api}, owners: [apps/v1 ReplicaSet api-1]}
- {kind: StatefulSet, name: web, labels: {app: web}}
- {kind: Pod, name: web-0, labels: {app: web}, owners: [apps/v1 StatefulSet web]}
- {kind: Deployment, name: metrics, namespace: infra}
- {kind: Node, name: node-1}
`;

async function names(words: string): Promise<string[]> {
  const { out, err } = await command(`tree ${words} -o name`, { source: new SmallSource(shop) });
  expect(err).toBe('');
  return out.trimEnd().split('\n');
}

describe('targets are read as kubectl reads them', () => {
  const web = ['statefulset.apps/web'];
  test.each([
    'sts/web',
    'statefulset web',
    'statefulsets web',
    'StatefulSet/web',
    'statefulsets.apps/web',
    'statefulsets.v1.apps/web',
    'sts',
    'sts --all',
    'sts -n shop',
    '-n=shop sts/web',
    '--namespace=shop sts/web',
    'sts -l app=web',
  ])('%s', async words => {
    expect(await names(words)).toEqual(web);
  });

  test('several at once, in any form', async () => {
    const both = ['deployment.apps/api', ...web];
    expect(await names('sts/web deploy/api')).toEqual(both);
    expect(await names('sts,deploy')).toEqual(both);
    expect(await names('pods pod-1 web-0')).toEqual(['pod/pod-1', 'pod/web-0']);
    const all = ['deployment.apps/api', 'replicaset.apps/api-1', 'pod/pod-1', ...web, 'pod/web-0'];
    expect(await names('all')).toEqual(all);
    expect(await names('-l app')).toEqual(all);
  });

  test('the scope is a namespace, or everything with -A', async () => {
    expect(await names('-n infra')).toEqual(['deployment.apps/metrics']);
    expect(await names('deploy -A')).toContain('infra/deployment.apps/metrics');
    expect(await names('-A')).toContain('node/node-1');
    expect(await names('')).not.toContain('node/node-1');
  });

  test('an empty name is none, as that of a variable that is not set', async () => {
    const inScope = await names('');
    for (const flag of [
      '-n',
      '--namespace',
      '--context',
      '--cluster',
      '--user',
      '-s',
      '--kubeconfig',
      '--as',
      '-l',
    ]) {
      const { io, services, result } = consoleFor({ source: new SmallSource(shop) });
      expect(await runCommandLine(['tree', flag, '', '-o', 'name'], io, services), flag).toBe(0);
      expect(result().out.trimEnd().split('\n'), flag).toEqual(inScope);
    }
    const { io, services, result } = consoleFor({ source: new SmallSource(shop) });
    expect(await runCommandLine(['check', '-n', ''], io, services)).toBe(
      await runCommandLine(['check'], io, services),
    );
    const [first, second] = result().out.split(/(?<=objects?\.\n)/u);
    expect(first).toBe(second);
  });

  test.each([
    ['tree', ''],
    ['why', 'sts/'],
    ['why', ''],
    ['delete', '', '--yes'],
    ['check', '-f', ''],
    ['check', '--demo', ''],
    ['delete', 'pods', '-l', ' ', '--yes'],
    ['delete', 'pods', '-l', '', '--yes'],
    ['delete', 'pods', '--field-selector', ' ', '--yes'],
  ])('an empty target or source is refused: %s %s', async (...argv) => {
    const { io, services, result } = consoleFor({ source: new SmallSource(shop) });
    expect(await runCommandLine(argv, io, services)).toBe(2);
    expect(result().err).toMatch(/^kubectl gc-tree: .+\n$/u);
  });

  test('a cluster-scoped target is found whatever the namespace', async () => {
    expect(await names('no/node-1 -n infra')).toEqual(['node/node-1']);
  });
});

describe('what is wrong is said in one line, with exit code 2', () => {
  test.each([
    ['tree deploy/apo', 'deployment "apo" not found in namespace shop. Did you mean api?'],
    ['tree deploy/metrics', 'deployment "metrics" not found in namespace shop. There is one in infra.'],
    ['tree node/nope', 'node "nope" not found.'],
    [
      'tree deploymnt/api',
      'the server doesn\'t have a resource type "deploymnt". Did you mean deployment, deployments?',
    ],
    ['tree dpeloy/api', 'the server doesn\'t have a resource type "dpeloy". Did you mean deploy?'],
    ['tree configm', 'the server doesn\'t have a resource type "configm". Did you mean configmap?'],
    ['check pod,', '"pod," has an empty type. Write one on each side of a comma.'],
    ['check ,', '"," has an empty type. Write one on each side of a comma.'],
    ['delete pod -l , --yes', 'the selector "," has an empty part. Leave the comma out.'],
    ['delete pod -l app=web, --yes', 'the selector "app=web," has an empty part. Leave the comma out.'],
    [
      'delete pod --field-selector , --yes',
      'the field selector "," names no field. Write metadata.name=web or status.phase!=Running.',
    ],
    ['delete pod --all -l app=web --yes', '--all and a selector exclude each other. Leave one of them out.'],
    ['chek -A', 'the server doesn\'t have a resource type "chek". Did you mean the command check?'],
    ['tree events', "events have no place in the ownership graph: the garbage collector doesn't watch them."],
    [
      'plan delete -A sts/web',
      'statefulset "web" is in a namespace: say with -n in which. -A reads the others all the same.',
    ],
    ['tree sts/web pod', 'write either TYPE/NAME for every target or one TYPE and then names, not both.'],
    ['tree pods,sts/web', 'the target "pods,sts/web" has several types. Write one before each slash.'],
    ['tree sts/', 'cannot read the target "sts/". Write TYPE/NAME, such as sts/web.'],
    ['tree sts/web -l app=web', 'a name and a selector exclude each other. Leave one of them out.'],
    ['tree --foo', 'unknown flag --foo. See kubectl gc-tree --help.'],
    ['tree --namespac x', 'unknown flag --namespac (Did you mean --namespace?) See kubectl gc-tree --help.'],
    ['tree -o xml', 'unknown output format "xml". tree prints text, wide, json, yaml, name, dot or mermaid.'],
    ['tree -n', '--namespace needs a value. See kubectl gc-tree --help.'],
    ['version now', 'too many arguments. See kubectl gc-tree --help.'],
    ['tree --flat', '--flat is for documents. Use it with -o json or -o yaml.'],
    ['tree --flat -o dot', '--flat is for documents. Use it with -o json or -o yaml.'],
    ['tree -o dot --watch', '--watch cannot be drawn as dot. Use -o text, json, yaml or name.'],
    ['demo nope', `no scenario "nope". Scenarios: ${scenarioNames().join(', ')}.`],
    ['completion tcsh', 'no completion for the shell "tcsh". There is one for bash, zsh, fish, powershell.'],
  ])('%s', async (words, message) => {
    const { out, err, exitCode } = await command(words, { source: new SmallSource(shop) });
    expect(err).toBe(`kubectl gc-tree: ${message}\n`);
    expect(out).toBe('');
    expect(exitCode).toBe(2);
  });

  test('every command is among those that a mistyped word may mean', () => {
    const program = buildProgram(() => Promise.resolve());
    expect([...commandNames].sort()).toEqual(program.commands.map(each => each.name()).sort());
  });

  test('a cluster that cannot be opened', async () => {
    const { err, exitCode } = await command('tree');
    expect(err).toBe('kubectl gc-tree: no context "prdo" in the kubeconfig. Contexts: prod-eu.\n');
    expect(exitCode).toBe(2);
  });

  test('a stack trace only from -v=6 on', async () => {
    expect((await command('tree -v=5')).err).not.toContain(' at ');
    expect((await command('tree -v=6')).err).toContain(' at ');
    expect((await command('tree --v=6')).err).toContain(' at ');
  });

  test('a source is closed even where the target is not found', async () => {
    const source = new SmallSource(shop);
    await command('tree sts/nope', { source });
    expect(source.closed).toBe(true);
  });
});

describe('the bare command', () => {
  test('opens the screen on a terminal, with what was asked for', async () => {
    const { screens, out } = await command('sts/web -n shop --ascii', {
      terminal: true,
      env: { GC_TREE_READ_ONLY: '1', NO_COLOR: '1' },
    });
    expect(out).toBe('');
    expect(screens).toMatchObject([
      { targets: ['sts/web'], ascii: true, readOnly: true, colour: false, screenReader: false },
    ]);
    expect(screens[0]?.flags.namespace).toBe('shop');
  });

  test('prints the tree where output is no terminal, and where a format was asked for', async () => {
    const tree = await command('tree sts/web', { source: new SmallSource(shop) });
    const bare = await command('sts/web', { source: new SmallSource(shop) });
    expect(bare).toEqual(tree);
    const { screens, out } = await command('sts/web -o name', {
      terminal: true,
      source: new SmallSource(shop),
    });
    expect(screens).toEqual([]);
    expect(out).toContain('statefulset.apps/web');
  });

  test('wrong use is told before the screen takes the terminal', async () => {
    const { screens, exitCode } = await command('sts/web pod', { terminal: true });
    expect(screens).toEqual([]);
    expect(exitCode).toBe(2);
  });
});

describe('what could not be seen', () => {
  const secrets = builtInTypes.find(type => type.resource === 'secrets');
  if (secrets === undefined) throw new Error('no secrets');
  const blind = () =>
    new SmallSource(shop, {
      statuses: [{ type: secrets, state: 'blind', count: 0, facts: true, reason: '403' }],
      failedGroups: [{ resource: '*.metrics.k8s.io', reason: '503' }],
    });

  test('is named after the tree, on standard error', async () => {
    const { err, exitCode } = await command('tree sts/web', { source: blind() });
    expect(err).toBe('2 kinds could not be seen: *.metrics.k8s.io (503), secrets (403).\n');
    expect(exitCode).toBe(0);
  });

  test('stands in the basis of documents', async () => {
    const { out, err } = await command('tree -o yaml', { source: blind() });
    expect(err).toBe('');
    expect((parse(out) as { basis: unknown }).basis).toMatchObject({
      complete: false,
      blindSpots: [
        { resource: '*.metrics.k8s.io', reason: '503' },
        { resource: 'secrets', reason: '403' },
      ],
    });
  });

  test('and what is not watched are a line each', async () => {
    const polled = { type: secrets, state: 'synced', count: 0, facts: true, polled: '403' } as const;
    const failedGroups = [{ resource: '*.metrics.k8s.io', reason: '503' }];
    const source = () => new SmallSource(shop, { statuses: [polled], failedGroups });
    const lines =
      '1 kind could not be seen: *.metrics.k8s.io (503).\n' +
      '1 kind cannot be watched and may be up to a minute old: secrets (403).\n';
    for (const words of ['tree sts/web', 'why sts/web']) {
      const { err } = await command(words, { source: source() });
      expect(err).toBe(lines);
    }
  });

  test('is the answer where the target is of such a kind', async () => {
    const { err, exitCode } = await command('tree secret/x', { source: blind() });
    expect(err).toBe('kubectl gc-tree: secrets cannot be listed: 403.\n');
    expect(exitCode).toBe(2);
  });
});

test('an empty scope says so on standard error and is no failure', async () => {
  const { out, err, exitCode } = await command('tree -n empty', { source: new SmallSource(shop) });
  expect([out, err, exitCode]).toEqual(['', 'No resources found in empty namespace.\n', 0]);
});

test('siblings are sorted by the asked key', async () => {
  const pods = `
- {kind: ConfigMap, name: b, creationTimestamp: "2026-11-21T10:00:00Z"}
- {kind: ConfigMap, name: a, creationTimestamp: "2026-11-21T11:00:00Z"}
`;
  const sorted = async (key: string) =>
    (await command(`tree --sort-by=${key} -o name`, { source: new SmallSource(pods) })).out;
  expect(await sorted('name')).toBe('configmap/a\nconfigmap/b\n');
  expect(await sorted('.metadata.creationTimestamp')).toBe('configmap/b\nconfigmap/a\n');
});

test('the help of a command shows the flags and the formats that it takes, and no others', async () => {
  const check = (await command('check --help')).out.replaceAll(/\s+/gu, ' ');
  expect(check).toContain('format: text, wide, json, yaml, name, junit, sarif, github, markdown or baseline');
  expect(check).not.toMatch(/mermaid|--show-labels|--token <|--screen-reader/u);
  expect((await command('tree --help')).out).toMatch(/--show-labels[^]+--server/u);
  expect((await command('completion --help')).out).not.toContain('--namespace');
});

test.each(commandNames)('the help of %s fits on a screen of 24 lines', async name => {
  const lines = (await command(`${name} --help`)).out.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(24);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
});

test('help names every command, and help flags every shared flag', async () => {
  const { out, exitCode } = await command('--help');
  expect(exitCode).toBe(0);
  for (const word of ['tree', 'demo', 'completion', 'version', 'Examples:']) expect(out).toContain(word);
  const flags = await command('help flags');
  expect(flags.exitCode).toBe(0);
  for (const word of ['--as-uid', '--tls-server-name', '--all-namespaces', 'Targets:'])
    expect(flags.out).toContain(word);
  expect((await command('tree --help')).out).toContain('--all-namespaces');
});

describe('a selection that matches nothing', () => {
  test.each([
    'tree pods -l app=none',
    'why pods -l app=none',
    'check pods -l app=none',
    'plan delete pods -l app=none',
    'plan taint nodes -l app=none out-of-service',
    'delete pods -l app=none --yes --demo shop',
  ])('says so as kubectl does, and fails only where that was asked for: %s', async words => {
    const { err, out, exitCode } = await command(words, { source: new SmallSource(shop) });
    expect([err, exitCode]).toEqual(['No resources found in shop namespace.\n', 0]);
    expect(out).not.toMatch(/app=none|deleted/u);
    const failed = await command(`${words} --fail-on-empty`, { source: new SmallSource(shop) });
    expect([failed.err, failed.exitCode]).toEqual([err, 1]);
    const document = await command(`${words} -o json`, { source: new SmallSource(shop) });
    expect([document.err, document.exitCode]).toEqual(['', 0]);
    expect(JSON.parse(document.out)).toHaveProperty('basis');
    expect(
      (await command(`${words} -o json --fail-on-empty`, { source: new SmallSource(shop) })).exitCode,
    ).toBe(1);
  });

  test('is none where something is selected', async () => {
    expect((await command('tree pods --fail-on-empty', { source: new SmallSource(shop) })).exitCode).toBe(0);
    const { err } = await command('tree pods --watch --fail-on-empty', { source: new SmallSource(shop) });
    expect(err).toContain('leave --fail-on-empty out');
  });
});

describe('--field-selector', () => {
  const pods = `
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: shop}
spec: {nodeName: node-1}
status: {phase: Running}
---
apiVersion: v1
kind: Pod
metadata: {name: "b", namespace: shop}
status: {phase: Pending}
---
apiVersion: v1
kind: Node
metadata: {name: node-1}
spec: {unschedulable: true}
`;
  test.each([
    ['pods', 'spec.nodeName=node-1', 'shop/pod/a'],
    ['pods', 'spec.nodeName=', 'shop/pod/b'],
    ['pods', 'status.phase!=Running', 'shop/pod/b'],
    ['pods', 'status.phase==Running,metadata.name=b', ''],
    ['nodes', 'spec.unschedulable=true', 'node/node-1'],
    ['', 'metadata.name=a', 'shop/pod/a'],
    ['', 'metadata.namespace=', 'node/node-1'],
    ['pods', String.raw`metadata.name=a\,b`, ''],
  ])('selects %s with %s in files', async (type, fields, selected) => {
    const words = `tree ${type} --field-selector ${fields} -f - -o name`;
    const { out, exitCode } = await command(words, { stdin: pods });
    expect([out.trim(), exitCode]).toEqual([selected, 0]);
  });

  test.each([
    ['tree pods --field-selector spec.hostNetwork=true', `"spec.hostNetwork" isn't known here`],
    ['tree deploy --field-selector spec.nodeName=node-1', 'only pods have spec.nodeName'],
    ['check --field-selector status.phase=Running', 'only pods and namespaces have status.phase'],
    ['tree pods --field-selector nonsense', 'cannot read the field selector "nonsense"'],
    ['tree pod/a --field-selector metadata.name=a', 'a name and --field-selector exclude each other'],
  ])('is refused where it cannot be judged: %s', async (words, message) => {
    const { err, exitCode } = await command(words, { source: new SmallSource(shop) });
    expect(exitCode).toBe(2);
    expect(err).toContain(message);
  });

  test('means the same for a simulated cluster, and for an action', async () => {
    const all = await command('tree pods --demo shop -o name');
    const some = await command('tree pods --field-selector spec.nodeName=node-1 --demo shop -o name');
    expect(some.out).not.toBe('');
    expect(all.out).toContain(some.out.split('\n')[0] ?? '');
    expect(some.out).not.toBe(all.out);
    const plan = await command('plan delete pods --field-selector status.phase=Running --demo shop');
    expect(plan.exitCode).toBe(0);
  });
});

describe('--ignore-not-found', () => {
  test.each(['tree', 'why', 'check', 'plan delete', 'delete --yes --demo shop'])(
    'leaves out names that are not there: %s',
    async verb => {
      const source = () => new SmallSource(shop);
      expect((await command(`${verb} pod/nosuch`, { source: source() })).exitCode).toBe(2);
      const gone = await command(`${verb} pod/nosuch --ignore-not-found`, { source: source() });
      expect([gone.err, gone.exitCode]).toEqual(['', 0]);
      const failed = await command(`${verb} pod/nosuch --ignore-not-found --fail-on-empty`, {
        source: source(),
      });
      expect([failed.err, failed.exitCode]).toEqual(['No resources found in shop namespace.\n', 1]);
    },
  );

  test('and shows the others', async () => {
    expect(await names('pods nosuch web-0 --ignore-not-found')).toEqual(['pod/web-0']);
  });

  test('does not take what cannot be seen, or a mistyped kind, for what is not there', async () => {
    const pods = builtInTypes.find(type => type.resource === 'pods');
    if (pods === undefined) throw new Error('no pods');
    const statuses = [{ type: pods, state: 'blind', count: 0, facts: true, reason: '403' }] as const;
    const blind = await command('tree pod/x --ignore-not-found', {
      source: new SmallSource(shop, { statuses }),
    });
    expect([blind.err, blind.exitCode]).toEqual([`kubectl gc-tree: pods cannot be listed: 403.\n`, 2]);
    expect((await command('tree pds/x --ignore-not-found', { source: new SmallSource(shop) })).exitCode).toBe(
      2,
    );
  });
});

describe('on Windows nothing but ASCII is shown', () => {
  const windows = platformOf('win32');
  const shows = (env: Record<string, string>, stdoutIsTerminal: boolean): boolean =>
    showsAscii([], { env, stdoutIsTerminal }, windows);

  test('in its old console, which says nothing of itself, though it has colours', () => {
    expect(shows({}, true)).toBe(true);
    expect(terminalOf({}, windows)).toBe('console');
  });

  test.each([
    { WT_SESSION: '5f1c' },
    { ConEmuANSI: 'ON' },
    { TERM_PROGRAM: 'vscode' },
    { TERMINAL_EMULATOR: 'JetBrains-JediTerm' },
    { TERM: 'xterm-256color' },
  ])('but not on a terminal of today: %o', env => {
    expect(shows(env, true)).toBe(false);
  });

  test('in a file or a pipe, unless a locale says how that is read', () => {
    expect(shows({ WT_SESSION: '5f1c' }, false)).toBe(true);
    expect(shows({ LANG: 'en_US.UTF-8' }, false)).toBe(false);
    expect(shows({ LANG: 'C' }, false)).toBe(true);
  });
});

describe('nothing but ASCII is shown', () => {
  const shown = async (env: Record<string, string>, terminal = false): Promise<string> => {
    const { out } = await command('tree sts/web', { source: new SmallSource(shop), env });
    const { screens } = await command('', { terminal: true, env });
    const screen = screens[0]?.ascii === true;
    if (!terminal) expect(screen).toBe(out.includes('`-'));
    return screen ? 'ascii' : 'unicode';
  };

  test.each([
    { LC_ALL: 'C' },
    { LANG: 'C' },
    { LANG: 'POSIX' },
    { LC_ALL: '', LC_CTYPE: 'C', LANG: 'de_DE.UTF-8' },
    { LC_ALL: 'C', LANG: 'de_DE.UTF-8' },
    { LANG: 'de_DE.ISO-8859-15@euro' },
  ])('where the locale has no more: %o', async env => {
    expect(await shown(env)).toBe('ascii');
  });

  test.each([{}, { LANG: 'C.UTF-8' }, { LANG: 'de_DE.utf8' }, { LC_ALL: 'en_US.UTF-8', LANG: 'C' }])(
    'but not where it has: %o',
    async env => {
      expect(await shown(env)).toBe('unicode');
    },
  );

  test.each(['linux', 'vt100', 'vt220'])('on a terminal that has few characters: %s', async TERM => {
    expect(await shown({ TERM }, true)).toBe('ascii');
    const { screens } = await command('', { terminal: true, env: { TERM } });
    expect(screens[0]?.colour).toBe(TERM === 'linux');
  });

  test('on a dumb terminal, which gets the tree in place of the screen, and is told so', async () => {
    const dumb = await command('', { source: new SmallSource(shop), terminal: true, env: { TERM: 'dumb' } });
    expect(dumb.screens).toEqual([]);
    expect(dumb.out).toContain('`- ');
    expect(dumb.out).not.toContain('\u001B');
    expect(dumb.err).toContain('This terminal (TERM=dumb) cannot show the screen, so this is the tree.');
    const { out } = await command('tree sts/web', { source: new SmallSource(shop), env: { TERM: 'dumb' } });
    expect(out).toContain('└─');
  });

  test('in help, errors and what the terminal is told meanwhile too', async () => {
    const env = { LC_ALL: 'C' };
    for (const words of [
      '--help',
      'plan --help',
      'plan -l x',
      'tree -f https://example.com',
      'plan délete',
    ]) {
      const { out, err } = await command(words, { env });
      expect(`${out}${err}`, words).toMatch(/^[ -~\n]+$/u);
      expect((await command(`${words} --ascii`)).out, words).toBe(out);
    }
    const { io, services, result } = consoleFor({ env, source: new SmallSource(shop) });
    const source = Object.assign(new SmallSource(shop), { warnings: ['größer…'] });
    await runCommandLine(
      ['tree'],
      { ...io, env },
      { ...services, openSource: () => Promise.resolve(source) },
    );
    expect(result().err).toBe('Warning: gr%C3%B6%C3%9Fer...\n');
  });
});

describe('what was asked for is told from what stands around it', () => {
  const rows = async (words: string): Promise<string[]> => {
    const { out } = await command(`tree ${words} --no-headers`, { source: new SmallSource(shop) });
    return out.trimEnd().split('\n');
  };

  test('by a sign in front of its row, without colour and in ASCII too', async () => {
    expect(await rows('pod/web-0 --ascii')).toEqual([
      expect.stringMatching(/^ {2}StatefulSet shop\/web /u),
      expect.stringMatching(/^\* `- Pod web-0 /u),
    ]);
    expect(await rows('-l app=api,app')).toEqual([
      expect.stringMatching(/^Deployment shop\/api /u),
      expect.stringMatching(/^└─ ReplicaSet api-1 /u),
      expect.stringMatching(/^ {3}└─ Pod pod-1 /u),
    ]);
    const titles = await command('tree sts/web --watch', {
      source: new SmallSource(shop),
      onOutput: (_text, interrupt) => interrupt(),
    });
    expect(titles.out).toMatch(/^ {2}NAME .*\n\* StatefulSet .*\n {2}└─ Pod/u);
  });

  test('not where the whole scope was asked for', async () => {
    expect((await rows('')).filter(row => row.startsWith('* '))).toEqual([]);
    expect((await rows('-A')).filter(row => row.startsWith('* '))).toEqual([]);
  });

  test.each(['json', 'yaml'])('by a field of its node: -o %s', async format => {
    const { out } = await command(`tree pod/web-0 -o ${format}`, { source: new SmallSource(shop) });
    const { roots } = parse(out) as { roots: [{ selected?: true; dependents: [{ selected?: true }] }] };
    expect(roots[0]).not.toHaveProperty('selected');
    expect(roots[0].dependents[0].selected).toBe(true);
  });
});

test('a scenario needs no cluster', async () => {
  const { out, exitCode } = await command('tree sts/web --demo shop');
  expect(exitCode).toBe(0);
  expect(out).toMatch(/^\* StatefulSet shop\/web +⚠ foreground, /mu);
  expect((await command('demo --list -o name')).out).toMatch(/^shop\n/u);
});

test('a reader that goes away ends the output quietly, and never with success', async () => {
  const { io, services, result } = consoleFor({ source: new SmallSource(shop) });
  const stdout = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
  });
  expect(await runCommandLine(['tree'], { ...io, stdout }, services)).toBe(141);
  expect(result().err).toBe('');
});

describe('--watch', () => {
  test('prints what changes, once, until it is interrupted', async () => {
    const source = new SmallSource(shop);
    const pod = objects('[{kind: Pod, name: web-1, owners: [apps/v1 StatefulSet web]}]');
    const gone = { op: 'delete', uid: objects('[{kind: Pod, name: web-0}]')[0] } as const;
    let emitted = 0;
    const { out, exitCode } = await command('tree sts/web --watch', {
      source,
      onOutput: (text, interrupt) => {
        if (emitted === 0) {
          emitted = 1;
          // The second is the same object again, and the third is of no concern here.
          setImmediate(() => {
            source.emit({ changes: pod });
            source.emit({ changes: pod });
            source.emit({ changes: objects('[{kind: Pod, name: other}]') });
          });
        } else if (text.includes('web-1') && emitted === 1) {
          emitted = 2;
          const { uid } = gone;
          if (uid?.op === 'upsert')
            setImmediate(() =>
              source.emit({ changes: [{ op: 'delete', uid: uid.object.uid, type: uid.object.type }] }),
            );
        } else if (text.includes('deleted')) interrupt();
      },
    });
    expect(exitCode).toBe(130);
    expect(out.split('\n').slice(3)).toEqual([
      expect.stringMatching(/^ {2}Pod shop\/web-1 .*owned by StatefulSet web$/u),
      expect.stringMatching(/^ {2}Pod shop\/web-0 +deleted$/u),
      '',
    ]);
  });

  test('prints documents whole, each valid by itself', async () => {
    const source = new SmallSource(shop);
    const { out } = await command('tree sts/web -w -o yaml', {
      source,
      onOutput: (text, interrupt) => {
        if (text.includes('web-1')) interrupt();
        else
          setImmediate(() =>
            source.emit({
              changes: objects('[{kind: Pod, name: web-1, owners: [apps/v1 StatefulSet web]}]'),
            }),
          );
      },
    });
    const documents = out.split('---\n').map(text => parse(text) as { roots: { dependents: unknown[] }[] });
    expect(documents.map(each => each.roots[0]?.dependents.length)).toEqual([1, 2]);
  });
});

describe('what the API server warns of', () => {
  test('is written to standard error once: what came with the answer, then what comes later', async () => {
    const warnings = ['read only from \u001b[31mFriday on', 'second'];
    const source = Object.assign(new SmallSource(shop), { warnings });
    const { out, err } = await command('tree sts/web --watch', {
      source,
      onOutput: (text, interrupt) => {
        if (text.includes('web-1')) {
          warnings.push('last');
          return interrupt();
        }
        setImmediate(() => {
          warnings.push('third');
          source.emit({
            changes: objects('[{kind: Pod, name: web-1, owners: [apps/v1 StatefulSet web]}]'),
          });
        });
      },
    });
    expect(err).toBe(
      'Warning: read only from %1B[31mFriday on\nWarning: second\nWarning: third\nWarning: last\n',
    );
    expect(out).not.toContain('Warning');
  });
});

describe('what a command would ignore is refused', () => {
  test.each([
    ['check --show-labels', 'unknown flag for check: --show-labels'],
    ['why sts/web --no-headers', 'unknown flag for why: --no-headers'],
    ['undo -l app=web', 'unknown flag for undo: --selector'],
    ['completion bash -A', 'unknown flag for completion: --all-namespaces'],
    ['tree -f dump --context prod', '-f reads files, so --context would do nothing'],
    ['check --demo shop --as-group admins', '--demo is a simulated cluster, so --as-group would do nothing'],
    ['version -o wide', 'version cannot print wide'],
    ['delete sts/web --no-wait', 'unknown flag --no-wait. Use --wait=false.'],
    ['help nosuch', 'there is no such command'],
  ])('%s', async (words, message) => {
    const { out, err, exitCode } = await command(words, { source: new SmallSource(shop) });
    expect([out, exitCode]).toEqual(['', 2]);
    expect(err).toContain(`kubectl gc-tree: ${message}`);
  });

  const connection = buildProgram(() => Promise.resolve()).options.filter(({ helpGroupHeading }) =>
    helpGroupHeading?.startsWith('Connection'),
  );
  test.each(connection.map(({ long, required }) => [`${long}${required ? '=5' : ''}`]))(
    '%s beside files, and beside a scenario',
    async flag => {
      const [name] = flag.split('=');
      for (const [source, what] of [
        ['-f dump', '-f reads files'],
        ['--demo shop', '--demo is a simulated cluster'],
      ] as const) {
        const { out, err, exitCode } = await command(`tree ${source} ${flag}`);
        expect([out, exitCode, err]).toEqual([
          '',
          2,
          `kubectl gc-tree: ${what}, so ${name} would do nothing. Leave one of them out.\n`,
        ]);
      }
    },
  );
});

test('help is that of the program, or of the command that is named', async () => {
  expect((await command('help')).out).toBe((await command('--help')).out);
  expect((await command('help check')).out).toBe((await command('check --help')).out);
});

describe('version, as in kubectl', () => {
  const clientVersion: unknown = {
    major: '1',
    minor: '2',
    gitVersion: 'v1.2.3',
    nodeVersion: process.version,
    platform: expect.stringMatching(/^(?:linux|darwin|windows)\/(?:amd64|arm64)$/u),
  };
  const serverVersion = { major: '1', minor: '36', gitVersion: 'v1.36.3' };
  const source = new SmallSource(shop);

  test.each(['version', 'version --client', 'version --client -o text'])('%s asks no server', async words => {
    expect(await command(words)).toMatchObject({
      out: 'kubectl gc-tree 1.2.3\n',
      err: '',
      exitCode: 0,
    });
  });

  test('documents have the version of the API server, too', async () => {
    const { out, exitCode } = await command('version -o json', { source });
    expect([JSON.parse(out), exitCode]).toEqual([{ clientVersion, serverVersion }, 0]);
    const yaml = await command('version -o yaml', { source });
    expect([parse(yaml.out), yaml.exitCode]).toEqual([{ clientVersion, serverVersion }, 0]);
  });

  test.each(['json', 'yaml'])('with --client, %s has none, and no server is asked', async format => {
    const { out, err, exitCode } = await command(`version --client -o ${format}`);
    expect([parse(out), err, exitCode]).toEqual([{ clientVersion }, '', 0]);
  });

  test('without an answer it prints its own, and fails', async () => {
    const { out, err, exitCode } = await command('version -o json');
    expect([JSON.parse(out), exitCode]).toEqual([{ clientVersion }, 2]);
    expect(err).toBe('kubectl gc-tree: the server is not there.\n');
  });

  test('--client=false is as without it', async () => {
    const { out } = await command('version --client=false -o json', { source });
    expect(JSON.parse(out)).toEqual({ clientVersion, serverVersion });
  });
});
