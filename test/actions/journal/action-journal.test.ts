import {
  appendFile,
  chmod,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type BackupObject, type EntryWriter, Journal } from '../../../src/actions/journal/action-journal.ts';
import { type Entry, tookEffect } from '../../../src/actions/journal/journal-entry.ts';
import type { Identity } from '../../../src/graph/node.ts';
import type { JsonRecord } from '../../../src/model/json/json.ts';
import type { Uid } from '../../../src/model/object.ts';
import { temporaryFolder } from '../acting-world.ts';

const object: Identity = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: 'shop',
  name: 'c',
  uid: 'c' as Uid,
};
const json = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'shop', uid: 'c' } };
const request = {
  method: 'DELETE',
  path: '/api/v1/namespaces/shop/configmaps/c',
  contentType: 'application/json',
  body: {},
} as const;
const now = Date.parse('2026-11-21T10:15:00.250Z');

function begin(
  journal: Journal,
  { at = now, backup = [] as readonly BackupObject[] } = {},
): Promise<EntryWriter> {
  const intended = {
    at,
    verb: 'delete',
    title: 'delete ConfigMap shop/c, background',
    object,
    cluster: 'k',
    context: 'test',
    requests: [request, request],
  } as const;
  return journal.begin(intended, backup);
}

async function withBackup(of: JsonRecord) {
  const folder = await temporaryFolder();
  const journal = new Journal(folder);
  const writer = await begin(journal, { backup: [{ object, json: of }] });
  await writer.close();
  const entry = await journal.entry(writer.id);
  if (entry === undefined) throw new Error('no entry');
  const at = join(folder, 'journal', writer.id);
  return { journal, entry, file: join(at, '00000.json'), lines: join(at, 'journal.jsonl') };
}

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

function known(entry: Entry | undefined): readonly string[] | undefined {
  return entry?.requests.map(({ state }) => state);
}

describe('the journal', () => {
  it('is private to the user, whatever was there before and whatever the umask', async () => {
    const folder = join(await temporaryFolder(), 'state');
    await mkdir(join(folder, 'journal'), { recursive: true });
    await chmod(folder, 0o755);
    await chmod(join(folder, 'journal'), 0o755);
    const before = process.umask(0);
    try {
      const writer = await begin(new Journal(folder), { backup: [{ object, json }] });
      await writer.close();
      for (const each of [folder, join(folder, 'journal'), join(folder, 'journal', writer.id)]) {
        expect(await modeOf(each)).toBe('700');
      }
      for (const file of ['journal.jsonl', '00000.json']) {
        expect(await modeOf(join(folder, 'journal', writer.id, file))).toBe('600');
      }
    } finally {
      process.umask(before);
    }
  });

  it('tells how far an action came, after every line', async () => {
    const journal = new Journal(await temporaryFolder());
    const writer = await begin(journal);
    const read = () => journal.entry(writer.id);
    expect(known(await read())).toEqual(['notSent', 'notSent']);
    await writer.write({ step: 'sending', at: now, request: 0 });
    expect(known(await read())).toEqual(['unknown', 'notSent']);
    await writer.write({ step: 'answered', at: now, request: 0, status: 200 });
    await writer.write({ step: 'sending', at: now, request: 1 });
    await writer.write({ step: 'unanswered', at: now, request: 1, message: 'lost' });
    expect(known(await read())).toEqual(['answered', 'unknown']);
    expect(await read()).not.toHaveProperty('ended');
    await writer.write({ step: 'ended', at: now, outcome: 'unfinished', because: 'lost' });
    await writer.close();
    expect(await read()).toMatchObject({ ended: { outcome: 'unfinished' } });
  });

  it('reads on past a torn last line, which counts as not written', async () => {
    const journal = new Journal(await temporaryFolder());
    const writer = await begin(journal);
    await writer.write({ step: 'sending', at: now, request: 0 });
    await writer.close();
    const file = join(journal.folder, 'journal', writer.id, 'journal.jsonl');
    const line = '{"step":"answered","at":1,"request":0,"status":200}';
    for (let length = 1; length < line.length; length += 7) {
      const whole = await readFile(file, 'utf8');
      await appendFile(file, line.slice(0, length));
      expect(known(await journal.entry(writer.id))).toEqual(['unknown', 'notSent']);
      await writeFile(file, whole);
    }
  });

  it('is on the disk line by line, and goes on in a new line after one that could only be written in part', async () => {
    const folder = await temporaryFolder();
    const handle = await open(join(folder, 'any'), 'w');
    const files = Object.getPrototypeOf(handle) as typeof handle;
    await handle.close();
    const synchronised = vi.spyOn(files, 'datasync');
    try {
      const journal = new Journal(folder);
      const writer = await begin(journal, { backup: [{ object, json }] });
      expect(synchronised).toHaveBeenCalledTimes(2);
      await writer.write({ step: 'sending', at: now, request: 0 });
      expect(synchronised).toHaveBeenCalledTimes(3);
      const full = vi.spyOn(files, 'appendFile').mockImplementationOnce(async function half(
        this: typeof handle,
        data,
      ) {
        await this.write((data as string).slice(0, 20));
        throw new Error('ENOSPC');
      });
      await expect(writer.write({ step: 'sending', at: now, request: 1 })).rejects.toThrow('ENOSPC');
      full.mockRestore();
      await writer.write({ step: 'answered', at: now, request: 0, status: 200 });
      await writer.close();
      expect(known(await journal.entry(writer.id))).toEqual(['answered', 'notSent']);
    } finally {
      synchronised.mockRestore();
    }
  });

  it('is found again after a crash: every folder that got something new is on the disk before anything is sent', async () => {
    const home = await temporaryFolder();
    const handle = await open(join(home, 'any'), 'w');
    const files = Object.getPrototypeOf(handle) as typeof handle;
    await handle.close();
    const inodes: number[] = [];
    const synchronised = vi.spyOn(files, 'sync').mockImplementation(async function noted(
      this: typeof handle,
    ) {
      inodes.push((await this.stat()).ino);
      await this.datasync();
    });
    const began = async (folder: string, ...others: readonly string[]): Promise<void> => {
      inodes.length = 0;
      const writer = await begin(new Journal(folder));
      const before = new Set(inodes);
      await writer.close();
      const entries = join(folder, 'journal');
      const folders = [...others, entries, join(entries, writer.id)];
      const found = await Promise.all(folders.map(each => stat(each)));
      expect(before).toEqual(new Set(found.map(({ ino }) => ino)));
    };
    try {
      const state = join(home, 'state');
      const folder = join(state, 'kubectl-gc-tree');
      await began(folder, home, state, folder);
      await began(folder);
    } finally {
      synchronised.mockRestore();
    }
  });

  it('reads on past lines that a damaged disk has left of others', async () => {
    const journal = new Journal(await temporaryFolder());
    const writer = await begin(journal);
    await writer.write({ step: 'sending', at: now, request: 1 });
    await writer.close();
    const file = join(journal.folder, 'journal', writer.id, 'journal.jsonl');
    for (const line of ['null', '7', '[]', '{"step":"intended"}', '{"step":"sending","request":900000000}'])
      await appendFile(file, `${line}\n`);
    await appendFile(file, '{"step":"answered","request":"length","status":200}\n');
    // The line that said that the first one was sent may be among them.
    expect(known(await journal.entry(writer.id))).toEqual(['unknown', 'unknown']);
  });

  it.each([-1, 2])('takes a line on request %s of two for one that is damaged', async number => {
    const journal = new Journal(await temporaryFolder());
    const writer = await begin(journal);
    await writer.write({ step: 'sending', at: now, request: number });
    await writer.close();
    expect(known(await journal.entry(writer.id))).toEqual(['unknown', 'unknown']);
  });

  it('names the folder of an entry of which the first line is damaged, for its backup may be needed', async () => {
    const journal = new Journal(await temporaryFolder());
    const writer = await begin(journal, { backup: [{ object, json }] });
    await writer.write({ step: 'sending', at: now, request: 0 });
    await writer.close();
    const folder = join(journal.folder, 'journal', writer.id);
    expect(await journal.damaged()).toEqual([]);
    const whole = await readFile(join(folder, 'journal.jsonl'), 'utf8');
    await writeFile(join(folder, 'journal.jsonl'), whole.replace('"requests"', '"reque\u0000\u0000"'));
    expect(await journal.list()).toEqual([]);
    expect(await journal.damaged()).toEqual([folder]);
  });

  it('passes over an entry whose first line is not whole, because nothing was sent', async () => {
    const journal = new Journal(await temporaryFolder());
    const writer = await begin(journal);
    await writer.close();
    const file = join(journal.folder, 'journal', writer.id, 'journal.jsonl');
    await writeFile(file, (await readFile(file, 'utf8')).slice(0, 40));
    expect(await journal.list()).toEqual([]);
    expect(await journal.damaged()).toEqual([]);
    await rm(file);
    expect(await journal.list()).toEqual([]);
  });

  it('keeps the entries of two tools apart that begin at the same moment', async () => {
    const folder = await temporaryFolder();
    const writers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => begin(new Journal(folder), { at: now + (index % 2) })),
    );
    for (const writer of writers) {
      await writer.write({ step: 'sending', at: now, request: 0 });
      await writer.close();
    }
    const entries = await new Journal(folder).list();
    expect(new Set(entries.map(({ intended }) => intended.id)).size).toBe(20);
    expect(entries.every(entry => known(entry)?.[0] === 'unknown')).toBe(true);
  });

  it('lists the latest first, and nothing where nothing was ever done', async () => {
    const folder = await temporaryFolder();
    expect(await new Journal(join(folder, 'never')).list()).toEqual([]);
    for (const minute of [2, 0, 1])
      await (await begin(new Journal(folder), { at: now + minute * 60_000 })).close();
    const times = (await new Journal(folder).list()).map(({ intended }) => intended.at - now);
    expect(times).toEqual([120_000, 60_000, 0]);
  });

  it('keeps the entry of an action that is under way, however many others begin meanwhile', async () => {
    const journal = new Journal(await temporaryFolder());
    const ofMoment = (at: number) => begin(journal, { at, backup: [{ object, json }] });
    const under = await ofMoment(now);
    const killed = await ofMoment(now - 25 * 60 * 60_000);
    await killed.close();
    for (let number = 0; number < 200; number += 1)
      await mkdir(
        join(journal.folder, 'journal', `20261121T103000Z-${number.toString(16).padStart(6, '0')}`),
      );
    await (await ofMoment(now + 60 * 60_000)).close();
    await under.write({ step: 'sending', at: now, request: 0 });
    await under.close();
    const entry = await journal.entry(under.id);
    expect(known(entry)).toEqual(['unknown', 'notSent']);
    expect(entry && (await journal.backupOf(entry))).toEqual([{ object, json }]);
    expect(await journal.entry(killed.id)).toBeUndefined();
  });

  it('keeps an entry of the last day that cannot be read, however many others begin meanwhile', async () => {
    const journal = new Journal(await temporaryFolder());
    const later = await begin(journal);
    await later.close();
    const file = join(journal.folder, 'journal', later.id, 'journal.jsonl');
    await writeFile(file, (await readFile(file, 'utf8')).replace('"format":1', '"format":99'));
    for (let number = 0; number < 200; number += 1)
      await mkdir(
        join(journal.folder, 'journal', `20261121T103000Z-${number.toString(16).padStart(6, '0')}`),
      );
    await (await begin(journal, { at: now + 60 * 60_000 })).close();
    expect(await readdir(join(journal.folder, 'journal'))).toContain(later.id);
  });

  it('is bounded in number: the oldest entries go when a new one is written', async () => {
    const folder = await temporaryFolder();
    for (let number = 0; number < 205; number += 1) {
      const id = `20251121T1015${String(number % 60).padStart(2, '0')}Z-${number.toString(16).padStart(6, '0')}`;
      await mkdir(join(folder, 'journal', id), { recursive: true });
    }
    const writer = await begin(new Journal(folder));
    await writer.close();
    const ids = (await readdir(join(folder, 'journal'))).sort();
    expect(ids).toHaveLength(200);
    expect(ids.at(-1)).toBe(writer.id);
  });

  it('is bounded in size, and the entry that is begun stays whatever its size', async () => {
    const folder = await temporaryFolder();
    const large = async (id: string): Promise<void> => {
      await mkdir(join(folder, 'journal', id), { recursive: true });
      const file = join(folder, 'journal', id, '00000.json');
      await writeFile(file, '');
      await truncate(file, 150 * 1024 * 1024);
    };
    for (const hour of [1, 2, 3]) await large(`20251121T0${hour}0000Z-aaaaaa`);
    const writer = await begin(new Journal(folder));
    await writer.close();
    expect((await readdir(join(folder, 'journal'))).sort()).toEqual(['20251121T030000Z-aaaaaa', writer.id]);
  });

  it('gives back the backup of each object, and none of a file outside of the entry', async () => {
    const folder = await temporaryFolder();
    const journal = new Journal(folder);
    const other = { ...object, name: 'd', uid: 'd' as Uid };
    const backup = [
      { object, json },
      { object: other, json: undefined },
    ];
    await (await begin(journal, { backup })).close();
    const [entry] = await journal.list();
    if (entry === undefined) throw new Error('no entry');
    expect(await journal.backupOf(entry)).toEqual(backup);
    await writeFile(join(folder, '00000.json'), JSON.stringify(json));
    for (const file of ['../../00000.json', '/etc/passwd', 'journal.jsonl']) {
      const intended = { ...entry.intended, backup: [{ object, file }] };
      expect(await journal.backupOf({ ...entry, intended })).toEqual([{ object, json: undefined }]);
    }
    expect(await journal.entry('../x')).toBeUndefined();
  });

  it('gives back the uid under which the latest undo created an object again', async () => {
    const journal = new Journal(await temporaryFolder());
    const deletion = await begin(journal, { backup: [{ object, json }] });
    await deletion.close();
    for (const [hour, uid] of [
      [1, 'c1'],
      [2, 'c2'],
    ] as const) {
      const at = now + hour * 60 * 60_000;
      const created = { ...request, method: 'POST', formerUid: 'c' as Uid } as const;
      const undo = await journal.begin(
        {
          at,
          verb: 'undo',
          title: 'undo',
          object,
          cluster: 'k',
          context: 'test',
          requests: [created],
          undoes: deletion.id,
        },
        [],
      );
      await undo.write({ step: 'answered', at, request: 0, status: 201, uid });
      await undo.close();
    }
    const entry = await journal.entry(deletion.id);
    expect(entry && (await journal.backupOf(entry))).toEqual([{ object, json, newUid: 'c2' }]);
  });

  it('neither begins nor reads where others could have put something', async () => {
    const folder = join(await temporaryFolder(), 'state');
    const journal = new Journal(folder);
    const writer = await begin(journal, { backup: [{ object, json }] });
    await writer.close();
    const [entry] = await journal.list();
    if (entry === undefined) throw new Error('no entry');
    const lines = `journal/${writer.id}/journal.jsonl`;
    const backup = `journal/${writer.id}/00000.json`;
    for (const each of ['.', 'journal', `journal/${writer.id}`, lines, backup]) {
      const { mode } = await stat(join(folder, each));
      await chmod(join(folder, each), 0o777);
      const refused = 'can be written to by other users (mode 0777)';
      if (each !== backup) {
        await expect(journal.list()).rejects.toThrow(refused);
        await expect(journal.entry(writer.id)).rejects.toThrow(refused);
      }
      if (each !== lines) await expect(journal.backupOf(entry, [])).rejects.toThrow(refused);
      if (each === '.' || each === 'journal') await expect(begin(journal)).rejects.toThrow(refused);
      await chmod(join(folder, each), mode & 0o777);
    }
    expect(await journal.backupOf(entry, [])).toEqual([{ object, json }]);
  });

  it('reads no line and no backup by another name that a file has', async () => {
    const folder = await temporaryFolder();
    const journal = new Journal(folder);
    const writer = await begin(journal, { backup: [{ object, json }] });
    await writer.close();
    const [entry] = await journal.list();
    if (entry === undefined) throw new Error('no entry');
    await writeFile(join(folder, 'other.json'), '{"stolen": true}');
    const file = join(folder, 'journal', writer.id, '00000.json');
    for (const put of [link, symlink]) {
      await rm(file);
      await put(join(folder, 'other.json'), file);
      await expect(journal.backupOf(entry, [])).rejects.toThrow(/link/u);
    }
    const lines = join(folder, 'journal', writer.id, 'journal.jsonl');
    await rename(lines, join(folder, 'moved.jsonl'));
    await symlink(join(folder, 'moved.jsonl'), lines);
    await expect(journal.list()).rejects.toThrow(/symbolic link/u);
  });

  it.each([
    ['of another name', { metadata: { name: 'other', namespace: 'shop', uid: 'c' } }],
    ['of another namespace', { metadata: { name: 'c', namespace: 'kube-system', uid: 'c' } }],
    ['with another uid', { metadata: { name: 'c', namespace: 'shop', uid: 'x' } }],
    ['of another kind', { kind: 'Secret' }],
    ['of another group', { apiVersion: 'example.com/v1' }],
    ['without a name', { metadata: {} }],
  ])('uses no backup of an object %s', async (_, changed) => {
    const { journal, entry, file } = await withBackup(json);
    expect(await journal.backupOf(entry)).toEqual([{ object, json }]);
    await writeFile(file, JSON.stringify({ ...json, ...changed }));
    expect(await journal.backupOf(entry)).toEqual([
      { object, json: undefined, unusable: 'its backup is of another object' },
    ]);
  });

  it.each(['{"data": {"token": "hunter2"', '', 'null', '[]', '"x"', '\0'])(
    'goes on without a backup that is damaged, and quotes nothing of it: %j',
    async text => {
      const { journal, entry, file } = await withBackup({});
      await writeFile(file, text);
      expect(await journal.backupOf(entry)).toEqual([
        { object, json: undefined, unusable: 'its backup is damaged' },
      ]);
    },
  );

  it.each([
    ['requests', [null]],
    ['requests', [{ method: 'DELETE' }]],
    ['backup', [null]],
    ['backup', [{ file: '00000.json' }]],
  ])('takes a line as damaged where its %s are %j', async (field, value) => {
    const { journal, entry, lines } = await withBackup({});
    await writeFile(lines, JSON.stringify({ ...entry.intended, [field]: value }));
    expect(await journal.list()).toEqual([]);
    expect(await journal.damaged()).toHaveLength(1);
  });

  it('passes over lines that say they are another entry, whose backup would be read in their name', async () => {
    const folder = await temporaryFolder();
    const journal = new Journal(folder);
    const writer = await begin(journal);
    await writer.close();
    const file = join(folder, 'journal', writer.id, 'journal.jsonl');
    await writeFile(file, (await readFile(file, 'utf8')).replace(writer.id, '../elsewhere'));
    expect(await journal.list()).toEqual([]);
  });

  it('refuses to begin where its folder cannot be written', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'state'), 'a file in the way');
    await expect(begin(new Journal(join(folder, 'state')))).rejects.toThrow(/ENOTDIR|EEXIST/u);
  });

  it('knows whether anything took effect', async () => {
    const journal = new Journal(await temporaryFolder());
    const effectOf = async (...states: readonly (number | undefined)[]) => {
      const writer = await begin(journal);
      for (const [index, status] of states.entries()) {
        await writer.write({ step: 'sending', at: now, request: index });
        if (status !== undefined) await writer.write({ step: 'answered', at: now, request: index, status });
      }
      await writer.close();
      const entry = await journal.entry(writer.id);
      return entry && tookEffect(entry);
    };
    expect(await effectOf()).toBe('no');
    expect(await effectOf(409)).toBe('no');
    expect(await effectOf(undefined)).toBe('perhaps');
    expect(await effectOf(200, undefined)).toBe('yes');
    expect(await effectOf(202, 403)).toBe('yes');
  });
});
