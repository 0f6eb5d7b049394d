import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diagnostics } from '../../src/app/cluster/diagnostics.ts';
import type { ProblemHead } from '../../src/app/cluster/problem-groups.ts';
import { Problems } from '../../src/app/cluster/problems.ts';
import { Cause } from '../../src/diagnosis/index.ts';
import type { ClusterView } from '../../src/graph/cluster-view.ts';
import { checkWords } from '../../src/text/index.ts';
import { listedView, now } from '../cli/documents/cluster.ts';
import { anyHistory } from '../diagnosis/histories.ts';

function nameOf(head: ProblemHead): string {
  return head.by === 'code' ? head.code : checkWords.cause(head.cause, now);
}

/** Compares what title, tab, headings and rows count; the rows are unfolded. */
function countsAgree(problems: Problems): void {
  problems.rows.setAllFolded(false);
  const rows = problems.rows.window(0, 10_000);
  const below = Map.groupBy(
    rows.flatMap(row => (row.kind === 'item' ? [row] : [])),
    ({ group }) => group,
  );
  const { problems: told, infos, causes, held } = problems.counts();
  const holding: Cause[] = [];
  for (const row of rows) {
    if (row.kind === 'item') continue;
    const items = below.get(row.key) ?? [];
    expect(items).toHaveLength(row.count);
    if (row.head.by === 'code') continue;
    const { cause } = row.head;
    const uids = new Set(items.map(({ item }) => item.object.uid));
    expect([new Set(cause.holds.map(({ uid }) => uid)), cause.holds.length > 1]).toEqual([uids, true]);
    if (!Cause.isFault(cause)) holding.push(cause);
  }
  expect(rows.filter(({ kind }) => kind === 'item')).toHaveLength(told + infos);
  expect(holding).toHaveLength(causes);
  expect(new Set(holding.flatMap(each => each.holds.map(({ uid }) => uid))).size).toBe(held);
}

test.each([undefined, 'shop'])('all counts of problems agree, by cause and by code (scope %s)', scope => {
  let causes = 0;
  fc.assert(
    fc.property(anyHistory, history => {
      const view = listedView();
      const problems = new Problems({ view, now, scope, diagnostics });
      let time = now;
      for (const { changes, after } of history) {
        time += after;
        problems.advance(time);
        problems.apply(view.apply({ changes }, 0), time);
        while (problems.judgeMore(1_000));
        countsAgree(problems);
      }
      causes += problems.counts().causes;
      problems.groupByCode(true);
      expect(
        problems.rows.window(0, 10_000).some(row => row.kind === 'group' && row.head.by === 'cause'),
      ).toBe(false);
    }),
    { numRuns: 150 },
  );
  expect(causes).toBeGreaterThan(0);
});

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
