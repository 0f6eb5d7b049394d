/** Restores the fields that an action changed on a living object. */

import { requestWords } from '../../forecast/index.ts';
import { isDeleting } from '../../graph/index.ts';
import {
  type ActRequest,
  FOREGROUND_FINALIZER,
  type JsonRecord,
  type KubeObject,
  list,
  ORPHAN_FINALIZER,
  type OwnerReference,
  record,
  shownName,
  text,
  texts,
  type Uid,
} from '../../model/index.ts';
import type { BackupObject } from '../journal/action-journal.ts';
import { type OwnerResolver, ownerIn, type RestoreStep } from './recreation.ts';

type Operation = JsonRecord & { readonly op: 'test' | 'add' | 'remove' | 'replace' };

interface Part {
  readonly operations: readonly Operation[];
  readonly does?: string;
  readonly lost: readonly string[];
}

const unchanged: Part = { operations: [], lost: [] };

export function restoration(
  { json, unusable }: BackupObject,
  object: KubeObject,
  owners: OwnerResolver,
): RestoreStep {
  const title = `${shownName(object.type.kind)} ${shownName(object.name)}`;
  // It didn't exist before, or couldn't be read.
  if (json === undefined) return { lost: unusable === undefined ? [] : [`${title}: ${unusable}`] };
  const parts = [
    references(title, record(json['metadata']), object, owners),
    finalizers(title, record(json['metadata']), object),
    specFinalizers(title, record(json['spec']), object),
    reclaimPolicy(title, record(json['spec']), object),
    claimReference(title, record(json['spec']), object, owners),
    retention(title, record(json['spec']), object),
    taints(title, record(json['spec']), object),
  ];
  const operations = parts.flatMap(part => part.operations);
  const lost = parts.flatMap(part => part.lost);
  if (operations.length === 0) return { lost };
  const does = parts.flatMap(part => part.does ?? []);
  return { request: patchOf(object, operations), does: does.join('; '), lost };
}

function patchOf(object: KubeObject, operations: readonly Operation[]): ActRequest {
  return {
    method: 'PATCH',
    path: requestWords.objectPath(object),
    contentType: 'application/json-patch+json',
    body: [{ op: 'test', path: '/metadata/uid', value: object.uid }, ...operations],
  };
}

/** Tests that a list is as seen. An absent list can't be tested, so the whole object must be unchanged. */
function asSeen(object: KubeObject, path: string, value: readonly unknown[]): Operation {
  const { resourceVersion } = object;
  return value.length > 0
    ? { op: 'test', path, value }
    : { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion };
}

function references(title: string, metadata: JsonRecord, object: KubeObject, owners: OwnerResolver): Part {
  const before = list(metadata['ownerReferences']).map(record);
  const wanted: JsonRecord[] = [];
  const lost: string[] = [];
  for (const reference of before) {
    const { kind, name, uid } = reference;
    const now = owners.ownerFor(ownerIn(reference, object.namespace));
    if (now !== undefined) wanted.push({ ...reference, uid: now });
    else if (object.owners.some(each => each.uid === uid)) wanted.push(reference);
    else
      lost.push(
        `${title}: its owner ${String(kind)} ${String(name)}, which is gone, being deleted or not what it names`,
      );
  }
  // Owners added since stay, such as one that adopted the object.
  const adopted = object.owners.filter(owner => !before.some(({ uid }) => uid === owner.uid));
  const missing = wanted.filter(({ uid }) => !adopted.some(owner => owner.uid === uid));
  const by = adopted.find(({ controller }) => controller === true);
  if (by !== undefined && missing.some(each => each['controller'] === true)) {
    return {
      operations: [],
      lost: [...lost, `${title}: its references, because ${by.kind} ${by.name} controls it by now`],
    };
  }
  const all = [...missing, ...adopted.map(plain)];
  if (sameReferences(all, object.owners.map(plain))) return { ...unchanged, lost };
  const path = '/metadata/ownerReferences';
  return {
    operations: [
      asSeen(object, path, object.owners.map(plain)),
      all.length === 0 ? { op: 'remove', path } : { op: 'add', path, value: all },
    ],
    does: `put the owner references of ${title} back`,
    lost,
  };
}

function plain({ controller, blockOwnerDeletion, ...reference }: OwnerReference): JsonRecord {
  return {
    ...reference,
    ...(controller === undefined ? {} : { controller }),
    ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
  };
}

function sameReferences(a: readonly JsonRecord[], b: readonly JsonRecord[]): boolean {
  const key = (each: JsonRecord): string =>
    ['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion']
      .map(field => JSON.stringify(each[field] ?? false))
      .join(' ');
  const [x, y] = [a, b].map(each => each.map(key).sort().join('\n'));
  return x === y;
}

function finalizers(title: string, metadata: JsonRecord, object: KubeObject): Part {
  const missing = list(metadata['finalizers'])
    .map(String)
    .filter(each => each !== FOREGROUND_FINALIZER && each !== ORPHAN_FINALIZER)
    .filter(each => !object.finalizers.includes(each));
  if (missing.length === 0) return unchanged;
  if (isDeleting(object)) {
    // An update while deleting can't add finalizers (docs/kubernetes.md §4.2).
    return { operations: [], lost: [`${title}: ${missing.join(', ')}, because it is being deleted`] };
  }
  const path = '/metadata/finalizers';
  const value = [...object.finalizers, ...missing];
  return {
    operations: [asSeen(object, path, object.finalizers), { op: 'add', path, value }],
    does: `put ${missing.join(', ')} back on ${title}`,
    lost: [],
  };
}

function specFinalizers(title: string, spec: JsonRecord, { facts }: KubeObject): Part {
  if (facts?.kind !== 'Namespace') return unchanged;
  const missing = texts(spec['finalizers']).filter(each => !facts.specFinalizers.includes(each));
  if (missing.length === 0) return unchanged;
  return {
    operations: [],
    lost: [`${title}: ${missing.join(', ')} in its spec.finalizers, because it is being deleted`],
  };
}

/** Reverts `retain-claims`. */
function retention(title: string, spec: JsonRecord, { facts }: KubeObject): Part {
  if (facts?.kind !== 'Workload' || facts.claimsWhenDeleted === '') return unchanged;
  const field = 'persistentVolumeClaimRetentionPolicy';
  const before = record(spec[field]);
  const { whenDeleted = 'Retain', whenScaled = 'Retain' } = before;
  if (whenDeleted === facts.claimsWhenDeleted && whenScaled === facts.claimsWhenScaled) return unchanged;
  const path = `/spec/${field}`;
  const now = { whenDeleted: facts.claimsWhenDeleted, whenScaled: facts.claimsWhenScaled };
  return {
    operations: [
      { op: 'test', path, value: now },
      { op: 'add', path, value: { whenDeleted, whenScaled } },
    ],
    does: `put the claim retention policy of ${title} back`,
    lost: [],
  };
}

/** Reverts `rescue-claim` as long as the old claim is there. */
function claimReference(
  title: string,
  spec: JsonRecord,
  { facts }: KubeObject,
  { view }: OwnerResolver,
): Part {
  const value = record(spec['claimRef']);
  const isMoved = facts?.kind === 'PersistentVolume' && facts.claimUid !== value['uid'];
  if (!isMoved || view.graph.get(text(value['uid']) as Uid)?.object === undefined) return unchanged;
  const path = '/spec/claimRef';
  return {
    operations: [
      { op: 'test', path: `${path}/name`, value: facts.claimName },
      { op: 'replace', path, value },
    ],
    does: `bind ${title} to its claim again`,
    lost: [],
  };
}

/** Reverts `retain-volume`. */
function reclaimPolicy(title: string, spec: JsonRecord, { facts }: KubeObject): Part {
  if (facts?.kind !== 'PersistentVolume') return unchanged;
  const { persistentVolumeReclaimPolicy: before = facts.reclaimPolicy } = spec;
  if (before === facts.reclaimPolicy) return unchanged;
  if (before === 'Delete' && facts.phase === 'Released') {
    return {
      operations: [],
      lost: [`${title}: its reclaim policy Delete, because its claim is gone, and the data would go too`],
    };
  }
  const path = '/spec/persistentVolumeReclaimPolicy';
  return {
    operations: [
      { op: 'test', path, value: facts.reclaimPolicy },
      { op: 'add', path, value: before },
    ],
    does: `put the reclaim policy of ${title} back`,
    lost: [],
  };
}

/** Removes the taint `taint-out-of-service` adds; the node lifecycle controller owns the others. */
function taints(title: string, spec: JsonRecord, { facts }: KubeObject): Part {
  if (facts?.kind !== 'Node') return unchanged;
  const key = 'node.kubernetes.io/out-of-service';
  const index = facts.taints.findIndex(taint => taint.key === key);
  if (index < 0 || list(spec['taints']).some(each => record(each)['key'] === key)) return unchanged;
  const path = `/spec/taints/${index}`;
  return {
    operations: [
      { op: 'test', path: `${path}/key`, value: key },
      { op: 'remove', path },
    ],
    does: `remove the out-of-service taint from ${title}`,
    lost: [`${title}: the pods that the taint has evicted`],
  };
}
