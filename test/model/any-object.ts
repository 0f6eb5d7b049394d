/** Objects as an API server might send them, made at random. */
import type { JsonRecord } from '../../src/model/json/json.ts';
import type { ResourceType } from '../../src/model/types/resource-type.ts';
import { Random } from '../../src/simulation/runtime/random.ts';
import { builtInTypes } from '../../src/source/built-in-types.ts';

export const kindsWithFacts = [
  'Pod',
  'Node',
  'Namespace',
  'Deployment',
  'ReplicaSet',
  'ReplicationController',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'CronJob',
  'PersistentVolumeClaim',
  'PersistentVolume',
  'APIService',
  'CustomResourceDefinition',
  'Service',
  'EndpointSlice',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'MutatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicyBinding',
  'Lease',
  'PodDisruptionBudget',
  'HorizontalPodAutoscaler',
  'VolumeAttachment',
  'Role',
  'ClusterRole',
  'RoleBinding',
  'ClusterRoleBinding',
];

export function typeOf(kind: string): ResourceType {
  const type = builtInTypes.find(each => each.kind === kind && each.preferred);
  if (type === undefined) throw new Error(`no ${kind}`);
  return type;
}

/** JSON such as an API server might send: every field that is read, there or not, in every shape it has. */
export class AnyObject {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  of(kind: string): JsonRecord {
    return {
      metadata: {
        name: this.#word(),
        uid: this.#word(),
        ...this.#some({
          namespace: this.#word(),
          resourceVersion: String(this.#number()),
          generation: this.#number(),
          creationTimestamp: this.#time(),
          deletionTimestamp: this.#time(),
          deletionGracePeriodSeconds: this.#number(),
          labels: this.#labels(),
          annotations: { ...this.#some({ 'meta.helm.sh/release-name': this.#word() }) },
          finalizers: this.#list(() => this.#word()),
          ownerReferences: this.#list(() => ({
            apiVersion: 'v1',
            kind: 'ConfigMap',
            name: this.#word(),
            uid: this.#word(),
            ...this.#some({ controller: this.#flag(), blockOwnerDeletion: this.#flag() }),
          })),
        }),
      },
      spec: this.#some(this.#spec(kind)),
      status: this.#some(this.#status(kind)),
      endpoints: this.#list(() => this.#endpoint()),
      webhooks: this.#list(() => this.#webhook()),
      rules: this.#list(() => this.#rule()),
      subjects: this.#list(() => this.#subject()),
      roleRef: this.#some({ apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: this.#word() }),
    };
  }

  #endpoint(): JsonRecord {
    return this.#some({
      conditions: this.#some({ ready: this.#flag(), serving: this.#flag() }),
      targetRef: this.#some({ kind: this.#flag() ? 'Pod' : 'Node', name: this.#word() }),
    });
  }

  #rule(): JsonRecord {
    return this.#some({
      verbs: this.#list(() => (this.#flag() ? 'update' : 'get')),
      apiGroups: this.#list(() => this.#word()),
      resources: this.#list(() => this.#word()),
      resourceNames: this.#list(() => this.#word()),
    });
  }

  #subject(): JsonRecord {
    return this.#flag()
      ? { kind: 'ServiceAccount', ...this.#some({ namespace: this.#word(), name: this.#word() }) }
      : { kind: 'Group', name: this.#flag() ? 'system:serviceaccounts' : this.#word() };
  }

  #webhook(): JsonRecord {
    return this.#some({
      name: this.#word(),
      clientConfig: this.#some({ service: { namespace: this.#word(), name: this.#word() } }),
      failurePolicy: this.#flag() ? 'Fail' : 'Ignore',
      rules: this.#list(() => this.#admissionRule()),
      matchPolicy: this.#flag() ? 'Exact' : 'Equivalent',
      namespaceSelector: { matchLabels: this.#labels() },
      objectSelector: { matchLabels: this.#labels() },
      matchConditions: this.#list(() => ({ name: this.#word(), expression: this.#word() })),
    });
  }

  #admissionRule(): JsonRecord {
    return this.#some({
      resourceNames: this.#list(() => this.#word()),
      operations: this.#list(() => this.#word()),
      apiGroups: this.#list(() => this.#word()),
      apiVersions: this.#list(() => this.#word()),
      resources: this.#list(() => this.#word()),
      scope: this.#flag() ? 'Cluster' : '*',
    });
  }

  #match(): JsonRecord {
    return this.#some({
      resourceRules: this.#list(() => this.#admissionRule()),
      excludeResourceRules: this.#list(() => this.#admissionRule()),
      matchPolicy: this.#flag() ? 'Exact' : 'Equivalent',
      namespaceSelector: { matchLabels: this.#labels() },
      objectSelector: { matchLabels: this.#labels() },
    });
  }

  #spec(kind: string): JsonRecord {
    const selector = {
      ...this.#some({
        matchLabels: this.#labels(),
        matchExpressions: this.#list(() => ({
          key: this.#word(),
          operator: 'In',
          ...this.#some({ values: this.#list(() => this.#word()) }),
        })),
      }),
    };
    const template = { metadata: { labels: this.#labels() }, spec: { serviceAccountName: 'drainer' } };
    return {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      failurePolicy: this.#flag() ? 'Fail' : 'Ignore',
      matchConstraints: this.#match(),
      matchConditions: this.#list(() => ({ name: this.#word(), expression: this.#word() })),
      variables: this.#list(() => ({ name: this.#word(), expression: this.#word() })),
      validations: this.#list(() => ({ expression: this.#word() })),
      policyName: this.#word(),
      matchResources: this.#match(),
      validationActions: this.#list(() => this.#word()),
      paramRef: this.#some({ name: this.#word(), parameterNotFoundAction: this.#flag() ? 'Deny' : 'Allow' }),
      nodeName: this.#word(),
      terminationGracePeriodSeconds: this.#number(),
      containers: this.#list(() => ({ name: this.#word() })),
      volumes: this.#list(() =>
        this.#flag()
          ? { name: this.#word(), persistentVolumeClaim: { claimName: this.#word() } }
          : { name: this.#word(), ephemeral: {} },
      ),
      unschedulable: this.#flag(),
      taints: this.#list(() => ({
        key: this.#word(),
        effect: 'NoSchedule',
        ...this.#some({ value: this.#word(), timeAdded: this.#time() }),
      })),
      tolerations: this.#list(() =>
        this.#some({
          key: this.#word(),
          operator: 'Exists',
          value: this.#word(),
          effect: 'NoExecute',
          tolerationSeconds: this.#number(),
        }),
      ),
      finalizers: this.#list(() => this.#word()),
      replicas: this.#number(),
      completions: this.#number(),
      parallelism: this.#number(),
      type: this.#word(),
      selector: kind === 'ReplicationController' || kind === 'Service' ? this.#labels() : selector,
      template,
      jobTemplate: { spec: { template } },
      ...(kind === 'Deployment' ? { paused: this.#flag() } : { suspend: this.#flag() }),
      persistentVolumeClaimRetentionPolicy: this.#some({ whenDeleted: 'Delete', whenScaled: 'Delete' }),
      volumeClaimTemplates: this.#list(() => ({ metadata: { name: this.#word() } })),
      volumeName: this.#word(),
      storageClassName: this.#word(),
      persistentVolumeReclaimPolicy: 'Delete',
      claimRef: this.#some({ namespace: this.#word(), name: this.#word(), uid: this.#word() }),
      csi: { driver: this.#word() },
      source: this.#some({ persistentVolumeName: this.#word() }),
      group: this.#word(),
      version: 'v1',
      scope: this.#flag() ? 'Namespaced' : 'Cluster',
      service: this.#some({ namespace: this.#word(), name: this.#word() }),
      names: this.#some({
        kind: this.#word(),
        plural: this.#word(),
        singular: this.#word(),
        shortNames: this.#list(() => this.#word()),
        categories: this.#list(() => this.#word()),
      }),
      conversion: { webhook: { clientConfig: { service: { namespace: 'x', name: this.#word() } } } },
      ttlSecondsAfterFinished: this.#number(),
      managedBy: this.#word(),
      holderIdentity: this.#word(),
      leaseDurationSeconds: this.#number(),
      acquireTime: this.#time(),
      renewTime: this.#time(),
      versions: this.#list(() => ({ name: this.#word(), served: this.#flag(), storage: this.#flag() })),
    };
  }

  #status(kind: string): JsonRecord {
    return {
      phase: ['Pending', 'Running', 'Failed', 'Succeeded', 'Bound'][this.#random.below(5)],
      reason: this.#word(),
      conditions: this.#list(() => ({
        type: this.#word(),
        status: this.#flag() ? 'True' : 'False',
        ...this.#some({ reason: this.#word(), message: this.#word(), lastTransitionTime: this.#time() }),
      })),
      containerStatuses: this.#list(() => ({
        name: this.#word(),
        ready: this.#flag(),
        restartCount: this.#number(),
        state: this.#flag()
          ? { waiting: { reason: this.#word() } }
          : { terminated: { reason: this.#word() } },
      })),
      ...Object.fromEntries(
        [
          'replicas',
          'readyReplicas',
          'updatedReplicas',
          'availableReplicas',
          'observedGeneration',
          'desiredNumberScheduled',
          'currentNumberScheduled',
          'numberReady',
          'updatedNumberScheduled',
          'numberAvailable',
          'succeeded',
          'failed',
          'disruptionsAllowed',
          'currentHealthy',
          'desiredHealthy',
          'expectedPods',
        ].map(field => [field, this.#number()]),
      ),
      active: kind === 'CronJob' ? this.#list(() => ({})) : this.#number(),
    };
  }

  /** Each field there or not. */
  #some(value: JsonRecord): JsonRecord {
    return Object.fromEntries(Object.entries(value).filter(() => this.#random.below(4) > 0));
  }

  #list<T>(make: () => T): readonly T[] {
    return Array.from({ length: this.#random.below(4) }, make);
  }

  #labels(): JsonRecord {
    return Object.fromEntries(this.#list(() => [this.#word(), this.#flag() ? '' : this.#word()]));
  }

  #word(): string {
    return this.#random.name(1 + this.#random.below(6));
  }

  #number(): number {
    return this.#random.below(5);
  }

  #flag(): boolean {
    return this.#random.below(2) === 0;
  }

  #time(): string {
    return new Date(Date.UTC(2026, 10, 21) + this.#random.below(100_000_000) * 1000).toISOString();
  }
}
