import { execFileSync } from 'node:child_process';
import { zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Change } from '../../../src/model/exchange/changes.ts';
import type { KubeObject, ResourceVersion, Uid } from '../../../src/model/object.ts';
import { RecordingFile } from '../../../src/source/recording/reader.ts';
import {
  FORMAT,
  HEADER_BYTES,
  packBlock,
  readHeader,
} from '../../../src/source/recording/recording-format.ts';
import { ReplaySource } from '../../../src/source/recording/replay-source.ts';
import { RecordingWriter } from '../../../src/source/recording/writer.ts';
import { SourceError } from '../../../src/source/source.ts';
import { fileOf, made, objectsAfter, recorded, START, type Told } from './recorded.ts';

const pod = (name: string, more: object = {}, status: object = {}): KubeObject =>
  made('Pod', {
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      resourceVersion: '1',
      creationTimestamp: '2026-11-21T13:00:00Z',
      labels: { app: 'web' },
      ...more,
    },
    spec: { nodeName: 'node-1', containers: [{}] },
    status: { phase: 'Running', ...status },
  });

/** Histories in which objects come, change in every field that may, and go. */
const histories: fc.Arbitrary<readonly Told[]> = fc
  .array(
    fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      gap: fc.nat(4_000),
      op: fc.constantFrom('upsert', 'upsert', 'upsert', 'delete'),
      finalizers: fc.subarray(['example.com/drain', 'foregroundDeletion']),
      labels: fc.dictionary(fc.constantFrom('app', 'tier', 'x'), fc.string({ maxLength: 5 })),
      owner: fc.option(fc.constantFrom('a', 'b', 'gone')),
      phase: fc.constantFrom('Pending', 'Running', 'Failed'),
      deleting: fc.boolean(),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map(steps => {
    let at = 0;
    const there = new Set<string>();
    return steps.flatMap(({ name, gap, op, owner, deleting, phase, ...rest }, i): Told[] => {
      at += gap;
      if (op === 'delete' && !there.delete(name)) return [];
      if (op === 'upsert') there.add(name);
      const object = pod(
        name,
        {
          ...rest,
          resourceVersion: String(i + 2),
          ownerReferences:
            owner === null
              ? []
              : [{ apiVersion: 'v1', kind: 'Pod', name: owner, uid: `uid-${owner}`, controller: true }],
          ...(deleting && { deletionTimestamp: '2026-11-21T14:00:05Z', deletionGracePeriodSeconds: i }),
        },
        { phase },
      );
      const change: Change =
        op === 'upsert' ? { op, object } : { op: 'delete', uid: object.uid, type: object.type };
      return [{ at, batch: { changes: [change] } }];
    });
  });

function stateOf(file: RecordingFile, at: number): Map<Uid, KubeObject> {
  return new Map(
    file
      .stateAt(START + at)
      .objects()
      .map(each => [each.uid, each]),
  );
}

describe('a recording', () => {
  test('shows every moment as it was, however far the next key frame is', () => {
    fc.assert(
      fc.property(histories, fc.constantFrom(1, 3, 10, 1e9), (history, keyFrameChanges) => {
        const file = new RecordingFile(fileOf(recorded(history, { keyFrameChanges })));
        for (const { at } of history) expect(stateOf(file, at)).toEqual(objectsAfter(history, at));
        const last = history.at(-1)?.at ?? 0;
        expect(stateOf(file, last / 2)).toEqual(objectsAfter(history, last / 2));
        expect(file.cutOff).toBe(false);
        file.close();
      }),
      { numRuns: 60 },
    );
  });

  test('tells the changes between two moments, each with what it was before', () => {
    fc.assert(
      fc.property(histories, fc.constantFrom(2, 1e9), fc.nat(100), (history, keyFrameChanges, percent) => {
        const file = new RecordingFile(fileOf(recorded(history, { keyFrameChanges })));
        const last = history.at(-1)?.at ?? 0;
        const from = Math.floor((last * percent) / 100);
        const there = objectsAfter(history, from);
        file.replay(START + from, START + last, ({ before, after }) => {
          const uid = (after ?? before)?.uid ?? ('' as Uid);
          expect(before).toEqual(there.get(uid));
          if (after === undefined) there.delete(uid);
          else there.set(uid, after);
        });
        expect(there).toEqual(objectsAfter(history, last));
        file.close();
      }),
      { numRuns: 60 },
    );
  });

  test('has requests between its changes, which change nothing', () => {
    const parts: Buffer[] = [];
    const writer = new RecordingWriter(bytes => parts.push(bytes), {
      tool: '1.2.3',
      startedAt: START,
      context: 'test',
      namespace: 'shop',
      serverVersion: 'v1.36.3',
      namespaces: undefined,
    });
    const object = pod('a');
    writer.add({ types: [object.type], changes: [{ op: 'upsert', object }] }, START);
    const request = { uid: object.uid, user: 'alice', verb: 'delete', at: START + 900 } as const;
    writer.addRequest(request, START + 1_000);
    writer.add({ changes: [{ op: 'delete', uid: object.uid, type: object.type }] }, START + 2_000);
    writer.end(START + 3_000);
    const file = new RecordingFile(fileOf(Buffer.concat(parts)));
    const told: number[] = [];
    const asked: unknown[] = [];
    file.proceed(
      file.stateAt(START),
      START,
      file.to,
      ({ at }) => told.push(at),
      each => asked.push(each),
    );
    expect([told, asked]).toEqual([[START + 2_000], [request]]);
    expect(file.changeBeside(START, 1)).toBe(START + 2_000);
    expect(file.stateAt(START + 1_500).objects()).toHaveLength(1);
    file.close();
  });

  test('that was cut off anywhere is readable up to its last whole block', () => {
    const history = Array.from(
      { length: 30 },
      (_, i): Told => ({
        at: i * 3_000,
        batch: { changes: [{ op: 'upsert', object: pod(`p${i % 7}`, { resourceVersion: String(i) }) }] },
      }),
    );
    const whole = recorded(history, { keyFrameChanges: 8 });
    let readable = 0;
    for (let length = 0; length < whole.length; length += 13) {
      const name = fileOf(whole.subarray(0, length));
      let file: RecordingFile;
      try {
        file = new RecordingFile(name);
      } catch (error) {
        expect(error).toBeInstanceOf(SourceError);
        // What is lost at the beginning can only be everything.
        expect(readable).toBe(0);
        continue;
      }
      readable += 1;
      expect(file.cutOff).toBe(true);
      expect(stateOf(file, file.to - START)).toEqual(objectsAfter(history, file.to - START));
      file.close();
    }
    expect(readable).toBeGreaterThan(20);
  });

  test('is cut off where the disk has kept no more than zeros', () => {
    const first: Told = { at: 10, batch: { changes: [{ op: 'upsert', object: pod('a') }] } };
    const later: Told = { at: 6_000, batch: { changes: [] } };
    const whole = recorded([first, later], { end: false });
    const source = new ReplaySource({ file: fileOf(Buffer.concat([whole, Buffer.alloc(500)])) });
    expect(source.recording.cutOff).toBe(true);
    expect(source.recording.stateAt(START + 10).size).toBe(1);
  });

  test('with any byte changed is refused, or says the same', () => {
    const history = Array.from(
      { length: 12 },
      (_, i): Told => ({
        at: i * 4_000,
        batch: { changes: [{ op: 'upsert', object: pod(`p${i % 3}`, { resourceVersion: String(i) }) }] },
      }),
    );
    const whole = recorded(history, { keyFrameChanges: 5 });
    let refused = 0;
    for (let at = 0; at < whole.length; at += 7) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 0x55;
      try {
        const file = new RecordingFile(fileOf(bytes));
        const to = file.to - START;
        expect(stateOf(file, to)).toEqual(objectsAfter(history, to));
        file.close();
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        expect(error.message.split('\n').length).toBeLessThanOrEqual(2);
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(50);
  });

  test('that somebody made up says nothing that breaks whoever reads it', () => {
    const anything = fc.jsonValue({ maxDepth: 4 });
    const line = fc.oneof(
      fc.tuple(fc.constantFrom('new', 'gone', 'around', 0, 1), fc.integer(), anything),
      fc.array(anything, { maxLength: 20 }).map(rest => ['new', 0, 0, 0, 'ns', 'name', 'uid', ...rest]),
      fc.array(anything, { maxLength: 9 }).map(rest => [0, 1, ...rest]),
      fc
        .record({
          types: anything,
          statuses: fc.array(
            fc.record({
              type: fc.constant(0),
              state: fc.constantFrom('synced', 'x'),
              namespaces: anything,
              reason: anything,
            }),
          ),
          failedGroups: anything,
          connection: anything,
        })
        .map(around => ['around', 0, around]),
    );
    const type = {
      group: '',
      version: 'v1',
      kind: 'Pod',
      resource: 'pods',
      namespaced: true,
      verbs: ['list'],
      preferred: true,
    };
    fc.assert(
      fc.property(
        fc.array(line),
        fc.array(anything),
        fc.oneof(fc.constant([type]), anything),
        (records, values, types) => {
          const head = packBlock({ kind: 'head', from: START, to: START, changes: 0 }, '{}');
          const payload = JSON.stringify({ types, values, records });
          const block = packBlock({ kind: 'changes', from: START, to: START + 1e9, changes: 1 }, payload);
          const source = new ReplaySource({
            file: fileOf(Buffer.concat([Buffer.from(FORMAT), head, block])),
          });
          for (const object of source.recording.stateAt(START + 1e9).objects()) {
            expect(typeof object.name).toBe('string');
            expect(object.labels.every(each => typeof each === 'string')).toBe(true);
            expect(object.facts === undefined || object.facts.kind === 'Pod').toBe(true);
          }
          void source.close();
        },
      ),
    );
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('unpacks no more of a block than its header admits', () => {
    const head = packBlock({ kind: 'head', from: START, to: START, changes: 0 }, '{}');
    const bomb = packBlock({ kind: 'changes', from: START, to: START, changes: 0 }, ' '.repeat(65 * 2 ** 20));
    const name = fileOf(Buffer.concat([Buffer.from(FORMAT), head, bomb]));
    expect(() => new RecordingFile(name)).toThrow(/is damaged at byte/u);
  });

  test.each([
    ['kind: Pod\n', /is no recording: kubectl gc-tree record writes them/u],
    ['', /nothing was recorded yet/u],
    ['gc-tree-record/2 and more', /a format that this version cannot read/u],
    ['gc-tree-record/\u001b[2J', /a format that this version cannot read \(gc-tree-record\/\?\)/u],
  ])('is told from what is none: %j', (text, message) => {
    expect(() => new RecordingFile(fileOf(Buffer.from(text)))).toThrow(message);
  });

  test.skipIf(process.platform === 'win32')('is not waited for where a pipe is in its place', () => {
    const pipe = `${fileOf(Buffer.alloc(0))}.pipe`;
    execFileSync('mkfifo', [pipe]);
    expect(() => new RecordingFile(pipe)).toThrow(`${pipe} is no file.`);
  });

  test('has nothing of what a Secret holds, whatever annotations are kept', () => {
    const secret = made('Secret', {
      metadata: {
        name: 'token',
        namespace: 'shop',
        uid: 'u-1',
      },
      data: { password: 'aHVudGVyMg==' },
      stringData: { password: 'hunter2' },
    }).with({
      annotations: [
        'kubectl.kubernetes.io/last-applied-configuration',
        '{"stringData":{"password":"hunter2"}}',
        'example.com/note',
        'hunter2',
        'meta.helm.sh/release-name',
        'shop',
      ],
    });
    const changed = secret.with({
      resourceVersion: '2' as ResourceVersion,
      annotations: ['example.com/note', 'hunter2 again'],
    });
    const bytes = recorded(
      [
        { at: 0, batch: { changes: [{ op: 'upsert', object: secret }] } },
        { at: 9_000, batch: { changes: [{ op: 'upsert', object: changed }] } },
      ],
      { keyFrameChanges: 1 },
    );
    const plain = plainText(bytes);
    expect(plain).toContain('"token"');
    expect(plain).toContain('meta.helm.sh/release-name');
    expect(plain).not.toMatch(/hunter2|aHVudGVyMg|stringData|last-applied/u);
  });
});

/** All that is in a recording, unpacked. */
function plainText(bytes: Buffer): string {
  let text = '';
  for (let at = FORMAT.length; at < bytes.length; ) {
    const header = readHeader(bytes.subarray(at, at + HEADER_BYTES));
    if (header === undefined || header === 'blank') throw new Error('no header');
    at += HEADER_BYTES + header.packed;
    text += zstdDecompressSync(bytes.subarray(at - header.packed, at)).toString();
  }
  return text;
}
