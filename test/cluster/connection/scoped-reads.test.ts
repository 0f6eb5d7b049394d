/** What a question about a namespace costs a real API server, by its own audit log. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCluster } from '../../../src/kube/open-cluster.ts';
import type { SourceBatch, TypeStatus } from '../../../src/model/exchange/changes.ts';
import type { ReadPlan } from '../../../src/model/exchange/reads.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { ResourceType } from '../../../src/model/types/resource-type.ts';
import type { Source } from '../../../src/source/source.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { everyReadVerb, letViewersRead } from '../diagnosis/viewers.ts';
import { eventually } from '../eventually.ts';
import { completeWords, runTool } from '../tool.ts';

const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  rules: [
    { level: 'Metadata', omitStages: ['RequestReceived', 'ResponseStarted'], users: ['reader', 'asker'] },
  ],
};

/** One request, as the API server saw it. */
interface Audited {
  readonly user: { readonly username: string };
  readonly verb: string;
  readonly requestURI: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly apiGroup?: string;
    readonly namespace?: string;
  };
}

interface Read {
  readonly source: Source;
  readonly types: ResourceType[];
  readonly statuses: Map<string, TypeStatus>;
  readonly objects: Map<string, KubeObject>;
  readonly answers: string[];
}

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('a question about a namespace', () => {
  let cluster: Cluster;
  let folder: string;
  let kubeconfig: string;
  /** Of who runs the tool, while what the reader has opened goes on reading. */
  let askers: string;
  const opened: Source[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gc-tree-audit-'));
    await writeFile(join(folder, 'policy.json'), JSON.stringify(policy));
    cluster = await startControlPlane({
      components: ['etcd', 'kube-apiserver'],
      apiServerFlags: [
        `--audit-policy-file=${join(folder, 'policy.json')}`,
        `--audit-log-path=${join(folder, 'audit.log')}`,
      ],
      users: ['reader', 'asker'].map(name => ({ name, token: `${name}-token`, groups: ['viewers'] })),
    });
    await letViewersRead(cluster, () => everyReadVerb);
    kubeconfig = await cluster.kubeconfig('reader');
    askers = await cluster.kubeconfig('asker');
    await cluster.addNodes(2);
    for (const namespace of ['shop', 'other']) await cluster.apply(manifests(namespace));
    const uid = (
      await cluster.kubectl(['get', 'statefulset', 'web', '-n', 'shop', '-o', 'jsonpath={.metadata.uid}'])
    ).trim();
    await cluster.apply([0, 1, 2].map(index => pod(index, uid)).join('\n---\n'));
    await eventually(() =>
      cluster.kubectl(['auth', 'can-i', 'list', 'secrets', '-A', `--kubeconfig=${kubeconfig}`]),
    );
  });
  afterAll(async () => {
    await Promise.all(opened.map(source => source.close()));
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** The requests so far. */
  const audited = async (by: 'reader' | 'asker' = 'reader'): Promise<readonly Audited[]> => {
    const lines = (await readFile(join(folder, 'audit.log'), 'utf8')).trim().split('\n');
    const all = lines.filter(line => line !== '').map(line => JSON.parse(line) as Audited);
    return all.filter(({ user }) => user.username === by);
  };

  /** Those that `during` makes, which says how many it has counted itself. */
  const requestsOf = async (
    during: () => Promise<() => number>,
    by: 'reader' | 'asker' = 'reader',
  ): Promise<readonly Audited[]> => {
    const before = (await audited(by)).length;
    const counted = await during();
    return eventually(async () => {
      const all = (await audited(by)).slice(before);
      // A line is written once the answer has been sent.
      expect(all).toHaveLength(counted());
      return all;
    });
  };

  const clusterScopedKinds = async (): Promise<ReadonlySet<string>> => {
    const names = await cluster.kubectl(['api-resources', '--namespaced=false', '--output=name']);
    return new Set(names.trim().split('\n'));
  };

  const start = async (reading: ReadPlan): Promise<Read & { readonly sent: () => number }> => {
    let sent = 0;
    const log = (line: string): void => {
      if (line.startsWith('GET ')) sent += 1;
    };
    const env = { HOME: folder };
    const source = openCluster({ kubeconfig, cacheDir: join(folder, 'cache') }, { env, verbosity: 6, log });
    opened.push(source);
    const read: Read = { source, types: [], statuses: new Map(), objects: new Map(), answers: [] };
    await source.start(batch => keep(read, batch), reading);
    await source.factsComplete;
    return { ...read, sent: () => sent };
  };

  const shop: ReadPlan = { scope: () => ({ namespaces: ['shop'] }), follows: false };

  it('lists each kind of that namespace once, and nothing else', async () => {
    let read: Awaited<ReturnType<typeof start>> | undefined;
    const requests = await requestsOf(async () => {
      read = await start(shop);
      return read.sent;
    });
    const { types = [], statuses, objects } = read ?? {};
    const namespaced = types.filter(type => type.namespaced && ResourceType.isMonitored(type));
    const lists = requests.filter(({ verb }) => verb === 'list');
    expect(lists.map(({ objectRef }) => objectRef?.namespace)).toEqual(lists.map(() => 'shop'));
    expect(lists.map(resourceOf).toSorted()).toEqual(namespaced.map(ResourceType.groupResource).toSorted());
    expect(requests.filter(({ verb }) => verb === 'watch')).toEqual([]);
    const others = requests.filter(({ verb }) => verb !== 'list').map(({ requestURI }) => requestURI);
    expect(others.toSorted()).toEqual(['/api', '/api/v1/namespaces/shop', '/apis', '/version']);
    const seen = [...(objects?.values() ?? [])].map(({ namespace, name }) => `${namespace}/${name}`);
    expect(seen).toEqual(expect.arrayContaining(['/shop', 'shop/web', 'shop/web-0', 'shop/data']));
    expect(seen.filter(name => name.startsWith('other/'))).toEqual([]);
    expect(statuses?.get('nodes')).toMatchObject({ state: 'unread', count: 0 });
    expect(statuses?.get('pods')).toMatchObject({
      state: 'synced',
      facts: true,
      count: 3,
      namespaces: ['shop'],
    });
  });

  it('reads what is wanted beside by name, with the facts that a list of the kind would bring', async () => {
    const all = await start({ follows: false });
    const requests = await requestsOf(async () => {
      const read = await start(shop);
      const { source, types, answers, objects } = read;
      const node = types.find(({ resource, group }) => resource === 'nodes' && group === '');
      const before = read.sent();
      if (node === undefined) throw new Error('no nodes');
      source.want?.(['node-1', 'node-9'].map(name => ({ type: node, namespace: '', name })));
      await eventually(() =>
        expect(answers).toEqual(expect.arrayContaining(['node-1 found', 'node-9 absent'])),
      );
      expect(read.sent() - before).toBe(2);
      const facts = (from: Read): unknown =>
        [...from.objects.values()].find(({ name }) => name === 'node-1')?.facts;
      expect(facts(read)).toMatchObject({ kind: 'Node' });
      expect(facts(read)).toEqual(facts(all));
      expect(objects.size).toBeGreaterThan(5);
      return read.sent;
    });
    expect(
      requests.filter(({ verb, objectRef }) => verb === 'list' && objectRef?.namespace === undefined),
    ).toEqual([]);
  });

  it('comes before the rest on a screen, and the rest is the same as without it', async () => {
    const all = await start({});
    await all.source.close();
    const before = (await audited()).length;
    const read = await start({ first: 'shop' });
    const isNamespaced = new Set(
      read.types
        .filter(type => type.namespaced && ResourceType.isMonitored(type))
        .map(ResourceType.groupResource),
    );
    await eventually(async () => {
      const lists = (await audited()).slice(before).filter(({ verb }) => verb === 'list');
      const wide = lists.filter(list => isWide(list) && isNamespaced.has(resourceOf(list)));
      expect(new Set(wide.map(resourceOf))).toEqual(isNamespaced);
      const last = lists.findLastIndex(({ objectRef }) => objectRef?.namespace === 'shop');
      expect(lists.slice(0, last).filter(list => wide.includes(list))).toEqual([]);
    });
    expect(factsOf(read)).toEqual(factsOf(all));
    expect([...read.statuses.values()].filter(({ namespaces }) => namespaces !== undefined)).toEqual([]);
  });

  it.each(['why', 'tree', 'plan delete', 'plan delete --cascade=foreground'])(
    'takes `%s` at most forty requests, none of which lists a namespaced kind in all namespaces',
    async words => {
      const requests = await requestsOf(async () => {
        const options = { kubeconfig: askers, env: { KUBECACHEDIR: join(folder, 'cache') } };
        const line = [...words.split(' '), 'statefulset/web', '-n', 'shop', '-v=6'];
        const { code, stdout, stderr } = await runTool(line, options);
        expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
        expect(stdout).toContain('StatefulSet shop/web');
        return () => stderr.split('\n').filter(each => each.startsWith('GET ')).length;
      }, 'asker');
      expect(requests.length).toBeLessThanOrEqual(40);
      const clusterScoped = await clusterScopedKinds();
      const wide = requests.filter(
        each => each.verb === 'list' && isWide(each) && !clusterScoped.has(nameOf(each)),
      );
      expect(wide.map(({ requestURI }) => requestURI)).toEqual([]);
      expect(requests.filter(({ verb }) => verb === 'watch')).toEqual([]);
    },
  );

  it('takes `why` of an object that a finalizer holds no more: one for events, none for what it says beside who set what', async () => {
    await cluster.apply(`
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: held, namespace: shop, finalizers: [example.com/drain]}
spec: {defaultBackend: {service: {name: web, port: {number: 80}}}}`);
    await cluster.kubectl(['delete', 'ingress', 'held', '-n', 'shop', '--wait=false']);
    const requests = await requestsOf(async () => {
      const options = { kubeconfig: askers, env: { KUBECACHEDIR: join(folder, 'cache') } };
      const { stdout, stderr } = await runTool(['why', 'ingress/held', '-n', 'shop', '-v=6'], options);
      expect(stdout).toContain('held by the finalizer example.com/drain');
      return () => stderr.split('\n').filter(each => each.startsWith('GET ')).length;
    }, 'asker');
    const uris = requests.map(({ requestURI }) => requestURI);
    expect(uris.length, uris.join('\n')).toBeLessThanOrEqual(40);
    // Who handles a finalizer may run in any namespace.
    const clusterScoped = await clusterScopedKinds();
    const wide = requests.filter(
      each => each.verb === 'list' && isWide(each) && !clusterScoped.has(nameOf(each)),
    );
    expect(wide.map(nameOf).toSorted()).toEqual(['daemonsets.apps', 'deployments.apps', 'statefulsets.apps']);
    expect(uris.filter(uri => uri.includes('/ingresses/held'))).toHaveLength(1);
    expect(uris.filter(uri => uri.includes('/events?'))).toHaveLength(1);
    // What else is in the namespace costs no more for that.
    const beside = await requestsOf(async () => {
      const options = { kubeconfig: askers, env: { KUBECACHEDIR: join(folder, 'cache') } };
      const { stderr } = await runTool(['why', 'statefulset/web', '-n', 'shop', '-v=6'], options);
      return () => stderr.split('\n').filter(each => each.startsWith('GET ')).length;
    }, 'asker');
    const widely = beside.filter(
      each => each.verb === 'list' && isWide(each) && !clusterScoped.has(nameOf(each)),
    );
    expect(widely.map(nameOf)).toEqual([]);
  });

  it.each([
    ['a type', ['why', 'statefuls'], ['statefulsets'], 0],
    ['a name', ['why', 'statefulset', '-n', 'shop', 'w'], ['web'], 1],
  ] as const)(
    'takes a Tab at most three requests for %s, and fewer the next time',
    async (what, words, found, next) => {
      const options = { kubeconfig: askers, env: { KUBECACHEDIR: join(folder, `cache of ${what}`) } };
      const press = async (): Promise<readonly Audited[]> => {
        const before = (await audited('asker')).length;
        expect(await completeWords(words, options)).toEqual(expect.arrayContaining([...found]));
        // Each request is written down before the next one is answered.
        const mark = `mark-${crypto.randomUUID()}`;
        const isMark = ({ requestURI }: Audited): boolean => requestURI.endsWith(mark);
        const path = `/api/v1/namespaces/shop/configmaps/${mark}`;
        await cluster.kubectl(['get', '--raw', path, `--kubeconfig=${askers}`]).catch(() => '');
        return eventually(async () => {
          const since = (await audited('asker')).slice(before);
          expect(since.some(isMark)).toBe(true);
          return since.slice(0, since.findIndex(isMark));
        });
      };
      expect((await press()).length).toBeLessThanOrEqual(3);
      expect((await press()).map(({ requestURI }) => requestURI)).toHaveLength(next);
    },
  );
});

function keep({ types, statuses, objects, answers }: Read, batch: SourceBatch): void {
  types.push(...(batch.types ?? []));
  for (const status of batch.statuses ?? []) statuses.set(ResourceType.groupResource(status.type), status);
  for (const change of batch.changes)
    if (change.op === 'upsert') objects.set(change.object.uid, change.object);
  for (const { lookUp, answer } of batch.lookUps ?? []) answers.push(`${lookUp.name} ${answer.state}`);
}

/** What is known of each object, by uid. */
function factsOf({ objects }: Read): Map<string, unknown> {
  return new Map([...objects].map(([uid, { name, facts }]) => [uid, { name, facts }]));
}

function isWide({ objectRef }: Audited): boolean {
  return objectRef?.namespace === undefined;
}

/** As `kubectl api-resources -o name` has it. */
function nameOf({ objectRef }: Audited): string {
  const { resource = '', apiGroup = '' } = objectRef ?? {};
  return apiGroup === '' ? resource : `${resource}.${apiGroup}`;
}

function resourceOf({ objectRef }: Audited): string {
  return ResourceType.groupResource({
    group: objectRef?.apiGroup ?? '',
    resource: objectRef?.resource ?? '',
  });
}

function manifests(namespace: string): string {
  return `
apiVersion: v1
kind: Namespace
metadata: {name: ${namespace}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: data, namespace: ${namespace}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web, namespace: ${namespace}}
spec:
  serviceName: web
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
`;
}

function pod(index: number, uid: string): string {
  return `
apiVersion: v1
kind: Pod
metadata:
  name: web-${index}
  namespace: shop
  labels: {app: web}
  ownerReferences:
  - {apiVersion: apps/v1, kind: StatefulSet, name: web, uid: ${uid}, controller: true, blockOwnerDeletion: true}
spec: {nodeName: node-1, containers: [{name: web, image: web}]}
`;
}
