import { describe, expect, it } from 'vitest';
import { diagnoseCluster } from '../../../../src/diagnosis/diagnose-cluster.ts';
import type { Finding } from '../../../../src/diagnosis/engine/finding.ts';
import type { ClusterView } from '../../../../src/graph/cluster-view.ts';
import type { Uid } from '../../../../src/model/object.ts';
import { shellLine } from '../../../../src/model/text/shell-line.ts';
import { now, viewOf } from '../../../cli/documents/cluster.ts';

/** Twelve minutes before `now`. */
const before = '2026-11-21T11:48:00Z';
/** Twenty seconds before it. */
const lately = '2026-11-21T11:59:40Z';

interface Condition {
  readonly type: string;
  readonly status?: string;
  readonly message?: string;
}

const conditions = (...list: readonly Condition[]): string =>
  `[${list
    .map(({ type, status = 'True', message = '' }) =>
      JSON.stringify({ type, status, message, reason: 'Said', lastTransitionTime: before }),
    )
    .join(', ')}]`;

interface Options {
  readonly at?: string;
  readonly spec?: string;
  readonly metadata?: string;
  readonly conditions?: string;
}

const shop = ({
  at = before,
  spec = 'kubernetes',
  metadata = '',
  conditions: list = '[]',
}: Options = {}): string => `
- {kind: Namespace, name: shop, namespace: '', uid: ns, deletionTimestamp: "${at}", finalizers: [${metadata}], spec: {finalizers: [${spec}]}, status: {phase: Terminating, conditions: ${list}}}
`;

const heldMap = (name: string, at = before): string => `
- {kind: ConfigMap, name: ${name}, deletionTimestamp: "${at}", finalizers: [example.com/hold]}
`;

function findingsOf(view: ClusterView, uid = 'ns'): readonly Finding[] {
  return diagnoseCluster(view, now).of(uid as Uid);
}

function codes(yaml: string): string[] {
  return findingsOf(viewOf(yaml)).map(({ code, severity }) => `${severity} ${code}`);
}

function only(view: ClusterView | string): Finding {
  const [finding, ...more] = findingsOf(typeof view === 'string' ? viewOf(view) : view);
  if (finding === undefined || more.length > 0) throw new Error(`${more.length + 1} findings`);
  return finding;
}

/** The view without sight of a kind. */
function blindTo(yaml: string, resource: string): ClusterView {
  const view = viewOf(yaml);
  const type = view.catalog.types.find(each => each.resource === resource && each.preferred);
  if (type === undefined) throw new Error(resource);
  view.apply({ changes: [], statuses: [{ type, state: 'blind', count: 0, facts: false, reason: '403' }] }, 0);
  return view;
}

describe('a namespace whose content a finalizer holds', () => {
  it('is stuck where nothing handles the finalizer, from the first second on', () => {
    expect(codes(shop({ at: lately }) + heldMap('a', lately))).toEqual(['error NamespaceContentStuck']);
    const finding = only(shop() + heldMap('a'));
    expect(finding.message).toBe(
      'Namespace shop is stuck: ConfigMap a is held by the finalizer example.com/hold, and nothing in this cluster handles example.com.',
    );
    expect(finding.related.map(({ name }) => name)).toEqual(['a']);
    expect(finding.chain.map(({ by, object }) => `${by} ${object.kind} ${object.name}`)).toEqual([
      ' Namespace shop',
      'still contains ConfigMap a',
      'held by ConfigMap a',
    ]);
    expect(finding.since).toBe(Date.parse(before));
  });

  it('counts what is held by kind, and names every finalizer once', () => {
    const more = `
- {kind: Secret, name: c, deletionTimestamp: "${before}", finalizers: [example.com/hold, other.example.org/keep]}
`;
    const { message } = only(shop() + heldMap('a') + heldMap('b') + more);
    expect(message).toContain(
      '3 objects (2 ConfigMaps, 1 Secret) are held by the finalizer example.com/hold',
    );
    expect(message).toContain('Secret c is held by the finalizer other.example.org/keep');
  });

  it('waits with a warning while a controller of the finalizer runs, and says so at first as news only', () => {
    const controller = `
- {kind: Deployment, name: hold-controller, namespace: example, labels: {example.com/part: main}, spec: {replicas: 1}, status: {replicas: 1, readyReplicas: 1}}
`;
    expect(codes(shop({ at: lately }) + heldMap('a', lately) + controller)).toEqual([
      'info NamespaceContentStuck',
    ]);
    expect(codes(shop() + heldMap('a') + controller)).toEqual(['warning NamespaceContentStuck']);
  });

  it('offers the controller first, the finalizer last and dangerous, and never the subresource finalize', () => {
    const remedies = only(shop() + heldMap('a')).remedies();
    expect(remedies.map(({ id, risk }) => `${risk} ${id}`)).toEqual([
      'safe bring-back-controller/example.com/hold',
      'dangerous remove-finalizer/configmap/a/example.com/hold',
    ]);
    expect(JSON.stringify(remedies)).not.toContain('/finalize"');
  });

  it('lists some of many, by name, and counts all', () => {
    const many = Array.from({ length: 300 }, (_, index) =>
      heldMap(`m-${String(299 - index).padStart(3, '0')}`),
    );
    const finding = only(shop() + many.join(''));
    expect(finding.message).toContain('300 ConfigMaps are held by the finalizer example.com/hold');
    expect(finding.related.map(({ name }) => name).slice(0, 3)).toEqual(['m-000', 'm-001', 'm-002']);
    expect(finding.related).toHaveLength(20);
    expect(finding.remedies()).toHaveLength(5);
  });

  it('says which kinds may hold more, and is not sure then', () => {
    const finding = only(blindTo(shop() + heldMap('a'), 'secrets'));
    expect(finding.message).toContain('more may be in it: secrets cannot be seen');
    expect(finding.certainty).toBe('assumed');
  });

  it('believes its conditions of what cannot be seen where they name all that was left', () => {
    const held = heldMap('a');
    const names = (...resources: readonly string[]): string =>
      shop({
        conditions: conditions({
          type: 'NamespaceContentRemaining',
          message: `Some resources are remaining: ${resources.join(', ')}`,
        }),
      });
    const one = 'configmaps. has 1 resource instances';
    const finding = only(blindTo(names(one) + held, 'secrets'));
    expect(finding.message).not.toContain('cannot be seen');
    expect(finding.certainty).toBe('assumed');
    expect(finding.evidence).toContain(
      'other kinds cannot be seen: they were empty when its controller last counted what remains',
    );
    // It counts fewer than there are, so it speaks of another moment.
    const more = blindTo(names(one) + held + heldMap('b'), 'secrets');
    expect(only(more).message).toContain('more may be in it: secrets cannot be seen');
    const named = blindTo(names(one, 'secrets. has 2 resource instances') + held, 'secrets');
    expect(only(named).message).toContain('its controller reports that 2 secrets are left in it');
  });

  it('says that a condition is wrong where the content shows it', () => {
    const wrong = conditions({ type: 'NamespaceContentRemaining', status: 'False' });
    const { evidence } = only(shop({ conditions: wrong }) + heldMap('a'));
    expect(evidence).toContain(
      'status.conditions: NamespaceContentRemaining: False, yet the namespace still contains 1 ConfigMap',
    );
  });
});

describe('a namespace in which nothing is held', () => {
  it('is on its way at first, and late after two minutes', () => {
    const content = '- {kind: ConfigMap, name: a}';
    expect(codes(shop({ at: lately }) + content)).toEqual([]);
    const finding = only(shop() + content);
    expect(finding).toMatchObject({
      code: 'NamespaceContentStuck',
      severity: 'warning',
      certainty: 'assumed',
    });
    expect(finding.message).toContain('has reported nothing on it yet');
  });

  it('is judged again when its time has come', () => {
    const diagnosis = diagnoseCluster(viewOf(`${shop({ at: lately })}- {kind: ConfigMap, name: a}`), now);
    expect(diagnosis.of('ns' as Uid)).toEqual([]);
    expect(diagnosis.nextDue).toBeLessThanOrEqual(Date.parse(lately) + 120_000);
    diagnosis.advance(Date.parse(lately) + 120_000);
    expect(diagnosis.of('ns' as Uid).map(({ code }) => code)).toEqual(['NamespaceContentStuck']);
  });

  it('may be kept by what cannot be seen', () => {
    const finding = only(blindTo(shop(), 'secrets'));
    expect(finding.message).toBe(
      "Namespace shop isn't gone, and what keeps it cannot be seen: secrets cannot be seen.",
    );
    expect(finding.certainty).toBe('assumed');
  });

  it('is none of our business while it lives', () => {
    const alive = '- {kind: Namespace, name: shop, namespace: "", uid: ns, spec: {finalizers: [kubernetes]}}';
    expect(codes(`${alive}\n${heldMap('a')}`)).toEqual([]);
  });
});

const pod = (name: string, more: string): string => `
- {kind: Pod, name: ${name}, spec: {nodeName: node-1, containers: [{name: app}]}, status: {phase: Running}, ${more}}
`;
const node = (ready: string): string => `
- {kind: Node, name: node-1, namespace: '', status: {conditions: [{type: Ready, status: "${ready}"}]}}
`;
const ending = `deletionTimestamp: "${lately}", deletionGracePeriodSeconds: 30`;
const ended = `deletionTimestamp: "${before}", deletionGracePeriodSeconds: 30`;

describe('a namespace with pods', () => {
  it('is being emptied while their grace period and a minute more run', () => {
    const finding = only(
      shop({ at: lately }) + node('True') + pod('a', ending) + '- {kind: Secret, name: s}',
    );
    expect(finding).toMatchObject({ code: 'NamespaceWaitingForPods', severity: 'info' });
    expect(finding.message).toBe(
      'Namespace shop is being emptied, pods first: Pod a is ending; Secret s will be deleted after that.',
    );
  });

  it('waits for a pod that a finalizer holds, whatever its conditions say', () => {
    const done = conditions(
      { type: 'NamespaceContentRemaining', status: 'False' },
      { type: 'NamespaceFinalizersRemaining', status: 'False' },
    );
    const held = `deletionTimestamp: "${before}", deletionGracePeriodSeconds: 0, finalizers: [example.com/drain]`;
    const finding = only(shop({ conditions: done }) + node('True') + pod('a', held) + heldMap('m'));
    expect(finding).toMatchObject({
      code: 'NamespaceWaitingForPods',
      severity: 'warning',
      certainty: 'exact',
    });
    expect(finding.message).toBe(
      'Namespace shop waits for its pods before anything else in it is deleted: Pod a is held by the finalizer example.com/drain, and nothing in this cluster handles example.com; ConfigMap m will be deleted after that.',
    );
    expect(finding.evidence).toContain(
      'status.conditions: NamespaceContentRemaining: False, yet the namespace still contains 1 ConfigMap, 1 Pod: while it waits for pods, the namespace controller reports all content as deleted',
    );
  });

  it('warns at once where nothing handles what holds a pod, and not while its containers still end', () => {
    const held = (grace: number, at: string): string =>
      pod(
        'a',
        `deletionTimestamp: "${at}", deletionGracePeriodSeconds: ${grace}, finalizers: [example.com/drain]`,
      );
    expect(codes(shop({ at: lately }) + node('True') + held(0, lately))).toContain(
      'warning NamespaceWaitingForPods',
    );
    expect(codes(shop({ at: lately }) + node('True') + held(30, '2026-11-21T12:00:10Z'))).toEqual([
      'info NamespaceWaitingForPods',
    ]);
  });

  it('names the node whose kubelet is silent, and offers to bring it back', () => {
    const finding = only(shop() + node('Unknown') + pod('a', ended));
    expect(finding.brief).toBe('waits for pods: Pod a waits for the kubelet on node-1, which is not ready');
    expect(finding.remedies().map(({ id }) => id)).toContain('recover-node/node-1');
  });

  it('is not taken to fail by what is said of every pod between grace period and end', () => {
    const failure = conditions({
      type: 'NamespaceDeletionContentFailure',
      message:
        'Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: shop for gvr: /v1, Resource=pods',
    });
    expect(codes(shop({ conditions: failure }) + node('Unknown') + pod('a', ended))).toEqual([
      'warning NamespaceWaitingForPods',
      'info NamespaceContentFailure',
    ]);
    const untouched = pod('a', 'labels: {app: web}');
    expect(codes(shop({ conditions: failure }) + node('True') + untouched)).toEqual([
      'error NamespaceContentFailure',
      'warning NamespaceWaitingForPods',
    ]);
  });
});

describe('a namespace whose content cannot be deleted', () => {
  const denied = conditions({
    type: 'NamespaceDeletionContentFailure',
    message:
      'Failed to delete all resource types, 1 remaining: admission webhook "keep.example.com" denied the request: backups run',
  });

  it('names the webhook that rejects it, and what is left', () => {
    const finding = only(`${shop({ conditions: denied })}- {kind: ConfigMap, name: a}`);
    expect(finding).toMatchObject({ code: 'NamespaceContentFailure', severity: 'error' });
    expect(finding.message).toBe(
      "Namespace shop cannot be emptied: webhook keep.example.com rejects the deletion: backups run; ConfigMap a isn't being deleted.",
    );
  });

  it('is said to be empty now where nothing is left', () => {
    const finding = only(shop({ conditions: denied }));
    expect(finding).toMatchObject({
      code: 'NamespaceContentFailure',
      severity: 'info',
      certainty: 'assumed',
    });
  });
});

const apiService = (status: string, service = '{namespace: infra, name: metrics}'): string => `
- {kind: APIService, name: v1beta1.metrics.k8s.io, namespace: '', uid: api, spec: {group: metrics.k8s.io, version: v1beta1, service: ${service}}, status: {conditions: [{type: Available, status: "${status}", reason: MissingEndpoints, message: no endpoints, lastTransitionTime: "${before}"}]}}
`;

describe('a namespace that waits for an API', () => {
  const failing = conditions({
    type: 'NamespaceDeletionDiscoveryFailure',
    message: 'Discovery failed for some groups, 1 failing: metrics.k8s.io/v1beta1: stale',
  });
  const service = '- {kind: Service, name: metrics, namespace: infra}';

  it('names the APIService, and the Service behind it that is not there', () => {
    const finding = only(shop({ conditions: failing }) + apiService('False'));
    expect(finding).toMatchObject({
      code: 'NamespaceDiscoveryFailure',
      severity: 'error',
      certainty: 'exact',
    });
    expect(finding.message).toBe(
      "Namespace shop cannot be deleted while the API metrics.k8s.io/v1beta1 cannot be discovered: its Service infra/metrics doesn't exist. What can be discovered is deleted all the same.",
    );
    expect(finding.related.map(({ kind }) => kind)).toEqual(['APIService']);
  });

  it('waits for good, from the first second on, where that Service has been missing for a while; else it may come back', () => {
    const recently = `${shop({ at: lately, conditions: failing })}${apiService('False')}`;
    expect(codes(recently)).toEqual(['error NamespaceDiscoveryFailure']);
    expect(codes(recently + service)).toEqual(['info NamespaceDiscoveryFailure']);
    const installing = recently.replaceAll(before, lately);
    expect(codes(installing)).toEqual(['info NamespaceDiscoveryFailure']);
  });

  it('is not concerned by what the API server itself serves', () => {
    expect(codes(shop({ at: lately }) + apiService('False', 'null'))).toEqual([]);
  });

  it('says what is wrong with a Service that is there', () => {
    const finding = only(shop({ conditions: failing }) + apiService('False') + service);
    expect(finding.message).toContain('its Service infra/metrics has no ready endpoint');
    expect(finding.related.map(({ kind }) => kind)).toEqual(['APIService', 'Service']);
    expect(finding.remedies().map(({ id, risk }) => `${risk} ${id}`)).toEqual([
      'safe restore-api/v1beta1.metrics.k8s.io',
      'caution delete/apiservice/v1beta1.metrics.k8s.io',
    ]);
  });

  it('says of a Service that is in order by now that the API server saw it otherwise', () => {
    const slice =
      '- {kind: EndpointSlice, name: metrics-x, namespace: infra, labels: {kubernetes.io/service-name: metrics}, endpoints: [{}]}';
    const waits = shop({ conditions: failing });
    expect(only(`${waits}${apiService('False')}${service}\n${slice}`).message).toContain(
      'its Service infra/metrics had no ready endpoint when the API server last checked it',
    );
    const unfound = apiService('False').replace('MissingEndpoints', 'ServiceNotFound');
    const finding = only(waits + unfound + service);
    expect(finding.message).toContain(
      "its Service infra/metrics didn't exist when the API server last checked it",
    );
    expect(finding.remedies()[0]?.title).toContain('restore the backend of Service infra/metrics');
  });

  it('lists the namespaces that wait for the same', () => {
    const other = `- {kind: Namespace, name: other, namespace: '', uid: o, deletionTimestamp: "${before}", spec: {finalizers: [kubernetes]}}`;
    const finding = findingsOf(viewOf(`${shop({ conditions: failing })}${apiService('False')}${other}`))[0];
    expect(finding?.evidence).toContain('waiting for the same: Namespace other');
  });

  it('counts what was seen of it before, which stays stored', () => {
    const budget = '- {kind: PodDisruptionBudget, name: web}';
    const view = viewOf(shop({ conditions: failing }) + budget);
    view.apply(
      {
        changes: [],
        types: view.catalog.types.filter(({ group }) => group !== 'policy'),
        failedGroups: [{ resource: '*.policy', reason: '503' }],
      },
      0,
    );
    const finding = only(view);
    expect(finding.message).toContain(
      'while the API policy cannot be discovered: its discovery fails: 503, and 1 object of it seen before may still be stored',
    );
    expect(finding.related.map(({ name }) => name)).toEqual(['web']);
  });

  it('is not said to wait for what only we cannot discover, and what keeps it is not known for certain', () => {
    const view = viewOf(shop() + heldMap('a'));
    view.apply({ changes: [], failedGroups: [{ resource: '*.policy', reason: '403' }] }, 0);
    const finding = only(view);
    expect(finding).toMatchObject({ code: 'NamespaceContentStuck', certainty: 'assumed' });
    expect(finding.message).toContain('more may be in it: *.policy cannot be seen');
  });

  it('waits no more where everything answers again', () => {
    const finding = only(shop({ conditions: failing }) + apiService('True') + service);
    expect(finding).toMatchObject({ code: 'NamespaceDiscoveryFailure', severity: 'info' });
  });

  it('is warned of deleting an APIService whose objects were seen', () => {
    const view = viewOf(shop({ conditions: failing }) + apiService('False') + service);
    const type = view.catalog.types.find(({ resource }) => resource === 'configmaps');
    if (type === undefined) throw new Error('no type');
    const metrics = { ...type, group: 'metrics.k8s.io', version: 'v1beta1', resource: 'things' };
    view.apply({ changes: [], statuses: [{ type: metrics, state: 'gone', count: 3, facts: false }] }, 0);
    const remedy = findingsOf(view)[0]?.remedies().at(-1);
    expect(remedy?.risk).toBe('dangerous');
    expect(remedy?.title).toContain('3 objects seen of them can no longer be reached');
  });
});

describe('a namespace whose conditions name what nothing else shows', () => {
  const left = conditions(
    {
      type: 'NamespaceContentRemaining',
      message:
        'Some resources are remaining: secrets. has 2 resource instances, staticroutes.gateway.kusk.io has 1 resource instances',
    },
    {
      type: 'NamespaceFinalizersRemaining',
      message:
        'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances, gateway.kusk.io/finalizer in 2 resource instances',
    },
  );

  /** As of files that hold nothing but this. */
  function fromFiles(yaml: string, ...blind: readonly string[]): ClusterView {
    const [first = '', ...more] = blind;
    const view = first === '' ? viewOf(yaml) : blindTo(yaml, first);
    for (const resource of more) {
      const type = view.catalog.types.find(each => each.resource === resource && each.preferred);
      if (type === undefined) throw new Error(resource);
      view.apply({ changes: [], statuses: [{ type, state: 'blind', count: 0, facts: false }] }, 0);
    }
    view.settings = { ...view.settings, standsStill: true };
    return view;
  }

  it('says how many of which kind are left, held by what, and how to list them', () => {
    const finding = only(fromFiles(shop({ conditions: left }), 'secrets'));
    expect(finding.message).toBe(
      "Namespace shop isn't emptied: its controller reports that 2 secrets and 1 staticroutes.gateway.kusk.io are left in it, held by the finalizers example.com/hold and gateway.kusk.io/finalizer; nothing in this cluster handles example.com; nothing in this cluster handles gateway.kusk.io.",
    );
    expect(finding).toMatchObject({ severity: 'error', certainty: 'assumed' });
    expect(finding.chain.at(-1)?.because).toContain('2 secrets and 1 staticroutes.gateway.kusk.io, held by');
    const remedies = finding.remedies();
    expect(remedies.map(({ id, risk }) => `${risk} ${id}`)).toEqual([
      'safe list-content/secrets',
      'safe bring-back-controller/example.com/hold',
      'safe bring-back-controller/gateway.kusk.io/finalizer',
      'dangerous remove-finalizers/example.com/hold',
      'dangerous remove-finalizers/gateway.kusk.io/finalizer',
    ]);
    expect(shellLine(remedies[0]?.kubectl ?? [])).toBe(
      'kubectl get secrets,staticroutes.gateway.kusk.io -n shop',
    );
  });

  it('believes what it sees of a kind more than a condition on it', () => {
    const finding = only(fromFiles(shop({ conditions: left }) + heldMap('a')));
    expect(finding.message).toContain('ConfigMap a is held by the finalizer example.com/hold');
    expect(finding.message).toContain(
      'in addition, its controller reports that 1 staticroutes.gateway.kusk.io is left in it, held by the finalizer gateway.kusk.io/finalizer, which cannot be seen',
    );
  });

  it('goes by what a cluster serves: a kind that it serves no more holds nothing', () => {
    const view = viewOf(shop({ conditions: left }));
    expect(only(view).message).toContain('though nothing is left in it');
    expect(only(blindTo(shop({ conditions: left }), 'secrets')).message).toContain(
      '2 secrets are left in it',
    );
  });

  it('does not say of a controller that cannot be seen that it is missing', () => {
    const blind = ['secrets', 'deployments'];
    const { message } = only(fromFiles(shop({ conditions: left }), ...blind));
    expect(message).toContain('may have been deleted first, if it ran in this namespace');
    expect(message).not.toContain('nothing in this cluster');
  });

  it('cannot be deleted where a version that an API announces cannot be parsed', () => {
    const parsing = conditions({
      type: 'NamespaceDeletionGroupVersionParsingFailure',
      message: 'unexpected GroupVersion string: a/b/c',
    });
    expect(only(shop({ conditions: parsing }))).toMatchObject({
      code: 'NamespaceDiscoveryFailure',
      severity: 'error',
      message:
        'Namespace shop cannot be deleted, the namespace controller reports: an API announces a version that cannot be parsed: unexpected GroupVersion string: a/b/c.',
    });
  });

  it('is not said to have a working API again by files that show nothing of it', () => {
    const discovery = conditions({ type: 'NamespaceDeletionDiscoveryFailure', message: 'no answer' });
    const finding = only(fromFiles(shop({ conditions: discovery })));
    expect(finding.message).toBe(
      'Namespace shop cannot be deleted, the namespace controller reports: what is served cannot be discovered: no answer.',
    );
  });

  it('lists the kind whose objects are still there though no finalizer holds them', () => {
    const failing = conditions({
      type: 'NamespaceDeletionContentFailure',
      message:
        'Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: shop for gvr: gateway.kusk.io/v1, Resource=staticroutes',
    });
    const [look] = only(shop({ conditions: failing })).remedies();
    expect(shellLine(look?.kubectl ?? [])).toBe('kubectl get staticroutes.gateway.kusk.io -n shop');
  });
});

describe('an emptied namespace', () => {
  it('is held by a finalizer of its own', () => {
    const finding = only(shop({ spec: '', metadata: 'example.com/audit' }));
    expect(finding).toMatchObject({ code: 'NamespaceHeldByOwnFinalizer', severity: 'error' });
    expect(finding.message).toBe(
      'Namespace shop has been emptied and is held by its own finalizer example.com/audit, and nothing in this cluster handles example.com.',
    );
  });

  it('is not looked at for content or APIs any more', () => {
    expect(
      codes(shop({ spec: '', metadata: 'example.com/audit' }) + heldMap('left') + apiService('False')),
    ).toEqual(['error NamespaceHeldByOwnFinalizer']);
  });

  it('is held by a finalizer in its spec that is not the namespace controller’s', () => {
    const finding = only(shop({ spec: 'example.com/audit' }));
    expect(finding.code).toBe('NamespaceHeldByOwnFinalizer');
    const [back, byHand] = finding.remedies();
    expect(back?.id).toBe('bring-back-controller/example.com/audit');
    expect(byHand).toMatchObject({ id: 'finalize/example.com/audit', risk: 'dangerous', kubectl: [] });
    expect(byHand?.requests).toMatchObject([
      {
        verb: 'PUT',
        path: '/api/v1/namespaces/shop/finalize',
        body: { metadata: { name: 'shop', uid: 'ns' }, spec: { finalizers: [] } },
      },
    ]);
  });

  it('waits in the foreground for cluster-scoped objects that it owns', () => {
    const role = `
- {kind: ClusterRole, name: reader, namespace: '', deletionTimestamp: "${before}", finalizers: [example.com/hold], owners: [v1 Namespace shop ns +b]}
`;
    const finding = only(shop({ spec: '', metadata: 'foregroundDeletion' }) + role);
    expect(finding.message).toContain(
      'foregroundDeletion, because ClusterRole reader is owned by it and has to be deleted first',
    );
    expect(finding.chain.map(({ object }) => object.name)).toEqual(['shop', 'reader', 'reader']);
    expect(finding.remedies().map(({ id }) => id)).toEqual(['clear-block/clusterrole/reader']);
  });

  it('has nothing to be said of while its emptying goes on', () => {
    expect(codes(shop({ at: lately, metadata: 'example.com/audit' }))).toEqual([]);
  });
});
