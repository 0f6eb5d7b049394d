/**
 * Finds deletions that end in the simulation and may not end in the cluster: no simulated controller recreates
 * dependents of custom resources.
 */
import { objectDeletion } from '../../graph/index.ts';
import { type KubeObject, objectTitleIn, type Uid } from '../../model/index.ts';
import type { Ends } from '../plan/run-ends.ts';
import { recreatedDependents } from '../recreation.ts';
import { type Run, type Stage, USER } from '../simulated-run.ts';

/** Returns the reason for each, as a clause. */
export function findEndless({ base, view, now }: Stage, { log }: Run, ends: Ends): ReadonlyMap<Uid, string> {
  const released = new Set(
    log.flatMap(({ actor, before, after }) =>
      actor === USER && after === undefined ? (before?.uid ?? []) : [],
    ),
  );
  const isWaiting = (object: KubeObject | undefined): object is KubeObject =>
    object !== undefined &&
    ends.has(object.uid) &&
    ends.get(object.uid)?.after === undefined &&
    !released.has(object.uid);
  const world = {
    type: (apiVersion: string, kind: string) => view.catalog.resolveKind(apiVersion, kind),
    find: base.find.bind(base),
    ownedBy: (owner: KubeObject) => base.ownedBy(owner.uid),
    reached: (at: number) => at <= now,
  };
  const found = new Map<Uid, string>();
  for (const { before } of ends.values()) {
    const [dependent] = isWaiting(before) ? recreatedDependents.find(world, before) : [];
    if (before === undefined || dependent === undefined) continue;
    const title = objectTitleIn(dependent, before.namespace);
    found.set(
      before.uid,
      `${title}, which it waits for, was created ${recreatedDependents.formatDelay(before, dependent)} after its deletion began, and may be recreated again`,
    );
  }
  // A Map's iteration includes entries added during it.
  for (const uid of found.keys()) {
    const dependent = base.byUid(uid);
    for (const owner of dependent?.owners ?? []) {
      const waiting = base.byUid(owner.uid);
      if (dependent === undefined || !isWaiting(waiting) || found.has(owner.uid)) continue;
      if (objectDeletion.isForeground(waiting) && objectDeletion.isBlockedBy(dependent, owner.uid))
        found.set(
          owner.uid,
          `it waits for ${objectTitleIn(dependent, waiting.namespace)}, which may never be deleted`,
        );
    }
  }
  return found;
}
