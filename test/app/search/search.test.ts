import { expect, test } from 'vitest';
import { SearchIndex } from '../../../src/app/search/node-index.ts';
import { type SearchProgress, search } from '../../../src/app/session/object-search.ts';
import { ClusterView } from '../../../src/graph/cluster-view.ts';
import { object, population, types } from '../../ui/synthetic-source.ts';

function indexOf(names: readonly string[]): SearchIndex {
  const view = new ClusterView();
  view.apply(
    {
      types: Object.values(types),
      changes: names.map((name, i) => ({
        op: 'upsert' as const,
        object: object({ type: types.pod, namespace: 'shop', name, uid: `u${i}` }),
      })),
    },
    0,
  );
  return new SearchIndex(view.graph.nodes());
}

function run(index: SearchIndex, query: string): { all: SearchProgress[]; titles: string[] } {
  const all: SearchProgress[] = [];
  const steps = search({ index, narrowed: undefined, query, vocabulary: {}, inScope: () => true });
  for (const step of steps) if (step !== undefined) all.push(step);
  return { all, titles: all.at(-1)?.hits.map(hit => hit.title) ?? [] };
}

test('a whole name stands before a beginning, a beginning before a middle', () => {
  const { titles } = run(indexOf(['my-api', 'api-1', 'api', 'other']), 'api');
  expect(titles).toEqual(['Pod shop/api', 'Pod shop/api-1', 'Pod shop/my-api']);
});

test('every word has to occur, in kind, namespace or name', () => {
  const { titles } = run(indexOf(['api', 'web']), 'pod shop we');
  expect(titles[0]).toBe('Pod shop/web');
  expect(titles).not.toContain('Pod shop/api');
});

test('a word with half of its letters missing is found if nothing is nearer', () => {
  expect(run(indexOf(['apiserver', 'etcd']), 'apsrvr').titles).toEqual(['Pod shop/apiserver']);
});

test('typing errors of swapped letters find nothing rather than everything', () => {
  expect(run(indexOf(['apiserver', 'etcd']), 'zzqq').titles).toEqual([]);
});

test('literal hits are told before the fuzzy ones are looked for', () => {
  const { all } = run(indexOf(['web-0', 'w-e-b']), 'web');
  expect(all[0]).toMatchObject({ total: 1, done: false });
  expect(all.at(-1)).toMatchObject({ done: true });
});

test('what comes while the index is built is found, what is removed is not', () => {
  const index = indexOf(['one', 'two', 'three']);
  index.build(1);
  index.remove('u0' as never);
  expect(run(index, 'one').titles).toEqual([]);
  expect(run(index, 'three').titles).toEqual(['Pod shop/three']);
});

test('of many hits the best are shown and all are counted', () => {
  const view = new ClusterView();
  view.apply(
    {
      types: Object.values(types),
      changes: Array.from(population({ objects: 3000 }), each => ({ op: 'upsert' as const, object: each })),
    },
    0,
  );
  const { all } = run(new SearchIndex(view.graph.nodes()), 'app-');
  expect(all.at(-1)?.hits).toHaveLength(200);
  expect(all.at(-1)?.total).toBeGreaterThan(2900);
});

test('of equally good hits the shortest are shown, and of those the first of the alphabet', () => {
  const names = Array.from({ length: 1_500 }, (_, nth) => `web-${(nth * 7) % 1_500}`);
  const sorted = names.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1));
  const { titles } = run(indexOf(names), 'web-');
  expect(titles).toEqual(sorted.slice(0, 200).map(name => `Pod shop/${name}`));
});

test('what comes while it is looked for neither keeps the search from ending nor shows twice', () => {
  const index = indexOf(['web-0']);
  const later = population({ objects: 100_000 });
  const view = new ClusterView();
  const add = (): void => {
    const { value } = later.next();
    if (value === undefined) throw new Error('the search does not end');
    view.apply({ types: Object.values(types), changes: [{ op: 'upsert', object: value }] }, 0);
    const node = view.graph.get(value.uid);
    if (node !== undefined) index.add(node);
  };
  const steps = search({ index, narrowed: undefined, query: 'web-0', vocabulary: {}, inScope: () => true });
  let last: SearchProgress | undefined;
  for (const step of steps) {
    for (let nth = 0; nth < 2_000; nth++) add();
    last = step ?? last;
  }
  expect(last?.done).toBe(true);
  expect(last?.hits.filter(({ title }) => title === 'Pod shop/web-0')).toHaveLength(1);
});

test('short names of kinds find them', () => {
  const view = new ClusterView();
  const statefulSet = {
    ...types.deployment,
    kind: 'StatefulSet',
    resource: 'statefulsets',
    shortNames: ['sts'],
  };
  view.apply(
    {
      types: [statefulSet, types.pod],
      changes: [
        { op: 'upsert', object: object({ type: types.pod, namespace: 'a', name: 'sets-test', uid: 'p' }) },
        { op: 'upsert', object: object({ type: statefulSet, namespace: 'a', name: 'web', uid: 's' }) },
      ],
    },
    0,
  );
  expect(run(new SearchIndex(view.graph.nodes()), 'sts').titles[0]).toBe('StatefulSet a/web');
  expect(run(new SearchIndex(view.graph.nodes()), 'sts we').titles).toEqual(['StatefulSet a/web']);
});

function indexOfObjects(...inits: readonly Partial<Parameters<typeof object>[0]>[]): SearchIndex {
  const view = new ClusterView();
  view.apply(
    {
      types: Object.values(types),
      changes: inits.map((init, i) => ({
        op: 'upsert' as const,
        object: object({ type: types.pod, namespace: 'shop', name: `n${i}`, uid: `u${i}`, ...init }).with(
          init as object,
        ),
      })),
    },
    0,
  );
  return new SearchIndex(view.graph.nodes());
}

test('words with typing errors are found, the fewest errors first, behind words as they are', () => {
  const index = indexOf(['stock-import', 'stokc', 'rock']);
  expect(run(index, 'stokc').titles).toEqual(['Pod shop/stokc', 'Pod shop/stock-import']);
  expect(run(index, 'stokc imprt').titles).toEqual(['Pod shop/stock-import']);
  expect(run(index, 'stck-imprt').titles).toEqual(['Pod shop/stock-import']);
});

test('finalizers, labels and uids are searched, and said', () => {
  const index = indexOfObjects(
    { name: 'held', finalizers: ['example.com/drain'] },
    { name: 'labelled', labels: ['app.kubernetes.io/name', 'Drainer'] },
    { name: 'plain', uid: '3f2a9c10-77aa' },
  );
  const besides = (query: string) =>
    run(index, query)
      .all.at(-1)
      ?.hits.map(hit => [hit.title, hit.besides]);
  expect(besides('drain')).toEqual([
    ['Pod shop/held', 'finalizer example.com/drain'],
    ['Pod shop/labelled', 'label app.kubernetes.io/name=Drainer'],
  ]);
  expect(besides('held drain')).toEqual([['Pod shop/held', 'finalizer example.com/drain']]);
  expect(besides('name=drainer')).toEqual([['Pod shop/labelled', 'label app.kubernetes.io/name=Drainer']]);
  expect(besides('3f2a9c')).toEqual([['Pod shop/plain', 'uid 3f2a9c10-77aa']]);
});

test('a hit says where in its title the words are, with errors too', () => {
  const parts = (names: string[], query: string) => {
    const [hit] = run(indexOf(names), query).all.at(-1)?.hits ?? [];
    return hit?.places.map(([from, to]) => hit.title.slice(from, to));
  };
  expect(parts(['stock-import'], 'shop stock')).toEqual(['shop', 'stock']);
  expect(parts(['stock-import'], 'stokc')).toEqual(['stock']);
  expect(parts(['apiserver'], 'apsrvr')).toEqual(['apiserver']);
});
