import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { saveText } from '../../src/ui/save-text.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-save-'));
});
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true, force: true });
});

test('a file that is there is never overwritten: the next one has a number', async () => {
  expect(await saveText(folder, 'a.txt', 'one')).toEqual({ path: path.join(folder, 'a.txt') });
  expect(await saveText(folder, 'a.txt', 'two')).toEqual({ path: path.join(folder, 'a-2.txt') });
  expect(await saveText(folder, 'a.txt', 'three')).toEqual({ path: path.join(folder, 'a-3.txt') });
  expect(['a.txt', 'a-2.txt', 'a-3.txt'].map(name => readFileSync(path.join(folder, name), 'utf8'))).toEqual([
    'one',
    'two',
    'three',
  ]);
});

test('no link is followed, not even one that leads nowhere', async () => {
  const elsewhere = path.join(folder, 'elsewhere');
  symlinkSync(elsewhere, path.join(folder, 'a.txt'));
  expect(await saveText(folder, 'a.txt', 'one')).toEqual({ path: path.join(folder, 'a-2.txt') });
  expect(existsSync(elsewhere)).toBe(false);
});

test('only the owner can read it', async () => {
  await saveText(folder, 'a.txt', 'one');
  expect(statSync(path.join(folder, 'a.txt')).mode & 0o777).toBe(0o600);
});

test.skipIf(process.getuid?.() === 0)('a read-only folder is told of, with what to do', async () => {
  chmodSync(folder, 0o500);
  expect(await saveText(folder, 'a.txt', 'one')).toEqual({
    failure: `No file was written: ${folder} is not writable for you. Start gc-tree in a folder of yours.`,
  });
});

test('a folder that no longer exists is named, and one that is full of such names', async () => {
  const gone = path.join(folder, 'gone');
  expect(await saveText(gone, 'a.txt', 'one')).toEqual({
    failure: `No file was written: ${gone} no longer exists. Start gc-tree in another folder.`,
  });
  for (let i = 0; i < 100; i++) await saveText(folder, 'a.txt', '');
  expect(await saveText(folder, 'a.txt', 'one')).toMatchObject({
    failure: expect.stringContaining('has 100 files named like a.txt already'),
  });
  expect(readdirSync(folder)).toHaveLength(100);
});
