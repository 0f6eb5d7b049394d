import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Platform, platformOf } from '../../src/platform/platform.ts';
import { pagerOf } from '../../src/ui/borrowed/pager.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-pager-'));
for (const name of ['less.exe', 'more.com']) {
  writeFileSync(path.join(folder, name), '');
  chmodSync(path.join(folder, name), 0o700);
}
afterAll(() => rmSync(folder, { recursive: true }));
const windows = { ...platformOf('win32'), path: { ...path.posix, delimiter: ';' } as typeof path.posix };

test.skipIf(Platform.current.isWindows)(
  'on Windows a pager is started without a shell, where it is on the PATH',
  () => {
    expect(pagerOf({ PATH: folder }, windows)).toEqual({
      file: path.join(folder, 'less.exe'),
      args: ['-+F', '-+E'],
      stays: true,
    });
    expect(pagerOf({ PATH: folder, PAGER: 'more /E /C' }, windows)).toEqual({
      file: path.join(folder, 'more.com'),
      args: ['/E', '/C'],
      stays: false,
    });
    expect(pagerOf({ PATH: '' }, windows)).toBeUndefined();
    expect(pagerOf({ PATH: folder, PAGER: '' }, windows)).toBeUndefined();
  },
);

test('elsewhere the shell reads the line', () => {
  expect(pagerOf({ PAGER: 'less -R' }, platformOf('linux'))).toMatchObject({ file: '/bin/sh', stays: true });
  expect(pagerOf({}, platformOf('linux'))).toMatchObject({ file: 'less' });
});
