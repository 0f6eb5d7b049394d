/** Adds the API server's defaults that deletion depends on: files hold manifests that were never in a cluster. */
import {
  BuiltInKind,
  type JsonRecord,
  list,
  ownEntry,
  ResourceType,
  record,
  text,
} from '../../model/index.ts';

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

/** Returns the object as created. `metadata` must hold name and uid; `isNew`: it has no uid of a cluster. */
export function asAdmitted(type: ResourceType, json: JsonRecord, isNew: boolean): JsonRecord {
  const isDefinition = BuiltInKind.of(type) === 'CustomResourceDefinition' && !hasConditions(json);
  const admitted = isDefinition ? withEstablished(json) : withPhase(type, withJobSelector(type, json), isNew);
  if (record(json['metadata'])['deletionTimestamp'] !== undefined || !(isNew || isDefinition))
    return admitted;
  return protectedBy(type, ownEntry(defaults, ResourceType.groupResource(type))?.(admitted) ?? admitted);
}

/** Backups may omit a pod's phase, but it had one in its cluster; a new pod is Pending. */
function withPhase(type: ResourceType, json: JsonRecord, isNew: boolean): JsonRecord {
  const status = record(json['status']);
  const isKnown = text(status['phase']) !== '' || (isNew && text(record(json['spec'])['nodeName']) === '');
  return ResourceType.groupResource(type) !== 'pods' || isKnown
    ? json
    : { ...json, status: { ...status, phase: 'Unknown' } };
}

/** Defaults of the API server and its admission plugins, by groupResource. */
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

/** A pod tolerates a node that isn't ready for five minutes, unless it names either taint. */
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

function withSelectors(field: string): (json: JsonRecord) => JsonRecord {
  return json =>
    withSpec(json, spec =>
      typeof spec[field] === 'object'
        ? { ...spec, [field]: { namespaceSelector: {}, objectSelector: {}, ...record(spec[field]) } }
        : spec,
    );
}

function protectedBy(type: ResourceType, json: JsonRecord): JsonRecord {
  const finalizer = ownEntry(protections, ResourceType.groupResource(type));
  const metadata = record(json['metadata']);
  const finalizers = list(metadata['finalizers']);
  if (finalizer === undefined || finalizers.includes(finalizer)) return json;
  return { ...json, metadata: { ...metadata, finalizers: [...finalizers, finalizer] } };
}

function hasConditions(json: JsonRecord): boolean {
  return list(record(json['status'])['conditions']).length > 0;
}

/** Its names count as accepted: a dump with instances has it established. */
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

/** Adds a new Job's selector, which its pods match (pkg/registry/batch/job/strategy.go generateSelector, v1.36). */
function withJobSelector(type: ResourceType, json: JsonRecord): JsonRecord {
  const spec = record(json['spec']);
  // The API server refuses a Job with manualSelector and no selector.
  if (type.group !== 'batch' || type.kind !== 'Job' || spec['manualSelector'] === true) return json;
  if (Object.keys(record(spec['selector'])).length > 0) return json;
  const { name, uid } = record(json['metadata']);
  const template = record(spec['template']);
  const metadata = record(template['metadata']);
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
