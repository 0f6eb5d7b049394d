/**
 * `metav1.ObjectMeta` from protobuf. Annotations and managed fields, most of its bytes, are skipped unread.
 * Field numbers: k8s.io/apimachinery v0.36.3, pkg/apis/meta/v1/generated.proto.
 */
import type { Labels, OwnerReference, ResourceVersion, Uid } from '../../model/object.ts';
import type { Cursor } from './cursor.ts';
import type { Pool } from './pool.ts';

/** Filled once for each object, and reused: it never leaves the decoder. */
export class MetaDraft {
  name = '';
  namespace = '';
  uid = '' as Uid;
  resourceVersion = '' as ResourceVersion;
  generation = 0;
  creationTimestamp = 0;
  deletionTimestamp: number | undefined = undefined;
  deletionGracePeriodSeconds: number | undefined = undefined;
  labels: Labels | undefined = undefined;
  owners: readonly OwnerReference[] | undefined = undefined;
  finalizers: readonly string[] | undefined = undefined;

  clear(): void {
    this.name = '';
    this.namespace = '';
    this.uid = '' as Uid;
    this.resourceVersion = '' as ResourceVersion;
    this.generation = 0;
    this.creationTimestamp = 0;
    this.deletionTimestamp = undefined;
    this.deletionGracePeriodSeconds = undefined;
    this.labels = undefined;
    this.owners = undefined;
    this.finalizers = undefined;
  }
}

const LABELS_TAG = (11 << 3) | 2;
const OWNERS_TAG = (13 << 3) | 2;
const FINALIZERS_TAG = (14 << 3) | 2;

/** Reads the message whose length stands at the cursor. */
export function readObjectMeta(cursor: Cursor, pool: Pool, draft: MetaDraft): void {
  draft.clear();
  const end = cursor.enter();
  for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
    switch (field) {
      case 1:
        draft.name = cursor.text();
        break;
      case 3:
        draft.namespace = cursor.shared(pool.strings);
        break;
      case 5:
        draft.uid = cursor.text() as Uid;
        break;
      case 6:
        draft.resourceVersion = cursor.text() as ResourceVersion;
        break;
      case 7:
        draft.generation = cursor.signed();
        break;
      case 8:
        draft.creationTimestamp = cursor.time() ?? 0;
        break;
      case 9:
        draft.deletionTimestamp = cursor.time();
        break;
      case 10:
        draft.deletionGracePeriodSeconds = cursor.signed();
        break;
      case 11: {
        const start = cursor.pos - 1;
        draft.labels = joined(
          draft.labels,
          pool.labels.get(cursor.buf, start, runEnd(cursor, LABELS_TAG, end)),
        );
        break;
      }
      case 13: {
        const start = cursor.pos - 1;
        draft.owners = joined(
          draft.owners,
          pool.owners.get(cursor.buf, start, runEnd(cursor, OWNERS_TAG, end)),
        );
        break;
      }
      case 14: {
        const start = cursor.pos - 1;
        draft.finalizers = joined(
          draft.finalizers,
          pool.texts.get(cursor.buf, start, runEnd(cursor, FINALIZERS_TAG, end)),
        );
        break;
      }
    }
  }
  cursor.leave(end);
}

/**
 * The cursor stands behind a one-byte tag; moves it behind the last of the adjoining fields with the same tag.
 * Go writes repeated fields and maps in one run, with the keys of maps sorted.
 */
export function runEnd(cursor: Cursor, tag: number, end: number): number {
  for (;;) {
    cursor.pos = cursor.enter();
    if (cursor.pos > end) cursor.leave(end);
    if (cursor.pos === end || cursor.buf[cursor.pos] !== tag) return cursor.pos;
    cursor.pos++;
  }
}

/** Another encoder may split a run. */
function joined<T>(before: readonly T[] | undefined, run: readonly T[]): readonly T[] {
  return before === undefined ? run : [...before, ...run];
}
