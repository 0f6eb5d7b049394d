import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { connectTo, failure, get } from '../connect.ts';
import { fixture, kubeconfig, temporaryFolder, write } from '../kubeconfig-files.ts';
import { clientName, type Handler, httpsServer } from '../local-server.ts';

const v1 = 'client.authentication.k8s.io/v1';

/** Answers with the credentials that it saw, and with 401 to all but those that `accepts` likes. */
function guard(accepts: (authorization: string, request: IncomingMessage) => boolean = () => true) {
  const seen: string[] = [];
  const handler: Handler = (request, response) => {
    const authorization = request.headers.authorization ?? '';
    seen.push(authorization);
    response.writeHead(accepts(authorization, request) ? 200 : 401).end(authorization);
  };
  return { seen, handler };
}

/** A plugin that prints what stands in `credential.json` and counts its runs in `runs`. */
function plugin(status: object) {
  const folder = temporaryFolder();
  const answer = (next: object) =>
    write(
      folder,
      'credential.json',
      JSON.stringify({ apiVersion: v1, kind: 'ExecCredential', status: next }),
    );
  answer(status);
  write(folder, 'plugin', `#!/bin/sh\ncd ${folder}; echo run >> runs; cat credential.json\n`, 0o700);
  return {
    answer,
    runs: () => readFileSync(`${folder}/runs`, 'utf8').split('\n').length - 1,
    user: `{exec: {apiVersion: ${v1}, command: ${folder}/plugin, interactiveMode: Never}}`,
  };
}

afterEach(() => {
  vi.useRealTimers();
});

/** Moves the clock alone; sockets and processes go on as usual. */
function setClock(at: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: at });
}

describe('credentials of the kubeconfig', () => {
  it('are a token, or a name and a password', async () => {
    const server = await httpsServer(guard().handler);
    expect((await get(connectTo(server.url, { user: '{token: abc}' }))).text).toBe('Bearer abc');
    const basic = connectTo(server.url, { user: '{username: me, password: "p:w"}' });
    expect((await get(basic)).text).toBe(`Basic ${Buffer.from('me:p:w').toString('base64')}`);
    expect((await get(connectTo(server.url))).text).toBe('');
  });

  it('are a client certificate, from files or as data', async () => {
    const server = await httpsServer((request, response) => response.end(clientName(request)), {
      clientCertificates: true,
    });
    const files = `{client-certificate: ${fixture('client-a.crt')}, client-key: ${fixture('client-a.key')}}`;
    expect((await get(connectTo(server.url, { user: files }))).text).toBe('user-a');
    const base64 = (name: string) => readFileSync(fixture(name)).toString('base64');
    const data = `{client-certificate-data: ${base64('client-b.crt')}, client-key-data: ${base64('client-b.key')}}`;
    const ca = `certificate-authority-data: ${base64('ca.crt')}`;
    expect((await get(connectTo(server.url, { user: data, cluster: ca }))).text).toBe('user-b');
  });

  it('are a token file, read again after a minute', async () => {
    const server = await httpsServer(guard().handler);
    const folder = temporaryFolder();
    const file = write(folder, 'token', 'one\n');
    const transport = connectTo(server.url, { user: `{tokenFile: ${file}, token: fallback}` });
    expect((await get(transport)).text).toBe('Bearer one');
    write(folder, 'token', 'two\n');
    expect((await get(transport)).text).toBe('Bearer one');
    setClock(Date.now() + 61_000);
    expect((await get(transport)).text).toBe('Bearer two');
  });

  it('are a token file whose last token is kept while it cannot be read, is empty or is gone', async () => {
    const server = await httpsServer(guard().handler);
    const folder = temporaryFolder();
    const file = write(folder, 'token', 'one\n');
    const notices: string[] = [];
    const transport = connectTo(server.url, {
      user: `{tokenFile: ${file}, token: fallback}`,
      notice: line => notices.push(line),
    });
    expect((await get(transport)).text).toBe('Bearer one');
    rmSync(file);
    setClock(Date.now() + 61_000);
    expect((await get(transport)).text).toBe('Bearer one');
    expect((await get(transport)).text).toBe('Bearer one');
    // Said once, not with every request.
    expect(notices).toEqual([
      `cannot read the token of user "test": ${file}: no such file. The token read before is kept.`,
    ]);
    write(folder, 'token', ' \n');
    expect((await get(transport)).text).toBe('Bearer one');
    // It is looked at with each request until there is a token in it.
    write(folder, 'token', 'two');
    expect((await get(transport)).text).toBe('Bearer two');
  });

  it('are a token file whose last token is kept though the server refuses it', async () => {
    const { handler, seen } = guard(authorization => authorization === 'Bearer new');
    const server = await httpsServer(handler);
    const folder = temporaryFolder();
    const file = write(folder, 'token', 'old');
    const transport = connectTo(server.url, { user: `{tokenFile: ${file}}` });
    expect((await get(transport)).status).toBe(401);
    rmSync(file);
    setClock(Date.now() + 11_000);
    expect((await get(transport)).status).toBe(401);
    expect(new Set(seen)).toEqual(new Set(['Bearer old']));
    write(folder, 'token', 'new');
    setClock(Date.now() + 11_000);
    expect((await get(transport)).status).toBe(200);
  });

  it('are the token beside a token file that cannot be read at first', async () => {
    const server = await httpsServer(guard().handler);
    const folder = temporaryFolder();
    const transport = connectTo(server.url, { user: `{tokenFile: ${folder}/token, token: fallback}` });
    expect((await get(transport)).text).toBe('Bearer fallback');
    write(folder, 'token', 'real');
    expect((await get(transport)).text).toBe('Bearer real');
    const empty = write(folder, 'empty', '');
    expect(await failure(get(connectTo(server.url, { user: `{tokenFile: ${empty}}` })))).toBe(
      `cannot read the token of user "test": ${empty}: it is empty.`,
    );
  });

  it('give way to --token', async () => {
    const server = await httpsServer(guard().handler);
    const transport = connectTo(server.url, { user: '{token: abc}', flags: { token: 'mine' } });
    expect((await get(transport)).text).toBe('Bearer mine');
  });
});

describe('an exec plugin', () => {
  it('runs once for many requests at once', async () => {
    const exec = plugin({ token: 'abc' });
    const server = await httpsServer(guard().handler);
    const transport = connectTo(server.url, { user: exec.user, env: { PATH: process.env['PATH'] } });
    const answers = await Promise.all(Array.from({ length: 30 }, () => get(transport)));
    expect(new Set(answers.map(answer => answer.text))).toEqual(new Set(['Bearer abc']));
    expect(exec.runs()).toBe(1);
  });

  it('runs again when what it gave expires', async () => {
    const start = Date.now();
    const exec = plugin({ token: 'one', expirationTimestamp: new Date(start + 5_000).toISOString() });
    const server = await httpsServer(guard().handler);
    const transport = connectTo(server.url, { user: exec.user });
    expect((await get(transport)).text).toBe('Bearer one');
    exec.answer({ token: 'two' });
    expect((await get(transport)).text).toBe('Bearer one');
    setClock(start + 6_000);
    expect((await get(transport)).text).toBe('Bearer two');
  });

  it('runs again once after a 401, for all requests that were refused', async () => {
    const exec = plugin({ token: 'old' });
    const { handler, seen } = guard(authorization => authorization !== 'Bearer old');
    const server = await httpsServer(handler);
    const transport = connectTo(server.url, { user: exec.user });
    exec.answer({ token: 'old' });
    const first = get(transport);
    await first;
    exec.answer({ token: 'new' });
    setClock(Date.now() + 11_000);
    const answers = await Promise.all(Array.from({ length: 20 }, () => get(transport)));
    expect(answers.every(answer => answer.status === 200)).toBe(true);
    expect(seen.filter(authorization => authorization === 'Bearer new')).toHaveLength(20);
    expect(exec.runs()).toBe(3);
  });

  it('is left alone when a server refuses everything it gives', async () => {
    const exec = plugin({ token: 'bad' });
    const server = await httpsServer(guard(() => false).handler);
    const transport = connectTo(server.url, { user: exec.user });
    for (let i = 0; i < 10; i++) expect((await get(transport)).status).toBe(401);
    expect(exec.runs()).toBe(2);
  });

  it('may give a certificate, and connections follow when it gives another', async () => {
    const pem = (name: string) => ({
      clientCertificateData: readFileSync(fixture(`${name}.crt`), 'utf8'),
      clientKeyData: readFileSync(fixture(`${name}.key`), 'utf8'),
    });
    const start = Date.now();
    const exec = plugin({ ...pem('client-a'), expirationTimestamp: new Date(start + 5_000).toISOString() });
    const server = await httpsServer((request, response) => response.end(clientName(request)), {
      clientCertificates: true,
    });
    const transport = connectTo(server.url, { user: exec.user });
    expect((await get(transport)).text).toBe('user-a');
    exec.answer(pem('client-b'));
    setClock(start + 6_000);
    expect((await get(transport)).text).toBe('user-b');
  });

  it('is not run when the kubeconfig or --token has something else', async () => {
    const exec = plugin({ token: 'abc' });
    const server = await httpsServer(guard().handler);
    expect((await get(connectTo(server.url, { user: exec.user, flags: { token: 'mine' } }))).text).toBe(
      'Bearer mine',
    );
    expect(() => exec.runs()).toThrow('ENOENT');
  });

  it('fails each request in words while it fails, and works once it is repaired', async () => {
    const exec = plugin({});
    const server = await httpsServer(guard().handler);
    const transport = connectTo(server.url, { user: exec.user });
    expect(await failure(get(transport))).toContain('returned neither token nor certificate');
    exec.answer({ token: 'abc' });
    expect((await get(transport)).text).toBe('Bearer abc');
  });
});

describe('after a 401', () => {
  it('a login that renewed the kubeconfig is noticed', async () => {
    const server = await httpsServer(guard(authorization => authorization === 'Bearer new').handler);
    const folder = temporaryFolder();
    const transport = connectTo(server.url, { user: '{token: old}', folder });
    expect((await get(transport)).status).toBe(401);
    write(
      folder,
      'config',
      kubeconfig(`{server: "${server.url}", certificate-authority: ${fixture('ca.crt')}}`, '{token: new}'),
    );
    setClock(Date.now() + 11_000);
    expect((await get(transport)).status).toBe(200);
  });

  it('credentials and servers are not mixed when the kubeconfig names another server by now', async () => {
    const { handler, seen } = guard(() => false);
    const server = await httpsServer(handler);
    const other = guard();
    const elsewhere = await httpsServer(other.handler);
    const folder = temporaryFolder();
    const transport = connectTo(server.url, { user: '{token: old}', folder });
    write(
      folder,
      'config',
      kubeconfig(`{server: "${elsewhere.url}", insecure-skip-tls-verify: true}`, '{token: new}'),
    );
    expect((await get(transport)).status).toBe(401);
    // Nor do the other server's credentials come to this one.
    expect(new Set(seen)).toEqual(new Set(['Bearer old']));
    expect(other.seen).toEqual([]);
  });
});

describe('after a certificate that nobody who is trusted has signed', () => {
  const stranger = fixture('stranger.crt');
  const base64 = (name: string) => readFileSync(fixture(name)).toString('base64');

  it.each([
    [
      'data',
      `certificate-authority-data: ${base64('stranger.crt')}`,
      `certificate-authority-data: ${base64('ca.crt')}`,
    ],
    ['file', `certificate-authority: ${stranger}`, `certificate-authority: ${fixture('ca.crt')}`],
  ])('another authority in the kubeconfig (%s) is trusted', async (_, before, after) => {
    const server = await httpsServer(guard().handler);
    const folder = temporaryFolder();
    const transport = connectTo(server.url, { cluster: before, user: '{token: abc}', folder });
    expect(await failure(get(transport))).toContain('signed by an authority that is not trusted');
    write(folder, 'config', kubeconfig(`{server: "${server.url}", ${after}}`, '{token: abc}'));
    setClock(Date.now() + 11_000);
    expect((await get(transport)).text).toBe('Bearer abc');
  });

  it('another one in the same file is trusted, and no plugin runs again for it', async () => {
    const exec = plugin({ token: 'abc' });
    const { handler, seen } = guard();
    const server = await httpsServer(handler);
    const file = write(temporaryFolder(), 'ca.crt', readFileSync(stranger, 'utf8'));
    const transport = connectTo(server.url, { cluster: `certificate-authority: ${file}`, user: exec.user });
    for (let i = 0; i < 3; i++) {
      expect(await failure(get(transport))).toContain('signed by an authority that is not trusted');
      setClock(Date.now() + 11_000);
    }
    expect(seen).toEqual([]);
    writeFileSync(file, readFileSync(fixture('ca.crt')));
    setClock(Date.now() + 11_000);
    expect((await get(transport)).text).toBe('Bearer abc');
    expect(exec.runs()).toBe(1);
  });
});

describe('OpenID Connect', () => {
  const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const jwt = (expires: number, claims: object = {}) =>
    `${base64({ alg: 'RS256' })}.${base64({ ...claims, exp: Math.floor(expires) })}.c2ln`;

  it('sends the id token while it lasts', async () => {
    const token = jwt(Date.now() / 1000 + 3600);
    const server = await httpsServer(guard().handler);
    const user = `{auth-provider: {name: oidc, config: {id-token: ${token}, client-id: a, idp-issuer-url: "https://idp.invalid"}}}`;
    expect((await get(connectTo(server.url, { user }))).text).toBe(`Bearer ${token}`);
  });

  it('renews an expired one once, and saves the new ones in the kubeconfig for kubectl', async () => {
    const asked: string[] = [];
    const idp = await httpsServer((request, response) => {
      const url = `https://${String(request.headers.host ?? request.headers[':authority'])}`;
      asked.push(request.url ?? '');
      response.setHeader('content-type', 'application/json');
      if (request.url?.startsWith('/.well-known/')) {
        response.end(JSON.stringify({ issuer: url, token_endpoint: `${url}/token` }));
        return;
      }
      const token = jwt(Date.now() / 1000 + 3600, { iss: url, aud: 'a', sub: 'me', iat: Date.now() / 1000 });
      const renewed = {
        id_token: token,
        refresh_token: 'new-refresh',
        access_token: 'x',
        token_type: 'bearer',
      };
      response.end(JSON.stringify({ ...renewed, expires_in: 3600 }));
    });
    const server = await httpsServer(guard().handler);
    const folder = temporaryFolder();
    const ca = `idp-certificate-authority: ${fixture('ca.crt')}`;
    const config = `id-token: ${jwt(1)}, refresh-token: old-refresh, client-id: a, idp-issuer-url: "${idp.url}", ${ca}`;
    const user = `{auth-provider: {name: oidc, config: {${config}}}}`;
    const transport = connectTo(server.url, { user, folder });
    appendFileSync(`${folder}/config`, '# kept\n');
    const answers = await Promise.all([get(transport), get(transport), get(transport)]);
    expect(answers[0]?.text).toMatch(/^Bearer ey/);
    setClock(Date.now() + 61_000);
    expect((await get(transport)).text).toBe(answers[0]?.text);
    expect(asked.filter(path => path === '/token')).toHaveLength(1);
    const saved = readFileSync(`${folder}/config`, 'utf8');
    expect(saved).toContain('new-refresh');
    expect(saved).toContain(answers[0]?.text.slice('Bearer '.length));
    expect(saved).toContain('# kept');
    expect(statSync(`${folder}/config`).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['config']);
  });

  it('that cannot renew an expired one says so without showing a token', async () => {
    const idp = await httpsServer((_request, response) => response.writeHead(500).end('secret-echo'));
    const server = await httpsServer(guard().handler);
    const config = `id-token: ${jwt(1)}, refresh-token: secret-refresh, client-id: a, idp-issuer-url: "${idp.url}", idp-certificate-authority: ${fixture('ca.crt')}`;
    const transport = connectTo(server.url, { user: `{auth-provider: {name: oidc, config: {${config}}}}` });
    const message = await failure(get(transport));
    expect(message).toContain(
      `cannot renew the login of user "test" at ${idp.url}: it names no token endpoint (500)`,
    );
    expect(message).not.toContain('secret');
  });
});

describe('a file that cannot be read', () => {
  it('is named with what it is for', async () => {
    const server = await httpsServer(guard().handler);
    const gone = `${temporaryFolder()}/gone`;
    rmSync(gone, { force: true });
    expect(await failure(get(connectTo(server.url, { user: `{tokenFile: ${gone}}` })))).toBe(
      `cannot read the token of user "test": ${gone}: no such file.`,
    );
    expect(await failure(get(connectTo(server.url, { cluster: `certificate-authority: ${gone}` })))).toBe(
      `cannot read the certificate authority of cluster "test": ${gone}: no such file.`,
    );
    const user = `{client-certificate: ${gone}, client-key: ${gone}}`;
    expect(await failure(get(connectTo(server.url, { user })))).toContain(
      'client certificate or key of user "test"',
    );
  });
});
