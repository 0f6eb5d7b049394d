import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InferredCollector } from '../../src/collector/inferred-collector.ts';
import { ClusterView } from '../../src/graph/cluster-view.ts';
import type { Change, SourceBatch } from '../../src/model/exchange/changes.ts';
import { listedBatch, now, objects } from '../cli/documents/cluster.ts';
import { builtIn } from '../simulation/fixtures.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];
const owners = ['', ...names.map(name => `, owners: [v1 ConfigMap ${name} ${name}-uid +b]`)];
const deletions = [
  '',
  ", deletionTimestamp: '2026-11-21T11:59:00Z', finalizers: [foregroundDeletion]",
  ", deletionTimestamp: '2026-11-21T11:59:00Z', finalizers: [orphan]",
];

const anyChange: fc.Arbitrary<Change> = fc
  .tuple(fc.constantFrom(...names), fc.constantFrom(...owners), fc.constantFrom(...deletions), fc.boolean())
  .map(([name, owner, deletion, isGone]) => {
    const [change] = objects(`- { kind: ConfigMap, name: ${name}, uid: ${name}-uid${owner}${deletion} }`);
    if (change?.op !== 'upsert') throw new Error('no object');
    return isGone ? { op: 'delete', uid: change.object.uid, type: change.object.type } : change;
  });

const anyStep = fc.record({
  changes: fc.array(anyChange, { maxLength: 4 }),
  /** Objects that are looked at before the next changes come. */
  looks: fc.nat(4),
  servedAnew: fc.constantFrom(false, false, false, true),
});

test('what is looked at in parts, while changes come, is what is seen at once', () => {
  const listed = listedBatch(objects('- { kind: ConfigMap, name: z }'));
  fc.assert(
    fc.property(
      fc.array(anyChange, { maxLength: 12 }),
      fc.array(anyStep, { maxLength: 8 }),
      (begin, steps) => {
        const view = new ClusterView();
        view.apply(listed, now);
        view.apply({ changes: begin }, now);
        const inParts = new InferredCollector(view, { inParts: true });
        const isAsAtOnce = (): void => {
          const atOnce = new InferredCollector(view);
          expect(inParts.state(now)).toEqual(atOnce.state(now));
          expect(inParts.waiting()).toEqual(atOnce.waiting());
        };
        for (const { changes, looks, servedAnew } of steps) {
          const served: Partial<SourceBatch> = servedAnew && listed.types ? { types: listed.types } : {};
          inParts.take(view.apply({ changes, ...served }, now));
          inParts.lookMore(looks);
          // Kept up to date, whether it is being looked at anew or not.
          if (inParts.complete) isAsAtOnce();
        }
        while (inParts.lookMore(2));
        expect(inParts.complete && !inParts.behind).toBe(true);
        isAsAtOnce();
      },
    ),
    { numRuns: 300 },
  );
});

test('an object is queued again once the decision about it is another', () => {
  const view = new ClusterView();
  view.apply(listedBatch(objects('- { kind: ConfigMap, name: b, uid: b-uid }')), now);
  const collector = new InferredCollector(view);
  const queuedBy = (more: string): readonly string[] => {
    const changes = objects(`- { kind: Secret, name: s, uid: s-uid, ${more} }`);
    return collector.queuedBy(view.apply({ changes }, now)).map(({ object }) => object.name);
  };
  expect(queuedBy('owners: [v1 ConfigMap a a-uid]')).toEqual(['s']);
  expect(queuedBy('labels: { x: y }, owners: [v1 ConfigMap a a-uid]')).toEqual([]);
  expect(queuedBy('owners: [v1 ConfigMap a a-uid, v1 ConfigMap b b-uid]')).toEqual(['s']);
});

test('a kind that is no longer served has no monitor', () => {
  const view = new ClusterView();
  view.apply(listedBatch([]), now);
  const collector = new InferredCollector(view);
  const isMonitored = (): boolean =>
    collector.state(now).monitors.some(({ resource }) => resource === 'pods');
  expect(isMonitored()).toBe(true);
  const statuses = [{ type: builtIn('Pod'), state: 'gone', count: 0, facts: false }] as const;
  collector.take(view.apply({ changes: [], statuses }, now));
  expect(isMonitored()).toBe(false);
});
