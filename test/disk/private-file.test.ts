import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { Person } from '../../src/disk/person.ts';
import { PrivateFile } from '../../src/disk/private-file.ts';

const base = mkdtempSync(path.join(tmpdir(), 'gc-tree-private-'));
let file: string;

const me = Person.current();
const uid = me?.uid ?? 0;
const person: Person = { uid, trusts: () => true, isAlone: () => false };

afterAll(() => rmSync(base, { recursive: true, force: true }));

beforeEach(() => {
  file = path.join(mkdtempSync(path.join(base, 'files-')), 'file');
});

describe.skipIf(me === null)('a private file', () => {
  it('is made for its user alone and once, and read back', async () => {
    const before = process.umask(0);
    try {
      const handle = await PrivateFile.make(file);
      await handle.appendFile('text');
      await handle.close();
    } finally {
      process.umask(before);
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await PrivateFile.read(file)).toBe('text');
    await expect(PrivateFile.make(file)).rejects.toThrow(/EEXIST/u);
    expect(await PrivateFile.read(`${file}-2`)).toBeUndefined();
  });

  it('is not made through a symbolic link, and not read through one', async () => {
    symlinkSync(`${file}-elsewhere`, file);
    await expect(PrivateFile.make(file)).rejects.toThrow(/EEXIST/u);
    writeFileSync(`${file}-elsewhere`, 'text');
    await expect(PrivateFile.read(file)).rejects.toThrow(`${file} is a symbolic link`);
  });

  it('is not read where it belongs to another user, or others can write to it', async () => {
    writeFileSync(file, 'text', { mode: 0o644 });
    expect(await PrivateFile.read(file, person)).toBe('text');
    await expect(PrivateFile.read(file, { ...person, uid: uid + 1 })).rejects.toThrow(
      `${file} belongs to another user (uid ${uid})`,
    );
    for (const mode of [0o602, 0o620, 0o666]) {
      chmodSync(file, mode);
      await expect(PrivateFile.read(file, person)).rejects.toThrow(/can be written to by other users/u);
    }
    chmodSync(file, 0o660);
    expect(await PrivateFile.read(file, { ...person, isAlone: () => true })).toBe('text');
  });

  it('is not read where it has another name, through which it could be another file altogether', async () => {
    writeFileSync(file, 'text');
    linkSync(file, `${file}-2`);
    await expect(PrivateFile.read(file)).rejects.toThrow(/hard link/u);
  });

  it('is not waited for where it is a pipe, and not read where it is a folder', async () => {
    execFileSync('mkfifo', [file]);
    await expect(PrivateFile.read(file)).rejects.toThrow(`${file} is not a file`);
    mkdirSync(`${file}-2`);
    await expect(PrivateFile.read(`${file}-2`)).rejects.toThrow('is not a file');
  });
});
