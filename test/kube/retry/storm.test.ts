/** Seventy kinds in front of an API server that is too busy for all of them: who comes back when. */
import { PassThrough, Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ClusterSource } from '../../../src/kube/cluster-source.ts';
import type { Transport } from '../../../src/kube/transport/transport.ts';
import type { TypeStatus } from '../../../src/model/exchange/changes.ts';
import { catalogueOf, widgets } from '../follow.ts';
import { VirtualClock } from '../virtual-clock.ts';

const KINDS = 70;
/** What the server takes in a second; as many of the rest as come are refused, as by API priority and fairness. */
const SEATS = 10;

const types = Array.from({ length: KINDS }, (_, index) => ({
  ...widgets,
  kind: `Widget${index}`,
  resource: `widgets${index}`,
  singular: `widget${index}`,
}));

/** Numbers that look like chance, the same at every run. */
function chance(): () => number {
  let state = 42;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

it('everybody is listed in the end, and nobody comes back together', async () => {
  const clock = new VirtualClock(chance());
  /** Of lists, in milliseconds since the start. */
  const asked: number[] = [];
  const began = clock.now();
  let underWay = 0;
  let most = 0;
  const takenAt: number[] = [];
  const transport: Transport = {
    server: 'https://busy',
    async request({ path, signal }) {
      if (!/widgets/u.test(path) || path.includes('watch=')) {
        const body = new PassThrough();
        signal?.addEventListener('abort', () => body.destroy());
        if (path === '/version') body.end('{}');
        return { status: 200, headers: { 'content-type': 'application/json' }, body };
      }
      const now = clock.now() - began;
      asked.push(now);
      most = Math.max(most, (underWay += 1));
      await turn();
      underWay -= 1;
      const isFull = takenAt.filter(at => at > now - 1_000).length >= SEATS;
      if (isFull)
        return { status: 429, headers: { 'retry-after': '1' }, body: Readable.from([Buffer.from('{}')]) };
      takenAt.push(now);
      const list = JSON.stringify({ metadata: { resourceVersion: '1' }, items: [] });
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: Readable.from([Buffer.from(list)]),
      };
    },
    close: async () => {},
  };
  const source = new ClusterSource({
    transport,
    discovery: {
      refresh: () => Promise.resolve(catalogueOf(types)),
      cached: () => Promise.resolve(undefined),
      recalled: () => Promise.resolve(undefined),
    },
    context: 'busy',
    namespace: 'default',
    timing: clock,
  });
  const states = new Map<string, TypeStatus['state']>();
  await source.start(batch => {
    for (const { type, state } of batch.statuses ?? []) states.set(type.resource, state);
  });
  const isDone = (): boolean =>
    states.size === KINDS && [...states.values()].every(state => state === 'synced');
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 30; turns++) await turn();
  };
  /** Statuses are collected for 10 ms before they are passed on. */
  const flushed = (): Promise<void> => clock.pass(10);
  await settle();
  const refusedAtFirst = asked.length;
  while (takenAt.length < KINDS && clock.now() - began < 300_000) {
    await clock.pass(clock.next ?? 1_000);
    await settle();
  }
  await flushed();
  await source.close();
  expect(isDone()).toBe(true);
  expect(most).toBeLessThanOrEqual(16);
  // All of them were there at once, and ten got in.
  expect(refusedAtFirst).toBe(KINDS);
  const later = asked.slice(refusedAtFirst);
  // A server that takes ten a second needs six seconds for sixty. Refusals make that longer, but not without end.
  expect(takenAt.at(-1)).toBeLessThan(30_000);
  expect(asked.length).toBeLessThan(KINDS * 5);
  // No tenth of a second sees them all again: those that were refused together come back over half a second and more.
  const crowd = Math.max(...later.map(at => later.filter(other => other >= at && other < at + 100).length));
  expect(crowd).toBeLessThanOrEqual(KINDS / 2);
});
