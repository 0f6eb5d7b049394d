/** An object that is gone, made again from its backup: without what the API server sets, owners pointed to as they are now. */
import { objectPath } from '../forecast/requests.ts';
import { type JsonRecord, list, record } from '../model/json.ts';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from '../model/object.ts';
import { parseApiVersion } from '../model/resource-type.ts';
import type { KeptObject, Makers, Step } from './undo-makers.ts';

/** Set by the API server or by controllers; sent along they are refused or ignored. */
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

/** Finalizers that are put on again by who needs them, or that only a deletion adds. */
const addedAgain: ReadonlySet<string> = new Set([
  FOREGROUND_FINALIZER,
  ORPHAN_FINALIZER,
  'kubernetes.io/pvc-protection',
  'kubernetes.io/pv-protection',
  'customresourcecleanup.apiextensions.k8s.io',
]);

export function creation({ object, json, without }: KeptObject, makers: Makers): Step {
  const title = `${object.kind} ${object.name}`;
  if (json === undefined) return { lost: [`${title}: there is no backup of it`] };
  const type = makers.view.catalog.resolveKind(object.apiVersion, object.kind);
  if (type === undefined) return { lost: [`${title}: its kind is no longer served`] };
  if (makers.view.graph.find(type, object.namespace, object.name)?.object !== undefined) {
    return { lost: [`${title}: another object of this name is there by now`] };
  }
  const metadata = record(json['metadata']);
  const references = list(metadata['ownerReferences']).map(record);
  const controller = references.find(each => each['controller'] === true);
  if (controller !== undefined && newUid(controller, object.namespace, makers) !== undefined) {
    // Its controller makes what it needs, under names of its own choice.
    return {
      lost: [`${title} itself: ${String(controller['kind'])} ${String(controller['name'])} makes a new one`],
    };
  }
  const ownerReferences = references.flatMap(each => {
    const uid = newUid(each, object.namespace, makers);
    return uid === undefined ? [] : [{ ...each, uid }];
  });
  const dropped = references.length - ownerReferences.length;
  const body = {
    ...withoutStatus(json),
    metadata: {
      ...Object.fromEntries(Object.entries(metadata).filter(([key]) => !serverSet.includes(key))),
      ownerReferences,
      finalizers: list(metadata['finalizers']).filter(each => !addedAgain.has(String(each))),
    },
    ...specFor(object.kind, json),
  };
  const { group, version } = parseApiVersion(object.apiVersion);
  const stored = { ...type, group, version };
  return {
    request: {
      method: 'POST',
      path: objectPath({ type: stored, namespace: object.namespace, name: '' }),
      contentType: 'application/json',
      body,
      formerUid: object.uid,
    },
    does: `make ${title} again`,
    lost: [
      ...(dropped === 0 ? [] : [`${title}: ${dropped} of its owners, which no longer exist`]),
      ...(without === undefined ? [] : [`${title}: its ${without}, which the backup does not hold`]),
      ...externals(object.kind, title),
    ],
  };
}

function newUid(reference: JsonRecord, namespace: string, makers: Makers): string | undefined {
  const { apiVersion, kind, name, uid } = reference;
  return makers.ownerFor({
    apiVersion: String(apiVersion),
    kind: String(kind),
    name: String(name),
    uid: String(uid),
    namespace,
  });
}

function withoutStatus(json: JsonRecord): JsonRecord {
  const { status: _, ...rest } = json;
  return rest;
}

/** Fields of a spec that belong to the object that is gone. */
function specFor(kind: string, json: JsonRecord): JsonRecord {
  const spec = record(json['spec']);
  switch (kind) {
    case 'Pod': {
      const { nodeName: _, ...rest } = spec;
      return { spec: rest };
    }
    case 'Job': {
      // Generated from its uid unless manualSelector says otherwise (pkg/registry/batch/job/strategy.go, v1.36).
      if (spec['manualSelector'] === true) return {};
      const { selector: _, template, ...rest } = spec;
      return { spec: { ...rest, template: withoutJobLabels(record(template)) } };
    }
    case 'Service': {
      const { clusterIP: _ip, clusterIPs: _ips, ...rest } = spec;
      return { spec: spec['clusterIP'] === 'None' ? spec : rest };
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

/** What stands outside of the API server and isn't in a backup. */
function externals(kind: string, title: string): string[] {
  switch (kind) {
    case 'Pod':
      return [`${title}: what ran in it, and its node`];
    case 'PersistentVolumeClaim':
      return [`${title}: its data, where its volume went with it`];
    case 'PersistentVolume':
      return [`${title}: its data, where its storage went with it`];
    case 'Service':
      return [`${title}: its cluster IP and load balancer, unless they are given out again`];
    case 'Namespace':
      return [`${title}: everything in it that this entry does not hold`];
    case 'CustomResourceDefinition':
      return [`${title}: its instances`];
    default:
      return [];
  }
}
