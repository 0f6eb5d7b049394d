/** An API server over TLS that a whole program can be pointed at: discovery and logins in front of the fake API. */
import { request as askPlainly } from 'node:http';
import { FakeApi } from './fake-api.ts';
import { fixture, kubeconfig, write } from './kubeconfig-files.ts';
import { cleanUp, type Handler, httpsServer } from './local-server.ts';

export interface FakeCluster {
  readonly api: FakeApi;
  readonly url: string;
  /** Bearer tokens that are let in; every one where it is undefined. */
  accepted: ReadonlySet<string> | undefined;
  /** Tokens that came, in order, each as often as it came. */
  readonly tokens: string[];
  /** Writes a kubeconfig for a user (YAML in flow style) and returns its path. */
  kubeconfig(folder: string, user: string, name?: string): string;
}

/** Serves ConfigMaps, or these kinds of the core group. Ended after the test. */
export async function fakeCluster(kinds: readonly string[] = ['ConfigMap']): Promise<FakeCluster> {
  const discovery = discoveryOf(kinds);
  const api = new FakeApi();
  await api.start();
  cleanUp(() => api.stop());
  const upstream = new URL(api.transport().server);
  const pass: Handler = (request, response) => {
    const headers = Object.entries(request.headers).filter(([name]) => !name.startsWith(':'));
    const onwards = askPlainly(
      {
        host: upstream.hostname,
        port: upstream.port,
        path: request.url,
        headers: Object.fromEntries(headers),
      },
      answer => {
        // Names that HTTP/2 doesn't know.
        const {
          connection: _connection,
          'transfer-encoding': _encoding,
          'keep-alive': _alive,
          ...rest
        } = answer.headers;
        response.writeHead(answer.statusCode ?? 500, rest);
        response.flushHeaders();
        answer.on('error', () => response.destroy()).pipe(response);
      },
    );
    onwards.on('error', () => response.destroy());
    response.on('close', () => onwards.destroy());
    onwards.end();
  };
  const server = await httpsServer((request, response) => {
    const token = /^Bearer (.*)$/u.exec(request.headers.authorization ?? '')?.[1] ?? '';
    cluster.tokens.push(token);
    const discovered = discovery[(request.url ?? '').split('?')[0] ?? ''];
    if (cluster.accepted?.has(token) === false) {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"message":"Unauthorized"}');
    } else if (discovered !== undefined) {
      response.setHeader(
        'content-type',
        'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
      );
      response.end(JSON.stringify(discovered));
    } else pass(request, response);
  });
  const cluster: FakeCluster = {
    api,
    url: server.url,
    accepted: undefined,
    tokens: [],
    kubeconfig: (folder, user, name) =>
      write(
        folder,
        'config',
        kubeconfig(`{server: "${server.url}", certificate-authority: ${fixture('ca.crt')}}`, user, name),
      ),
  };
  return cluster;
}

const discoveryOf = (kinds: readonly string[]): Readonly<Record<string, object>> => ({
  '/apis': { kind: 'APIGroupDiscoveryList', items: [] },
  '/api': {
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        metadata: { name: '' },
        versions: [
          {
            version: 'v1',
            resources: kinds.map(kind => ({
              resource: `${kind.toLowerCase()}s`,
              responseKind: { group: '', version: 'v1', kind },
              scope: 'Namespaced',
              singularResource: kind.toLowerCase(),
              verbs: ['delete', 'get', 'list', 'watch'],
            })),
          },
        ],
      },
    ],
  },
});
