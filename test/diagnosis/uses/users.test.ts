/** Reads of users: a limited number, each list once, and none that is known to be empty. */
import { describe, expect, it } from 'vitest';
import { addBreaks } from '../../../src/diagnosis/uses/breaks.ts';
import { Users } from '../../../src/diagnosis/uses/users.ts';
import { forecast } from '../../../src/forecast/compose/forecaster.ts';
import { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { JsonRecord } from '../../../src/model/json/json.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { listedBatch, now, objects, viewOf } from '../../cli/documents/cluster.ts';
import { builtIn } from '../../simulation/fixtures.ts';

function worldOf(pods: number) {
  const rows = Array.from({ length: pods }, (_, i) => `- {kind: Pod, name: pod-${i}}\n`);
  const view = viewOf(`- {kind: ConfigMap, name: settings}\n${rows.join('')}`);
  const objects = [...view.graph.nodes()].flatMap(({ object }) => object ?? []);
  const settings = objects.find(({ name }) => name === 'settings');
  if (settings === undefined) throw new Error('no ConfigMap');
  return { view, settings };
}

const podJson = ({ namespace, name }: Pick<KubeObject, 'namespace' | 'name'>) => ({
  metadata: { namespace, name },
  spec: { volumes: [{ configMap: { name: 'settings' } }] },
});

it('reads each object of a kind once where the source has no lists, and says where there are too many', async () => {
  for (const [pods, found] of [
    [30, 30],
    [5_001, 0],
  ] as const) {
    const { view, settings } = worldOf(pods);
    const read: string[] = [];
    const users = new Users(view, {
      read: place => {
        read.push(place.name);
        return Promise.resolve({ state: 'read', json: podJson(place) });
      },
    });
    const { uses, unseen } = await users.of([settings]);
    await users.of([settings]);
    expect(uses).toHaveLength(found);
    expect(read).toHaveLength(found);
    const because = 'too many would have to be read';
    expect(unseen).toEqual(found > 0 ? [] : [{ kinds: ['Pod'], resources: ['pods'], because }]);
  }
});

it('asks for a list once, and names the kinds that could not be listed', async () => {
  const { view, settings } = worldOf(2);
  const listed: string[] = [];
  const users = new Users(view, {
    read: () => Promise.reject(new Error('reads one by one')),
    list: ({ type, namespace }) => {
      listed.push(`${type.resource} in ${namespace}`);
      return Promise.resolve({ state: 'unread', reason: '403' });
    },
  });
  const { unseen } = await users.of([settings, settings]);
  await users.of([settings]);
  expect(listed).toEqual([`pods in ${settings.namespace}`]);
  expect(unseen).toEqual([{ kinds: ['Pod'], resources: ['pods'], because: '403' }]);
});

it('names a kind once that neither the forecast nor the search for users can read', async () => {
  const { view, settings } = worldOf(0);
  view.apply(
    { changes: [], statuses: [{ type: builtIn('Pod'), state: 'blind', count: 0, facts: false }] },
    now,
  );
  const action = { verb: 'delete', cascade: 'background', targets: [settings] } as const;
  const users = new Users(view, {
    read: () => Promise.reject(new Error('reads one by one')),
    list: () => Promise.resolve({ state: 'unread', reason: '403' }),
  });
  const { warnings } = await addBreaks(forecast(view, action, { now }), view, users);
  const [unseen] = warnings.filter(({ code }) => code === 'unseenKinds');
  expect(unseen).toMatchObject({ kinds: [{ resource: 'pods' }], hasUsers: true });
});

it.each([
  [true, []],
  [false, [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web', controller: true }]],
])('a running pod needs a volume no longer, unless it may be replaced: %s', async (over, ownerReferences) => {
  const { view, settings } = worldOf(1);
  const users = new Users(view, {
    read: place => {
      const { metadata, spec } = podJson(place);
      const json = { metadata: { ...metadata, ownerReferences }, spec, status: { phase: 'Running' } };
      return Promise.resolve({ state: 'read', json });
    },
  });
  expect((await users.of([settings])).uses.map(each => each.over)).toEqual([over]);
});

describe('references of custom resources', () => {
  const custom = (group: string, kind: string): ResourceType => {
    const resource = `${kind.toLowerCase()}s`;
    const names = {
      group,
      version: 'v1',
      apiVersion: `${group}/v1`,
      kind,
      resource,
      singular: kind.toLowerCase(),
    };
    return { ...builtIn('ConfigMap'), ...names, shortNames: [] };
  };
  const types = [
    ...builtInTypes,
    ...['Issuer', 'Certificate'].map(kind => custom('certs.example.com', kind)),
    ...['Cluster', 'Issuer'].map(kind => custom('other.example.org', kind)),
  ];

  /** Lists `kind/name: how` of what a Certificate with the spec uses; each of these is in its namespace. */
  async function usedBy(spec: JsonRecord) {
    const used = ['Secret', 'ConfigMap', 'ServiceAccount', 'Service', 'Issuer', 'Cluster'];
    const view = viewOf(
      [...used, 'Certificate'].map(kind => `- {kind: ${kind}, name: one, uid: ${kind}}`).join('\n'),
      types.filter(({ group, kind }) => group !== 'other.example.org' || kind === 'Cluster'),
    );
    const certificate = { apiVersion: 'certs.example.com/v1', kind: 'Certificate', spec };
    const listed: string[] = [];
    const users = new Users(view, {
      read: () => Promise.reject(new Error('reads one by one')),
      list: ({ type }) => {
        listed.push(type.kind);
        const metadata = { namespace: worldOf(0).settings.namespace, name: 'one' };
        return Promise.resolve({
          state: 'read',
          items: type.kind === 'Certificate' ? [{ metadata, ...certificate }] : [],
        });
      },
    });
    const objects = [...view.graph.nodes()].flatMap(({ object }) => object ?? []);
    const { uses, unseen } = await users.of(objects.filter(({ type }) => used.includes(type.kind)));
    expect(unseen).toEqual([]);
    const found = uses.map(({ used: { kind }, how }) => `${kind}: ${how}`);
    const own = objects.find(({ type }) => type.kind === 'Certificate');
    const named = own === undefined ? [] : users.usedIn(own, certificate);
    expect(named.map(({ used: { kind }, how }) => `${kind}: ${how}`)).toEqual(expect.arrayContaining(found));
    return { found, listed };
  }

  it.each([
    [{ secretName: 'one' }, 'Secret: names it in spec.secretName'],
    [
      { auth: { passwordSecretRef: { name: 'one', key: 'k' } } },
      'Secret: names it in spec.auth.passwordSecretRef',
    ],
    [{ keys: [{ secretKeyRef: { name: 'one' } }] }, 'Secret: names it in spec.keys.secretKeyRef'],
    [{ configMapRefs: [{ name: 'none' }, { name: 'one' }] }, 'ConfigMap: names it in spec.configMapRefs'],
    [{ serviceAccountName: 'one' }, 'ServiceAccount: names it in spec.serviceAccountName'],
    [{ backend: { serviceName: 'one' } }, 'Service: names it in spec.backend.serviceName'],
    [
      { template: { spec: { volumes: [{ configMap: { name: 'one' } }] } } },
      'ConfigMap: names it in spec.template.spec.volumes.configMap',
    ],
    [{ imagePullSecrets: [{ name: 'one' }] }, 'Secret: names it in spec.imagePullSecrets'],
    [{ secrets: ['none', 'one'] }, 'Secret: names it in spec.secrets'],
    [{ issuerRef: { name: 'one' } }, 'Issuer: names it in spec.issuerRef'],
    [{ valuesRef: { kind: 'ConfigMap', name: 'one' } }, 'ConfigMap: names it in spec.valuesRef'],
    [{ ref: { fooRef: { kind: 'Issuer', name: 'one' } } }, 'Issuer: names it in spec.ref.fooRef'],
    [
      { targetRef: { kind: 'Cluster', group: 'other.example.org', name: 'one' } },
      'Cluster: names it in spec.targetRef',
    ],
    [
      { targetRef: { kind: 'Cluster', apiGroup: 'other.example.org', name: 'one' } },
      'Cluster: names it in spec.targetRef',
    ],
    [
      { targetRef: { kind: 'Cluster', apiVersion: 'other.example.org/v1', name: 'one' } },
      'Cluster: names it in spec.targetRef',
    ],
  ])('%j', async (spec, expected) => {
    const { found, listed } = await usedBy(spec);
    expect(found).toEqual([expected]);
    expect(listed).toContain('Certificate');
  });

  it.each([
    { clusterName: 'one' },
    { clusterRef: { name: 'one' } },
    { issuerRef: { kind: 'Issuer', group: 'elsewhere.example.net', name: 'one' } },
    { secretName: 'two' },
    { secretRef: { name: 'one', namespace: 'elsewhere' } },
    { commonName: 'one', name: 'one', secret: 'two' },
  ])('none by %j', async spec => {
    expect((await usedBy(spec)).found).toEqual([]);
  });

  it('count in other namespaces and without one if they name the namespace', async () => {
    const clusterIssuer = { ...custom('certs.example.com', 'ClusterIssuer'), namespaced: false };
    const view = viewOf(
      `- {kind: Secret, name: one, uid: Secret}
- {kind: Issuer, name: one, uid: Issuer}
- {kind: Certificate, name: near, namespace: elsewhere}
- {kind: Cluster, name: far, namespace: elsewhere}
- {kind: ClusterIssuer, name: wide, namespace: ''}`,
      [
        ...types.filter(({ group, kind }) => group !== 'other.example.org' || kind === 'Cluster'),
        clusterIssuer,
      ],
    );
    const { namespace } = worldOf(0).settings;
    const listed: string[] = [];
    const users = new Users(view, {
      read: () => Promise.reject(new Error('reads one by one')),
      list: ({ type, namespace: where = 'all' }) => {
        listed.push(`${type.kind} in ${where}`);
        const spec = {
          a: { secretRef: { name: 'one', namespace } },
          b: { issuerRef: { kind: 'Issuer', group: 'certs.example.com', name: 'one', namespace } },
          c: { otherSecretRef: { name: 'one' } },
        };
        const [node] = view.graph.ofType(type);
        const { name = '', namespace: own = '' } = node?.object ?? {};
        const item = { metadata: { name, namespace: own }, spec };
        return Promise.resolve({ state: 'read', items: type.kind === 'Issuer' ? [] : [item] });
      },
    });
    const usersOf = async (kind: string) => {
      const objects = [...view.graph.nodes()].flatMap(({ object }) => object ?? []);
      const { uses } = await users.of(objects.filter(({ type }) => type.kind === kind));
      return uses.map(({ user, how }) => `${user.kind} ${user.name} ${how}`).sort();
    };
    expect(await usersOf('Secret')).toEqual(['ClusterIssuer wide names it in spec.a.secretRef']);
    expect(await usersOf('Issuer')).toEqual([
      'Certificate near names it in spec.b.issuerRef',
      'ClusterIssuer wide names it in spec.b.issuerRef',
    ]);
    // Another project's kind in another namespace isn't read.
    expect(listed.filter(each => each.startsWith('Cluster in'))).toEqual([]);
  });

  it.each([
    [5, true],
    [25, false],
  ])('of %i kinds outside of the scope are read: %s', async (many, isRead) => {
    const kinds = Array.from({ length: many }, (_, i) => `Wide${i}`);
    const wide = kinds.map(kind => ({ ...custom('wide.example.net', kind), namespaced: false }));
    const all = [...builtInTypes, ...wide];
    const batch = listedBatch(objects('- {kind: Secret, name: one, uid: Secret}', all), all);
    const view = new ClusterView();
    const statuses = (batch.statuses ?? []).map(each =>
      kinds.includes(each.type.kind) ? { ...each, state: 'unread' as const } : each,
    );
    view.apply({ ...batch, statuses }, 0);
    const listed: string[] = [];
    const users = new Users(view, {
      read: () => Promise.reject(new Error('reads one by one')),
      list: ({ type }) => {
        listed.push(type.kind);
        return Promise.resolve({ state: 'read', items: [] });
      },
    });
    const secret = [...view.graph.nodes()].flatMap(({ object }) => object ?? []);
    const { unseen } = await users.of(secret);
    expect(listed).toEqual(isRead ? kinds : []);
    expect(unseen.map(each => [each.kinds, each.because])).toEqual(
      isRead ? [] : [[kinds, 'too many would have to be read']],
    );
  });

  it('are missing from what uses each object if their kind cannot be read', async () => {
    const view = viewOf('- {kind: Secret, name: one, uid: Secret}\n- {kind: Certificate, name: one}', types);
    const users = new Users(view, {
      read: () => Promise.reject(new Error('reads one by one')),
      list: ({ type }) =>
        Promise.resolve(
          type.kind === 'Certificate' ? { state: 'unread', reason: '403' } : { state: 'read', items: [] },
        ),
    });
    const objects = [...view.graph.nodes()].flatMap(({ object }) => object ?? []);
    const found = await users.byObject(objects.filter(({ type }) => type.kind === 'Secret'));
    expect([...found.values()].map(({ unseen }) => unseen)).toEqual([
      [{ kinds: ['Certificate'], resources: ['certificates.certs.example.com'], because: '403' }],
    ]);
  });

  it('count once for what the pods of their object use', async () => {
    const template = { volumes: [{ configMap: { name: 'settings' } }] };
    const { settings } = worldOf(0);
    const owner = { apiVersion: 'certs.example.com/v1', kind: 'Certificate', name: 'one', uid: 'one' };
    const [pod, one] = ['pod-0', 'one'].map(name => ({ namespace: settings.namespace, name }));
    const items: Readonly<Record<string, JsonRecord>> = {
      Pod: { metadata: { ...pod, ownerReferences: [{ ...owner, controller: true }] }, spec: template },
      Certificate: { metadata: { ...one, uid: 'one' }, spec: { template: { spec: template } } },
    };
    const all = viewOf(
      '- {kind: ConfigMap, name: settings}\n- {kind: Pod, name: pod-0}\n- {kind: Certificate, name: one}',
      types,
    );
    const users = new Users(all, {
      read: () => Promise.reject(new Error('reads one by one')),
      list: ({ type }) => Promise.resolve({ state: 'read', items: [items[type.kind] ?? []].flat() }),
    });
    const { uses } = await users.of([settings]);
    expect(uses.map(({ user: { kind }, how }) => `${kind} ${how}`)).toEqual([
      'Certificate mounts it as a volume',
    ]);
  });
});
