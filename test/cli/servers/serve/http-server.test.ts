import { mkdtempSync, rmSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { BoundedCache } from '../../../../src/cli/servers/http/bounded-cache.ts';
import { BoundedQueue } from '../../../../src/cli/servers/http/bounded-queue.ts';
import {
  type Certificate,
  readCertificate,
  watchCertificate,
} from '../../../../src/cli/servers/http/certificates.ts';
import {
  type Answerer,
  HttpServer,
  type Limits,
  plain,
} from '../../../../src/cli/servers/http/http-server.ts';
import { CertificateAuthority } from '../../../harness/certificates.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gct-serving-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const limits: Limits = { connections: 3, requestMs: 1_000, answerMs: 1_000, idleMs: 10_000 };
let server: HttpServer | undefined;

async function listen(answer: Answerer, certificate?: Certificate): Promise<number> {
  // Hands are shaken in their own time.
  const patient = certificate === undefined ? { limits } : {};
  server = new HttpServer(answer, { address: '127.0.0.1', port: 0, certificate, ...patient });
  return server.listen({ address: '127.0.0.1', port: 0 });
}

afterEach(async () => {
  await server?.close(0);
  server = undefined;
});

const hello: Answerer = () => Promise.resolve(plain(200, 'hello'));

/** What came until the other side closed the connection. */
async function closedAfter(port: number, write: (send: (text: string) => void) => void): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let said = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  socket.on('error', () => {});
  write(text => void socket.write(text));
  await new Promise(resolve => socket.once('close', resolve));
  return said;
}

describe('whoever holds it up', () => {
  it('with a request that never ends is told to be too slow, and its connection closed', async () => {
    const port = await listen(hello);
    await closedAfter(port, send => send('GET / HTTP/1.1\r\nHost: a\r\nX-Slow: '));
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('hello');
  });

  it('by not taking the answer loses it', async () => {
    let gone = false;
    const port = await listen(async asked => {
      asked.gone.addEventListener('abort', () => {
        gone = true;
      });
      return plain(200, 'x'.repeat(50_000_000));
    });
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    while (!gone) await sleep(20);
    socket.destroy();
  });

  it('with more connections than there are is not let in', async () => {
    const port = await listen(hello);
    const sockets = [1, 2, 3].map(() => connect(port, '127.0.0.1'));
    await Promise.all(sockets.map(socket => new Promise(resolve => socket.once('connect', resolve))));
    expect(await closedAfter(port, send => send('GET / HTTP/1.1\r\nHost: a\r\n\r\n'))).toBe('');
    for (const socket of sockets) socket.destroy();
  });

  it('with headers of 100 kB is refused', async () => {
    const port = await listen(hello);
    const said = await closedAfter(port, send =>
      send(`GET / HTTP/1.1\r\nHost: a\r\nX-Large: ${'x'.repeat(100_000)}\r\n\r\n`),
    );
    expect(said).not.toContain('200 OK');
  });

  it('is not waited for at the end', async () => {
    const port = await listen(() => new Promise(() => {}));
    const asked = fetch(`http://127.0.0.1:${port}/`).catch(() => 'broken');
    await sleep(50);
    await server?.close(50);
    expect(await asked).toBe('broken');
  });
});

describe('the serving certificate', () => {
  it('is read again when it changes, and the old one serves on while the files are no pair', async () => {
    const authority = await CertificateAuthority.create(folder);
    const first = await authority.server('first');
    const second = await authority.server('second');
    const files = { certFile: path.join(folder, 'tls.crt'), keyFile: path.join(folder, 'tls.key') };
    await copyFile(first.certificate, files.certFile);
    await copyFile(first.key, files.keyFile);
    const certificate = await readCertificate(files);
    const port = await listen(hello, certificate);
    const failures: string[] = [];
    const stop = watchCertificate(files, certificate, {
      changed: renewed => server?.use(renewed),
      failed: message => failures.push(message),
      every: 10,
    });
    const serial = (): Promise<string> =>
      new Promise((resolve, reject) => {
        const asked = request(
          { host: '127.0.0.1', port, rejectUnauthorized: false, agent: false },
          answer => {
            resolve((answer.socket as TLSSocket).getPeerCertificate().serialNumber);
            answer.resume();
          },
        );
        asked.once('error', reject).end();
      });
    const before = await serial();
    await copyFile(second.certificate, files.certFile);
    while (failures.length === 0) await sleep(10);
    expect(failures[0]).toContain('are no certificate with its private key');
    expect(await serial()).toBe(before);
    await copyFile(second.key, files.keyFile);
    while ((await serial()) === before) await sleep(10);
    stop();
    const { cert, key } = await readCertificate(files);
    // As while a file is being written.
    for (const [one, other] of [
      [cert, 'nonsense'],
      [cert, ''],
      ['', key],
    ] as const) {
      await writeFile(files.certFile, one);
      await writeFile(files.keyFile, other);
      await expect(readCertificate(files)).rejects.toThrow('no certificate with its private key');
    }
  });
});

describe('answers that are kept', () => {
  it('hold for their time and up to their number, and failures not at all', async () => {
    let now = 0;
    let made = 0;
    const cache = new BoundedCache<boolean>({ most: 2, now: () => now, keepMs: yes => (yes ? 60 : 10) });
    const ask = (key: string, answer = true) =>
      cache.get(key, () => {
        made += 1;
        return Promise.resolve(answer);
      });
    await ask('a');
    await ask('a');
    expect(made).toBe(1);
    now = 60;
    await ask('a');
    expect(made).toBe(2);
    await ask('no', false);
    now = 71;
    await ask('no', false);
    expect(made).toBe(4);
    for (let key = 0; key < 100; key++) await ask(`key-${key}`);
    expect(cache.size).toBe(2);
    await expect(cache.get('broken', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await cache.get('broken', () => Promise.resolve(true))).toBe(true);
  });

  it('are waited for by everybody who asks meanwhile', async () => {
    let made = 0;
    const cache = new BoundedCache<boolean>({ most: 9, now: () => 0, keepMs: () => 1 });
    const make = async () => {
      made += 1;
      await sleep(5);
      return true;
    };
    await Promise.all([cache.get('a', make), cache.get('a', make)]);
    expect(made).toBe(1);
  });
});

it('one thing is done at a time, and only so many wait', async () => {
  const queue = new BoundedQueue(1);
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(`${name} begins`);
    await sleep(5);
    order.push(`${name} ends`);
  };
  const first = queue.run(work('a'));
  const second = queue.run(() => Promise.reject(new Error('fails')));
  expect(queue.run(work('c'))).toBeUndefined();
  await first;
  await expect(second).rejects.toThrow('fails');
  await queue.run(work('d'));
  expect(order).toEqual(['a begins', 'a ends', 'd begins', 'd ends']);
});
