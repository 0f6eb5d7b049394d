/** Programs by their names: found as Go finds them, for that is how kubectl does, and started without a shell. */
import { accessSync, constants, lstatSync, statSync } from 'node:fs';
import { type Environment, type Platform, pathsOf, thisPlatform } from './platform.ts';

export type Found =
  | { readonly file: string }
  /** Nowhere on the PATH, or only `relative`: in a folder that depends on where one stands. */
  | { readonly missing: 'everywhere' | 'relative' };

/** Whether it names a file rather than something to be looked up. */
export function isPathOf(command: string, { isWindows, path }: Platform): boolean {
  return isWindows ? /[:\\/]/u.test(command) : command.includes(path.sep);
}

/**
 * Go's `exec.LookPath` (Go 1.26): the first one that can be executed counts, and where its folder is relative, none does.
 * Windows would run what lies in the current folder first: one there that isn't the one of the PATH counts as relative.
 */
export function lookUp(command: string, env: Environment, platform = thisPlatform): Found {
  const { path, isWindows } = platform;
  if (isPathOf(command, platform)) {
    const file = executable(command, env, platform);
    return file === undefined ? { missing: 'everywhere' } : { file };
  }
  const here =
    isWindows && env['NoDefaultCurrentDirectoryInExePath'] === undefined
      ? executable(`.${path.sep}${command}`, env, platform)
      : undefined;
  let isRelative = here !== undefined;
  for (const folder of pathsOf(env['PATH'] ?? env['Path'] ?? '', platform)) {
    // On Windows an empty folder is passed over; elsewhere it is the current one.
    if (folder === '' && isWindows) continue;
    const file = executable(path.join(folder === '' ? '.' : folder, command), env, platform);
    if (file === undefined) continue;
    if (here !== undefined && !isSameFile(here, file)) break;
    if (path.isAbsolute(file)) return { file };
    isRelative = true;
    // Go looks further on Windows alone.
    if (!isWindows) break;
  }
  return { missing: isRelative ? 'relative' : 'everywhere' };
}

/** The file with the ending that Windows adds to it; undefined where nothing there can be executed. */
export function executable(file: string, env: Environment, platform = thisPlatform): string | undefined {
  return endingsOf(file, env, platform)
    .map(ending => file + ending)
    .find(each => {
      try {
        accessSync(each, constants.X_OK);
        return !statSync(each).isDirectory();
      } catch {
        return false;
      }
    });
}

function endingsOf(file: string, env: Environment, { isWindows, path }: Platform): readonly string[] {
  if (!isWindows) return [''];
  const known = (env['PATHEXT'] || '.com;.exe;.bat;.cmd')
    .toLowerCase()
    .split(';')
    .filter(ending => ending !== '')
    .map(ending => (ending.startsWith('.') ? ending : `.${ending}`));
  return path.extname(file) === '' ? known : ['', ...known];
}

function isSameFile(one: string, other: string): boolean {
  try {
    const [a, b] = [lstatSync(one, { bigint: true }), lstatSync(other, { bigint: true })];
    return a.dev === b.dev && a.ino === b.ino;
  } catch {
    return false;
  }
}

/** What node:child_process is called with. */
export interface Invocation {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: { readonly windowsVerbatimArguments?: true };
}

/**
 * How a program is started whose file has been found. Node refuses batch files without a shell (CVE-2024-27980), since
 * `cmd.exe` reads their arguments anew: it is started here with arguments that it reads as they were meant. Throws for those
 * that cannot be written on its line.
 */
export function invocationOf(
  program: string,
  args: readonly string[],
  env: Environment,
  { isWindows, path } = thisPlatform,
): Invocation {
  if (!isWindows || !/\.(?:bat|cmd)$/iu.test(program)) return { file: program, args, options: {} };
  const unfit = [program, ...args].some(each => /[\r\n\0]/u.test(each)) || /["%]/u.test(program);
  if (unfit) throw new Error('a batch file can neither be called that nor take a line break in an argument');
  const line = [`"${program}"`, ...args.map(batchArgument)].join(' ');
  return {
    file: path.join(env['SystemRoot'] || String.raw`C:\Windows`, 'System32', 'cmd.exe'),
    // Extensions on, for the variable below; delayed expansion off, for `!`; nothing of the registry's AutoRun.
    args: ['/e:ON', '/v:OFF', '/d', '/c', `"${line}"`],
    options: { windowsVerbatimArguments: true },
  };
}

/**
 * Always in quotes, in which `cmd.exe` takes everything for what it is but for two characters, and which stay there when
 * the batch file hands `%*` on. Carets, as other programs use, would be gone by then. A `%` stands behind a variable's
 * substring that is empty, so that no name of a variable is left around it.
 */
function batchArgument(text: string): string {
  const quoted = text.replace(/\\*(?="|$)/gu, slashes => slashes.repeat(2)).replaceAll('"', '""');
  return `"${quoted.replaceAll('%', '%%cd:~,%')}"`;
}
