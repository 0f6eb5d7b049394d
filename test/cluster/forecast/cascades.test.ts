/**
 * The managing objects of docs/gitops on a real API server, without their controllers: what is read of their specs over
 * the wire tells the same as the files do, and costs a request each.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Plan } from '../../../src/cli/documents/definitions.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually, PATIENTLY } from '../eventually.ts';
import { runTool } from '../tool.ts';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion?: string;
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
  readonly status?: object;
}

const folder = join(import.meta.dirname, '..', '..', '..', 'docs', 'gitops');
const pages = ['argo-cd', 'flux-kustomization', 'flux-helmrelease', 'crossplane', 'cluster-api'] as const;
const fileOf = (page: (typeof pages)[number]): string => join(folder, `${page}.yaml`);
const builtIn = /^(?:v1|apps\/v1|apiextensions\.k8s\.io\/v1)$/u;

function groupOf({ apiVersion }: Manifest): string {
  return apiVersion.slice(0, apiVersion.indexOf('/'));
}

/** The definition of its kind, which keeps any field and lets the status be written with the rest. */
function definitionOf(object: Manifest): object {
  const plural = `${object.kind.toLowerCase()}s`;
  const version = object.apiVersion.slice(object.apiVersion.indexOf('/') + 1);
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${groupOf(object)}`,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' },
    },
    spec: {
      group: groupOf(object),
      scope: object.metadata.namespace === undefined ? 'Cluster' : 'Namespaced',
      names: { plural, singular: object.kind.toLowerCase(), kind: object.kind },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  };
}

/** Of the collection that it is created in. */
function pathOf({ apiVersion, kind, metadata: { namespace } }: Manifest): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const place = namespace === undefined ? '' : `/namespaces/${namespace}`;
  return `${root}${place}/${kind.toLowerCase()}s`;
}

describe('managing objects on a real API server', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  const uids = new Map<string, string>();

  const create = async (object: Manifest): Promise<void> => {
    const { uid: given, resourceVersion: _version, ownerReferences, ...metadata } = object.metadata;
    const owners = ownerReferences?.map(each => ({ ...each, uid: uids.get(each.uid) ?? each.uid }));
    const body = { ...object, metadata: { ...metadata, ...(owners && { ownerReferences: owners }) } };
    const path = pathOf(object);
    const { metadata: made } = await cluster.api.json<Manifest>({ method: 'POST', path, body });
    uids.set(given, made.uid);
    if (object.status === undefined || !object.apiVersion.startsWith('apps/')) return;
    await cluster.api.json({
      method: 'PATCH',
      path: `${path}/${object.metadata.name}/status`,
      contentType: 'application/merge-patch+json',
      body: { status: object.status },
    });
  };

  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 0, components: ['etcd', 'kube-apiserver'] });
    kubeconfig = await cluster.kubeconfig();
    const objects = pages.flatMap(page =>
      parseAllDocuments(readFileSync(fileOf(page), 'utf8')).map(each => each.toJS() as Manifest),
    );
    const definitions = new Map(
      objects
        .filter(({ apiVersion }) => !builtIn.test(apiVersion))
        .map(each => [`${groupOf(each)}/${each.kind}`, definitionOf(each)]),
    );
    const namespaces = new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));
    for (const { kind, metadata } of objects) if (kind === 'Namespace') namespaces.delete(metadata.name);
    const first = [...namespaces].map(name => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
    await cluster.apply(
      [...definitions.values(), ...first].map(each => JSON.stringify(each)).join('\n---\n'),
    );
    await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all', PATIENTLY]);
    // Discovery follows the condition.
    for (const { kind, apiVersion } of objects)
      if (!builtIn.test(apiVersion))
        await eventually(() =>
          cluster.kubectl(['get', `${kind}.${apiVersion.split('/').toReversed().join('.')}`, '-A']),
        );
    // Who may not take its finalizer off doesn't act.
    await cluster.kubectl([
      'create',
      'clusterrolebinding',
      'controllers',
      '--clusterrole=cluster-admin',
      '--group=system:serviceaccounts',
    ]);
    const made = new Set<string>();
    // Two pages have a controller in common.
    for (const object of [...objects.filter(({ kind }) => kind === 'Namespace'), ...objects]) {
      const place = `${pathOf(object)}/${object.metadata.name}`;
      if (made.has(place)) continue;
      made.add(place);
      await create(object);
    }
  });
  afterAll(() => cluster?.stop());

  const logicalOf = async (words: string, options: readonly string[]): Promise<readonly unknown[]> => {
    const { code, stdout, stderr } = await runTool(
      ['plan', 'delete', ...words.split(' '), '-o', 'json', ...options],
      { kubeconfig },
    );
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    const { logical = [] } = JSON.parse(stdout) as Plan;
    return logical.map(({ object: { uid: _uid, ...object }, ...each }) => ({ ...each, object }));
  };

  it.each([
    ['argo-cd', 'application/shop -n argocd'],
    ['argo-cd', 'deployment/api -n shop'],
    ['argo-cd', 'namespace/shop'],
    ['flux-kustomization', 'kustomization/apps -n flux-system'],
    ['flux-kustomization', 'deployment/web -n blog'],
    ['flux-helmrelease', 'helmrelease/podinfo -n demo'],
    ['flux-helmrelease', 'deployment/podinfo -n demo'],
    ['crossplane', 'database/orders -n shop'],
    ['crossplane', 'instance/orders-x7k2p-4lq9d'],
    ['cluster-api', 'clusters.cluster.x-k8s.io/edge -n fleet'],
  ] as const)('tell the same of %s as the file: %s', async (page, words) => {
    const ofFile = await logicalOf(words, ['-f', fileOf(page), '--closed-world']);
    expect(ofFile.length).toBeGreaterThan(0);
    const here = new Set(ofFile.map(each => JSON.stringify(each)));
    // Of a target without a namespace everything is read anyway.
    const all = words.includes(' -n ') ? ['-A'] : [];
    const there = (await logicalOf(words, all)).map(each => JSON.stringify(each));
    // Two pages share the namespace shop.
    expect(there.filter(each => here.has(each)).sort()).toEqual([...here].sort());
    if (words !== 'namespace/shop') expect(there.length).toBe(here.size);
  });

  const asked = async (words: string): Promise<{ readonly requests: string[]; readonly plan: Plan }> => {
    const line = ['plan', 'delete', ...words.split(' '), '-o', 'json', '-v=6'];
    const { code, stdout, stderr } = await runTool(line, { kubeconfig });
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    return {
      requests: stderr.split('\n').filter(each => each.startsWith('GET ')),
      plan: JSON.parse(stdout) as Plan,
    };
  };

  it.each([
    ['shop', 'api', '/namespaces/argocd/applications/shop'],
    ['blog', 'web', '/namespaces/flux-system/kustomizations/apps'],
  ])(
    'cost a plan about namespace %s one request beside those for what nobody manages',
    async (namespace, name, path) => {
      const spec = { selector: { matchLabels: { app: 'plain' } } };
      const template = {
        metadata: { labels: { app: 'plain' } },
        spec: { containers: [{ name: 'a', image: 'a' }] },
      };
      const plain = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'plain', namespace } };
      await cluster.apply(JSON.stringify({ ...plain, spec: { ...spec, template } }));
      const unmanaged = await asked(`deployment/plain -n ${namespace}`);
      expect(unmanaged.plan).not.toHaveProperty('logical');
      const { requests, plan } = await asked(`deployment/${name} -n ${namespace}`);
      expect(requests.filter(each => each.includes(path))).toHaveLength(1);
      expect(requests.length, requests.join('\n')).toBe(unmanaged.requests.length + 1);
      expect(plan.logical).toMatchObject([{ effect: 'recreated', when: 'automatically' }]);
    },
  );

  it('read by name what an Application reports, in namespaces that are not read', async () => {
    const { requests, plan } = await asked('application/shop -n argocd');
    // Once for what it reports, with the waits, and once for what is deleted with it.
    expect(requests.filter(each => each.includes('/namespaces/argocd/applications/shop'))).toHaveLength(2);
    const inShop = plan.logical?.filter(({ object }) => object.namespace === 'shop') ?? [];
    expect(Object.fromEntries(inShop.map(each => [each.object.kind, each.when ?? each.effect]))).toEqual({
      ConfigMap: 'automatically',
      Deployment: 'automatically',
      // An annotation of it says so.
      PersistentVolumeClaim: 'kept',
      Service: 'automatically',
    });
    for (const { object } of inShop) expect(object).toHaveProperty('uid');
    expect(requests.filter(each => /\/namespaces\/shop\/\w+ 200/u.test(each))).toEqual([]);
  });
});
