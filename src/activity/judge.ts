/**
 * Why something happened, and by whom: by the collector where its own logic decides so at that moment
 * (docs/kubernetes.md §2.4, §3), never because of who might have been at work.
 */
import { blocksDeletion, finalizersOf, foreignFinalizers, isDeleting } from '../graph/deletion.ts';
import type { GraphNode, Identity } from '../graph/node.ts';
import { identityOfObject } from '../graph/ownership-node.ts';
import { selects } from '../model/facts/label-selector.ts';
import {
  controllerOf,
  FOREGROUND_FINALIZER,
  type KubeObject,
  ORPHAN_FINALIZER,
  type OwnerReference,
  podFacts,
  workloadFacts,
} from '../model/object.ts';
import { groupResource } from '../model/types/resource-type.ts';
import {
  type ActivityEntry,
  type ActivityKind,
  type Actor,
  type Because,
  type Ending,
  type Holds,
  type OwnerFate,
  policyOf,
  type SeenPolicy,
} from './entry.ts';
import { isBefore } from './moment.ts';
import { fatesOf, type Judged, judgeBefore, type Seen } from './owners.ts';
import type { Aspect, Transition } from './transition.ts';

/** What is told of an aspect. */
export interface Told {
  readonly what: ActivityKind;
  readonly because: Because;
  readonly by: readonly Actor[];
  readonly policy?: SeenPolicy | undefined;
  readonly holds?: Holds | undefined;
  readonly cause?: ActivityEntry | undefined;
  /** What another watch brings in a moment may explain it better. */
  readonly open: boolean;
}

const COLLECTOR: readonly Actor[] = ['garbage-collector'];
const CONTROLLER: readonly Actor[] = ['controller'];
const NOBODY: readonly Actor[] = [];

export function judgeAspect(seen: Seen, transition: Transition, aspect: Aspect): Told {
  switch (aspect.of) {
    case 'came':
      return recreation(seen, aspect.object);
    case 'marked':
      return {
        what: 'Marked',
        policy: policyOf(aspect.object),
        holds: holdsOf(seen, aspect.object),
        ...judgeDeletion(seen, transition, aspect),
      };
    case 'policy': {
      const { uid } = aspect.object;
      const because: Because = { code: 'Asked', owners: [] };
      const told = { because, by: NOBODY, cause: seen.memory.markOf(uid), open: false };
      const holds = holdsOf(seen, aspect.object);
      return { what: 'PolicyChanged', policy: policyOf(aspect.object), holds, ...told };
    }
    case 'gone':
      return isDeleting(aspect.before)
        ? ended(seen, aspect.before)
        : atOnce(judgeDeletion(seen, transition, { before: aspect.before, object: undefined }));
    case 'removed':
      return removal(seen, transition, aspect);
    case 'released':
      return release(seen, aspect.object, aspect.references[0]);
    case 'adopted':
      return adoption(seen, aspect.object, aspect.references[0]);
    case 'added':
      return {
        what: 'ReferenceAdded',
        because: { code: 'OtherOwners', owners: identitiesOf(seen, transition, aspect) },
        by: NOBODY,
        open: false,
      };
    case 'unblocked':
      return unblocking(seen, transition, aspect);
    case 'finalizers':
      return finalizerRemoval(seen, aspect);
  }
}

type Why = Pick<Told, 'because' | 'by' | 'cause' | 'open'>;

function atOnce(why: Why): Told {
  const isCollected = why.by.length === 1 && why.by[0] === 'garbage-collector';
  return { what: isCollected ? 'Collected' : 'Deleted', ...why };
}

/** Why an object was marked, or went at once where there is no `object` any more. */
function judgeDeletion(
  seen: Seen,
  transition: Transition,
  { before, object }: { readonly before: KubeObject; readonly object: KubeObject | undefined },
): Why {
  const { memory } = seen;
  const owners = fatesOf(seen, transition, before);
  const judged = judgeBefore(seen, transition, before);
  const isCollectors = deletes(judged) && fits(seen, transition, before, object);
  const emptied = emptiedWith(seen, transition, before);
  // Both of these delete in the background.
  if (emptied !== undefined && !(isCollectors && object !== undefined && policyOf(object) !== 'background')) {
    const told = { code: 'EmptiedWith', within: emptied.within } as const;
    return {
      because: isCollectors ? { ...told, owners } : told,
      by: isCollectors ? [emptied.by, 'garbage-collector'] : [emptied.by],
      cause: memory.deletionOf(emptied.within.uid),
      open: false,
    };
  }
  if (!isCollectors) {
    // An owner that another watch has yet to report would explain it.
    const because: Because = { code: 'Asked', owners };
    return { because, by: NOBODY, cause: undefined, open: owners.length > 0 };
  }
  const waits = owners.some(({ state }) => state === 'WaitingForDependents');
  return {
    because: { code: waits ? 'OwnersWait' : 'OwnersGone', owners },
    by: COLLECTOR,
    cause: causeAmong(seen, owners),
    open: false,
  };
}

function deletes({ decision: { verdict } }: Judged): boolean {
  return (
    verdict === 'DeleteBackground' ||
    verdict === 'DeleteForeground' ||
    verdict === 'DeleteOrphan' ||
    verdict === 'UnblockAndDelete'
  );
}

/**
 * Whether the policy that was seen is one that the collector would choose: it keeps the finalizer that the object carries,
 * and else asks for the foreground only where an owner waits.
 */
function fits(
  { memory }: Seen,
  transition: Transition,
  before: KubeObject,
  object: KubeObject | undefined,
): boolean {
  if (object === undefined) return true;
  const policy = policyOf(object);
  if (policy === 'orphan') return before.finalizers.includes(ORPHAN_FINALIZER);
  if (policy === 'background' || before.finalizers.includes(FOREGROUND_FINALIZER)) return true;
  // It asked for the owner a moment before it acted.
  return before.owners.some(
    ({ uid }) => uid !== before.uid && memory.proceeded(uid, 'foreground', transition, true),
  );
}

/** The owner whose end came last: what follows is told below that. */
function causeAmong({ memory }: Seen, owners: readonly OwnerFate[]): ActivityEntry | undefined {
  const latest = [...owners].sort((a, b) => (b.at ?? 0) - (a.at ?? 0));
  for (const { owner } of latest) {
    const entry = memory.deletionOf(owner.uid);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

/** What is being deleted with all that is in it: the object's namespace, or the definition of its kind. */
function emptiedWith(
  { view, memory }: Seen,
  transition: Transition,
  { type, namespace }: KubeObject,
): { readonly within: Identity; readonly by: Actor } | undefined {
  const deleting = (apiVersion: string, kind: string, name: string): Identity | undefined => {
    const known = view.catalog.resolveKind(apiVersion, kind);
    const object = known && view.graph.find(known, '', name)?.object;
    if (object !== undefined) return isDeleting(object) ? identityOfObject(object) : undefined;
    // It may be gone by the time that the end of what was in it is known.
    const gone = known && memory.departureAt(groupResource(known), name);
    return gone !== undefined && isBefore(transition, gone.moment) ? gone.identity : undefined;
  };
  const around = namespace === '' ? undefined : deleting('v1', 'Namespace', namespace);
  if (around !== undefined) return { within: around, by: 'namespace-controller' };
  const definition = deleting('apiextensions.k8s.io/v1', 'CustomResourceDefinition', groupResource(type));
  return definition && { within: definition, by: 'definition-controller' };
}

/** The end of a deletion that was under way. */
function ended(seen: Seen, before: KubeObject): Told {
  const { memory } = seen;
  const { uid } = before;
  const mark = memory.markOf(uid);
  const isCollected = mark?.by.length === 1 && mark.by[0] === 'garbage-collector';
  const by = endingOf(seen, before);
  const isCollectors = by.how === 'dependents' || by.how === 'orphaned';
  return {
    what: isCollected ? 'Collected' : 'Deleted',
    because: { code: 'Ended', marked: memory.markedAt(uid), by },
    by: isCollectors ? COLLECTOR : NOBODY,
    cause: mark,
    // A dependent may be gone already, and the watch of its kind has yet to say so.
    open: by.how === 'finalizers' && by.finalizers.some(isCollectorsOwn),
  };
}

function isCollectorsOwn(finalizer: string): boolean {
  return finalizer === FOREGROUND_FINALIZER || finalizer === ORPHAN_FINALIZER;
}

/** By the last state that was seen: what it still carried was removed as it went. */
function endingOf(seen: Seen, before: KubeObject): Ending {
  const { memory, view } = seen;
  const { uid, finalizers } = before;
  const foreign = foreignFinalizers(before);
  const dependents = [...(view.graph.get(uid)?.dependents ?? [])];
  if (foreign.length === 0 && finalizers.includes(FOREGROUND_FINALIZER)) {
    if (dependents.some(each => blocksDeletion(each, uid))) return { how: 'finalizers', finalizers };
    const last = memory.lastBlocking(uid);
    return { how: 'dependents', last: last?.identity, at: last?.at };
  }
  if (foreign.length === 0 && finalizers.includes(ORPHAN_FINALIZER))
    return dependents.length > 0
      ? { how: 'finalizers', finalizers }
      : { how: 'orphaned', count: memory.orphansOf(uid) };
  if (finalizers.length > 0) return { how: 'finalizers', finalizers };
  if (before.facts?.kind === 'Namespace') return { how: 'namespace' };
  return podFacts(before) === undefined ? { how: 'unseen' } : { how: 'pod' };
}

function removal(
  seen: Seen,
  transition: Transition,
  { before, object, references }: Extract<Aspect, { references: unknown }>,
): Told {
  const { memory } = seen;
  const owners = fatesOf(seen, transition, before, references);
  const orphaning = references.find(({ uid }) => memory.proceeded(uid, 'orphan', transition, true));
  if (orphaning !== undefined) {
    const owner = owners.find(each => each.owner.uid === orphaning.uid)?.owner;
    if (owner !== undefined) {
      const at = memory.markedAt(owner.uid);
      const because: Because = { code: 'OwnerOrphans', owner, at };
      return { what: 'Orphaned', because, by: COLLECTOR, cause: memory.deletionOf(owner.uid), open: false };
    }
  }
  // An object that is being deleted the collector leaves alone (docs/kubernetes.md §2.2).
  const { decision } = judgeBefore(seen, transition, before);
  const isPruned =
    decision.verdict === 'PruneReferences' && references.every(({ uid }) => decision.uids.has(uid));
  // What stays may have ended since the collector looked.
  const isRest =
    object.owners.length > 0 && references.every(reference => isOver(seen, transition, before, reference));
  if (!isDeleting(before) && (isPruned || isRest)) {
    const stay = fatesOf(seen, transition, object).map(({ owner }) => owner);
    const because: Because = { code: 'AnotherOwner', owners, stay };
    return { what: 'Stripped', because, by: COLLECTOR, cause: causeAmong(seen, owners), open: false };
  }
  const controller = references.find(reference => reference.controller === true);
  if (
    controller !== undefined &&
    owners.some(({ state, owner }) => owner.uid === controller.uid && state === 'Solid')
  )
    return release(seen, object, controller);
  return { what: 'ReferenceRemoved', because: { code: 'Asked', owners }, by: NOBODY, open: true };
}

/** Whether the collector takes off a reference, while the object has another owner: that owner is gone, or waits. */
function isOver(seen: Seen, transition: Transition, before: KubeObject, reference: OwnerReference): boolean {
  if (seen.memory.proceeded(reference.uid, 'foreground', transition, true)) return true;
  const { classified } = judgeBefore(seen, transition, before.with({ owners: [reference] }));
  return !classified.failed && classified.dangling.length > 0;
}

/** A controller lets go of what its selector no longer selects (docs/kubernetes.md §9). */
function release(seen: Seen, object: KubeObject, reference: OwnerReference): Told {
  const { owner, selected } = controllerAt(seen, object, reference);
  const because: Because = { code: 'Controller', owner, selects: selected };
  // An owner that another watch has yet to report as being deleted would explain it better.
  const isReleased = selected === false;
  return { what: 'Released', because, by: isReleased ? CONTROLLER : NOBODY, open: !isReleased };
}

function adoption(seen: Seen, object: KubeObject, reference: OwnerReference): Told {
  const { owner, selected } = controllerAt(seen, object, reference);
  const because: Because = { code: 'Controller', owner, selects: selected };
  return { what: 'Adopted', because, by: selected === true ? CONTROLLER : NOBODY, open: false };
}

function controllerAt(
  { view, memory }: Seen,
  { namespace, labels }: KubeObject,
  reference: OwnerReference,
): { readonly owner: Identity; readonly selected: boolean | undefined } {
  const { apiVersion, kind, name, uid } = reference;
  const known = view.graph.get(uid)?.object;
  const around = known?.namespace ?? namespace;
  const owner = memory.departure(uid)?.identity ?? { apiVersion, kind, namespace: around, name, uid };
  const facts = known === undefined ? undefined : workloadFacts(known);
  return { owner, selected: facts === undefined ? undefined : selects(facts.selector, labels) };
}

/** The collector takes the blocks out of a circle of owners before it deletes the one that it came to first. */
function unblocking(
  seen: Seen,
  transition: Transition,
  aspect: Extract<Aspect, { references: unknown }>,
): Told {
  const { before, object, references } = aspect;
  const owners = identitiesOf(seen, transition, aspect);
  const { classified } = judgeBefore(seen, transition, before);
  const isCircle =
    !isDeleting(before) &&
    (transition.node?.dependents.size ?? 0) > 0 &&
    !object.owners.some(({ blockOwnerDeletion }) => blockOwnerDeletion === true) &&
    references.some(({ uid }) => seen.memory.proceeded(uid, 'foreground', transition, true)) &&
    !classified.failed &&
    classified.solid.length === 0;
  if (isCircle) {
    const cause = owners.map(({ uid }) => seen.memory.deletionOf(uid)).find(entry => entry !== undefined);
    return { what: 'Unblocked', because: { code: 'Circle', owners }, by: COLLECTOR, cause, open: false };
  }
  return { what: 'Unblocked', because: { code: 'OtherOwners', owners }, by: NOBODY, open: true };
}

function identitiesOf(
  seen: Seen,
  transition: Transition,
  { object, references }: Extract<Aspect, { references: unknown }>,
): readonly Identity[] {
  return fatesOf(seen, transition, object, references).map(({ owner }) => owner);
}

function finalizerRemoval(seen: Seen, { object, removed }: Extract<Aspect, { of: 'finalizers' }>): Told {
  const { uid } = object;
  const node = seen.view.graph.get(uid);
  const isDone = removed.every(
    finalizer =>
      (finalizer === FOREGROUND_FINALIZER && !isBlocked(node)) ||
      (finalizer === ORPHAN_FINALIZER && (node?.dependents.size ?? 0) === 0),
  );
  return {
    what: 'FinalizerRemoved',
    because: { code: 'Finalizers', removed },
    by: isDone ? COLLECTOR : NOBODY,
    holds: holdsOf(seen, object),
    cause: seen.memory.markOf(uid),
    open: !isDone && removed.some(isCollectorsOwn),
  };
}

function isBlocked(node: GraphNode | undefined): boolean {
  return node?.dependents.values().some(dependent => blocksDeletion(dependent, node.uid)) === true;
}

function recreation({ memory }: Seen, object: KubeObject): Told {
  const before = memory.predecessor(object);
  const identity = before?.identity ?? identityOfObject(object);
  return {
    what: 'Recreated',
    because: { code: 'SameName', before: identity, goneAt: before?.moment.at },
    by: controllerOf(object) === undefined ? NOBODY : CONTROLLER,
    cause: memory.deletionOf(identity.uid),
    open: false,
  };
}

/** What the deletion of an object waits for, as far as can be seen. */
export function holdsOf({ view }: Pick<Seen, 'view'>, object: KubeObject): Holds {
  const node = view.graph.get(object.uid);
  const isForeground = object.finalizers.includes(FOREGROUND_FINALIZER);
  const blocking = isForeground
    ? [...(node?.dependents ?? [])].filter(each => blocksDeletion(each, object.uid))
    : [];
  const pod = podFacts(object);
  return {
    finalizers: finalizersOf(object).filter(each => each !== FOREGROUND_FINALIZER),
    dependents: blocking.map(({ object: known, identity }) =>
      known === undefined ? identity : identityOfObject(known),
    ),
    node: pod === undefined || pod.nodeName === '' ? undefined : pod.nodeName,
    graceEnds: pod === undefined ? undefined : object.deletionTimestamp,
  };
}
