/** Random worlds of users and what they use, each in a namespace of its own, with objects to delete. */
import type { JsonRecord } from '../../../src/model/json/json.ts';
import { Random } from '../../../src/simulation/runtime/random.ts';
import type { WebhookBackend } from '../worlds/random-worlds.ts';

/** `kind/name` */
type Target = string;

export interface UsesWorld {
  readonly seed: number;
  readonly namespace: string;
  /** Created in this order. */
  readonly objects: readonly JsonRecord[];
  /** Deployments that have a second revision. */
  readonly updated: readonly { readonly older: JsonRecord; readonly newer: JsonRecord }[];
  readonly targets: readonly Target[];
}

export const POD_LABEL = 'uses.example/workload';
/** Pods with this label end by themselves. */
export const ENDS_LABEL = 'uses.example/ends';
export const PROVISIONER = 'uses.example/volumes';
export const HOOK_SERVICE = 'hooks';

/** The kind that each role allows reading. */
export const rights: Readonly<Record<string, string>> = {
  'role-a': 'configmaps',
  'role-b': 'secrets',
  'clusterrole-a': 'services',
};

const workloadKinds = [
  'Deployment',
  'Deployment',
  'StatefulSet',
  'ReplicaSet',
  'Pod',
  'Pod',
  'Job',
  'CronJob',
  'DaemonSet',
  'ReplicationController',
] as const;

/** How often each of these is the first target. */
const targetWeights = {
  ConfigMap: 8,
  Secret: 7,
  ServiceAccount: 4,
  PersistentVolumeClaim: 2,
  StorageClass: 1,
  PriorityClass: 1,
  RuntimeClass: 1,
  Role: 2,
  ClusterRole: 1,
  RoleBinding: 1,
  Service: 2,
  workload: 7,
} as const;
const targetKinds = Object.entries(targetWeights).flatMap(([kind, weight]) =>
  Array.from({ length: weight }, () => kind),
);

export function randomUses(seed: number, namespace: string, backend: WebhookBackend): UsesWorld {
  return new Making(seed, namespace, backend).world();
}

class Making {
  readonly #seed: number;
  readonly #random: Random;
  readonly #ns: string;
  readonly #backend: WebhookBackend;

  constructor(seed: number, namespace: string, backend: WebhookBackend) {
    this.#seed = seed;
    this.#random = new Random(seed);
    this.#ns = namespace;
    this.#backend = backend;
  }

  world(): UsesWorld {
    const used = [...this.#used(), ...this.#bindings(), ...this.#webhooks()];
    const workloads = Array.from({ length: 2 + this.#random.below(3) }, (_, index) =>
      this.#workload(this.#pick(workloadKinds), `w${index}`),
    );
    const beside = this.#beside(workloads);
    const updated = workloads
      .filter(each => each['kind'] === 'Deployment' && this.#chance(50))
      .map(newer => ({ newer, older: this.#olderRevision(newer) }));
    const before = workloads.map(each => updated.find(({ newer }) => newer === each)?.older ?? each);
    const objects = [...used, ...beside, ...before];
    return {
      seed: this.#seed,
      namespace: this.#ns,
      objects,
      updated,
      targets: this.#targets(objects, workloads),
    };
  }

  #chance(percent: number): boolean {
    return this.#random.below(100) < percent;
  }

  #pick<T>(of: readonly T[]): T {
    const found = of[this.#random.below(of.length)];
    if (found === undefined) throw new Error('nothing to pick from');
    return found;
  }

  /** The name of a cluster-scoped object of this world. */
  #wide(name: string): string {
    return `${this.#ns}-${name}`;
  }

  #made(apiVersion: string, kind: string, name: string, fields: JsonRecord = {}): JsonRecord {
    return { apiVersion, kind, metadata: { name, namespace: this.#ns }, ...fields };
  }

  #used(): JsonRecord[] {
    const claim = (storageClassName: string): JsonRecord => ({
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName,
    });
    const delayed = { volumeBindingMode: 'WaitForFirstConsumer' };
    const scheduling = 'scheduling.k8s.io/v1';
    const storage = 'storage.k8s.io/v1';
    return [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.#ns } },
      { apiVersion: scheduling, kind: 'PriorityClass', metadata: { name: this.#wide('gold') }, value: 1000 },
      {
        apiVersion: 'node.k8s.io/v1',
        kind: 'RuntimeClass',
        metadata: { name: this.#wide('box') },
        handler: 'box',
      },
      {
        apiVersion: storage,
        kind: 'StorageClass',
        metadata: { name: this.#wide('fast') },
        provisioner: PROVISIONER,
        ...(this.#chance(40) ? delayed : {}),
      },
      ...['a', 'b', 'c'].flatMap(each => [
        this.#made('v1', 'ConfigMap', `settings-${each}`, { data: { key: 'value' } }),
        this.#made('v1', 'Secret', `secret-${each}`, { stringData: { key: 'value' } }),
      ]),
      ...['a', 'b'].map(each => this.#made('v1', 'ServiceAccount', `robot-${each}`)),
      ...['a', 'b'].map(each =>
        this.#made('v1', 'PersistentVolumeClaim', `data-${each}`, { spec: claim(this.#wide('fast')) }),
      ),
    ];
  }

  #bindings(): JsonRecord[] {
    const group = 'rbac.authorization.k8s.io';
    const rules = (resource: string): JsonRecord[] => [
      { apiGroups: [''], resources: [resource], verbs: ['get'] },
    ];
    const roles = Object.entries(rights).map(([name, resource]) =>
      name.startsWith('cluster')
        ? {
            apiVersion: `${group}/v1`,
            kind: 'ClusterRole',
            metadata: { name: this.#wide(name) },
            rules: rules(resource),
          }
        : this.#made(`${group}/v1`, 'Role', name, { rules: rules(resource) }),
    );
    const bindings = ['a', 'b', 'c'].slice(0, 1 + this.#random.below(3)).map(each => {
      const role = this.#pick(roles);
      const { name } = role['metadata'] as { readonly name: string };
      const robots = ['robot-a', 'robot-b'].filter(() => this.#chance(50));
      return this.#made(`${group}/v1`, 'RoleBinding', `grant-${each}`, {
        roleRef: { apiGroup: group, kind: role['kind'], name },
        subjects: [
          { apiGroup: group, kind: 'User', name: `${this.#ns}-grant-${each}` },
          ...robots.map(robot => ({ kind: 'ServiceAccount', name: robot, namespace: this.#ns })),
        ],
      });
    });
    return [...roles, ...bindings];
  }

  /** A webhook that is asked about new Leases of this namespace. */
  #webhooks(): JsonRecord[] {
    if (!this.#chance(25)) return [];
    const { port, caBundle } = this.#backend;
    const service = { namespace: this.#ns, name: HOOK_SERVICE, port, path: `/allow/${this.#ns}` };
    return [
      this.#made('v1', 'Service', HOOK_SERVICE, {
        spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
      }),
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: this.#wide('hook') },
        webhooks: [
          {
            name: 'leases.uses.example',
            clientConfig: { caBundle, service },
            failurePolicy: this.#pick(['Fail', 'Ignore']),
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': this.#ns } },
            rules: [
              {
                apiGroups: ['coordination.k8s.io'],
                apiVersions: ['v1'],
                operations: ['CREATE'],
                resources: ['leases'],
              },
            ],
          },
        ],
      },
    ];
  }

  #workload(kind: (typeof workloadKinds)[number], name: string): JsonRecord {
    const labels = {
      [POD_LABEL]: name,
      tier: this.#pick(['front', 'back']),
      ...(kind === 'Job' && this.#chance(60) && { [ENDS_LABEL]: 'yes' }),
    };
    const spec = this.#podSpec(kind === 'Job' || kind === 'CronJob' ? 'Never' : 'Always');
    const template = { metadata: { labels }, spec };
    const selector = { matchLabels: { [POD_LABEL]: name } };
    const replicas = this.#pick(kind === 'StatefulSet' ? [1, 2] : [1, 1, 2, 0]);
    switch (kind) {
      case 'Pod':
        return { apiVersion: 'v1', kind, metadata: { name, namespace: this.#ns, labels }, spec };
      case 'Job':
        return this.#made('batch/v1', kind, name, { spec: { template } });
      case 'CronJob': {
        const jobTemplate = { spec: { template } };
        return this.#made('batch/v1', kind, name, {
          spec: { schedule: '0 0 1 1 *', suspend: true, jobTemplate },
        });
      }
      case 'ReplicationController':
        return this.#made('v1', kind, name, {
          spec: { replicas, selector: { [POD_LABEL]: name }, template },
        });
      case 'DaemonSet':
        return this.#made('apps/v1', kind, name, { spec: { selector, template } });
      case 'StatefulSet': {
        const podManagementPolicy = 'Parallel';
        const fields = {
          replicas,
          selector,
          template,
          serviceName: `${name}-pods`,
          podManagementPolicy,
        };
        return this.#made('apps/v1', kind, name, { spec: fields });
      }
      case 'Deployment':
      case 'ReplicaSet':
        return this.#made('apps/v1', kind, name, { spec: { replicas, selector, template } });
    }
  }

  #podSpec(restartPolicy: string): JsonRecord {
    const volumes: JsonRecord[] = [];
    const [init, main] = [this.#container('init'), this.#container('main')];
    for (let left = this.#random.below(4); left > 0; left -= 1) {
      if (this.#chance(50)) volumes.push({ name: `v${left}`, ...this.#volume() });
      else this.#environment(this.#pick([init, main, main]));
    }
    return {
      restartPolicy,
      terminationGracePeriodSeconds: 1,
      ...(this.#chance(40) && { serviceAccountName: this.#pick(['robot-a', 'robot-b']) }),
      ...(this.#chance(15) && { automountServiceAccountToken: false }),
      ...(this.#chance(15) && { priorityClassName: this.#wide('gold') }),
      ...(this.#chance(15) && { runtimeClassName: this.#wide('box') }),
      ...(this.#chance(10) && { imagePullSecrets: [{ name: this.#secret() }] }),
      ...(this.#chance(40) && { initContainers: [init] }),
      containers: [main],
      volumes,
    };
  }

  #container(name: string): JsonRecord & { readonly env: JsonRecord[]; readonly envFrom: JsonRecord[] } {
    return { name, image: 'registry.example/app', env: [], envFrom: [] };
  }

  #environment({ env, envFrom }: { readonly env: JsonRecord[]; readonly envFrom: JsonRecord[] }): void {
    const optional = this.#chance(25) ? { optional: true } : {};
    const settings = { name: this.#settings(), ...optional };
    const secret = { name: this.#secret(), ...optional };
    const key = 'key';
    const name = `E${env.length}`;
    switch (this.#random.below(4)) {
      case 0:
        return void envFrom.push({ configMapRef: settings });
      case 1:
        return void envFrom.push({ secretRef: secret });
      case 2:
        return void env.push({ name, valueFrom: { configMapKeyRef: { ...settings, key } } });
      default:
        return void env.push({ name, valueFrom: { secretKeyRef: { ...secret, key } } });
    }
  }

  #volume(): JsonRecord {
    const optional = this.#chance(25) ? { optional: true } : {};
    const settings = { name: this.#settings(), ...optional };
    const secret = this.#secret();
    switch (this.#random.below(5)) {
      case 0:
        return { configMap: settings };
      case 1:
        return { secret: { secretName: secret, ...optional } };
      case 2:
        return { projected: { sources: [{ configMap: settings }] } };
      case 3:
        return { projected: { sources: [{ secret: { name: secret, ...optional } }] } };
      default:
        return { persistentVolumeClaim: { claimName: this.#pick(['data-a', 'data-b']) } };
    }
  }

  #settings(): string {
    return `settings-${this.#pick(['a', 'b', 'c'])}`;
  }

  #secret(): string {
    return `secret-${this.#pick(['a', 'b', 'c'])}`;
  }

  #beside(workloads: readonly JsonRecord[]): JsonRecord[] {
    const anyLabels = (): JsonRecord =>
      this.#chance(50)
        ? { [POD_LABEL]: `w${this.#random.below(workloads.length)}` }
        : { tier: this.#pick(['front', 'back']) };
    const scaled = workloads.filter(
      ({ kind, spec }) =>
        ['Deployment', 'StatefulSet', 'ReplicaSet'].includes(kind as string) &&
        (spec as JsonRecord)['replicas'] !== 0,
    );
    const scalers = scaled.slice(0, 1).map(({ apiVersion, kind, metadata, spec }) => {
      const { name } = metadata as { readonly name: string };
      const { replicas } = spec as { readonly replicas: number };
      return this.#made('autoscaling/v2', 'HorizontalPodAutoscaler', 'scaler', {
        spec: { minReplicas: replicas, maxReplicas: replicas, scaleTargetRef: { apiVersion, kind, name } },
      });
    });
    const headless = workloads
      .filter(({ kind }) => kind === 'StatefulSet')
      .map(each =>
        this.#made('v1', 'Service', `${nameIn(each)}-pods`, {
          spec: { clusterIP: 'None', selector: { [POD_LABEL]: nameIn(each) }, ports: [{ port: 80 }] },
        }),
      );
    const services = ['front', 'back'].map(name =>
      this.#made('v1', 'Service', name, {
        spec: { clusterIP: 'None', selector: anyLabels(), ports: [{ port: 80 }] },
      }),
    );
    const matchLabels = anyLabels();
    return [
      ...services,
      ...headless,
      this.#made('policy/v1', 'PodDisruptionBudget', 'budget', {
        spec: { minAvailable: 1, selector: { matchLabels } },
      }),
      this.#made('networking.k8s.io/v1', 'NetworkPolicy', 'policy', {
        spec: { podSelector: { matchLabels: anyLabels() } },
      }),
      ...(this.#chance(50) ? scalers : []),
    ];
  }

  /** Uses other objects than the revision that follows. */
  #olderRevision(deployment: JsonRecord): JsonRecord {
    const spec = deployment['spec'] as JsonRecord;
    const { metadata } = spec['template'] as JsonRecord;
    return { ...deployment, spec: { ...spec, template: { metadata, spec: this.#podSpec('Always') } } };
  }

  #targets(objects: readonly JsonRecord[], workloads: readonly JsonRecord[]): Target[] {
    const targets = new Set<Target>();
    for (let left = this.#pick([1, 1, 1, 2]); left > 0; left -= 1) {
      const kind = this.#pick(targetKinds);
      const fits = kind === 'workload' ? workloads : objects.filter(each => each['kind'] === kind);
      if (kind === 'ServiceAccount' && this.#chance(15)) targets.add('serviceaccount/default');
      else if (kind === 'ConfigMap' && this.#chance(5)) targets.add('configmap/kube-root-ca.crt');
      else targets.add(targetOf(this.#pick(fits)));
    }
    return [...targets];
  }
}

function targetOf(object: JsonRecord): Target {
  return `${String(object['kind']).toLowerCase()}/${nameIn(object)}`;
}

function nameIn({ metadata }: JsonRecord): string {
  return (metadata as { readonly name: string }).name;
}
