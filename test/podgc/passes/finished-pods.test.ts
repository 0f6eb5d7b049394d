import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../../src/model/object.ts';
import { FinishedPods } from '../../../src/podgc/passes/finished-pods.ts';
import { PodGcRules } from '../../../src/podgc/passes/rules-of-version.ts';
import { inOrderOfDeletion } from '../../../src/podgc/passes/select-pods.ts';
import { pod } from '../fixtures.ts';

const settings = {
  threshold: 3,
  thresholdFrom: 'given',
  rules: PodGcRules.newest,
  switchedOff: undefined,
} as const;

/** Few names and ages, so that many stand alike. */
const change = fc.record({
  number: fc.nat(11),
  name: fc.constantFrom('a', 'b'),
  creationTimestamp: fc.nat(2),
  phase: fc.constantFrom('Failed', 'Succeeded', 'Running', 'gone'),
  reason: fc.constantFrom('', 'Evicted'),
});

function asTold(finished: FinishedPods, pods: Iterable<KubeObject>): unknown {
  return {
    count: finished.count,
    surplus: finished.surplus(),
    places: [...pods].map(each => finished.surplusPlace(each)),
    inLine: finished.inLine(100),
  };
}

test('the order that is kept pod by pod is the one that they would be sorted into', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), fc.nat(3), (changes, lookEvery) => {
      const cluster = new Map<number, KubeObject>();
      const kept = new FinishedPods(settings);
      for (const [turn, { number, name, phase, reason, creationTimestamp }] of changes.entries()) {
        const facts = { phase, reason };
        const made = pod(name, facts, { uid: `uid-${number}`, namespace: `ns-${number}`, creationTimestamp });
        if (phase === 'gone') kept.drop(made.uid);
        else kept.note(made);
        if (phase === 'gone') cluster.delete(number);
        else cluster.set(number, made);
        // Nothing is sorted before somebody asks.
        if (lookEvery > 0 && turn % lookEvery > 0) continue;
        const fresh = new FinishedPods(settings);
        for (const each of cluster.values()) fresh.note(each);
        expect(asTold(kept, cluster.values())).toEqual(asTold(fresh, cluster.values()));
        const ordered = kept.inLine(100).pods;
        expect(inOrderOfDeletion(ordered, PodGcRules.newest)).toEqual(ordered);
      }
    }),
    { numRuns: 300 },
  );
});
