/** Keys of an object may stand in any order: YAML means the same by all of them, whoever wrote it. */
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { command } from '../../../cli/console.ts';

const bucket = {
  apiVersion: 'store.example.org/v1',
  kind: 'Bucket',
  metadata: {
    name: 'logs',
    namespace: 'shop',
    uid: 'bucket',
    creationTimestamp: '2026-11-20T00:00:00Z',
    deletionTimestamp: '2026-11-21T02:00:00Z',
    finalizers: ['store.example.org/empty'],
  },
  spec: { size: 3 },
  status: {
    conditions: [
      {
        type: 'Synced',
        status: 'False',
        reason: 'ReconcileError',
        message: 'cannot delete: BucketNotEmpty',
        lastTransitionTime: '2026-11-21T02:00:05Z',
      },
    ],
  },
};

function* orders<T>(values: readonly T[]): IterableIterator<readonly T[]> {
  if (values.length === 0) yield [];
  for (const [index, value] of values.entries())
    for (const rest of orders(values.toSpliced(index, 1))) yield [value, ...rest];
}

const inOrder = (object: object, keys: readonly string[]): object => {
  const values = new Map(Object.entries(object));
  return Object.fromEntries(keys.map(key => [key, values.get(key)]));
};

async function answer(asked: string, document: object): Promise<string> {
  const { out } = await command(`why ${asked} -n shop -f -`, { stdin: stringify(document) });
  return out;
}

describe('an object in a file', () => {
  const asked = 'bucket/logs';
  const said = 'BucketNotEmpty';
  const keys = Object.keys(bucket);

  test('is told of alike in every order of its keys', async () => {
    const usual = await answer(asked, bucket);
    expect(usual).toContain(said);
    for (const order of orders(keys))
      expect(await answer(asked, inOrder(bucket, order)), order.join()).toBe(usual);
  });

  test('and of those of a list around it', async () => {
    const list = (of: object) => ({ apiVersion: 'v1', kind: 'List', metadata: {}, items: [of] });
    const usual = await answer(asked, list(bucket));
    expect(usual).toContain(said);
    const last = inOrder(bucket, keys.toReversed());
    for (const order of orders(Object.keys(list(bucket))))
      expect(await answer(asked, inOrder(list(last), order)), order.join()).toBe(usual);
  });
});
