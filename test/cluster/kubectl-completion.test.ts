/**
 * Tab behind `kubectl gc-tree` with kubectl's own completion scripts, in real shells on a real cluster: kubectl inserts
 * what it is told and evaluates the line at the next Tab, so nothing that a shell would run is offered.
 */
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
import { controlPlaneBinaries } from '../harness/binaries.ts';
import type { Cluster } from '../harness/cluster.ts';
import { startControlPlane } from '../harness/control-plane.ts';
import { pathOf } from '../shells/shells.ts';

const BASH_COMPLETION = '/usr/share/bash-completion/bash_completion';
const bin = process.env['GC_TREE_TEST_BIN'] ?? path.join(import.meta.dirname, '..', '..', 'bin');

let cluster: Cluster;
let kubectl: string;

/** What is typed behind `clusterrole/`, and what is on the line after Tab. */
const typed: readonly (readonly [string, string])[] = [
  ['only-', 'only-plain'],
  ['system-like:', 'system-like:node'],
  // Offered to no shell.
  ['c;to', 'c;to'],
  ['run-', 'run-'],
  ['two-', 'two-'],
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
/** Enter writes the words down in place of running them; completion asks the real kubectl. */
const posix = `kubectl() { if [ "$1" = __complete ]; then command kubectl "$@"; else printf '%s\\0' "$@" >> ran; echo >> ran; fi; }\nPS1='${PROMPT}'\n`;

interface Setup {
  readonly shell: 'bash' | 'zsh' | 'fish';
  readonly rc: string;
  readonly arguments: (home: string) => readonly string[];
}

const setups: readonly Setup[] = [
  {
    shell: 'bash',
    rc: `${posix}bind 'set enable-bracketed-paste off'\nsource ${BASH_COMPLETION}\nsource <(command kubectl completion bash)\n`,
    arguments: home => ['--noprofile', '--rcfile', path.join(home, '.rc'), '-i'],
  },
  {
    shell: 'zsh',
    rc: `${posix}autoload -Uz compinit; compinit -D -u\nsource <(command kubectl completion zsh)\n`,
    arguments: () => ['-i'],
  },
  {
    shell: 'fish',
    rc: `command kubectl completion fish | source
function kubectl; if test "$argv[1]" = __complete; command kubectl $argv; else; printf '%s\\0' $argv >> ran; echo >> ran; end; end
function fish_prompt; echo -n '${PROMPT}'; end
set -g fish_greeting
set -g fish_autosuggestion_enabled 0
`,
    arguments: home => ['--no-config', '-C', `source ${path.join(home, '.rc')}`],
  },
];

async function linesAfterTab({
  shell,
  rc,
  arguments: args,
}: Setup): Promise<{ ran: string[]; files: string[] }> {
  const home = mkdtempSync(path.join(tmpdir(), 'gc-tree-kubectl-'));
  const work = path.join(home, 'work');
  mkdirSync(work);
  mkdirSync(path.join(home, 'bin'));
  symlinkSync(kubectl, path.join(home, 'bin', 'kubectl'));
  for (const program of ['kubectl-gc_tree', 'kubectl_complete-gc_tree']) {
    const file = path.join(home, 'bin', program);
    writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${path.join(bin, program)}' "$@"\n`);
    chmodSync(file, 0o755);
  }
  writeFileSync(path.join(home, shell === 'zsh' ? '.zshrc' : '.rc'), rc);
  const pty = nodePty.spawn(pathOf(shell) ?? shell, [...args(home)], {
    cols: 200,
    rows: 50,
    cwd: work,
    env: {
      PATH: `${path.join(home, 'bin')}:/usr/bin:/bin`,
      HOME: home,
      ZDOTDIR: home,
      XDG_CONFIG_HOME: home,
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
    for (const [i, [word]] of typed.entries()) {
      // What a shell would read something into is typed in quotes, as a person does.
      pty.write(`kubectl gc-tree why clusterrole/${word.replace(';', '\\;')}\t\t\r`);
      await until(`no answer to ${word}`, () => ran().length > i);
    }
    return { ran: ran().map(line => line.split('\0')[2] ?? ''), files: readdirSync(work) };
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
    test('completes usual names, and neither inserts nor runs any other', async () => {
      const { ran, files } = await linesAfterTab(setup);
      expect(ran).toEqual(typed.map(([, line]) => `clusterrole/${line}`));
      expect(files).toEqual(['ran']);
    });
  });
}
