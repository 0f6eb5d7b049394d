/** The meaning of an event for the graph, compared from outside, so that it costs nothing unless observed. */
import {
  type GraphEvent,
  Identity,
  identityOfObject,
  isDeleting,
  OwnerChanges,
  type OwnershipGraph,
  objectDeletion,
  partitionDependents,
} from '../graph/index.ts';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER, type OwnerReference } from '../model/index.ts';
import type { Branch } from './observed-step.ts';

/** State of a node before the event, because nodes change in place. */
interface Before {
  readonly identity: Identity;
  readonly virtual: boolean;
  readonly owners: readonly OwnerReference[];
  readonly beingDeleted: boolean;
  readonly hasDependents: boolean;
}

/** Captures the event's node before the graph applies it; the returned function reports the difference. */
export function compareAround(graph: OwnershipGraph, event: GraphEvent): () => readonly Branch[] {
  const { uid } = event.op === 'virtualDelete' ? event.identity : event.object;
  const node = graph.get(uid);
  const before: Before | undefined = node && {
    identity: node.identity,
    virtual: node.virtual,
    owners: node.owners,
    beingDeleted: node.beingDeleted,
    hasDependents: node.dependents.size > 0,
  };
  return () => {
    if (event.op === 'upsert') return upserted(graph, event, before);
    if (before === undefined) return ['NodeUnknown'];
    return event.op === 'delete' ? removed(before) : provenAbsent(graph, event.identity, before);
  };
}

function upserted(
  graph: OwnershipGraph,
  { object, old }: Extract<GraphEvent, { op: 'upsert' }>,
  before: Before | undefined,
): readonly Branch[] {
  const branches: Branch[] = [];
  if (before === undefined) branches.push('NodeAdded');
  else if (before.virtual) {
    const isAsClaimed = Identity.isSame(before.identity, identityOfObject(object));
    branches.push(isAsClaimed ? 'VirtualNodeObserved' : 'VirtualNodeCorrected');
  } else {
    const changes = OwnerChanges.between(before.owners, object.owners);
    if (changes !== undefined) branches.push('OwnersChanged');
    const unblocked = changes === undefined ? [] : OwnerChanges.unblocked(changes);
    if (unblocked.some(uid => graph.get(uid) !== undefined)) branches.push('OwnerUnblocked');
  }
  if (isDeleting(object)) {
    if (objectDeletion.begins(old, object, ORPHAN_FINALIZER)) branches.push('OrphaningBegan');
    else if (objectDeletion.begins(old, object, FOREGROUND_FINALIZER))
      branches.push('ForegroundDeletionBegan');
    else if (before?.beingDeleted !== true) branches.push('DeletionBegan');
  }
  return branches.length === 0 ? ['NothingChanged'] : branches;
}

function removed({ hasDependents }: Before): readonly Branch[] {
  return hasDependents ? ['NodeRemoved', 'AbsenceRemembered'] : ['NodeRemoved'];
}

function provenAbsent(graph: OwnershipGraph, absent: Identity, before: Before): readonly Branch[] {
  const node = graph.get(absent.uid);
  if (node === undefined) return removed(before);
  const branches: Branch[] = [];
  const claimants = Array.from(node.dependents, ({ identity: { namespace }, owners }) => ({
    namespace,
    owners,
  }));
  if (partitionDependents(claimants, absent).matching.length > 0) branches.push('AbsentClaimDropped');
  if (!Identity.isSame(node.identity, before.identity)) branches.push('OtherClaimTried');
  return branches.length === 0 ? ['NothingChanged'] : branches;
}
