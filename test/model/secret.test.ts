import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonRecord } from '../../src/model/json/json.ts';
import { type Concealment, secretValues } from '../../src/model/secret.ts';

const VALUE = 'opensesame';
const BASE64 = Buffer.from(VALUE).toString('base64');
const ways: readonly Concealment[] = ['hidden', 'removed'];

const applied = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'db' },
  stringData: { password: VALUE },
});

/** What tools write onto the objects that they apply. */
const copies: Readonly<Record<string, string>> = {
  'kubectl.kubernetes.io/last-applied-configuration': applied,
  'kapp.k14s.io/original': applied,
  'kapp.k14s.io/original-diff-md5': '58e0494c51d30eb3494f7c9198986bb9',
  'objectset.rio.cattle.io/applied': gzipSync(applied).toString('base64'),
  'banzaicloud.com/last-applied': gzipSync(applied).toString('base64'),
  'reconcile.external-secrets.io/data-hash': 'b10a8db164e0754105b7a99be72e3fe5',
  'pulumi.com/last-applied': applied,
  description: `the password is ${VALUE}`,
};

const names: Readonly<Record<string, string>> = {
  'kubernetes.io/service-account.name': 'builder',
  'cert-manager.io/certificate-name': 'front',
  'meta.helm.sh/release-name': 'shop',
  'kapp.k14s.io/identity': 'v1;shop//Secret/db;v1',
  'objectset.rio.cattle.io/owner-name': 'db-operator',
};

const secret: JsonRecord = {
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'Opaque',
  immutable: true,
  metadata: { name: 'db', labels: { app: 'db' }, annotations: { ...copies, ...names } },
  data: { password: BASE64 },
  stringData: { password: VALUE },
};

describe('a Secret that is shown or kept', () => {
  it.each(ways)('has no value of an annotation that is not known to be harmless (%s)', how => {
    const text = JSON.stringify(secretValues.hiddenIn(secret, how));
    for (const value of [VALUE, BASE64, ...Object.values(copies)]) expect(text).not.toContain(value);
    for (const value of Object.values(names)) expect(text).toContain(value);
  });

  it('keeps the keys where they are only hidden, and none where they are removed', () => {
    expect(secretValues.hiddenIn(secret, 'hidden')).toMatchObject({
      metadata: { annotations: { description: '(hidden)' } },
      data: { password: '(hidden)' },
      stringData: { password: '(hidden)' },
    });
    expect(secretValues.hiddenIn(secret, 'removed')).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'Opaque',
      immutable: true,
      metadata: { name: 'db', labels: { app: 'db' }, annotations: names },
    });
  });

  it('tells what it lacks then', () => {
    expect(secretValues.isIn(secret)).toBe(true);
    expect(secretValues.isIn(secretValues.hiddenIn(secret, 'removed'))).toBe(false);
    expect(secretValues.isIn({ ...secret, data: {}, stringData: undefined })).toBe(false);
    expect(secretValues.annotations(secret).sort()).toEqual(Object.keys(copies).sort());
  });

  it('has no value of it whatever its annotations and fields are called', () => {
    const key = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.constantFrom(...Object.keys(copies), '__proto__', 'constructor', 'data', 'immutableX'),
    );
    const value = fc.constantFrom(VALUE, BASE64, applied, `x${VALUE}`);
    const annotations = fc.dictionary(key, value);
    const fields = fc.dictionary(
      key.filter(each => !['apiVersion', 'kind', 'metadata', 'type', 'immutable'].includes(each)),
      fc.oneof(value, fc.array(value), fc.dictionary(key, value)),
    );
    fc.assert(
      fc.property(annotations, fields, fc.constantFrom(...ways), (annotated, others, how) => {
        const harmless = Object.keys(names);
        const notes = Object.fromEntries(
          Object.entries(annotated).filter(([each]) => !harmless.includes(each)),
        );
        const json = { ...others, apiVersion: 'v1', kind: 'Secret', metadata: { annotations: notes } };
        const text = JSON.stringify(secretValues.hiddenBelow(json, how));
        expect(text).not.toContain(VALUE);
        expect(text).not.toContain(BASE64);
      }),
    );
  });
});

describe('an object of another kind', () => {
  const work = (annotations: JsonRecord, manifests: readonly unknown[]): JsonRecord => ({
    apiVersion: 'work.example.com/v1',
    kind: 'Work',
    metadata: { name: 'edge', annotations },
    spec: { manifests },
  });

  it('is shown as it is', () => {
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'api', annotations: { description: 'uses a Secret', copy: '{"kind":"Deployment"}' } },
      spec: { volumes: [{ secret: { secretName: 'db' } }], env: [{ name: 'A', value: 'b' }] },
    };
    expect(secretValues.hiddenBelow(deployment, 'hidden')).toEqual(deployment);
    const event = {
      kind: 'Event',
      involvedObject: { apiVersion: 'v1', kind: 'Secret', name: 'db', uid: 'u' },
    };
    expect(secretValues.hiddenBelow(event, 'hidden')).toEqual(event);
  });

  it.each(ways)('is shown without the values of a Secret that it carries, or keeps a copy of (%s)', how => {
    const carried = work(copies, [secret, { kind: 'ConfigMap', data: { a: 'plain' } }]);
    const noted = work({ 'kubectl.kubernetes.io/last-applied-configuration': `[${applied}]` }, []);
    const text = JSON.stringify([carried, noted].map(each => secretValues.hiddenBelow(each, how)));
    for (const value of [VALUE, BASE64, ...Object.values(copies)]) expect(text).not.toContain(value);
    expect(text).toContain('plain');
  });

  it('is shown without what lies too deep to be looked through', () => {
    let nested: unknown = secret;
    for (let depth = 0; depth < 20_000; depth += 1) nested = [nested];
    const text = JSON.stringify(secretValues.hiddenBelow(work({}, [nested]), 'hidden'));
    expect(text).toContain('(hidden)');
    expect(text).not.toContain(BASE64);
  });
});
