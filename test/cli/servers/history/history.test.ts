import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ActivityEntry } from '../../../../src/activity/activity-entry.ts';
import { History } from '../../../../src/cli/servers/history/history.ts';
import { HistoryFolder } from '../../../../src/cli/servers/history/history-folder.ts';
import type { Change, SourceBatch } from '../../../../src/model/exchange/changes.ts';
import { RecordingFile } from '../../../../src/source/recording/reader.ts';
import { listedView, objects, now as START } from '../../documents/cluster.ts';

const HOUR = 3_600_000;
const limits = { size: 10 * 2 ** 20, retention: 24 * HOUR };

const head = {
  tool: '1.2.3',
  context: 'test',
  namespace: 'shop',
  serverVersion: 'v1.36.3',
  namespaces: undefined,
};

function newFolder(): string {
  return path.join(mkdtempSync(path.join(tmpdir(), 'history-')), 'kept');
}

const files = (folder: string): string[] => readdirSync(folder).sort();
const bytesOf = (folder: string): number =>
  files(folder).reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);

/** A run of the server that follows a cluster, at a clock of the test's own. */
class Run {
  now: number;
  readonly said: string[] = [];
  readonly history: History;
  readonly #view;

  private constructor(folder: string, at: number, yaml: string, given: typeof limits) {
    this.now = at;
    this.#view = listedView(objects(yaml));
    this.history = new History({
      folder: new HistoryFolder(folder, given),
      retention: given.retention,
      head: () => head,
      now: () => this.now,
      log: line => this.said.push(line),
      mostRestored: 2_000,
    });
  }

  static async start(folder: string, at: number, yaml: string, given = limits): Promise<Run> {
    const run = new Run(folder, at, yaml, given);
    await run.history.restore();
    run.history.begin(run.#view, at);
    return run;
  }

  /** Takes changes at once, and judges them once nothing later can explain them. */
  happen(changes: readonly Change[], passing = 3_000): void {
    const batch: SourceBatch = { changes };
    this.history.offer(batch, this.now);
    this.#view.apply(batch, this.now);
    this.history.take(this.now);
    this.now += passing;
    this.history.take(this.now);
  }

  delete(name: string): void {
    const node = [...this.#view.graph.nodes()].find(each => each.object?.name === name);
    if (node?.object === undefined) throw new Error(`no ${name}`);
    this.happen([{ op: 'delete', uid: node.uid, type: node.object.type }]);
  }

  get told(): readonly string[] {
    return this.history.entries.map(
      ({ what, object }: ActivityEntry) => `${what} ${object.kind} ${object.name}`,
    );
  }
}

const web = `
- {kind: Deployment, name: web}
- {kind: ReplicaSet, name: web-1, owners: [apps/v1 Deployment web web +c +b]}
- {kind: ConfigMap, name: rates}
- {kind: ConfigMap, name: till}
`;

describe('a history on disk', () => {
  it('goes on after a restart, with reasons across both runs and ids that go on', async () => {
    const folder = newFolder();
    const first = await Run.start(folder, START, web);
    first.delete('web');
    first.history.end(first.now);
    const second = await Run.start(
      folder,
      first.now + 1_000,
      web.replace('- {kind: Deployment, name: web}', ''),
    );
    second.delete('web-1');
    expect(second.told).toEqual(['Deleted Deployment web', 'Collected ReplicaSet web-1']);
    expect(second.history.entries.map(({ id }) => id)).toEqual([1, 2]);
    expect(second.history.entries[1]?.cause).toBe(second.history.entries[0]);
    expect(second.history.from).toBe(START);
    expect(second.said).toEqual([]);
    second.history.end(second.now);
  });

  it('tells what vanished while nothing was followed, but not of a kind that can no longer be seen', async () => {
    const folder = newFolder();
    const first = await Run.start(folder, START, web);
    first.history.end(first.now);
    const later = START + HOUR;
    const left = objects(web.replace('- {kind: ConfigMap, name: rates}', ''));
    const second = await Run.start(folder, later, web.replace('- {kind: ConfigMap, name: rates}', ''));
    expect(second.told).toEqual(['Deleted ConfigMap rates']);
    expect(second.history.entries[0]?.at).toBe(later);
    second.history.end(second.now);
    const view = listedView(
      left.filter(each => each.op === 'upsert' && each.object.type.kind !== 'ConfigMap'),
    );
    const blind = [...view.statuses.values()]
      .filter(({ type }) => type.kind === 'ConfigMap')
      .map(status => ({ ...status, state: 'blind' as const, reason: '403' }));
    view.apply({ changes: [], statuses: blind }, later);
    const third = new History({
      folder: new HistoryFolder(folder, limits),
      retention: limits.retention,
      head: () => head,
      now: () => later + HOUR,
      log: () => {},
    });
    await third.restore();
    third.begin(view, later + 10_000);
    third.take(later + HOUR);
    expect(third.entries.map(({ object }) => object.name)).toEqual(['rates']);
    third.end(later + HOUR);
  });

  it('loses nothing that was flushed when it is cut off, and nothing before a torn end', async () => {
    const folder = newFolder();
    const killed = await Run.start(folder, START, web);
    killed.delete('rates');
    killed.history.end(killed.now);
    const [name = ''] = files(folder);
    const file = path.join(folder, name);
    // The block that says it was ended, and a part of the one before.
    const whole = readFileSync(file).length;
    const again = await Run.start(folder, killed.now, web.replace('- {kind: ConfigMap, name: rates}', ''));
    again.history.end(again.now);
    truncateSync(file, whole - 5);
    const afterwards = await Run.start(
      folder,
      again.now,
      web.replace('- {kind: ConfigMap, name: rates}', ''),
    );
    expect(afterwards.told).toEqual(['Deleted ConfigMap rates']);
    expect(afterwards.said).toEqual([]);
    afterwards.history.end(afterwards.now);
  });

  it('writes changes within a second without being ended', async () => {
    const folder = newFolder();
    const run = await Run.start(folder, START, web);
    run.happen(objects('- {kind: ConfigMap, name: fresh}'), 0);
    const [name = ''] = files(folder);
    const before = statSync(path.join(folder, name)).size;
    run.now += 500;
    await expect.poll(() => statSync(path.join(folder, name)).size).toBeGreaterThan(before);
    const recording = new RecordingFile(path.join(folder, name));
    expect(
      recording
        .stateAt(recording.to)
        .objects()
        .map(object => object.name),
    ).toContain('fresh');
    recording.close();
    run.history.end(run.now);
  });

  it('leaves out a damaged file, says so, and tells the rest', async () => {
    const folder = newFolder();
    const first = await Run.start(folder, START, web);
    first.delete('rates');
    first.history.end(first.now);
    const { name, bytes } = {
      name: files(folder)[0] ?? '',
      bytes: readFileSync(path.join(folder, files(folder)[0] ?? '')),
    };
    bytes[bytes.length - 60] = (bytes[bytes.length - 60] ?? 0) ^ 0xff;
    const { writeFileSync } = await import('node:fs');
    writeFileSync(path.join(folder, name), bytes, { mode: 0o600 });
    const second = await Run.start(folder, first.now, web.replace('- {kind: ConfigMap, name: rates}', ''));
    second.happen([]);
    expect(second.said[0]).toMatch(/^a part of the history is left out: .*is damaged/u);
    expect(second.history.from).toBe(first.now);
    // Its beginning was read, and what is missing since then is told.
    expect(second.told).toEqual(['Deleted ConfigMap rates']);
    second.history.end(second.now);
  });
});

describe('its limits', () => {
  it('reads only the newest changes at a start, and says from when', async () => {
    const folder = newFolder();
    const run = await Run.start(folder, START, web, { ...limits, size: 2 * 2 ** 20 });
    run.delete('rates');
    // Changes that are no entries.
    for (let round = 0; round < 6; round += 1) {
      const briefs = Array.from(
        { length: 1_000 },
        (_, i) => `- {kind: ConfigMap, name: c${i}, labels: {round: "${round}"}}`,
      );
      run.happen(objects(briefs.join('\n')), 6_000);
    }
    run.delete('till');
    run.history.end(run.now);
    const again = await Run.start(folder, run.now, web);
    expect(again.history.from).toBeGreaterThan(START + 6_000);
    expect(again.told.filter(each => !/ c\d+$/u.test(each))).toEqual(['Deleted ConfigMap till']);
    expect(again.said).toEqual([]);
    again.history.end(again.now);
  });

  it('never takes more than its size, and keeps what is newest', async () => {
    const folder = newFolder();
    const size = 200_000;
    const run = await Run.start(folder, START, web, { ...limits, size });
    let most = 0;
    for (let round = 0; round < 400; round += 1) {
      const names = Array.from(
        { length: 20 },
        (_, i) => `${round}-${i}-${(round * 7919 + i * 104_729) ** 2 % 1e9}`,
      );
      const made = objects(names.map(name => `- {kind: ConfigMap, name: "c${name}"}`).join('\n'));
      run.happen(made, 500);
      const gone = made.flatMap(each => (each.op === 'upsert' ? [each.object] : []));
      run.happen(
        gone.map(({ uid, type }) => ({ op: 'delete', uid, type })),
        500,
      );
      most = Math.max(most, bytesOf(folder));
    }
    run.history.end(run.now);
    expect(run.said).toEqual([]);
    expect(most).toBeLessThanOrEqual(size);
    expect(most).toBeGreaterThan(size / 2);
    expect(run.history.state).toMatchObject({ bytes: bytesOf(folder), isWritten: true });
    expect(files(folder).length).toBeGreaterThan(3);
    const last = new RecordingFile(path.join(folder, files(folder).at(-1) ?? ''));
    expect(last.stateAt(last.to).objects().length).toBe(4);
    last.close();
  });

  it('keeps deletions while one pod changes every second, and the newest state of that pod', async () => {
    const folder = newFolder();
    const run = await Run.start(folder, START, web, { ...limits, size: 200_000 });
    run.delete('rates');
    const pod = (state: number): Change[] => {
      const digest = createHash('sha256').update(`${state}`).digest('hex').slice(1);
      return objects(
        `- {kind: Pod, name: looping, resourceVersion: "${state}", labels: {state: "s${digest}"}}`,
      );
    };
    const states = 4_000;
    for (let state = 1; state <= states; state += 1) run.happen(pod(state), 1_000);
    run.happen([], 11 * 60_000);
    const stateOf = (): unknown => {
      const file = new RecordingFile(path.join(folder, files(folder).at(-1) ?? ''));
      const found = file
        .stateAt(file.to)
        .objects()
        .find(({ name }) => name === 'looping');
      file.close();
      return found?.labels;
    };
    run.happen([], 1_000);
    run.history.end(run.now);
    const [last] = pod(states);
    expect(stateOf()).toEqual(last?.op === 'upsert' && last.object.labels);
    const again = await Run.start(folder, run.now, web.replace('- {kind: ConfigMap, name: rates}', ''));
    expect(again.told).toEqual(['Deleted ConfigMap rates', 'Deleted Pod looping']);
    again.history.end(again.now);
  });

  it('writes a deletion at once, after the state before it, however often the object changed', async () => {
    const folder = newFolder();
    const run = await Run.start(folder, START, web);
    const pod = (rest: string): Change[] => objects(`- {kind: Pod, name: looping, ${rest}}`);
    for (let state = 1; state <= 50; state += 1) run.happen(pod(`labels: {state: "${state}"}`), 1_000);
    const at = run.now;
    run.happen(
      pod(`labels: {state: last}, finalizers: [a.example/b], deletionTimestamp: '2026-11-21T12:00:00Z'`),
    );
    run.history.end(run.now);
    const file = new RecordingFile(path.join(folder, files(folder)[0] ?? ''));
    const found = file
      .stateAt(at)
      .objects()
      .find(({ name }) => name === 'looping');
    const changes = file.changesBetween(START + 1, at);
    file.close();
    expect([found?.finalizers, found?.labels]).toEqual([['a.example/b'], ['state', 'last']]);
    expect(changes).toBe(1 + 20 + 2);
  });

  it('ends with one line if the state of the cluster alone is too large, and answers all the same', async () => {
    const folder = newFolder();
    const run = await Run.start(folder, START, web, { ...limits, size: 100 });
    run.delete('rates');
    expect(run.said).toHaveLength(1);
    expect(run.said[0]).toContain('--history-size is 100');
    expect(run.history.state).toEqual({ bytes: 0, entries: 1, isWritten: false });
    expect(files(folder)).toEqual([]);
    expect(run.told).toEqual(['Deleted ConfigMap rates']);
    run.history.end(run.now);
  });

  it('deletes what is older than the retention, and nothing younger, and tells no more of it', async () => {
    const folder = newFolder();
    const run = await Run.start(folder, START, web);
    run.delete('rates');
    for (let hour = 1; hour <= 30; hour += 1) run.happen([], HOUR);
    expect(run.told).toEqual([]);
    expect(run.history.from).toBe(run.now - limits.retention);
    const [oldest = ''] = files(folder);
    const begun = Number(/\d+/u.exec(oldest)?.[0]);
    expect(begun).toBeGreaterThan(START);
    expect(begun).toBeLessThanOrEqual(run.history.from);
    expect(files(folder).length).toBeLessThanOrEqual(10);
    run.history.end(run.now);
  });
});

describe('two servers with one folder', () => {
  it('leave it to the one that started last, and the other says so', async () => {
    const folder = newFolder();
    const first = await Run.start(folder, START, web);
    first.delete('rates');
    const second = await Run.start(folder, first.now, web.replace('- {kind: ConfigMap, name: rates}', ''));
    first.now += 2_000;
    await expect
      .poll(() => first.said)
      .toEqual([expect.stringMatching(/no longer written: another server writes to \S+kept$/u)]);
    expect(first.history.state.isWritten).toBe(false);
    const kept = files(folder);
    first.delete('till');
    first.history.end(first.now);
    expect(first.told).toEqual(['Deleted ConfigMap rates', 'Deleted ConfigMap till']);
    second.now += 4_000;
    second.delete('till');
    second.history.end(second.now);
    expect([files(folder), second.said]).toEqual([kept, []]);
    const third = await Run.start(folder, second.now, '- {kind: Deployment, name: web}');
    expect(third.told.slice(0, 2)).toEqual(['Deleted ConfigMap rates', 'Deleted ConfigMap till']);
    third.history.end(third.now);
  });
});

describe('who may change it', () => {
  it('is for its user alone', async () => {
    const folder = newFolder();
    const run = await Run.start(folder, START, web);
    run.history.end(run.now);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(files(folder).map(name => statSync(path.join(folder, name)).mode & 0o777)).toEqual([0o600]);
  });

  it('refuses a folder or a file that other users can change', async () => {
    const folder = newFolder();
    const run = await Run.start(folder, START, web);
    run.history.end(run.now);
    const file = path.join(folder, files(folder)[0] ?? '');
    chmodSync(file, 0o666);
    expect(() => new HistoryFolder(folder, limits)).toThrow(
      /can be written to by other users \(mode 0666\)/u,
    );
    chmodSync(file, 0o600);
    symlinkSync(file, path.join(folder, file.replace(/^.*history-0/u, 'history-9')));
    expect(() => new HistoryFolder(folder, limits)).toThrow('is not a file');
    chmodSync(folder, 0o777);
    expect(() => new HistoryFolder(folder, limits)).toThrow(
      /can be written to by other users \(mode 0777\)/u,
    );
  });
});
