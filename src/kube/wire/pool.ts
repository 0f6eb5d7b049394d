import type { Labels, OwnerReference, Uid } from '../../model/index.ts';
import { ByteCache, Cursor } from './cursor.ts';

export class Pool {
  /** Kinds, namespaces, finalizers, label keys and values, nodes, reasons. */
  readonly strings = new ByteCache<string>(8192, 64, (bytes, start, end) =>
    bytes.toString('utf8', start, end),
  );
  readonly labels: ByteCache<Labels> = new ByteCache(2048, 384, (bytes, start, end) =>
    readPairs(this, bytes, start, end),
  );
  /** A run of `ownerReferences`, tags included. Children of one owner have equal bytes. */
  readonly owners: ByteCache<readonly OwnerReference[]> = new ByteCache(2048, 256, (bytes, start, end) =>
    readOwners(this, bytes, start, end),
  );
  /** A run of strings, tags included: finalizers, short names. */
  readonly texts: ByteCache<readonly string[]> = new ByteCache(512, 128, (bytes, start, end) =>
    readTexts(this, bytes, start, end),
  );
}

function readRun(bytes: Buffer, start: number, end: number, read: (cursor: Cursor) => void): void {
  const cursor = new Cursor(bytes);
  cursor.pos = start;
  while (cursor.nextField(end) !== 0) read(cursor);
  cursor.leave(end);
}

/** Copies the list, because a grown one has room for 17 elements and is kept for long. */
function exact<T>(grown: readonly T[]): readonly T[] {
  return grown.slice();
}

function readPairs({ strings }: Pool, bytes: Buffer, start: number, end: number): Labels {
  const pairs: string[] = [];
  readRun(bytes, start, end, cursor => {
    const entryEnd = cursor.enter();
    let key = '';
    let value = '';
    for (let field = cursor.nextField(entryEnd); field !== 0; field = cursor.nextField(entryEnd)) {
      if (field === 1) key = cursor.shared(strings);
      else if (field === 2) value = cursor.shared(strings);
    }
    cursor.leave(entryEnd);
    pairs.push(key, value);
  });
  return exact(pairs);
}

/** Skips entries without a uid, which can't be followed. */
function readOwners(pool: Pool, bytes: Buffer, start: number, end: number): readonly OwnerReference[] {
  const owners: OwnerReference[] = [];
  readRun(bytes, start, end, cursor => {
    const owner = readOwner(pool, cursor);
    if (owner.uid !== '') owners.push(owner);
  });
  return exact(owners);
}

function readOwner(pool: Pool, cursor: Cursor): OwnerReference {
  const end = cursor.enter();
  let apiVersion = '';
  let kind = '';
  let name = '';
  let uid = '';
  let controller: boolean | undefined;
  let blockOwnerDeletion: boolean | undefined;
  for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
    if (field === 1) kind = cursor.shared(pool.strings);
    else if (field === 3) name = cursor.shared(pool.strings);
    else if (field === 4) uid = cursor.shared(pool.strings);
    else if (field === 5) apiVersion = cursor.shared(pool.strings);
    else if (field === 6) controller = cursor.flag();
    else if (field === 7) blockOwnerDeletion = cursor.flag();
  }
  cursor.leave(end);
  // Branded here, because identifiers enter the program here.
  return { apiVersion, kind, name, uid: uid as Uid, controller, blockOwnerDeletion };
}

function readTexts({ strings }: Pool, bytes: Buffer, start: number, end: number): readonly string[] {
  const texts: string[] = [];
  readRun(bytes, start, end, cursor => texts.push(cursor.shared(strings)));
  return exact(texts);
}
