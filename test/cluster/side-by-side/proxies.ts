/** Ways through proxies: what they speak, where they are named, what they ask for, and what they answer. */
import { type Cell, type Cells, type Proxy, pem, trusting, type World } from './cell.ts';

export function proxies({ made }: World): Cells {
  const host = 'https://api.example.com:6443';
  const through = (proxy: Proxy, cell: Cell = {}): Cell => ({
    address: cell.server === 'http' ? 'http://api.example.com:6443' : host,
    ...cell,
    proxy,
  });
  const plain: Cell = { server: 'http' };
  const kinds = ['http', 'https', 'socks5'] as const;
  /** Of each kind, from the kubeconfig and from the environment. */
  const each = (what: string, cell: (kind: Proxy['kind'], from?: string) => Cell): Record<string, Cell> =>
    Object.fromEntries(
      kinds.flatMap(kind => [
        [`${kind} of the kubeconfig${what}`, cell(kind)],
        [`${kind} of the environment${what}`, cell(kind, 'HTTPS_PROXY')],
      ]),
    );
  const login = (kind: Proxy['kind'], given: string, wants: string, from?: string): Proxy => ({
    kind,
    wants,
    address: `${kind}://${given}127.0.0.1:PORT`,
    ...(from !== undefined && { from }),
  });
  const secure = (tls: Proxy['tls'], cell: Cell = {}): Cell =>
    through({ kind: 'https', ...(tls && { tls }) }, cell);
  const named = (address: string, kind: Proxy['kind'] = 'http'): Proxy => ({ kind, address });
  const ofEnvironment = (address: string): Proxy => ({ ...named(address), from: 'HTTPS_PROXY' });
  const asks: Proxy['tls'] = {
    requestCert: true,
    rejectUnauthorized: true,
    ca: [pem(made.root)],
  };
  const user = { 'client-certificate': made.user.certificate, 'client-key': made.user.key };
  const called = { ...trusting(made.root), 'tls-server-name': 'api.example.com' };
  const unverified = { 'insecure-skip-tls-verify': true };
  const otherSystem = { SSL_CERT_FILE: made.other.certificate };
  const wrongName = /certificate is not valid for other\.example\.com but for/;
  const malformed = /is not the address of a proxy/;
  const refusesLogin = /rejects the user and password/;
  return {
    accepted: {
      ...each('', (kind, from) => through({ kind, ...(from !== undefined && { from }) })),
      ...each(' with a user and password', (kind, from) =>
        through(login(kind, 'me:pa%20ss@', 'me:pa ss', from)),
      ),
      ...each(' with a user alone', (kind, from) => through(login(kind, 'me@', 'me:', from))),
      ...Object.fromEntries(
        kinds.flatMap(kind => [
          [`${kind} for plain http`, through({ kind }, kind === 'https' ? systemOf(made.root) : plain)],
          [
            `${kind} for plain http with a user and password`,
            through(login(kind, 'me:pass@', 'me:pass'), kind === 'https' ? systemOf(made.root) : plain),
          ],
          [`${kind} to an address of this machine`, through({ kind }, { address: 'https://127.0.0.1:6443' })],
          [
            `${kind} to an IPv6 address`,
            through({ kind }, { address: 'https://[fd00::1]:6443', cluster: unverified }),
          ],
          [`${kind} to no port`, through({ kind }, { address: 'https://api.example.com' })],
        ]),
      ),
      'http with a password alone': through(login('http', ':pass@', ':pass')),
      'socks5h of the environment': through({
        kind: 'socks5',
        from: 'HTTPS_PROXY',
        address: 'socks5h://127.0.0.1:PORT',
      }),
      'http in capitals': through(named('HTTP://127.0.0.1:PORT')),
      'http with a path': through(named('http://127.0.0.1:PORT/path?and#more')),
      'http without a scheme, of the environment': through(ofEnvironment('127.0.0.1:PORT')),
      'http by name': through(named('http://localhost:PORT')),
      'http by an address mapped to IPv6': through(named('http://[::ffff:127.0.0.1]:PORT')),
      'of https_proxy': through({ kind: 'http', from: 'https_proxy' }),
      'of HTTP_PROXY for plain http': through({ kind: 'http', from: 'HTTP_PROXY' }, plain),
      'of HTTPS_PROXY, whatever https_proxy says': through(
        { kind: 'http', from: 'HTTPS_PROXY' },
        { env: { https_proxy: 'http://127.0.0.1:1' } },
      ),
      'of the kubeconfig, whatever NO_PROXY says': through({ kind: 'http' }, { env: { NO_PROXY: '*' } }),
      'https with an intermediate': secure({ chain: [made.viaIntermediate, made.intermediate] }),
      'https by name': through({ kind: 'https', address: 'https://localhost:PORT' }),
      'https by tls-server-name, as the server': secure({ chain: [made.dnsOnly] }, { cluster: called }),
      'https unverified, as the server': secure({ chain: [made.alone] }, { cluster: unverified }),
      'https that the system trusts, for plain http': secure(
        { chain: [made.strange] },
        { server: 'http', env: otherSystem },
      ),
      'https that asks for a client certificate': secure(asks, { user }),
    },
    refused: {
      ...each(' with another password', (kind, from) => ({
        ...through(login(kind, 'me:mistyped@', 'me:pass', from)),
        says: refusesLogin,
      })),
      ...each(' without a password', (kind, from) => ({
        ...through(login(kind, '', 'me:pass', from)),
        says: refusesLogin,
      })),
      ...each(' to a server with another name', (kind, from) => ({
        ...through(
          { kind, ...(from !== undefined && { from }) },
          { address: 'https://other.example.com:6443' },
        ),
        says: wrongName,
      })),
      ...each(' that does not run', (kind, from) => ({
        ...through({ kind, address: `${kind}://127.0.0.1:1`, ...(from !== undefined && { from }) }),
        says: new RegExp(`connection refused; is the proxy ${kind}://127\\.0\\.0\\.1:1 running\\?$`),
      })),
      ...Object.fromEntries(
        [201, 204, 301, 400, 403, 500, 502, 503].map(status => [
          `http that answers ${status}`,
          {
            ...through({ kind: 'http', status }),
            says: new RegExp(`the proxy http://127\\.0\\.0\\.1:\\d+ answered ${status};`),
          },
        ]),
      ),
      ...Object.fromEntries(
        [1, 2, 3, 4, 5, 8].map(status => [
          `socks5 that replies ${status}`,
          { ...through({ kind: 'socks5', status }), says: /could not connect to it \(\w+\)\.$/ },
        ]),
      ),
      'http with another password for plain http': through(login('http', 'me:mistyped@', 'me:pass'), plain),
      'of http_proxy, which is for plain http': through({ kind: 'http', from: 'http_proxy' }),
      'of ALL_PROXY, which Go does not know': through({ kind: 'http', from: 'ALL_PROXY' }),
      'of https_proxy, where HTTPS_PROXY has another': {
        ...through({ kind: 'http', from: 'https_proxy' }, { env: { HTTPS_PROXY: 'http://127.0.0.1:1' } }),
        says: /is the proxy http:\/\/127\.0\.0\.1:1 running/,
      },
      'of HTTP_PROXY in CGI': {
        ...through({ kind: 'http', from: 'HTTP_PROXY' }, { server: 'http', env: { REQUEST_METHOD: 'GET' } }),
        says: /cannot be trusted where REQUEST_METHOD is set/,
      },
      'https that the cluster does not trust': {
        ...secure({ chain: [made.strange] }),
        says: /: the proxy https:\/\/127\.0\.0\.1:\d+: its certificate is signed by an authority that is not trusted/,
      },
      'https that only the system trusts': {
        ...secure({ chain: [made.strange] }, { env: otherSystem }),
        says: /the proxy .* not trusted/,
      },
      'https that only the cluster trusts, for plain http': {
        ...secure(undefined, { server: 'http' }),
        says: /the proxy .* not trusted/,
      },
      'https, unverified for the server, for plain http': {
        ...secure({ chain: [made.alone] }, { server: 'http', cluster: unverified }),
        says: /the proxy .* not trusted/,
      },
      'https with an expired certificate': {
        ...secure({ chain: [made.late] }),
        says: /the proxy https:.* certificate has expired/,
      },
      'https with another name': {
        ...secure({ chain: [made.dnsOnly] }),
        says: /the proxy https:.* is not valid for 127\.0\.0\.1 but for DNS:api\.example\.com/,
      },
      'https with a common name alone': {
        ...secure({ chain: [made.addressAsName] }),
        says: /the proxy https:.* is not valid for 127\.0\.0\.1/,
      },
      'https with a name that is not tls-server-name': {
        ...secure({ chain: [made.addressOnly] }, { cluster: called }),
        says: /the proxy https:.* is not valid for api\.example\.com/,
      },
      'https for clients alone': { ...secure({ chain: [made.clientOnly] }), says: /the proxy .* key usage/ },
      'https signed with SHA-1': { ...secure({ chain: [made.sha1] }), says: /the proxy .* SHA-1/ },
      'https with TLS 1.1': {
        ...secure({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }),
        says: /the proxy .* no TLS 1\.2 or later/,
      },
      'https that asks for a client certificate that is not there': secure(asks),
      'http where https is said': {
        ...through(named('https://127.0.0.1:PORT')),
        says: /the proxy https:.* does not speak TLS/,
      },
      'https where http is said': through(named('http://127.0.0.1:PORT', 'https')),
      'http where socks5 is said': through(named('socks5://127.0.0.1:PORT')),
      'socks5 where http is said': through(named('http://127.0.0.1:PORT', 'socks5')),
      ...Object.fromEntries(
        [
          'socks5h://127.0.0.1:PORT',
          'socks4://127.0.0.1:PORT',
          'ftp://127.0.0.1:PORT',
          '127.0.0.1:PORT',
          '//127.0.0.1:PORT',
          ' http://127.0.0.1:PORT',
          'http://127.0.0.1:PORT ',
          'http://m e@127.0.0.1:PORT',
          'http://127.0.0.1:99999',
          'http:127.0.0.1:PORT',
          'http:/127.0.0.1:PORT',
          'http://',
        ].map(address => [
          `of the kubeconfig as "${address}"`,
          { ...through(named(address)), says: malformed },
        ]),
      ),
      ...Object.fromEntries(
        ['//127.0.0.1:PORT', 'http://127.0.0.1:PORT ', 'http://m e@127.0.0.1:PORT', 'http://'].map(
          address => [
            `of the environment as "${address}"`,
            { ...through(ofEnvironment(address)), says: malformed },
          ],
        ),
      ),
    },
    // Go takes an unknown scheme for http.
    stricter: Object.fromEntries(
      ['socks4', 'ftp', 'foo'].map(scheme => [
        `of the environment with ${scheme}`,
        { ...through(ofEnvironment(`${scheme}://127.0.0.1:PORT`)), says: malformed },
      ]),
    ),
  };
}

// For plain http kubectl reads nothing of the cluster's TLS.
function systemOf({ certificate }: { readonly certificate: string }): Cell {
  return { server: 'http', env: { SSL_CERT_FILE: certificate } };
}
