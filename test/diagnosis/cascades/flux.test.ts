import { describe, expect, it } from 'vitest';
import { parseInventoryId } from '../../../src/diagnosis/cascades/flux.ts';
import { altered, type Manifest, objectsOf, told } from './told.ts';

const FLUX = 'kustomize.toolkit.fluxcd.io';
const KUSTOMIZATION = 'Kustomization flux-system/apps';
const BY = `by Flux ${KUSTOMIZATION}`;
const objects = objectsOf('flux-kustomization');
const change = (edit: (kustomization: Manifest) => void) => altered(objects, KUSTOMIZATION, edit);

describe('an id of an inventory', () => {
  it.each([
    ['blog_web_apps_Deployment', { namespace: 'blog', name: 'web', group: 'apps', kind: 'Deployment' }],
    ['_blog__Namespace', { namespace: '', name: 'blog', group: '', kind: 'Namespace' }],
    [
      '_system__node_rbac.authorization.k8s.io_ClusterRole',
      { namespace: '', name: 'system:node', group: 'rbac.authorization.k8s.io', kind: 'ClusterRole' },
    ],
  ])('%s', (id, parsed) => expect(parseInventoryId(id)).toEqual(parsed));

  it.each(['', '_', '__', '___', 'a_b', 'a_b_c', 'a__b_C', 'no separators', 'a_b_c_'])('%j is none', id =>
    expect(parseInventoryId(id)).toBeUndefined(),
  );
});

describe('deleting a Kustomization', () => {
  it('prunes its inventory, uninstalls what was a HelmRelease in it, and leaves what is not to be pruned', async () => {
    const { lines } = await told(objects, KUSTOMIZATION);
    expect(lines).toEqual([
      'deleted automatically StatefulSet blog/cache-valkey by Flux HelmRelease blog/cache',
      `deleted automatically ConfigMap blog/settings ${BY}`,
      `deleted automatically Deployment blog/web ${BY}`,
      `deleted automatically HelmRelease blog/cache ${BY}`,
      `deleted automatically Service blog/web ${BY}`,
      `kept Namespace blog ${BY}`,
      `kept PersistentVolumeClaim blog/uploads ${BY}`,
    ]);
  });

  it('takes a whole namespace along where that is in the inventory', async () => {
    const pruned = altered(objects, 'Namespace blog', ({ metadata }) => {
      delete metadata.labels?.['kustomize.toolkit.fluxcd.io/prune'];
    });
    const { lines } = await told(pruned, KUSTOMIZATION);
    expect(lines).toContain(`deleted automatically Namespace blog ${BY}`);
    expect(lines.join('\n')).not.toContain('kept Namespace');
  });

  it.each<readonly [string, (kustomization: Manifest) => void]>([
    ['spec.prune is false', ({ spec }) => (spec.prune = false)],
    ['spec.deletionPolicy is Orphan', ({ spec }) => (spec.deletionPolicy = 'Orphan')],
    ['spec.suspend is true', ({ spec }) => (spec.suspend = true)],
    ['it has no finalizer finalizers.fluxcd.io', ({ metadata }) => (metadata.finalizers = [])],
  ])('leaves everything where %s', async (because, edit) => {
    const { effects } = await told(change(edit), KUSTOMIZATION);
    expect(effects).toHaveLength(6);
    for (const effect of effects) expect(effect).toMatchObject({ effect: 'kept', because });
  });

  it.each<readonly [string, (metadata: Manifest['metadata']) => void]>([
    ['prune', metadata => (metadata.labels = { ...metadata.labels, [`${FLUX}/prune`]: 'Disabled' })],
    ['reconcile', metadata => (metadata.annotations = { [`${FLUX}/reconcile`]: 'disabled' })],
    ['ssa', metadata => (metadata.annotations = { [`${FLUX}/ssa`]: 'Ignore' })],
  ])('leaves what %s keeps, in whatever case that is written', async (_, edit) => {
    const { lines } = await told(
      altered(objects, 'Deployment blog/web', ({ metadata }) => edit(metadata)),
      KUSTOMIZATION,
    );
    expect(lines).toContain(`kept Deployment blog/web ${BY}`);
  });

  it('leaves everything as a ServiceAccount that is gone', async () => {
    const edit = ({ spec }: Manifest) => Object.assign(spec, { serviceAccountName: 'tenant' });
    const account = {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'tenant', namespace: 'flux-system', uid: 'tenant' },
    };
    const [there, gone] = [
      await told([...change(edit), account], KUSTOMIZATION),
      await told(change(edit), KUSTOMIZATION),
    ];
    expect(there.lines).toContain(`deleted automatically Deployment blog/web ${BY}`);
    expect(gone.effects).toHaveLength(6);
    const because = 'there is no ServiceAccount tenant of its spec.serviceAccountName';
    for (const effect of gone.effects) expect(effect).toMatchObject({ effect: 'kept', because });
  });

  it.each(['Delete', 'WaitForTermination'])(
    'prunes without spec.prune where the policy is %s',
    async policy => {
      const { lines } = await told(
        change(({ spec }) => Object.assign(spec, { prune: false, deletionPolicy: policy })),
        KUSTOMIZATION,
      );
      expect(lines).toContain(`deleted automatically Deployment blog/web ${BY}`);
    },
  );

  it('leaves what another Kustomization applies by now', async () => {
    const moved = altered(objects, 'Deployment blog/web', ({ metadata }) => {
      metadata.labels = {
        'kustomize.toolkit.fluxcd.io/name': 'other',
        'kustomize.toolkit.fluxcd.io/namespace': 'x',
      };
    });
    expect((await told(moved, KUSTOMIZATION)).lines).toContain(`kept Deployment blog/web ${BY}`);
  });

  it('says that it prunes nothing without an inventory', async () => {
    for (const status of [
      undefined,
      {},
      { inventory: { entries: 'none' } },
      { inventory: { entries: [] } },
    ]) {
      const { lines, reasons } = await told(
        change(object => {
          object.status = status;
        }),
        KUSTOMIZATION,
      );
      expect(lines).toEqual([]);
      expect(reasons).toEqual([
        `Flux ${KUSTOMIZATION}: it has no status.inventory, and without one Flux prunes nothing`,
      ]);
    }
  });

  it('is not sure where nothing of Flux is there', async () => {
    const absent = objects.filter(({ metadata }) => metadata.name !== 'kustomize-controller');
    const { effects } = await told(absent, KUSTOMIZATION);
    const deleted = effects.filter(({ effect }) => effect === 'deleted');
    expect(deleted.length).toBeGreaterThan(4);
    for (const { when } of deleted) expect(when).toBe('unknown');
  });

  it('takes nothing here for what it applies to another cluster', async () => {
    const { effects } = await told(
      change(({ spec }) => (spec.kubeConfig = { secretRef: { name: 'edge' } })),
      KUSTOMIZATION,
    );
    expect(effects).toHaveLength(6);
    for (const { cluster, object } of effects) {
      expect(cluster).toBe('the cluster of kubeConfig edge');
      expect(object.uid).toBe('');
    }
  });

  it('keeps up with an inventory of 10,000 entries', async () => {
    const many = change(({ status }) => {
      for (let i = 0; i < 10_000; i += 1)
        status.inventory.entries.push({ id: `blog_settings-${i}__ConfigMap`, v: 'v1' });
    });
    const { effects } = await told(many, KUSTOMIZATION, { closedWorld: false });
    expect(effects.filter(({ object }) => object.kind === 'ConfigMap')).toHaveLength(10_001);
  });
});

describe('deleting what a Kustomization applies', () => {
  const DEPLOYMENT = 'Deployment blog/web';

  it('is undone by itself', async () => {
    const { lines, effects } = await told(objects, DEPLOYMENT);
    expect(lines).toEqual([`recreated automatically ${DEPLOYMENT} ${BY}`]);
    expect(effects[0]).toMatchObject({
      because: 'it is applied again every 10m0s, as spec.suspend is not set',
      instead: expect.stringContaining('flux suspend kustomization apps') as string,
    });
  });

  it('waits for somebody where the Kustomization is suspended', async () => {
    const { lines } = await told(
      change(({ spec }) => (spec.suspend = true)),
      DEPLOYMENT,
    );
    expect(lines).toEqual([`recreated onRequest ${DEPLOYMENT} ${BY}`]);
  });

  it.each<readonly [string, readonly Manifest[]]>([
    ['is gone', objects.filter(({ kind }) => kind !== 'Kustomization')],
    ['applies to another cluster', change(({ spec }) => (spec.kubeConfig = { secretRef: { name: 'edge' } }))],
  ])('is not sure where the Kustomization %s', async (_, all) => {
    const { effects } = await told(all, DEPLOYMENT);
    expect(effects).toMatchObject([{ effect: 'recreated', when: 'unknown' }]);
  });

  it('is not told where the Kustomization is being deleted, or deleted as well', async () => {
    const deleting = change(({ metadata }) => (metadata.deletionTimestamp = '2026-11-21T11:00:00Z'));
    expect((await told(deleting, DEPLOYMENT)).lines).toEqual([]);
    const inside = change(({ metadata }) => (metadata.namespace = 'blog')).map(each => {
      const labels = each.metadata.labels && {
        ...each.metadata.labels,
        'kustomize.toolkit.fluxcd.io/namespace': 'blog',
      };
      return { ...each, metadata: { ...each.metadata, ...(labels && { labels }) } };
    });
    const { lines } = await told(inside, 'Namespace blog');
    expect(lines.filter(line => line.startsWith('recreated') && line.includes('Deployment'))).toEqual([]);
  });

  it('says nothing of pods, whose labels say nothing of Flux', async () => {
    const pod: Manifest = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web-1', namespace: 'blog', uid: 'pod', labels: { app: 'web' } },
    };
    expect((await told([...objects, pod], 'Pod blog/web-1')).lines).toEqual([]);
  });
});

describe('a HelmRelease', () => {
  const RELEASE = 'HelmRelease demo/podinfo';
  const release = objectsOf('flux-helmrelease');
  const edited = (edit: (helmRelease: Manifest) => void) => altered(release, RELEASE, edit);
  const OF = `by Flux ${RELEASE}`;

  it('uninstalls its release with what Helm stores of it, and leaves what is to be kept', async () => {
    const { lines } = await told(release, RELEASE);
    expect(lines).toEqual([
      `deleted automatically Deployment demo/podinfo ${OF}`,
      `deleted automatically Secret demo/sh.helm.release.v1.podinfo.v1 ${OF}`,
      `deleted automatically Secret demo/sh.helm.release.v1.podinfo.v2 ${OF}`,
      `kept PersistentVolumeClaim demo/podinfo ${OF}`,
    ]);
  });

  it('keeps the history, or everything, where it says so', async () => {
    const history = await told(
      edited(({ spec }) => (spec.uninstall = { keepHistory: true })),
      RELEASE,
    );
    expect(history.lines.filter(line => line.includes('Secret'))).toEqual([]);
    const suspended = await told(
      edited(({ spec }) => (spec.suspend = true)),
      RELEASE,
    );
    expect(suspended.lines.filter(line => !line.startsWith('kept'))).toEqual([]);
    expect(suspended.lines).toContain(`kept Deployment demo/podinfo ${OF}`);
  });

  it('leaves the definitions of the crds folder of its chart', async () => {
    const definition = (name: string, annotations?: Record<string, string>): Manifest => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name, uid: name, ...(annotations && { annotations }) },
      spec: { group: 'x.example', names: { kind: name, plural: name }, scope: 'Namespaced', versions: [] },
    });
    const marks = { 'meta.helm.sh/release-name': 'podinfo', 'meta.helm.sh/release-namespace': 'demo' };
    const listed = edited(({ status }) => {
      status.inventory = {
        entries: ['folder', 'template'].map(name => ({
          id: `_${name}_apiextensions.k8s.io_CustomResourceDefinition`,
          v: 'v1',
        })),
      };
    });
    const { lines } = await told([...listed, definition('folder'), definition('template', marks)], RELEASE);
    expect(lines).toContain(`kept CustomResourceDefinition folder ${OF}`);
    expect(lines).toContain(`deleted automatically CustomResourceDefinition template ${OF}`);
  });

  it.each<readonly [string, string, unknown]>([
    ['automatically', 'enabled', { mode: 'enabled' }],
    ['onRequest', 'warn', { mode: 'warn' }],
    ['onRequest', 'not set', undefined],
    ['unknown', 'enabled, with exceptions', { mode: 'enabled', ignore: [{ paths: [''] }] }],
  ])('recreates %s where drift detection is %s', async (when, _, driftDetection) => {
    const { lines } = await told(
      edited(({ spec }) => (spec.driftDetection = driftDetection)),
      'Deployment demo/podinfo',
    );
    // Helm's own marks are the same release.
    expect(lines).toEqual([`recreated ${when} Deployment demo/podinfo ${OF}`]);
  });

  it('says where a release is in another cluster', async () => {
    const away = edited(({ spec }) => (spec.kubeConfig = { secretRef: { name: 'edge' } }));
    const { lines, reasons } = await told(away, RELEASE);
    expect(lines).toEqual([]);
    expect(reasons).toEqual([
      `Flux ${RELEASE}: it uninstalls its release in the cluster of kubeConfig edge, which is not this one`,
    ]);
  });
});

describe('Helm without a controller', () => {
  const marks = { 'meta.helm.sh/release-name': 'podinfo', 'meta.helm.sh/release-namespace': 'demo' };
  const release = objectsOf('flux-helmrelease')
    .filter(({ kind }) => kind !== 'HelmRelease')
    .map(each =>
      each.metadata.labels?.['helm.toolkit.fluxcd.io/name'] === undefined
        ? each
        : {
            ...each,
            metadata: {
              ...each.metadata,
              labels: { 'app.kubernetes.io/managed-by': 'Helm' },
              annotations: marks,
            },
          },
    );

  it('recreates nothing before the next upgrade', async () => {
    const { lines, effects } = await told(release, 'Deployment demo/podinfo');
    expect(lines).toEqual(['recreated onRequest Deployment demo/podinfo by Helm release demo/podinfo']);
    expect(effects[0]?.because).toContain('helm upgrade');
  });

  it('knows a release no more once its last Secret is deleted, and uninstalls nothing', async () => {
    const last = release.filter(({ metadata }) => metadata.name !== 'sh.helm.release.v1.podinfo.v1');
    const { lines } = await told(last, 'Secret demo/sh.helm.release.v1.podinfo.v2');
    expect(lines).toEqual([
      'kept Deployment demo/podinfo by Helm release demo/podinfo',
      'kept PersistentVolumeClaim demo/podinfo by Helm release demo/podinfo',
    ]);
    expect((await told(release, 'Secret demo/sh.helm.release.v1.podinfo.v2')).lines).toEqual([]);
  });
});

describe('a HelmRelease that is deleted', () => {
  const release = objectsOf('flux-helmrelease');
  const RELEASE = 'HelmRelease demo/podinfo';
  const change = (edit: (release: Manifest) => void) => altered(release, RELEASE, edit);

  it('has its HelmChart deleted, which has no owner', async () => {
    const charted = change(({ status }) => {
      status.helmChart = 'flux-system/demo-podinfo';
    });
    const chart: Manifest = {
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'HelmChart',
      metadata: { name: 'demo-podinfo', namespace: 'flux-system', uid: 'chart' },
    };
    expect((await told([...charted, chart], RELEASE)).lines).toContain(
      `deleted automatically HelmChart flux-system/demo-podinfo by Flux ${RELEASE}`,
    );
  });

  it.each([
    ['has no ServiceAccount any more', change(({ spec }) => (spec.serviceAccountName = 'gone'))],
    ['was never installed', change(({ status }) => delete status.storageNamespace)],
  ])('uninstalls nothing where it %s', async (_, objects) => {
    const { lines } = await told(objects, RELEASE);
    expect(lines).toContain(`kept Deployment demo/podinfo by Flux ${RELEASE}`);
    expect(lines.filter(line => line.startsWith('deleted'))).toEqual([]);
  });
});
