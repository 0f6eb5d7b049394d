import { expect, test } from 'vitest';
import { ListStream } from '../../../src/kube/wire/list-stream.ts';
import { ObjectDecoder } from '../../../src/kube/wire/object-decoder.ts';
import { Pool } from '../../../src/kube/wire/pool.ts';
import { encodeList, type FakeObject } from '../../kube/encode.ts';
import { widgets } from '../../kube/follow.ts';
import { MultipliedList } from './list.ts';

const uid = (digits: string): string => `${digits}-0000-4000-8000-000000000000`;
const resourceVersion = '7';
const other: FakeObject = { namespace: 'default', name: 'other', uid: uid('0000000a'), resourceVersion };
const owner: FakeObject = { namespace: 'team-00001', name: 'owner', uid: uid('fffffffe'), resourceVersion };
const owned: FakeObject = {
  namespace: 'team-00001',
  name: 'owned',
  uid: uid('0000000b'),
  resourceVersion,
  labels: { node: 'node-00002', 'part-of': 'team-00001' },
  owners: [{ kind: 'Widget', name: 'owner', uid: uid('fffffffe') }],
};
const last: FakeObject = { namespace: 'teams', name: 'last', uid: uid('0000000c'), resourceVersion };

function multiply(objects: readonly FakeObject[], namespaces: number): { count: number; read: unknown[] } {
  const list = new MultipliedList(encodeList(objects, '42', ''), { namespaces, nodes: 4 });
  const read: unknown[] = [];
  const decoder = new ObjectDecoder(widgets, new Pool(), false);
  const stream = new ListStream((cursor, end) => {
    const object = decoder.decode(cursor, end);
    if (object === undefined) throw new Error('an object without a name');
    const { namespace, name, labels, owners } = object;
    read.push([namespace, name, object.uid.slice(0, 8), labels, owners?.map(each => each.uid.slice(0, 8))]);
  });
  for (const part of list.parts()) stream.push(part);
  stream.finish();
  expect(stream.meta.resourceVersion).toBe('42');
  return { count: list.count, read };
}

test('what is in the first namespace, or on its nodes, is in the list as often as there are namespaces', () => {
  const { count, read } = multiply([other, owned, owner, last], 3);
  const part = (namespace: string, node: string, uids: readonly string[]): unknown[] => [
    [namespace, 'owned', uids[0], ['node', node, 'part-of', namespace], [uids[1]]],
    [namespace, 'owner', uids[1], [], []],
  ];
  expect(count).toBe(8);
  expect(read).toEqual([
    ['default', 'other', '0000000a', [], []],
    ...part('team-00001', 'node-00002', ['0000000b', 'fffffffe']),
    ...part('team-00002', 'node-00006', ['0000000c', 'ffffffff']),
    ...part('team-00003', 'node-00010', ['0000000d', '00000000']),
    ['teams', 'last', '0000000c', [], []],
  ]);
});

test.each([[[]], [[other]]])('a list without the first namespace stays as it is', objects => {
  expect(multiply(objects, 7)).toMatchObject({ count: objects.length });
});

test('a list of many parts holds them whole', () => {
  const { read } = multiply([owned, owner], 5_000);
  expect(read).toHaveLength(10_000);
  expect(new Set(read.map(object => JSON.stringify(object))).size).toBe(10_000);
  expect(read.at(-1)).toEqual(['team-05000', 'owner', '00001385', [], []]);
});

test('what is no list is refused', () => {
  expect(() => new MultipliedList(Buffer.from('k8s\0'), { namespaces: 2, nodes: 4 })).toThrow(
    'the answer is no Kubernetes protobuf',
  );
});
