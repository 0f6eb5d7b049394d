/** Finalizers whose controller the catalogue knows: which one removes it, and what that one waits for or needs. */
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Diagnosis, DiagnosisItem } from '../../../src/cli/documents/definitions.ts';
import { command } from '../../cli/console.ts';

type Json = Record<string, unknown>;

interface Setup extends Json {
  readonly metadata: { readonly name: string; readonly uid: string };
}

/** `deleted`: its finalizers, if it is being deleted. */
function object(
  type: string,
  name: string,
  { deleted, owner, labels, namespace, ...more }: Json & { readonly owner?: Setup } = {},
): Setup {
  const [apiVersion, kind] = type.split(' ');
  const reference = owner && {
    apiVersion: owner['apiVersion'],
    kind: owner['kind'],
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  const metadata = {
    name,
    uid: `${kind}-${name}`.toLowerCase(),
    creationTimestamp: '2026-05-01T08:00:00Z',
    ...(namespace !== undefined && { namespace }),
    ...(labels !== undefined && { labels }),
    ...(reference && { ownerReferences: [reference] }),
    ...(deleted !== undefined && {
      deletionTimestamp: '2026-05-02T08:00:00Z',
      deletionGracePeriodSeconds: 0,
      finalizers: deleted,
    }),
  };
  return { apiVersion, kind, metadata, ...more };
}

function controller(name: string, namespace: string, more: Json & { readonly owner?: Setup } = {}): Setup {
  const spec = { replicas: 1, selector: { matchLabels: { app: name } }, template: {} };
  return object('apps/v1 Deployment', name, { namespace, spec, status: { readyReplicas: 1 }, ...more });
}

function definition(plural: string, kind: string, more: Json & { readonly owner?: Setup } = {}): Setup {
  const [resource = '', ...group] = plural.split('.');
  const names = { kind, plural: resource };
  const spec = {
    group: group.join('.'),
    scope: 'Cluster',
    names,
    versions: [{ name: 'v1', served: true, storage: true }],
  };
  return object('apiextensions.k8s.io/v1 CustomResourceDefinition', plural, { spec, ...more });
}

/** An empty list, which shows that there are none. */
function none(type: string): Json {
  const [apiVersion, kind] = type.split(' ');
  return { apiVersion, kind: `${kind}List`, metadata: { resourceVersion: '1000' }, items: [] };
}

async function answer(target: string, ...objects: readonly Json[]): Promise<DiagnosisItem> {
  const stdin = objects.map(each => stringify(each, { aliasDuplicateObjects: false })).join('---\n');
  const { out, err, exitCode } = await command(`why ${target} -f - --closed-world -o json`, { stdin });
  expect(exitCode, err).toBeLessThan(2);
  const [item] = (JSON.parse(out) as Diagnosis).items;
  if (item === undefined) throw new Error(`no answer about ${target}`);
  return item;
}

describe('a topic whose operator ran for one Kafka', () => {
  const topic = object('kafka.strimzi.io/v1beta2 KafkaTopic', 'orders', {
    namespace: 'shop',
    labels: { 'strimzi.io/cluster': 'events' },
    deleted: ['strimzi.io/topic-operator'],
  });
  const shop = object('v1 Namespace', 'shop', {
    deleted: [],
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Terminating' },
  });
  const operator = controller('strimzi-cluster-operator', 'operators');
  const kafka = object('kafka.strimzi.io/v1beta2 Kafka', 'events', { namespace: 'shop' });
  const entityOperator = controller('events-entity-operator', 'shop');

  test('waits for nobody once that Kafka is gone, whatever else of Strimzi runs', async () => {
    for (const target of ['ns/shop', 'kafkatopic/orders -n shop']) {
      const { summary, remedies } = await answer(
        target,
        topic,
        shop,
        operator,
        none('kafka.strimzi.io/v1beta2 Kafka'),
      );
      expect(summary).toMatch(
        /topic operator of Kafka shop\/events removes it, and that Kafka no longer exists/u,
      );
      expect(summary).not.toContain('seems to be the one');
      expect(remedies[0]?.title).toMatch(
        /^remove strimzi\.io\/topic-operator from orders: the topic is normally gone/u,
      );
    }
  });

  test('is handled by the operator of that Kafka, not by one of another', async () => {
    const others = [operator, kafka, controller('metrics-entity-operator', 'shop')];
    const alone = await answer('kafkatopic/orders -n shop', topic, ...others);
    expect(alone.summary).toMatch(/Deployment shop\/events-entity-operator doesn't exist/u);
    const running = await answer('kafkatopic/orders -n shop', topic, ...others, entityOperator);
    expect(running.summary).toMatch(/Deployment shop\/events-entity-operator seems to be the one/u);
    expect(running.remedies.at(-1)?.title).toMatch(/the topic stays in Kafka, if it is still there/u);
  });

  test('may be handled by an operator that runs on its own, or for a Kafka in another namespace', async () => {
    const standalone = controller('strimzi-topic-operator', 'tools');
    const own = await answer(
      'kafkatopic/orders -n shop',
      topic,
      standalone,
      none('kafka.strimzi.io/v1beta2 Kafka'),
    );
    expect(own.summary).toMatch(/Deployment tools\/strimzi-topic-operator seems to be the one/u);
    const elsewhere = object('kafka.strimzi.io/v1beta2 Kafka', 'events', { namespace: 'kafka' });
    const { summary } = await answer('kafkatopic/orders -n shop', topic, elsewhere);
    expect(summary).toMatch(/cannot be seen/u);
  });
});

describe('an Application', () => {
  const finalizer = 'resources-finalizer.argocd.argoproj.io';
  const local = 'https://kubernetes.default.svc';
  const application = (name: string, server: string, resources: readonly Json[] = []): Setup =>
    object('argoproj.io/v1alpha1 Application', name, {
      namespace: 'delivery',
      deleted: [finalizer],
      spec: { project: name, destination: { server } },
      status: { resources },
    });
  const child = {
    group: 'argoproj.io',
    version: 'v1alpha1',
    kind: 'Application',
    namespace: 'delivery',
    name: 'team',
  };
  const project = (name: string): Setup =>
    object('argoproj.io/v1alpha1 AppProject', name, { namespace: 'argocd' });
  const argo = controller('argocd-application-controller', 'argocd');

  test('waits for an Application that it deployed, which needs its project', async () => {
    const apps = [application('all', local, [child]), application('team', local)];
    const { summary, remedies } = await answer('application/all -n delivery', ...apps, project('all'), argo);
    expect(summary).toMatch(
      /waits until Application team is gone.*Application team needs AppProject argocd\/team, which doesn't exist/u,
    );
    expect(remedies.map(({ title }) => title).slice(0, 2)).toEqual([
      'bring AppProject argocd/team back: what waits for it continues by itself',
      expect.stringContaining(`remove ${finalizer} from team`),
    ]);
  });

  test('of another cluster does not wait for objects of the same names in this one', async () => {
    const apps = [application('all', 'https://elsewhere', [child]), application('team', local)];
    const { summary } = await answer('application/all -n delivery', ...apps, project('all'), argo);
    expect(summary).not.toContain('team');
  });
});

test('a node class waits for the nodes that were made with it, and its cost names no machine', async () => {
  const claim = object('karpenter.sh/v1 NodeClaim', 'general-x', {
    deleted: ['karpenter.sh/termination'],
    labels: { 'karpenter.k8s.aws/ec2nodeclass': 'general' },
    status: { nodeName: 'ip-1' },
  });
  const node = object('v1 Node', 'ip-1', { deleted: ['karpenter.sh/termination'], owner: claim });
  const nodeClass = object('karpenter.k8s.aws/v1 EC2NodeClass', 'general', {
    deleted: ['karpenter.k8s.aws/termination'],
  });
  const other = object('karpenter.sh/v1 NodeClaim', 'gpu-x', {
    labels: { 'karpenter.k8s.aws/ec2nodeclass': 'gpu' },
  });
  const { summary, remedies } = await answer(
    'ec2nodeclass/general',
    nodeClass,
    claim,
    node,
    other,
    controller('karpenter', 'kube-system'),
  );
  expect(summary).toMatch(/waits until NodeClaim general-x is gone; .*Node ip-1/u);
  const own = remedies.find(({ id }) => id === 'remove-finalizer/karpenter.k8s.aws/termination');
  expect(own?.title).not.toContain('machine');
  const free = await answer('ec2nodeclass/general', nodeClass, other, controller('karpenter', 'kube-system'));
  expect(free.summary).not.toContain('NodeClaim');
});

describe('Crossplane', () => {
  const crossplane = controller('crossplane', 'crossplane-system');
  const composite = object('example.org/v1 XShop', 'shop-1', { deleted: ['foregroundDeletion'] });
  const usage = object('apiextensions.crossplane.io/v1alpha1 Usage', 'keep-db', {
    deleted: ['usage.apiextensions.crossplane.io'],
    owner: composite,
    spec: { by: { apiVersion: 'example.org/v1', kind: 'XShop', resourceRef: { name: 'shop-1' } } },
  });
  const claim = (policy: string): Setup =>
    object('example.org/v1 Shop', 'shop', {
      namespace: 'team-a',
      deleted: ['finalizer.apiextensions.crossplane.io'],
      spec: {
        compositeDeletePolicy: policy,
        resourceRef: { apiVersion: 'example.org/v1', kind: 'XShop', name: 'shop-1' },
      },
    });

  test('has a deadlock of a composite and its Usage, to which a claim in the foreground leads', async () => {
    const cycle = /deadlock: .*XShop shop-1/u;
    const { summary, remedies } = await answer('xshop/shop-1', composite, usage, crossplane);
    expect(summary).toMatch(cycle);
    expect(remedies[0]?.title).toContain('stop waiting for keep-db');
    const objects = [claim('Foreground'), composite, usage, crossplane];
    const onClaim = await answer('shop/shop -n team-a', ...objects);
    expect(onClaim.summary).toMatch(cycle);
    expect(onClaim.remedies[0]?.title).toBe('see how XShop shop-1 can stop waiting, which ends the deadlock');
  });

  test('does not have a claim in the background wait', async () => {
    const { summary } = await answer(
      'shop/shop -n team-a',
      claim('Background'),
      composite,
      usage,
      crossplane,
    );
    expect(summary).not.toMatch(/deadlock|waits until/u);
  });

  const revision = object('pkg.crossplane.io/v1 ProviderRevision', 'provider-bucket-1');
  const bucket = (more: Json = {}): Setup =>
    object('s3.aws.example.io/v1 Bucket', 'logs', {
      deleted: ['finalizer.managedresource.crossplane.io'],
      spec: { providerConfigRef: { name: 'prod' }, ...more },
    });
  const types = [
    definition('buckets.s3.aws.example.io', 'Bucket', { owner: revision }),
    definition('providerconfigs.aws.example.io', 'ProviderConfig'),
  ];
  const provider = controller('provider-bucket-1', 'crossplane-system', { owner: revision });
  const stranger = controller('provider-kubernetes-1', 'crossplane-system');

  test('has a managed resource need its ProviderConfig, unless it is to be left in place', async () => {
    const { summary, remedies } = await answer(
      'bucket/logs',
      bucket(),
      ...types,
      revision,
      provider,
      stranger,
    );
    expect(summary).toMatch(/provider-bucket-1 needs ProviderConfig prod, which doesn't exist/u);
    expect(remedies[0]?.title).toContain('bring ProviderConfig prod back');
    const orphan = await answer(
      'bucket/logs',
      bucket({ deletionPolicy: 'Orphan' }),
      ...types,
      revision,
      provider,
    );
    expect(orphan.summary).not.toContain('ProviderConfig');
  });

  test('has a managed resource stuck once its provider is uninstalled, whatever others run', async () => {
    const { summary } = await answer('bucket/logs', bucket(), ...types, stranger, revision);
    expect(summary).toMatch(
      /only the workload of ProviderRevision provider-bucket-1.* removes it, and it is not there/u,
    );
  });

  test('has a ProviderConfig wait for what uses it', async () => {
    const user = object('s3.aws.example.io/v1 Bucket', 'logs');
    const config = object('aws.example.io/v1 ProviderConfig', 'prod', { deleted: ['in-use.crossplane.io'] });
    const use = object('aws.example.io/v1 ProviderConfigUsage', 'u-1', {
      labels: { 'crossplane.io/provider-config': 'prod' },
      owner: user,
    });
    const { summary, remedies } = await answer('providerconfig/prod', config, use, user, stranger);
    expect(summary).toMatch(/waits until Bucket logs is gone; .* is not being deleted/u);
    expect(remedies[0]?.title).toContain('delete Bucket logs first');
  });
});

describe('Cluster API', () => {
  const named = { 'cluster.x-k8s.io/cluster-name': 'prod' };
  const infra = 'infrastructure.cluster.x-k8s.io/v1 AWSMachine';
  const cluster = object('cluster.x-k8s.io/v1 Cluster', 'prod', {
    namespace: 'infra',
    deleted: ['cluster.cluster.x-k8s.io'],
  });
  const machine = object('cluster.x-k8s.io/v1 Machine', 'm-1', {
    namespace: 'infra',
    labels: named,
    deleted: ['machine.cluster.x-k8s.io'],
    spec: {
      clusterName: 'prod',
      infrastructureRef: { apiVersion: infra.split(' ')[0], kind: 'AWSMachine', name: 'm-1' },
    },
  });
  const awsMachine = object(infra, 'm-1', {
    namespace: 'infra',
    labels: named,
    deleted: ['awsmachine.infrastructure.cluster.x-k8s.io'],
    owner: machine,
  });
  const core = controller('capi-controller-manager', 'capi', {
    labels: { 'cluster.x-k8s.io/provider': 'cluster-api' },
  });
  const aws = { labels: { 'cluster.x-k8s.io/provider': 'infrastructure-aws' } };

  test('waits from the Cluster to the machine at the provider, whose own controller is gone', async () => {
    const type = definition('awsmachines.infrastructure.cluster.x-k8s.io', 'AWSMachine', aws);
    const { summary } = await answer('cluster/prod -n infra', cluster, machine, awsMachine, core, type);
    expect(summary).toMatch(
      /waits until Machine m-1 is gone; AWSMachine m-1 is held by .*infrastructure-aws.* it is not there/u,
    );
  });

  test('cannot finish a machine once its Cluster is gone', async () => {
    const gone = none('cluster.x-k8s.io/v1 Cluster');
    const { summary } = await answer(
      'awsmachine/m-1 -n infra',
      machine,
      awsMachine,
      gone,
      controller('capa-controller-manager', 'capa', aws),
    );
    expect(summary).toMatch(/needs Cluster prod, which doesn't exist/u);
  });
});

test('a snapshot and its content wait for each other in one direction only', async () => {
  const snapshot = (deleted: boolean): Setup =>
    object('snapshot.storage.k8s.io/v1 VolumeSnapshot', 'db', {
      namespace: 'shop',
      ...(deleted && { deleted: ['snapshot.storage.kubernetes.io/volumesnapshot-bound-protection'] }),
      status: { boundVolumeSnapshotContentName: 'content-1' },
    });
  const content = object('snapshot.storage.k8s.io/v1 VolumeSnapshotContent', 'content-1', {
    deleted: ['snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection'],
    spec: {
      driver: 'ebs.csi.aws.com',
      volumeSnapshotRef: { kind: 'VolumeSnapshot', namespace: 'shop', name: 'db' },
    },
  });
  const running = [
    controller('snapshot-controller', 'kube-system'),
    controller('ebs-csi-controller', 'kube-system'),
  ];
  const both = await answer('volumesnapshot/db -n shop', snapshot(true), content, ...running);
  expect(both.summary).toMatch(/waits until VolumeSnapshotContent content-1 is gone/u);
  expect(both.summary).not.toContain('deadlock');
  const alone = await answer('volumesnapshotcontent/content-1', snapshot(false), content, ...running);
  expect(alone.summary).toMatch(/waits until VolumeSnapshot shop\/db is gone; .* is not being deleted/u);
});

test('a Kustomization does without the source that it was applied from', async () => {
  const kustomization = object('kustomize.toolkit.fluxcd.io/v1 Kustomization', 'apps', {
    namespace: 'team',
    deleted: ['finalizers.fluxcd.io'],
    spec: { sourceRef: { kind: 'GitRepository', name: 'apps' } },
  });
  const source = none('source.toolkit.fluxcd.io/v1 GitRepository');
  const { summary } = await answer(
    'kustomization/apps -n team',
    kustomization,
    source,
    controller('kustomize-controller', 'flux-system'),
  );
  expect(summary).not.toContain('GitRepository');
});

describe('a class that live objects name in a field', () => {
  const gateways = ['public', 'other'].map(name =>
    object('gateway.networking.k8s.io/v1 Gateway', name, {
      namespace: 'edge',
      spec: { gatewayClassName: name === 'public' ? 'envoy' : 'cilium' },
    }),
  );
  const envoy = object('gateway.networking.k8s.io/v1 GatewayClass', 'envoy', {
    deleted: ['gateway-exists-finalizer.gateway.networking.k8s.io'],
  });

  test('waits for these, also if they are not being deleted', async () => {
    const { summary, remedies, next } = await answer(
      'gatewayclass/envoy',
      envoy,
      ...gateways,
      controller('envoy-gateway', 'envoy-gateway-system'),
    );
    expect(summary).toMatch(/waits until Gateway edge\/public is gone; .* is not being deleted\.$/u);
    expect(remedies[0]?.title).toMatch(/^delete Gateway edge\/public first/u);
    expect(next.join(' ')).toMatch(/^envoy stays as it is while /u);
  });

  test('is released by the controller that it names, not by that of another project', async () => {
    const named = (controllerName: string): Setup => ({ ...envoy, spec: { controllerName } });
    const both = [
      controller('envoy-gateway', 'envoy-gateway-system'),
      controller('istiod', 'istio-system'),
      none('gateway.networking.k8s.io/v1 Gateway'),
    ];
    const istio = await answer('gatewayclass/envoy', named('istio.io/gateway-controller'), ...both);
    expect(istio.summary).toMatch(/Deployment istio-system\/istiod seems to be the one/u);
    const gke = await answer('gatewayclass/envoy', named('networking.gke.io/gateway'), ...both);
    expect(gke.summary).toMatch(/may run outside of the cluster/u);
  });

  test('waits for those that name it in a list', async () => {
    const queue = object('kueue.x-k8s.io/v1beta1 ClusterQueue', 'team', {
      spec: { resourceGroups: [{ coveredResources: ['cpu'], flavors: [{ name: 'spot' }, { name: 'gpu' }] }] },
    });
    const flavor = (name: string): Setup =>
      object('kueue.x-k8s.io/v1beta1 ResourceFlavor', name, { deleted: ['kueue.x-k8s.io/resource-in-use'] });
    const kueue = controller('kueue-controller-manager', 'kueue-system');
    const { summary } = await answer('resourceflavor/gpu', flavor('gpu'), queue, kueue);
    expect(summary).toMatch(/waits until ClusterQueue team is gone/u);
    const free = await answer('resourceflavor/arm', flavor('arm'), queue, kueue);
    expect(free.summary).not.toContain('ClusterQueue');
  });
});

test('a ClusterServiceVersion waits for the cluster roles that came with it and are being deleted', async () => {
  const csv = object('operators.coreos.com/v1alpha1 ClusterServiceVersion', 'etcd.v1', {
    namespace: 'ops',
    deleted: ['operators.coreos.com/csv-cleanup'],
  });
  const role = object('rbac.authorization.k8s.io/v1 ClusterRole', 'etcd.v1-x', {
    labels: { 'olm.owner': 'etcd.v1' },
    deleted: ['audit.example.com/keep'],
  });
  const { summary } = await answer(
    'clusterserviceversion/etcd.v1 -n ops',
    csv,
    role,
    controller('olm-operator', 'olm'),
  );
  expect(summary).toMatch(
    /waits until ClusterRole etcd\.v1-x is gone; .*nothing in this cluster handles audit\.example\.com/u,
  );
});

describe('an operator whose namespace is being deleted', () => {
  const held = object('tekton.dev/v1 PipelineRun', 'build', {
    namespace: 'ci',
    deleted: ['chains.tekton.dev'],
  });
  const tools = object('v1 Namespace', 'tekton-chains', {
    deleted: [],
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Terminating' },
  });
  const chains = controller('tekton-chains-controller', 'tekton-chains');

  test('goes too, even while its pods are ready, and has to be installed elsewhere', async () => {
    const { summary, remedies } = await answer('pipelinerun/build -n ci', held, tools, chains);
    expect(summary).toMatch(/tekton-chains-controller seems to .*, and Namespace tekton-chains is being/u);
    expect(remedies[0]?.title).toMatch(/again in another namespace/u);
  });

  test('is not blamed if another one of it stays', async () => {
    const other = controller('tekton-chains-controller', 'chains-2');
    const { summary } = await answer('pipelinerun/build -n ci', held, tools, chains, other);
    expect(summary).toMatch(/Deployment \S+\/tekton-chains-controller seems to .* running/u);
  });
});

test('a PipelineRun that is to be signed may need its TaskRuns, which a foreground deletion deletes first', async () => {
  const run = object('tekton.dev/v1 PipelineRun', 'build', {
    namespace: 'ci',
    deleted: ['chains.tekton.dev/pipelinerun'],
    status: { childReferences: [{ apiVersion: 'tekton.dev/v1', kind: 'TaskRun', name: 'build-clone' }] },
  });
  const chains = controller('tekton-chains-controller', 'tekton-chains');
  const { summary } = await answer('pipelinerun/build -n ci', run, none('tekton.dev/v1 TaskRun'), chains);
  expect(summary).toMatch(/seems to need TaskRun build-clone, which doesn't exist/u);
});
