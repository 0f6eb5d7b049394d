import { describe, expect, it } from 'vitest';
import { Discovery, serverVersion } from '../../../src/kube/discovery/discovery.ts';
import { ResourceType } from '../../../src/model/types/resource-type.ts';
import { connectTo, failure } from '../connect.ts';
import { httpServer } from '../local-server.ts';

const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

interface Reply {
  readonly status?: number;
  readonly type?: string;
  readonly etag?: string;
  readonly body?: unknown;
}

/** A server with these answers by path, and 404 for the rest. Answers may be changed while it runs. */
async function serverWith(answers: Record<string, Reply>) {
  const requests: string[] = [];
  let running = 0;
  let most = 0;
  const server = await httpServer((request, response) => {
    requests.push(request.url ?? '');
    most = Math.max(most, ++running);
    const {
      status = 200,
      type = 'application/json',
      etag,
      body,
    } = answers[request.url ?? ''] ?? { status: 404 };
    const text = typeof body === 'string' ? body : JSON.stringify(body ?? {});
    setImmediate(() => {
      running--;
      if (etag !== undefined && request.headers['if-none-match'] === etag)
        return void response.writeHead(304).end();
      const aggregated = type === 'aggregated' && (request.headers.accept ?? '').includes('v=v2;');
      response.writeHead(status, {
        'content-type': aggregated ? aggregatedType : type,
        ...(etag !== undefined && { etag }),
      });
      response.end(text);
    });
  });
  const transport = connectTo(server.url, { cluster: '' });
  const discovery = new Discovery(transport);
  return { discovery, transport, requests, mostAtOnce: () => most };
}

const resource = (plural: string, kind: string, scope = 'Namespaced') => ({
  resource: plural,
  responseKind: { group: '', version: '', kind },
  scope,
  singularResource: kind.toLowerCase(),
  verbs: ['delete', 'get', 'list', 'watch'],
  subresources: [{ subresource: 'status', responseKind: { kind }, verbs: ['get'] }],
});
const aggregated = (items: unknown[], etag?: string): Reply => ({
  type: 'aggregated',
  body: { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items },
  ...(etag !== undefined && { etag }),
});
const group = (name: string, ...versions: unknown[]) => ({ metadata: { name }, versions });
const version = (name: string, resources: unknown[], freshness = 'Current') => ({
  version: name,
  resources,
  freshness,
});

const core = aggregated(
  [group('', version('v1', [{ ...resource('pods', 'Pod'), shortNames: ['po'], categories: ['all'] }]))],
  '"core"',
);
const named = (types: readonly ResourceType[]) =>
  types.map(type => `${type.resource}.${type.apiVersion}${type.preferred ? '*' : ''}`);

describe('aggregated discovery', () => {
  it('yields every served version of every resource, without subresources', async () => {
    const { discovery, requests } = await serverWith({
      '/api': core,
      '/apis': aggregated([
        group('apps', version('v1', [resource('deployments', 'Deployment')])),
        group(
          'example.com',
          version('v2', [resource('widgets', 'Widget', 'Cluster')]),
          version('v1', [resource('widgets', 'Widget', 'Cluster'), resource('gadgets', 'Gadget')]),
        ),
      ]),
      '/version': { body: { gitVersion: 'v1.36.3' } },
    });
    const { types, failedGroups, serverVersion } = await discovery.refresh();
    expect(named(types)).toEqual([
      'pods.v1*',
      'deployments.apps/v1*',
      'widgets.example.com/v2*',
      'widgets.example.com/v1',
      'gadgets.example.com/v1*',
    ]);
    expect(types[0]).toEqual({
      group: '',
      version: 'v1',
      apiVersion: 'v1',
      kind: 'Pod',
      resource: 'pods',
      singular: 'pod',
      shortNames: ['po'],
      categories: ['all'],
      namespaced: true,
      verbs: ['delete', 'get', 'list', 'watch'],
      preferred: true,
    });
    expect(types[2]).toMatchObject({ group: 'example.com', namespaced: false });
    expect(types.filter(ResourceType.isMonitored)).toHaveLength(4);
    expect(failedGroups).toEqual([]);
    expect(serverVersion).toBe('v1.36.3');
    expect(requests.sort()).toEqual(['/api', '/apis', '/version']);
  });

  it('names a group whose API server does not answer, and prefers the version that works', async () => {
    const { discovery } = await serverWith({
      '/api': core,
      '/apis': aggregated([
        group('metrics.k8s.io', version('v1beta1', [], 'Stale')),
        group(
          'example.com',
          version('v2', [resource('widgets', 'Widget')], 'Stale'),
          version('v1', [resource('widgets', 'Widget')]),
        ),
      ]),
    });
    const { types, failedGroups, failedVersions } = await discovery.refresh();
    expect(named(types)).toEqual(['pods.v1*', 'widgets.example.com/v1*']);
    expect(failedGroups).toEqual([
      { resource: '*.metrics.k8s.io', reason: 'its API server does not answer' },
      { resource: '*.example.com', reason: 'its API server does not answer' },
    ]);
    expect([...failedVersions]).toEqual(['metrics.k8s.io/v1beta1', 'example.com/v2']);
  });

  it('leaves out what makes no sense, and keeps the rest', async () => {
    const { discovery } = await serverWith({
      '/api': core,
      '/apis': aggregated([
        null,
        group(
          'odd',
          null,
          version('v1', [null, { resource: 'x' }, resource('', 'Y'), resource('goods', 'Good')]),
        ),
        { metadata: { name: 'empty' } },
      ]),
    });
    const { types } = await discovery.refresh();
    expect(named(types)).toEqual(['pods.v1*', 'goods.odd/v1*']);
  });
});

describe('a refresh', () => {
  it('returns the very same catalogue while nothing changes, at the price of a 304', async () => {
    const answers = {
      '/api': core,
      '/apis': aggregated([group('apps', version('v1', [resource('deployments', 'Deployment')]))], '"one"'),
    };
    const { discovery } = await serverWith(answers);
    const first = await discovery.refresh();
    expect(await discovery.refresh()).toBe(first);
    expect(await discovery.refresh({ fresh: true })).toBe(first);
  });

  it('keeps the types that did not change as they are', async () => {
    const apps = group('apps', version('v1', [resource('deployments', 'Deployment')]));
    const answers: Record<string, Reply> = { '/api': core, '/apis': aggregated([apps], '"one"') };
    const { discovery } = await serverWith(answers);
    const first = await discovery.refresh();
    answers['/apis'] = aggregated(
      [apps, group('example.com', version('v1', [resource('widgets', 'Widget')]))],
      '"two"',
    );
    const second = await discovery.refresh();
    expect(named(second.types)).toEqual(['pods.v1*', 'deployments.apps/v1*', 'widgets.example.com/v1*']);
    expect(second.types[1]).toBe(first.types[1]);
    answers['/apis'] = aggregated(
      [group('apps', version('v1', [{ ...resource('deployments', 'Deployment'), verbs: ['get'] }]))],
      '"three"',
    );
    const third = await discovery.refresh();
    expect(third.types[1]).not.toBe(first.types[1]);
    expect(third.types[1]?.verbs).toEqual(['get']);
  });

  it('is shared by those who ask at the same time', async () => {
    const { discovery, requests } = await serverWith({ '/api': core, '/apis': aggregated([]) });
    const [one, two] = await Promise.all([discovery.refresh(), discovery.refresh()]);
    expect(one).toBe(two);
    expect(requests).toHaveLength(3);
  });

  it('that is known to be needed does not make do with one that began earlier', async () => {
    const answers: Record<string, Reply> = { '/api': core, '/apis': aggregated([]) };
    const { discovery, requests } = await serverWith(answers);
    const early = discovery.refresh();
    const late = [discovery.refresh({ fresh: true }), discovery.refresh({ fresh: true })];
    await early;
    answers['/apis'] = aggregated([group('apps', version('v1', [resource('deployments', 'Deployment')]))]);
    for (const { types } of await Promise.all(late)) {
      expect(named(types)).toEqual(['pods.v1*', 'deployments.apps/v1*']);
    }
    expect(requests).toHaveLength(6);
  });

  it('fails while the server does, and then goes on', async () => {
    const answers: Record<string, Reply> = { '/api': core, '/apis': aggregated([]) };
    const { discovery } = await serverWith(answers);
    const first = await discovery.refresh();
    answers['/apis'] = { status: 500, body: { kind: 'Status', message: 'etcd is down' } };
    expect(await failure(discovery.refresh())).toContain('/apis answered 500: etcd is down.');
    answers['/apis'] = aggregated([]);
    expect(await discovery.refresh()).toBe(first);
  });
});

describe('an older server', () => {
  const list = (...resources: unknown[]): Reply => ({ body: { kind: 'APIResourceList', resources } });
  const old = (name: string, kind: string) => ({
    name,
    kind,
    namespaced: true,
    singularName: '',
    verbs: ['list'],
  });

  it('is read group by group, the preferred version first', async () => {
    const { discovery } = await serverWith({
      '/api': { body: { kind: 'APIVersions', versions: ['v1'] } },
      '/api/v1': list(old('pods', 'Pod'), old('pods/log', 'Pod')),
      '/apis': {
        body: {
          kind: 'APIGroupList',
          groups: [
            {
              name: 'example.com',
              versions: [{ version: 'v1beta1' }, { version: 'v1' }],
              preferredVersion: { version: 'v1' },
            },
          ],
        },
      },
      '/apis/example.com/v1': list(old('widgets', 'Widget')),
      '/apis/example.com/v1beta1': list(old('widgets', 'Widget'), old('gadgets', 'Gadget')),
    });
    const { types } = await discovery.refresh();
    expect(named(types)).toEqual([
      'pods.v1*',
      'widgets.example.com/v1*',
      'widgets.example.com/v1beta1',
      'gadgets.example.com/v1beta1*',
    ]);
    expect(types[0]?.singular).toBe('pod');
  });

  it('may have a group that fails, and is not asked for all groups at once', async () => {
    const groups = Array.from({ length: 40 }, (_, i) => ({
      name: `g${i}.io`,
      versions: [{ version: 'v1' }],
    }));
    const answers: Record<string, Reply> = {
      '/api': { body: { versions: [] } },
      '/apis': { body: { kind: 'APIGroupList', groups } },
      '/apis/g0.io/v1': { status: 503, type: 'text/plain', body: 'service unavailable\n' },
      '/apis/g1.io/v1': { body: '<html>' },
    };
    for (let i = 2; i < 40; i++) answers[`/apis/g${i}.io/v1`] = list(old('things', 'Thing'));
    const { discovery, mostAtOnce } = await serverWith(answers);
    const { types, failedGroups } = await discovery.refresh();
    expect(types).toHaveLength(38);
    expect(failedGroups).toEqual([
      { resource: '*.g0.io', reason: '503: service unavailable' },
      { resource: '*.g1.io', reason: expect.stringContaining('not in JSON') },
    ]);
    expect(mostAtOnce()).toBeLessThanOrEqual(12);
  });
});

describe('what cannot be asked at all is said in words:', () => {
  it('refused credentials', async () => {
    const { discovery } = await serverWith({ '/api': { status: 401 }, '/apis': { status: 401 } });
    expect(await failure(discovery.refresh())).toContain('refused the credentials (401)');
  });

  it.each([
    { '/api': 403, '/apis': 403 },
    // Half of the kinds would be missing from what is taken for the whole.
    { '/api': 200, '/apis': 403 },
  ])(
    'discovery that is forbidden, in the words of the server: %o',
    async ({ '/api': api, '/apis': apis }) => {
      const message = 'forbidden: User "jane" cannot get path "/apis"';
      const { discovery } = await serverWith({
        '/api': api === 200 ? aggregated([]) : { status: api, body: { kind: 'Status', message } },
        '/apis': { status: apis, body: { kind: 'Status', message } },
      });
      expect(await failure(discovery.refresh())).toMatch(
        /^http:\S+ does not let you see what it serves \(403\): forbidden: User "jane" cannot get path "\/apis"\. Ask for the ClusterRole system:discovery\.$/u,
      );
    },
  );

  it('a server that wants TLS, as Go answers there', async () => {
    const body = 'Client sent an HTTP request to an HTTPS server.\n';
    const { discovery } = await serverWith({
      '/api': { status: 400, type: 'text/plain', body },
      '/apis': { status: 400, type: 'text/plain', body },
    });
    expect(await failure(discovery.refresh())).toMatch(
      /^http:\S+ speaks TLS; the address has to start with https:\/\/\.$/u,
    );
  });

  it('another answer, in the words of the server', async () => {
    const { discovery } = await serverWith({
      '/api': { status: 500, body: { message: 'no room.' } },
      '/apis': { status: 500, body: { message: 'no room.' } },
    });
    expect(await failure(discovery.refresh())).toMatch(/\/api answered 500: no room\.$/u);
  });

  it('a server that is none of Kubernetes', async () => {
    const { discovery } = await serverWith({});
    expect(await failure(discovery.refresh())).toContain('is it a Kubernetes API server?');
    const page = await serverWith({
      '/api': { type: 'text/html', body: '<html>log in' },
      '/apis': { body: '<html>' },
    });
    expect(await failure(page.discovery.refresh())).toContain('not in JSON; is it a Kubernetes API server?');
  });

  it('but a server without the core group, or that hides its version, is one', async () => {
    const { discovery } = await serverWith({
      '/apis': aggregated([group('apps', version('v1', [resource('deployments', 'Deployment')]))]),
      '/version': { status: 403 },
    });
    const { types, serverVersion } = await discovery.refresh();
    expect(named(types)).toEqual(['deployments.apps/v1*']);
    expect(serverVersion).toBeUndefined();
  });
});

describe('the version of a server', () => {
  it('is what it says in words, as one line each', async () => {
    const { transport, requests } = await serverWith({
      '/version': {
        body: {
          major: '1',
          minor: '36',
          gitVersion: 'v1.36.3',
          platform: 'linux/\u001b[31m\namd64',
          odd: [1],
        },
      },
    });
    expect(await serverVersion(transport)).toEqual({
      major: '1',
      minor: '36',
      gitVersion: 'v1.36.3',
      platform: 'linux/ amd64',
    });
    expect(requests).toEqual(['/version']);
  });

  it('may be refused, which says so', async () => {
    const { transport } = await serverWith({
      '/version': { status: 403, body: { message: 'you may not get /version' } },
    });
    expect(await failure(serverVersion(transport))).toContain('you may not get /version');
  });
});
