import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diagnostics } from '../../src/app/cluster/diagnostics.ts';
import type { ProblemHead } from '../../src/app/cluster/problem-groups.ts';
import { Problems } from '../../src/app/cluster/problems.ts';
import type { ClusterView } from '../../src/graph/cluster-view.ts';
import { checkWords } from '../../src/text/index.ts';
import { listedView, now } from '../cli/documents/cluster.ts';
import { anyHistory } from '../diagnosis/histories.ts';

function nameOf(head: ProblemHead): string {
  return head.by === 'code' ? head.code : checkWords.cause(head.cause, now);
}

function picture(problems: Problems, view: ClusterView) {
  return {
    counts: problems.counts(),
    rows: problems.rows
      .window(0, 1_000)
      .map(row => (row.kind === 'group' ? `${row.head.severity} ${nameOf(row.head)} ${row.count}` : row.key))
      .sort(),
    below: [...view.graph.nodes()].map(({ identity: { uid } }) => [uid, problems.troubleBelow(uid)]),
    badges: [...view.graph.nodes()].map(({ identity: { uid } }) => [uid, problems.worstOf(uid)?.message]),
  };
}

test.each([undefined, 'shop'])(
  'what is kept after any history is what a fresh look finds (scope %s)',
  scope => {
    fc.assert(
      fc.property(anyHistory, fc.boolean(), (history, looks) => {
        const view = listedView();
        const kept = new Problems({ view, now, scope, diagnostics });
        while (kept.judgeMore(3));
        let time = now;
        for (const { changes, after } of history) {
          time += after;
          kept.advance(time);
          kept.apply(view.apply({ changes }, 0), time);
          // Somebody who looks in between must not see anything else afterwards.
          if (looks) picture(kept, view);
        }
        const fresh = new Problems({ view, now: time, scope, diagnostics });
        while (fresh.judgeMore(1_000));
        expect(picture(kept, view)).toEqual(picture(fresh, view));
      }),
      { numRuns: 150 },
    );
  },
);

test('what was judged ahead of the rest, and kept, is what a fresh look at everything finds of it', () => {
  const scopes = fc.constantFrom('shop', 'other', undefined);
  fc.assert(
    fc.property(anyHistory, fc.array(fc.tuple(fc.nat(20), scopes)), (history, moves) => {
      const view = listedView();
      const kept = new Problems({ view, now, scope: 'shop', diagnostics, only: 'shop' });
      let time = now;
      let at: string | undefined = 'shop';
      for (const [nth, { changes, after }] of history.entries()) {
        time += after;
        kept.advance(time);
        for (const [step, scope] of moves) {
          if (step !== nth) continue;
          at = scope;
          kept.setScope(scope);
          if (scope !== undefined) kept.limitTo(scope);
        }
        kept.apply(view.apply({ changes }, 0), time);
        while (kept.judgeMore(3));
        const fresh = new Problems({ view, now: time, scope: at, diagnostics });
        while (fresh.judgeMore(1_000));
        expect(kept.complete).toBe(at !== undefined);
        if (at !== undefined) {
          expect(picture(kept, view)).toEqual({
            ...picture(fresh, view),
            counts: { ...fresh.counts(), elsewhere: undefined },
            badges: expect.anything(),
          });
        }
        for (const { identity } of view.graph.nodes())
          if (kept.covers(identity))
            expect(kept.of(identity.uid)).toHaveLength(fresh.of(identity.uid).length);
      }
      kept.limitTo(undefined);
      while (kept.judgeMore(3));
      const fresh = new Problems({ view, now: time, scope: at, diagnostics });
      while (fresh.judgeMore(1_000));
      expect(picture(kept, view)).toEqual(picture(fresh, view));
    }),
    { numRuns: 100 },
  );
});
