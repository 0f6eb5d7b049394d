/** Dependents that are recreated while their owner is in foreground deletion, which may then never end. */

import { objectDeletion } from '../graph/index.ts';
import type { KubeObject } from '../model/index.ts';
import { blockingDependents, type HoldWorld } from './holds.ts';

/** Milliseconds for which the controller may act on an older copy of the owner after its deletion. */
const SOON = 3_000;

/** Milliseconds for which the controller may finish what it had begun before the owner's deletion. */
const LATE = 30_000;

/**
 * Lists dependents that block a foreground deletion and were created after it began. Those created before `LATE` count
 * only while they are young: recreated ones never get old. Built-in controllers create nothing for an owner that is
 * being deleted (docs/kubernetes.md §10 row 52).
 */
function findRecreated(
  world: Pick<HoldWorld, 'ownedBy' | 'type' | 'find' | 'reached'>,
  owner: KubeObject,
): readonly KubeObject[] {
  const since = objectDeletion.requestedAt(owner);
  // The handler of a finalizer may create objects for the cleanup, such as a Job.
  if (
    since === undefined ||
    !objectDeletion.isForeground(owner) ||
    objectDeletion.foreignFinalizers(owner).length > 0
  )
    return [];
  return blockingDependents(world, owner).filter(({ creationTimestamp: created, namespace }) => {
    const isLate = created - since >= LATE || (created - since >= SOON && !world.reached(created + LATE));
    return isLate && !refusesNewObjects(world, namespace);
  });
}

/** Checks if the dependent may come from work that the controller had begun before the owner's deletion. */
function isEarly(owner: KubeObject, dependent: KubeObject): boolean {
  return dependent.creationTimestamp - (objectDeletion.requestedAt(owner) ?? 0) < LATE;
}

function refusesNewObjects({ type, find }: Pick<HoldWorld, 'type' | 'find'>, namespace: string): boolean {
  const kind = namespace === '' ? undefined : type('v1', 'Namespace');
  return kind !== undefined && find(kind, '', namespace)?.deletionTimestamp !== undefined;
}

/** Returns `74 s` or `12 min`: how much later than its owner's deletion a dependent was created. */
function formatDelay(owner: KubeObject, dependent: KubeObject): string {
  const seconds = Math.round((dependent.creationTimestamp - (objectDeletion.requestedAt(owner) ?? 0)) / 1000);
  return seconds < 600 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

export const recreatedDependents = { find: findRecreated, isEarly, formatDelay };
