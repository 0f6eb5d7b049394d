import { expect, test } from 'vitest';
import { TrackedView } from '../../../src/diagnosis/engine/tracked-view.ts';
import { ClusterView } from '../../../src/graph/cluster-view.ts';

test('a result that is shared is judged again for each of its callers', () => {
  const tracked = new TrackedView(new ClusterView(), 1_000);
  const rechecks = ['first', 'second'].map(() => {
    const times: number[] = [];
    tracked.recording(
      {
        dependsOn: () => undefined,
        restsOn: () => undefined,
        asks: () => undefined,
        recheckAt: at => times.push(at),
      },
      () => tracked.once('a patience that is over', () => tracked.lasted(500, 60_000)),
    );
    return times;
  });
  expect(rechecks).toEqual([[60_500], [60_500]]);
});
