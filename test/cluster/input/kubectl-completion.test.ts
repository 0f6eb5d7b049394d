/**
 * Tab behind `kubectl gc-tree` in real shells on a real cluster. With kubectl's own completion scripts: kubectl inserts
 * what it is told and evaluates the line at the next Tab, so nothing that a shell would run is offered. And with those of
 * `completion`, where nothing of ours is on the PATH but `kubectl-gc_tree`, as krew leaves it.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import nodePty from '@lydell/node-pty';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { controlPlaneBinaries } from '../../harness/processes/binaries.ts';
import { pathOf } from '../../shells/shells.ts';

const BASH_COMPLETION = '/usr/share/bash-completion/bash_completion';
const bin = process.env['GC_TREE_TEST_BIN'] ?? path.join(import.meta.dirname, '..', '..', '..', 'bin');

let cluster: Cluster;
let kubectl: string;

/** What is typed behind `kubectl gc-tree`, and what is on the line after Tab, as its words. */
type Typed = readonly (readonly [string, readonly string[]])[];

const usual: Typed = [
  ['why clusterrole/only-', ['why', 'clusterrole/only-plain']],
  ['why clusterrole/system-like:', ['why', 'clusterrole/system-like:node']],
  ['check --output=js', ['check', '--output=json']],
  ['check -o ya', ['check', '-o', 'yaml']],
  ['check -o=ya', ['check', '-o=yaml']],
  ['check --fail-on=warn', ['check', '--fail-on=warning']],
  ['plan --fail-on=stuck,ref', ['plan', '--fail-on=stuck,refused']],
  ['tree --namespace=kube-sy', ['tree', '--namespace=kube-system']],
  ['tree pods,statefuls', ['tree', 'pods,statefulsets']],
  [
    '-n kube-public tree configmaps,clusterroles only',
    ['-n', 'kube-public', 'tree', 'configmaps,clusterroles', 'only-plain'],
  ],
  ['tree -f ../mani', ['tree', '-f', '../manifest.yaml']],
  ['tree --filename=../mani', ['tree', '--filename=../manifest.yaml']],
  ['--context gc-tree-t', ['--context', 'gc-tree-test']],
  ['demo how', ['demo', 'how-the-collector-works']],
];

/** Through kubectl's scripts they are offered to no shell. */
const unusual: Typed = [
  ['why clusterrole/c\\;to', ['why', 'clusterrole/c;to']],
  ['why clusterrole/run-', ['why', 'clusterrole/run-']],
  ['why clusterrole/two-', ['why', 'clusterrole/two-']],
];

/** The scripts of `completion` quote them. */
const quoted: Typed = [
  ['why clusterrole/c\\;to', ['why', 'clusterrole/c;touch x;#']],
  ['why clusterrole/run-\\;', ['why', 'clusterrole/run-;touch x;#']],
];

const names = [
  'only-plain',
  'system-like:node',
  'c;touch x;#',
  'run-$(touch x)',
  'run-`touch x`',
  'run-;touch x;#',
  'two-$(touch x)1',
  'two-$(touch x)2',
  "two-';touch x;'",
];

beforeAll(async () => {
  cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver'] });
  ({ kubectl } = await controlPlaneBinaries());
  const items = names.map(name => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name },
    rules: [],
  }));
  await cluster.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
});
afterAll(() => cluster.stop());

const PROMPT = 'ready$ ';

/** What is on the PATH beside kubectl, and who answers a Tab. */
interface Installation {
  readonly title: string;
  readonly programs: readonly string[];
  /** Both the scripts of kubectl and of `completion` are read at the start, or those of kubectl by the shell when it needs them. */
  readonly scripts: 'of kubectl' | 'both' | 'lazily';
  readonly typed: (shell: string) => readonly (readonly [program: string, ...Typed[number]])[];
}

const behind = (program: string, typed: Typed): ReturnType<Installation['typed']> =>
  typed.map(each => [program, ...each]);

const installations: readonly Installation[] = [
  {
    title: 'with the scripts of kubectl',
    programs: ['kubectl-gc_tree', 'kubectl_complete-gc_tree'],
    scripts: 'of kubectl',
    typed: () => behind('kubectl gc-tree', [...usual, ...unusual]),
  },
  {
    title: 'with one file on the PATH',
    programs: ['kubectl-gc_tree'],
    scripts: 'both',
    typed: shell => [
      // In fish kubectl's script reads that line as well.
      ...behind('kubectl gc-tree', [...usual, ...(shell === 'fish' ? unusual : quoted)]),
      ...behind('kubectl-gc_tree', [...usual.slice(0, 4), ...quoted]),
      ['kubectl', 'api-vers', ['api-versions']],
    ],
  },
  {
    title: "with one file on the PATH, before the shell has read kubectl's script",
    programs: ['kubectl-gc_tree'],
    scripts: 'lazily',
    typed: () => [
      ['kubectl gc-tree', 'check --output=js', ['check', '--output=json']],
      ['kubectl', 'api-vers', ['api-versions']],
      ['kubectl gc-tree', 'check --output=js', ['check', '--output=json']],
    ],
  },
];

/** Enter writes the words down in place of running them; completion asks the real kubectl. */
const posix = `record() { printf '%s\\0' "$@" >> ran; echo >> ran; }
kubectl() { if [ "$1" = __complete ]; then command kubectl "$@"; else record "$@"; fi; }
kubectl-gc_tree() { record gc-tree "$@"; }
PS1='${PROMPT}'
`;

interface Setup {
  readonly shell: 'bash' | 'zsh' | 'fish';
  /** Before anything is completed. */
  readonly rc: string;
  /** How a script is read that a command prints. */
  readonly read: (command: string) => string;
  /** Where the shell looks for the script that completes kubectl. */
  readonly found: string;
  readonly arguments: (home: string) => readonly string[];
}

const setups: readonly Setup[] = [
  {
    shell: 'bash',
    rc: `${posix}bind 'set enable-bracketed-paste off'\nsource ${BASH_COMPLETION}\n`,
    read: command => `source <(${command})\n`,
    found: 'bash-completion/completions/kubectl',
    arguments: home => ['--noprofile', '--rcfile', path.join(home, '.rc'), '-i'],
  },
  {
    shell: 'zsh',
    rc: `${posix}fpath+=("$HOME/zsh"); autoload -Uz compinit; compinit -D -u\n`,
    read: command => `source <(${command})\n`,
    found: 'zsh/_kubectl',
    arguments: () => ['-i'],
  },
  {
    shell: 'fish',
    rc: `function record; printf '%s\\0' $argv >> ran; echo >> ran; end
function kubectl; if test "$argv[1]" = __complete; command kubectl $argv; else; record $argv; end; end
function kubectl-gc_tree; record gc-tree $argv; end
function fish_prompt; echo -n '${PROMPT}'; end
set -g fish_greeting
set -g fish_autosuggestion_enabled 0
set -g fish_complete_path $fish_complete_path "$HOME/fish"
`,
    read: command => `${command} | source\n`,
    found: 'fish/kubectl.fish',
    arguments: home => ['--no-config', '-C', `source ${path.join(home, '.rc')}`],
  },
];

async function linesAfterTab(
  { shell, rc, read, found, arguments: args }: Setup,
  { programs, scripts, typed }: Installation,
): Promise<{ ran: string[][]; files: string[] }> {
  const home = mkdtempSync(path.join(tmpdir(), 'gc-tree-kubectl-'));
  const work = path.join(home, 'work');
  mkdirSync(work);
  mkdirSync(path.join(home, 'bin'));
  symlinkSync(kubectl, path.join(home, 'bin', 'kubectl'));
  for (const program of programs) {
    const file = path.join(home, 'bin', program);
    writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${path.join(bin, program)}' "$@"\n`);
    chmodSync(file, 0o755);
  }
  writeFileSync(path.join(home, 'manifest.yaml'), '');
  const own = read(`command kubectl completion ${shell}`);
  if (scripts === 'lazily') {
    mkdirSync(path.dirname(path.join(home, found)), { recursive: true });
    writeFileSync(path.join(home, found), execFileSync(kubectl, ['completion', shell]));
  }
  const ours = scripts === 'of kubectl' ? '' : read(`command kubectl gc-tree completion ${shell}`);
  writeFileSync(
    path.join(home, shell === 'zsh' ? '.zshrc' : '.rc'),
    rc + (scripts === 'lazily' ? ours : own + ours),
  );
  const pty = nodePty.spawn(pathOf(shell) ?? shell, [...args(home)], {
    cols: 200,
    rows: 50,
    cwd: work,
    env: {
      PATH: `${path.join(home, 'bin')}:/usr/bin:/bin`,
      HOME: home,
      ZDOTDIR: home,
      XDG_CONFIG_HOME: home,
      XDG_DATA_HOME: home,
      KUBECONFIG: await cluster.kubeconfig(),
      TERM: 'xterm',
      LC_ALL: 'C.UTF-8',
    },
  });
  try {
    let screen = '';
    pty.onData(text => {
      screen += text;
    });
    const until = async (what: string, done: () => boolean): Promise<void> => {
      const end = Date.now() + 60_000;
      while (!done()) {
        if (Date.now() > end) throw new Error(`${shell}: ${what}\n${screen}`);
        await new Promise(resolve => setTimeout(resolve, 20));
      }
    };
    const ran = (): string[] =>
      existsSync(path.join(work, 'ran'))
        ? readFileSync(path.join(work, 'ran'), 'utf8').split('\n').slice(0, -1)
        : [];
    await until('no prompt', () => screen.includes(PROMPT));
    for (const [i, [program, words]] of typed(shell).entries()) {
      // The second Tab is where kubectl's script evaluates what the first has put on the line.
      pty.write(`${program} ${words}${words.startsWith('why') ? '\t\t' : '\t'}\r`);
      await until(`no answer to ${words}`, () => ran().length > i);
    }
    return { ran: ran().map(line => line.split('\0').slice(0, -1)), files: readdirSync(work) };
  } finally {
    const ended = new Promise(resolve => pty.onExit(resolve));
    pty.kill();
    await ended;
    rmSync(home, { recursive: true, force: true });
  }
}

for (const setup of setups) {
  const { shell } = setup;
  const missing = pathOf(shell) === undefined || (shell === 'bash' && !existsSync(BASH_COMPLETION));
  const why = shell === 'bash' ? 'bash or bash-completion' : shell;
  describe.skipIf(missing)(missing ? `${shell} (not installed: ${why})` : shell, () => {
    for (const installation of installations)
      test(`completes ${installation.title}, and runs nothing`, async () => {
        const { ran, files } = await linesAfterTab(setup, installation);
        expect(ran).toEqual(
          installation
            .typed(shell)
            .map(([program, , words]) => [...(program === 'kubectl' ? [] : ['gc-tree']), ...words]),
        );
        expect(files).toEqual(['ran']);
      });
  });
}
