/**
 * Tab in real shells with the scripts of `completion`, and nothing of ours on the PATH but `kubectl-gc_tree`: what is put
 * on the line means the very object whose name was begun, whatever the name is, and nothing in a name is ever run.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import nodePty from '@lydell/node-pty';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { complete } from '../../src/cli/completion/complete-line.ts';
import { completionScript } from '../../src/cli/completion/scripts.ts';
import { consoleFor, SmallSource } from '../cli/console.ts';
import { pathSegments, sampled } from '../shells/names.ts';
import { pathOf } from '../shells/shells.ts';

const HOW_MANY = Number(process.env['GC_TREE_TABS'] ?? 60);

/** Milliseconds; thousands of names take longer. */
const PATIENCE = 180_000 + HOW_MANY * 200;

interface Typist {
  readonly shell: 'bash' | 'zsh' | 'fish';
  /** Where it is not the usual one. */
  readonly how?: string;
  /** Files of the home folder, and the arguments that make the shell read them. */
  home(script: string): Readonly<Record<string, string>>;
  arguments(home: string): readonly string[];
}

/** Writes its arguments to the file `ran`; what Enter runs. */
const posix = `kubectl-gc_tree() { printf '%s\\0' "$@" $'\\n' >> ran; }
kubectl() { kubectl-gc_tree "$@"; }
PS1='$ '
`;

const typists: readonly Typist[] = [
  {
    shell: 'bash',
    home: script => ({ '.rc': `${posix}bind 'set enable-bracketed-paste off'\n${script}` }),
    arguments: home => ['--noprofile', '--rcfile', path.join(home, '.rc'), '-i'],
  },
  {
    shell: 'zsh',
    home: script => ({ '.zshrc': `${posix}autoload -Uz compinit; compinit -D -u\n${script}` }),
    arguments: () => ['-i'],
  },
  {
    shell: 'zsh',
    how: 'where it finds the script itself',
    home: script => ({
      '.zshrc': `${posix}fpath+=("$HOME/functions"); autoload -Uz compinit; compinit -D -u\n`,
      'functions/_kubectl_gc_tree': script,
    }),
    arguments: () => ['-i'],
  },
  {
    shell: 'fish',
    home: script => ({
      '.rc': `function kubectl-gc_tree; printf '%s\\0' $argv \\n >> ran; end
function kubectl; kubectl-gc_tree $argv; end
function fish_prompt; echo '$ '; end
set -g fish_greeting
set -g fish_autosuggestion_enabled 0
${script}`,
    }),
    arguments: home => ['--no-config', '-C', `source ${path.join(home, '.rc')}`],
  },
];

/** What the real completion answers at `role/x17-`, by the number in it: for the stub that the script asks. */
async function answers(names: readonly string[], shell: string, folder: string): Promise<void> {
  mkdirSync(folder);
  for (const [i, name] of names.entries()) {
    const source = new SmallSource(`- ${JSON.stringify({ kind: 'Role', name: `x${i}-${name}` })}`);
    const { io, services, result } = consoleFor({ source, env: { GC_TREE_COMPLETE: shell } });
    const words =
      shell === 'bash' ? [`kubectl-gc_tree why role/x${i}-`, `role/x${i}-`] : ['why', `role/x${i}-`];
    await complete(words, io, services);
    writeFileSync(path.join(folder, `${i}`), result().out);
  }
}

/** Answers what `answers` has written down. */
const stub = (folder: string): string => `#!/bin/sh
[ "$1" = __complete ] || exit 1
for each; do case $each in role/x*) number=\${each#role/x};; esac; done
exec /bin/cat '${folder}'/"\${number%%-*}"
`;

/** As krew links it. */
const product = (): string =>
  `#!/bin/sh\nexec '${process.execPath}' '${path.join(import.meta.dirname, '../../bin/kubectl-gc_tree')}' "$@"\n`;

interface Session {
  readonly home: string;
  readonly run: (lines: readonly string[]) => Promise<string[][]>;
}

/** `program` resolves with the text of `kubectl-gc_tree` for a home folder. */
async function openSession(
  typist: Typist,
  program: (home: string) => string | Promise<string>,
): Promise<Session> {
  const home = mkdtempSync(path.join(tmpdir(), 'gc-tree-tab-'));
  mkdirSync(path.join(home, '.bin'));
  mkdirSync(path.join(home, 'work'));
  const executable = path.join(home, '.bin', 'kubectl-gc_tree');
  writeFileSync(executable, await program(home));
  chmodSync(executable, 0o755);
  writeFileSync(path.join(home, 'manifest.yaml'), '');
  // fish finds files with it.
  symlinkSync('/bin/ls', path.join(home, '.bin', 'ls'));
  for (const [file, text] of Object.entries(typist.home(completionScript(typist.shell)))) {
    mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
    writeFileSync(path.join(home, file), text);
  }
  const pty = nodePty.spawn(pathOf(typist.shell) ?? typist.shell, [...typist.arguments(home)], {
    cols: 250,
    rows: 50,
    cwd: path.join(home, 'work'),
    env: {
      PATH: path.join(home, '.bin'),
      HOME: home,
      ZDOTDIR: home,
      XDG_CONFIG_HOME: home,
      TERM: 'xterm',
      LC_ALL: 'C.UTF-8',
    },
  });
  let screen = '';
  pty.onData(text => {
    screen = (screen + text).slice(-4000);
  });
  const file = path.join(home, 'work', 'ran');
  // Its size, because it grows long.
  const written = (): number => (existsSync(file) ? statSync(file).size : 0);
  const isWhole = (): boolean => readFileSync(file, 'utf8').endsWith('\n\0');
  const until = async (done: () => boolean): Promise<void> => {
    const end = Date.now() + 50_000;
    while (!done()) {
      if (Date.now() > end) throw new Error(`${typist.shell} doesn't go on:\n${screen}`);
      await new Promise(resolve => setTimeout(resolve, 10));
    }
  };
  await until(() => screen.includes('$ '));
  return {
    home,
    run: async lines => {
      for (const line of lines) {
        const before = written();
        pty.write(line);
        await until(() => written() > before && isWhole());
      }
      const ended = new Promise(resolve => pty.onExit(resolve));
      // A hangup can be lost on a bash that is between two lines.
      pty.kill('SIGKILL');
      await ended;
      return readFileSync(file, 'utf8')
        .split('\n\0')
        .slice(0, -1)
        .map(record => record.split('\0').slice(0, -1));
    },
  };
}

/** What is typed before Tab, and the words that are then on the line. The cluster tests have more. */
const lines: readonly (readonly [string, readonly string[]])[] = [
  ['kubectl gc-tree check --output=js', ['gc-tree', 'check', '--output=json']],
  ['kubectl gc-tree plan --fail-on=stuck,ref', ['gc-tree', 'plan', '--fail-on=stuck,refused']],
  ['kubectl gc-tree why --demo shop deploy/a', ['gc-tree', 'why', '--demo', 'shop', 'deploy/api']],
  ['kubectl-gc_tree check -o=ya', ['check', '-o=yaml']],
  ['kubectl-gc_tree tree --filename=../mani', ['tree', '--filename=../manifest.yaml']],
];

for (const typist of typists) {
  const missing = pathOf(typist.shell) === undefined;
  describe.skipIf(missing)(
    [typist.shell, typist.how, missing ? `(not installed: apt-get install ${typist.shell})` : undefined]
      .filter(each => each !== undefined)
      .join(' '),
    () => {
      const names = ['c;touch x;#', '--all', 'a b', ...sampled(pathSegments, HOW_MANY, 7)];
      let session: Session;
      beforeAll(async () => {
        session = await openSession(typist, async home => {
          const folder = path.join(home, '.answers');
          await answers(names, typist.shell, folder);
          return stub(folder);
        });
      }, PATIENCE);
      afterAll(() => rmSync(session.home, { recursive: true, force: true }));

      test(
        'completes a name to the very same name, and leaves alone what cannot be shown',
        async () => {
          const ran = await session.run(names.map((_, i) => `kubectl-gc_tree why role/x${i}-\t\r`));
          for (const [i, name] of names.entries()) {
            const isHidden =
              /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufffd\u2800]|(?! )\p{Zs}|^\p{M}|[ -/:-@[-`{-~]\p{M}/u.test(
                name,
              );
            expect(ran[i]).toEqual(['why', `role/x${i}-${isHidden ? '' : name}`]);
          }
          expect(readdirSync(path.join(session.home, 'work'))).toEqual(['ran']);
        },
        PATIENCE,
      );

      test('completes both spellings of the program', { timeout: PATIENCE }, async () => {
        const { home, run } = await openSession(typist, product);
        try {
          const ran = await run(lines.map(([line]) => `${line}\t\r`));
          expect(ran).toEqual(lines.map(([, words]) => words));
          expect(readdirSync(path.join(home, 'work'))).toEqual(['ran']);
        } finally {
          rmSync(home, { recursive: true, force: true });
        }
      });
    },
  );
}
