/**
 * The shells of this machine, and what a program receives of lines that are pasted into them: a `kubectl` that is a
 * function of the shell writes down its arguments. Nothing else can be run: there is no other program on the PATH.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface Shell {
  readonly name: string;
  /** As a person has it: bash and zsh with their history, which `!` asks for. */
  readonly arguments: readonly string[];
  /** Defines `kubectl`, which prints the number of its arguments, these, and what it reads, each ended by NUL. */
  readonly stub: string;
}

const posix = `kubectl() {
  printf '%s\\0' "$#" "$@"
  case " $* " in *' -f - '*) IFS= read -r input; printf '%s\\0' "$input";; *) printf '\\0';; esac
}
`;

const fish = `function kubectl
  printf '%s\\0' (count $argv) $argv
  if string match -q -- '* -f - *' " $argv "
    read input
    printf '%s\\0' $input
  else
    printf '\\0'
  end
end
`;

const known: readonly Shell[] = [
  { name: 'sh', arguments: [], stub: posix },
  { name: 'bash', arguments: ['--norc', '--noprofile', '-i'], stub: `set +o emacs; ${posix}` },
  { name: 'zsh', arguments: ['-f', '-i', '-s'], stub: `setopt BANG_HIST; unsetopt ZLE; ${posix}` },
  { name: 'fish', arguments: ['--no-config'], stub: fish },
];

/** Where a shell is; undefined where it isn't installed. */
export function pathOf(shell: string): string | undefined {
  const found = spawnSync('sh', ['-c', `command -v ${shell}`], { encoding: 'utf8' });
  return found.status === 0 ? found.stdout.trim() : undefined;
}

/** The shells to test; where one isn't installed its tests are skipped, and their names say so. */
export const shells = known.map(shell => {
  const executable = pathOf(shell.name);
  return {
    shell,
    missing: executable === undefined,
    title:
      executable === undefined ? `${shell.name} (not installed: apt-get install ${shell.name})` : shell.name,
  };
});

export interface Received {
  readonly words: readonly string[];
  readonly input: string;
}

/** What `kubectl` receives of these lines, one or more of each. Throws where a line does anything else. */
export function received(shell: Shell, lines: readonly string[]): Received[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-shell-'));
  try {
    const executable = pathOf(shell.name) ?? shell.name;
    // A file, not a pipe: fish reads no long script from a pipe.
    const script = path.join(folder, '.script');
    writeFileSync(script, `${shell.stub}${lines.map(line => `${line}\n`).join('')}printf '%s\\0' the-end\n`);
    const input = openSync(script, 'r');
    const { stdout, stderr, status, signal } = spawnSync(executable, shell.arguments, {
      stdio: [input, 'pipe', 'pipe'],
      cwd: folder,
      env: {
        PATH: '/nonexistent',
        HOME: folder,
        TERM: 'dumb',
        LC_ALL: 'C.UTF-8',
        HISTFILE: '',
        PS1: '',
        PS2: '',
      },
      maxBuffer: 1 << 30,
      timeout: 600_000,
    });
    closeSync(input);
    // Whatever a name made the shell write is seen here.
    const left = readdirSync(folder).filter(name => !name.startsWith('.'));
    if (left.length > 0) throw new Error(`${shell.name} made the files ${left.join(', ')}`);
    const parts = stdout.toString('utf8').split('\0');
    if (parts.at(-2) !== 'the-end')
      throw new Error(
        `${shell.name} stopped before the last line (${status ?? signal}): ${stderr.toString().slice(0, 800)}`,
      );
    return recordsOf(parts.slice(0, -2));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function recordsOf(parts: readonly string[]): Received[] {
  const records: Received[] = [];
  for (let at = 0; at < parts.length; ) {
    const count = Number(parts[at]);
    if (!/^\d+$/u.test(parts[at] ?? ''))
      throw new Error(`not the number of arguments: ${JSON.stringify(parts[at])}`);
    records.push({ words: parts.slice(at + 1, at + 1 + count), input: parts[at + 1 + count] ?? '' });
    at += count + 2;
  }
  return records;
}
