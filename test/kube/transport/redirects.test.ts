import { describe, expect, it } from 'vitest';
import { connectTo, failure, get } from '../connect.ts';
import { type Handler, httpServer, httpsServer } from '../local-server.ts';

/** Redirects `/from` and answers everything else; notes what was asked. */
async function redirecting(to: (port: number) => string, status = 302) {
  const asked: string[] = [];
  let port = 0;
  const handler: Handler = (request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`.trim());
    if (request.url?.startsWith('/from') === true) {
      response.writeHead(status, { location: to(port) }).end('moved');
    } else response.end('there');
  };
  const server = await httpsServer(handler);
  port = server.port;
  return { server, asked };
}

describe('a redirect of a GET', () => {
  it.each([301, 302, 303, 307, 308])(
    'with %i is followed on the same host, with the credentials',
    async status => {
      for (const location of ['/to?a=1', 'to?a=1', 'PORT/to?a=1']) {
        const { server, asked } = await redirecting(
          port => location.replace('PORT', `https://127.0.0.1:${port}`),
          status,
        );
        const transport = connectTo(server.url, { user: '{token: abc}' });
        expect(await get(transport, '/from')).toMatchObject({ status: 200, text: 'there' });
        expect(asked).toEqual(['GET /from Bearer abc', 'GET /to?a=1 Bearer abc']);
      }
    },
  );

  it('is followed from the base path of the server to any path, and to another port', async () => {
    const there = await redirecting(() => '');
    const { server, asked } = await redirecting(() => `${there.server.url}/to`);
    const transport = connectTo(`${server.url}/from/base`);
    expect((await get(transport, '/api')).text).toBe('there');
    expect(asked).toEqual(['GET /from/base/api']);
    expect(there.asked).toEqual(['GET /to']);
  });

  it.each([
    ['another host', 'https://localhost:1/to', 'https://localhost:1'],
    ['plain http', 'http://127.0.0.1:1/to', 'http://127.0.0.1:1'],
    ['something else', 'ftp://127.0.0.1/to', 'ftp://127.0.0.1'],
    ['an address with control characters', 'https://x\u001b[2Jy/', ''],
  ])('to %s is not followed, and said in words', async (_what, location, origin) => {
    const { server, asked } = await redirecting(() => location.replaceAll('\u001b', '%1b'));
    const transport = connectTo(server.url, { user: '{token: abc}' });
    const message = await failure(get(transport, '/from'));
    expect(message).toMatch(
      origin === ''
        ? /answered with a redirect that is no address\.$/
        : new RegExp(`^https://127.0.0.1:\\d+ redirects to ${origin}, where credentials are not sent;`),
    );
    expect(message).not.toContain('abc');
    expect(asked).toHaveLength(1);
  });

  it('ends after ten', async () => {
    const { server, asked } = await redirecting(() => '/from/again');
    expect(await failure(get(connectTo(server.url), '/from'))).toMatch(/redirects 10 times in a row\.$/);
    expect(asked).toHaveLength(10);
  });

  it('without an address is an answer like any other, as is a 304', async () => {
    const server = await httpServer((request, response) =>
      response.writeHead(request.url === '/a' ? 302 : 304).end(),
    );
    const transport = connectTo(server.url, { cluster: '' });
    expect((await get(transport, '/a')).status).toBe(302);
    expect((await get(transport, '/b')).status).toBe(304);
  });
});

describe('a redirect of a change', () => {
  it.each(['DELETE', 'POST', 'PATCH', 'PUT'] as const)(
    '%s is not followed: nothing was done, and nothing is sent again',
    async method => {
      for (const status of [302, 307]) {
        const { server, asked } = await redirecting(() => '/to', status);
        const answer = await get(connectTo(server.url), '/from', { method, body: '{}' });
        expect(answer).toMatchObject({ status, text: 'moved' });
        expect(asked).toEqual([`${method} /from`]);
      }
    },
  );
});
