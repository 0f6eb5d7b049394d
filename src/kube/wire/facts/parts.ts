/** Status conditions from protobuf; the kinds agree on all but a few field numbers. */
import type { Condition, Facts, LabelSelector } from '../../../model/facts/facts.ts';
import type { Cursor } from '../cursor.ts';
import { runEnd } from '../object-meta.ts';
import type { Pool } from '../pool.ts';

/** Field numbers besides type = 1 and status = 2. */
export interface ConditionLayout {
  readonly transition: number;
  readonly reason: number;
  readonly message: number;
}

/** Pod, Node, Namespace, PersistentVolumeClaim, Job. */
export const coreCondition: ConditionLayout = { transition: 4, reason: 5, message: 6 };
/** ReplicationController, ReplicaSet, StatefulSet, DaemonSet, CustomResourceDefinition, APIService. */
export const plainCondition: ConditionLayout = { transition: 3, reason: 4, message: 5 };
export const deploymentCondition: ConditionLayout = { transition: 7, reason: 4, message: 5 };

/** Reads the condition whose length stands at the cursor. */
export function readCondition(cursor: Cursor, pool: Pool, layout: ConditionLayout): Condition {
  const end = cursor.enter();
  let type = '';
  let status = '';
  let reason = '';
  let message = '';
  let since: number | undefined;
  for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
    if (field === 1) type = cursor.shared(pool.strings);
    else if (field === 2) status = cursor.shared(pool.strings);
    else if (field === layout.transition) since = cursor.time();
    else if (field === layout.reason) reason = cursor.shared(pool.strings);
    else if (field === layout.message) message = cursor.shared(pool.strings);
  }
  cursor.leave(end);
  return { type, status, reason, message, since };
}

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

/** One per decoder, reused: `clear`, then at most one `readSpec` and `readStatus`, then `finish`. */
export interface FactsReader {
  clear(): void;
  /** The cursor stands at the length of the message, and behind the message afterwards. */
  readSpec(cursor: Cursor): void;
  readStatus(cursor: Cursor): void;
  finish(): Facts;
}
