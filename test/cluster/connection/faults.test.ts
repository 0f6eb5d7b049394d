/**
 * A connection that misbehaves, at the start and while it runs: after the fault the tree equals that of a
 * fresh start on an undisturbed connection.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster, StoredObject } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { type Fault, type FaultProxy, startFaultProxy } from '../../harness/fault-proxy.ts';
import { httpsServer } from '../../kube/local-server.ts';
import { eventually } from '../eventually.ts';
import { comparable, nodeOf, type OwnershipTree, placesOf, readTree, title } from '../ownership-document.ts';
import { type RunningTool, runTool, startTool, type ToolResult } from '../tool.ts';

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('a connection with faults', () => {
  let cluster: Cluster;
  let proxy: FaultProxy;
  let direct: string;
  let through: string;
  let running: RunningTool | undefined;
  beforeAll(async () => {
    cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver'] });
    const { ca, serving } = cluster.tls;
    proxy = await startFaultProxy({ upstream: cluster.server, upstreamCa: ca, certificate: serving });
    direct = await cluster.kubeconfig();
    through = await cluster.kubeconfig('admin', proxy.url);
    for (let index = 0; index < 20; index += 1) await family(`family-${index}`);
  });
  afterEach(async () => {
    proxy.liftRules();
    running?.child.kill('SIGINT');
    await running?.exit;
    running = undefined;
  });
  afterAll(async () => {
    await proxy.stop();
    await cluster.stop();
  });

  /** A ConfigMap that owns a Secret of the same name. */
  async function family(name: string): Promise<void> {
    const base = '/api/v1/namespaces/default';
    const { metadata } = await cluster.api.json<{ metadata: { uid: string } }>({
      method: 'POST',
      path: `${base}/configmaps`,
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
    });
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid: metadata.uid }];
    await cluster.api.json({
      method: 'POST',
      path: `${base}/secrets`,
      body: { apiVersion: 'v1', kind: 'Secret', metadata: { name, ownerReferences } },
    });
  }

  const scope = ['-n', 'default'];
  const list = /^GET \/api\/v1\/(namespaces\/default\/)?(configmaps|secrets)\b/;

  it.each<[string, Fault, number]>([
    ['429 with Retry-After', { kind: 'status', status: 429, retryAfter: 1 }, 2],
    ['500', { kind: 'status', status: 500 }, 2],
    ['503', { kind: 'status', status: 503 }, 2],
    ['410', { kind: 'status', status: 410 }, 1],
    ['a body that breaks off', { kind: 'cut', afterBytes: 700 }, 2],
    ['garbage', { kind: 'garbage' }, 2],
    ['delay', { kind: 'delay', milliseconds: 500 }, 4],
  ])('ends with the whole tree when the first lists meet %s', async (_, fault, times) => {
    const rule = proxy.addRule({ match: list, fault, times });
    const tree = await readTree(scope, { kubeconfig: through });
    rule.lift();
    expect(rule.hits).toBeGreaterThan(0);
    expect(comparable(tree)).toEqual(comparable(await readTree(scope, { kubeconfig: direct })));
  });

  it('names a kind that stays forbidden and shows the rest', async () => {
    const rule = proxy.addRule({ match: /\/secrets\b/, fault: { kind: 'status', status: 403 } });
    const tree = await readTree(scope, { kubeconfig: through });
    rule.lift();
    expect(tree.basis.blindSpots.map(spot => spot.resource)).toEqual(['secrets']);
    expect(nodeOf(tree, 'ConfigMap/family-0').dependents).toEqual([]);
  });

  it.each([
    ['before its first byte', 0],
    ['in the middle', 700],
  ])('names a kind whose list stalls %s, and shows the rest', async (_, afterBytes) => {
    const rule = proxy.addRule({ match: /\/secrets\b/, fault: { kind: 'stall', afterBytes } });
    const tree = await readTree(scope, { kubeconfig: through });
    rule.lift();
    expect(tree.basis.blindSpots.map(spot => spot.resource)).toEqual(['secrets']);
    expect(placesOf(tree, 'ConfigMap/family-0')).toHaveLength(1);
  });

  /** `tree --watch -o json`, which prints the whole document after every change. */
  async function watchTree(within: readonly string[] = scope): Promise<() => OwnershipTree> {
    const tool = startTool(['tree', ...within, '-o', 'json', '--watch'], { kubeconfig: through });
    running = tool;
    const latest = () => lastDocument(tool.stdout());
    await eventually(() => expect(latest().roots.length).toBeGreaterThan(0));
    return latest;
  }

  async function expectSameAsFresh(latest: () => OwnershipTree): Promise<void> {
    await eventually(async () => {
      const fresh = await readTree(scope, { kubeconfig: direct });
      expect(comparable(latest())).toEqual(comparable(fresh));
    });
  }

  it.each<[string, () => void]>([
    ['every connection is cut', () => proxy.cutEverything()],
    [
      'every watch is cut',
      () => {
        for (const exchange of proxy.exchanges(/watch=/)) exchange.cut();
      },
    ],
    [
      'every watch ends for its resourceVersion being too old',
      () => {
        for (const exchange of proxy.exchanges(/watch=/)) exchange.sendGone();
      },
    ],
  ])('loses neither births nor deaths when %s', async (what, disturb) => {
    const name = `late-${what.toLowerCase().replaceAll(/\W+/g, '-').slice(0, 30)}`;
    await family(`${name}-gone`);
    const latest = await watchTree();
    await eventually(() => expect(latest().roots.map(title)).toContain(`ConfigMap/${name}-gone`));
    // While these last, no new watch or list gets through, so what happens meanwhile is in no stream.
    const rule = proxy.addRule({ match: list, fault: { kind: 'status', status: 503 } });
    disturb();
    await cluster.kubectl(['delete', 'configmap,secret', `${name}-gone`]);
    await family(`${name}-born`);
    await eventually(() => expect(rule.hits).toBeGreaterThan(0));
    rule.lift();
    await expectSameAsFresh(latest);
    expect(latest().roots.map(title)).toContain(`ConfigMap/${name}-born`);
    expect(latest().roots.map(title)).not.toContain(`ConfigMap/${name}-gone`);
  });

  it('reconnects to an API server that was killed and restarted', async () => {
    const latest = await watchTree();
    await cluster.component('kube-apiserver').kill();
    await cluster.component('kube-apiserver').start();
    await family('after-the-crash');
    await expectSameAsFresh(latest);
    expect(latest().roots.map(title)).toContain('ConfigMap/after-the-crash');
  });

  describe('meanwhile, of a kind that goes,', () => {
    const everything = ['-A'];
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

    /** A kind with two objects, one of which owns a ConfigMap, on a tree that is followed. */
    async function watchKind(group: string): Promise<() => OwnershipTree> {
      await cluster.api.json({ method: 'POST', path: crds, body: definitionOf(group) });
      const owner = await eventually(() => create(group, 'owner'));
      await create(group, 'alone');
      const { apiVersion, kind, metadata } = owner;
      const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }];
      await cluster.api.json({
        method: 'POST',
        path: '/api/v1/namespaces/default/configmaps',
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `of-${group}`, ownerReferences } },
      });
      const latest = await watchTree(everything);
      await eventually(() => {
        expect(stateOf(latest(), group, 'owner')).toEqual(['Live', 'None']);
        expect(stateOf(latest(), group, 'alone')).toEqual(['Live', 'None']);
      });
      return latest;
    }

    function create(group: string, name: string): Promise<StoredObject> {
      const path = `/apis/${group}/v1/namespaces/default/parcels`;
      const body = { apiVersion: `${group}/v1`, kind: 'Parcel', metadata: { name } };
      return cluster.api.json<StoredObject>({ method: 'POST', path, body });
    }

    /** What is told of an object, if anything is. */
    function stateOf(tree: OwnershipTree, group: string, name: string): readonly string[] | undefined {
      const node = placesOf(tree, `Parcel/${name}`).find(({ object }) => object.apiVersion === `${group}/v1`);
      return node && [node.state, node.verdict];
    }

    /** A document is printed when an object has changed, not when only kinds have. */
    async function printedAnew(
      latest: () => OwnershipTree,
      check: () => Promise<void> | void,
    ): Promise<void> {
      await eventually(async () => {
        const name = `anew-${Date.now()}`;
        await family(name);
        await eventually(() => expect(latest().roots.map(title)).toContain(`ConfigMap/${name}`));
        await check();
      });
    }

    /** Nothing gets through until it is lifted. */
    function silence(): () => void {
      const rule = proxy.addRule({ match: /^GET /u, fault: { kind: 'status', status: 503 } });
      proxy.cutEverything();
      return () => rule.lift();
    }

    it.each([
      ['with its objects', false],
      ['after its objects', true],
    ])('has nothing where its definition was deleted %s', async (what, isEmpty) => {
      const group = `${what.replaceAll(' ', '-')}.example.com`;
      const latest = await watchKind(group);
      const lift = silence();
      if (isEmpty)
        await cluster.api.json({ method: 'DELETE', path: `/apis/${group}/v1/namespaces/default/parcels` });
      await cluster.kubectl(['delete', 'crd', `parcels.${group}`]);
      lift();
      await printedAnew(latest, async () =>
        expect(comparable(latest())).toEqual(comparable(await readTree(everything, { kubeconfig: direct }))),
      );
      // The collector isn't there, and what refers to the owner stays.
      expect(stateOf(latest(), group, 'owner')).toEqual(['Virtual', 'None']);
      expect(nodeOf(latest(), `ConfigMap/of-${group}`).verdict).toBe('RetryForever');
      expect(stateOf(latest(), group, 'alone')).toBeUndefined();
    });

    it('has others where its definition was created again', async () => {
      const group = 'again.example.com';
      const latest = await watchKind(group);
      const lift = silence();
      await cluster.kubectl(['delete', 'crd', `parcels.${group}`]);
      await cluster.api.json({ method: 'POST', path: crds, body: definitionOf(group) });
      await eventually(() => create(group, 'later'));
      lift();
      await printedAnew(latest, async () =>
        expect(comparable(latest())).toEqual(comparable(await readTree(everything, { kubeconfig: direct }))),
      );
      expect(stateOf(latest(), group, 'alone')).toBeUndefined();
      expect(stateOf(latest(), group, 'later')).toEqual(['Live', 'None']);
    });

    it('keeps what it had where no version is served any more', async () => {
      const group = 'unserved.example.com';
      const latest = await watchKind(group);
      const lift = silence();
      await cluster.api.json({
        method: 'PATCH',
        path: `${crds}/parcels.${group}`,
        contentType: 'application/json-patch+json',
        body: [{ op: 'replace', path: '/spec/versions/0/served', value: false }],
      });
      await eventually(() => expectUnserved(group));
      lift();
      await printedAnew(latest, () =>
        expect(stateOf(latest(), group, 'alone')).toEqual(['Live', 'RetryForever']),
      );
    });

    it('keeps what it had where an API server stands behind it that is no longer asked', async () => {
      const group = 'aggregated.example.com';
      const { port } = await httpsServer((request, response) => serveParcels(group, request, response));
      await cluster.apply(registrationOf(group, port));
      const latest = await watchTree(everything);
      await eventually(() => expect(stateOf(latest(), group, 'kept')).toEqual(['Live', 'None']));
      const lift = silence();
      await cluster.kubectl(['delete', 'apiservice', `v1.${group}`]);
      await eventually(() => expectUnserved(group));
      lift();
      await printedAnew(latest, () =>
        expect(stateOf(latest(), group, 'kept')).toEqual(['Live', 'RetryForever']),
      );
    });

    async function expectUnserved(group: string): Promise<void> {
      expect(await cluster.kubectl(['api-resources', '-o', 'name'])).not.toContain(group);
    }
  });

  describe('while it acts', () => {
    const maps = '/api/v1/namespaces/default/configmaps';
    /** Changes, not the dry runs of them. */
    const change = (method: string, name: string): RegExp => new RegExp(`^${method} \\S*/${name}$`, 'u');
    const sent = (match: RegExp): number => proxy.requests.filter(request => match.test(request)).length;
    const act = (args: readonly string[]): Promise<ToolResult> => runTool(args, { kubeconfig: through });

    async function exists(name: string): Promise<boolean> {
      const { status } = await cluster.api.send({ method: 'GET', path: `${maps}/${name}` });
      return status === 200;
    }

    async function single(name: string, finalizers: readonly string[] = []): Promise<void> {
      const metadata = { name, finalizers };
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
      await cluster.api.json({ method: 'POST', path: maps, body });
    }

    it.each<[string, Fault]>([
      ['429 with Retry-After', { kind: 'status', status: 429, retryAfter: 1 }],
      ['503 with Retry-After', { kind: 'status', status: 503, retryAfter: 1 }],
      ['GOAWAY', { kind: 'goaway' }],
    ])(
      'goes through with it once where every request of an action meets %s at first',
      async (what, fault) => {
        const name = `busy-${what.toLowerCase().replaceAll(/\W+/gu, '-')}`;
        await single(name);
        const matches = [
          /^GET \/api$/u,
          /selfsubjectaccessreviews/u,
          /dryRun=All/u,
          new RegExp(`^GET ${maps}/${name}$`, 'u'),
        ];
        const rules = [...matches, change('DELETE', name)].map(match =>
          proxy.addRule({ match, fault, times: 1 }),
        );
        const { code, stderr } = await act([
          'delete',
          `cm/${name}`,
          '-n',
          'default',
          '--cascade=background',
          '--yes',
        ]);
        expect([stderr, code]).toEqual(['', 0]);
        expect(rules.map(({ hits }) => hits)).toEqual(rules.map(() => 1));
        expect(sent(change('DELETE', name))).toBe(2);
        expect(await exists(name)).toBe(false);
      },
    );

    it('looks what became of a deletion whose answer was lost, and sends no second one', async () => {
      await single('lost');
      proxy.addRule({ match: change('DELETE', 'lost'), fault: { kind: 'cut', afterBytes: 0 }, times: 1 });
      const { code, stdout } = await act([
        'delete',
        'cm/lost',
        '-n',
        'default',
        '--cascade=background',
        '--yes',
      ]);
      expect(stdout).toContain('ConfigMap default/lost was looked for again: it is gone.');
      expect([code, sent(change('DELETE', 'lost'))]).toEqual([0, 1]);
    });

    it('says that a deletion had no effect which the server only failed to do, and sends no second one', async () => {
      await single('failed');
      const fault = { kind: 'status', status: 500, message: 'etcdserver: request timed out' } as const;
      proxy.addRule({ match: change('DELETE', 'failed'), fault });
      const { code, stderr } = await act([
        'delete',
        'cm/failed',
        '-n',
        'default',
        '--cascade=background',
        '--yes',
      ]);
      expect(stderr).toMatch(/^kubectl gc-tree: the API server refused: etcdserver: request timed out\.$/mu);
      expect(stderr).toMatch(
        /^So far it has had no effect: ConfigMap default\/failed was read again and is unchanged/mu,
      );
      expect([code, sent(change('DELETE', 'failed'))]).toEqual([2, 1]);
      expect(await exists('failed')).toBe(true);
    });

    it('follows a patch that hangs after it took effect', async () => {
      await single('hangs', ['example.com/hold']);
      await cluster.kubectl(['delete', 'configmap', 'hangs', '--wait=false']);
      proxy.addRule({ match: change('PATCH', 'hangs'), fault: { kind: 'stall', afterBytes: 0 } });
      const remedy = ['--remedy', 'remove-finalizer/example.com/hold', '--request-timeout', '10s'];
      const { code, stdout, stderr } = await act([
        'unblock',
        'cm/hangs',
        '-n',
        'default',
        ...remedy,
        '--yes',
      ]);
      expect(stderr).toBe('');
      expect(stdout).toContain('ConfigMap default/hangs was looked for again: it is gone.');
      expect([code, sent(change('PATCH', 'hangs'))]).toEqual([0, 1]);
    });

    it('tells of a wait that is too long for anybody, and does not wait', async () => {
      await single('patient');
      const fault = { kind: 'status', status: 429, message: 'come back later', retryAfter: 3_600 } as const;
      proxy.addRule({ match: change('DELETE', 'patient'), fault });
      const { code, stderr } = await act([
        'delete',
        'cm/patient',
        '-n',
        'default',
        '--cascade=background',
        '--yes',
      ]);
      expect(stderr).toContain('the API server refused: come back later (it asks to wait 3600 s).');
      expect([code, sent(change('DELETE', 'patient'))]).toEqual([2, 1]);
    });
  });
});

function definitionOf(group: string): object {
  const names = { plural: 'parcels', singular: 'parcel', kind: 'Parcel' };
  const schema = { openAPIV3Schema: { type: 'object' } };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  const metadata = { name: `parcels.${group}` };
  const spec = { group, scope: 'Namespaced', names, versions };
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec };
}

/** Another API server on this machine, behind the real one. */
function registrationOf(group: string, port: number): string {
  return `
apiVersion: v1
kind: Service
metadata: {name: parcels, namespace: default}
spec: {type: ExternalName, externalName: localhost}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.${group}}
spec:
  group: ${group}
  version: v1
  groupPriorityMinimum: 1000
  versionPriority: 10
  insecureSkipTLSVerify: true
  service: {namespace: default, name: parcels, port: ${port}}
`;
}

/** One object, which never changes. */
function serveParcels(group: string, { url = '' }: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(url, 'https://localhost');
  const apiVersion = `${group}/v1`;
  const metadata = { name: 'kept', namespace: 'default', uid: 'uid-of-kept', resourceVersion: '1' };
  const verbs = ['delete', 'get', 'list', 'watch'];
  const resource = { name: 'parcels', singularName: 'parcel', kind: 'Parcel', namespaced: true, verbs };
  const answer = {
    [`/apis/${apiVersion}`]: {
      apiVersion: 'v1',
      kind: 'APIResourceList',
      groupVersion: apiVersion,
      resources: [resource],
    },
    [`/apis/${apiVersion}/parcels`]: {
      apiVersion,
      kind: 'ParcelList',
      metadata: { resourceVersion: '1' },
      items: [{ apiVersion, kind: 'Parcel', metadata }],
    },
  }[pathname];
  response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
  if (searchParams.has('watch')) response.flushHeaders();
  else
    response.end(
      JSON.stringify(answer ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 }),
    );
}

/** The last whole JSON document of a stream of pretty-printed ones. */
function lastDocument(output: string): OwnershipTree {
  const end = output.lastIndexOf('\n}\n');
  const start = Math.max(0, output.lastIndexOf('\n{\n', end));
  return JSON.parse(output.slice(start, end + 2)) as OwnershipTree;
}
