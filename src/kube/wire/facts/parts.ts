/** What the readers of several kinds share: status conditions, label selectors, labels of templates. */
import type { Condition, Facts, LabelSelector } from '../../../model/facts/facts.ts';
import type { Cursor } from '../cursor.ts';
import { readRun } from '../object-meta.ts';
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

/** `namespace/name` of the ServiceReference at the cursor; `''` where it names none. */
export function readServiceName(cursor: Cursor): string {
  let inNamespace = '';
  let name = '';
  cursor.fields(field => {
    if (field === 1) inNamespace = cursor.text();
    else if (field === 2) name = cursor.text();
  });
  return name === '' ? '' : `${inNamespace}/${name}`;
}

/** `metadata.labels` of the PodTemplateSpec at the cursor; `podSpec` is called at its `spec`. */
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

/** What is known of an object before its facts are read. */
export interface ReadObject {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/**
 * What turns `spec` and `status` of one kind into facts. One per decoder, reused: `clear`, then `readSpec` and
 * `readStatus`, at most once each but for lists in the place of the spec, then `finish`.
 */
export interface FactsReader {
  clear(): void;
  /**
   * The cursor stands at the length of the message, and behind the message afterwards. `of`: what is known of the object
   * by then, which encoders write first.
   */
  readSpec(cursor: Cursor, of: ReadObject): void;
  readStatus(cursor: Cursor): void;
  finish(): Facts;
}
