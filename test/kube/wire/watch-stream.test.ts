/** Watches in protobuf and JSON, cut anywhere. */
import { describe, expect, it } from 'vitest';
import { WireError } from '../../../src/kube/wire/cursor.ts';
import { JsonListStream, JsonWatchStream } from '../../../src/kube/wire/json-list.ts';
import { ObjectDecoder } from '../../../src/kube/wire/object-decoder.ts';
import { Pool } from '../../../src/kube/wire/pool.ts';
import { type WatchEvent, WatchStream } from '../../../src/kube/wire/watch-stream.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { encodeBookmark, encodeEvent, encodeObject, encodeStatus } from '../encode.ts';
import { claims, widgets } from '../follow.ts';

const object = { namespace: 'shop', name: 'a', uid: 'uid-1', resourceVersion: '7' };
const bytes = Buffer.concat([
  encodeEvent('ADDED', 'PartialObjectMetadata', encodeObject(object)),
  encodeBookmark('8', true),
  encodeEvent('MODIFIED', 'PartialObjectMetadata', encodeObject({ ...object, resourceVersion: '9' })),
  encodeBookmark('10', false),
  encodeEvent('DELETED', 'PartialObjectMetadata', encodeObject({ ...object, resourceVersion: '11' })),
  encodeEvent('ERROR', 'Status', encodeStatus(410, 'too old', 3)),
]);

function summary(event: WatchEvent): unknown {
  return 'object' in event ? `${event.type} ${event.object.name}@${event.object.resourceVersion}` : event;
}

const pool = new Pool();

function read(chunks: readonly Buffer[]): unknown[] {
  const events: unknown[] = [];
  const stream = new WatchStream(new ObjectDecoder(widgets, pool, false), event =>
    events.push(summary(event)),
  );
  for (const chunk of chunks) stream.push(chunk);
  return events;
}

const expected = [
  'ADDED a@7',
  { type: 'BOOKMARK', resourceVersion: '8', initial: true },
  'MODIFIED a@9',
  { type: 'BOOKMARK', resourceVersion: '10', initial: false },
  'DELETED a@11',
  {
    type: 'ERROR',
    status: { code: 410, reason: 'Expired', message: 'too old', retryAfterSeconds: 3, undecodable: [] },
  },
];

describe('a protobuf watch', () => {
  it('yields its events, wherever it is cut', () => {
    expect(read([bytes])).toEqual(expected);
    for (let at = 1; at < bytes.length; at++)
      expect(read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected);
    expect(read(Array.from(bytes, byte => Buffer.from([byte])))).toEqual(expected);
  });

  it('with an impossible frame is an error', () => {
    expect(() => read([Buffer.from([0xff, 0xff, 0xff, 0xff, 0])])).toThrow(WireError);
    expect(() => read([Buffer.from([0, 0, 0, 0, 0])])).toThrow(WireError);
    expect(() => read([encodeEvent('RENAMED', 'PartialObjectMetadata', encodeObject(object))])).toThrow(
      WireError,
    );
  });
});

describe('JSON of a server without protobuf', () => {
  const json = (version: string): unknown => ({
    kind: 'PartialObjectMetadata',
    metadata: { namespace: 'shop', name: 'a', uid: 'uid-1', resourceVersion: version },
  });

  it('yields the same events as protobuf, wherever the stream is cut', () => {
    const lines = [
      { type: 'ADDED', object: json('7') },
      {
        type: 'BOOKMARK',
        object: { metadata: { resourceVersion: '8', annotations: { 'k8s.io/initial-events-end': 'true' } } },
      },
      { type: 'MODIFIED', object: json('9') },
      { type: 'BOOKMARK', object: { metadata: { resourceVersion: '10' } } },
      { type: 'DELETED', object: json('11') },
      {
        type: 'ERROR',
        object: {
          code: 410,
          reason: 'Expired',
          message: 'too old',
          details: { retryAfterSeconds: 3, undecodable: [] },
        },
      },
    ];
    const text = Buffer.from(lines.map(line => `${JSON.stringify(line)}\n`).join(''));
    for (let at = 1; at < text.length; at++) {
      const events: unknown[] = [];
      const stream = new JsonWatchStream(widgets, false, event => events.push(summary(event)));
      stream.push(text.subarray(0, at));
      stream.push(text.subarray(at));
      expect(events).toEqual(expected);
    }
  });

  it('yields the items of a list, wherever it is cut and whatever its strings hold', () => {
    const odd = 'quote " backslash \\ braces {[]} ☃ "items":[{';
    const list = {
      kind: 'WidgetList',
      metadata: { resourceVersion: '42', continue: 'more' },
      items: [
        { metadata: { name: 'a', uid: '1', annotations: { odd } }, items: [{ metadata: {} }] },
        { metadata: { name: odd, uid: '2' } },
      ],
      after: { items: [{ no: 'item' }] },
    };
    const text = Buffer.from(JSON.stringify(list));
    for (let at = 1; at < text.length; at++) {
      const objects: KubeObject[] = [];
      const stream = new JsonListStream(widgets, false, each => objects.push(each));
      stream.push(text.subarray(0, at));
      stream.push(text.subarray(at));
      expect(stream.finish()).toEqual({ resourceVersion: '42', continue: 'more' });
      expect(objects.map(each => each.name)).toEqual(['a', odd]);
    }
  });

  it('that breaks off, or is no JSON, is an error', () => {
    const text = Buffer.from(
      '{"metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"a","uid":"1"}}]}',
    );
    for (let length = 0; length < text.length; length++) {
      const stream = new JsonListStream(widgets, false, () => {});
      stream.push(text.subarray(0, length));
      expect(() => stream.finish(), String(length)).toThrow(WireError);
    }
    expect(() =>
      new JsonListStream(widgets, false, () => {}).push(Buffer.from('{"items":[{nonsense}]}')),
    ).toThrow(WireError);
  });

  it('has no facts where it is metadata alone', () => {
    const objects: KubeObject[] = [];
    for (const full of [false, true]) {
      const stream = new JsonListStream(claims, full, each => objects.push(each));
      stream.push(Buffer.from('{"items":[{"metadata":{"name":"a","uid":"1"}}]}'));
    }
    expect(objects.map(each => each.facts?.kind)).toEqual([undefined, 'PersistentVolumeClaim']);
  });
});
