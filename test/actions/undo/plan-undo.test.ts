import { describe, expect, it } from 'vitest';
import type { BackupObject } from '../../../src/actions/journal/action-journal.ts';
import type { Entry, RequestState } from '../../../src/actions/journal/journal-entry.ts';
import { actionOf } from '../../../src/actions/prepare/action-intent.ts';
import { Undo } from '../../../src/actions/undo/plan-undo.ts';
import { Forecaster } from '../../../src/forecast/compose/forecaster.ts';
import type { Identity } from '../../../src/graph/node.ts';
import type { ActRequest } from '../../../src/model/exchange/act.ts';
import { type JsonRecord, record } from '../../../src/model/json/json.ts';
import type { Uid } from '../../../src/model/object.ts';
import { nodes, now, viewOf } from '../../forecast/fixtures.ts';
import { lines } from '../acting-world.ts';

interface Brief {
  readonly apiVersion?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly owners?: readonly JsonRecord[];
  readonly metadata?: JsonRecord;
  readonly [field: string]: unknown;
}

function owner(kind: string, name: string, more: JsonRecord = {}): JsonRecord {
  const apiVersion = ['Deployment', 'ReplicaSet', 'StatefulSet'].includes(kind) ? 'apps/v1' : 'v1';
  return { apiVersion, kind, name, uid: name, ...more };
}

/** An object of a backup. */
function kept(kind: string, name: string, brief: Brief = {}): BackupObject {
  const { apiVersion = 'v1', namespace = 'shop', uid = name, owners, metadata, ...rest } = brief;
  const object: Identity = { apiVersion, kind, namespace, name, uid: uid as Uid };
  const json: JsonRecord = {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === '' ? {} : { namespace }),
      uid,
      resourceVersion: '7',
      generation: 3,
      creationTimestamp: '2026-11-20T00:00:00Z',
      ...(owners === undefined ? {} : { ownerReferences: owners }),
      ...metadata,
    },
    ...rest,
    status: { phase: 'Running' },
  };
  return { object, json };
}

const request: ActRequest = {
  method: 'DELETE',
  path: '/api/v1/x',
  contentType: 'application/json',
  body: {},
};

function entry(
  method: ActRequest['method'] = 'DELETE',
  state: RequestState = { state: 'answered', status: 200 },
): Entry {
  return {
    intended: {
      step: 'intended',
      id: '20261121T101500Z-aaaaaa',
      at: now,
      verb: method === 'DELETE' ? 'delete' : 'unblock',
      title: '',
      object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'x', uid: 'x' as Uid },
      cluster: '',
      context: undefined,
      requests: [{ ...request, method }],
      backup: [],
    },
    requests: [state],
  };
}

const none = '- {kind: ConfigMap, name: unrelated}';

function undo(yaml: string, objects: readonly BackupObject[], of = entry()) {
  return Undo.plan(of, objects, viewOf(yaml));
}

function bodyOf(requests: readonly ActRequest[], index = 0): JsonRecord {
  return record(requests[index]?.body);
}

describe('undoing what has had no effect', () => {
  it('is nothing where every request was refused, and is tried where an answer is missing', () => {
    const map = kept('ConfigMap', 'c');
    expect(undo(none, [map], entry('DELETE', { state: 'answered', status: 409 }))).toMatchObject({
      extent: 'nothing',
      requests: [],
    });
    expect(undo(none, [map], entry('DELETE', { state: 'unknown' })).extent).toBe('whole');
    expect(undo('- {kind: ConfigMap, name: c}', [map], entry('DELETE', { state: 'unknown' })).extent).toBe(
      'nothing',
    );
  });
});

it.each([
  ['gone', none],
  ['alive', '- {kind: ConfigMap, name: c}'],
])('a backup that cannot be used is said to be lost where its object is %s', (_, yaml) => {
  const { object } = kept('ConfigMap', 'c');
  const broken = { object, json: undefined, unusable: 'its backup is damaged' };
  expect(undo(yaml, [broken], entry('PATCH'))).toMatchObject({
    extent: 'nothing',
    requests: [],
    lost: ['ConfigMap c: its backup is damaged'],
  });
});

describe('undoing an undo of which nobody knows what it has created', () => {
  it.each([
    ['no answer came', { state: 'unknown' }],
    ['the answer leaves it open', { state: 'answered', status: 504 }],
  ] as const)('leaves what is there alone where %s, and says so', (_, state) => {
    const created = entry('POST', state);
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'shop' } };
    const of = {
      ...created,
      intended: { ...created.intended, requests: [{ ...request, method: 'POST' as const, body }] },
    };
    expect(undo('- {kind: ConfigMap, name: c}', [], of)).toMatchObject({
      extent: 'nothing',
      lost: ["ConfigMap c: the journal doesn't say whether it created the one that is there"],
    });
    expect(undo(none, [], of)).toMatchObject({ extent: 'nothing', lost: [] });
  });
});

describe('making an object again', () => {
  it('sends it without what the API server sets, least of all its uid', () => {
    const { requests, does, extent } = undo(none, [
      kept('ConfigMap', 'c', {
        data: { a: 'b' },
        metadata: {
          labels: { app: 'x' },
          deletionTimestamp: '2026-11-21T11:00:00Z',
          deletionGracePeriodSeconds: 0,
          managedFields: [],
          finalizers: ['foregroundDeletion', 'example.com/hold'],
        },
      }),
    ]);
    expect(extent).toBe('whole');
    expect(does).toEqual(['recreate ConfigMap c']);
    expect(requests).toEqual([
      {
        method: 'POST',
        path: '/api/v1/namespaces/shop/configmaps',
        contentType: 'application/json',
        formerUid: 'c',
        body: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'c', namespace: 'shop', labels: { app: 'x' }, finalizers: ['example.com/hold'] },
          data: { a: 'b' },
        },
      },
    ]);
  });

  it('comes after its owners, and refers to them as they will be', () => {
    const objects = [
      kept('ConfigMap', 'leaf', { owners: [owner('ConfigMap', 'middle')] }),
      kept('ConfigMap', 'middle', { owners: [owner('ConfigMap', 'top')] }),
      kept('ConfigMap', 'top'),
    ];
    const { requests } = undo(none, objects);
    expect(lines(requests)).toEqual(['POST top', 'POST middle', 'POST leaf']);
    const { intended, ...rest } = entry();
    const [, , top] = objects;
    const of = { ...rest, intended: { ...intended, object: top?.object ?? intended.object } };
    const intent = Undo.intent(of, undo(nodes, objects), objects, viewOf(nodes));
    if (intent === undefined) throw new Error('nothing to do');
    // Were it to refer to a uid that nobody has, the collector would take it at once.
    const forecast = Forecaster.create(viewOf(nodes), { now }).forecast(actionOf(intent));
    expect(forecast).toMatchObject({ outcome: 'Completes', deleted: [], terminating: [] });
  });

  it('refers to the object that now has the name of its owner', () => {
    const { requests, lost } = undo('- {kind: ConfigMap, name: top, uid: another}', [
      kept('ConfigMap', 'c', { owners: [owner('ConfigMap', 'top', { blockOwnerDeletion: true })] }),
    ]);
    expect(lost).toEqual([]);
    expect(bodyOf(requests)['metadata']).toMatchObject({
      ownerReferences: [{ name: 'top', uid: 'another', blockOwnerDeletion: true }],
    });
  });

  it.each([
    ['is gone', none],
    [
      'is being deleted',
      "- {kind: ConfigMap, name: top, deletionTimestamp: '2026-11-21T11:00:00Z', finalizers: [a/b]}",
    ],
    ['is in another namespace', '- {kind: ConfigMap, name: top, namespace: other}'],
  ])('does without an owner that %s, and says so', (_, yaml) => {
    const { requests, lost, extent } = undo(yaml, [
      kept('ConfigMap', 'c', { owners: [owner('ConfigMap', 'top')] }),
    ]);
    expect(extent).toBe('part');
    expect(lost).toEqual([
      'ConfigMap c: its owner ConfigMap top, which is gone, being deleted or not what it names',
    ]);
    expect(bodyOf(requests)['metadata']).not.toHaveProperty('ownerReferences');
  });

  it('does without a reference that names its owner wrongly: the collector would look for that name', () => {
    const { requests } = undo('- {kind: ConfigMap, name: top}', [
      kept('ConfigMap', 'c', { owners: [{ ...owner('ConfigMap', 'renamed'), uid: 'top' }] }),
    ]);
    expect(bodyOf(requests)['metadata']).not.toHaveProperty('ownerReferences');
  });

  it('is not done where another has its name by now', () => {
    expect(undo('- {kind: ConfigMap, name: c, uid: another}', [kept('ConfigMap', 'c')])).toEqual({
      extent: 'nothing',
      requests: [],
      does: [],
      lost: ['ConfigMap c: another object of this name is there by now'],
      defined: [],
    });
  });

  it('is not done without a backup, or of a kind that is no longer served', () => {
    const { json: _, ...lost } = kept('ConfigMap', 'c');
    const gone = kept('Widget', 'w', { apiVersion: 'example.com/v1' });
    expect(undo(none, [{ ...lost, json: undefined }, gone])).toMatchObject({
      extent: 'nothing',
      lost: ['ConfigMap c: there is no backup of it', 'Widget w: its kind is no longer served'],
    });
  });

  it('of a definition comes before what it defines, whose requests wait until it is served', () => {
    const widget = kept('Widget', 'w', { apiVersion: 'example.com/v1' });
    const part = kept('ConfigMap', 'part', {
      owners: [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: 'w' }],
    });
    const definition = kept('CustomResourceDefinition', 'widgets.example.com', {
      apiVersion: 'apiextensions.k8s.io/v1',
      namespace: '',
      metadata: { finalizers: ['customresourcecleanup.apiextensions.k8s.io'] },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { kind: 'Widget', plural: 'widgets' },
        versions: [
          { name: 'v1', served: true, storage: true },
          { name: 'v2', served: false, storage: false },
        ],
      },
    });
    const objects = [part, widget, definition];
    const undone = undo(nodes, objects);
    expect(undone).toMatchObject({ extent: 'whole', lost: [] });
    expect(undone.requests.map(({ path, definition: waitsFor }) => [path, waitsFor])).toEqual([
      ['/apis/apiextensions.k8s.io/v1/customresourcedefinitions', undefined],
      ['/apis/example.com/v1/namespaces/shop/widgets', 'widgets.example.com'],
      ['/api/v1/namespaces/shop/configmaps', undefined],
    ]);
    expect(bodyOf(undone.requests)['metadata']).toEqual({ name: 'widgets.example.com' });
    const { intended, ...rest } = entry();
    const of = { ...rest, intended: { ...intended, object: definition.object } };
    const intent = Undo.intent(of, undone, objects, viewOf(nodes));
    if (intent === undefined) throw new Error('nothing to do');
    // What belongs to an instance isn't collected, for that is there.
    const forecast = Forecaster.create(viewOf(nodes), { now }).forecast(actionOf(intent));
    expect(forecast).toMatchObject({
      outcome: 'Completes',
      deleted: [],
      terminating: [],
      timingDependent: [],
    });
    const other = kept('Widget', 'x', { apiVersion: 'example.com/v2' });
    expect(undo(nodes, [definition, other]).lost).toEqual(['Widget x: its kind is no longer served']);
  });

  it('is not done of a Secret whose data is not in the backup: an empty one is worse than none', () => {
    const secret = { ...kept('Secret', 's', { type: 'Opaque' }), without: 'data' };
    expect(undo(none, [secret])).toMatchObject({
      requests: [],
      lost: ['Secret s: its data is not in the backup, so it is not recreated'],
    });
  });

  it('says which annotations of a Secret without data are not in the backup', () => {
    const empty = {
      ...kept('Secret', 's', { type: 'Opaque' }),
      withoutAnnotations: ['kapp.k14s.io/original'],
    };
    const { requests, lost } = undo(none, [empty]);
    expect(lines(requests)).toEqual(['POST s']);
    expect(lost).toEqual(['Secret s: its annotations kapp.k14s.io/original, which are not in the backup']);
  });
});

describe('objects that controllers make', () => {
  const api = kept('Deployment', 'api', { apiVersion: 'apps/v1', spec: { replicas: 1 } });
  const set = kept('ReplicaSet', 'api-h', {
    apiVersion: 'apps/v1',
    owners: [owner('Deployment', 'api', { controller: true })],
  });
  const pod = kept('Pod', 'api-h-1', { owners: [owner('ReplicaSet', 'api-h', { controller: true })] });

  it('are left to their controllers, down to the last', () => {
    const { requests, lost } = undo(none, [pod, set, api]);
    expect(lines(requests)).toEqual(['POST api']);
    expect(lost).toEqual([
      'ReplicaSet api-h as it was: Deployment api creates its own',
      'Pod api-h-1 as it was: ReplicaSet api-h creates its own',
    ]);
  });

  it('are made again where their controller is gone for good', () => {
    const { requests } = undo(none, [pod]);
    expect(lines(requests)).toEqual(['POST api-h-1']);
  });

  it('are made again where their owner controls them and makes no such thing', () => {
    const map = kept('ConfigMap', 'c', { owners: [owner('Deployment', 'api', { controller: true })] });
    expect(lines(undo(none, [map, api]).requests)).toEqual(['POST api', 'POST c']);
  });

  it('do not refer to one that its controller makes anew', () => {
    // Its uid won't be known, so a reference to it would have the object collected.
    const map = kept('ConfigMap', 'c', { owners: [owner('ReplicaSet', 'api-h')] });
    const { requests } = undo(none, [map, set, api]);
    expect(lines(requests)).toEqual(['POST api', 'POST c']);
    expect(bodyOf(requests, 1)['metadata']).not.toHaveProperty('ownerReferences');
  });

  it('are left to a custom controller, whatever it makes', () => {
    const map = kept('ConfigMap', 'c', {
      owners: [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: 'w', controller: true }],
    });
    // Nothing serves widgets any more, so nobody is there to be left to.
    expect(lines(undo(none, [map]).requests)).toEqual(['POST c']);
  });

  it('in every namespace are not made again', () => {
    const objects = [
      kept('Namespace', 'shop', { namespace: '' }),
      kept('ConfigMap', 'kube-root-ca.crt'),
      kept('ServiceAccount', 'default'),
      kept('ConfigMap', 'mine'),
    ];
    expect(lines(undo(none, objects).requests)).toEqual(['POST shop', 'POST mine']);
  });

  it('are not made again where Kubernetes has done so by now', () => {
    const world = '- {kind: ServiceAccount, name: default, uid: new}';
    const { requests, lost } = undo(world, [kept('ServiceAccount', 'default')]);
    expect(requests).toEqual([]);
    expect(lost).toEqual([
      'ServiceAccount default as it was: serviceaccount-controller has created a new one',
    ]);
  });

  it('are made again where a Service leaves its Endpoints to somebody else', () => {
    const endpoints = [kept('Endpoints', 'web')];
    const requestsBeside = (spec: string) =>
      lines(undo(`${nodes}- {kind: Service, name: web, uid: s, spec: ${spec}}`, endpoints).requests);
    expect(requestsBeside('{}')).toEqual(['POST web']);
    expect(requestsBeside('{selector: {app: web}}')).toEqual([]);
  });
});

describe('fields that belong to the object that is gone', () => {
  const specOf = (kind: string, spec: JsonRecord, apiVersion = 'v1'): JsonRecord =>
    record(bodyOf(undo(none, [kept(kind, 'x', { apiVersion, spec })]).requests)['spec']);

  it('are a pod its node, and the debugging containers that only an update may add', () => {
    const containers = [{ name: 'app' }];
    expect(specOf('Pod', { nodeName: 'node-1', ephemeralContainers: [{ name: 'd' }], containers })).toEqual({
      containers,
    });
  });

  it('are a Job its selector and the labels made from its uid', () => {
    const template = (labels: JsonRecord): JsonRecord => ({ metadata: { labels } });
    const selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': 'x' } };
    const labels = { app: 'a', 'controller-uid': 'x', 'batch.kubernetes.io/controller-uid': 'x' };
    expect(specOf('Job', { selector, template: template(labels) }, 'batch/v1')).toEqual({
      template: template({ app: 'a' }),
    });
    const manual = { manualSelector: true, selector, template: template(labels) };
    expect(specOf('Job', manual, 'batch/v1')).toEqual(manual);
  });

  it('are a Service its cluster IPs, unless it has none on purpose', () => {
    expect(specOf('Service', { clusterIP: '10.0.0.7', clusterIPs: ['10.0.0.7'], ports: [] })).toEqual({
      ports: [],
    });
    const headless = { clusterIP: 'None', clusterIPs: ['None'] };
    expect(specOf('Service', headless)).toEqual(headless);
  });

  it('are a claim the marks of its binding, and a volume the uid of its claim', () => {
    const claim = kept('PersistentVolumeClaim', 'data', {
      metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes', note: 'stays' } },
    });
    expect(bodyOf(undo(none, [claim]).requests)['metadata']).toMatchObject({
      annotations: { note: 'stays' },
    });
    const volume = kept('PersistentVolume', 'pv', {
      namespace: '',
      spec: { claimRef: { name: 'data', namespace: 'shop', uid: 'data', resourceVersion: '3' } },
    });
    expect(bodyOf(undo(none, [volume]).requests)['spec']).toEqual({
      claimRef: { name: 'data', namespace: 'shop' },
    });
  });

  it('are said where they cannot come back', () => {
    const { lost } = undo(none, [
      kept('Pod', 'p'),
      kept('PersistentVolumeClaim', 'data', { spec: { volumeName: 'pv' } }),
      kept('Namespace', 'shop', { namespace: '' }),
    ]);
    expect(lost).toEqual([
      // Namespaces come first: nothing can be created where there is none.
      'what else there is in Namespace shop',
      'the processes of Pod p',
      'the data behind PersistentVolumeClaim data, if its volume is deleted with it',
    ]);
  });
});

describe('putting references back', () => {
  const child = kept('ConfigMap', 'child', {
    owners: [owner('ConfigMap', 'top', { blockOwnerDeletion: true })],
  });
  const patched = entry('PATCH');

  it('tests that the object is the one, and as it was seen', () => {
    const { requests, does, extent } = undo(
      '- {kind: ConfigMap, name: top}\n- {kind: ConfigMap, name: child, resourceVersion: "42"}',
      [child],
      patched,
    );
    expect(extent).toBe('whole');
    expect(does).toEqual(['put the owner references of ConfigMap child back']);
    expect(requests[0]).toMatchObject({ method: 'PATCH', contentType: 'application/json-patch+json' });
    expect(requests[0]?.body).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'child' },
      { op: 'test', path: '/metadata/resourceVersion', value: '42' },
      {
        op: 'add',
        path: '/metadata/ownerReferences',
        value: [owner('ConfigMap', 'top', { blockOwnerDeletion: true })],
      },
    ]);
  });

  it('points them to the owner that is made again, after it is', () => {
    const { requests, lost } = undo('- {kind: ConfigMap, name: child}', [child, kept('ConfigMap', 'top')]);
    expect(lines(requests)).toEqual(['POST top', 'PATCH child']);
    expect(lost).toEqual([]);
    expect(JSON.stringify(requests[1]?.body)).toContain('"uid":"top"');
  });

  it('points them to the owner that now has the name', () => {
    const { requests } = undo(
      '- {kind: ConfigMap, name: top, uid: another}\n- {kind: ConfigMap, name: child}',
      [child],
      patched,
    );
    expect(JSON.stringify(requests[0]?.body)).toContain('"uid":"another"');
  });

  it('blocks again what an action has unblocked', () => {
    const { requests } = undo(
      '- {kind: ConfigMap, name: top}\n- {kind: ConfigMap, name: child, owners: [v1 ConfigMap top top]}',
      [child],
      patched,
    );
    expect(requests[0]?.body).toMatchObject([
      {},
      { op: 'test', path: '/metadata/ownerReferences' },
      { op: 'add', value: [{ uid: 'top', blockOwnerDeletion: true }] },
    ]);
  });

  it('leaves an owner alone that it has got since, and does nothing where that is the same', () => {
    const adopted =
      '- {kind: ConfigMap, name: top, uid: new}\n- {kind: ConfigMap, name: child, owners: [v1 ConfigMap top new]}';
    expect(undo(adopted, [child], patched)).toMatchObject({ extent: 'nothing', lost: [] });
    const other = `
- {kind: ConfigMap, name: top}
- {kind: ConfigMap, name: side}
- {kind: ConfigMap, name: child, owners: [v1 ConfigMap side side]}`;
    expect(JSON.stringify(undo(other, [child], patched).requests[0]?.body)).toMatch(
      /"uid":"top".*"uid":"side"/u,
    );
  });

  it('never gives an object two controllers', () => {
    const controlled = kept('ConfigMap', 'child', {
      owners: [owner('ConfigMap', 'top', { controller: true })],
    });
    const yaml = `
- {kind: ConfigMap, name: top}
- {kind: ConfigMap, name: side}
- {kind: ConfigMap, name: child, owners: [v1 ConfigMap side side +c]}`;
    expect(undo(yaml, [controlled], patched)).toMatchObject({
      requests: [],
      lost: ['ConfigMap child: its references, because ConfigMap side controls it by now'],
    });
  });

  it('does not put back one to an owner that is gone or going: the collector would take the object', () => {
    for (const yaml of [
      '- {kind: ConfigMap, name: child}',
      "- {kind: ConfigMap, name: top, finalizers: [a/b], deletionTimestamp: '2026-11-21T11:00:00Z'}\n- {kind: ConfigMap, name: child}",
    ]) {
      const { requests, lost } = undo(yaml, [child], patched);
      expect(requests).toEqual([]);
      expect(lost).toHaveLength(1);
    }
  });
});

describe('putting finalizers back', () => {
  const held = kept('ConfigMap', 'held', { metadata: { finalizers: ['a/a', 'foregroundDeletion'] } });

  it('adds those that are missing, never those of the collector', () => {
    const { requests, does } = undo(
      '- {kind: ConfigMap, name: held, finalizers: [b/b]}',
      [held],
      entry('PATCH'),
    );
    expect(does).toEqual(['put a/a back on ConfigMap held']);
    expect(requests[0]?.body).toMatchObject([
      {},
      { op: 'test', path: '/metadata/finalizers', value: ['b/b'] },
      { op: 'add', path: '/metadata/finalizers', value: ['b/b', 'a/a'] },
    ]);
  });

  it('is impossible while the object is being deleted, and says so', () => {
    const yaml =
      "- {kind: ConfigMap, name: held, finalizers: [b/b], deletionTimestamp: '2026-11-21T11:00:00Z'}";
    expect(undo(yaml, [held], entry('PATCH'))).toMatchObject({
      extent: 'nothing',
      lost: ['ConfigMap held: a/a, because it is being deleted'],
    });
  });
});

describe('what an undo cannot take back', () => {
  it('is a deletion that has begun', () => {
    const yaml =
      "- {kind: ConfigMap, name: held, finalizers: [b/b], deletionTimestamp: '2026-11-21T11:00:00Z'}";
    const held = kept('ConfigMap', 'held', { metadata: { finalizers: ['b/b'] } });
    expect(undo(yaml, [held])).toMatchObject({
      extent: 'nothing',
      lost: ['ConfigMap held is being deleted, which cannot be undone'],
    });
  });
});

describe('the other fields that remedies change', () => {
  it('leave the reclaim policy of a volume whose claim is gone, which would be deleted', () => {
    const yaml =
      "- {kind: PersistentVolume, name: disk, namespace: '', spec: {persistentVolumeReclaimPolicy: Retain}, status: {phase: Released}}";
    const disk = kept('PersistentVolume', 'disk', {
      namespace: '',
      spec: { persistentVolumeReclaimPolicy: 'Delete' },
    });
    expect(undo(yaml, [disk], entry('PATCH'))).toMatchObject({
      extent: 'nothing',
      lost: [
        'PersistentVolume disk: its reclaim policy Delete, because its claim is gone, and the data would go too',
      ],
    });
  });

  it('bind a volume to its claim again as long as that is there', () => {
    const yaml = (rest: string): string => `
- {kind: PersistentVolume, name: disk, namespace: '', spec: {persistentVolumeReclaimPolicy: Retain, claimRef: {namespace: shop, name: data}}, status: {phase: Available}}${rest}`;
    const claimRef = { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data', uid: 'data' };
    const disk = kept('PersistentVolume', 'disk', { namespace: '', spec: { claimRef } });
    const claim = '\n- {kind: PersistentVolumeClaim, name: data}';
    expect(undo(yaml(claim), [disk], entry('PATCH')).requests[0]?.body).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'disk' },
      { op: 'test', path: '/spec/claimRef/name', value: 'data' },
      { op: 'replace', path: '/spec/claimRef', value: claimRef },
    ]);
    expect(undo(yaml(''), [disk], entry('PATCH')).requests).toEqual([]);
  });

  it('are put back: the retention of claims, the reclaim policy, and the out-of-service taint', () => {
    const yaml = `
- {kind: StatefulSet, name: web, spec: {replicas: 1, persistentVolumeClaimRetentionPolicy: {whenDeleted: Retain, whenScaled: Retain}, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}}}}
- {kind: Node, name: n, namespace: '', spec: {taints: [{key: node.kubernetes.io/unreachable, effect: NoExecute}, {key: node.kubernetes.io/out-of-service, effect: NoExecute}]}}
- {kind: PersistentVolume, name: disk, namespace: '', spec: {persistentVolumeReclaimPolicy: Retain}}
`;
    const policy = { whenDeleted: 'Delete', whenScaled: 'Retain' };
    const objects = [
      kept('StatefulSet', 'web', {
        apiVersion: 'apps/v1',
        spec: { persistentVolumeClaimRetentionPolicy: policy },
      }),
      kept('Node', 'n', { namespace: '', spec: { taints: [{ key: 'node.kubernetes.io/unreachable' }] } }),
      kept('PersistentVolume', 'disk', {
        namespace: '',
        spec: { persistentVolumeReclaimPolicy: 'Delete' },
      }),
    ];
    const { requests } = undo(yaml, objects, entry('PATCH'));
    expect(requests[2]?.body).toMatchObject([
      {},
      { op: 'test', path: '/spec/persistentVolumeReclaimPolicy', value: 'Retain' },
      { op: 'add', path: '/spec/persistentVolumeReclaimPolicy', value: 'Delete' },
    ]);
    expect(requests[0]?.body).toMatchObject([
      {},
      { op: 'test', value: { whenDeleted: 'Retain', whenScaled: 'Retain' } },
      { op: 'add', path: '/spec/persistentVolumeClaimRetentionPolicy', value: policy },
    ]);
    expect(requests[1]?.body).toMatchObject([
      {},
      { op: 'test', path: '/spec/taints/1/key', value: 'node.kubernetes.io/out-of-service' },
      { op: 'remove', path: '/spec/taints/1' },
    ]);
  });
});
