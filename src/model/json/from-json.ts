/** Objects from the API server's JSON, equal to what the protobuf decoders yield for the same object. */
import { keptOf } from '../annotations.ts';
import {
  type AdmissionMatch,
  type AdmissionPolicyFacts,
  type AdmissionRule,
  type AdmissionWebhook,
  type ChangeRule,
  type Condition,
  type CrdFacts,
  type Facts,
  factsKind,
  type LabelSelector,
  namesServiceAccount,
  type PodFacts,
  type Taint,
  type Toleration,
  type WorkloadFacts,
} from '../facts/facts.ts';
import { historyLimits } from '../facts/history-limits.ts';
import { isManagerPod, managerFlags } from '../facts/manager-flags.ts';
import { accountNamed, permitsChanges } from '../facts/permissions.ts';
import { sharedTolerations } from '../facts/tolerations.ts';
import { KubeObject, type OwnerReference, type ResourceVersion, type Uid } from '../object.ts';
import type { ResourceType } from '../types/resource-type.ts';
import { count, integer, type JsonRecord, list, pairs, record, text, texts, time, truth } from './json.ts';

// The two brands of object.ts are applied here, where identifiers enter the program.
function uid(value: unknown): Uid {
  return text(value) as Uid;
}

function optionalBoolean(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** Skips references without a uid: those cannot be followed. */
function owners(value: unknown): readonly OwnerReference[] {
  const found: OwnerReference[] = [];
  for (const each of list(value)) {
    const reference = record(each);
    const owner = uid(reference['uid']);
    if (owner === '') continue;
    found.push({
      apiVersion: text(reference['apiVersion']),
      kind: text(reference['kind']),
      name: text(reference['name']),
      uid: owner,
      controller: optionalBoolean(reference['controller']),
      blockOwnerDeletion: optionalBoolean(reference['blockOwnerDeletion']),
    });
  }
  return found;
}

/** Returns undefined without a name or uid. Fields of the wrong type count as missing; nothing throws. */
export function objectFromJson(type: ResourceType, json: JsonRecord): KubeObject | undefined {
  const metadata = record(json['metadata']);
  const name = text(metadata['name']);
  const id = uid(metadata['uid']);
  if (name === '' || id === '') return undefined;
  return new KubeObject({
    type,
    namespace: type.namespaced ? text(metadata['namespace']) : '',
    name,
    uid: id,
    resourceVersion: text(metadata['resourceVersion']) as ResourceVersion,
    generation: integer(metadata['generation']),
    creationTimestamp: time(metadata['creationTimestamp']),
    deletionTimestamp: time(metadata['deletionTimestamp']),
    deletionGracePeriodSeconds: integer(metadata['deletionGracePeriodSeconds']),
    finalizers: texts(metadata['finalizers']),
    owners: owners(metadata['ownerReferences']),
    labels: pairs(metadata['labels']),
    annotations: keptOf(pairs(metadata['annotations'])),
    facts: factsFromJson(type, json),
  });
}

function conditions(status: JsonRecord): readonly Condition[] {
  return list(status['conditions']).map(each => {
    const condition = record(each);
    return {
      type: text(condition['type']),
      status: text(condition['status']),
      reason: text(condition['reason']),
      message: text(condition['message']),
      since: time(condition['lastTransitionTime']),
    };
  });
}

function podConditions(status: JsonRecord): readonly Condition[] {
  return conditions(status).map(each => (each.status === 'True' ? { ...each, since: undefined } : each));
}

function waitingOrTerminatedReason(containerStatuses: readonly unknown[]): string {
  for (const each of containerStatuses) {
    const state = record(record(each)['state']);
    const reason = text(record(state['waiting'])['reason']) || text(record(state['terminated'])['reason']);
    if (reason !== '') return reason;
  }
  return '';
}

function toleration(value: unknown): Toleration {
  const { key, operator, value: tolerated, effect, tolerationSeconds } = record(value);
  return {
    key: text(key),
    operator: text(operator),
    value: text(tolerated),
    effect: text(effect),
    tolerationSeconds: integer(tolerationSeconds),
  };
}

export function taintFromJson(each: unknown): Taint {
  const { key, value, effect, timeAdded } = record(each);
  const at = time(timeAdded);
  return {
    key: text(key),
    value: text(value),
    effect: text(effect),
    ...(at === undefined ? {} : { timeAdded: at }),
  };
}

function podFacts(metadata: JsonRecord, spec: JsonRecord, status: JsonRecord): PodFacts {
  const claims: string[] = [];
  const ephemeralVolumes: string[] = [];
  for (const each of list(spec['volumes'])) {
    const volume = record(each);
    const claim = text(record(volume['persistentVolumeClaim'])['claimName']);
    if (claim !== '') claims.push(claim);
    if (typeof volume['ephemeral'] === 'object' && volume['ephemeral'] !== null)
      ephemeralVolumes.push(text(volume['name']));
  }
  const statuses = list(status['containerStatuses']);
  return {
    kind: 'Pod',
    // The API server gives every new pod this phase; a manifest has none yet.
    phase: text(status['phase']) || 'Pending',
    reason: text(status['reason']),
    nodeName: text(spec['nodeName']),
    terminationGracePeriodSeconds: integer(spec['terminationGracePeriodSeconds']),
    containers: list(spec['containers']).length,
    readyContainers: statuses.filter(each => truth(record(each)['ready'])).length,
    restarts: statuses.reduce<number>((sum, each) => sum + count(record(each)['restartCount']), 0),
    containerReason: waitingOrTerminatedReason(statuses),
    claims,
    ephemeralVolumes,
    tolerations: sharedTolerations(list(spec['tolerations']).map(toleration)),
    managerFlags: isManagerPod(text(metadata['namespace']), text(metadata['name']))
      ? managerFlags(list(spec['containers']).flatMap(each => commandLine(record(each))))
      : [],
    conditions: podConditions(status),
  };
}

function commandLine({ command, args }: JsonRecord): readonly string[] {
  return [...texts(command), ...texts(args)];
}

function labelSelector(kind: string, value: unknown): LabelSelector | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (kind === 'ReplicationController') return { matchLabels: pairs(value), matchExpressions: [] };
  const selector = record(value);
  return {
    matchLabels: pairs(selector['matchLabels']),
    matchExpressions: list(selector['matchExpressions']).map(each => {
      const expression = record(each);
      return {
        key: text(expression['key']),
        operator: text(expression['operator']),
        values: texts(expression['values']),
      };
    }),
  };
}

type Counts = Pick<WorkloadFacts, 'desired' | 'current' | 'ready' | 'updated' | 'available'>;

function counts(kind: string, spec: JsonRecord, status: JsonRecord): Counts {
  const of = (field: string): number => count(status[field]);
  switch (kind) {
    case 'DaemonSet':
      return {
        desired: of('desiredNumberScheduled'),
        current: of('currentNumberScheduled'),
        ready: of('numberReady'),
        updated: of('updatedNumberScheduled'),
        available: of('numberAvailable'),
      };
    case 'Job': {
      const ready = of('succeeded');
      const current = of('active') + ready + of('failed');
      return { desired: integer(spec['completions']) ?? 1, current, ready, updated: 0, available: 0 };
    }
    case 'CronJob':
      return { desired: 0, current: 0, ready: 0, updated: 0, available: 0 };
    default:
      return {
        desired: integer(spec['replicas']) ?? 1,
        current: of('replicas'),
        ready: of('readyReplicas'),
        updated: of('updatedReplicas'),
        available: of('availableReplicas'),
      };
  }
}

function workloadFacts(kind: string, spec: JsonRecord, status: JsonRecord): WorkloadFacts {
  const jobSpec = kind === 'CronJob' ? record(record(spec['jobTemplate'])['spec']) : spec;
  const template = record(record(jobSpec['template'])['metadata']);
  const podSpec = record(record(spec['template'])['spec']);
  const retention = record(spec['persistentVolumeClaimRetentionPolicy']);
  const stateful = kind === 'StatefulSet';
  return {
    kind: 'Workload',
    ...counts(kind, spec, status),
    selector: kind === 'CronJob' ? undefined : labelSelector(kind, spec['selector']),
    templateLabels: pairs(template['labels']),
    serviceAccount: namesServiceAccount(kind) ? text(podSpec['serviceAccountName']) : '',
    suspended: truth(spec['paused']) || truth(spec['suspend']),
    observedGeneration: count(status['observedGeneration']),
    active: kind === 'CronJob' ? list(status['active']).length : count(status['active']),
    failed: kind === 'Job' ? count(status['failed']) : 0,
    parallelism: kind === 'Job' ? (integer(spec['parallelism']) ?? 1) : 0,
    // Manifests often omit both and mean Retain.
    claimsWhenDeleted: stateful ? text(retention['whenDeleted']) || 'Retain' : '',
    claimsWhenScaled: stateful ? text(retention['whenScaled']) || 'Retain' : '',
    claimTemplates: stateful
      ? list(spec['volumeClaimTemplates']).map(each => text(record(record(each)['metadata'])['name']))
      : [],
    ttlSecondsAfterFinished: kind === 'Job' ? integer(spec['ttlSecondsAfterFinished']) : undefined,
    managedBy: kind === 'Job' ? text(spec['managedBy']) : '',
    historyLimits:
      kind === 'CronJob'
        ? historyLimits(integer(spec['successfulJobsHistoryLimit']), integer(spec['failedJobsHistoryLimit']))
        : undefined,
    conditions: conditions(status),
  };
}

function serviceName(value: unknown): string {
  const { namespace, name } = record(value);
  return text(name) === '' ? '' : `${text(namespace)}/${text(name)}`;
}

function admissionWebhook(value: unknown): AdmissionWebhook {
  const webhook = record(value);
  return {
    name: text(webhook['name']),
    service: serviceName(record(webhook['clientConfig'])['service']),
    failurePolicy: text(webhook['failurePolicy']) || 'Fail',
    rules: list(webhook['rules']).map(admissionRule),
    matchPolicy: text(webhook['matchPolicy']) || 'Equivalent',
    namespaceSelector: labelSelector('', webhook['namespaceSelector']),
    objectSelector: labelSelector('', webhook['objectSelector']),
    matchConditions: expressions(webhook['matchConditions']),
  };
}

function expressions(value: unknown): readonly string[] {
  return list(value).map(each => text(record(each)['expression']));
}

function admissionRule(value: unknown): AdmissionRule {
  const { operations, apiGroups, apiVersions, resources, scope, resourceNames } = record(value);
  return {
    operations: texts(operations),
    groups: texts(apiGroups),
    versions: texts(apiVersions),
    resources: texts(resources),
    scope: text(scope) || '*',
    names: texts(resourceNames),
  };
}

function admissionMatch(value: unknown): AdmissionMatch | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { resourceRules, excludeResourceRules, matchPolicy, namespaceSelector, objectSelector } =
    record(value);
  return {
    rules: list(resourceRules).map(admissionRule),
    excluded: list(excludeResourceRules).map(admissionRule),
    matchPolicy: text(matchPolicy) || 'Equivalent',
    namespaceSelector: labelSelector('', namespaceSelector),
    objectSelector: labelSelector('', objectSelector),
  };
}

function admissionPolicy(spec: JsonRecord): AdmissionPolicyFacts {
  return {
    kind: 'AdmissionPolicy',
    hasParameters: typeof spec['paramKind'] === 'object' && spec['paramKind'] !== null,
    failurePolicy: text(spec['failurePolicy']) || 'Fail',
    match: admissionMatch(spec['matchConstraints']),
    matchConditions: expressions(spec['matchConditions']),
    variables: list(spec['variables']).map(each => {
      const { name, expression } = record(each);
      return { name: text(name), expression: text(expression) };
    }),
    validations: expressions(spec['validations']),
  };
}

function changeRule(value: unknown): ChangeRule[] {
  const { verbs, apiGroups, resources, resourceNames } = record(value);
  if (!texts(verbs).some(permitsChanges)) return [];
  return [{ groups: texts(apiGroups), resources: texts(resources), names: texts(resourceNames) }];
}

function accountOf(value: unknown): string[] {
  const { kind, namespace, name } = record(value);
  return accountNamed({ kind: text(kind), namespace: text(namespace), name: text(name) });
}

/** Drops fractions of a second: protobuf keeps them elsewhere, and nothing needs them. */
function wholeTime(value: unknown): number | undefined {
  const at = time(value);
  return at === undefined ? undefined : Math.floor(at / 1000) * 1000;
}

/** One that says nothing about being ready is (discovery/v1 EndpointConditions). */
function readyEndpoint(json: unknown): string[] {
  const { conditions: said, targetRef } = record(json);
  if (record(said)['ready'] === false) return [];
  const target = record(targetRef);
  return [target['kind'] === 'Pod' ? text(target['name']) : ''];
}

function crdFacts(spec: JsonRecord, status: JsonRecord): CrdFacts {
  const names = record(spec['names']);
  return {
    kind: 'CustomResourceDefinition',
    group: text(spec['group']),
    definedKind: text(names['kind']),
    plural: text(names['plural']),
    singular: text(names['singular']),
    shortNames: texts(names['shortNames']),
    categories: texts(names['categories']),
    namespaced: text(spec['scope']) === 'Namespaced',
    versions: list(spec['versions']).map(each => {
      const version = record(each);
      return {
        name: text(version['name']),
        served: truth(version['served']),
        storage: truth(version['storage']),
      };
    }),
    conversion: serviceName(record(record(record(spec['conversion'])['webhook'])['clientConfig'])['service']),
    conditions: conditions(status),
  };
}

/** Returns undefined for a kind without facts. Missing and mistyped fields get the empty value of `facts.ts`. */
export function factsFromJson(
  type: { readonly group: string; readonly kind: string },
  json: JsonRecord,
): Facts | undefined {
  const kind = factsKind(type);
  const spec = record(json['spec']);
  const status = record(json['status']);
  switch (kind) {
    case undefined:
      return undefined;
    case 'Pod':
      return podFacts(record(json['metadata']), spec, status);
    case 'Workload':
      return workloadFacts(type.kind, spec, status);
    case 'CustomResourceDefinition':
      return crdFacts(spec, status);
    case 'Node':
      return {
        kind,
        unschedulable: truth(spec['unschedulable']),
        taints: list(spec['taints']).map(taintFromJson),
        conditions: conditions(status),
      };
    case 'Namespace':
      return {
        kind,
        phase: text(status['phase']),
        specFinalizers: texts(spec['finalizers']),
        conditions: conditions(status),
      };
    case 'PersistentVolumeClaim':
      return {
        kind,
        phase: text(status['phase']),
        volumeName: text(spec['volumeName']),
        storageClassName: text(spec['storageClassName']),
        conditions: conditions(status),
      };
    case 'PersistentVolume': {
      const claim = record(spec['claimRef']);
      return {
        kind,
        phase: text(status['phase']),
        claimNamespace: text(claim['namespace']),
        claimName: text(claim['name']),
        claimUid: text(claim['uid']),
        reclaimPolicy: text(spec['persistentVolumeReclaimPolicy']),
        storageClassName: text(spec['storageClassName']),
        csiDriver: text(record(spec['csi'])['driver']),
      };
    }
    case 'VolumeAttachment':
      return { kind, volumeName: text(record(spec['source'])['persistentVolumeName']) };
    case 'APIService':
      return {
        kind,
        group: text(spec['group']),
        version: text(spec['version']),
        service: serviceName(spec['service']),
        conditions: conditions(status),
      };
    case 'Service':
      return { kind, type: text(spec['type']), selector: pairs(spec['selector']) };
    case 'EndpointSlice':
      return { kind, ready: list(json['endpoints']).flatMap(readyEndpoint) };
    case 'WebhookConfiguration':
      return { kind, webhooks: list(json['webhooks']).map(admissionWebhook) };
    case 'Role':
      return { kind, changes: list(json['rules']).flatMap(changeRule) };
    case 'RoleBinding': {
      const role = record(json['roleRef']);
      return {
        kind,
        roleKind: text(role['kind']),
        roleName: text(role['name']),
        accounts: list(json['subjects']).flatMap(accountOf),
      };
    }
    case 'AdmissionPolicy':
      return admissionPolicy(spec);
    case 'AdmissionBinding':
      return {
        kind,
        policy: text(spec['policyName']),
        match: admissionMatch(spec['matchResources']),
        actions: texts(spec['validationActions']),
      };
    case 'Lease':
      return {
        kind,
        holder: text(spec['holderIdentity']),
        durationSeconds: count(spec['leaseDurationSeconds']),
        acquiredAt: wholeTime(spec['acquireTime']),
        renewedAt: wholeTime(spec['renewTime']),
      };
    case 'HorizontalPodAutoscaler': {
      const target = record(spec['scaleTargetRef']);
      return {
        kind,
        target: {
          apiVersion: text(target['apiVersion']),
          kind: text(target['kind']),
          name: text(target['name']),
        },
        minReplicas: spec['minReplicas'] === undefined ? 1 : count(spec['minReplicas']),
        maxReplicas: count(spec['maxReplicas']),
      };
    }
    case 'PodDisruptionBudget':
      return {
        kind,
        selector: labelSelector('', spec['selector']),
        disruptionsAllowed: count(status['disruptionsAllowed']),
        currentHealthy: count(status['currentHealthy']),
        desiredHealthy: count(status['desiredHealthy']),
        expectedPods: count(status['expectedPods']),
      };
  }
}
