/** What is looked up has files of Linux below it: a path of Windows with `/` for its root leads to them here too. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Platform, platformOf } from '../../src/platform/platform.ts';
import { programs } from '../../src/platform/programs.ts';

const win32 = platformOf('win32');
/** As Windows, but for the separators of this machine's files. */
const windows = { ...win32, path: { ...path.posix, delimiter: ';' } as typeof path.posix };

describe.skipIf(Platform.current.isWindows)('a program on the PATH of Windows', () => {
  let folder: string;
  const put = (...names: readonly string[]): void => {
    for (const name of names) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), '');
      chmodSync(path.join(folder, name), 0o700);
    }
  };
  const found = (command: string, env: Readonly<Record<string, string>> = {}) => {
    const result = programs.lookUp(command, { PATH: `${folder}/one;;${folder}/two`, ...env }, windows);
    return 'file' in result ? path.relative(folder, result.file) : result.missing;
  };
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-programs-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('has an ending of PATHEXT, in that order, and the first folder goes before the better ending', () => {
    put('one/login.cmd', 'one/login.bat', 'two/login.exe');
    expect(found('login')).toBe('one/login.bat');
    expect(found('login', { PATHEXT: '.CMD;.EXE' })).toBe('one/login.cmd');
    expect(found('login', { PATHEXT: ';exe' })).toBe('two/login.exe');
    expect(found('login.exe')).toBe('two/login.exe');
    expect(found('kubectl')).toBe('everywhere');
  });

  it('is none without an ending that is known', () => {
    put('one/login', 'two/login.ps1');
    expect(found('login')).toBe('everywhere');
    expect(found('login.ps1')).toBe('two/login.ps1');
  });

  it('may have a dot in its name, and an ending behind it', () => {
    put('one/kubectl-1.30.exe');
    expect(found('kubectl-1.30')).toBe('one/kubectl-1.30.exe');
  });

  it('is a path as soon as anything parts it', () => {
    for (const command of ['./login', String.raw`.\login`, 'C:login', 'C:/login'])
      expect(programs.isPath(command, win32), command).toBe(true);
    expect(programs.isPath('login.exe', win32)).toBe(false);
    expect(programs.isPath(String.raw`a\b`, platformOf('linux'))).toBe(false);
    put('one/login.exe');
    expect(found(`${folder}/one/login`)).toBe('one/login.exe');
  });

  it('is never the one of the current folder, unless the PATH leads to the same', () => {
    const before = process.cwd();
    put('here/login.exe', 'one/login.exe', 'here/other.exe');
    process.chdir(path.join(folder, 'here'));
    try {
      expect(found('login')).toBe('relative');
      expect(found('other')).toBe('relative');
      expect(found('login', { NoDefaultCurrentDirectoryInExePath: '' })).toBe('one/login.exe');
      expect(found('other', { NoDefaultCurrentDirectoryInExePath: '1' })).toBe('everywhere');
      expect(found('login', { PATH: `${folder}/here` })).toBe('here/login.exe');
    } finally {
      process.chdir(before);
    }
  });
});

describe('a batch file', () => {
  const line = (...args: readonly string[]) =>
    programs.invocation(String.raw`C:\bin\log in.cmd`, args, { SystemRoot: String.raw`D:\Win` }, win32);

  it('is started by the cmd.exe of the system, without its registry settings', () => {
    const { file, args, options } = line('get-token');
    expect(file).toBe(String.raw`D:\Win\System32\cmd.exe`);
    expect(args).toEqual(['/e:ON', '/v:OFF', '/d', '/c', String.raw`""C:\bin\log in.cmd" "get-token""`]);
    expect(options).toEqual({ windowsVerbatimArguments: true });
  });

  it('gets each argument in quotes, with nothing that leads out of them or is a variable', () => {
    const argument = (text: string) =>
      (line(text).args.at(-1) ?? '').slice(`""C:\\bin\\log in.cmd" `.length, -1);
    expect(argument('')).toBe('""');
    expect(argument('a b & calc | more > x < y ^ ( ) ; , = !')).toBe(
      '"a b & calc | more > x < y ^ ( ) ; , = !"',
    );
    expect(argument('say "hi" & calc')).toBe('"say ""hi"" & calc"');
    expect(argument('100%PATH%')).toBe('"100%%cd:~,%PATH%%cd:~,%"');
    expect(argument('C:\\folder\\')).toBe(String.raw`"C:\folder\\"`);
    expect(argument(String.raw`a\"b`)).toBe(String.raw`"a\\""b"`);
  });

  it('is refused what cannot be said on its line', () => {
    for (const argument of ['a\nb', 'a\rb', 'a\0b']) expect(() => line(argument)).toThrow('line break');
    expect(() => programs.invocation('C:\\%x%.bat', [], {}, win32)).toThrow('batch file');
  });

  it('is the only program that is started in this way', () => {
    expect(programs.invocation('C:\\a.exe', ['a "b"'], {}, win32)).toEqual({
      file: 'C:\\a.exe',
      args: ['a "b"'],
      options: {},
    });
    expect(programs.invocation('/bin/a.cmd', ['a'], {}, platformOf('linux'))).toEqual({
      file: '/bin/a.cmd',
      args: ['a'],
      options: {},
    });
  });
});
