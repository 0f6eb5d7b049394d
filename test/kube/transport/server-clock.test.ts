import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { withServerClock } from '../../../src/kube/transport/server-clock.ts';
import type { Transport } from '../../../src/kube/transport/transport.ts';

const start = Date.parse('2026-11-21T12:00:00Z');

/** Answers with the clock of a server that is `ahead` milliseconds ahead, after `wait` milliseconds. */
function server(ahead: number, wait: number, date?: string) {
  let now = start + 300;
  const transport: Transport = {
    server: 'https://127.0.0.1',
    request: async () => {
      now += wait;
      const said = date ?? new Date(now + ahead).toUTCString();
      return { status: 200, headers: { date: said }, body: Readable.from([]) };
    },
    close: async () => {},
  };
  const { transport: watched, clock } = withServerClock(transport, () => now);
  return { ask: () => watched.request({ method: 'GET', path: '/version' }), clock };
}

it.each([0, 400, -400, 900])('takes clocks for alike that differ by %d ms', async ahead => {
  const { ask, clock } = server(ahead, 20);
  await ask();
  expect(clock.offset).toBe(0);
});

it.each([300_000, -300_000, 4_000, -4_000])('tells clocks apart that differ by %d ms', async ahead => {
  const { ask, clock } = server(ahead, 20);
  await ask();
  expect(Math.abs(clock.offset - ahead)).toBeLessThanOrEqual(1_020);
  const { offset } = clock;
  await ask();
  expect(clock.offset).toBe(offset);
});

it('learns nothing from an answer that takes long, or says no time', async () => {
  const slow = server(300_000, 5_000);
  await slow.ask();
  const odd = server(0, 20, 'yesterday');
  await odd.ask();
  expect([slow.clock.offset, odd.clock.offset]).toEqual([0, 0]);
});
