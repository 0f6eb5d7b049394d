/** Finds programs as Go does, because kubectl does so, and starts them without a shell. */
import { accessSync, constants, lstatSync, statSync } from 'node:fs';
import { type Environment, Platform } from './platform.ts';

export type Found =
  | { readonly file: string }
  /** Nowhere on the PATH, or only `relative`: in a folder that depends on the current one. */
  | { readonly missing: 'everywhere' | 'relative' };

function isPathOf(command: string, { isWindows, path }: Platform): boolean {
  return isWindows ? /[:\\/]/u.test(command) : command.includes(path.sep);
}

/**
 * Follows Go's `exec.LookPath` (Go 1.26): takes the first executable, and none if its folder is relative. Windows would
 * prefer one in the current folder: if that isn't the one on the PATH, it counts as relative.
 */
function lookUp(command: string, env: Environment, platform = Platform.current): Found {
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
  for (const folder of Platform.paths(env['PATH'] ?? env['Path'] ?? '', platform)) {
    // An empty folder is skipped on Windows and is the current folder elsewhere.
    if (folder === '' && isWindows) continue;
    const file = executable(path.join(folder === '' ? '.' : folder, command), env, platform);
    if (file === undefined) continue;
    if (here !== undefined && !isSameFile(here, file)) break;
    if (path.isAbsolute(file)) return { file };
    isRelative = true;
    // Only on Windows does Go look further.
    if (!isWindows) break;
  }
  return { missing: isRelative ? 'relative' : 'everywhere' };
}

/** Returns the file with the extension that Windows adds; undefined if it isn't executable. */
function executable(file: string, env: Environment, platform = Platform.current): string | undefined {
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

export interface Invocation {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: { readonly windowsVerbatimArguments?: true };
}

/**
 * Returns how to start a program; quotes for batch files, which Node refuses without a shell (CVE-2024-27980), since
 * `cmd.exe` parses arguments again. Throws for arguments that can't be quoted.
 */
function invocationOf(
  program: string,
  args: readonly string[],
  env: Environment,
  { isWindows, path } = Platform.current,
): Invocation {
  if (!isWindows || !/\.(?:bat|cmd)$/iu.test(program)) return { file: program, args, options: {} };
  const unfit = [program, ...args].some(each => /[\r\n\0]/u.test(each)) || /["%]/u.test(program);
  if (unfit) throw new Error('a batch file can neither be called that nor take a line break in an argument');
  const line = [`"${program}"`, ...args.map(batchArgument)].join(' ');
  return {
    file: path.join(env['SystemRoot'] || String.raw`C:\Windows`, 'System32', 'cmd.exe'),
    // Enables extensions, which `%cd:~,%` needs; disables AutoRun and delayed expansion, so that `!` is literal.
    args: ['/e:ON', '/v:OFF', '/d', '/c', `"${line}"`],
    options: { windowsVerbatimArguments: true },
  };
}

/**
 * Quotes an argument: in quotes `cmd.exe` takes all but two characters literally, and they survive `%*`, which carets
 * don't. An empty variable substring before each `%` keeps any variable's name from being formed.
 */
function batchArgument(text: string): string {
  const quoted = text.replace(/\\*(?="|$)/gu, slashes => slashes.repeat(2)).replaceAll('"', '""');
  return `"${quoted.replaceAll('%', '%%cd:~,%')}"`;
}

export const programs = { executable, isPath: isPathOf, lookUp, invocation: invocationOf };
