/** Recreates a deleted object from its backup, with current owners. */

import { requestWords } from '../../forecast/index.ts';
import { type Identity, isDeleting } from '../../graph/index.ts';
import {
  BuiltInKind,
  FOREGROUND_FINALIZER,
  type JsonRecord,
  list,
  ORPHAN_FINALIZER,
  objectJson,
  parseApiVersion,
  type ResourceType,
  record,
  shownName,
} from '../../model/index.ts';
import { putBack } from '../../simulation/index.ts';
import type { BackupObject } from '../journal/action-journal.ts';
import { defaultCreator, isCreatedFor, isCustomGroup } from '../prepare/built-in-controllers.ts';
import { lossOfKind } from '../prepare/losses.ts';
import { type OwnerResolver, ownerIn, type RestoreStep } from './recreation.ts';

/** Set by the API server or controllers; refused or ignored in a request. */
const serverSet = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
];

/** Finalizers that their handlers add again, or that only a deletion adds. */
const addedAgain: ReadonlySet<string> = new Set([
  FOREGROUND_FINALIZER,
  ORPHAN_FINALIZER,
  'kubernetes.io/pvc-protection',
  'kubernetes.io/pv-protection',
  'customresourcecleanup.apiextensions.k8s.io',
]);

export function creation(
  { object, json, unusable, without, withoutAnnotations = [], newUid }: BackupObject,
  owners: OwnerResolver,
): RestoreStep {
  const title = `${shownName(object.kind)} ${shownName(object.name)}`;
  const lose = (why: string): RestoreStep => ({ lost: [`${title}: ${why}`] });
  if (json === undefined) return lose(unusable ?? 'there is no backup of it');
  const served = owners.resolveKind(object.apiVersion, object.kind);
  if (served === undefined) return lose('its kind is no longer served');
  const { type, definition } = served;
  const noPlace = owners.whyNoPlace(type, object.namespace);
  if (noPlace !== undefined) return lose(`${noPlace}, so nothing can be created there`);
  const namesake = owners.view.graph.find(type, object.namespace, object.name)?.object;
  if (namesake !== undefined) {
    // An unfinished undo has created it.
    const isBack = namesake.uid === newUid && !isDeleting(namesake);
    const by = putBack.actor(namesake);
    if (isBack) return { lost: [] };
    return by === undefined
      ? lose('another object of this name is there by now')
      : { lost: [`${title} as it was: ${by} has created a new one`], recreated: true };
  }
  // An empty object is worse than none: its users would start without the data.
  if (without !== undefined) return lose(`its ${without} is not in the backup, so it is not recreated`);
  const metadata = record(json['metadata']);
  const references = list(metadata['ownerReferences']).map(record);
  const read = objectJson.read(type, json);
  const by = read && defaultCreator(owners.view, read);
  const creator = by === undefined ? creatorOf(object, references, owners) : `${by} creates a new one`;
  if (creator !== undefined) return { lost: [`${title} as it was: ${creator}`], recreated: true };
  const body = manifestOf(object, json, owners);
  const { group, version } = parseApiVersion(object.apiVersion);
  const stored = { ...type, group, version };
  return {
    request: {
      method: 'POST',
      path: requestWords.objectPath({ type: stored, namespace: object.namespace, name: '' }),
      contentType: 'application/json',
      body,
      formerUid: object.uid,
      ...(definition === undefined ? {} : { definition }),
    },
    does: `recreate ${title}`,
    lost: [
      ...lostOwners(title, references, list(record(body['metadata'])['ownerReferences']).length),
      ...lostWith(type, json, owners),
      ...(withoutAnnotations.length === 0
        ? []
        : [`${title}: its annotations ${withoutAnnotations.join(', ')}, which are not in the backup`]),
    ],
  };
}

/** Returns the body of a POST that creates the object again, with the owners that it can have now. */
export function manifestOf(object: Identity, json: JsonRecord, owners: OwnerResolver): JsonRecord {
  const { status: _, ...manifest } = json;
  const metadata = record(json['metadata']);
  const ownerReferences = list(metadata['ownerReferences'])
    .map(record)
    .flatMap(each => {
      const uid = owners.ownerFor(ownerIn(each, object.namespace));
      return uid === undefined ? [] : [{ ...each, uid }];
    });
  return { ...manifest, metadata: metadataFor(metadata, ownerReferences), ...specFor(object, json) };
}

function lostWith(type: ResourceType, json: JsonRecord, { view }: OwnerResolver): string[] {
  // Instances are in the backup themselves, or were reported as lost before.
  if (BuiltInKind.of(type) === 'CustomResourceDefinition') return [];
  const object = objectJson.read(type, json);
  // Missing Secret data was reported above.
  const what = object && lossOfKind(object, { view, secretData: true, isMade: false });
  return what === undefined ? [] : [what];
}

function lostOwners(title: string, before: readonly JsonRecord[], now: number): string[] {
  const count = before.length - now;
  if (count === 0) return [];
  const [first] = before;
  if (before.length > 1 || first === undefined) {
    return [
      `${title}: ${count} of its ${before.length} owner references, because these owners are gone, being deleted or not what they name`,
    ];
  }
  return [
    `${title}: its owner ${String(first['kind'])} ${String(first['name'])}, which is gone, being deleted or not what it names`,
  ];
}

function creatorOf(
  object: Identity,
  references: readonly JsonRecord[],
  owners: OwnerResolver,
): string | undefined {
  const reference = references.find(each => each['controller'] === true);
  const owner = reference && ownerIn(reference, object.namespace);
  if (owner === undefined || !owners.controls(owner)) return undefined;
  const { kind, name } = owner;
  if (isCustomGroup(owner.apiVersion)) return `it is left to ${kind} ${name}, which controls it`;
  return isCreatedFor(owner, object) ? `${kind} ${name} creates its own` : undefined;
}

/** Set on bound claims: the volume would count as another claim's. */
const bindings = new Set(['pv.kubernetes.io/bind-completed', 'pv.kubernetes.io/bound-by-controller']);

function metadataFor(metadata: JsonRecord, ownerReferences: readonly JsonRecord[]): JsonRecord {
  const annotations = Object.entries(record(metadata['annotations'])).filter(([key]) => !bindings.has(key));
  const finalizers = list(metadata['finalizers']).filter(each => !addedAgain.has(String(each)));
  const { annotations: _annotations, ownerReferences: _owners, finalizers: _finalizers, ...rest } = metadata;
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([key]) => !serverSet.includes(key))),
    ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
    ...(ownerReferences.length === 0 ? {} : { ownerReferences }),
    ...(finalizers.length === 0 ? {} : { finalizers }),
  };
}

/** Drops spec fields that belong to the deleted object. */
function specFor(object: Identity, json: JsonRecord): JsonRecord {
  const spec = record(json['spec']);
  const kind: string = BuiltInKind.of(object) ?? '';
  switch (kind) {
    case 'Pod': {
      // Only an update may add debugging containers (pkg/apis/core/validation/validation.go, v1.36).
      const { nodeName: _node, ephemeralContainers: _debug, ...rest } = spec;
      return { spec: rest };
    }
    case 'Job': {
      // Generated from its uid unless manualSelector is set (pkg/registry/batch/job/strategy.go, v1.36).
      if (spec['manualSelector'] === true) return {};
      const { selector: _, template, ...rest } = spec;
      return { spec: { ...rest, template: withoutJobLabels(record(template)) } };
    }
    case 'Service': {
      const { clusterIP, clusterIPs: _ips, healthCheckNodePort: _port, ...rest } = spec;
      return { spec: clusterIP === 'None' ? spec : rest };
    }
    case 'PersistentVolume': {
      // Without the former uid, a claim of the same name can bind the volume again.
      const claim = record(spec['claimRef']);
      const { uid: _uid, resourceVersion: _version, ...claimRef } = claim;
      return spec['claimRef'] === undefined ? {} : { spec: { ...spec, claimRef } };
    }
    default:
      return {};
  }
}

const jobLabels = ['controller-uid', 'batch.kubernetes.io/controller-uid'];

function withoutJobLabels(template: JsonRecord): JsonRecord {
  const metadata = record(template['metadata']);
  const labels = Object.entries(record(metadata['labels'])).filter(([key]) => !jobLabels.includes(key));
  return { ...template, metadata: { ...metadata, labels: Object.fromEntries(labels) } };
}
