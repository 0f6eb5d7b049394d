import { expect, test } from 'vitest';
import { codesOn, findingOn, remediesIn } from '../../judged.ts';

const pair = `
- {kind: ConfigMap, name: a, owners: [v1 ConfigMap b b]}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a a]}`;

test('objects that own each other are told of it, and where to cut', () => {
  const found = findingOn(pair, 'a', 'OwnerCycle');
  expect(found).toMatchObject({ severity: 'warning', certainty: 'exact' });
  expect(found.message).toBe(
    'ConfigMap shop/a owns itself through ConfigMap b: whichever of them is deleted, the garbage collector deletes the others too.',
  );
  expect(found.chain.map(({ by, object }) => `${by} ${object.name}`)).toEqual([
    ' a',
    'owned by b',
    'owned by a',
  ]);
  expect(remediesIn(found)).toEqual(['caution prune-reference/b']);
  expect(codesOn(pair, 'b')).toEqual(['OwnerCycle']);
});

test('an object that owns itself is told of it', () => {
  const found = findingOn('- {kind: ConfigMap, name: a, owners: [v1 ConfigMap a a]}', 'a', 'OwnerCycle');
  expect(found.message).toMatch(/^ConfigMap shop\/a names itself as its owner/);
});

test('a cycle is found through the shortest way, also where it has other owners', () => {
  const ring = `
- {kind: ConfigMap, name: a, owners: [v1 ConfigMap top top, v1 ConfigMap b b]}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap c c]}
- {kind: ConfigMap, name: c, owners: [v1 ConfigMap a a]}
- {kind: ConfigMap, name: top}
- {kind: ConfigMap, name: below, owners: [v1 ConfigMap a a]}
- {kind: ConfigMap, name: deeper, owners: [v1 ConfigMap below below]}`;
  expect(findingOn(ring, 'c', 'OwnerCycle').brief).toBe('owned in a cycle with a and b');
  for (const name of ['top', 'below', 'deeper']) expect(codesOn(ring, name)).not.toContain('OwnerCycle');
});

test.each([
  [
    'a member is being deleted',
    pair.replace('name: a,', 'name: a, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [x.io/y],'),
  ],
  ['a reference of it means another object', pair.replace('[v1 ConfigMap b b]', '[v1 ConfigMap other b]')],
  ['one of them has no owner', pair.replace(', owners: [v1 ConfigMap b b]', '')],
])('there is no cycle where %s', (_, yaml) => {
  expect(codesOn(yaml, 'a')).not.toContain('OwnerCycle');
  expect(codesOn(yaml, 'b')).not.toContain('OwnerCycle');
});
