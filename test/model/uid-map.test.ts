/** The map by uid holds what a Map holds, whatever is set, deleted and read. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Uid } from '../../src/model/object.ts';
import { UidMap } from '../../src/model/uid-map.ts';

// Uids of clusters, and those of nodes that nobody has seen, short ones and none at all.
const uids = fc
  .oneof(fc.uuid(), fc.stringMatching(/^[a-z0-9/-]{0,3}$/u), fc.string({ maxLength: 2 }))
  .map(text => text as Uid);

test('it agrees with a Map', () => {
  const steps = fc.array(fc.tuple(fc.boolean(), uids, fc.nat()), { maxLength: 200 });
  fc.assert(
    fc.property(steps, given => {
      const map = new UidMap<number>();
      const model = new Map<Uid, number>();
      for (const [sets, uid, value] of given) {
        if (sets) {
          map.set(uid, value);
          model.set(uid, value);
        } else expect(map.delete(uid)).toBe(model.delete(uid));
        expect([map.size, map.has(uid), map.get(uid)]).toEqual([model.size, model.has(uid), model.get(uid)]);
      }
      expect([...map.keys()].sort()).toEqual([...model.keys()].sort());
      const inOrder = (values: Iterable<number>): number[] => [...values].sort((a, b) => a - b);
      expect(inOrder(map.values())).toEqual(inOrder(model.values()));
    }),
  );
});

test('what is there stays there while others come and go as it is read', () => {
  const map = new UidMap<string>();
  const ids = fc.sample(uids, { numRuns: 1000, seed: 1 });
  for (const uid of ids) map.set(uid, uid);
  const [gone, ...stay] = [...new Set(ids)];
  if (gone === undefined) throw new Error('no uids');
  const seen = new Set<string>();
  let i = 0;
  for (const value of map.values()) {
    if (i === 0) map.delete(gone);
    map.set(`new-${i++}` as Uid, 'new');
    if (value !== 'new') seen.add(value);
  }
  for (const uid of stay) expect(seen.has(uid)).toBe(true);
});
