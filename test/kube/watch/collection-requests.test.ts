import { Readable } from 'node:stream';
import { expect, it, vi } from 'vitest';
import {
  CollectionRequests,
  giveWay,
  type RequestWatch,
} from '../../../src/kube/watch/collection-requests.ts';
import { Pool } from '../../../src/kube/wire/pool.ts';
import { widgets } from '../follow.ts';

const PARTS = 60;

/** A list whose parts have all arrived at once, an object in each. */
function arrived(): Readable {
  const items = Array.from({ length: PARTS }, (_, nth) =>
    JSON.stringify({
      metadata: { name: `gear-${nth}`, namespace: 'shop', uid: `${nth}`, resourceVersion: '1' },
    }),
  );
  const head = '{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[';
  const parts = [head, ...items.map((item, nth) => (nth === 0 ? item : `,${item}`)), ']}'];
  return Readable.from(
    parts.map(part => Buffer.from(part)),
    { objectMode: false, highWaterMark: 1_000_000 },
  );
}

function requestsOf(body: Readable): CollectionRequests {
  const watch: Partial<RequestWatch> = {
    alive: new AbortController().signal,
    watch: () => ({ at: 0, limit: 0, silent: () => {} }),
    await: () => ({ at: 0, limit: 0, silent: () => {} }),
    heard: () => {},
    forget: () => {},
  };
  return new CollectionRequests({
    type: widgets,
    namespace: undefined,
    transport: {
      server: 'https://example.com',
      waiting: undefined,
      request: () => Promise.resolve({ status: 200, headers: { 'content-type': 'application/json' }, body }),
      close: () => Promise.resolve(),
    },
    connection: watch as RequestWatch,
    pool: new Pool(),
    signal: new AbortController().signal,
    bulk: false,
  });
}

const all = Array.from({ length: PARTS }, (_, nth) => `gear-${nth}`);

/** As long as it takes to read some hundred objects. */
function work(): void {
  for (const until = performance.now() + 1; performance.now() < until; );
}

it('lets everything else have its turn while much of an answer is there to be read', async () => {
  const requests = requestsOf(arrived());
  let isReading = true;
  let turns = 0;
  const other = (): void => {
    turns++;
    if (isReading) setImmediate(other);
  };
  const names: string[] = [];
  const turnsAt: number[] = [];
  const version = await requests.list({
    depth: 'metadata',
    resourceVersion: undefined,
    item: ({ name }) => {
      if (names.length === 0) setImmediate(other);
      names.push(name);
      turnsAt.push(turns);
      work();
    },
  });
  isReading = false;
  expect(version).toBe('7');
  expect(names).toEqual(all);
  for (let nth = 10; nth < PARTS; nth++) expect(turnsAt[nth]).toBeGreaterThan(turnsAt[nth - 10] ?? 0);
});

it('rests between two turns while somebody is at the keys, and reads everything nevertheless', async () => {
  const rests: number[] = [];
  const timer = vi.spyOn(globalThis, 'setTimeout');
  try {
    const read = async (): Promise<readonly string[]> => {
      const names: string[] = [];
      timer.mockClear();
      await requestsOf(arrived()).list({
        depth: 'metadata',
        resourceVersion: undefined,
        item: ({ name }) => {
          names.push(name);
          work();
        },
      });
      rests.push(timer.mock.calls.length);
      return names;
    };
    giveWay(60_000);
    expect(await read()).toEqual(all);
    giveWay(0);
    expect(await read()).toEqual(all);
  } finally {
    timer.mockRestore();
  }
  expect(rests[0]).toBeGreaterThanOrEqual(PARTS / 10);
  expect(rests[1]).toBe(0);
});

it('holds what it reads at a key, however little of its turn is over', async () => {
  let isKey = false;
  const names: string[] = [];
  /** How much was read when a timer was set: at a key, that is the next part at the latest. */
  const readAtRest: number[] = [];
  const timer = vi.spyOn(globalThis, 'setTimeout');
  try {
    await requestsOf(arrived()).list({
      depth: 'metadata',
      resourceVersion: undefined,
      item: ({ name }) => {
        names.push(name);
        if (!isKey) {
          timer.mockImplementationOnce((run: () => void) => {
            readAtRest.push(names.length);
            setImmediate(run);
            return undefined as unknown as NodeJS.Timeout;
          });
          giveWay(60_000);
        }
        isKey = true;
      },
    });
  } finally {
    giveWay(0);
    timer.mockRestore();
  }
  expect(names).toEqual(all);
  expect(readAtRest).toEqual([1]);
});
