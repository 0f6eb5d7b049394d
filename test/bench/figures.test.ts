import { expect, test } from 'vitest';
import { markdownTable, resultOf } from './figures.ts';

const hundred = Array.from({ length: 100 }, (_, index) => index + 1);

test('a value is the median, or the 99th percentile', () => {
  expect(resultOf({ what: 'a key', unit: 'ms', values: hundred })).toMatchObject({
    value: 50.5,
    min: 1,
    max: 100,
  });
  expect(resultOf({ what: 'a key', unit: 'ms', values: hundred, p99: true }).value).toBe(99);
});

test.each([[[]], [[1, Number.NaN]]])('%j is no figure', values => {
  expect(() => resultOf({ what: 'a key', unit: 'ms', values })).toThrow('no figures for "a key"');
});

test('the table has the sections in their order, and the sizes of a row side by side', () => {
  const rows = [
    resultOf({ what: 'graph', unit: 'ms', values: [900], reach: '1 s', limit: 1_000 }),
    resultOf({ what: 'facts', unit: 'ms', values: [2_000], reach: '1 s', limit: 1_000 }),
  ];
  const table = markdownTable(
    [
      { section: 'memory', rows: rows.slice(0, 1) },
      { section: 'start', pods: 20_000, rows },
      { section: 'start', pods: 1_000, rows },
    ],
    ['start', 'memory'],
  );
  expect(table.split('\n').slice(2)).toEqual([
    '| graph | 1,000 | 900 ms | 900 ms | 900 ms | 1 | 1 s | yes | `--only start --pods 1000` |',
    '| graph | 20,000 | 900 ms | 900 ms | 900 ms | 1 | 1 s | yes | `--only start --pods 20000` |',
    '| facts | 1,000 | 2,000 ms | 2,000 ms | 2,000 ms | 1 | 1 s | no | `--only start --pods 1000` |',
    '| facts | 20,000 | 2,000 ms | 2,000 ms | 2,000 ms | 1 | 1 s | no | `--only start --pods 20000` |',
    '| graph |  | 900 ms | 900 ms | 900 ms | 1 | 1 s | yes | `--only memory` |',
  ]);
});
