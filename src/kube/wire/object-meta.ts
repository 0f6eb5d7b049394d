/**
 * Reads ObjectMeta without managed fields and most annotations. Field numbers: k8s.io/apimachinery v0.36.3,
 * pkg/apis/meta/v1/generated.proto.
 */
import {
  keptAnnotations,
  type ObjectInit,
  type ResourceType,
  type ResourceVersion,
  type Uid,
} from '../../model/index.ts';
import type { ByteCache, Cursor } from './cursor.ts';
import type { Pool } from './pool.ts';

export type MetaDraft = { -readonly [K in keyof ObjectInit]-?: ObjectInit[K] };

export function newDraft(type: ResourceType): MetaDraft {
  return {
    type,
    namespace: '',
    name: '',
    uid: '' as Uid,
    resourceVersion: '' as ResourceVersion,
    generation: 0,
    creationTimestamp: 0,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    finalizers: undefined,
    owners: undefined,
    labels: undefined,
    annotations: undefined,
    facts: undefined,
  };
}

export function readObjectMeta(cursor: Cursor, pool: Pool, draft: MetaDraft): void {
  const end = cursor.enter();
  for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
    if (field === 1) draft.name = cursor.text();
    else if (field === 3) draft.namespace = cursor.shared(pool.strings);
    else if (field === 5) draft.uid = cursor.text() as Uid;
    else if (field === 6) draft.resourceVersion = cursor.text() as ResourceVersion;
    else if (field === 7) draft.generation = cursor.signed();
    else if (field === 8) draft.creationTimestamp = cursor.time() ?? 0;
    else if (field === 9) draft.deletionTimestamp = cursor.time();
    else if (field === 10) draft.deletionGracePeriodSeconds = cursor.signed();
    else if (field === 11) draft.labels = readRun(cursor, pool.labels, end, draft.labels);
    else if (field === 12) readAnnotation(cursor, pool, draft);
    else if (field === 13) draft.owners = readRun(cursor, pool.owners, end, draft.owners);
    else if (field === 14) draft.finalizers = readRun(cursor, pool.texts, end, draft.finalizers);
  }
  cursor.leave(end);
}

function readAnnotation(cursor: Cursor, { strings }: Pool, draft: MetaDraft): void {
  const end = cursor.enter();
  let key = '';
  for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
    if (field === 1) {
      const keyEnd = cursor.enter();
      const bytes = keyEnd - cursor.pos;
      if (bytes > 0 && keptAnnotations.mayHave(bytes))
        key = strings.get(cursor.buf, cursor.pos, Math.min(keyEnd, end));
      cursor.pos = keyEnd;
    } else if (field === 2 && keptAnnotations.has(key))
      draft.annotations = [...(draft.annotations ?? []), key, cursor.shared(strings)];
  }
  cursor.leave(end);
}

/** Reads a run of fields with the tag before the cursor, as Go writes them; another encoder may split it (`before`). */
export function readRun<T>(
  cursor: Cursor,
  cache: ByteCache<readonly T[]>,
  end: number,
  before: readonly T[] | undefined,
): readonly T[] {
  const { buf } = cursor;
  const start = cursor.pos - 1;
  const tag = buf[start];
  for (;;) {
    cursor.pos = cursor.enter();
    if (cursor.pos > end) cursor.leave(end);
    if (cursor.pos === end || buf[cursor.pos] !== tag) break;
    cursor.pos++;
  }
  const run = cache.get(buf, start, cursor.pos);
  return before === undefined ? run : [...before, ...run];
}
