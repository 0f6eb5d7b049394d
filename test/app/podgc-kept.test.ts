import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PodGc } from '../../src/app/podgc.ts';
import { ClusterView } from '../../src/graph/cluster-view.ts';
import { isMonitored } from '../../src/model/resource-type.ts';
import { builtInTypes } from '../../src/source/built-in-types.ts';
import { anyHistory } from '../diagnosis/histories.ts';
import { now } from '../documents/cluster.ts';

/** Everything but times: those are known better to whoever has watched. */
function picture(podGc: PodGc) {
  const { due, elsewhere } = podGc.counts();
  const rows = podGc.rows.window(0, 1_000);
  return { due, elsewhere, rows: rows.map(row => (row.kind === 'group' ? [row.key, row.count] : row.key)) };
}

test.each([undefined, 'shop'])(
  'what PodGC takes after any history is what a fresh look finds (scope %s)',
  scope => {
    fc.assert(
      fc.property(anyHistory, fc.boolean(), (history, looks) => {
        const view = new ClusterView();
        const statuses = builtInTypes
          .filter(isMonitored)
          .map(type => ({ type, state: 'synced' as const, count: 0, facts: true }));
        view.apply({ changes: [], types: builtInTypes, statuses, connection: { state: 'live' } });
        const kept = new PodGc({ view, now, scope });
        let time = now;
        for (const { changes, after } of history) {
          time += after;
          kept.advance(time);
          kept.apply(view.apply({ changes }, time), time);
          if (looks) picture(kept);
        }
        expect(picture(kept)).toEqual(picture(new PodGc({ view, now: time, scope })));
      }),
      { numRuns: 150 },
    );
  },
);
