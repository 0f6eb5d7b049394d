/** Status conditions from protobuf; the kinds agree on all but a few field numbers. */
import type { Condition } from '../../../model/facts/facts.ts';
import type { Cursor } from '../cursor.ts';
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
