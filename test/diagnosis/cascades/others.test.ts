import { describe, expect, it } from 'vitest';
import { altered, type Manifest, objectsOf, told } from './told.ts';

const composed = objectsOf('crossplane');
const CLAIM = 'Database shop/orders';
const COMPOSITE = 'XDatabase orders-x7k2p';
const INSTANCE = 'Instance orders-x7k2p-4lq9d';
const BUCKET = 'Bucket orders-x7k2p-9bm2c';

describe('Crossplane', () => {
  it('deletes the composite resource of a claim, what that owns, and what stands for it outside', async () => {
    const { lines } = await told(composed, CLAIM);
    expect(lines).toEqual([
      `deleted automatically ${COMPOSITE} by Crossplane ${CLAIM}`,
      `deleted automatically external resource of ${INSTANCE} by Crossplane's provider`,
      `deleted automatically ${BUCKET} by the garbage collector`,
      `deleted automatically ${INSTANCE} by the garbage collector`,
      `kept external resource of ${BUCKET} by Crossplane's provider`,
    ]);
  });

  it.each<readonly [string, object, string]>([
    ['deletionPolicy is Orphan', { deletionPolicy: 'Orphan' }, 'kept'],
    ['managementPolicies lack Delete', { managementPolicies: ['Observe', 'Create', 'Update'] }, 'kept'],
    ['managementPolicies are empty', { managementPolicies: [] }, 'kept'],
    ['managementPolicies have Delete', { managementPolicies: ['Observe', 'Delete'] }, 'deleted'],
    ['nothing is said', {}, 'deleted'],
  ])('of the resource outside: where %s', async (_, spec, effect) => {
    const edited = altered(composed, INSTANCE, object => {
      object.spec = spec;
    });
    const { effects } = await told(edited, INSTANCE);
    expect(effects.filter(({ part }) => part === 'external resource')).toMatchObject([{ effect }]);
  });

  it('leaves what stands outside where the action takes off the finalizer', async () => {
    const deleting = altered(composed, INSTANCE, ({ metadata }) => {
      metadata.deletionTimestamp = '2026-11-21T11:00:00Z';
    });
    const { lines } = await told(deleting, INSTANCE, {
      remedy: 'remove-finalizer/finalizer.managedresource.crossplane.io',
    });
    expect(lines).toContain(`kept external resource of ${INSTANCE} by Crossplane's provider`);
  });

  it.each([
    [CLAIM, `deleted onRequest ${COMPOSITE} by Crossplane ${CLAIM}`],
    [INSTANCE, `deleted onRequest external resource of ${INSTANCE} by Crossplane's provider`],
  ])('does nothing about %s while that is paused', async (title, line) => {
    const paused = altered(composed, title, ({ metadata }) => {
      metadata.annotations = { 'crossplane.io/paused': 'true' };
    });
    expect((await told(paused, title)).lines).toContain(line);
  });

  it('says that a claim has its composite resource deleted in the foreground', async () => {
    const policy = altered(composed, CLAIM, ({ spec }) => {
      spec.compositeDeletePolicy = 'Foreground';
    });
    const { effects } = await told(policy, CLAIM);
    expect(effects[0]?.because).toContain('in the foreground');
  });

  it('names what is composed without an owner reference, which stays', async () => {
    const loose = altered(composed, BUCKET, ({ metadata }) => {
      metadata.ownerReferences = [];
    });
    expect((await told(loose, COMPOSITE)).lines).toContain(`kept ${BUCKET} by Crossplane ${COMPOSITE}`);
  });

  it('creates again what it composes or what is claimed, unless it is paused', async () => {
    expect((await told(composed, INSTANCE)).lines).toContain(
      `recreated automatically ${INSTANCE} by Crossplane ${COMPOSITE}`,
    );
    expect((await told(composed, COMPOSITE)).lines).toContain(
      `recreated automatically ${COMPOSITE} by Crossplane claim shop/orders`,
    );
    const paused = altered(composed, COMPOSITE, ({ metadata }) => {
      metadata.annotations = { 'crossplane.io/paused': 'true' };
    });
    expect((await told(paused, INSTANCE)).lines).toContain(
      `recreated onRequest ${INSTANCE} by Crossplane ${COMPOSITE}`,
    );
  });

  it('says that what a Usage protects is refused', async () => {
    const used = altered(composed, INSTANCE, ({ metadata }) => {
      metadata.labels = { ...metadata.labels, 'crossplane.io/in-use': 'true' };
    });
    expect((await told(used, INSTANCE)).reasons.join()).toContain('refuses its deletion');
    expect((await told(composed, INSTANCE)).reasons.join()).not.toContain('Usage');
  });

  it('says that a claim without a composite resource tells nothing', async () => {
    const bare = altered(composed, CLAIM, object => {
      object.spec = { resourceRef: 'x' };
    });
    const { lines, reasons } = await told(bare, CLAIM);
    expect(lines).toEqual([]);
    expect(reasons).toEqual([`Crossplane ${CLAIM}: spec.resourceRef names no composite resource`]);
  });
});

describe('Cluster API', () => {
  const fleet = objectsOf('cluster-api');
  const CLUSTER = 'Cluster fleet/edge';
  const TEMPLATE = 'KubeadmConfigTemplate fleet/edge-workers';

  it('deletes the infrastructure with a Cluster; what has no owner in it stays', async () => {
    const { lines } = await told(fleet, CLUSTER);
    expect(lines).toEqual([
      'deleted automatically infrastructure at the provider of AWSCluster fleet/edge by Cluster API',
      `kept ${TEMPLATE} by Cluster API ${CLUSTER}`,
    ]);
  });

  it('knows that the manager of a provider removes no finalizer of the Cluster itself', async () => {
    const core = 'Deployment capi-system/capi-controller-manager';
    const loose = altered(fleet, 'AWSCluster fleet/edge', ({ metadata }) => {
      metadata.ownerReferences = [];
    });
    const away = altered(loose, core, object => {
      object.spec.replicas = 0;
      object.status = {};
    });
    expect((await told(away, CLUSTER)).lines).toContain(
      `deleted unknown AWSCluster fleet/edge by Cluster API ${CLUSTER}`,
    );
  });

  it('deletes what the Cluster names without owning it, once it is not paused', async () => {
    const loose = altered(fleet, 'AWSCluster fleet/edge', ({ metadata }) => {
      metadata.ownerReferences = [];
    });
    expect((await told(loose, CLUSTER)).lines).toContain(
      `deleted automatically AWSCluster fleet/edge by Cluster API ${CLUSTER}`,
    );
    const paused = altered(loose, CLUSTER, ({ spec }) => {
      spec.paused = true;
    });
    expect((await told(paused, CLUSTER)).lines).toContain(
      `deleted onRequest AWSCluster fleet/edge by Cluster API ${CLUSTER}`,
    );
  });

  it('says nothing of the objects of another Cluster, nor of its own name elsewhere', async () => {
    const foreign: Manifest[] = [
      ['a', 'fleet', 'other'],
      ['b', 'elsewhere', 'edge'],
    ].map(([name = '', namespace = '', cluster = '']) => ({
      apiVersion: 'cluster.x-k8s.io/v1beta1',
      kind: 'Machine',
      metadata: { name, namespace, uid: name, labels: { 'cluster.x-k8s.io/cluster-name': cluster } },
    }));
    const { lines } = await told([...fleet, ...foreign], CLUSTER);
    expect(lines.join('\n')).not.toContain('Machine ');
  });
});

describe('the Operator Lifecycle Manager', () => {
  const GROUP = 'operators.coreos.com/v1alpha1';
  const VERSION = 'ClusterServiceVersion operators/etcd.v0.9.4';
  const marks = (owner: string, namespace: string) => ({
    'olm.owner': owner,
    'olm.owner.namespace': namespace,
    'olm.owner.kind': 'ClusterServiceVersion',
  });
  const role = (name: string, labels: Record<string, string>): Manifest => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, uid: name, labels },
  });
  const operators: readonly Manifest[] = [
    {
      apiVersion: GROUP,
      kind: 'Subscription',
      metadata: { name: 'etcd', namespace: 'operators', uid: 'subscription' },
      status: { installedCSV: 'etcd.v0.9.4' },
    },
    {
      apiVersion: GROUP,
      kind: 'ClusterServiceVersion',
      metadata: {
        name: 'etcd.v0.9.4',
        namespace: 'operators',
        uid: 'csv',
        finalizers: ['operators.coreos.com/csv-cleanup'],
      },
      spec: {
        customresourcedefinitions: { owned: [{ name: 'etcds.example.com' }, { name: 'gone.example.com' }] },
      },
    },
    role('etcd', marks('etcd.v0.9.4', 'operators')),
    role('other', marks('etcd.v0.9.4', 'elsewhere')),
    // Not of a kind that OLM cleans up: where it goes, its owner reference says so.
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'etcd',
        namespace: 'operators',
        uid: 'settings',
        labels: marks('etcd.v0.9.4', 'operators'),
      },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'olm-operator', namespace: 'olm', uid: 'olm' },
      spec: { replicas: 1 },
      status: { replicas: 1, readyReplicas: 1, availableReplicas: 1 },
    },
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'etcds.example.com', uid: 'crd' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'etcds', kind: 'Etcd' },
        versions: [],
      },
    },
  ];

  it('leaves the operator where its Subscription is deleted', async () => {
    const { lines, effects } = await told(operators, 'Subscription operators/etcd');
    expect(lines).toEqual([`kept ${VERSION} by OLM Subscription operators/etcd`]);
    expect(effects[0]?.instead).toBe('kubectl delete clusterserviceversion etcd.v0.9.4 -n operators');
  });

  it('removes what it has created for a ClusterServiceVersion, and leaves the definitions', async () => {
    expect((await told(operators, VERSION)).lines).toEqual([
      `deleted automatically ClusterRole etcd by OLM ${VERSION}`,
      `kept CustomResourceDefinition etcds.example.com by OLM ${VERSION}`,
    ]);
  });

  it('removes the copies of a version, and is not sure of one without its finalizer', async () => {
    const copy: Manifest = {
      apiVersion: GROUP,
      kind: 'ClusterServiceVersion',
      metadata: {
        name: 'etcd.v0.9.4',
        namespace: 'shop',
        uid: 'copy',
        labels: { 'olm.copiedFrom': 'operators' },
      },
    };
    const copied = [...operators, copy];
    expect((await told(copied, VERSION)).lines).toContain(
      `deleted automatically ClusterServiceVersion shop/etcd.v0.9.4 by OLM ${VERSION}`,
    );
    expect((await told(copied, 'ClusterServiceVersion shop/etcd.v0.9.4')).lines).toEqual([]);
    const bare = altered(operators, VERSION, ({ metadata }) => {
      metadata.finalizers = [];
    });
    expect((await told(bare, VERSION)).lines).toContain(`deleted unknown ClusterRole etcd by OLM ${VERSION}`);
    const deleting = altered(operators, VERSION, ({ metadata }) => {
      metadata.deletionTimestamp = '2026-11-21T11:00:00Z';
    });
    const forced = await told(deleting, VERSION, {
      remedy: 'remove-finalizer/operators.coreos.com/csv-cleanup',
    });
    expect(forced.lines).toContain(`kept ClusterRole etcd by OLM ${VERSION}`);
  });
});

describe('kapp-controller', () => {
  const APP = 'App apps/web';
  const config = (name: string, more: Partial<Manifest['metadata']> = {}): Manifest => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'apps', uid: name, labels: { 'kapp.k14s.io/app': '1660' }, ...more },
  });
  const app: Manifest = {
    apiVersion: 'kappctrl.k14s.io/v1alpha1',
    kind: 'App',
    metadata: {
      name: 'web',
      namespace: 'apps',
      uid: 'app',
      finalizers: ['finalizers.kapp-ctrl.k14s.io/delete'],
    },
    spec: {},
    status: { deploy: { kapp: { associatedResources: { label: 'kapp.k14s.io/app=1660' } } } },
  };
  const all = [
    app,
    config('one'),
    config('orphan', { annotations: { 'kapp.k14s.io/delete-strategy': 'orphan' } }),
    config('other', { labels: { 'kapp.k14s.io/app': '1' } }),
  ];

  it('deletes what it has deployed, but for what is to be orphaned', async () => {
    const { effects } = await told(all, APP);
    expect(effects.map(({ effect, object }) => `${effect} ${object.name}`)).toEqual([
      'deleted one',
      'kept orphan',
    ]);
  });

  it('never deletes the namespaces of Kubernetes itself', async () => {
    const namespace: Manifest = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'default', uid: 'default', labels: { 'kapp.k14s.io/app': '1660' } },
    };
    expect((await told([...all, namespace], APP)).lines).toContain(
      `kept Namespace default by kapp-controller ${APP}`,
    );
  });

  it('leaves everything with noopDelete, and says where it cannot tell', async () => {
    const noop = altered(all, APP, ({ spec }) => {
      spec.noopDelete = true;
    });
    expect((await told(noop, APP)).effects.map(({ effect }) => effect)).toEqual(['kept', 'kept']);
    const paused = altered(all, APP, ({ spec }) => {
      spec.paused = true;
    });
    expect((await told(paused, APP)).effects.map(({ effect }) => effect)).toEqual(['deleted', 'kept']);
    const canceled = altered(all, APP, ({ spec }) => {
      spec.canceled = true;
    });
    expect((await told(canceled, APP)).effects[0]).toMatchObject({ effect: 'deleted', when: 'onRequest' });
    const bare = altered(all, APP, object => {
      object.status = {};
    });
    expect((await told(bare, APP)).reasons).toEqual([
      `kapp-controller ${APP}: its status names no label, so what it has deployed is not known`,
    ]);
  });
});
