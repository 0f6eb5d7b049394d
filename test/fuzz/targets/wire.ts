/** Watches and lists in protobuf: however the bytes are cut into chunks, and whatever was decoded before, they say the same. */
import { ListStream } from '../../../src/kube/wire/list-stream.ts';
import { ObjectDecoder } from '../../../src/kube/wire/object-decoder.ts';
import { Pool } from '../../../src/kube/wire/pool.ts';
import { WatchStream } from '../../../src/kube/wire/watch-stream.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { encodeBookmark, encodeEvent, encodeObject, encodeStatus, envelope } from '../../kube/encode.ts';
import { encodeInvented, type InventedKind, inventedKinds } from '../../soak/objects.ts';
import { chunksOf, fail, type Target } from '../target.ts';

const object = {
  namespace: 'shop',
  name: 'web-0',
  uid: '5a5a5a5a-0000-4000-8000-000000000001',
  resourceVersion: '17',
  labels: { app: 'web', tier: 'back' },
  annotations: { 'helm.sh/resource-policy': 'keep' },
  finalizers: ['foregroundDeletion', 'example.com/hold'],
  owners: [
    {
      kind: 'StatefulSet',
      name: 'web',
      uid: 'u-1',
      apiVersion: 'apps/v1',
      controller: true,
      blockOwnerDeletion: true,
    },
  ],
  creationTimestamp: 1_795_000_000,
  deletionTimestamp: 1_795_000_100,
} as const;

const words = [
  'k8s\0',
  'ADDED',
  'MODIFIED',
  'DELETED',
  'BOOKMARK',
  'ERROR',
  'k8s.io/initial-events-end',
  'true',
];

function typeOf(kind: string): ResourceType {
  return builtInTypes.find(each => each.kind === kind && each.preferred) ?? fail(`no type ${kind}`);
}

/** What it delivers, and whether it refused the rest. Any error is one of the bytes: `collection-requests.ts` tells them so. */
function outcome(feed: (take: (told: unknown) => void) => void): string {
  const told: unknown[] = [];
  let isRefused = false;
  try {
    feed(each => told.push(each));
  } catch (error) {
    if (!(error instanceof Error) || error instanceof RangeError) throw error;
    // pbf has errors of its own (`asWireError`); one of ours is a mistake of the code.
    if (error instanceof TypeError || error instanceof ReferenceError) throw error;
    isRefused = true;
  }
  return JSON.stringify({ told, isRefused });
}

function watchTarget(kind: string, full: boolean): Target {
  const type = typeOf(kind);
  const shared = new Pool();
  const read = (chunks: Iterable<Buffer>, pool: Pool): string =>
    outcome(take => {
      const stream = new WatchStream(new ObjectDecoder(type, pool, full), take);
      for (const chunk of chunks) stream.push(chunk);
    });
  return {
    name: `watch-${kind.toLowerCase()}`,
    words,
    seeds: () => {
      const invented = inventedKinds.find(each => each.kind === kind);
      const raw =
        full && invented !== undefined
          ? encodeInvented(
              { ...object, type: invented, phase: 'Running', nodeName: 'n', replicas: 3, ready: 2 },
              'full',
            )
          : encodeObject(object);
      return [
        encodeEvent('ADDED', kind, raw),
        Buffer.concat([
          encodeEvent('MODIFIED', kind, raw),
          encodeEvent('DELETED', kind, raw),
          encodeBookmark('18', true),
        ]),
        encodeEvent('ERROR', 'Status', encodeStatus(410, 'too old')),
      ];
    },
    check: input => {
      const whole = read([Buffer.from(input)], new Pool());
      if (read(chunksOf(input), new Pool()) !== whole) fail('other events in other chunks');
      if (read([Buffer.from(input)], shared) !== whole) fail('other events after others');
    },
  };
}

/** Of each kind that facts are read of, the object alone; the first byte chooses the kind. */
const factTypes = builtInTypes.filter(({ preferred }) => preferred);
const sharedPool = new Pool();
const sharedDecoders = factTypes.map(type => new ObjectDecoder(type, sharedPool, true));

function listed(decoder: ObjectDecoder, chunks: Iterable<Buffer>): string {
  return outcome(take => {
    const objects: (KubeObject | undefined)[] = [];
    const stream = new ListStream((cursor, end) => objects.push(decoder.decode(cursor, end)));
    try {
      for (const chunk of chunks) stream.push(chunk);
      stream.finish();
      take(stream.meta);
    } finally {
      objects.forEach(take);
    }
  });
}

function listOf(raw: Uint8Array): Buffer {
  const length = Buffer.from([0x12, ...varint(raw.length)]);
  return envelope('List', Buffer.concat([Buffer.from([0x0a, 0x04, 0x12, 0x02, 0x31, 0x37]), length, raw]));
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

function whole(type: InventedKind): Uint8Array {
  return encodeInvented(
    { ...object, type, phase: 'Failed', nodeName: 'node-1', replicas: 2, ready: 1 },
    'full',
  );
}

const facts: Target = {
  name: 'facts',
  words,
  seeds: () =>
    factTypes.map((type, index) => {
      const invented = inventedKinds.find(({ kind }) => kind === type.kind);
      const raw = invented === undefined ? encodeObject(object) : whole(invented);
      // Fields of a spec and a status, whatever they mean to the kind.
      const parts = [2, 3].map(field =>
        Buffer.from([field * 8 + 2, 12, 8, 2, 18, 3, 97, 98, 99, 26, 3, 10, 1, 120]),
      );
      return Buffer.concat([Buffer.from([index]), listOf(Buffer.concat([raw, ...parts]))]);
    }),
  check: input => {
    const index = (input[0] ?? 0) % factTypes.length;
    const [type, shared] = [factTypes[index], sharedDecoders[index]];
    if (type === undefined || shared === undefined) return;
    const bytes = Buffer.from(input.subarray(1));
    const fresh = (): ObjectDecoder => new ObjectDecoder(type, new Pool(), true);
    const expected = listed(fresh(), [bytes]);
    if (listed(fresh(), chunksOf(bytes)) !== expected) fail('another list in other chunks');
    if (listed(shared, [Buffer.from(bytes)]) !== expected) fail('another list after others');
  },
};

export const wireTargets: readonly Target[] = [
  watchTarget('Pod', true),
  watchTarget('Deployment', true),
  watchTarget('ConfigMap', false),
  facts,
];
