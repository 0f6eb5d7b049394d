/**
 * Tab in real shells with the scripts of `completion`: what is put on the line means the very object whose name was
 * begun, whatever the name is, and nothing in a name is ever run.
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
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import nodePty from '@lydell/node-pty';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { complete } from '../../src/cli/completion/complete.ts';
import { completionScript } from '../../src/cli/completion/scripts.ts';
import { consoleFor, SmallSource } from '../cli/console.ts';
import { pathSegments, sampled } from '../shells/names.ts';
import { pathOf } from '../shells/shells.ts';

const HOW_MANY = Number(process.env['GC_TREE_TABS'] ?? 60);

/** Milliseconds; thousands of names take longer. */
const PATIENCE = 60_000 + HOW_MANY * 200;

interface Typist {
  readonly shell: 'bash' | 'zsh' | 'fish';
  /** Files of the home folder, and the arguments that make the shell read them. */
  home(script: string): Readonly<Record<string, string>>;
  arguments(home: string): readonly string[];
}

/** Writes its arguments to the file `ran`; what Enter runs. */
const posix = `kubectl-gc_tree() { printf '%s\\0' "$@" $'\\n' >> ran; }\nPS1='$ '\n`;

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
    shell: 'fish',
    home: script => ({
      '.rc': `function kubectl-gc_tree; printf '%s\\0' $argv \\n >> ran; end
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
    const { io, deps, result } = consoleFor({ source, env: { GC_TREE_COMPLETE: shell } });
    const words =
      shell === 'bash' ? [`kubectl-gc_tree why role/x${i}-`, `role/x${i}-`] : ['why', `role/x${i}-`];
    await complete(words, io, deps);
    writeFileSync(path.join(folder, `${i}`), result().out);
  }
}

const stub = (folder: string): string => `#!/bin/sh
for last; do :; done
number=\${last#*role/x}
exec /bin/cat '${folder}'/"\${number%%-*}"
`;

interface Session {
  readonly home: string;
  readonly run: (lines: readonly string[]) => Promise<string[][]>;
}

async function openSession(typist: Typist, names: readonly string[]): Promise<Session> {
  const home = mkdtempSync(path.join(tmpdir(), 'gc-tree-tab-'));
  await answers(names, typist.shell, path.join(home, '.answers'));
  mkdirSync(path.join(home, '.bin'));
  mkdirSync(path.join(home, 'work'));
  const program = path.join(home, '.bin', 'kubectl_complete-gc_tree');
  writeFileSync(program, stub(path.join(home, '.answers')));
  chmodSync(program, 0o755);
  for (const [file, text] of Object.entries(typist.home(completionScript(typist.shell))))
    writeFileSync(path.join(home, file), text);
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
        await until(() => written() > before);
      }
      const ended = new Promise(resolve => pty.onExit(resolve));
      pty.kill();
      await ended;
      return readFileSync(file, 'utf8')
        .split('\n\0')
        .slice(0, -1)
        .map(record => record.split('\0').slice(0, -1));
    },
  };
}

for (const typist of typists) {
  const missing = pathOf(typist.shell) === undefined;
  describe.skipIf(missing)(
    missing ? `${typist.shell} (not installed: apt-get install ${typist.shell})` : typist.shell,
    () => {
      const names = ['c;touch x;#', '--all', 'a b', ...sampled(pathSegments, HOW_MANY, 7)];
      let session: Session;
      beforeAll(async () => {
        session = await openSession(typist, names);
      }, PATIENCE);
      afterAll(() => rmSync(session.home, { recursive: true, force: true }));

      test(
        'completes a name to the very same name, and leaves alone what can not be shown',
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
    },
  );
}
