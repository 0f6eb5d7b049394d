import { describe, expect, it } from 'vitest';
import { altered, type Manifest, objectsOf, told } from './told.ts';

const objects = objectsOf('argo-cd');
const APPLICATION = 'Application argocd/shop';
const BY = 'by Argo CD Application argocd/shop';
const change = (edit: (application: Manifest) => void) => altered(objects, APPLICATION, edit);

describe('deleting an Application', () => {
  it('deletes what it has deployed and what that owns, but for definitions and what says Delete=false', async () => {
    const { lines, reasons } = await told(objects, APPLICATION);
    expect(lines).toEqual([
      `deleted automatically ConfigMap shop/settings ${BY}`,
      `deleted automatically Deployment shop/api ${BY}`,
      `deleted automatically Service shop/api ${BY}`,
      'deleted automatically ReplicaSet shop/api-658b5b55dd by the garbage collector',
      `kept CustomResourceDefinition coupons.shop.example.com ${BY}`,
      `kept PersistentVolumeClaim shop/orders ${BY}`,
    ]);
    expect(reasons).toEqual([]);
  });

  it('follows what has several owners only where all of them go', async () => {
    const REPLICA_SET = 'ReplicaSet shop/api-658b5b55dd';
    const uidOf = (wanted: string): string => objects.find(({ kind }) => kind === wanted)?.metadata.uid ?? '';
    const shared = (kind: string, name: string, uid: string) =>
      altered(objects, REPLICA_SET, ({ metadata }) => {
        metadata.ownerReferences?.push({ apiVersion: 'v1', kind, name, uid });
      });
    const both = await told(shared('Service', 'api', uidOf('Service')), APPLICATION);
    expect(both.lines).toContain(`deleted automatically ${REPLICA_SET} by the garbage collector`);
    const other = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'other', namespace: 'shop', uid: 'other' },
    };
    const one = await told([...shared('Secret', 'other', 'other'), other], APPLICATION);
    expect(one.lines).toContain(`kept ${REPLICA_SET} by the garbage collector`);
    expect(one.lines.join('\n')).not.toContain(`deleted automatically ${REPLICA_SET}`);
    const served = altered(shared('Secret', 'other', 'other'), REPLICA_SET, ({ metadata }) => {
      metadata.ownerReferences?.splice(1, 1, {
        apiVersion: 'x/v1',
        kind: 'Gone',
        name: 'x',
        uid: uidOf('Service'),
      });
    });
    expect((await told(served, APPLICATION)).lines).toContain(`kept ${REPLICA_SET} by the garbage collector`);
    // Another owner that is told to be deleted, and that a finalizer may keep.
    const held = altered(shared('Service', 'api', uidOf('Service')), 'Service shop/api', ({ metadata }) => {
      metadata.finalizers = ['example.com/hold'];
    });
    const unsure = await told(held, APPLICATION);
    expect(unsure.lines).toContain(`deleted unknown ${REPLICA_SET} by the garbage collector`);
  });

  it('is not sure of dependents whose owner has the finalizer orphan', async () => {
    const orphaning = altered(objects, 'Deployment shop/api', ({ metadata }) => {
      metadata.finalizers = ['orphan'];
    });
    expect((await told(orphaning, APPLICATION)).lines).toContain(
      'deleted unknown ReplicaSet shop/api-658b5b55dd by the garbage collector',
    );
  });

  it.each(['everything', 'action'] as const)(
    'leaves out what is deleted anyway, with scope %s',
    async scope => {
      const [owner] = objects.filter(({ kind }) => kind === 'Deployment');
      const ownerReferences = [
        { apiVersion: 'apps/v1', kind: 'Deployment', name: 'api', uid: owner?.metadata.uid },
      ];
      const going = (name: string, finalizers: string[], more: object = {}): Manifest => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace: 'shop', uid: name, finalizers, ownerReferences, ...more },
      });
      const deletionTimestamp = '2026-11-21T11:48:00Z';
      const { lines } = await told(
        [
          ...objects,
          going('stays', []),
          going('goes', [], { deletionTimestamp }),
          going('held', ['example.com/hold'], { deletionTimestamp }),
        ],
        APPLICATION,
        { scope },
      );
      expect(lines.filter(line => line.includes('garbage collector'))).toEqual([
        'deleted automatically ConfigMap shop/stays by the garbage collector',
        'deleted automatically ReplicaSet shop/api-658b5b55dd by the garbage collector',
      ]);
    },
  );

  describe('that holds an operator', () => {
    const deployment = objects.find(({ kind }) => kind === 'Deployment');
    if (deployment === undefined) throw new Error('no Deployment');
    const operator = structuredClone(deployment);
    operator.metadata = { name: 'merlin-operator', namespace: 'shop', uid: 'operator' };
    const entry = {
      group: 'apps',
      version: 'v1',
      kind: 'Deployment',
      namespace: 'shop',
      name: 'merlin-operator',
    };
    const holding = change(({ status }) => status.resources.push(entry));
    const held = (fields: Partial<Manifest['metadata']>): Manifest => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'held',
        namespace: 'other',
        uid: 'held',
        finalizers: ['merlin.dev/cleanup'],
        ...fields,
      },
    });
    const deleting = held({ deletionTimestamp: '2026-11-21T11:59:00Z' });

    it.each([
      ['is being deleted', deleting],
      [
        'it deletes, too',
        held({ annotations: { 'argocd.argoproj.io/tracking-id': 'shop:/Secret:other/held' } }),
      ],
    ])('is warned of where what the operator has to clean up %s', async (_, secret) => {
      const deployed = { version: 'v1', kind: 'Secret', namespace: 'other', name: 'held' };
      const all =
        secret === deleting
          ? holding
          : altered(holding, APPLICATION, ({ status }) => status.resources.push(deployed));
      const { alarms } = await told([...all, operator, secret], APPLICATION);
      expect(alarms).toMatchObject([
        {
          code: 'handlerGoesToo',
          finalizer: 'merlin.dev/cleanup',
          words:
            'as is assumed, Deployment shop/merlin-operator is deleted too, so that the removal may come too late',
          objects: [{ kind: 'Secret', namespace: 'other', name: 'held' }],
        },
      ]);
    });

    it('is not where it leaves the operator, or nothing waits for that', async () => {
      expect((await told([...objects, operator, deleting], APPLICATION)).alarms).toEqual([]);
      expect((await told([...holding, operator, held({})], APPLICATION)).alarms).toEqual([]);
    });
  });

  it('leaves what is cluster-scoped and names an owner in a namespace', async () => {
    const settings = objects.find(({ kind }) => kind === 'ConfigMap')?.metadata;
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: settings?.name, uid: settings?.uid };
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'wide', uid: 'wide', ownerReferences: [owner] },
    };
    const { lines } = await told([...objects, role], APPLICATION);
    expect(lines).toContain('kept ClusterRole wide by the garbage collector');
    expect(lines.join('\n')).not.toMatch(/deleted \w+ ClusterRole/u);
  });

  it('is not sure of what follows from the end of what a finalizer keeps', async () => {
    const held = altered(objects, 'Deployment shop/api', ({ metadata }) => {
      metadata.finalizers = ['example.com/hold'];
    });
    const { lines } = await told(held, APPLICATION);
    expect(lines).toContain(`deleted automatically Deployment shop/api ${BY}`);
    expect(lines).toContain('deleted unknown ReplicaSet shop/api-658b5b55dd by the garbage collector');
  });

  it.each(['foreground', 'background'])('knows the finalizer for a cascade in the %s', async policy => {
    const finalizer = `resources-finalizer.argocd.argoproj.io/${policy}`;
    const { effects } = await told(
      change(({ metadata }) => (metadata.finalizers = [finalizer])),
      APPLICATION,
    );
    expect(effects[0]).toMatchObject({
      effect: 'deleted',
      because: expect.stringContaining(finalizer) as string,
    });
  });

  it('leaves everything without the finalizer, and where another one is there', async () => {
    for (const finalizers of [[], ['post-delete-finalizer.argocd.argoproj.io']]) {
      const { lines } = await told(
        change(({ metadata }) => (metadata.finalizers = finalizers)),
        APPLICATION,
      );
      expect(lines).toHaveLength(5);
      expect(lines.filter(line => !line.startsWith('kept'))).toEqual([]);
    }
  });

  it('takes an option of the Application for what has none of its own', async () => {
    const { lines } = await told(
      change(({ spec }) => (spec.syncPolicy.syncOptions = ['Delete=false'])),
      APPLICATION,
    );
    expect(lines.filter(line => line.startsWith('deleted'))).toEqual([]);
    const confirmed = await told(
      change(({ spec }) => (spec.syncPolicy.syncOptions = ['Delete=confirm'])),
      APPLICATION,
    );
    expect(confirmed.lines).toContain(`deleted onRequest Service shop/api ${BY}`);
    expect(confirmed.lines).toContain(`kept PersistentVolumeClaim shop/orders ${BY}`);
    // One of them is enough: until that is approved, Argo CD deletes nothing.
    const one = altered(objects, 'Service shop/api', ({ metadata }) => {
      metadata.annotations = { 'argocd.argoproj.io/sync-options': 'Delete=confirm' };
    });
    const { effects, lines: waiting } = await told(one, APPLICATION);
    expect(waiting.filter(line => line.startsWith('deleted') && !line.includes('onRequest'))).toEqual([]);
    expect(effects.find(({ object }) => object.kind === 'Deployment')?.because).toContain(
      'once a user has approved the deletion of Service shop/api',
    );
    const approved = altered(one, APPLICATION, ({ metadata }) => {
      metadata.deletionTimestamp = '2026-11-21T11:00:00Z';
      metadata.annotations = { 'argocd.argoproj.io/deletion-approved': '2026-11-21T11:30:00Z' };
    });
    expect((await told(approved, APPLICATION)).lines).toContain(
      `deleted automatically Service shop/api ${BY}`,
    );
    const listed = change(({ status }) => {
      for (const each of status.resources)
        if (each.kind === 'ConfigMap') each.requiresDeletionConfirmation = true;
    });
    expect((await told(listed, APPLICATION)).lines).toContain(`deleted onRequest Service shop/api ${BY}`);
    // What waits for an approval takes nothing with it by itself.
    expect(confirmed.lines.join('\n')).not.toContain('ReplicaSet');
  });

  it('leaves what Helm is to keep', async () => {
    const kept = altered(objects, 'Service shop/api', ({ metadata }) => {
      metadata.annotations = { 'helm.sh/resource-policy': 'keep' };
    });
    expect((await told(kept, APPLICATION)).lines).toContain(`kept Service shop/api ${BY}`);
  });

  it('says nothing of what is listed and certain not to be there, and is not sure of what was not read', async () => {
    const more = change(({ status }) => {
      status.resources.push({ version: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'gone' });
      status.resources.push({
        group: 'x.example',
        version: 'v1',
        kind: 'Thing',
        namespace: 'shop',
        name: 'a',
      });
    });
    const { lines } = await told(more, APPLICATION);
    expect(lines.join('\n')).not.toContain('shop/gone');
    expect(lines).toContain(`deleted unknown Thing shop/a ${BY}`);
    const open = await told(more, APPLICATION, { closedWorld: false });
    expect(open.lines).toContain(`deleted unknown ConfigMap shop/gone ${BY}`);
  });

  it('finds what it tracks by the tracking id alone, and nothing that was copied with it', async () => {
    const without = change(object => {
      object.status = {};
    });
    const copied = altered(without, 'Service shop/api', ({ metadata }) => {
      metadata.annotations = { 'argocd.argoproj.io/tracking-id': 'shop:/Service:shop/other' };
    });
    const { lines } = await told(copied, APPLICATION);
    expect(lines).toContain(`deleted automatically Deployment shop/api ${BY}`);
    expect(lines.join('\n')).not.toContain('Service shop/api');
  });

  it('says that it cannot tell without a list of resources and without tracking ids', async () => {
    const bare = change(object => {
      object.status = 'broken';
    }).map(each => ({ ...each, metadata: { ...each.metadata, annotations: {} } }));
    const { lines, reasons } = await told(bare, APPLICATION);
    expect(lines).toEqual([]);
    expect(reasons).toEqual([
      'Argo CD Application argocd/shop: its status lists no resources, so what it has deployed is not known',
    ]);
  });

  it('says that it cannot tell where its spec may not be read', async () => {
    const { lines, reasons } = await told(objects, APPLICATION, { forbidden: [APPLICATION] });
    expect(lines).toEqual([]);
    expect(reasons).toEqual([
      'Argo CD Application argocd/shop: its spec cannot be seen (403), so what it deletes and leaves is not known',
    ]);
  });

  it('takes nothing here for what it has deployed to another cluster', async () => {
    const away = change(
      ({ spec }) => (spec.destination = { server: 'https://edge.example.com', namespace: 'shop' }),
    );
    const { effects } = await told(away, APPLICATION);
    expect(effects.length).toBeGreaterThan(0);
    for (const { cluster, object, when } of effects) {
      expect(cluster).toBe('https://edge.example.com');
      expect(object.uid).toBe('');
      expect(when).not.toBe('automatically');
    }
  });

  it('is not sure where Argo CD is there and not ready, nor of what follows from that', async () => {
    const down = altered(objects, 'StatefulSet argocd/argocd-application-controller', ({ status }) => {
      status.readyReplicas = 0;
    });
    const { lines } = await told(down, APPLICATION);
    expect(lines).toContain(`deleted unknown Deployment shop/api ${BY}`);
    expect(lines).toContain('deleted unknown ReplicaSet shop/api-658b5b55dd by the garbage collector');
    expect(lines.join('\n')).not.toContain('automatically');
  });

  it('goes on with the Applications among what it has deployed', async () => {
    const parent: Manifest = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: {
        name: 'all',
        namespace: 'argocd',
        uid: 'parent',
        finalizers: ['resources-finalizer.argocd.argoproj.io'],
      },
      spec: { destination: { name: 'in-cluster' } },
      status: {
        resources: [
          {
            group: 'argoproj.io',
            version: 'v1alpha1',
            kind: 'Application',
            namespace: 'argocd',
            name: 'shop',
          },
          {
            group: 'argoproj.io',
            version: 'v1alpha1',
            kind: 'Application',
            namespace: 'argocd',
            name: 'all',
          },
        ],
      },
    };
    const { lines } = await told([...objects, parent], 'Application argocd/all');
    expect(lines).toContain(
      'deleted automatically Application argocd/shop by Argo CD Application argocd/all',
    );
    expect(lines).toContain(`deleted automatically Deployment shop/api ${BY}`);
    expect(lines.join('\n')).not.toContain('Application argocd/all by');
  });

  it('leaves everything where the action takes off the finalizer', async () => {
    const deleting = change(({ metadata }) => (metadata.deletionTimestamp = '2026-11-21T11:00:00Z'));
    const { lines } = await told(deleting, APPLICATION, {
      remedy: 'remove-finalizer/resources-finalizer.argocd.argoproj.io',
    });
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter(line => !line.startsWith('kept'))).toEqual([]);
  });

  it('shows hostile names as what they are', async () => {
    const hostile = change(({ status, spec }) => {
      spec.destination = { name: '\u001b[31mred' };
      status.resources.push({ version: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 7 }, null, 'text');
    });
    const { effects } = await told(hostile, APPLICATION);
    expect(effects[0]?.cluster).toBe('%1B[31mred');
  });
});

describe('deleting what an Application manages', () => {
  const DEPLOYMENT = 'Deployment shop/api';

  it('is undone by itself with selfHeal', async () => {
    const { lines, effects } = await told(objects, DEPLOYMENT);
    expect(lines).toEqual([`recreated automatically ${DEPLOYMENT} ${BY}`]);
    expect(effects[0]?.instead).toContain('remove it from the source');
  });

  it.each([
    ['without selfHeal', { prune: true }],
    ['with automated sync switched off', { enabled: false, selfHeal: true }],
    ['without automated sync', undefined],
  ])('waits for somebody %s', async (_, automated) => {
    const { lines } = await told(
      change(({ spec }) => (spec.syncPolicy.automated = automated)),
      DEPLOYMENT,
    );
    expect(lines).toEqual([`recreated onRequest ${DEPLOYMENT} ${BY}`]);
  });

  it('is not sure where the Application cannot be seen', async () => {
    const without = objects.filter(({ kind }) => kind !== 'Application');
    for (const closedWorld of [true, false]) {
      const { lines } = await told(without, DEPLOYMENT, { closedWorld });
      expect(lines).toEqual([`recreated unknown ${DEPLOYMENT} by Argo CD Application shop`]);
    }
    const { lines } = await told(objects, DEPLOYMENT, { forbidden: [APPLICATION] });
    expect(lines).toEqual([`recreated unknown ${DEPLOYMENT} ${BY}`]);
  });

  it('takes an Application of that name for the one only where it lists the object', async () => {
    const other = change(({ status }) => (status.resources = []));
    expect((await told(other, DEPLOYMENT)).lines).toEqual([`recreated unknown ${DEPLOYMENT} ${BY}`]);
  });

  it('is told of a namespace, too, which has to be there again first', async () => {
    const { lines } = await told(objects, 'Namespace shop');
    expect(lines).toContain(`recreated automatically ${DEPLOYMENT} ${BY}`);
    expect(lines.join('\n')).not.toContain('ReplicaSet');
    const without = change(({ spec }) => (spec.syncPolicy.syncOptions = []));
    expect((await told(without, 'Namespace shop')).lines).toContain(
      `recreated onRequest ${DEPLOYMENT} ${BY}`,
    );
  });

  it('is not told where its Application is deleted with it', async () => {
    const inside = change(({ metadata }) => (metadata.namespace = 'shop'));
    expect((await told(inside, 'Namespace shop')).lines.filter(line => line.startsWith('recreated'))).toEqual(
      [],
    );
  });

  it('says nothing of labels that anybody sets', async () => {
    const foreign: Manifest = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'mine',
        namespace: 'shop',
        uid: 'mine',
        labels: { 'app.kubernetes.io/instance': 'nobody', 'app.kubernetes.io/managed-by': 'me' },
      },
    };
    expect((await told([...objects, foreign], 'ConfigMap shop/mine')).lines).toEqual([]);
  });

  it('knows that an ApplicationSet generates its Applications again', async () => {
    const set: Manifest = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'ApplicationSet',
      metadata: { name: 'shops', namespace: 'argocd', uid: 'set' },
    };
    const owned = change(({ metadata }) => {
      const { apiVersion, kind } = set;
      metadata.ownerReferences = [{ apiVersion, kind, name: 'shops', uid: 'set', controller: true }];
    });
    const { lines } = await told([...owned, set], APPLICATION);
    expect(lines).toContain(`recreated automatically ${APPLICATION} by Argo CD ApplicationSet argocd/shops`);
    const all = await told([...owned, set], 'ApplicationSet argocd/shops');
    expect(all.lines).toContain(`deleted automatically Deployment shop/api ${BY}`);
    expect(all.lines.join('\n')).not.toContain('recreated');
  });
});
