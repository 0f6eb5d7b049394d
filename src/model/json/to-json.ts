/** Objects back as the API server's JSON, without the fields that `from-json.ts` doesn't keep. */
import type {
  AdmissionMatch,
  AdmissionPolicyFacts,
  AdmissionRule,
  AdmissionWebhook,
  ApiServiceFacts,
  ChangeRule,
  Condition,
  CrdFacts,
  Facts,
  LabelSelector,
  PodFacts,
  Taint,
  Toleration,
  VolumeFacts,
  WorkloadFacts,
} from '../facts/facts.ts';
import type { KubeObject } from '../object.ts';
import type { JsonRecord } from './json.ts';

export function objectToJson(object: KubeObject): JsonRecord {
  const { apiVersion, kind } = object.type;
  const { spec, status, ...rest } = parts(kind, object.facts);
  return {
    apiVersion,
    kind,
    metadata: metadataToJson(object),
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
    ...(Object.keys(status).length === 0 ? {} : { status }),
    ...rest,
  };
}

function metadataToJson(object: KubeObject): JsonRecord {
  const { creationTimestamp, deletionTimestamp, generation, finalizers, owners } = object;
  return withoutUndefined({
    name: object.name,
    namespace: object.namespace === '' ? undefined : object.namespace,
    uid: object.uid,
    resourceVersion: object.resourceVersion === '' ? undefined : object.resourceVersion,
    generation: generation === 0 ? undefined : generation,
    creationTimestamp: creationTimestamp === 0 ? undefined : isoTime(creationTimestamp),
    deletionTimestamp: deletionTimestamp === undefined ? undefined : isoTime(deletionTimestamp),
    deletionGracePeriodSeconds: object.deletionGracePeriodSeconds,
    labels: labelsToJson(object.labels),
    annotations: labelsToJson(object.annotations),
    finalizers: finalizers.length === 0 ? undefined : [...finalizers],
    ownerReferences: owners.length === 0 ? undefined : owners.map(owner => withoutUndefined({ ...owner })),
  });
}

/** Formats a time as the API server does: RFC 3339, without a fraction for whole seconds. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}

function withoutUndefined(value: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));
}

function compact(value: JsonRecord): JsonRecord {
  const says = (each: unknown): boolean => (Array.isArray(each) ? each.length > 0 : Boolean(each));
  return Object.fromEntries(Object.entries(value).filter(([, each]) => says(each)));
}

function labelsToJson(pairs: readonly string[]): JsonRecord | undefined {
  if (pairs.length === 0) return undefined;
  return Object.fromEntries(
    Array.from({ length: pairs.length / 2 }, (_, i) => [pairs[2 * i] ?? '', pairs[2 * i + 1] ?? '']),
  );
}

function conditionsToJson(conditions: readonly Condition[]): readonly JsonRecord[] {
  return conditions.map(({ type, status, reason, message, since }) => ({
    type,
    status,
    ...compact({ reason, message }),
    ...(since === undefined ? {} : { lastTransitionTime: isoTime(since) }),
  }));
}

interface Parts {
  readonly spec: JsonRecord;
  readonly status: JsonRecord;
  readonly endpoints?: readonly JsonRecord[];
  readonly webhooks?: readonly JsonRecord[];
  readonly rules?: readonly JsonRecord[];
  readonly subjects?: readonly JsonRecord[];
  readonly roleRef?: JsonRecord;
}

function parts(kind: string, facts: Facts | undefined): Parts {
  switch (facts?.kind) {
    case undefined:
      return { spec: {}, status: {} };
    case 'Pod':
      return podToJson(facts);
    case 'Workload':
      return workloadToJson(kind, facts);
    case 'CustomResourceDefinition':
      return definitionToJson(facts);
    case 'Node':
      return {
        spec: compact({ unschedulable: facts.unschedulable, taints: facts.taints.map(taintToJson) }),
        status: compact({ conditions: conditionsToJson(facts.conditions) }),
      };
    case 'Namespace':
      return {
        spec: compact({ finalizers: [...facts.specFinalizers] }),
        status: compact({ phase: facts.phase, conditions: conditionsToJson(facts.conditions) }),
      };
    case 'PersistentVolumeClaim':
      return {
        spec: compact({ volumeName: facts.volumeName, storageClassName: facts.storageClassName }),
        status: compact({ phase: facts.phase, conditions: conditionsToJson(facts.conditions) }),
      };
    case 'PersistentVolume':
      return volumeToJson(facts);
    case 'VolumeAttachment':
      return { spec: compact({ source: compact({ persistentVolumeName: facts.volumeName }) }), status: {} };
    case 'APIService':
      return apiServiceToJson(facts);
    case 'Service':
      return { spec: compact({ type: facts.type, selector: labelsToJson(facts.selector) }), status: {} };
    case 'EndpointSlice':
      return { spec: {}, status: {}, endpoints: facts.ready.map(endpointToJson) };
    case 'WebhookConfiguration':
      return { spec: {}, status: {}, webhooks: facts.webhooks.map(webhookToJson) };
    case 'Role':
      return { spec: {}, status: {}, rules: facts.changes.map(changeRuleToJson) };
    case 'RoleBinding':
      return {
        spec: {},
        status: {},
        subjects: facts.accounts.map(subjectToJson),
        roleRef: compact({ kind: facts.roleKind, name: facts.roleName }),
      };
    case 'AdmissionPolicy':
      return { spec: policyToJson(facts), status: {} };
    case 'AdmissionBinding':
      return {
        spec: compact({
          policyName: facts.policy,
          matchResources: matchToJson(facts.match),
          validationActions: [...facts.actions],
        }),
        status: {},
      };
    case 'Lease':
      return {
        spec: compact({
          holderIdentity: facts.holder,
          leaseDurationSeconds: facts.durationSeconds,
          acquireTime: facts.acquiredAt === undefined ? undefined : isoTime(facts.acquiredAt),
          renewTime: facts.renewedAt === undefined ? undefined : isoTime(facts.renewedAt),
        }),
        status: {},
      };
    case 'HorizontalPodAutoscaler': {
      const { target, minReplicas, maxReplicas } = facts;
      return { spec: { scaleTargetRef: compact({ ...target }), minReplicas, maxReplicas }, status: {} };
    }
    case 'PodDisruptionBudget': {
      const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods } = facts;
      return {
        spec: withoutUndefined({ selector: selectorToJson('', facts.selector) }),
        status: { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods },
      };
    }
  }
}

function changeRuleToJson({ groups, resources, names }: ChangeRule): JsonRecord {
  return { verbs: ['patch'], ...compact({ apiGroups: groups, resources, resourceNames: names }) };
}

function subjectToJson(account: string): JsonRecord {
  const [, namespace = '', name = ''] = /^system:serviceaccount:([^:]*):(.*)$/u.exec(account) ?? [];
  return name === '' ? { kind: 'Group', name: account } : { kind: 'ServiceAccount', namespace, name };
}

export function taintToJson({ key, value, effect, timeAdded }: Taint): JsonRecord {
  const added = timeAdded === undefined ? {} : { timeAdded: isoTime(timeAdded) };
  return { key, ...compact({ value }), effect, ...added };
}

function tolerationToJson({ key, operator, value, effect, tolerationSeconds }: Toleration): JsonRecord {
  return {
    ...compact({ key, operator, value, effect }),
    ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
  };
}

function webhookToJson(webhook: AdmissionWebhook): JsonRecord {
  const { name, service, failurePolicy, rules, matchPolicy, matchConditions } = webhook;
  return withoutUndefined({
    name,
    clientConfig: compact({ service: serviceToJson(service) }),
    failurePolicy,
    rules: rules.map(ruleToJson),
    matchPolicy,
    namespaceSelector: selectorToJson('', webhook.namespaceSelector),
    objectSelector: selectorToJson('', webhook.objectSelector),
    matchConditions: conditionsOfMatch(matchConditions),
  });
}

function ruleToJson({ operations, groups, versions, resources, scope, names }: AdmissionRule): JsonRecord {
  return {
    ...compact({ resourceNames: [...names] }),
    operations: [...operations],
    apiGroups: [...groups],
    apiVersions: [...versions],
    resources: [...resources],
    scope,
  };
}

/** Numbers the conditions: their names appear only in messages and aren't kept. */
function conditionsOfMatch(expressions: readonly string[]): JsonRecord[] | undefined {
  if (expressions.length === 0) return undefined;
  return expressions.map((expression, i) => ({ name: `condition-${i + 1}`, expression }));
}

function matchToJson(match: AdmissionMatch | undefined): JsonRecord | undefined {
  return (
    match &&
    withoutUndefined({
      ...compact({ resourceRules: match.rules.map(ruleToJson) }),
      ...compact({ excludeResourceRules: match.excluded.map(ruleToJson) }),
      matchPolicy: match.matchPolicy,
      namespaceSelector: selectorToJson('', match.namespaceSelector),
      objectSelector: selectorToJson('', match.objectSelector),
    })
  );
}

function policyToJson(policy: AdmissionPolicyFacts): JsonRecord {
  return compact({
    paramKind: policy.hasParameters ? { apiVersion: 'v1', kind: 'ConfigMap' } : undefined,
    failurePolicy: policy.failurePolicy,
    matchConstraints: matchToJson(policy.match),
    matchConditions: conditionsOfMatch(policy.matchConditions),
    variables: policy.variables.map(each => ({ ...each })),
    validations: policy.validations.map(expression => ({ expression })),
  });
}

function serviceToJson(service: string): JsonRecord | undefined {
  const [namespace, name] = service.split('/');
  return service === '' ? undefined : { namespace, name };
}

function podToJson(facts: PodFacts): Parts {
  const { claims, ephemeralVolumes, terminationGracePeriodSeconds: grace, managerFlags } = facts;
  const command = managerFlags.length === 0 ? {} : { command: managerFlags.map(each => `--${each}`) };
  return {
    spec: {
      ...compact({ nodeName: facts.nodeName }),
      ...(grace === undefined ? {} : { terminationGracePeriodSeconds: grace }),
      ...compact({
        containers: Array.from({ length: facts.containers }, (_, i) => ({
          name: containerName(i),
          ...(i === 0 ? command : {}),
        })),
        volumes: [
          ...claims.map((claimName, i) => ({ name: `claim-${i + 1}`, persistentVolumeClaim: { claimName } })),
          ...ephemeralVolumes.map(name => ({ name, ephemeral: {} })),
        ],
        tolerations: facts.tolerations.map(tolerationToJson),
      }),
    },
    status: compact({
      phase: facts.phase,
      reason: facts.reason,
      conditions: conditionsToJson(facts.conditions),
      containerStatuses: containerStatuses(facts),
    }),
  };
}

function containerName(index: number): string {
  return index === 0 ? 'main' : `container-${index + 1}`;
}

/** Spreads sums over the first containers, because facts don't hold which container is ready or restarted. */
function containerStatuses(facts: PodFacts): readonly JsonRecord[] {
  const { containers, readyContainers, restarts, containerReason, phase } = facts;
  if (readyContainers === 0 && restarts === 0 && containerReason === '') return [];
  const length = Math.max(containers, readyContainers, 1);
  // The reason goes to a container that isn't ready, if there is one.
  const troubled = Math.min(readyContainers, length - 1);
  const finished = phase === 'Succeeded' || phase === 'Failed';
  return Array.from({ length }, (_, i) => {
    const ready = i < readyContainers;
    const reason = i === troubled ? containerReason : '';
    const state =
      reason !== '' ? { [finished ? 'terminated' : 'waiting']: { reason } } : ready ? { running: {} } : {};
    return { name: containerName(i), ready, restartCount: i === 0 ? restarts : 0, state };
  });
}

function selectorToJson(kind: string, selector: LabelSelector | undefined): JsonRecord | undefined {
  if (selector === undefined) return undefined;
  const matchLabels = labelsToJson(selector.matchLabels);
  if (kind === 'ReplicationController') return matchLabels ?? {};
  return {
    ...(matchLabels === undefined ? {} : { matchLabels }),
    ...compact({
      matchExpressions: selector.matchExpressions.map(({ key, operator, values }) => ({
        key,
        operator,
        ...compact({ values: [...values] }),
      })),
    }),
  };
}

function countsToJson(kind: string, facts: WorkloadFacts): Parts {
  const { desired, current, ready, updated, available, active, failed, parallelism } = facts;
  switch (kind) {
    case 'DaemonSet':
      return {
        spec: {},
        status: {
          desiredNumberScheduled: desired,
          currentNumberScheduled: current,
          numberReady: ready,
          updatedNumberScheduled: updated,
          numberAvailable: available,
          ...compact({ active }),
        },
      };
    case 'Job':
      return {
        spec: { completions: desired, parallelism },
        status: compact({ active, succeeded: ready, failed }),
      };
    case 'CronJob':
      return { spec: {}, status: compact({ active: Array.from({ length: active }, () => ({})) }) };
    default:
      return {
        spec: { replicas: desired },
        status: {
          replicas: current,
          ...compact({
            readyReplicas: ready,
            updatedReplicas: updated,
            availableReplicas: available,
            active,
          }),
        },
      };
  }
}

function workloadToJson(kind: string, facts: WorkloadFacts): Parts {
  const { claimsWhenDeleted: whenDeleted, claimsWhenScaled: whenScaled, claimTemplates } = facts;
  const { observedGeneration, conditions } = facts;
  const counts = countsToJson(kind, facts);
  const labels = labelsToJson(facts.templateLabels);
  const { serviceAccount: serviceAccountName } = facts;
  const isEmpty = labels === undefined && serviceAccountName === '';
  const template = isEmpty
    ? undefined
    : {
        ...(labels === undefined ? {} : { metadata: { labels } }),
        ...(serviceAccountName === '' ? {} : { spec: { serviceAccountName } }),
      };
  const spec = withoutUndefined({
    ...counts.spec,
    selector: selectorToJson(kind, facts.selector),
    ...(kind === 'CronJob'
      ? { jobTemplate: template === undefined ? undefined : { spec: { template } } }
      : { template }),
    [kind === 'Deployment' ? 'paused' : 'suspend']: facts.suspended ? true : undefined,
    persistentVolumeClaimRetentionPolicy: whenDeleted === '' ? undefined : { whenDeleted, whenScaled },
    volumeClaimTemplates:
      claimTemplates.length === 0 ? undefined : claimTemplates.map(name => ({ metadata: { name } })),
    ttlSecondsAfterFinished: facts.ttlSecondsAfterFinished,
    managedBy: facts.managedBy || undefined,
    successfulJobsHistoryLimit: facts.historyLimits?.successful,
    failedJobsHistoryLimit: facts.historyLimits?.failed,
  });
  const status = compact({ observedGeneration, conditions: conditionsToJson(conditions) });
  return { spec, status: { ...counts.status, ...status } };
}

function conversionToJson(service: string): JsonRecord | undefined {
  if (service === '') return undefined;
  return { strategy: 'Webhook', webhook: { clientConfig: { service: serviceToJson(service) } } };
}

function definitionToJson(facts: CrdFacts): Parts {
  const { group, definedKind: kind, plural, singular, shortNames, categories, namespaced, versions } = facts;
  return {
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: {
        kind,
        plural,
        ...compact({ singular, shortNames: [...shortNames], categories: [...categories] }),
      },
      versions: versions.map(version => ({ ...version })),
      ...compact({ conversion: conversionToJson(facts.conversion) }),
    },
    status: compact({ conditions: conditionsToJson(facts.conditions) }),
  };
}

function volumeToJson(facts: VolumeFacts): Parts {
  const { claimNamespace: namespace, claimName: name, claimUid: uid, csiDriver } = facts;
  const claimRef = compact({ namespace, name, uid });
  return {
    spec: compact({
      storageClassName: facts.storageClassName,
      persistentVolumeReclaimPolicy: facts.reclaimPolicy,
      csi: csiDriver === '' ? undefined : { driver: csiDriver },
      claimRef: Object.keys(claimRef).length === 0 ? undefined : claimRef,
    }),
    status: compact({ phase: facts.phase }),
  };
}

function endpointToJson(pod: string): JsonRecord {
  const target = pod === '' ? {} : { targetRef: { kind: 'Pod', name: pod } };
  return { conditions: { ready: true }, ...target };
}

function apiServiceToJson({ group, version, service, conditions }: ApiServiceFacts): Parts {
  return {
    spec: compact({ group, version, service: serviceToJson(service) }),
    status: compact({ conditions: conditionsToJson(conditions) }),
  };
}
