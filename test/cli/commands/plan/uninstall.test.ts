import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../../src/cli/documents/definitions.ts';
import { folderOf } from '../../../source/files/reading.ts';
import { command } from '../../console.ts';
import { encodedRelease, PASSWORD, type ReleaseContent, released, storedRelease } from './stored-release.ts';

const web = `
---
# Source: web/templates/all.yaml
{apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {password: ${PASSWORD}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: kept, annotations: {helm.sh/resource-policy: " Keep"}}}
---
{apiVersion: v1, kind: Service, metadata: {name: web}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}
`;

const live = [
  released({ apiVersion: 'v1', kind: 'ConfigMap', name: 'settings' }),
  released({ apiVersion: 'v1', kind: 'ConfigMap', name: 'kept' }),
  released({ apiVersion: 'v1', kind: 'Service', name: 'web' }),
  released({ apiVersion: 'v1', kind: 'Secret', name: 'login' }),
  released({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }),
].join('');

const job = '{apiVersion: batch/v1, kind: Job, metadata: {name: clean}}';
const oldJob =
  '\n---\n{apiVersion: batch/v1, kind: Job, metadata: {name: clean, namespace: shop, uid: old-job}}\n';

function hook(policies: readonly string[], event = 'pre-delete', manifest = job): object {
  return { name: 'clean', kind: 'Job', path: 'x', manifest, events: [event], delete_policies: policies };
}

async function run(words: string, files: string) {
  const folder = folderOf({ 'all.yaml': files });
  return command(`${words} -f ${folder}/all.yaml`);
}

async function planned(
  content: ReleaseContent,
  objects = live,
  words = 'plan uninstall helm/web',
): Promise<Plan> {
  const { out, err } = await run(`${words} -n shop -o json`, objects + storedRelease(content));
  expect(err).not.toContain(PASSWORD);
  expect(out).not.toContain(PASSWORD);
  return JSON.parse(out) as Plan;
}

const asked = ({ steps }: Plan): string[] =>
  steps.filter(({ actor }) => actor === 'user').map(({ object }) => `${object.kind} ${object.name}`);

const RELEASE = 'Secret sh.helm.release.v1.web.v1';

describe('plan uninstall', () => {
  test('deletes what the manifest names in Helm’s order, and what Helm stores last', async () => {
    const plan = await planned({ manifest: web });
    expect(plan.action).toMatchObject({
      verb: 'uninstall',
      cascade: 'background',
      release: { name: 'web', namespace: 'shop', revision: 1 },
    });
    expect(asked(plan)).toEqual([
      'Service web',
      'Deployment web',
      'ConfigMap settings',
      'Secret login',
      RELEASE,
    ]);
    expect(plan.steps[0]?.request).toContain('propagationPolicy=Background');
    expect(plan.uninstall?.kept).toMatchObject([
      { object: { name: 'kept' }, because: 'the annotation helm.sh/resource-policy says keep' },
    ]);
    expect(plan.kubectl).toBe('helm uninstall web -n shop');
    expect(plan.outcome).toBe('Completes');
    // The next upgrade isn't expected, nor is the annotated object told twice.
    expect(plan.logical).toBeUndefined();
  });

  test('sorts kinds that Helm doesn’t know last, by their names', async () => {
    const kinds = ['Widget', 'NetworkPolicy', 'Apple', 'APIService'];
    const manifest = kinds.map(
      kind => `---\n{apiVersion: example.com/v1, kind: ${kind}, metadata: {name: x}}\n`,
    );
    const objects = kinds.map(kind => released({ apiVersion: 'example.com/v1', kind, name: 'x' }));
    const plan = await planned({ manifest: manifest.join('') }, objects.join(''));
    expect(asked(plan)).toEqual(['APIService x', 'NetworkPolicy x', 'Apple x', 'Widget x', RELEASE]);
  });

  test('takes lists apart, and judges them by the annotation of the list', async () => {
    const settings = '{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}';
    const kept = '{apiVersion: v1, kind: ConfigMap, metadata: {name: kept}}';
    const plan = await planned({
      manifest: `{apiVersion: v1, kind: List, items: [${settings}]}\n---\n{apiVersion: v1, kind: List, metadata: {annotations: {helm.sh/resource-policy: keep}}, items: [${kept}]}`,
    });
    expect(asked(plan)).toEqual(['ConfigMap settings', RELEASE]);
    expect(plan.uninstall?.kept.map(({ object }) => object.name)).toEqual(['kept']);
  });

  test('deletes nothing with an unknown policy', async () => {
    const manifest = web.replace('" Keep"', 'delete');
    const plan = await planned({ manifest });
    expect(asked(plan)).not.toContain('ConfigMap kept');
    expect(plan.uninstall?.kept).toMatchObject([{ object: { name: 'kept' } }]);
  });

  test('reports what is gone already', async () => {
    const objects = live.replace('name: settings', 'name: other');
    const unsure = await planned({ manifest: web }, objects);
    expect(unsure.warnings.join()).toContain(
      "Assumed to be gone, because it isn't among what can be seen: ConfigMap shop/settings",
    );
    const plan = await planned({ manifest: web }, objects, 'plan uninstall web --closed-world');
    expect(plan.notFound).toMatchObject([{ kind: 'ConfigMap', name: 'settings', because: 'absent' }]);
    expect(plan.outcome).toBe('Completes');
  });

  test('warns of objects that another release has taken over', async () => {
    const plan = await planned({ manifest: web }, live.replace('release-name: web', 'release-name: other'));
    expect(plan.warnings.join()).toContain('Helm 3 deletes it all the same');
  });

  test('orphans dependents of the manifest alone', async () => {
    const content = { manifest: web, hooks: [hook(['before-hook-creation'])] };
    const plan = await planned(content, live + oldJob, 'plan uninstall web --cascade=orphan');
    const policies = plan.steps.filter(({ actor }) => actor === 'user').map(({ request = '' }) => request);
    expect(policies[0]).toContain('propagationPolicy=Background');
    expect(policies[1]).toContain('propagationPolicy=Orphan');
    expect(policies.at(-1)).not.toContain('propagationPolicy');
  });

  test('warns first of an operator that is deleted before its objects', async () => {
    const operator = '{apiVersion: apps/v1, kind: Deployment, metadata: {name: example-operator}}';
    const held = '{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}';
    const objects = [
      released({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: 'example-operator',
        more: ', generation: 1',
        spec: ', spec: {replicas: 1, selector: {matchLabels: {app: o}}, template: {metadata: {labels: {app: o}}, spec: {containers: [{name: main, image: "registry.example.com/example-operator"}]}}}, status: {replicas: 1, readyReplicas: 1, observedGeneration: 1}',
      }),
      released({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: 'settings',
        more: ', finalizers: [example.com/hold]',
      }),
    ];
    const plan = await planned({ manifest: `${operator}\n---\n${held}` }, objects.join(''));
    expect(plan.outcome).toBe('Stuck');
    expect(plan.warnings[0]).toContain('Deployment shop/example-operator is deleted too');
  });

  test('keeps what Helm stores with --keep-history', async () => {
    const plan = await planned({ manifest: web }, live, 'plan uninstall web --keep-history');
    expect(asked(plan)).not.toContain(RELEASE);
    expect(plan.kubectl).toBe('helm uninstall web -n shop --keep-history');
  });

  test('only deletes the history of a release that is uninstalled already', async () => {
    const content = { manifest: web, status: 'uninstalled' };
    expect(asked(await planned(content))).toEqual([RELEASE]);
    const again = await planned(content, live, 'plan uninstall web --keep-history');
    expect(again.outcome).toBe('Refused');
    expect(again.uninstall?.stops).toBe('it is uninstalled already');
  });

  test('leaves definitions of the folder crds and hooks of an installation', async () => {
    const definition =
      '{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.example.com, uid: crd}, spec: {group: example.com, scope: Namespaced, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true, storage: true}]}}';
    const plan = await planned(
      { manifest: web, crds: { 'crds/widgets.yaml': definition }, hooks: [hook([], 'post-install')] },
      `${live}${oldJob}\n---\n${definition}\n`,
    );
    expect(plan.uninstall?.kept.map(({ object }) => object.name)).toEqual([
      'kept',
      'widgets.example.com',
      'clean',
    ]);
    expect(plan.uninstall?.hooks).toEqual([]);
    const going = definition.replace('uid: crd', 'uid: crd, deletionTimestamp: "2026-11-21T11:48:00Z"');
    const without = await planned(
      { manifest: web, crds: { 'crds/a.yml': definition } },
      `${live}\n---\n${going}\n`,
    );
    expect(without.uninstall?.kept.map(({ object }) => object.name)).toEqual(['kept']);
  });

  test('deletes nothing if the cluster no longer serves a kind of the manifest', async () => {
    const plan = await planned({
      manifest: `${web}---\n{apiVersion: policy/v1beta1, kind: PodDisruptionBudget, metadata: {name: web}}\n`,
    });
    expect(plan.outcome).toBe('Refused');
    expect(asked(plan)).toEqual([]);
    expect(plan.uninstall?.stops).toContain('no kind PodDisruptionBudget in policy/v1beta1');
  });

  test('deletes the rest if files leave out a definition, since the cluster may serve the kind', async () => {
    const manifest = `${web}---\n{apiVersion: example.com/v1, kind: Widget, metadata: {name: odd}}\n`;
    const plan = await planned({ manifest });
    expect([plan.outcome, asked(plan)[0], plan.uninstall?.stops]).toEqual([
      'Completes',
      'Service web',
      undefined,
    ]);
    expect(plan.warnings.join()).toContain("isn't among what can be seen: Widget shop/odd");
    const whole = await planned({ manifest }, live, 'plan uninstall web --closed-world');
    expect(whole.uninstall?.stops).toContain('no kind Widget in example.com/v1');
  });
});

describe('hooks of an uninstallation', () => {
  test('replace a former object first, without a policy too', async () => {
    for (const policies of [[], ['before-hook-creation'], ['before-hook-creation', 'hook-succeeded']]) {
      const plan = await planned({ manifest: web, hooks: [hook(policies)] }, live + oldJob);
      expect(asked(plan).slice(0, 2)).toEqual(['Job clean', 'Service web']);
      expect(plan.uninstall?.hooks).toMatchObject([
        { event: 'pre-delete', replaces: true, end: policies.length === 2 ? 'deleted' : 'stays' },
      ]);
    }
  });

  test('stop everything if a former object is in their way', async () => {
    const plan = await planned({ manifest: web, hooks: [hook(['hook-succeeded'])] }, live + oldJob);
    expect([plan.outcome, asked(plan)]).toEqual(['Refused', []]);
    expect(plan.uninstall?.stops).toBe('its hook Job clean fails: it exists already');
    const without = await planned(
      { manifest: web, hooks: [hook(['hook-succeeded'])] },
      live + oldJob,
      'plan uninstall web --no-hooks',
    );
    expect(asked(without)[0]).toBe('Service web');
  });

  test('can’t be created in a namespace that is being deleted', async () => {
    const namespace =
      '\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: shop, uid: shop, deletionTimestamp: "2026-11-21T11:48:00Z"}, spec: {finalizers: [kubernetes]}}\n';
    const plan = await planned({ manifest: web, hooks: [hook([])] }, live + namespace);
    expect(plan.uninstall?.stops).toBe('its hook Job clean fails: its namespace is being deleted');
  });

  test('stop everything if a former object is held', async () => {
    const held = oldJob.replace('uid: old-job', 'uid: old-job, finalizers: [example.com/hold]');
    const plan = await planned({ manifest: web, hooks: [hook([])] }, live + held);
    expect(asked(plan)).toEqual(['Job clean']);
    expect(plan.warnings.join()).toContain('Helm first waits until Job shop/clean is gone');
    const after = await planned({ manifest: web, hooks: [hook([], 'post-delete')] }, live + held);
    expect(asked(after).slice(-2)).toEqual(['Job clean', RELEASE]);
  });

  test('run by weight and then by name, and fail where one of them left its object', async () => {
    const second = { ...hook([]), name: 'a', weight: 1, manifest: job.replace('clean', 'a') };
    const plan = await planned({
      manifest: web,
      hooks: [second, hook(['hook-failed']), hook(['hook-failed'], 'post-delete')],
    });
    expect(plan.uninstall?.hooks.map(({ object, end }) => [object.name, end])).toEqual([
      ['clean', 'stays'],
      ['a', 'stays'],
      ['clean', 'fails'],
    ]);
    expect(plan.outcome).toBe('Completes');
  });
});

describe('a release that can’t be read', () => {
  const error = async (files: string, words = 'plan uninstall helm/web -n shop') => {
    const { err, exitCode, out } = await run(words, files);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err.trim().split('\n').length).toBeLessThanOrEqual(2);
    return err;
  };

  test('names the releases that are there', async () => {
    const other = storedRelease({ manifest: web }, { name: 'webb' });
    expect(await error(live + other)).toContain('Did you mean webb?');
    const two = other + storedRelease({ manifest: web }, { name: 'api' });
    expect(await error(two, 'plan uninstall xyzzy -n shop')).toContain('Releases there: api, webb.');
  });

  test('takes the newest revision, and ConfigMaps too', async () => {
    const old = storedRelease({ manifest: '' }, { revision: 9 });
    const { out } = await run(
      'plan uninstall web -n shop -o json',
      live + storedRelease({ manifest: web }, { revision: 10 }) + old,
    );
    const plan = JSON.parse(out) as Plan;
    expect(plan.action.release?.revision).toBe(10);
    expect(asked(plan).slice(-2)).toEqual([
      RELEASE.replace('v1.web.v1', 'v1.web.v9'),
      RELEASE.replace('web.v1', 'web.v10'),
    ]);
    const stored = await run(
      'plan uninstall web -n shop -o json',
      live + storedRelease({ manifest: web }, { kind: 'ConfigMap' }),
    );
    expect(asked(JSON.parse(stored.out) as Plan).at(-1)).toBe('ConfigMap sh.helm.release.v1.web.v1');
  });

  test.each([
    ['no base64', '%%%'],
    ['no gzip', Buffer.from(`\u001F\u008B\u0008${PASSWORD}`, 'latin1').toString('base64')],
    ['no JSON', gzipSync(`{"name": ${PASSWORD}`).toString('base64')],
    ['no object', gzipSync('[1]').toString('base64')],
    ['half', encodedRelease({ manifest: web }).slice(0, 100)],
  ])('explains %s', async (_what, data) => {
    const err = await error(storedRelease(data));
    expect(err).toContain('has no revision that can be decoded');
    expect(err).not.toContain(PASSWORD);
  });

  test('takes the newest revision that Helm can decode, and keeps the others', async () => {
    const revisions = [1, 2, 3].map(revision =>
      storedRelease(revision === 2 ? { manifest: web } : '%%%', { revision }),
    );
    const { out } = await run('plan uninstall web -n shop -o json', live + revisions.join(''));
    const plan = JSON.parse(out) as Plan;
    expect(plan.action.release?.revision).toBe(2);
    expect(asked(plan).filter(each => each.startsWith('Secret sh.helm'))).toEqual([
      RELEASE.replace('v1.web.v1', 'v1.web.v2'),
    ]);
    expect(plan.uninstall?.kept?.slice(-2)).toEqual(
      [1, 3].map(revision => ({
        object: expect.objectContaining({ name: `sh.helm.release.v1.web.v${revision}` }),
        because: "Helm can't decode this revision; it uninstalls revision 2",
      })),
    );
  });

  test('explains a release that is too large', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, ' ')).toString('base64');
    expect(await error(storedRelease(bomb))).toContain('is too large to decode');
  });

  test('explains a manifest that is no YAML, and a Secret without data', async () => {
    expect(await error(storedRelease({ manifest: `a: [${PASSWORD}` }))).toContain('is no valid YAML');
    expect(await error(storedRelease(''))).toContain('has no release in its data');
  });

  test('takes one release and its own flags', async () => {
    for (const words of [
      'plan uninstall',
      'plan uninstall a b',
      'plan uninstall sts/a/b',
      'plan delete sts/web --keep-history',
    ])
      expect((await run(words, live)).exitCode).toBe(2);
  });
});
