import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { Person } from '../../src/disk/person.ts';
import { privateFolder } from '../../src/disk/private-folder.ts';

const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'gc-tree-private-')));
let home: string;

/** Whoever runs the test; `other` than that for folders that aren't theirs. */
const me = Person.current();
const uid = me?.uid ?? 0;
const nobodyElse: Person = { uid, trusts: owner => owner === uid || owner === 0, isAlone: () => false };
const other: Person = { ...nobodyElse, uid: uid + 1, trusts: owner => owner === uid + 1 };

function modeOf(folder: string): number {
  return statSync(folder).mode & 0o7777;
}

afterAll(() => rmSync(base, { recursive: true, force: true }));

beforeEach(() => {
  home = mkdtempSync(path.join(base, 'home-'));
});

describe.skipIf(me === null)('a private folder', () => {
  it('is made with all that is missing above it, for its user alone, whatever the umask', () => {
    const before = process.umask(0);
    try {
      const folder = path.join(home, 'a/b/c');
      expect(privateFolder.make(folder)).toBe(folder);
      for (const each of ['a', 'a/b', 'a/b/c']) expect(modeOf(path.join(home, each))).toBe(0o700);
      expect(privateFolder.make(folder)).toBe(folder);
      expect(privateFolder.find(folder)).toBe(folder);
    } finally {
      process.umask(before);
    }
  });

  it('is not made by looking for it', () => {
    expect(privateFolder.find(path.join(home, 'a/b'))).toBeUndefined();
    expect(readdirSync(home)).toEqual([]);
  });

  it('is closed to readers when it is written to, and left as it is when it is read', () => {
    const folder = path.join(home, 'open');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    expect(privateFolder.find(folder, nobodyElse)).toBe(folder);
    expect(modeOf(folder)).toBe(0o755);
    privateFolder.make(folder, nobodyElse);
    expect(modeOf(folder)).toBe(0o700);
  });

  it('is refused where others can write to it or to a folder above it', () => {
    const folder = privateFolder.make(path.join(home, 'a/b'));
    for (const [each, mode] of [
      ['a/b', 0o777],
      ['a/b', 0o1777],
      ['a/b', 0o770],
      ['a', 0o707],
      ['a', 0o720],
      ['.', 0o777],
    ] as const) {
      const at = path.join(home, each);
      chmodSync(at, mode);
      const refused = `${at} can be written to by other users (mode ${mode.toString(8).padStart(4, '0')})`;
      expect(() => privateFolder.find(folder, nobodyElse)).toThrow(refused);
      expect(() => privateFolder.make(folder, nobodyElse)).toThrow(refused);
      chmodSync(at, 0o700);
    }
    expect(privateFolder.find(folder, nobodyElse)).toBe(folder);
  });

  it("may be written to by the user's own group, which has no other member", () => {
    const folder = privateFolder.make(path.join(home, 'a/b'));
    for (const each of ['a', 'a/b']) chmodSync(path.join(home, each), 0o775);
    const alone = { ...nobodyElse, isAlone: () => true };
    expect(privateFolder.find(folder, alone)).toBe(folder);
    chmodSync(path.join(home, 'a'), 0o777);
    expect(() => privateFolder.find(folder, alone)).toThrow('mode 0777');
  });

  it('is refused where it or a folder above it belongs to another user', () => {
    const folder = privateFolder.make(path.join(home, 'a'));
    expect(() => privateFolder.find(folder, other)).toThrow(/belongs to another user \(uid \d+\)$/u);
    expect(() => privateFolder.make(folder, other)).toThrow(/belongs to another user \(uid \d+\)$/u);
    const trusting = { ...other, trusts: () => true };
    expect(() => privateFolder.find(folder, trusting)).toThrow(
      `${folder} belongs to another user (uid ${uid})`,
    );
  });

  it('may lie in a folder of its own below one such as /tmp, but is not made there', () => {
    chmodSync(home, 0o1777);
    expect(() => privateFolder.make(path.join(home, 'a/b'), nobodyElse)).toThrow(/everyone can write to/u);
    expect(existsSync(path.join(home, 'a'))).toBe(false);
    mkdirSync(path.join(home, 'a'), { mode: 0o700 });
    expect(privateFolder.make(path.join(home, 'a/b'), nobodyElse)).toBe(path.join(home, 'a/b'));
    const trusting = { ...other, trusts: (owner: number) => owner !== uid };
    expect(() => privateFolder.find(path.join(home, 'a/b'), trusting)).toThrow(/belongs to another user/u);
  });

  it("is found through symbolic links of the user's own, of which each step is looked at", () => {
    const disk = path.join(home, 'disk');
    mkdirSync(path.join(disk, 'real'), { recursive: true, mode: 0o700 });
    symlinkSync('disk/../disk/real', path.join(home, 'relative'));
    symlinkSync(path.join(home, 'relative'), path.join(home, 'absolute'));
    const folder = path.join(home, 'absolute', 'x');
    expect(privateFolder.make(folder, nobodyElse)).toBe(path.join(disk, 'real/x'));
    expect(privateFolder.find(folder, nobodyElse)).toBe(path.join(disk, 'real/x'));
    chmodSync(disk, 0o777);
    expect(() => privateFolder.find(folder, nobodyElse)).toThrow(`${disk} can be written to by other users`);
    chmodSync(disk, 0o700);
    symlinkSync('cycle', path.join(home, 'cycle'));
    expect(() => privateFolder.find(path.join(home, 'cycle'))).toThrow(/loop of symbolic links/u);
  });

  it('is refused behind a symbolic link of another user', () => {
    privateFolder.make(path.join(home, 'real'));
    const link = path.join(home, 'link');
    symlinkSync('real', link);
    // Only what is asked of the link is answered otherwise: it and its folders belong to the same user here.
    let asked = 0;
    const above = link.split('/').length - 1;
    const person: Person = { ...nobodyElse, trusts: () => ++asked <= above };
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(() => privateFolder.find(link, person)).toThrow(`${link} belongs to another user`);
  });

  it('cannot be where a file is in the way', () => {
    writeFileSync(path.join(home, 'file'), '');
    expect(() => privateFolder.make(path.join(home, 'file/a'))).toThrow(/ENOTDIR/u);
    expect(() => privateFolder.find(path.join(home, 'file'))).toThrow(/ENOTDIR/u);
  });
});

describe('a private folder where nobody has a number, as on Windows', () => {
  it('is one below the profile, whichever way it is written', () => {
    const profile = path.join(home, 'profile');
    const folder = path.join(profile, 'a/../b/c');
    expect(privateFolder.find(folder, null, [profile])).toBeUndefined();
    expect(privateFolder.make(folder, null, [profile])).toBe(folder);
    expect(privateFolder.find(folder, null, [profile])).toBe(folder);
  });

  it('is none elsewhere, and nothing is made there', () => {
    const profile = path.join(home, 'profile');
    for (const away of ['elsewhere', 'profile/../elsewhere', 'profile-of-another'])
      expect(() => privateFolder.make(path.join(home, away), null, [profile])).toThrow(
        'outside of your user',
      );
    expect(readdirSync(home)).toEqual([]);
    expect(() => privateFolder.find(home, null, [profile])).toThrow('outside of your user');
  });

  it.skipIf(me === null)('is none behind a link that leads out', () => {
    const profile = path.join(home, 'profile');
    mkdirSync(profile);
    mkdirSync(path.join(home, 'shared'));
    symlinkSync(path.join(home, 'shared'), path.join(profile, 'link'));
    expect(() => privateFolder.make(path.join(profile, 'link'), null, [profile])).toThrow('outside');
    expect(() => privateFolder.find(path.join(profile, 'link'), null, [profile])).toThrow('outside');
  });
});
