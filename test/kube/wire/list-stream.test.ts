/** Lists in protobuf, cut anywhere, and bytes that are no list. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WireError } from '../../../src/kube/wire/cursor.ts';
import { ListStream } from '../../../src/kube/wire/list-stream.ts';
import { ObjectDecoder } from '../../../src/kube/wire/object-decoder.ts';
import { Pool } from '../../../src/kube/wire/pool.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { encodeList, envelope, type FakeObject } from '../encode.ts';
import { widgets } from '../follow.ts';

const many: readonly FakeObject[] = ['a', 'b', 'ünïcode', ''].map((suffix, index) => ({
  namespace: index % 2 === 0 ? 'shop' : 'other',
  name: `object-${suffix}`,
  uid: `uid-${index}`,
  resourceVersion: String(index),
  labels: { app: 'web', 'example.com/empty': '' },
  annotations: { '': 'x', long: 'x'.repeat(300), 'meta.helm.sh/release-name': 'shöp', ['y'.repeat(200)]: '' },
  owners: [{ kind: 'Widget', name: 'näme', uid: 'owner' }],
  finalizers: index === 1 ? ['example.com/hold'] : [],
  ...(index === 2 && { deletionTimestamp: 1_700_000_000 }),
}));

// One for all: making one takes longer than reading a list.
const pool = new Pool();

function read(chunks: readonly Buffer[]): { objects: KubeObject[]; stream: ListStream } {
  const objects: KubeObject[] = [];
  const decoder = new ObjectDecoder(widgets, pool, false);
  const stream = new ListStream((cursor, end) => {
    const object = decoder.decode(cursor, end);
    if (object !== undefined) objects.push(object);
  });
  for (const chunk of chunks) stream.push(chunk);
  stream.finish();
  return { objects, stream };
}

describe('a protobuf list', () => {
  it('yields its objects and its version', () => {
    const { objects, stream } = read([encodeList(many, '42', 'more')]);
    expect(stream.meta).toEqual({ resourceVersion: '42', continue: 'more' });
    expect(objects).toHaveLength(4);
    expect(objects[2]).toMatchObject({
      namespace: 'shop',
      name: 'object-ünïcode',
      uid: 'uid-2',
      resourceVersion: '2',
      deletionTimestamp: 1_700_000_000_000,
      labels: ['app', 'web', 'example.com/empty', ''],
      annotations: ['meta.helm.sh/release-name', 'shöp'],
      owners: [
        {
          apiVersion: 'v1',
          kind: 'Widget',
          name: 'näme',
          uid: 'owner',
          controller: undefined,
          blockOwnerDeletion: undefined,
        },
      ],
      finalizers: [],
    });
    expect(objects[1]?.finalizers).toEqual(['example.com/hold']);
  });

  it('yields the same wherever it is cut in two, and byte by byte', () => {
    const bytes = encodeList(many, '42');
    const whole = read([bytes]).objects;
    for (let at = 1; at < bytes.length; at++)
      expect(read([bytes.subarray(0, at), bytes.subarray(at)]).objects).toEqual(whole);
    expect(read(Array.from(bytes, byte => Buffer.from([byte]))).objects).toEqual(whole);
  });

  it('may be empty', () => {
    const { objects, stream } = read([encodeList([], '7')]);
    expect(objects).toEqual([]);
    expect(stream.meta.resourceVersion).toBe('7');
  });

  it('leaves out what has no name or no uid', () => {
    const nameless = { namespace: '', name: '', uid: 'u', resourceVersion: '1' };
    expect(read([encodeList([nameless, { ...nameless, name: 'n', uid: '' }], '7')]).objects).toEqual([]);
  });

  it('shares equal labels and owner references between its objects', () => {
    const { objects } = read([encodeList(many, '42')]);
    expect(objects[0]?.labels).toBe(objects[3]?.labels);
    expect(objects[0]?.owners).toBe(objects[3]?.owners);
  });

  it('that ends too early is an error, wherever that is', () => {
    const bytes = encodeList(many, '42');
    // The last four bytes are the empty encoding and content type, which nobody needs.
    for (let length = 0; length < bytes.length - 4; length++)
      expect(() => read([bytes.subarray(0, length)]), String(length)).toThrow(WireError);
  });

  it('whose item claims to be longer than the list is an error', () => {
    const item = Buffer.from([0x12, 0x90, 0x4e, 0x0a, 0x00]);
    expect(() => read([envelope('PartialObjectMetadataList', item)])).toThrow(WireError);
    const endless = Buffer.from([
      0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01,
    ]);
    expect(() => read([envelope('PartialObjectMetadataList', endless)])).toThrow(WireError);
  });

  it('of garbage, or with flipped bytes, throws or is read, but never hangs and keeps within its bytes', () => {
    const bytes = encodeList(many, '42');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 })), {
          minLength: 1,
          maxLength: 6,
        }),
        fc.integer({ min: 1, max: 200 }),
        (flips, size) => {
          const broken = Buffer.from(bytes);
          for (const [at, value] of flips) broken[at] = value;
          const chunks: Buffer[] = [];
          for (let start = 0; start < broken.length; start += size)
            chunks.push(broken.subarray(start, start + size));
          try {
            expect(read(chunks).objects.length).toBeLessThanOrEqual(broken.length);
          } catch (error) {
            // pbf has errors of its own for impossible numbers and types.
            expect(error).toBeInstanceOf(Error);
            expect(String(error)).toMatch(/WireError|varint|Unimplemented type/);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
