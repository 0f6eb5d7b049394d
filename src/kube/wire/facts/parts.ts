import type { Condition, Facts, LabelSelector } from '../../../model/facts/facts.ts';
import type { Cursor } from '../cursor.ts';
import { readRun } from '../object-meta.ts';
import type { Pool } from '../pool.ts';

/** Field numbers other than type = 1 and status = 2. */
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

export function readLabelSelector(cursor: Cursor, pool: Pool): LabelSelector {
  let matchLabels: readonly string[] | undefined;
  const matchExpressions: LabelSelector['matchExpressions'][number][] = [];
  const end = cursor.enter();
  for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
    if (field === 1) matchLabels = readRun(cursor, pool.labels, end, matchLabels);
    else if (field === 2) matchExpressions.push(readRequirement(cursor, pool));
  }
  cursor.leave(end);
  return {
    matchLabels: matchLabels ?? none,
    matchExpressions: matchExpressions.length > 0 ? matchExpressions : none,
  };
}

function readRequirement(cursor: Cursor, { strings }: Pool): LabelSelector['matchExpressions'][number] {
  const requirement = { key: '', operator: '', values: [] as string[] };
  cursor.fields(field => {
    if (field === 1) requirement.key = cursor.shared(strings);
    else if (field === 2) requirement.operator = cursor.shared(strings);
    else if (field === 3) requirement.values.push(cursor.shared(strings));
  });
  return requirement;
}

/** Reads a ServiceReference as `namespace/name`; `''` if it names none. */
export function readServiceName(cursor: Cursor): string {
  let inNamespace = '';
  let name = '';
  cursor.fields(field => {
    if (field === 1) inNamespace = cursor.text();
    else if (field === 2) name = cursor.text();
  });
  return name === '' ? '' : `${inNamespace}/${name}`;
}

/** Reads `metadata.labels` of the PodTemplateSpec at the cursor; calls `podSpec` at its `spec`. */
export function readTemplateLabels(cursor: Cursor, pool: Pool, podSpec?: () => void): readonly string[] {
  let labels: readonly string[] | undefined;
  const end = cursor.enter();
  for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
    if (field === 2) podSpec?.();
    if (field !== 1) continue;
    const metaEnd = cursor.enter();
    for (let inner = cursor.nextField(metaEnd); inner !== 0; inner = cursor.nextField(metaEnd))
      if (inner === 11) labels = readRun(cursor, pool.labels, metaEnd, labels);
    cursor.leave(metaEnd);
  }
  cursor.leave(end);
  return labels ?? none;
}

export interface ReadObject {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** Reads one kind's facts: call `clear`, `readSpec` and `readStatus` (once, but for lists), then `finish`. */
export interface FactsReader {
  clear(): void;
  /** The cursor moves from the message's length to its end. `of`: the fields that encoders write first. */
  readSpec(cursor: Cursor, of: ReadObject): void;
  readStatus(cursor: Cursor): void;
  finish(): Facts;
}
