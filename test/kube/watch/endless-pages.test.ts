/** Servers whose lists always name a next page. */
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { CollectionRequests, type RequestWatch } from '../../../src/kube/watch/collection-requests.ts';
import { Pool } from '../../../src/kube/wire/pool.ts';
import { widgets } from '../follow.ts';

const MOST_ASKED = 300;

type Page = { readonly next: string; readonly names: readonly string[] };

function listing(pageOf: (nth: number) => Page): {
  readonly requests: CollectionRequests;
  readonly asked: () => number;
} {
  let asked = 0;
  const watch: Partial<RequestWatch> = {
    alive: new AbortController().signal,
    watch: () => ({ at: 0, limit: 0, silent: () => {} }),
    await: () => ({ at: 0, limit: 0, silent: () => {} }),
    heard: () => {},
    forget: () => {},
  };
  const requests = new CollectionRequests({
    type: widgets,
    namespace: undefined,
    transport: {
      server: 'https://example.com',
      request: () => {
        if (asked === MOST_ASKED) throw new Error('asked for ever');
        const { next, names } = pageOf(asked++);
        const items = names.map(name => ({
          metadata: { name, namespace: 'a', uid: name, resourceVersion: '1' },
        }));
        const body = JSON.stringify({
          kind: 'List',
          apiVersion: 'v1',
          metadata: { resourceVersion: '7', continue: next },
          items,
        });
        return Promise.resolve({
          status: 200,
          headers: { 'content-type': 'application/json' },
          body: Readable.from([Buffer.from(body)], { objectMode: false }),
        });
      },
      close: () => Promise.resolve(),
    },
    connection: watch as RequestWatch,
    pool: new Pool(),
    signal: new AbortController().signal,
    bulk: false,
  });
  return { requests, asked: () => asked };
}

const list = (requests: CollectionRequests): Promise<string> =>
  requests.list({ depth: 'metadata', resourceVersion: undefined, item: () => {} });

it.each<[string, (nth: number) => Page, number]>([
  ['one token', () => ({ next: 'a', names: [] }), 2],
  ['two tokens in turns', nth => ({ next: `t${nth % 2}`, names: [`n${nth}`] }), 3],
  ['the same objects under new tokens', nth => ({ next: `t${nth}`, names: ['a', 'b'] }), 2],
  ['empty pages under new tokens', nth => ({ next: `t${nth}`, names: [] }), 100],
])('a list that repeats %s ends with a sentence', async (_, pageOf, most) => {
  const { requests, asked } = listing(pageOf);
  await expect(list(requests)).rejects.toThrow('the pages of its list never end');
  expect(asked()).toBeLessThanOrEqual(most);
});

it('a list of many pages, some of them empty, is read to its end', async () => {
  const { requests, asked } = listing(nth => ({
    next: nth === 249 ? '' : `t${nth}`,
    names: nth % 50 === 0 ? [`n${nth}`] : [],
  }));
  expect(await list(requests)).toBe('7');
  expect(asked()).toBe(250);
});
