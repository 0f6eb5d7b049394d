import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isEqualData, withKnown } from '../../src/model/equal.ts';

const data = fc.jsonValue().map(value => value as unknown);

test('equal data are equal whatever they are, and are the known ones', () => {
  fc.assert(
    fc.property(data, value => {
      const copy = structuredClone(value);
      expect(isEqualData(value, copy)).toBe(true);
      expect(withKnown(value, copy)).toBe(value);
    }),
  );
});

test('what is taken over is the new data, whatever was known', () => {
  fc.assert(
    fc.property(data, data, (known, next) => {
      const merged = withKnown(known, next);
      expect(merged).toEqual(next);
      expect(merged === known).toBe(isEqualData(known, next));
    }),
  );
});

test('parts that did not change are the known ones', () => {
  const known = { head: ['a'], body: [{ text: 'b' }, { text: 'c' }] };
  const next = { head: ['a'], body: [{ text: 'b' }, { text: 'd' }] };
  const merged = withKnown(known, next);
  expect(merged.head).toBe(known.head);
  expect(merged.body[0]).toBe(known.body[0]);
  expect(merged.body[1]).toEqual({ text: 'd' });
});

test('a field that is undefined is another thing than none, and a list than an object', () => {
  expect(isEqualData({ a: undefined }, {})).toBe(false);
  expect(isEqualData({}, { a: undefined })).toBe(false);
  expect(isEqualData([], {})).toBe(false);
  expect(isEqualData(undefined, null)).toBe(false);
});

test.each(['{"__proto__": false}', '{"__proto__": {}}', '{"toString": null}'])(
  'the names of what all objects inherit are names like others: %s',
  json => {
    const value = JSON.parse(json) as unknown;
    const other = JSON.parse('{"x": 1}') as unknown;
    expect(isEqualData(value, other)).toBe(false);
    expect(isEqualData(value, {})).toBe(false);
    expect(JSON.stringify(withKnown(other, value))).toBe(JSON.stringify(value));
    expect(JSON.stringify(withKnown(value, other))).toBe(JSON.stringify(other));
  },
);
