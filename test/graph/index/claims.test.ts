import { describe, expect, test } from 'vitest';
import { alternateIdentity, type Claimant } from '../../../src/graph/index/claims.ts';
import { compareBytes, type Identity } from '../../../src/graph/node.ts';
import type { OwnerReference } from '../../../src/model/object.ts';
import { uid } from '../fixtures.ts';

const owner = {
  apiVersion: 'v1',
  kind: 'Parent',
  name: 'parent',
  uid: uid('parent-uid'),
  controller: undefined,
  blockOwnerDeletion: undefined,
} satisfies OwnerReference;

function dependent(namespace: string, ...claims: Partial<OwnerReference>[]): Claimant {
  return { namespace, owners: claims.map(claim => ({ ...owner, ...claim })) };
}

function identity(namespace: string, claim: Partial<OwnerReference> = {}): Identity {
  const { apiVersion, kind, name, uid: ownerUid } = { ...owner, ...claim };
  return { apiVersion, kind, namespace, name, uid: ownerUid };
}

describe('the identity to try after one was proven absent', () => {
  const none: Partial<OwnerReference> = {};
  test.each<[string, Claimant[], Identity, Identity | undefined]>([
    [
      'I1: another version',
      [dependent('ns1', none), dependent('ns1', { apiVersion: 'xx' })],
      identity('ns1'),
      identity('ns1', { apiVersion: 'xx' }),
    ],
    [
      'I2: another kind',
      [dependent('ns1', none), dependent('ns1', { kind: 'Other' })],
      identity('ns1'),
      identity('ns1', { kind: 'Other' }),
    ],
    [
      'I3: the same claim from another namespace',
      [dependent('ns1', none), dependent('ns2', none)],
      identity('ns1'),
      identity('ns2'),
    ],
    [
      'I4: another name',
      [dependent('ns1', none), dependent('ns1', { name: 'other' })],
      identity('ns1'),
      identity('ns1', { name: 'other' }),
    ],
    [
      'I5: another version of a cluster-scoped owner keeps the namespace of its holder',
      [dependent('', none), dependent('ns1', { apiVersion: 'xx' })],
      identity(''),
      identity('ns1', { apiVersion: 'xx' }),
    ],
    [
      'I7: the same cluster-scoped owner claimed from two namespaces is one',
      [dependent('ns1', none), dependent('ns2', none)],
      identity(''),
      undefined,
    ],
    [
      'I8: another name of a kind known as cluster-scoped has no namespace',
      [dependent('ns1', none), dependent('ns1', { name: 'other' })],
      identity(''),
      identity('', { name: 'other' }),
    ],
    [
      'I10: the claim that follows the absent one',
      ['v5', 'v3', 'v1', 'v4', 'v2'].map(apiVersion => dependent('ns1', { apiVersion })),
      identity('ns1', { apiVersion: 'v4' }),
      identity('ns1', { apiVersion: 'v5' }),
    ],
    [
      'I11: the first claim when the absent one was the last',
      [dependent('', ...['v1', 'v2', 'v3', 'v4', 'v5'].map(apiVersion => ({ apiVersion })))],
      identity('', { apiVersion: 'v5' }),
      identity('', { apiVersion: 'v1' }),
    ],
    [
      'I13: references to other uids do not count',
      [dependent('ns1', none, { uid: uid('unrelated'), name: 'other' })],
      identity('ns1'),
      undefined,
    ],
    [
      'I14: nor does the absent identity itself, listed twice',
      [dependent('ns1', none, none)],
      identity('ns1'),
      undefined,
    ],
  ])('%s', (_, dependents, absent, expected) => {
    expect(alternateIdentity(dependents, absent)).toEqual(expected);
  });

  test('names are ordered by their UTF-8 bytes', () => {
    const words = ['\u{1F600}', '\uFFFD', 'z', 'é', 'a', 'ab', ''];
    const byBytes = [...words].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect([...words].sort(compareBytes)).toEqual(byBytes);
  });
});
