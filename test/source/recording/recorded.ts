/** Recordings as tests make them: histories of made-up objects, written to a file of their own. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SourceBatch } from '../../../src/model/exchange/changes.ts';
import type { JsonRecord } from '../../../src/model/json/json.ts';
import type { KubeObject, Uid } from '../../../src/model/object.ts';
import { objectJson } from '../../../src/model/object-json.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { type RecordingHead, RecordingWriter } from '../../../src/source/recording/writer.ts';

export const START = Date.UTC(2026, 10, 21, 14);

const head: RecordingHead = {
  tool: '1.2.3',
  startedAt: START,
  context: 'test',
  namespace: 'shop',
  serverVersion: 'v1.36.3',
  namespaces: undefined,
};

export interface Told {
  /** Milliseconds since `START`. */
  readonly at: number;
  readonly batch: SourceBatch;
}

const served: SourceBatch = {
  changes: [],
  types: builtInTypes,
  failedGroups: [],
  statuses: builtInTypes
    .filter(({ preferred, verbs }) => preferred && verbs.includes('watch'))
    .map(type => ({ type, state: 'synced', count: 0, facts: true })),
  connection: { state: 'live' },
};

/** The bytes of a recording of these. */
export function recorded(history: readonly Told[], { keyFrameChanges = 1e9, end = true } = {}): Buffer {
  const parts: Buffer[] = [];
  const writer = new RecordingWriter(bytes => parts.push(bytes), head, keyFrameChanges);
  writer.add(served, START);
  for (const { at, batch } of history) writer.add(batch, START + at);
  if (end) writer.end(START + (history.at(-1)?.at ?? 0));
  return Buffer.concat(parts);
}

/** A file that holds them. */
export function fileOf(bytes: Buffer): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'rec-')), 'a.gctree');
  writeFileSync(file, bytes);
  return file;
}

/** An object of a built-in kind, from what the API server would send. */
export function made(kind: string, json: JsonRecord): KubeObject {
  const type = builtInTypes.find(each => each.kind === kind && each.preferred);
  const object = type && objectJson.read(type, json);
  if (object === undefined) throw new Error(`no ${kind}`);
  return object;
}

/** What is there after these, by uid. */
export function objectsAfter(history: readonly Told[], at: number): Map<Uid, KubeObject> {
  const there = new Map<Uid, KubeObject>();
  for (const { at: then, batch } of history)
    for (const change of then > at ? [] : batch.changes)
      if (change.op === 'upsert') there.set(change.object.uid, change.object);
      else there.delete(change.uid);
  return there;
}
