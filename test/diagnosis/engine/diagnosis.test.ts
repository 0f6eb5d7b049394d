import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import type { Diagnosis } from '../../../src/diagnosis/engine/diagnosis.ts';
import type { Finding } from '../../../src/diagnosis/engine/finding.ts';
import type { Uid } from '../../../src/model/object.ts';
import { listedView, now } from '../../cli/documents/cluster.ts';
import { anyHistory } from '../histories.ts';

/**
 * What is told of each object. Remedies are made when they are asked for, and so are always those of now: they
 * take part by their ids and risks where wanted.
 */
function picture(diagnosis: Diagnosis, withRemedies: boolean): Map<Uid, readonly string[]> {
  const told = new Map<Uid, readonly string[]>();
  const seen = new Set<Finding['object']['uid']>();
  for (const { object } of diagnosis.all()) seen.add(object.uid);
  for (const uid of seen) {
    told.set(
      uid,
      diagnosis.of(uid).map(({ remedies, ...finding }) => {
        const ids = withRemedies ? remedies().map(({ id, risk }) => `${risk} ${id}`) : [];
        return JSON.stringify({ ...finding, ids });
      }),
    );
  }
  return told;
}

test('after any history, findings kept are those of a fresh diagnosis, and every change was told', () => {
  fc.assert(
    fc.property(anyHistory, history => {
      const view = listedView();
      let time = now;
      const kept = diagnoseCluster(view, time);
      let before = picture(kept, false);
      for (const { changes, after } of history) {
        time += after;
        const told = new Set(kept.advance(time));
        for (const uid of kept.apply(view.apply({ changes }, 0), time)) told.add(uid);
        const fresh = picture(diagnoseCluster(view, time), true);
        expect(Object.fromEntries(picture(kept, true))).toEqual(Object.fromEntries(fresh));
        const current = picture(kept, false);
        for (const uid of new Set([...before.keys(), ...current.keys()])) {
          if (!told.has(uid)) expect(current.get(uid)).toEqual(before.get(uid));
        }
        before = current;
      }
    }),
    { numRuns: 150 },
  );
});

test('an object is judged again at the very time that a rule waits for', () => {
  fc.assert(
    fc.property(anyHistory, history => {
      const view = listedView();
      const kept = diagnoseCluster(view, now);
      for (const { changes } of history) kept.apply(view.apply({ changes }, 0), now);
      for (let at = kept.nextDue; Number.isFinite(at); at = kept.nextDue) {
        kept.advance(at);
        expect(picture(kept, true)).toEqual(picture(diagnoseCluster(view, at), true));
        expect(kept.nextDue).toBeGreaterThan(at);
      }
    }),
    { numRuns: 60 },
  );
});

test('judged in parts while the cluster changes, findings are those of a fresh diagnosis in the end', () => {
  fc.assert(
    fc.property(anyHistory, fc.integer({ min: 1, max: 5 }), (history, part) => {
      const view = listedView();
      const parts = diagnoseCluster(view, now, { inParts: true });
      let time = now;
      for (const { changes, after } of history) {
        time += after;
        parts.advance(time);
        parts.judgeMore(part);
        parts.apply(view.apply({ changes }, 0), time);
        // Puts everything in doubt again.
        if (changes.length % 2 === 0) parts.apply(view.apply({ changes: [], statuses: [] }, 0), time);
      }
      parts.apply(view.apply({ changes: [], failedGroups: [] }, 0), time);
      expect(parts.judged).toBe(false);
      while (!parts.judged) parts.judgeMore(part);
      expect(Object.fromEntries(picture(parts, true))).toEqual(
        Object.fromEntries(picture(diagnoseCluster(view, time), true)),
      );
    }),
  );
});

test('what is in doubt again and again is nevertheless judged once, and then as things are', () => {
  fc.assert(
    fc.property(anyHistory, history => {
      const view = listedView();
      for (const { changes } of history) view.apply({ changes }, 0);
      const parts = diagnoseCluster(view, now, { inParts: true });
      const fresh = Object.fromEntries(picture(diagnoseCluster(view, now), true));
      for (let steps = 0; !parts.judgedOnce; steps++) {
        expect(steps).toBeLessThanOrEqual(view.graph.size);
        parts.judgeMore(1);
        parts.apply(view.apply({ changes: [], failedGroups: [] }, 0), now);
      }
      expect(parts.judged).toBe(false);
      expect(Object.fromEntries(picture(parts, true))).toEqual(fresh);
      while (!parts.judged) parts.judgeMore(5);
      expect(Object.fromEntries(picture(parts, true))).toEqual(fresh);
    }),
    { numRuns: 40 },
  );
});
