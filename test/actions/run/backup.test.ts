import { describe, expect, it } from 'vitest';
import { backUp, type Reading } from '../../../src/actions/run/carry-out.ts';
import type { Identity } from '../../../src/graph/node.ts';
import type { JsonRecord } from '../../../src/model/json/json.ts';
import type { Uid } from '../../../src/model/object.ts';
import { SourceError } from '../../../src/source/source.ts';

function identity(kind: string, name: string): Identity {
  return { apiVersion: 'v1', kind, namespace: 'shop', name, uid: name as Uid };
}

const secret: JsonRecord = {
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'Opaque',
  metadata: {
    name: 'key',
    uid: 'key',
    managedFields: [{ manager: 'kubectl' }],
    annotations: {
      'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"password":"c2VjcmV0"}}',
      'kapp.k14s.io/original': '{"stringData":{"password":"secret"}}',
      'meta.helm.sh/release-name': 'stays',
    },
  },
  data: { password: 'c2VjcmV0' },
  stringData: { password: 'secret' },
};

function reading(read: Reading['read'], unreadable: readonly string[] = []): Reading {
  const known = ({ uid }: Identity): JsonRecord => ({ metadata: { uid, labels: { app: 'shop' } } });
  return { read, known, unreadable: new Set(unreadable as Uid[]) };
}

async function backedUp(
  json: JsonRecord | undefined,
  object = identity('Secret', 'key'),
  secretData = false,
) {
  const [backup] = await backUp(
    [object],
    reading(() => Promise.resolve(json)),
    { secretData },
  );
  return backup;
}

describe('the backup of an object', () => {
  it('of a Secret holds none of its data, not even in what others have noted on it', async () => {
    const backup = await backedUp(secret);
    expect(backup?.without).toBe('data');
    const text = JSON.stringify(backup);
    for (const each of ['c2VjcmV0', 'password', 'secret"']) expect(text).not.toContain(each);
    expect(backup?.json).toMatchObject({
      type: 'Opaque',
      metadata: { annotations: { 'meta.helm.sh/release-name': 'stays' } },
    });
    expect(backup?.withoutAnnotations).toEqual([
      'kubectl.kubernetes.io/last-applied-configuration',
      'kapp.k14s.io/original',
    ]);
  });

  it('of a Secret holds its data where the person says so', async () => {
    const backup = await backedUp(secret, identity('Secret', 'key'), true);
    const { annotations } = secret['metadata'] as { annotations: object };
    expect(backup?.json).toMatchObject({ data: { password: 'c2VjcmV0' }, metadata: { annotations } });
    expect(backup).not.toHaveProperty('without');
    expect(backup).not.toHaveProperty('withoutAnnotations');
  });

  it('of a Secret without data lacks nothing that it needs', async () => {
    const { data: _data, stringData: _text, ...empty } = secret;
    const backup = await backedUp(empty);
    expect(backup).not.toHaveProperty('without');
    // It may have had data when these were written.
    expect(JSON.stringify(backup?.json)).not.toContain('password');
  });

  it('of anything else is whole, without managed fields', async () => {
    const json = { metadata: { uid: 'c', managedFields: [] }, data: { a: 'b' } };
    expect(await backedUp(json, identity('ConfigMap', 'c'))).toEqual({
      object: identity('ConfigMap', 'c'),
      json: { metadata: { uid: 'c' }, data: { a: 'b' } },
    });
  });

  it('is not that of another object under the same name', async () => {
    const json = { metadata: { uid: 'another' }, data: { a: 'b' } };
    expect(await backedUp(json, identity('ConfigMap', 'c'))).toHaveProperty('json', undefined);
  });

  it('has none where the object is gone, and none is made where one cannot be read', async () => {
    expect(await backedUp(undefined)).toHaveProperty('json', undefined);
    const objects = ['a', 'b'].map(name => identity('ConfigMap', name));
    const read = ({ name }: Identity) =>
      name === 'b' ? Promise.reject(new Error('403')) : Promise.resolve({ metadata: { uid: name } });
    await expect(backUp(objects, reading(read), { secretData: false })).rejects.toThrow('403');
  });

  it('is the metadata that is known where the user may not read the object, and was told so', async () => {
    const objects = ['a', 'b', 'c'].map(name => identity('ConfigMap', name));
    const read = ({ name }: Identity) =>
      name === 'a'
        ? Promise.resolve({ metadata: { uid: name }, data: {} })
        : Promise.reject(new SourceError('no', { status: name === 'b' ? 403 : 405 }));
    const found = await backUp(objects, reading(read, ['b', 'c']), { secretData: true });
    expect(found.slice(1)).toEqual(
      objects.slice(1).map(object => ({
        object,
        json: { metadata: { uid: object.uid, labels: { app: 'shop' } } },
        without: 'content',
      })),
    );
    await expect(backUp(objects, reading(read, ['b']), { secretData: true })).rejects.toMatchObject({
      objects: [{ name: 'c' }],
    });
  });

  it('of many objects comes in their order', async () => {
    const objects = Array.from({ length: 40 }, (_, index) => identity('ConfigMap', `c${index}`));
    const read = async ({ uid, name }: Identity) => {
      // Later ones are answered sooner.
      for (let turns = 40 - Number(name.slice(1)); turns > 0; turns -= 1) await Promise.resolve();
      return { metadata: { uid } };
    };
    const found = await backUp(objects, reading(read), { secretData: false });
    expect(found.map(({ object }) => object.name)).toEqual(objects.map(({ name }) => name));
    expect(found.every(({ object, json }) => JSON.stringify(json).includes(object.uid))).toBe(true);
  });
});
