/** Label selectors and template labels from protobuf. */
import type { LabelSelector } from '../../../model/facts/facts.ts';
import type { Cursor } from '../cursor.ts';
import { runEnd } from '../object-meta.ts';
import type { Pool } from '../pool.ts';

const none: readonly never[] = Object.freeze([]);

/** `metav1.LabelSelector` at the cursor. */
export function readLabelSelector(cursor: Cursor, pool: Pool): LabelSelector {
  const end = cursor.enter();
  let matchLabels: readonly string[] = none;
  const matchExpressions: { key: string; operator: string; values: readonly string[] }[] = [];
  for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
    if (field === 1) matchLabels = readPairRun(cursor, pool, 1, end, matchLabels);
    else if (field === 2) matchExpressions.push(readRequirement(cursor, pool));
  }
  cursor.leave(end);
  return { matchLabels, matchExpressions: matchExpressions.length > 0 ? matchExpressions : none };
}

/** A run of entries of the `map<string, string>` in this field; the cursor stands behind its first tag. */
export function readPairRun(
  cursor: Cursor,
  pool: Pool,
  field: number,
  end: number,
  before: readonly string[] = none,
): readonly string[] {
  const start = cursor.pos - 1;
  const run = pool.labels.get(cursor.buf, start, runEnd(cursor, (field << 3) | 2, end));
  return before.length === 0 ? run : [...before, ...run];
}

function readRequirement(
  cursor: Cursor,
  pool: Pool,
): { key: string; operator: string; values: readonly string[] } {
  const end = cursor.enter();
  let key = '';
  let operator = '';
  const values: string[] = [];
  for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
    if (field === 1) key = cursor.shared(pool.strings);
    else if (field === 2) operator = cursor.shared(pool.strings);
    else if (field === 3) values.push(cursor.shared(pool.strings));
  }
  cursor.leave(end);
  return { key, operator, values };
}

/** `metadata.labels` of the PodTemplateSpec at the cursor. */
export function readTemplateLabels(cursor: Cursor, pool: Pool): readonly string[] {
  const end = cursor.enter();
  let labels: readonly string[] = none;
  for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
    if (field !== 1) continue;
    const metaEnd = cursor.enter();
    for (let inner = cursor.nextField(metaEnd); inner !== 0; inner = cursor.nextField(metaEnd))
      if (inner === 11) labels = readPairRun(cursor, pool, 11, metaEnd, labels);
    cursor.leave(metaEnd);
  }
  cursor.leave(end);
  return labels;
}
