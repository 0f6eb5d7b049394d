/** Objects with odd contents of every kind that has facts: what a decoder can get wrong is in one of them. */

const uid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** Owner references are hardly validated: names may hold anything. */
const owners = [
  {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'ünïcode ☃ 名前',
    uid: uid(1),
    controller: true,
    blockOwnerDeletion: false,
  },
  { apiVersion: 'v1', kind: 'ConfigMap', name: 'plain', uid: uid(2) },
  { apiVersion: 'example.com/v1', kind: 'Widget', name: 'blocks', uid: uid(3), blockOwnerDeletion: true },
];

const container = {
  name: 'app',
  image: 'registry.example.com/app:1',
  env: [
    { name: 'EMPTY', value: '' },
    { name: 'SNOW', value: '☃'.repeat(50) },
  ],
};
const template = {
  metadata: { labels: { app: 'odd', 'example.com/tier': '' } },
  spec: { containers: [container] },
};
const selector = {
  matchLabels: { app: 'odd' },
  matchExpressions: [
    { key: 'example.com/tier', operator: 'Exists' },
    { key: 'zone', operator: 'NotIn', values: ['a', 'b'] },
  ],
};
const when = '2026-11-21T07:00:00Z';
const conditions = [
  {
    type: 'Ready',
    status: 'False',
    reason: 'Odd',
    message: 'the message — mit Ümläuten, 雪, 🙂',
    lastTransitionTime: when,
  },
  { type: 'Other', status: 'True', lastTransitionTime: when },
];

const openSchema = {
  openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
};

const webhook = (name: string): Record<string, unknown> => ({
  name,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [
    {
      operations: ['CREATE', 'DELETE'],
      apiGroups: ['odd.example.com', 'odd2.example.com'],
      apiVersions: ['*'],
      resources: ['gadgets', 'gadgets/status'],
    },
    {
      operations: ['*'],
      apiGroups: ['odd3.example.com'],
      apiVersions: ['v1'],
      scope: 'Cluster',
      resources: ['*/*'],
    },
  ],
});

export interface OddObject {
  /** Collection path. */
  readonly path: string;
  readonly body: { readonly metadata: { readonly name: string } & Record<string, unknown> } & Record<
    string,
    unknown
  >;
  /** Written to the status subresource afterwards. */
  readonly status?: unknown;
  /** Deleted afterwards; a finalizer keeps it. */
  readonly deleted?: boolean;
}

const core = '/api/v1/namespaces/odd';
const apps = '/apis/apps/v1/namespaces/odd';
const batch = '/apis/batch/v1/namespaces/odd';

const pods: readonly OddObject[] = [
  {
    path: `${core}/pods`,
    body: {
      metadata: {
        name: 'everything',
        labels: { app: 'odd', '1': 'number', 'example.com/empty': '' },
        annotations: { huge: '☃'.repeat(60_000), small: '' },
        finalizers: ['example.com/one', 'example.com/two'],
        ownerReferences: owners,
      },
      spec: {
        nodeName: 'odd-node',
        tolerations: [
          { operator: 'Exists' },
          { key: 'example.com/odd', value: 'larger', effect: 'NoSchedule' },
          {
            key: 'example.com/odd',
            operator: 'Equal',
            value: '',
            effect: 'NoExecute',
            tolerationSeconds: -1,
          },
          { key: 'example.com/odd', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 },
        ],
        terminationGracePeriodSeconds: 0,
        containers: [container, { ...container, name: 'second' }],
        initContainers: [{ ...container, name: 'init' }],
        volumes: [
          { name: 'claim', persistentVolumeClaim: { claimName: 'data-0' } },
          { name: 'claim-2', persistentVolumeClaim: { claimName: 'data-1', readOnly: true } },
          {
            name: 'scratch',
            ephemeral: {
              volumeClaimTemplate: {
                spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
              },
            },
          },
          { name: 'empty', emptyDir: {} },
        ],
      },
    },
    status: {
      phase: 'Failed',
      reason: 'Evicted',
      message: '☃',
      conditions,
      containerStatuses: [
        {
          name: 'app',
          image: '',
          imageID: '',
          ready: true,
          restartCount: 300,
          state: { running: { startedAt: when } },
        },
        {
          name: 'second',
          image: '',
          imageID: '',
          ready: false,
          restartCount: 2,
          state: { waiting: { reason: 'Größe', message: 'x' } },
        },
      ],
    },
  },
  { path: `${core}/pods`, body: { metadata: { name: 'bare' }, spec: { containers: [container] } } },
  {
    path: '/api/v1/namespaces/kube-system/pods',
    body: {
      metadata: { name: 'kube-controller-manager-odd-node' },
      spec: {
        containers: [
          {
            ...container,
            command: ['kube-controller-manager', '--leader-elect=true', '--controllers=*,-garbagecollector'],
            args: ['--concurrent_gc_syncs', '7', '--enable-garbage-collector'],
          },
        ],
      },
    },
  },
  {
    path: `${core}/pods`,
    body: {
      metadata: { name: 'deleting', finalizers: ['example.com/hold'] },
      spec: { nodeName: 'odd-node', containers: [container] },
    },
    status: {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'app',
          image: '',
          imageID: '',
          ready: false,
          restartCount: 0,
          state: { terminated: { exitCode: 1, reason: 'Error' } },
        },
      ],
    },
    deleted: true,
  },
];

const workloads: readonly OddObject[] = [
  {
    path: `${apps}/deployments`,
    body: {
      metadata: { name: 'odd', labels: { app: 'odd' } },
      spec: { replicas: 0, paused: true, selector, template: withLabels('zone', 'c') },
    },
    status: {
      observedGeneration: 1,
      replicas: 4,
      updatedReplicas: 3,
      readyReplicas: 2,
      availableReplicas: 1,
      conditions,
    },
  },
  {
    path: `${apps}/replicasets`,
    body: {
      metadata: { name: 'odd', ownerReferences: owners },
      spec: { replicas: 4, selector, template: withLabels('zone', 'c') },
    },
    status: { observedGeneration: 7, replicas: 4, readyReplicas: 2, availableReplicas: 1, conditions },
  },
  {
    path: `${core}/replicationcontrollers`,
    body: {
      metadata: { name: 'odd' },
      spec: { replicas: 2, selector: { app: 'odd', b: '' }, template: withLabels('b', '') },
    },
    status: { replicas: 2, readyReplicas: 1, conditions },
  },
  {
    path: `${apps}/statefulsets`,
    body: {
      metadata: { name: 'odd' },
      spec: {
        selector: { matchLabels: { app: 'odd' } },
        serviceName: 'odd',
        template,
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
        volumeClaimTemplates: ['data', 'logs'].map(name => ({
          metadata: { name },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        })),
      },
    },
    status: {
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 2,
      currentReplicas: 1,
      updatedReplicas: 1,
      availableReplicas: 2,
      conditions,
    },
  },
  {
    path: `${apps}/daemonsets`,
    body: { metadata: { name: 'odd' }, spec: { selector: { matchLabels: { app: 'odd' } }, template } },
    status: {
      currentNumberScheduled: 5,
      numberMisscheduled: 1,
      desiredNumberScheduled: 6,
      numberReady: 4,
      updatedNumberScheduled: 3,
      numberAvailable: 2,
      conditions,
    },
  },
  {
    path: `${batch}/jobs`,
    body: {
      metadata: { name: 'odd' },
      spec: {
        ttlSecondsAfterFinished: 0,
        managedBy: 'example.com/controller',
        parallelism: 2,
        completions: 9,
        suspend: true,
        template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } },
      },
    },
    status: { active: 2, ready: 1, terminating: 0 },
  },
  {
    path: `${batch}/cronjobs`,
    body: {
      metadata: { name: 'odd' },
      spec: {
        schedule: '0 0 1 1 *',
        suspend: true,
        jobTemplate: {
          spec: { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } },
        },
      },
    },
    status: {
      active: [
        { kind: 'Job', name: 'one' },
        { kind: 'Job', name: 'two' },
      ],
    },
  },
];

function withLabels(key: string, value: string): typeof template {
  return { ...template, metadata: { labels: { ...template.metadata.labels, [key]: value } } };
}

const cluster: readonly OddObject[] = [
  {
    path: '/api/v1/nodes',
    body: {
      metadata: { name: 'odd-node' },
      spec: {
        unschedulable: true,
        taints: [
          {
            key: 'node.kubernetes.io/out-of-service',
            value: 'nodeshutdown',
            effect: 'NoExecute',
            timeAdded: when,
          },
          { key: 'example.com/odd', effect: 'NoSchedule' },
        ],
      },
    },
    status: { conditions: [{ ...conditions[0], lastHeartbeatTime: when }] },
  },
  {
    path: `${core}/persistentvolumeclaims`,
    body: {
      metadata: { name: 'data-0' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'fast',
        volumeName: 'odd-volume',
        resources: { requests: { storage: '1Gi' } },
      },
    },
    status: {
      phase: 'Bound',
      conditions: [{ type: 'Resizing', status: 'True', lastTransitionTime: when, message: 'größer' }],
    },
  },
  {
    path: '/api/v1/persistentvolumes',
    body: {
      metadata: { name: 'odd-volume' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: 'fast',
        claimRef: { namespace: 'odd', name: 'data-0', uid: uid(9) },
        csi: { driver: 'csi.example.com', volumeHandle: 'h' },
      },
    },
    status: { phase: 'Bound' },
  },
  {
    path: '/apis/discovery.k8s.io/v1/namespaces/odd/endpointslices',
    body: {
      metadata: { name: 'odd-slice', labels: { 'kubernetes.io/service-name': 'odd' } },
      addressType: 'IPv4',
      ports: [{ name: 'https', port: 443 }],
      endpoints: [
        { addresses: ['10.9.0.1'], targetRef: { kind: 'Pod', namespace: 'odd', name: 'web-0' } },
        { addresses: ['10.9.0.2'], conditions: { ready: false } },
        { addresses: ['10.9.0.3'], conditions: { ready: true, serving: true }, nodeName: 'odd-node' },
      ],
    },
  },
  {
    path: '/apis/storage.k8s.io/v1/volumeattachments',
    body: {
      metadata: { name: 'odd-attachment' },
      spec: {
        attacher: 'csi.example.com',
        nodeName: 'odd-node',
        source: { persistentVolumeName: 'odd-volume' },
      },
    },
    status: { attached: false, detachError: { time: when, message: 'größer' } },
  },
  {
    path: '/apis/apiregistration.k8s.io/v1/apiservices',
    body: {
      metadata: { name: 'v1.odd.example.com' },
      spec: {
        group: 'odd.example.com',
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { namespace: 'odd', name: 'nobody' },
      },
    },
  },
  {
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    body: {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: {
          plural: 'widgets',
          singular: 'widget',
          kind: 'Widget',
          shortNames: ['wd', 'wdg'],
          categories: ['all', 'odd'],
        },
        versions: ['v1', 'v1beta1'].map((name, index) => ({
          name,
          served: index === 0,
          storage: index === 0,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              description: '☃'.repeat(2_000),
              'x-kubernetes-preserve-unknown-fields': true,
            },
          },
        })),
      },
    },
  },
  {
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    body: {
      metadata: { name: 'gadgets.odd.example.com' },
      spec: {
        group: 'odd.example.com',
        scope: 'Cluster',
        names: { plural: 'gadgets', kind: 'Gadget' },
        conversion: {
          strategy: 'Webhook',
          webhook: {
            conversionReviewVersions: ['v1'],
            clientConfig: { service: { namespace: 'odd', name: 'converts', path: '/x', port: 444 } },
          },
        },
        versions: [{ name: 'v1', served: true, storage: true, schema: openSchema }],
      },
    },
  },
  ...(['Validating', 'Mutating'] as const).map(prefix => ({
    path: `/apis/admissionregistration.k8s.io/v1/${prefix.toLowerCase()}webhookconfigurations`,
    body: {
      metadata: { name: 'odd.example.com' },
      webhooks: [
        {
          ...webhook('plain.odd.example.com'),
          clientConfig: { url: 'https://odd.example.com/admit' },
        },
        {
          ...webhook('choosy.odd.example.com'),
          failurePolicy: 'Ignore',
          clientConfig: { service: { namespace: 'odd', name: 'admits' } },
          namespaceSelector: { matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['a'] }] },
          objectSelector: { matchLabels: { a: 'b', c: '' } },
          matchConditions: [
            { name: 'one', expression: 'true' },
            { name: 'two', expression: 'false' },
          ],
        },
      ],
    },
  })),
  ...(['Validating', 'Mutating'] as const).flatMap(prefix => {
    const path = `/apis/admissionregistration.k8s.io/v1/${prefix.toLowerCase()}admissionpolic`;
    const rule = { apiGroups: ['odd.example.com'], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'] };
    const matched = {
      matchPolicy: 'Exact',
      namespaceSelector: { matchExpressions: [{ key: 'zone', operator: 'Exists' }] },
      objectSelector: { matchLabels: { 'a.b': '' } },
      resourceRules: [
        { ...rule, resources: ['*/*'], scope: 'Namespaced', resourceNames: ['a', 'ü'] },
        { ...rule, resources: ['gadgets', 'gadgets/status'] },
      ],
      excludeResourceRules: [{ ...rule, operations: ['*'], resources: ['things'] }],
    };
    const mutations = [
      {
        patchType: 'JSONPatch',
        jsonPatch: { expression: '[JSONPatch{op: "add", path: "/data", value: "x"}]' },
      },
    ];
    const does =
      prefix === 'Validating'
        ? { validations: [{ expression: 'variables.same' }, { expression: 'false', message: 'no' }] }
        : { mutations, reinvocationPolicy: 'Never' };
    return [
      {
        path: `${path}ies`,
        body: {
          metadata: { name: 'odd.example.com' },
          spec: {
            ...does,
            failurePolicy: 'Ignore',
            paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
            matchConstraints: matched,
            matchConditions: [
              { name: 'one', expression: 'request.operation == "DELETE"' },
              { name: 'two', expression: 'true' },
            ],
            variables: [{ name: 'same', expression: 'object == oldObject' }],
          },
        },
      },
      {
        path: `${path}ies`,
        body: {
          metadata: { name: 'plain.odd.example.com' },
          spec: {
            ...(prefix === 'Validating'
              ? { validations: [{ expression: 'true' }] }
              : { mutations, reinvocationPolicy: 'IfNeeded' }),
            matchConstraints: { resourceRules: [{ ...rule, resources: ['*'] }] },
          },
        },
      },
      {
        path: `${path}ybindings`,
        body: {
          metadata: { name: 'odd.example.com' },
          spec: {
            policyName: 'odd.example.com',
            paramRef: { name: 'odd', namespace: 'odd', parameterNotFoundAction: 'Allow' },
            matchResources: matched,
            ...(prefix === 'Validating' ? { validationActions: ['Deny', 'Audit'] } : {}),
          },
        },
      },
      {
        path: `${path}ybindings`,
        body: {
          metadata: { name: 'plain.odd.example.com' },
          spec: {
            policyName: 'gone.example.com',
            ...(prefix === 'Validating' ? { validationActions: ['Warn'] } : {}),
          },
        },
      },
    ];
  }),
  {
    path: `${core}/services`,
    body: { metadata: { name: 'odd' }, spec: { selector: { app: 'odd', tier: '' }, ports: [{ port: 1 }] } },
  },
  {
    path: '/apis/coordination.k8s.io/v1/namespaces/odd/leases',
    body: {
      metadata: { name: 'odd' },
      spec: {
        holderIdentity: 'node-1_ü',
        leaseDurationSeconds: 15,
        acquireTime: '2026-11-21T07:00:00.123456Z',
        renewTime: '2026-11-21T07:00:01.999999Z',
      },
    },
  },
  ...[{ minReplicas: 2, maxReplicas: 7 }, { maxReplicas: 300 }].map((limits, index) => ({
    path: '/apis/autoscaling/v2/namespaces/odd/horizontalpodautoscalers',
    body: {
      metadata: { name: `odd-${index}` },
      spec: { ...limits, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'ödd' } },
    },
  })),
  {
    path: '/apis/policy/v1/namespaces/odd/poddisruptionbudgets',
    body: { metadata: { name: 'odd' }, spec: { minAvailable: '50%', selector } },
    status: {
      disruptionsAllowed: 0,
      currentHealthy: 1,
      desiredHealthy: 2,
      expectedPods: 3,
      disruptedPods: { web: when },
    },
  },
  {
    path: '/apis/resource.k8s.io/v1/namespaces/odd/resourceclaims',
    body: {
      metadata: { name: 'odd' },
      spec: {
        devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example.com', count: 1 } }] },
      },
    },
    status: {
      allocation: {},
      reservedFor: [
        { resource: 'pods', name: 'web', uid: uid(4) },
        { apiGroup: 'example.com', resource: 'widgets', name: 'größe', uid: uid(5) },
      ],
    },
  },
  {
    path: '/apis/networking.k8s.io/v1/servicecidrs',
    body: { metadata: { name: 'odd' }, spec: { cidrs: ['10.9.0.0/28', '2001:db8::/120'] } },
  },
  {
    path: `/apis/rbac.authorization.k8s.io/v1/namespaces/odd/roles`,
    body: { metadata: { name: 'größe:☃' }, rules: [] },
  },
  {
    path: '/api/v1/namespaces',
    body: { metadata: { name: 'odd-ending', labels: { a: 'b' } } },
    status: {
      conditions: [{ ...conditions[0], type: 'NamespaceDeletionDiscoveryFailure' }],
    },
    deleted: true,
  },
];

/** In an order in which they can be created; the namespace `odd` comes first. */
export const oddObjects: readonly OddObject[] = [
  { path: '/api/v1/namespaces', body: { metadata: { name: 'odd' } } },
  ...cluster,
  ...pods,
  ...workloads,
];

export const oddWidget: OddObject = {
  path: '/apis/example.com/v1/namespaces/odd/widgets',
  body: {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: {
      name: 'odd',
      labels: { a: '' },
      finalizers: ['example.com/hold'],
      ownerReferences: owners,
    },
    spec: { any: ['thing', 1, null] },
  },
  deleted: true,
};
