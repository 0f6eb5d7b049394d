import { mkdtempSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { command, type Session, SmallSource } from '../console.ts';
import { now as NOW, objects } from '../documents/cluster.ts';

const newFile = (): string => path.join(mkdtempSync(path.join(tmpdir(), 'rec-')), 'a.gctree');

const before = `
- {kind: Namespace, name: shop}
- {kind: ReplicaSet, name: web, finalizers: [example.com/drain]}
- {kind: Pod, name: web-a, owners: [apps/v1 ReplicaSet web web +c]}
`;

const held = `
- {kind: ReplicaSet, name: web, deletionTimestamp: '2026-11-21T12:01:00Z', finalizers: [example.com/drain]}
`;

/** Records until something has happened in the third minute and it is interrupted in the fifth. */
async function recording(file: string, flags = ''): Promise<Session> {
  const source = new SmallSource(before);
  let minutes = 0;
  return command(`record ${file} -A ${flags}`, {
    source,
    now: () => NOW + minutes * 60_000,
    onError: (text, interrupt) => {
      if (minutes > 0 || !text.includes('Recording to')) return;
      minutes = 2;
      source.emit({ changes: objects(held) });
      minutes = 4;
      interrupt();
    },
  });
}

describe('record', () => {
  test('writes a file for its user alone, and says what is in it', async () => {
    const file = newFile();
    const { err, exitCode } = await recording(file);
    expect(exitCode).toBe(0);
    expect(err).toContain(`Recorded 4m to ${file}: 3 objects, 4 changes, 0.0 MB.`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('overwrites nothing unless it is told to', async () => {
    const file = newFile();
    writeFileSync(file, 'mine');
    const refused = await recording(file);
    expect(refused.exitCode).toBe(2);
    expect(refused.err).toContain(`${file} exists. Name another file, or overwrite it with --force.`);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect((await recording(file, '--force')).exitCode).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await command(`tree --replay ${file}`)).out).toContain('ReplicaSet');
  });

  test.each(['', '--force'])('leaves no file where nothing can be read %s', async flag => {
    const file = newFile();
    const source = new SmallSource(before);
    source.start = () => Promise.reject(new Error('refused'));
    expect((await command(`record ${file} ${flag}`, { source })).exitCode).toBe(2);
    expect(readdirSync(path.dirname(file))).toEqual([]);
  });

  test('keeps the file that it would overwrite where nothing can be read, though it is known what is served', async () => {
    const file = newFile();
    await recording(file);
    const written = readFileSync(file);
    const source = new SmallSource(before);
    source.start = listener => {
      listener({ changes: [], types: [], failedGroups: [] });
      return Promise.reject(new Error('refused'));
    };
    expect((await command(`record ${file} --force`, { source })).exitCode).toBe(2);
    expect(readFileSync(file)).toEqual(written);
    expect(readdirSync(path.dirname(file))).toEqual([path.basename(file)]);
  });

  test('has the old file there until the new one can be read', async () => {
    const file = newFile();
    writeFileSync(file, 'mine');
    const atStart: string[] = [];
    const source = new SmallSource(before);
    await command(`record ${file} -A --force`, {
      source,
      onError: (text, interrupt) => {
        if (!text.includes('Recording to')) return;
        atStart.push(readFileSync(file, 'utf8'));
        interrupt();
      },
    });
    expect(atStart[0]).toBe('mine');
    expect((await command(`tree -A --replay ${file}`)).out).toContain('ReplicaSet');
    expect(readdirSync(path.dirname(file))).toEqual([path.basename(file)]);
  });

  test.each(['', '--force'])('refuses a folder, and what else is no file %s', async flag => {
    const folder = path.dirname(newFile());
    expect(await recording(folder, flag)).toMatchObject({
      exitCode: 2,
      err: `kubectl gc-tree: ${folder} is a folder. Name a file.\n`,
    });
    expect(readdirSync(folder)).toEqual([]);
    expect((await recording('/dev/null', flag)).err).toContain('/dev/null is no regular file.');
  });

  test.each(['-f x.yaml', '--replay x', '--for=soon'])('refuses %s', async flag => {
    expect((await command(`record ${newFile()} ${flag}`, { source: new SmallSource(before) })).exitCode).toBe(
      2,
    );
  });
});

describe('--redact-names', () => {
  test('writes pseudonyms, says so, and is told so when it is read', async () => {
    const file = newFile();
    expect((await recording(file, '--redact-names')).exitCode).toBe(0);
    const { out, err } = await command(`tree -A --replay ${file}`);
    expect(err).toContain(`names in ${file} are pseudonyms`);
    expect(out).toMatch(/ReplicaSet \S+/u);
    expect(out).not.toMatch(/\bweb\b|\bshop\b/u);
    // The finalizer is what it is all about.
    expect((await command(`check -A --replay ${file}`)).out).toContain('example.com/drain');
  });
});

describe('--replay', async () => {
  const file = newFile();
  await recording(file);
  const basisOf = async (words: string): Promise<Record<string, unknown>> => {
    const { out, err } = await command(words);
    const document: unknown = JSON.parse(out || `"${err}"`);
    return (document as { basis: Record<string, unknown> }).basis;
  };

  test('answers as of the end, and says that it is a recording', async () => {
    const { out } = await command(`why rs/web -n shop --replay ${file}`);
    expect(out).toContain('held by the finalizer example.com/drain');
    // As of then, and not of whenever it is looked at.
    expect(out).toContain('deleting for 3m');
    expect(await basisOf(`check -A -o json --replay ${file}`)).toMatchObject({
      source: 'replay',
      context: 'test',
      takenAt: '2026-11-21T12:04:00Z',
      recording: { from: '2026-11-21T12:00:00Z', to: '2026-11-21T12:04:00Z', cutOff: false },
      complete: true,
      blindSpots: [],
    });
  });

  test.each(['--at=-3m', '--at +1m', '--at 2026-11-21T12:01:00Z'])(
    'shows another moment with %s',
    async at => {
      const { out } = await command(`why rs/web -n shop --replay ${file} ${at}`);
      expect(out).toContain('ReplicaSet web                                   not deleted');
      expect((await basisOf(`tree -A -o json --replay ${file} ${at}`))['takenAt']).toBe(
        '2026-11-21T12:01:00Z',
      );
    },
  );

  test("takes a time of day from this machine's clock", async () => {
    const clock = new Date(NOW + 180_000);
    const at = `${clock.getHours()}:${String(clock.getMinutes()).padStart(2, '0')}`;
    const basis = await basisOf(`tree -A -o json --replay ${file} --at ${at}`);
    expect(basis['takenAt']).toBe('2026-11-21T12:03:00Z');
  });

  test.each(['-1h', 'soon', '2026-11-21T11:00:00Z', '25:00', '-', ''])('refuses --at=%s', async at => {
    const { exitCode, err } = await command(`tree --replay ${file} --at=${at}`);
    expect(exitCode).toBe(2);
    if (at !== '')
      expect(err).toContain('the recording goes from 2026-11-21T12:00:00Z to 2026-11-21T12:04:00Z');
  });

  test('says that a recording was cut off', async () => {
    const cut = newFile();
    writeFileSync(cut, readFileSync(file));
    truncateSync(cut, statSync(cut).size - 3);
    const { err, exitCode } = await command(`tree -A --replay ${cut}`);
    expect(exitCode).toBe(0);
    expect(err).toContain(
      'was cut off, or is still being written: nothing after 2026-11-21T12:02:00Z is in it.',
    );
    expect(await basisOf(`tree -A -o json --replay ${cut}`)).toMatchObject({ recording: { cutOff: true } });
  });

  test.each(['delete rs/web --yes', 'unblock rs/web', 'undo'])('cannot be changed: %s', async words => {
    const { exitCode, err } = await command(`${words} --replay ${file}`);
    expect(exitCode).toBe(2);
    expect(err).toContain('a recording is the past');
  });

  test.each(['-f x.yaml', '--demo shop', '--context prod', '--server-version 1.30'])(
    'refuses %s beside it',
    async flag => {
      expect((await command(`tree --replay ${file} ${flag}`)).exitCode).toBe(2);
    },
  );

  test('refuses --watch, --probe and a file that is none', async () => {
    for (const words of ['tree -w', 'why rs/web --probe'])
      expect((await command(`${words} --replay ${file}`)).exitCode).toBe(2);
    expect((await command('tree --replay /nowhere')).err).toContain('/nowhere: there is no such file.');
    expect((await command('tree --at=-5m', { source: new SmallSource(before) })).err).toContain(
      'name it with --replay',
    );
  });

  test('names itself in the commands that it prints', async () => {
    const { out } = await command(`check -A --replay ${file} --at=-1m`);
    expect(out).toContain(`--replay ${file} --at=-1m`);
  });

  test('forecasts what would have happened', async () => {
    const { out, exitCode } = await command(`plan delete rs/web -n shop --replay ${file} --at=-3m`);
    expect(exitCode).toBe(0);
    expect(out).toContain('Deleting ReplicaSet shop/web in the background gets stuck');
  });
});
