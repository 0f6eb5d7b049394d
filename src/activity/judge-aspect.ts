/**
 * Decides why something happened. The collector did it only if its own logic decides so then (docs/kubernetes.md §2.4,
 * §3).
 */
import {
  type GraphNode,
  type Identity,
  identityOfObject,
  isDeleting,
  objectDeletion,
} from '../graph/index.ts';
import {
  controllerOf,
  FOREGROUND_FINALIZER,
  type KubeObject,
  ORPHAN_FINALIZER,
  podFacts,
  ResourceType,
} from '../model/index.ts';
import {
  type Actor,
  type Because,
  type Ending,
  type Holds,
  type OwnerFate,
  policyOf,
} from './activity-entry.ts';
import { COLLECTOR, CONTROLLER, causeAmong, isUnheardOf, NOBODY, type Told } from './aspect-verdict.ts';
import { fatesOf, type Judged, judgeBefore, type Seen } from './former-owners.ts';
import { mayBeBefore } from './order-of-moments.ts';
import { adoption, identitiesOf, release, removal, unblocking } from './references.ts';
import type { Aspect, Transition } from './transition.ts';

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
      const { because, by, open } = judgeSecond(seen, transition, aspect);
      const told = { because, by, cause: seen.memory.markOf(aspect.object.uid), open };
      const holds = holdsOf(seen, aspect.object);
      return { what: 'PolicyChanged', policy: policyOf(aspect.object), holds, ...told };
    }
    case 'gone':
      return isDeleting(aspect.before)
        ? ended(seen, transition, aspect.before)
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

interface Change {
  readonly before: KubeObject;
  /** Undefined if it was deleted at once. */
  readonly object: KubeObject | undefined;
}

function judgeDeletion(seen: Seen, transition: Transition, change: Change): Why {
  const { memory } = seen;
  const { before, object } = change;
  const reasons = collectorsReasons(seen, transition, change);
  const isCollectors = reasons !== undefined;
  const owners = reasons ?? fatesOf(seen, transition, before);
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
  return {
    because: collected(owners),
    by: COLLECTOR,
    cause: causeAmong(seen, owners),
    open: owners.some(isUnheardOf),
  };
}

/** Explains a second deletion: the collector did it if it may have looked before the mark (docs/kubernetes.md §2.2). */
function judgeSecond(
  seen: Seen,
  transition: Transition,
  change: Change,
): Pick<Why, 'because' | 'by' | 'open'> {
  const isNew = seen.memory.wasJustMarked(change.before.uid, transition);
  const owners = isNew ? collectorsReasons(seen, transition, change) : undefined;
  if (owners === undefined) return { because: { code: 'Asked', owners: [] }, by: NOBODY, open: false };
  return { because: collected(owners), by: COLLECTOR, open: false };
}

/** Returns the owners that made the collector act, at that moment or when it looked; undefined if none did. */
function collectorsReasons(
  seen: Seen,
  transition: Transition,
  { before, object }: Change,
): readonly OwnerFate[] | undefined {
  if (!fits(seen, transition, before, object)) return undefined;
  for (const late of [false, true])
    if (deletes(judgeBefore(seen, transition, before, late)))
      return fatesOf(seen, transition, before, before.owners, late);
  return undefined;
}

function collected(owners: readonly OwnerFate[]): Because {
  const waits = owners.some(({ state }) => state === 'WaitingForDependents');
  return { code: waits ? 'OwnersWait' : 'OwnersGone', owners };
}

function deletes({ decision: { verdict } }: Judged): boolean {
  return (
    verdict === 'DeleteBackground' ||
    verdict === 'DeleteForeground' ||
    verdict === 'DeleteOrphan' ||
    verdict === 'UnblockAndDelete'
  );
}

/** Decides if the collector could choose this policy: it keeps the finalizer, else foreground needs a waiting owner. */
function fits(
  { memory }: Seen,
  transition: Transition,
  before: KubeObject,
  object: KubeObject | undefined,
): boolean {
  if (object === undefined) return true;
  const policy = policyOf(object);
  if (policy === 'orphan')
    return (
      before.finalizers.includes(ORPHAN_FINALIZER) || memory.proceeded(before.uid, 'orphan', transition, true)
    );
  if (policy === 'background' || before.finalizers.includes(FOREGROUND_FINALIZER)) return true;
  // The collector checked the owner a moment before it acted.
  return before.owners.some(
    ({ uid }) => uid !== before.uid && memory.proceeded(uid, 'foreground', transition, true),
  );
}

/** Finds a container being deleted with all its contents: the object's namespace or the definition of its kind. */
function emptiedWith(
  { view, memory }: Seen,
  transition: Transition,
  { type, namespace }: KubeObject,
): { readonly within: Identity; readonly by: Actor } | undefined {
  const deleting = (apiVersion: string, kind: string, name: string): Identity | undefined => {
    const known = view.catalog.resolveKind(apiVersion, kind);
    const object = known && view.graph.find(known, '', name)?.object;
    if (object !== undefined) return isDeleting(object) ? identityOfObject(object) : undefined;
    // The container may be gone by the time the end of its contents is known.
    const gone = known && memory.departureAt(ResourceType.groupResource(known), name);
    if (gone === undefined) return undefined;
    const mayBeFirst = mayBeBefore(transition, gone.moment);
    return transition.unseen === true || mayBeFirst ? gone.identity : undefined;
  };
  const around = namespace === '' ? undefined : deleting('v1', 'Namespace', namespace);
  if (around !== undefined) return { within: around, by: 'namespace-controller' };
  const definition = deleting(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    ResourceType.groupResource(type),
  );
  return definition && { within: definition, by: 'definition-controller' };
}

function ended(seen: Seen, transition: Transition, before: KubeObject): Told {
  const { memory } = seen;
  const { uid } = before;
  const mark = memory.markOf(uid);
  const isCollected = mark?.by.length === 1 && mark.by[0] === 'garbage-collector';
  const by = endingOf(seen, before);
  const isCollectors =
    by.how === 'dependents' || by.how === 'orphaned' || isDeletedAnew(seen, transition, before, by);
  return {
    what: isCollected ? 'Collected' : 'Deleted',
    because: { code: 'Ended', marked: memory.markedAt(uid), by },
    by: isCollectors ? COLLECTOR : NOBODY,
    cause: mark,
    // A dependent may be gone already, with the watch of its kind yet to report it.
    open: by.how === 'finalizers' && by.finalizers.some(isCollectorsOwn),
  };
}

/** Decides if the collector looked before the mark and deleted it again in the background, which waits for nothing. */
function isDeletedAnew(seen: Seen, transition: Transition, before: KubeObject, by: Ending): boolean {
  return (
    by.how === 'finalizers' &&
    by.finalizers.every(isCollectorsOwn) &&
    seen.memory.wasJustMarked(before.uid, transition) &&
    collectorsReasons(seen, transition, { before, object: undefined }) !== undefined
  );
}

function isCollectorsOwn(finalizer: string): boolean {
  return finalizer === FOREGROUND_FINALIZER || finalizer === ORPHAN_FINALIZER;
}

/** Concludes from the last state seen: the finalizers it still had were removed at the end. */
function endingOf(seen: Seen, before: KubeObject): Ending {
  const { memory, view } = seen;
  const { uid, finalizers } = before;
  const foreign = objectDeletion.foreignFinalizers(before);
  const dependents = [...(view.graph.get(uid)?.dependents ?? [])];
  if (foreign.length === 0 && finalizers.includes(FOREGROUND_FINALIZER)) {
    // An object that blocks itself waits forever.
    if (
      objectDeletion.isBlockedBy(before, uid) ||
      dependents.some(each => objectDeletion.isBlockedBy(each, uid))
    )
      return { how: 'finalizers', finalizers };
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
  return (
    node?.dependents.values().some(dependent => objectDeletion.isBlockedBy(dependent, node.uid)) === true
  );
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

export function holdsOf({ view }: Pick<Seen, 'view'>, object: KubeObject): Holds {
  const node = view.graph.get(object.uid);
  const isForeground = object.finalizers.includes(FOREGROUND_FINALIZER);
  const blocking = isForeground
    ? [...(node?.dependents ?? [])].filter(each => objectDeletion.isBlockedBy(each, object.uid))
    : [];
  const pod = podFacts(object);
  return {
    finalizers: objectDeletion.finalizers(object).filter(each => each !== FOREGROUND_FINALIZER),
    dependents: blocking.map(({ object: known, identity }) =>
      known === undefined ? identity : identityOfObject(known),
    ),
    node: pod === undefined || pod.nodeName === '' ? undefined : pod.nodeName,
    graceEnds: pod === undefined ? undefined : object.deletionTimestamp,
  };
}
