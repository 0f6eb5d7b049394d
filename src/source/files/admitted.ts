/**
 * What the API server adds to a manifest when it is created, as far as deletion depends on it: files hold manifests that
 * never were in a cluster, and definitions without their status.
 */
import { type JsonRecord, list, record, text } from '../../model/json/json.ts';
import { ownEntry } from '../../model/maps.ts';
import { builtInKind, groupResource, type ResourceType } from '../../model/types/resource-type.ts';

/**
 * By groupResource (plugin/pkg/admission/storage/storageobjectinuseprotection, v1.36; apiextensions-apiserver
 * pkg/controller/finalizer for definitions that are established).
 */
const protections: Readonly<Record<string, string>> = {
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
  persistentvolumes: 'kubernetes.io/pv-protection',
  'volumeattributesclasses.storage.k8s.io': 'kubernetes.io/vac-protection',
  'customresourcedefinitions.apiextensions.k8s.io': 'customresourcecleanup.apiextensions.k8s.io',
};

/**
 * The object as it is once it is created. `metadata` must hold name and uid; `isNew`: it has no uid of a cluster. What is
 * being deleted was in one.
 */
export function asAdmitted(type: ResourceType, json: JsonRecord, isNew: boolean): JsonRecord {
  const isDefinition = builtInKind(type) === 'CustomResourceDefinition' && !hasConditions(json);
  const admitted = isDefinition ? withEstablished(json) : withPhase(type, withJobSelector(type, json), isNew);
  if (record(json['metadata'])['deletionTimestamp'] !== undefined || !(isNew || isDefinition))
    return admitted;
  return protectedBy(type, ownEntry(defaults, groupResource(type))?.(admitted) ?? admitted);
}

/** A pod that was in a cluster has a phase there, though backups leave it out; a new one is Pending. */
function withPhase(type: ResourceType, json: JsonRecord, isNew: boolean): JsonRecord {
  const status = record(json['status']);
  const isKnown = text(status['phase']) !== '' || (isNew && text(record(json['spec'])['nodeName']) === '');
  return groupResource(type) !== 'pods' || isKnown
    ? json
    : { ...json, status: { ...status, phase: 'Unknown' } };
}

/** By groupResource: what the API server and its admission plugins set where a manifest leaves it out. */
const defaults: Readonly<Record<string, (json: JsonRecord) => JsonRecord>> = {
  namespaces: withNamespaceFinalizer,
  // pkg/apis/core/v1/defaults.go and plugin/pkg/admission/defaulttolerationseconds, v1.36.
  pods: json =>
    withSpec(json, spec => ({
      terminationGracePeriodSeconds: 30,
      ...spec,
      tolerations: tolerationsOf(spec),
    })),
  persistentvolumes: json => withSpec(json, spec => ({ persistentVolumeReclaimPolicy: 'Retain', ...spec })),
  replicationcontrollers: json =>
    withSpec(json, spec =>
      Object.keys(record(spec['selector'])).length > 0
        ? spec
        : { ...spec, selector: record(record(record(spec['template'])['metadata'])['labels']) },
    ),
  'validatingwebhookconfigurations.admissionregistration.k8s.io': withFailurePolicies,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': withFailurePolicies,
  'validatingadmissionpolicies.admissionregistration.k8s.io': withSelectors('matchConstraints'),
  'mutatingadmissionpolicies.admissionregistration.k8s.io': withSelectors('matchConstraints'),
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': withSelectors('matchResources'),
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': withSelectors('matchResources'),
};

function withSpec(json: JsonRecord, change: (spec: JsonRecord) => JsonRecord): JsonRecord {
  return { ...json, spec: change(record(json['spec'])) };
}

/** A pod waits five minutes for a node that isn't ready, unless it says of either taint what it tolerates. */
function tolerationsOf(spec: JsonRecord): readonly unknown[] {
  const own = list(spec['tolerations']);
  const added = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].filter(
    taint =>
      !own
        .map(record)
        .some(each => ['', taint].includes(text(each['key'])) && isNoExecute(text(each['effect']))),
  );
  return [
    ...own,
    ...added.map(key => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 })),
  ];
}

function isNoExecute(effect: string): boolean {
  return effect === '' || effect === 'NoExecute';
}

/** pkg/apis/admissionregistration/v1/defaults.go, v1.36. */
function withFailurePolicies(json: JsonRecord): JsonRecord {
  const webhooks = list(json['webhooks']).map(each => ({
    failurePolicy: 'Fail',
    namespaceSelector: {},
    objectSelector: {},
    ...record(each),
  }));
  return { ...json, webhooks };
}

/** Of a policy or binding. */
function withSelectors(field: string): (json: JsonRecord) => JsonRecord {
  return json =>
    withSpec(json, spec =>
      typeof spec[field] === 'object'
        ? { ...spec, [field]: { namespaceSelector: {}, objectSelector: {}, ...record(spec[field]) } }
        : spec,
    );
}

function protectedBy(type: ResourceType, json: JsonRecord): JsonRecord {
  const finalizer = ownEntry(protections, groupResource(type));
  const metadata = record(json['metadata']);
  const finalizers = list(metadata['finalizers']);
  if (finalizer === undefined || finalizers.includes(finalizer)) return json;
  return { ...json, metadata: { ...metadata, finalizers: [...finalizers, finalizer] } };
}

function hasConditions(json: JsonRecord): boolean {
  return list(record(json['status'])['conditions']).length > 0;
}

/** Its names are taken to be accepted: whoever has instances of it has it established. */
function withEstablished(json: JsonRecord): JsonRecord {
  const condition = {
    type: 'Established',
    status: 'True',
    reason: 'InitialNamesAccepted',
    message: 'the initial names have been accepted',
  };
  return { ...json, status: { ...record(json['status']), conditions: [condition] } };
}

/** The namespace controller needs it to empty the namespace (pkg/registry/core/namespace/strategy.go, v1.36). */
function withNamespaceFinalizer(json: JsonRecord): JsonRecord {
  const spec = record(json['spec']);
  if (list(spec['finalizers']).some(each => text(each) === 'kubernetes')) return json;
  return { ...json, spec: { ...spec, finalizers: [...list(spec['finalizers']), 'kubernetes'] } };
}

/**
 * The JSON itself, or that of a Job without a selector with the one that the API server gives to a new Job, so that its
 * pods count as its own (pkg/registry/batch/job/strategy.go generateSelector, v1.36). `metadata` must hold name and uid.
 */
function withJobSelector(type: ResourceType, json: JsonRecord): JsonRecord {
  const spec = record(json['spec']);
  // Whoever sets the selector by hand and forgets it has a Job that the API server refuses.
  if (type.group !== 'batch' || type.kind !== 'Job' || spec['manualSelector'] === true) return json;
  if (Object.keys(record(spec['selector'])).length > 0) return json;
  const { name, uid } = record(json['metadata']);
  const template = record(spec['template']);
  const metadata = record(template['metadata']);
  // Labels that the template has already stay as they are.
  const labels = {
    'job-name': name,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'batch.kubernetes.io/controller-uid': uid,
    ...record(metadata['labels']),
  };
  return {
    ...json,
    spec: {
      ...spec,
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
      template: { ...template, metadata: { ...metadata, labels } },
    },
  };
}
