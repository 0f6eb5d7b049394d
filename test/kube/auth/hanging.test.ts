/** Logins that take for ever: nobody waits longer than wanted, nothing is left behind, and the next one gets its chance. */
import { execFileSync, spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Limits, standardLimits } from '../../../src/kube/auth/login-attempt.ts';
import { type ConnectOptions, connectTo, failure, get } from '../connect.ts';
import { fixture, temporaryFolder, write } from '../kubeconfig-files.ts';
import { cleanUp, type Handler, httpsServer } from '../local-server.ts';
import { eventually, pluginScript } from './plugin-script.ts';

const v1 = 'client.authentication.k8s.io/v1';

const whoami: Handler = (request, response) => response.end(request.headers.authorization ?? '');

/** Time that passes when the test says so. */
function handTime() {
  const waits = new Set<{ readonly ms: number; readonly run: () => void }>();
  const limits: Partial<Limits> = {
    pause: () => 0,
    after: (ms, run) => {
      const wait = { ms, run };
      waits.add(wait);
      return () => waits.delete(wait);
    },
  };
  return {
    limits,
    /** Lets the time of the login that is under way be over; returns how many seconds it had. */
    pass: () => {
      const [wait] = waits;
      waits.clear();
      wait?.run();
      return (wait?.ms ?? Number.NaN) / 1000;
    },
  };
}

async function connect(user: string, options: ConnectOptions = {}) {
  const server = await httpsServer(whoami);
  return connectTo(server.url, {
    user,
    env: { PATH: process.env['PATH'] },
    limits: { pause: () => 0 },
    ...options,
  });
}

describe('an exec plugin that hangs', () => {
  it.each([false, true])('is ended with all that it started, though it ignores that: %s', async ignores => {
    const exec = pluginScript({ hangs: true, ignores });
    const time = handTime();
    const message = failure(get(await connect(exec.user, { limits: time.limits })));
    await exec.started();
    expect(time.pass()).toBe(60);
    expect(await message).toBe(`${exec.name} did not answer within 60 s; it was ended.`);
    expect(exec.runs()).toBe(1);
    expect(exec.running()).toEqual([]);
  });

  it('gets another chance', async () => {
    const exec = pluginScript({ hangs: true });
    const time = handTime();
    const transport = await connect(exec.user, { limits: time.limits });
    const message = failure(get(transport));
    await exec.started();
    time.pass();
    await message;
    exec.recover();
    expect((await get(transport)).text).toBe('Bearer abc');
    expect(exec.runs()).toBe(2);
  });

  it('is not run again before a pause that grows', async () => {
    const exec = pluginScript({ hangs: true });
    const time = handTime();
    const pauses: number[] = [];
    const pause = (failures: number) => {
      pauses.push(standardLimits.pause(failures));
      return failures === 1 ? 0 : 60_000;
    };
    const transport = await connect(exec.user, { limits: { ...time.limits, pause } });
    const hung = async () => {
      const message = failure(get(transport));
      const before = exec.children();
      await eventually(() => exec.children() > before);
      time.pass();
      return message;
    };
    await hung();
    const second = await hung();
    // From here on everybody is told what went wrong last.
    expect(await failure(get(transport))).toBe(second);
    expect(exec.runs()).toBe(2);
    expect(pauses).toEqual([0, 2_000]);
  });

  it('at its renewal fails in words, each time later, and works again', async () => {
    const exec = pluginScript({ lastsMs: 0 });
    const time = handTime();
    const transport = await connect(exec.user, { limits: time.limits });
    expect((await get(transport)).status).toBe(200);
    exec.hang();
    for (const [index, seconds] of [30, 60, 120, 180, 180].entries()) {
      const both = Promise.all([failure(get(transport)), failure(get(transport))]);
      await eventually(() => exec.children() > index);
      expect(time.pass()).toBe(seconds);
      const [one, two] = await both;
      expect(one).toContain(`did not answer within ${seconds} s`);
      expect(two).toBe(one);
    }
    exec.recover();
    expect((await get(transport)).status).toBe(200);
    expect(exec.running()).toEqual([]);
  });

  it('after a 401 is why every request fails', async () => {
    const exec = pluginScript({ token: 'old' });
    const time = handTime();
    let wanted = 'old';
    const server = await httpsServer((request, response) => {
      response.writeHead(request.headers.authorization === `Bearer ${wanted}` ? 200 : 401).end();
    });
    const transport = connectTo(server.url, {
      user: exec.user,
      env: { PATH: process.env['PATH'] },
      limits: time.limits,
    });
    expect((await get(transport)).status).toBe(200);
    wanted = 'new';
    exec.hang();
    const first = failure(get(transport));
    await exec.started();
    time.pass();
    expect(await first).toContain('did not answer within');
    // It isn't run again at once, and what is left to say is the same.
    expect(await failure(get(transport))).toBe(await first);
    expect(exec.runs()).toBe(2);
  });

  it('is waited for as long as --request-timeout says, by watches as well', async () => {
    const exec = pluginScript({ hangs: true });
    const transport = await connect(exec.user, { flags: { requestTimeout: '200ms' } });
    for (const path of ['/api/v1/pods', '/api/v1/pods?watch=1'])
      expect(await failure(get(transport, path))).toBe(
        `${exec.name} did not answer within --request-timeout.`,
      );
    // Whoever comes next finds the same run under way.
    expect(exec.runs()).toBe(1);
  });

  it('is left by one who does not want to wait any more, and serves the others', async () => {
    const exec = pluginScript({ hangs: true });
    const transport = await connect(exec.user);
    const abort = new AbortController();
    const leaving = get(transport, '/', { signal: abort.signal });
    const staying = get(transport);
    await exec.started();
    expect(transport.waiting).toMatchObject({ who: exec.name });
    abort.abort(new Error('enough'));
    expect(await failure(leaving)).toBe('enough');
    // The plugin's child ends, and the plugin goes on.
    for (const pid of exec.running()) process.kill(pid, 'SIGKILL');
    expect((await staying).text).toBe('Bearer abc');
    expect(exec.runs()).toBe(1);
    expect(transport.waiting).toBeUndefined();
  });

  it('ends when the connection is closed, and whoever waits is told', async () => {
    const exec = pluginScript({ hangs: true, ignores: true });
    const transport = await connect(exec.user);
    const waiting = failure(get(transport));
    await exec.started();
    await transport.close();
    expect(exec.running()).toEqual([]);
    expect(await waiting).toContain('was closed');
    expect(await failure(get(transport))).toContain('was closed');
    expect(exec.runs()).toBe(1);
  });

  it('has more time once it has said something to a person', async () => {
    const folder = temporaryFolder();
    write(folder, 'plugin', "#!/bin/sh\necho 'open this page' >&2; exec sleep 300\n", 0o700);
    const said: string[] = [];
    const time = handTime();
    const transport = await connect(
      `{exec: {apiVersion: ${v1}, command: ${folder}/plugin, interactiveMode: Never}}`,
      { limits: time.limits, notice: line => said.push(line) },
    );
    const message = failure(get(transport));
    await eventually(() => said.length > 0);
    expect(time.pass()).toBeGreaterThan(120);
    expect(await message).toContain('did not answer within 180 s');
  });

  it('does not keep anybody waiting who it left a child to', async () => {
    const folder = temporaryFolder();
    const credential = JSON.stringify({ apiVersion: v1, status: { token: 'abc' } });
    // As an agent in the background, which holds standard error open.
    write(
      folder,
      'plugin',
      `#!/bin/sh\nsleep 300 >/dev/null & echo $! > ${folder}/pid; echo '${credential}'\n`,
      0o700,
    );
    const transport = await connect(
      `{exec: {apiVersion: ${v1}, command: ${folder}/plugin, interactiveMode: Never}}`,
    );
    cleanUp(() => void process.kill(Number(readFileSync(`${folder}/pid`, 'utf8')), 'SIGKILL'));
    expect((await get(transport)).text).toBe('Bearer abc');
  });
});

describe('an identity provider that hangs', () => {
  const expired = `x.${Buffer.from('{"exp":1}').toString('base64url')}.x`;
  const user = (url: string) =>
    `{auth-provider: {name: oidc, config: {id-token: ${expired}, refresh-token: a, client-id: a, idp-issuer-url: "${url}", idp-certificate-authority: ${fixture('ca.crt')}}}}`;

  it('is given up after its time, at the metadata and at the token', async () => {
    for (const hangAt of ['/.well-known/openid-configuration', '/token']) {
      const asked: string[] = [];
      const idp = await httpsServer((request, response) => {
        asked.push(request.url ?? '');
        if (request.url === hangAt) return;
        response.end(JSON.stringify({ token_endpoint: `${idp.url}/token` }));
      });
      const time = handTime();
      const transport = await connect(user(idp.url), { limits: time.limits });
      const message = failure(get(transport));
      await eventually(() => asked.includes(hangAt));
      time.pass();
      expect(await message).toBe(
        `the identity provider ${idp.url} of user "test" did not answer within 60 s; it was ended.`,
      );
      await eventually(() => idp.open === 0);
    }
  });

  it('is left at once when the connection is closed', async () => {
    const idp = await httpsServer(() => {});
    const transport = await connect(user(idp.url));
    const waiting = failure(get(transport));
    await eventually(() => idp.open === 1);
    await transport.close();
    await eventually(() => idp.open === 0);
    expect(await waiting).toContain('was closed');
  });
});

describe('a pipe in place of a file', () => {
  const pipe = () => {
    const file = `${temporaryFolder()}/pipe`;
    execFileSync('mkfifo', [file]);
    return file;
  };

  it.each([
    [
      'a token',
      (file: string) => ({ user: `{tokenFile: ${file}}` }),
      /the token file \S+ of user "test" did not/,
    ],
    [
      'a certificate',
      (file: string) => ({ user: `{client-certificate: ${file}, client-key: ${file}}` }),
      /a file/,
    ],
    ['an authority', (file: string) => ({ cluster: `certificate-authority: ${file}` }), /a file/],
  ])('that nobody writes %s to is given up after its time', async (_what, options, message) => {
    const server = await httpsServer(whoami);
    const time = handTime();
    const transport = connectTo(server.url, { ...options(pipe()), limits: time.limits });
    const waiting = failure(get(transport));
    await eventually(() => transport.waiting !== undefined);
    time.pass();
    expect(await waiting).toMatch(message);
  });

  it('gives a token, which is kept when nothing more comes', async () => {
    const file = pipe();
    const writer = spawn('sh', ['-c', `echo abc > ${file}`]);
    cleanUp(() => void writer.kill('SIGKILL'));
    const server = await httpsServer(whoami);
    const transport = connectTo(server.url, { user: `{tokenFile: ${file}}` });
    expect((await get(transport)).text).toBe('Bearer abc');
  });

  it('lets the process end', async () => {
    // Reading it in the usual way would keep a thread of the process for ever.
    const file = pipe();
    const transport = connectTo('https://127.0.0.1:1', { user: `{tokenFile: ${file}}` });
    const waiting = failure(get(transport));
    await eventually(() => transport.waiting !== undefined);
    await transport.close();
    expect(await waiting).toContain('was closed');
    // Nobody reads any more: writing fails where it would wait for a reader.
    expect(() => openSync(file, 'w+')).not.toThrow();
  });
});
