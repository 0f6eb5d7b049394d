/** The protobuf decoders against a real API server: what they read equals what its JSON says. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTransport } from '../../../src/kube/auth/http-transport.ts';
import { resolveConnection } from '../../../src/kube/config/resolve-connection.ts';
import { Discovery } from '../../../src/kube/discovery/discovery.ts';
import type { Transport } from '../../../src/kube/transport/transport.ts';
import { collectionPath } from '../../../src/kube/watch/collection-requests.ts';
import { JsonListStream } from '../../../src/kube/wire/json-list.ts';
import { ListStream } from '../../../src/kube/wire/list-stream.ts';
import { ObjectDecoder } from '../../../src/kube/wire/object-decoder.ts';
import { Pool } from '../../../src/kube/wire/pool.ts';
import { Facts } from '../../../src/model/facts/facts.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { objectJson } from '../../../src/model/object-json.ts';
import { ResourceType } from '../../../src/model/types/resource-type.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { testedVersion, usualVersion } from '../../harness/processes/versions.ts';
import { eventually } from '../eventually.ts';
import { type OddObject, oddObjects, oddWidget } from '../forecast/odd-objects.ts';

const protobuf = 'application/vnd.kubernetes.protobuf';
const metadataList = `${protobuf};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;

let cluster: Cluster;
let transport: Transport;
let types: readonly ResourceType[];

beforeAll(async () => {
  cluster = await startControlPlane({ nodes: 0, components: ['etcd', 'kube-apiserver'] });
  for (const object of oddObjects) if (await isServed(object)) await create(object);
  await eventually(() => create(oddWidget));
  transport = createTransport(resolveConnection({ kubeconfig: await cluster.kubeconfig() }, {}));
  types = (await new Discovery(transport).refresh()).types.filter(ResourceType.isMonitored);
});
afterAll(async () => {
  await transport?.close();
  await cluster?.stop();
});

/** Older versions don't serve all of these kinds yet. */
async function isServed({ path }: OddObject): Promise<boolean> {
  if (testedVersion().minor === usualVersion.minor) return true;
  return (await cluster.api.send({ path })).status !== 404;
}

async function create({ path, body, status, deleted }: OddObject): Promise<void> {
  await cluster.api.json({ method: 'POST', path, body });
  const own = `${path}/${encodeURIComponent(body.metadata.name)}`;
  if (status !== undefined) {
    await cluster.api.json({
      method: 'PATCH',
      path: `${own}/status`,
      contentType: 'application/merge-patch+json',
      body: { status },
    });
  }
  if (deleted === true) await cluster.api.json({ method: 'DELETE', path: own });
}

async function fetchBytes(path: string, accept: string): Promise<Buffer> {
  const response = await transport.request({ method: 'GET', path, headers: { accept } });
  expect(response.status).toBe(200);
  const parts: Uint8Array[] = [];
  for await (const part of response.body) parts.push(part);
  return Buffer.concat(parts);
}

/** Chunks of `size` bytes; or, with a pair, cut in two at one place. */
function decode(
  type: ResourceType,
  bytes: Buffer,
  full: boolean,
  cut: { size?: number; at?: number } = {},
): KubeObject[] {
  const objects: KubeObject[] = [];
  const decoder = new ObjectDecoder(type, new Pool(), full);
  const stream = new ListStream((cursor, end) => {
    const object = decoder.decode(cursor, end);
    if (object !== undefined) objects.push(object);
  });
  if (cut.at !== undefined) {
    stream.push(Buffer.from(bytes.subarray(0, cut.at)));
    stream.push(Buffer.from(bytes.subarray(cut.at)));
  } else {
    const size = cut.size ?? bytes.length;
    for (let start = 0; start < bytes.length; start += size)
      stream.push(Buffer.from(bytes.subarray(start, start + size)));
  }
  stream.finish();
  return objects;
}

function fromJson(type: ResourceType, bytes: Buffer): KubeObject[] {
  const { items } = JSON.parse(bytes.toString('utf8')) as { items: Record<string, unknown>[] };
  return items.flatMap(item => objectJson.read(type, item) ?? []);
}

/** Maps have no order in JSON; everything else must be equal to the letter. */
function comparable(object: KubeObject, facts: boolean): unknown {
  const sorted = (pairs: readonly string[]): unknown =>
    Object.fromEntries(pairs.flatMap((key, index) => (index % 2 === 0 ? [[key, pairs[index + 1]]] : [])));
  const plain = JSON.parse(
    JSON.stringify(
      Object.assign({}, object, { type: undefined, facts: facts ? object.facts : undefined }),
      (_key, value: unknown) => (value === undefined ? '(undefined)' : value),
    ),
  ) as Record<string, unknown> & { facts?: Record<string, unknown> };
  plain['labels'] = sorted(object.labels);
  if (facts && object.facts?.kind === 'Workload' && plain.facts !== undefined) {
    plain.facts['templateLabels'] = sorted(object.facts.templateLabels);
    if (object.facts.selector !== undefined)
      plain.facts['selector'] = {
        ...object.facts.selector,
        matchLabels: sorted(object.facts.selector.matchLabels),
      };
  }
  return plain;
}

interface Lists {
  readonly json: KubeObject[];
  readonly metadata: KubeObject[];
  /** Undefined where the kind has no facts. */
  readonly full: KubeObject[] | undefined;
}

/** In each form, of one moment: the API server renews leases and conditions of its own all the time. */
async function listsOf(type: ResourceType): Promise<Lists> {
  const path = collectionPath(type, undefined);
  return eventually(async () => {
    const json = fromJson(type, await fetchBytes(path, 'application/json'));
    const metadata = decode(type, await fetchBytes(path, metadataList), false);
    const full = Facts.areOf(type) ? decode(type, await fetchBytes(path, protobuf), true) : undefined;
    const after = fromJson(type, await fetchBytes(path, 'application/json'));
    expect(after.map(versionOf), `${ResourceType.groupResource(type)} is changing`).toEqual(
      json.map(versionOf),
    );
    return { json, metadata, full };
  });
}

function versionOf({ uid, resourceVersion }: KubeObject): string {
  return `${uid}@${resourceVersion}`;
}

function pods(): ResourceType {
  const found = types.find(type => ResourceType.groupResource(type) === 'pods');
  if (found === undefined) throw new Error('no pods');
  return found;
}

describe('lists of a real API server', () => {
  it('decode to what their JSON says, for every kind, metadata and facts', async () => {
    let compared = 0;
    for (const type of types) {
      const { json, metadata, full } = await listsOf(type);
      expect(
        metadata.map(object => comparable(object, false)),
        ResourceType.groupResource(type),
      ).toEqual(json.map(object => comparable(object, false)));
      expect(metadata.every(object => object.facts === undefined)).toBe(true);
      if (full === undefined) continue;
      expect(full.length, ResourceType.groupResource(type)).toBeGreaterThan(0);
      expect(
        full.map(object => comparable(object, true)),
        ResourceType.groupResource(type),
      ).toEqual(json.map(object => comparable(object, true)));
      compared += full.length;
    }
    expect(compared).toBeGreaterThan(20);
  });

  it('decode the same wherever the chunks end', async () => {
    const path = `${collectionPath(pods(), 'odd')}?limit=2`;
    const bytes = await fetchBytes(path, protobuf);
    const whole = decode(pods(), bytes, true);
    for (const size of [1, 2, 3, 5, 64, 1000, 16_384])
      expect(decode(pods(), bytes, true, { size })).toEqual(whole);
    // Every position but those inside the huge annotation, which all are alike.
    const positions = Array.from({ length: bytes.length - 1 }, (_, index) => index + 1);
    const dull = bytes.indexOf('☃'.repeat(100));
    for (const at of positions.filter(each => each < dull + 50 || each > dull + 60_000 * 3 - 50))
      expect(decode(pods(), bytes, true, { at })).toEqual(whole);
  });

  it('read the same from streamed JSON, as aggregated servers send it', async () => {
    const bytes = await fetchBytes(collectionPath(pods(), 'odd'), 'application/json');
    const expected = fromJson(pods(), bytes);
    for (const size of [1, 7, 4096, bytes.length]) {
      const objects: KubeObject[] = [];
      const stream = new JsonListStream(pods(), true, object => objects.push(object));
      for (let start = 0; start < bytes.length; start += size)
        stream.push(bytes.subarray(start, start + size));
      expect(stream.finish().resourceVersion).not.toBe('');
      expect(objects).toEqual(expected);
    }
  });
});
