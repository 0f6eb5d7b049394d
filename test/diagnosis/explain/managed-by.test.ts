import { describe, expect, it } from 'vitest';
import { managedBy } from '../../../src/diagnosis/explain/managed-by.ts';
import { builtInCatalogue, catalogueWith } from '../../../src/diagnosis/finalizers/catalogue.ts';
import { keptAnnotations } from '../../../src/model/annotations.ts';
import { type CatalogueEntry, ManagingMarks } from '../../../src/model/finalizer-catalogue.ts';
import { managerSentence } from '../../../src/text/diagnosis/manager-words.ts';
import { readText } from '../../source/files/reading.ts';

interface Metadata {
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: object;
  readonly annotations?: object;
  readonly ownerReferences?: readonly object[];
}

const configMap = (metadata: Metadata) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', namespace: 'shop', uid: 'c', ...metadata },
});

const application = (name: string, namespace: string) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace, uid: `${namespace}-${name}` },
});

/** By what the object with this uid is managed, as `why` says it of an object in `shop`. */
async function managers(uid: string, ...objects: readonly object[]): Promise<readonly string[]> {
  return managersBy([], uid, ...objects);
}

async function managersBy(
  own: readonly CatalogueEntry[],
  uid: string,
  ...objects: readonly object[]
): Promise<readonly string[]> {
  const { view } = await readText(objects.map(each => JSON.stringify(each)).join('\n---\n'));
  view.settings = { ...view.settings, catalogue: catalogueWith(own) };
  const node = [...view.graph.nodes()].find(each => each.identity.uid === uid);
  if (node === undefined) throw new Error(`no ${uid}`);
  return managedBy(view, node).map(
    each => `${managerSentence(each, 'shop')}${each.object === undefined ? '' : ', seen'}`,
  );
}

const tracked = (value: string) => ({ annotations: { 'argocd.argoproj.io/tracking-id': value } });

const helm = (name: string) => ({
  labels: { 'app.kubernetes.io/managed-by': 'Helm' },
  annotations: { 'meta.helm.sh/release-name': name, 'meta.helm.sh/release-namespace': 'shop' },
});

const configSync = (manager: string, resource = '_configmap_shop_settings') => ({
  labels: {
    'app.kubernetes.io/managed-by': 'configmanagement.gke.io',
    'applyset.kubernetes.io/part-of': 'applyset-x-v1',
  },
  annotations: {
    'configmanagement.gke.io/managed': 'enabled',
    'configsync.gke.io/manager': manager,
    'configsync.gke.io/resource-id': resource,
    'config.k8s.io/owning-inventory': 'config-management-system_root-sync',
  },
});

const wrangler = (kind: string) => ({
  labels: { 'objectset.rio.cattle.io/hash': 'bce2' },
  annotations: {
    'objectset.rio.cattle.io/id': '',
    'objectset.rio.cattle.io/owner-gvk': kind,
    'objectset.rio.cattle.io/owner-name': 'coredns',
    'objectset.rio.cattle.io/owner-namespace': 'kube-system',
  },
});

const kapp = (identity: string) => ({
  labels: { 'kapp.k14s.io/app': '17743', 'kapp.k14s.io/association': 'v1.1eef' },
  annotations: { 'kapp.k14s.io/identity': identity },
});

describe('what tools write', () => {
  it.each<readonly [string, Metadata, readonly string[]]>([
    ['nothing', { labels: { app: 'web' } }, []],
    [
      'cert-manager on a copy, for a Certificate that is elsewhere',
      { annotations: { 'cert-manager.io/certificate-name': 'web' } },
      [],
    ],
    ['a Helm release', helm('api'), ['Helm release shop/api (annotation meta.helm.sh/release-name: api)']],
    [
      'the tracking id of Argo CD',
      tracked('shop:/ConfigMap:shop/settings'),
      ['Argo CD Application shop (annotation argocd.argoproj.io/tracking-id: shop:/ConfigMap:shop/settings)'],
    ],
    [
      'an Application outside of Argo CD’s own namespace',
      tracked('teams_shop:/ConfigMap:shop/settings'),
      [
        'Argo CD Application teams/shop (annotation argocd.argoproj.io/tracking-id: teams_shop:/ConfigMap:shop/settings)',
      ],
    ],
    [
      'a Kustomization of Flux',
      {
        labels: {
          'kustomize.toolkit.fluxcd.io/name': 'apps',
          'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
        },
      },
      ['Flux Kustomization flux-system/apps (label kustomize.toolkit.fluxcd.io/name: apps)'],
    ],
    [
      'two tools: Flux installs a chart',
      {
        ...helm('api'),
        labels: {
          ...helm('api').labels,
          'helm.toolkit.fluxcd.io/name': 'api',
          'helm.toolkit.fluxcd.io/namespace': 'shop',
        },
      },
      [
        'Flux HelmRelease shop/api (label helm.toolkit.fluxcd.io/name: api)',
        'Helm release shop/api (annotation meta.helm.sh/release-name: api)',
      ],
    ],
    [
      'a ResourceSet of the Flux Operator',
      {
        labels: {
          'resourceset.fluxcd.controlplane.io/name': 'tenants',
          'resourceset.fluxcd.controlplane.io/namespace': 'flux-system',
        },
      },
      ['Flux ResourceSet flux-system/tenants (label resourceset.fluxcd.controlplane.io/name: tenants)'],
    ],
    [
      'a claim and what it is composed of',
      {
        labels: {
          'crossplane.io/claim-name': 'orders',
          'crossplane.io/claim-namespace': 'shop',
          'crossplane.io/composite': 'orders-x7k2p',
        },
      },
      [
        'Crossplane claim shop/orders (label crossplane.io/claim-name: orders)',
        'Crossplane composite resource orders-x7k2p (label crossplane.io/composite: orders-x7k2p)',
      ],
    ],
    [
      'a Cluster of Cluster API',
      { labels: { 'cluster.x-k8s.io/cluster-name': 'prod' } },
      ['Cluster API Cluster shop/prod (label cluster.x-k8s.io/cluster-name: prod)'],
    ],
    [
      'the first generation of OLM',
      {
        labels: {
          'olm.managed': 'true',
          'olm.owner': 'prometheus.v0.65',
          'olm.owner.kind': 'ClusterServiceVersion',
          'olm.owner.namespace': 'operators',
        },
      },
      [
        'Operator Lifecycle Manager ClusterServiceVersion operators/prometheus.v0.65 (label olm.owner: prometheus.v0.65)',
      ],
    ],
    [
      'the second generation of OLM',
      {
        labels: {
          'olm.operatorframework.io/owner-kind': 'ClusterExtension',
          'olm.operatorframework.io/owner-name': 'argocd',
        },
      },
      [
        'Operator Lifecycle Manager ClusterExtension argocd (label olm.operatorframework.io/owner-name: argocd)',
      ],
    ],
    ['kapp', kapp('v1;shop//ConfigMap/settings;v1'), ['kapp app 17743 (label kapp.k14s.io/app: 17743)']],
    [
      'kubectl apply --applyset',
      { labels: { 'applyset.kubernetes.io/part-of': 'applyset-wHf5-v1' } },
      ['kubectl apply ApplySet applyset-wHf5-v1 (label applyset.kubernetes.io/part-of: applyset-wHf5-v1)'],
    ],
    [
      'kpt live apply',
      { annotations: { 'config.k8s.io/owning-inventory': '7f3a' } },
      ['cli-utils inventory 7f3a (annotation config.k8s.io/owning-inventory: 7f3a)'],
    ],
    [
      'the RootSync of Config Sync, and neither its inventory nor its ApplySet',
      configSync(':root'),
      [
        'Config Sync RootSync config-management-system/root-sync (annotation configsync.gke.io/manager: :root)',
      ],
    ],
    [
      'a RootSync of another name',
      configSync(':root_mgmt'),
      [
        'Config Sync RootSync config-management-system/mgmt (annotation configsync.gke.io/manager: :root_mgmt)',
      ],
    ],
    [
      'a RepoSync',
      configSync('shop'),
      ['Config Sync RepoSync shop/repo-sync (annotation configsync.gke.io/manager: shop)'],
    ],
    [
      'a RepoSync of another name',
      configSync('shop_apps'),
      ['Config Sync RepoSync shop/apps (annotation configsync.gke.io/manager: shop_apps)'],
    ],
    [
      'an Addon of K3s',
      wrangler('k3s.cattle.io/v1, Kind=Addon'),
      ['K3s Addon kube-system/coredns (annotation objectset.rio.cattle.io/owner-name: coredns)'],
    ],
    [
      'an object that Rancher makes others of',
      wrangler('provisioning.cattle.io/v1, Kind=Cluster'),
      ['Rancher Cluster kube-system/coredns (annotation objectset.rio.cattle.io/owner-name: coredns)'],
    ],
  ])('tells of %s', async (_, metadata, expected) => {
    expect(await managers('c', configMap(metadata))).toEqual(expected);
  });

  it.each<readonly [string, Metadata]>([
    ['annotations of a Helm release without its label', { annotations: helm('api').annotations }],
    ['a label that a chart writes into what is no release', { labels: helm('api').labels }],
    ['the tracking id of an object that this one was copied from', tracked('shop:/ConfigMap:shop/other')],
    ['a tracking id of another kind', tracked('shop:/Secret:shop/settings')],
    ['a tracking id that is none', tracked('shop')],
    ['the resource id of another object', configSync(':root', '_configmap_shop_other')],
    ['the identity of another object', kapp('v1;shop//Service/settings;v1')],
    ['a label of kapp alone, as pods have it', { labels: kapp('').labels }],
    [
      'an owner of OLM of another kind',
      { labels: { 'olm.owner': 'csv', 'olm.owner.kind': 'OperatorGroup' } },
    ],
    ['a repository of Fleet on what is no Bundle', { labels: { 'fleet.cattle.io/repo-name': 'shop' } }],
    [
      'a cluster of Cluster API on what is no Node',
      { annotations: { 'cluster.x-k8s.io/cluster-name': 'p' } },
    ],
    [
      'where kustomize took it from, which manages nothing',
      {
        labels: { 'app.kubernetes.io/managed-by': 'kustomize-v5.6.0' },
        annotations: { 'config.kubernetes.io/origin': 'path: settings.yaml\n' },
      },
    ],
  ])('does not take for one %s', async (_, metadata) => {
    // Inventory and ApplySet of Config Sync remain, which say nothing of the object's copy.
    const found = await managers('c', configMap(metadata));
    expect(found.filter(each => !/^(?:cli-utils|kubectl apply) /u.test(each))).toEqual([]);
  });
});

it('tells of the Secret in which Helm keeps a release', async () => {
  const secret = {
    ...configMap({
      name: 'sh.helm.release.v1.api.v3',
      labels: { name: 'api', owner: 'helm', status: 'deployed', version: '3' },
    }),
    kind: 'Secret',
    type: 'helm.sh/release.v1',
  };
  expect(await managers('c', secret)).toEqual(['Helm release shop/api (label name: api)']);
  expect(await managers('c', { ...secret, kind: 'Service' })).toEqual([]);
});

it('tells of a Node that Cluster API has made in another cluster', async () => {
  const annotations = {
    'cluster.x-k8s.io/cluster-name': 'prod',
    'cluster.x-k8s.io/cluster-namespace': 'clusters',
    'cluster.x-k8s.io/machine': 'prod-md-0-x',
  };
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', uid: 'n', annotations } };
  expect(await managers('n', node)).toEqual([
    'Cluster API Cluster clusters/prod (annotation cluster.x-k8s.io/cluster-name: prod)',
  ]);
});

it('tells of Bundles and BundleDeployments of Fleet', async () => {
  const labels = {
    'fleet.cattle.io/repo-name': 'shop',
    'fleet.cattle.io/bundle-name': 'shop-charts',
    'fleet.cattle.io/bundle-namespace': 'fleet-default',
  };
  const fleet = (kind: string, uid: string) => ({
    apiVersion: 'fleet.cattle.io/v1alpha1',
    kind,
    metadata: { name: 'shop-charts', namespace: 'shop', uid, labels },
  });
  const both = [fleet('Bundle', 'b'), fleet('BundleDeployment', 'd')];
  expect(await managers('b', ...both)).toEqual([
    'Rancher GitRepo shop/shop (label fleet.cattle.io/repo-name: shop)',
  ]);
  expect(await managers('d', ...both)).toEqual([
    'Rancher Bundle fleet-default/shop-charts (label fleet.cattle.io/bundle-name: shop-charts)',
  ]);
});

it('does not take a composite resource, which carries its own name, to be managed by itself', async () => {
  const label = { 'crossplane.io/composite': 'settings' };
  expect(await managers('c', configMap({ labels: label }))).toEqual([]);
  const composite = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x', controller: true };
  const composed = configMap({ labels: label, ownerReferences: [composite] });
  expect(await managers('c', composed)).toHaveLength(1);
});

it('takes a label that others set, too, for an Application only where that is seen', async () => {
  const labelled = configMap({ labels: { 'app.kubernetes.io/instance': 'shop' } });
  expect(await managers('c', labelled)).toEqual([]);
  expect(await managers('c', labelled, application('shop', 'argocd'))).toEqual([
    'Argo CD Application argocd/shop (label app.kubernetes.io/instance: shop), seen',
  ]);
  const two = [application('shop', 'argocd'), application('shop', 'teams')];
  expect(await managers('c', labelled, ...two)).toEqual([]);
});

it('does not take an object to be managed by itself', async () => {
  const own = { ...application('shop', 'argocd') };
  const labelled = {
    ...own,
    metadata: { ...own.metadata, labels: { 'app.kubernetes.io/instance': 'shop' } },
  };
  expect(await managers('argocd-shop', labelled)).toEqual([]);
});

it('looks at any namespace in the tracking id of what has none', async () => {
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name: 'reader',
      uid: 'r',
      ...tracked('shop:rbac.authorization.k8s.io/ClusterRole:shop/reader'),
    },
  };
  expect(await managers('r', role)).toHaveLength(1);
});

it('takes a label that charts set, too, for nothing where Helm says that the object is its own', async () => {
  const labels = { ...helm('shop').labels, 'app.kubernetes.io/instance': 'shop' };
  expect(await managers('c', configMap({ ...helm('shop'), labels }), application('shop', 'argocd'))).toEqual([
    'Helm release shop/shop (annotation meta.helm.sh/release-name: shop)',
  ]);
});

describe('marks that controllers copy', () => {
  const reference = (kind: string, name: string, uid: string) => ({
    apiVersion: 'apps/v1',
    kind,
    name,
    uid,
    controller: true,
  });
  const workload = (kind: string, name: string, metadata: Metadata) => ({
    apiVersion: kind === 'Pod' ? 'v1' : 'apps/v1',
    kind,
    metadata: { name, namespace: 'shop', uid: name, ...metadata },
  });
  const deployment = workload('Deployment', 'web', helm('api'));
  const owned = [reference('Deployment', 'web', 'web')];

  it('are those of the topmost controller that has them', async () => {
    const replicaSet = workload('ReplicaSet', 'web-5d', { ...helm('api'), ownerReferences: owned });
    const pod = workload('Pod', 'web-5d-x', {
      ...helm('api'),
      ownerReferences: [reference('ReplicaSet', 'web-5d', 'web-5d')],
    });
    const all = [deployment, replicaSet, pod];
    const through = [
      'Helm release shop/api through Deployment web (annotation meta.helm.sh/release-name: api)',
    ];
    expect(await managers('web', ...all)).toEqual([
      'Helm release shop/api (annotation meta.helm.sh/release-name: api)',
    ]);
    expect(await managers('web-5d', ...all)).toEqual(through);
    expect(await managers('web-5d-x', ...all)).toEqual(through);
    // Without the Deployment, whose marks they are isn't known.
    expect(await managers('web-5d', replicaSet)).toEqual([
      'Helm release shop/api (annotation meta.helm.sh/release-name: api)',
    ]);
  });

  it('are its own where they differ', async () => {
    const replicaSet = workload('ReplicaSet', 'web-5d', { ...helm('other'), ownerReferences: owned });
    expect(await managers('web-5d', deployment, replicaSet)).toEqual([
      'Helm release shop/other (annotation meta.helm.sh/release-name: other)',
      'Helm release shop/api through Deployment web (annotation meta.helm.sh/release-name: api)',
    ]);
  });

  it('are those of the Service of Endpoints, which have no owner', async () => {
    const labels = {
      'kustomize.toolkit.fluxcd.io/name': 'apps',
      'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
    };
    const core = (kind: string, uid: string, own: Metadata) => ({
      apiVersion: 'v1',
      kind,
      metadata: { name: 'web', namespace: 'shop', uid, ...own },
    });
    const service = core('Service', 's', { labels });
    expect(await managers('e', service, core('Endpoints', 'e', { labels }))).toEqual([
      'Flux Kustomization flux-system/apps through Service web (label kustomize.toolkit.fluxcd.io/name: apps)',
    ]);
    // Somebody may have written these by hand, for a Service without a selector.
    expect(await managers('e', service, core('Endpoints', 'e', {}))).toEqual([]);
  });
});

it('takes what has no mark to be managed with its controller', async () => {
  const owner = configMap(helm('api'));
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', uid: 'c', controller: true };
  const dependent = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'key', namespace: 'shop', uid: 's', ownerReferences: [reference] },
  };
  expect(await managers('s', owner, dependent)).toEqual([
    'Helm release shop/api through ConfigMap settings (annotation meta.helm.sh/release-name: api)',
  ]);
});

it('ends where controllers form a cycle', async () => {
  const reference = (name: string, uid: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name,
    uid,
    controller: true,
  });
  const one = configMap({ name: 'one', ownerReferences: [reference('two', 'd')] });
  const two = configMap({ name: 'two', ownerReferences: [reference('one', 'c')] });
  expect(await managers('c', one, { ...two, metadata: { ...two.metadata, uid: 'd' } })).toEqual([]);
});

it('knows the marks of a tool that only its user knows', async () => {
  const depot: CatalogueEntry = {
    controller: 'the depot',
    runsIn: 'elsewhere',
    manages: [{ called: 'parcel', name: { annotation: 'depot.bank.example/parcel' }, namespace: 'own' }],
  };
  keptAnnotations.add(['depot.bank.example/parcel']);
  const managed = configMap({ annotations: { 'depot.bank.example/parcel': 'p1' } });
  expect(await managersBy([depot], 'c', managed)).toEqual([
    'the depot parcel shop/p1 (annotation depot.bank.example/parcel: p1)',
  ]);
});

it('keeps every annotation that the catalogue goes by', () => {
  expect(
    builtInCatalogue.managingMarks
      .flatMap(ManagingMarks.annotations)
      .filter(key => !keptAnnotations.has(key)),
  ).toEqual([]);
});
