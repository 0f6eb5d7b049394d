import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Transport, WireRequest, WireResponse } from '../../../src/kube/transport/transport.ts';
import { CollectionRequests } from '../../../src/kube/watch/collection-requests.ts';
import { ConnectionMonitor } from '../../../src/kube/watch/connection-monitor.ts';
import { Pool } from '../../../src/kube/wire/pool.ts';
import type { Connection } from '../../../src/model/exchange/changes.ts';
import { SourceError } from '../../../src/source/source.ts';
import { widgets } from '../follow.ts';
import { VirtualClock } from '../virtual-clock.ts';

const who = 'the exec plugin aws of user "prod"';

/** A monitor and somebody who watches widgets, on a server that is reached only while `way` is open. */
function world() {
  const clock = new VirtualClock();
  const closing = new AbortController();
  const way = { open: true, login: false, failure: '' };
  const said: (readonly [seconds: number, connection: Connection])[] = [];
  const began = clock.now();
  let since = 0;
  const transport: Transport = {
    server: 'https://cluster',
    get waiting() {
      return way.login && !way.open && way.failure === '' && since > 0 ? { who, since } : undefined;
    },
    request: (request: WireRequest) => {
      if (way.failure !== '') return Promise.reject(new SourceError(way.failure));
      if (way.open) return Promise.resolve(answer(request));
      if (since === 0) since = clock.now();
      return new Promise((_, reject) => {
        request.signal?.addEventListener('abort', () => reject(request.signal?.reason as Error));
      });
    },
    close: async () => {},
  };
  const monitor = new ConnectionMonitor({
    transport,
    timing: clock,
    signal: closing.signal,
    report: connection => said.push([(clock.now() - began) / 1_000, connection]),
    anew: () => {},
  });
  const requests = new CollectionRequests({
    type: widgets,
    namespace: undefined,
    transport,
    connection: monitor,
    pool: new Pool(),
    signal: closing.signal,
    bulk: false,
  });
  const running = monitor.run();
  return {
    clock,
    way,
    said,
    monitor,
    watch: () => requests.watch({ depth: 'metadata', query: new URLSearchParams(), event: () => {} }),
    close: async () => {
      closing.abort();
      await running;
    },
  };
}

function answer({ path }: WireRequest): WireResponse {
  const body = path.includes('watch=') ? new Readable({ read: () => {} }) : Readable.from(['{}']);
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}

describe('a watch that cannot begin', () => {
  it.each([
    ['its login hangs', true, `${who} does not answer.`],
    ['its connection hangs', false, 'https://cluster does not answer.'],
  ])('because %s shows as a lost connection within 30 s', async (_why, login, reason) => {
    const { clock, way, said, watch, close, monitor } = world();
    // Another stream goes on to bring something, so nothing seems wrong.
    const other = monitor.watch(Infinity, () => {});
    const others = async (seconds: number) => {
      for (let i = 0; i < seconds; i++) {
        monitor.heard(other);
        await clock.pass(1_000);
      }
    };
    await others(20);
    expect(said).toEqual([]);
    Object.assign(way, { open: false, login });
    const over = watch().catch(() => 'ended');
    await others(30);
    expect(said).toHaveLength(1);
    expect(said[0]?.[0]).toBeLessThanOrEqual(50);
    expect(said[0]?.[1]).toMatchObject({ state: 'lost', reason });
    // Whoever waited asks again.
    expect(await over).toBe('ended');
    way.open = true;
    await others(20);
    expect(said.at(-1)?.[1]).toEqual({ state: 'live' });
    await close();
  });

  it('says why anew when the reason is another one, since the same moment', async () => {
    const { clock, way, said, watch, close } = world();
    Object.assign(way, { open: false, login: true });
    watch().catch(() => {});
    await clock.pass(30_000);
    way.failure = 'the session has expired.';
    await clock.pass(30_000);
    const lost = said.map(([, connection]) => connection);
    expect(lost).toMatchObject([
      { state: 'lost', reason: `${who} does not answer.` },
      { state: 'lost', reason: 'the session has expired.' },
    ]);
    expect(lost[1]).toHaveProperty('since', lost[0]?.state === 'lost' ? lost[0].since : 0);
    await close();
  });

  it('is not told of where the server is only slow with this one answer', async () => {
    const { clock, said, monitor, close } = world();
    const transport: Transport = {
      server: 'https://cluster',
      request: () => new Promise(() => {}),
      close: async () => {},
    };
    const { signal } = new AbortController();
    const slow = new CollectionRequests({
      type: widgets,
      namespace: undefined,
      transport,
      connection: monitor,
      pool: new Pool(),
      signal,
      bulk: false,
    });
    void slow.list({ depth: 'metadata', resourceVersion: undefined, item: () => {} });
    await clock.pass(60_000);
    expect(said).toEqual([]);
    await close();
  });
});
