import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SourceBatch } from '../../../src/model/exchange/changes.ts';
import type { KubeObject, Uid } from '../../../src/model/object.ts';
import { ReplaySource } from '../../../src/source/recording/replay-source.ts';
import type { TimedBatch } from '../../../src/source/source.ts';
import { fileOf, made, objectsAfter, recorded, START, type Told } from './recorded.ts';

const pod = (name: string, n: number): KubeObject =>
  made('Pod', { metadata: { name, namespace: 'shop', uid: `u-${name}`, resourceVersion: String(n) } });

/** Pods that come, change and go, at moments of which several are the same. */
const anyHistory: fc.Arbitrary<readonly Told[]> = fc
  .array(
    fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), gone: fc.boolean(), wait: fc.nat({ max: 3 }) }),
    { minLength: 1, maxLength: 40 },
  )
  .map(events => {
    let at = 0;
    const there = new Set<string>();
    const history: Told[] = [];
    for (const [n, { name, gone, wait }] of events.entries()) {
      at += wait * 2_500;
      const object = pod(name, n + 1);
      // What isn't there cannot be deleted.
      const isGone = gone && there.delete(name);
      if (!isGone) there.add(name);
      const batch: SourceBatch = {
        changes: [isGone ? { op: 'delete', uid: object.uid, type: object.type } : { op: 'upsert', object }],
      };
      history.push({ at, batch });
    }
    return history;
  });

function taken(
  first: SourceBatch | undefined,
  then: readonly TimedBatch[],
  there = new Map<Uid, KubeObject>(),
) {
  if (first !== undefined) there.clear();
  for (const { changes } of [...(first === undefined ? [] : [first]), ...then.map(each => each.batch)])
    for (const change of changes)
      if (change.op === 'upsert') there.set(change.object.uid, change.object);
      else there.delete(change.uid);
  return there;
}

const versions = (objects: ReadonlyMap<Uid, KubeObject>): readonly string[] =>
  [...objects.values()].map(({ uid, resourceVersion }) => `${uid} ${resourceVersion}`).toSorted();

describe('the time line of a recording', () => {
  test('has the version of a deletion, which tells what came first', () => {
    const { uid, type, resourceVersion } = pod('a', 7);
    const changes = [{ op: 'delete' as const, uid, type, resourceVersion }];
    const history = [
      { at: 0, batch: { changes: [{ op: 'upsert' as const, object: pod('a', 1) }] } },
      { at: 10, batch: { changes } },
    ];
    const { timeline } = new ReplaySource({ file: fileOf(recorded(history)), at: () => START });
    timeline.show(START);
    expect(timeline.proceed(START + 10)?.map(({ batch }) => batch.changes)).toEqual([changes]);
  });

  test('has that nobody saw a deletion', () => {
    const { uid, type } = pod('a', 1);
    const changes = [{ op: 'delete' as const, uid, type, unseen: true as const }];
    const history = [
      { at: 0, batch: { changes: [{ op: 'upsert' as const, object: pod('a', 1) }] } },
      { at: 10, batch: { changes } },
    ];
    const { timeline } = new ReplaySource({ file: fileOf(recorded(history)) });
    timeline.show(START);
    expect(timeline.proceed(START + 10)?.map(({ batch }) => batch.changes)).toEqual([changes]);
  });

  test('any way to a moment leads to what was known then', () => {
    fc.assert(
      fc.property(
        anyHistory,
        fc.array(fc.nat({ max: 120_000 }), { minLength: 1, maxLength: 8 }),
        fc.constantFrom(1, 5, 1e9),
        (history, moments, keyFrameChanges) => {
          const source = new ReplaySource({ file: fileOf(recorded(history, { keyFrameChanges })) });
          const { timeline } = source;
          let there: Map<Uid, KubeObject> | undefined;
          for (const at of moments) {
            const moment = Math.min(timeline.to, START + at);
            const on = there === undefined ? undefined : timeline.proceed(moment);
            if (on !== undefined) there = taken(undefined, on, there);
            else {
              const { batch, news } = timeline.show(moment);
              there = taken(batch, news);
            }
            expect(timeline.moment).toBe(moment);
            expect(source.info.takenAt).toBe(moment);
            expect(versions(there)).toEqual(versions(objectsAfter(history, moment - START)));
          }
          void source.close();
        },
      ),
      { numRuns: 150 },
    );
  });

  test('goes from change to change, forward and back', () => {
    fc.assert(
      fc.property(anyHistory, fc.constantFrom(1, 1e9), (history, keyFrameChanges) => {
        const source = new ReplaySource({
          file: fileOf(recorded(history, { keyFrameChanges })),
          at: ({ from }) => from - 1,
        });
        const { timeline } = source;
        const moments = [...new Set(history.map(({ at }) => START + at))];
        const seen: number[] = [];
        for (let next = timeline.neighbour(1); next !== undefined; next = timeline.neighbour(1)) {
          seen.push(next);
          timeline.show(next);
        }
        expect(seen).toEqual(moments);
        const back: number[] = [];
        for (let next = timeline.neighbour(-1); next !== undefined; next = timeline.neighbour(-1)) {
          back.push(next);
          timeline.show(next);
        }
        expect(back).toEqual(moments.toReversed().slice(1));
        void source.close();
      }),
      { numRuns: 50 },
    );
  });

  test('tells when objects were deleted', () => {
    fc.assert(
      fc.property(anyHistory, history => {
        const source = new ReplaySource({ file: fileOf(recorded(history, { keyFrameChanges: 7 })) });
        const deletions = history
          .filter(({ batch }) => batch.changes[0]?.op === 'delete')
          .map(({ at }) => START + at);
        expect([...source.timeline.deletions()].flat()).toEqual(deletions);
        void source.close();
      }),
      { numRuns: 50 },
    );
  });

  test('tells what led to a moment, and not that what was listed came', () => {
    const history: Told[] = [
      { at: 0, batch: { changes: [{ op: 'upsert', object: pod('a', 1) }] } },
      { at: 4_000, batch: { changes: [{ op: 'upsert', object: pod('b', 2) }] } },
      { at: 9_000, batch: { changes: [{ op: 'delete', uid: pod('a', 1).uid, type: pod('a', 1).type }] } },
    ];
    const { timeline } = new ReplaySource({ file: fileOf(recorded(history)) });
    const { at, batch, news } = timeline.show(START + 9_000);
    expect(at).toBe(START);
    expect(batch.changes).toHaveLength(1);
    expect(news.map(each => [each.at - START, each.batch.changes[0]?.op])).toEqual([
      [4_000, 'upsert'],
      [9_000, 'delete'],
    ]);
  });

  test('proceeds only to what is later', () => {
    const history: Told[] = [
      { at: 0, batch: { changes: [{ op: 'upsert', object: pod('a', 1) }] } },
      { at: 4_000, batch: { changes: [{ op: 'upsert', object: pod('b', 2) }] } },
    ];
    const { timeline } = new ReplaySource({ file: fileOf(recorded(history)) });
    // Nothing was shown yet that could be gone on from.
    expect(timeline.proceed(timeline.to)).toBeUndefined();
    timeline.show(START + 1_000);
    expect(timeline.proceed(START)).toBeUndefined();
    expect(timeline.proceed(START + 4_000)).toHaveLength(1);
  });
});
