import { describe, expect, it } from 'vitest';
import { Platform, platformOf } from '../../src/platform/platform.ts';

const windows = platformOf('win32');
const linux = platformOf('linux');

describe('a list of paths', () => {
  it('is parted as Go does it (TestWinSplitList, TestSplitList of path/filepath)', () => {
    const cases: readonly [string, readonly string[]][] = [
      ['', []],
      [String.raw`"a"`, ['a']],
      [String.raw`";"`, [';']],
      [String.raw`"a;b"`, ['a;b']],
      [String.raw`";";`, [';', '']],
      [String.raw`;";"`, ['', ';']],
      [String.raw`a";"b`, ['a;b']],
      [String.raw`a; b";"c`, ['a', ' b;c']],
      [String.raw`"a";b`, ['a', 'b']],
      [String.raw`a;"b;c`, ['a', 'b;c']],
      [String.raw`C:\one;C:\two words`, [String.raw`C:\one`, String.raw`C:\two words`]],
    ];
    for (const [list, paths] of cases) expect(Platform.paths(list, windows), list).toEqual(paths);
    expect(Platform.paths('/a::/b', linux)).toEqual(['/a', '', '/b']);
    expect(Platform.paths('"/a:/b"', linux)).toEqual(['"/a', '/b"']);
    expect(Platform.paths('', linux)).toEqual([]);
  });
});

describe('the name of a file', () => {
  it('is none of a device, whatever its ending and folder', () => {
    for (const name of ['NUL', 'con', 'aux.rec', 'Com1.json', String.raw`C:\tmp\lpt9.gz`, 'prn .x'])
      expect(Platform.unfitFileName(name, windows), name).toContain('device');
    for (const name of ['console.rec', 'nully', 'com10.rec', 'auxiliary', String.raw`con\a.rec`])
      expect(Platform.unfitFileName(name, windows), name).toBeUndefined();
  });

  it('has no character that names no file there, and a drive is none of its name', () => {
    expect(Platform.unfitFileName('12:30.rec', windows)).toContain(':');
    expect(Platform.unfitFileName('what?.rec', windows)).toContain('?');
    expect(Platform.unfitFileName(String.raw`C:\a\b.rec`, windows)).toBeUndefined();
    expect(Platform.unfitFileName('C:/a/b.rec', windows)).toBeUndefined();
  });

  it('is free elsewhere', () => {
    for (const name of ['NUL', '12:30.rec', 'a?b'])
      expect(Platform.unfitFileName(name, linux)).toBeUndefined();
  });
});
