/** Compares the end of a run with the snapshot: deleted, held, altered and new objects. */
import { compareBytes, type Identity, identityOfObject, objectDeletion } from '../../graph/index.ts';
import {
  controllerOf,
  type KubeObject,
  type OwnerReference,
  podFacts,
  Sliced,
  shownName,
  type Uid,
} from '../../model/index.ts';
import { type LoggedRequest, putBack } from '../../simulation/index.ts';
import type { End } from '../simulated-run.ts';
import type {
  ChangedObject,
  DeletedObject,
  PossibleEnd,
  RecreatedObjects,
  TerminatingObject,
} from './forecast-result.ts';
import { type EndState, LaterExplained, waitsOf } from './waiting.ts';

export type Ends = ReadonlyMap<Uid, End>;

/** Checks if the same happens without the action. */
export type Anyway = (uid: Uid) => boolean;

/** Checks if an object exists with deletion and ownership unchanged. */
export function isKept(end: End): boolean {
  const { before, after } = end;
  if (after === undefined || after.deletionTimestamp !== undefined) return false;
  if (before === undefined) return true;
  if (before.owners === after.owners && before.finalizers === after.finalizers) return true;
  return endOf(end).words === 'kept';
}

export function endOf({ before, after }: End): PossibleEnd {
  if (after === undefined) return { end: 'deleted', words: 'deleted' };
  const alterations: string[] = [];
  if (before !== undefined) {
    const { removed, unblocked, altered } = referenceChanges(before, after);
    const nameOf = (uid: Uid): string => {
      const owner = before.owners.find(each => each.uid === uid);
      return `${shownName(owner?.kind ?? '')} ${shownName(owner?.name ?? uid)}`;
    };
    for (const uid of removed) {
      const left = withUid(after.owners, uid).length > 0;
      alterations.push(`without ${left ? 'one of its references' : 'its reference'} to ${nameOf(uid)}`);
    }
    for (const uid of unblocked) alterations.push(`no longer blocking ${nameOf(uid)}`);
    for (const uid of altered) alterations.push(`with another reference to ${nameOf(uid)}`);
    for (const each of without(after.finalizers, before.finalizers)) alterations.push(`with ${each}`);
    for (const each of without(before.finalizers, after.finalizers)) alterations.push(`without ${each}`);
  }
  const end = after.deletionTimestamp === undefined ? 'kept' : 'stuck';
  return { end, words: [end === 'kept' ? end : 'stuck deleting', ...alterations].join(', ') };
}

/** Sorts effects of the action first; then by namespace, kind, name, uid. */
export function byIdentity(a: Listed, b: Listed): number {
  return Number(a.anyway ?? false) - Number(b.anyway ?? false) || compareIdentity(a.object, b.object);
}

type Listed = Pick<DeletedObject, 'object'> & Partial<Pick<DeletedObject, 'anyway'>>;

export function compareIdentity(a: Identity, b: Identity): number {
  return (
    compareBytes(a.namespace, b.namespace) ||
    compareBytes(a.kind, b.kind) ||
    compareBytes(a.name, b.name) ||
    compareBytes(a.apiVersion, b.apiVersion) ||
    compareBytes(a.uid, b.uid)
  );
}

function without(list: readonly string[], others: readonly string[]): string[] {
  return list.length === 0 ? [] : list.filter(each => !others.includes(each));
}

/** Compares by uid; several references to one uid are counted. */
function referenceChanges(
  before: KubeObject,
  after: KubeObject,
): Readonly<Record<'removed' | 'added' | 'unblocked' | 'altered', Uid[]>> {
  const changes = { removed: [] as Uid[], added: [] as Uid[], unblocked: [] as Uid[], altered: [] as Uid[] };
  if (before.owners === after.owners) return changes;
  for (const uid of new Set([...before.owners, ...after.owners].map(owner => owner.uid).sort())) {
    const old = withUid(before.owners, uid);
    const now = withUid(after.owners, uid);
    if (now.length < old.length) changes.removed.push(uid);
    else if (now.length > old.length) changes.added.push(uid);
    else if (old.some(blocks) && !now.some(blocks)) changes.unblocked.push(uid);
    else if (!now.every((reference, index) => saysTheSame(reference, old[index]))) changes.altered.push(uid);
  }
  return changes;
}

/** A missing flag counts as false. */
function saysTheSame(a: OwnerReference, b: OwnerReference | undefined): boolean {
  return (
    a.apiVersion === b?.apiVersion &&
    a.kind === b.kind &&
    a.name === b.name &&
    (a.controller ?? false) === (b.controller ?? false) &&
    blocks(a) === blocks(b)
  );
}

function withUid(owners: readonly OwnerReference[], uid: Uid): OwnerReference[] {
  return owners.filter(owner => owner.uid === uid);
}

function blocks({ blockOwnerDeletion }: OwnerReference): boolean {
  return blockOwnerDeletion === true;
}

function deletions(log: readonly LoggedRequest[]): Map<Uid, LoggedRequest> {
  const found = new Map<Uid, LoggedRequest>();
  for (const request of log) {
    const { before, after } = request;
    if (before === undefined || found.has(before.uid)) continue;
    const gone = after === undefined;
    const marked = before.deletionTimestamp === undefined && after?.deletionTimestamp !== undefined;
    if (gone || marked) found.set(before.uid, request);
  }
  return found;
}

export function deletedObjects(
  ends: Ends,
  log: readonly LoggedRequest[],
  anyway: Anyway,
): readonly DeletedObject[] {
  const causes = deletions(log);
  const found: DeletedObject[] = [];
  for (const [uid, { before, after }] of ends) {
    if (before === undefined || after !== undefined) continue;
    const cause = causes.get(uid);
    found.push({
      object: identityOfObject(before),
      by: cause?.actor ?? '',
      reason: cause?.because ?? 'its last finalizer was removed',
      anyway: anyway(uid),
    });
  }
  return found.sort(byIdentity);
}

export function* terminatingObjects(
  state: EndState,
  objects: Iterable<KubeObject>,
  anyway: Anyway,
): Sliced<readonly TerminatingObject[]> {
  const found: TerminatingObject[] = [];
  yield* Sliced.each(objects, object => {
    const isAnyway = anyway(object.uid);
    if (state.isFinal) {
      found.push(new LaterExplained(state, object, isAnyway));
      return;
    }
    const { words, cause, handlers } = waitsOf(state, object);
    found.push({
      object: identityOfObject(object),
      finalizers: objectDeletion.finalizers(object),
      waitingFor: words,
      cause,
      handlers,
      anyway: isAnyway,
    });
  });
  return found.sort(byIdentity);
}

export function changedObjects(ends: Ends, anyway: Anyway): readonly ChangedObject[] {
  const found: ChangedObject[] = [];
  for (const [uid, { before, after }] of ends) {
    if (before === undefined || after === undefined) continue;
    const references = referenceChanges(before, after);
    const change = {
      ownerReferencesRemoved: references.removed,
      ownerReferencesUnblocked: references.unblocked,
      ownerReferencesAdded: references.added,
      ownerReferencesAltered: references.altered,
      finalizersAdded: without(objectDeletion.finalizers(after), objectDeletion.finalizers(before)).sort(),
      finalizersRemoved: without(objectDeletion.finalizers(before), objectDeletion.finalizers(after)).sort(),
    };
    if (Object.values(change).every(list => list.length === 0)) continue;
    found.push({
      object: identityOfObject(before),
      ...change,
      ownerReferencesLeft: after.owners.length,
      keepsRemovedOwner: after.owners.some(owner => references.removed.includes(owner.uid)),
      anyway: anyway(uid),
    });
  }
  return found.sort(byIdentity);
}

/** Groups new objects by creator, without those already being deleted. */
export function recreatedObjects(
  ends: Ends,
  byUid: (uid: Uid) => KubeObject | undefined,
  baseline: Ends | undefined,
): readonly RecreatedObjects[] {
  const without = createdBy(baseline ?? new Map());
  return [...createdBy(ends)]
    .flatMap(([key, objects]): RecreatedObjects[] => {
      const [first] = objects;
      if (first === undefined) return [];
      const controller = controllerOf(first);
      const owner = controller && byUid(controller.uid);
      const isNew = owner !== undefined && ends.get(owner.uid)?.before === undefined && ends.has(owner.uid);
      const above = isNew ? controllerOf(owner) : undefined;
      const top = above && byUid(above.uid);
      const group = {
        by: owner && identityOfObject(owner),
        ...(top === undefined ? {} : { above: identityOfObject(top) }),
        apiVersion: first.type.apiVersion,
        kind: first.type.kind,
        ...(controller === undefined && {
          actor: putBack.actor(first),
          named: objects.map(({ namespace, name }) => ({ namespace, name })),
        }),
      };
      const before = without.get(key) ?? [];
      const count = Math.min(objects.length, before.length);
      const pending = Math.min(pendingOf(objects), count, pendingOf(before));
      return [
        { ...group, count: objects.length - count, pending: pendingOf(objects) - pending, anyway: false },
        { ...group, count, pending, anyway: true },
      ];
    })
    .filter(({ count }) => count > 0)
    .sort(
      (a, b) =>
        Number(a.anyway) - Number(b.anyway) ||
        (a.by !== undefined && b.by !== undefined ? compareIdentity(a.by, b.by) : 0) ||
        compareBytes(a.kind, b.kind) ||
        compareBytes(a.apiVersion, b.apiVersion),
    );
}

function createdBy(ends: Ends): Map<string, KubeObject[]> {
  const created = [...ends.values()].flatMap(({ before, after }) =>
    before === undefined && after !== undefined && after.deletionTimestamp === undefined ? after : [],
  );
  return Map.groupBy(
    created,
    each =>
      `${controllerOf(each)?.uid ?? putBack.actor(each) ?? ''} ${each.type.apiVersion} ${each.type.kind}`,
  );
}

function pendingOf(objects: readonly KubeObject[]): number {
  return objects.filter(each => podFacts(each)?.nodeName === '').length;
}

/** Owner kinds with a simulated controller; other recreations can only be assumed. */
const modelled: ReadonlySet<string> = new Set([
  'apps/v1/Deployment',
  'apps/v1/ReplicaSet',
  'apps/v1/StatefulSet',
  'apps/v1/DaemonSet',
  'batch/v1/Job',
  'batch/v1/CronJob',
  'v1/ReplicationController',
  'v1/Node',
]);

export function isModelled({ apiVersion, kind }: Pick<OwnerReference, 'apiVersion' | 'kind'>): boolean {
  return modelled.has(`${apiVersion}/${kind}`);
}
