import { describe, expect, test } from 'vitest';
import { TrackedView } from '../../../src/diagnosis/engine/tracked-view.ts';
import { builtInCatalogue } from '../../../src/diagnosis/finalizers/catalogue.ts';
import { belongsTo, domainOf } from '../../../src/diagnosis/finalizers/domain.ts';
import { handlerOf } from '../../../src/diagnosis/finalizers/handler.ts';
import { objectJson } from '../../../src/model/object-json.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { now, viewOf } from '../../cli/documents/cluster.ts';
import { trackedViewOf } from '../subjects.ts';

const other = '\n- {kind: ConfigMap, name: other}';

function workload(name: string, ready: number, more = ''): string {
  return `\n- {kind: Deployment, name: ${name}, namespace: ops, spec: {replicas: 1}, status: {readyReplicas: ${ready}}${more}}`;
}

/** The same view with these resources of `example.com` served, too. */
function serving({ view }: TrackedView, ...resources: readonly string[]): TrackedView {
  const [like] = builtInTypes;
  if (like === undefined) throw new Error('no types');
  const group = { group: 'example.com', version: 'v1', apiVersion: 'example.com/v1', preferred: true };
  const types = resources.map(resource => ({ ...like, ...group, resource, kind: resource }));
  view.apply({ changes: [], types: [...view.catalog.types, ...types] }, 0);
  return new TrackedView(view, now);
}

describe('a finalizer that nobody knows by name', () => {
  const finalizer = 'example.com/drain';

  test('is handled by nothing where everything can be seen and nothing is of its domain', () => {
    expect(handlerOf(trackedViewOf(other), finalizer)).toMatchObject({
      presence: 'absent',
      words: 'nothing in this cluster handles example.com',
      evidence: ['no API group, webhook configuration or workload of example.com found'],
    });
  });

  test.each([
    'deployments.apps',
    'statefulsets.apps',
    'daemonsets.apps',
    'validatingwebhookconfigurations.admissionregistration.k8s.io',
  ])('may have a controller where %s cannot be seen', blind => {
    const handler = handlerOf(trackedViewOf(other, [blind]), finalizer);
    expect(handler.presence).toBe('unknown');
    expect(handler.words).toContain(`${blind} cannot be seen`);
  });

  test('needs no definitions where nothing of its domain is served, and may have a controller where some is', () => {
    const blind = 'customresourcedefinitions.apiextensions.k8s.io';
    expect(handlerOf(trackedViewOf(other, [blind]), finalizer).presence).toBe('absent');
    const handler = handlerOf(serving(trackedViewOf(other, [blind]), 'drains'), finalizer);
    expect(handler.presence).toBe('unknown');
    expect(handler.words).toContain(`${blind} cannot be seen`);
  });

  test('may have a controller where the discovery of its group fails', () => {
    const view = viewOf(other);
    view.apply({ changes: [], failedGroups: [{ resource: '*.drains.example.com', reason: '503' }] }, 0);
    expect(handlerOf(new TrackedView(view, now), finalizer).presence).toBe('unknown');
    view.apply({ changes: [], failedGroups: [{ resource: '*.metrics.k8s.io', reason: '503' }] }, 0);
    expect(handlerOf(new TrackedView(view, now), finalizer).presence).toBe('absent');
  });

  test.each([
    ['its name, calling itself operator', workload('drain-operator', 1)],
    ['the name of its owner', workload('example', 1)],
    ['the label of a program', workload('xyz', 1, ', labels: {app.kubernetes.io/name: example-controller}')],
    ['a label of its domain', workload('xyz', 1, ', labels: {drains.example.com/role: main}')],
  ])('is handled by a workload recognised by %s', (_, yaml) => {
    expect(handlerOf(trackedViewOf(yaml), finalizer).presence).toBe('present');
  });

  test.each([
    ['an application that only shares a word', workload('example-shop', 1)],
    ["another's operator", workload('backup-operator', 1)],
    ['a label of another domain', workload('xyz', 1, ', labels: {example.org/role: main}')],
  ])('is not handled by %s', (_, yaml) => {
    expect(handlerOf(trackedViewOf(yaml), finalizer).presence).toBe('absent');
  });

  test('lists five of many workloads, those with ready pods first, and counts the others', () => {
    const names = Array.from(
      { length: 40 },
      (_, index) => `${String(index).padStart(2, '0')}-drain-operator`,
    );
    const many = names.map((name, index) => workload(name, index % 10 === 9 ? 1 : 0)).join('');
    const { evidence, workloads } = handlerOf(trackedViewOf(many), finalizer);
    expect(workloads).toHaveLength(40);
    expect(evidence).toEqual([
      ...['09', '19', '29', '39'].map(
        each => `Deployment ops/${each}-drain-operator: 1 of 1 ready, recognised by its name`,
      ),
      'Deployment ops/00-drain-operator: 0 of 1 ready, recognised by its name',
      '35 more workloads recognised so, 0 of them with ready pods',
    ]);
  });

  test('has a controller in trouble where its workload has no ready pod', () => {
    const handler = handlerOf(trackedViewOf(workload('drain-operator', 0)), finalizer);
    expect(handler.presence).toBe('unhealthy');
    expect(handler.words).toBe(
      'Deployment ops/drain-operator seems to be the one that removes it, and has no ready pod',
    );
    expect(handler.evidence).toEqual(['Deployment ops/drain-operator: 0 of 1 ready, recognised by its name']);
  });

  test('has a controller in trouble that is scaled to none, though its status still counts a ready pod', () => {
    const scaled = workload('drain-operator', 1).replace('replicas: 1', 'replicas: 0');
    const handler = handlerOf(trackedViewOf(scaled), finalizer);
    expect(handler.presence).toBe('unhealthy');
    expect(handler.words).toBe(
      'Deployment ops/drain-operator seems to be the one that removes it, and is scaled to no pods',
    );
  });

  test('is not taken for abandoned where its API is served, though no workload is found', () => {
    const crd = `
- {kind: CustomResourceDefinition, name: drains.example.com, namespace: "", spec: {group: example.com, scope: Namespaced, names: {kind: Drain, plural: drains}, versions: [{name: v1, served: true, storage: true}]}}`;
    const handler = handlerOf(serving(trackedViewOf(crd), 'drains'), finalizer);
    expect(handler.presence).toBe('unhealthy');
    expect(handler.words).toBe(
      'the API group example.com is there, but no workload of example.com was found that would remove it',
    );
  });

  test('is not taken for abandoned where an aggregated API of its domain is there, answering or not', () => {
    const service = `
- {kind: APIService, name: v1.example.com, namespace: "", spec: {group: example.com, version: v1, service: {namespace: ops, name: drains}}, status: {conditions: [{type: Available, status: "False"}]}}`;
    const evidence = ['APIService v1.example.com, served by ops/drains, not available'];
    const { presence, evidence: shown } = handlerOf(serving(trackedViewOf(service), 'drains'), finalizer);
    expect(presence).toBe('unhealthy');
    expect(shown).toEqual(expect.arrayContaining(evidence));
    const { view } = trackedViewOf(service);
    view.apply({ changes: [], failedGroups: [{ resource: '*.example.com', reason: '503' }] }, 0);
    expect(handlerOf(new TrackedView(view, now), finalizer).evidence).toEqual(
      expect.arrayContaining(evidence),
    );
  });

  test('is handled by nothing where all of its API that is left are definitions that are being deleted', () => {
    const definition = (plural: string, more = ''): string => `
- {kind: CustomResourceDefinition, name: ${plural}.example.com, namespace: "", ${more}spec: {group: example.com, scope: Namespaced, names: {kind: ${plural}, plural: ${plural}}, versions: [{name: v1, served: true, storage: true}]}}`;
    const deleting = 'deletionTimestamp: "2026-11-21T11:48:00Z", ';
    const going = definition('drains', deleting);
    const trackedOf = (yaml: string, ...more: readonly string[]): TrackedView =>
      serving(trackedViewOf(yaml), 'drains', ...more);
    expect(handlerOf(trackedOf(going), finalizer)).toMatchObject({
      presence: 'absent',
      evidence: [
        'no webhook configuration or workload of example.com found, and of the API group example.com only definitions that are being deleted',
      ],
    });
    expect(handlerOf(trackedOf(going + definition('pumps'), 'pumps'), finalizer).presence).toBe('unhealthy');
    expect(handlerOf(trackedOf(going + workload('drain-operator', 1)), finalizer).presence).toBe('present');
  });

  test('is not taken for abandoned where a webhook of its owner is there', () => {
    const hook = `
- {kind: ValidatingWebhookConfiguration, name: drain.example.com, namespace: ""}`;
    expect(handlerOf(trackedViewOf(hook), finalizer)).toMatchObject({
      presence: 'unhealthy',
      evidence: ['ValidatingWebhookConfiguration drain.example.com'],
    });
  });

  test('is judged anew when the cluster has changed', () => {
    const view = viewOf(other);
    const tracked = new TrackedView(view, now);
    expect(handlerOf(tracked, finalizer).presence).toBe('absent');
    const type = builtInTypes.find(({ kind }) => kind === 'Deployment');
    const operator =
      type &&
      objectJson.read(type, {
        metadata: { name: 'drain-operator', namespace: 'ops', uid: 'drain-operator' },
        spec: { replicas: 1 },
        status: { readyReplicas: 1 },
      });
    if (operator === undefined) throw new Error('no operator');
    view.apply({ changes: [{ op: 'upsert', object: operator }] }, 0);
    tracked.now = now;
    expect(handlerOf(tracked, finalizer).presence).toBe('present');
  });
});

test("a finalizer in Kubernetes' own domain isn't taken for handled because Kubernetes is there", () => {
  expect(handlerOf(trackedViewOf(other), 'networking.k8s.io/unheard-of').presence).toBe('absent');
});

describe('a finalizer of the catalogue', () => {
  test('of the API server is always handled', () => {
    const { presence, entry } = handlerOf(trackedViewOf(other), 'customresourcecleanup.apiextensions.k8s.io');
    expect([presence, entry?.carriedBy]).toEqual(['present', 'CustomResourceDefinitions']);
  });

  test('of the controller manager is never called abandoned where that cannot be seen', () => {
    expect(handlerOf(trackedViewOf(other), 'kubernetes.io/pvc-protection')).toMatchObject({
      presence: 'unknown',
      words: 'kube-controller-manager removes it, which cannot be seen from here',
    });
  });

  test('of the controller manager goes by its pods where they show', () => {
    const pod = (ready: boolean): string => `
- {kind: Pod, name: kube-controller-manager-a, namespace: kube-system, labels: {component: kube-controller-manager}, spec: {nodeName: a, containers: [{name: m}]}, status: {phase: Running, containerStatuses: [{name: m, ready: ${ready}}]}}`;
    expect(handlerOf(trackedViewOf(pod(true)), 'kubernetes.io/pvc-protection').presence).toBe('present');
    expect(handlerOf(trackedViewOf(pod(false)), 'kubernetes.io/pvc-protection').presence).toBe('unhealthy');
  });

  test('tells what it protects and what removing it costs', () => {
    const { entry } = handlerOf(trackedViewOf(other), 'resources-finalizer.argocd.argoproj.io');
    expect(entry).toMatchObject({ controller: { name: 'Argo CD' } });
    expect(entry?.cost).toMatch(/remain/);
  });

  test('of a controller in the cluster goes by its workload, and is absent without any sign of it', () => {
    const name = 'finalizer.keda.sh';
    expect(handlerOf(trackedViewOf(other), name)).toMatchObject({
      presence: 'absent',
      words: 'no sign of KEDA was found in this cluster',
    });
    const running = workload('keda-operator', 1);
    expect(handlerOf(trackedViewOf(running), name).presence).toBe('present');
  });

  test('of a controller is not called abandoned while a webhook of it is left', () => {
    const hook = `
- {kind: ValidatingWebhookConfiguration, name: vhook.keda.sh, namespace: ""}`;
    expect(handlerOf(trackedViewOf(hook), 'finalizer.keda.sh').presence).toBe('unhealthy');
  });

  test('of a controller that may run outside of the cluster is never called abandoned', () => {
    const name = 'karpenter.sh/termination';
    expect(handlerOf(trackedViewOf(other), name).presence).toBe('unknown');
    expect(handlerOf(trackedViewOf(workload('karpenter', 0)), name).presence).toBe('unhealthy');
  });
});

describe('the catalogue', () => {
  test.each([
    ['snapshot.storage.kubernetes.io/pvc-as-source-protection', 'the snapshot controller'],
    ['external-attacher/ebs-csi-aws-com', "the storage driver's controller"],
    ['finalizers.fluxcd.io', 'Flux'],
    ['finalizers.s3.services.k8s.aws/Bucket', 'the AWS controller of this service'],
    ['machine.cluster.x-k8s.io', 'Cluster API'],
    ['awscluster.infrastructure.cluster.x-k8s.io', 'Cluster API'],
    ['controller.cattle.io/namespace-auth', 'Rancher'],
    ['routes.serving.knative.dev', 'Knative'],
    ['cephcluster.ceph.rook.io', 'Rook'],
    ['group.ingress.k8s.aws/shop', 'the AWS Load Balancer Controller'],
  ])('%s is removed by %s', (finalizer, controller) => {
    expect(builtInCatalogue.entryFor(finalizer)?.controller.name).toBe(controller);
  });

  test('which is removed by one of several controllers needs that one', () => {
    const tracked = trackedViewOf(
      `${workload('kustomize-controller', 0)}${workload('source-controller', 1)}${workload('helm-controller', 1)}`,
    );
    const presenceOf = (group?: string) => {
      const type = group === undefined ? undefined : { group, resource: 'any' };
      const { presence, workloads } = handlerOf(tracked, 'finalizers.fluxcd.io', type);
      return [presence, ...workloads.map(({ name }) => name)];
    };
    expect(presenceOf('kustomize.toolkit.fluxcd.io')).toEqual(['unhealthy', 'kustomize-controller']);
    expect(presenceOf('source.toolkit.fluxcd.io')).toEqual(['present', 'source-controller']);
    // One of two others, of which there is no sign.
    expect(presenceOf('image.toolkit.fluxcd.io')).toEqual(['absent']);
    expect(presenceOf()).toEqual(['present', 'helm-controller', 'source-controller', 'kustomize-controller']);
  });

  test.each(['example.com/drain', 'longhorn.io.example.com', 'notlonghorn.io/x', 'kubernetes.io/else'])(
    '%s is not in it',
    finalizer => {
      expect(builtInCatalogue.entryFor(finalizer)).toBeUndefined();
    },
  );
});

describe('the domain of a finalizer', () => {
  test.each([
    ['example.com/drain', 'example.com'],
    ['finalizers.fluxcd.io', 'fluxcd.io'],
    ['finalizer.managedresource.crossplane.io', 'managedresource.crossplane.io'],
    ['foregroundDeleteVirtualMachine', ''],
    ['finalizer.example', 'finalizer.example'],
  ])('%s belongs to "%s"', (finalizer, domain) => {
    expect(domainOf(finalizer)).toBe(domain);
  });

  test.each([
    ['example.com', 'example.com', true],
    ['drains.example.com', 'example.com', true],
    ['example.com', 'drains.example.com', true],
    ['drains.example.com', 'other.example.com', true],
    ['example.org', 'example.com', false],
    ['storage.k8s.io', 'snapshot.storage.k8s.io', true],
    ['metrics.k8s.io', 'snapshot.storage.k8s.io', false],
    ['cluster.x-k8s.io', 'infrastructure.cluster.x-k8s.io', true],
    ['gateway.x-k8s.io', 'cluster.x-k8s.io', false],
    ['apps', 'example.com', false],
    ['networking.k8s.io', 'k8s.io', false],
    ['k8s.io', 'networking.k8s.io', false],
    ['acme.k8s.io', 'other.acme.k8s.io', true],
  ])('whether group %s belongs to %s: %s', (group, domain, expected) => {
    expect(belongsTo(group, domain)).toBe(expected);
  });
});
