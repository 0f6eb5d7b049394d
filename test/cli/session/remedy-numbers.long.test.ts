/** The remedies of an object have the same numbers in `why` and in the list of `unblock`, in every scenario of the demo. */
import { describe, expect, test } from 'vitest';
import { Outlook } from '../../../src/cli/session/diagnose.ts';
import { remediesFor } from '../../../src/cli/session/remedies.ts';
import type { ClusterSession } from '../../../src/cli/session/session.ts';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import { isApplicable, type OfferedRemedy } from '../../../src/diagnosis/engine/finding.ts';
import { explain } from '../../../src/diagnosis/explain/explanation.ts';
import { playScenario } from '../../../src/source/demo/play-scenario.ts';
import { readScenarios } from '../../../src/source/demo/scenarios.ts';
import { viewOf } from '../../conformance/findings/judge-simulated.ts';

const now = Date.parse('2027-03-01T10:00:00Z');
const scenarios = await readScenarios();

/** As they are numbered: what can be applied, in order. */
function numbered(remedies: readonly OfferedRemedy[]): string[] {
  return remedies.filter(isApplicable).map(({ id, risk }, i) => `${i + 1} ${risk} ${id}`);
}

/** How many objects had several remedies, and others beside what findings offer. */
let compared = 0;

describe('the remedies of every object', () => {
  test.each(scenarios)('have the same numbers in $name', async scenario => {
    const { world } = await playScenario(scenario, now);
    const view = viewOf(world.cluster);
    const session = { view, now: () => now } as unknown as ClusterSession;
    const diagnosis = diagnoseCluster(view, now, { asked: true });
    const outlook = new Outlook(diagnosis);
    const troubled = diagnoseCluster(view, now).all();
    for (const uid of new Set(Array.from(troubled, ({ object }) => object.uid))) {
      const node = view.graph.get(uid);
      if (node?.object === undefined) continue;
      const inWhy = numbered(outlook.effectsOn(uid, explain(diagnosis, node).remedies()));
      const inUnblock = numbered(remediesFor(session, { target: node.object, among: undefined }));
      expect(inUnblock.slice(0, inWhy.length)).toEqual(inWhy);
      if (inWhy.length > 0 && inUnblock.length > inWhy.length) compared += 1;
    }
  });

  test('are several of many objects', () => {
    expect(compared).toBeGreaterThan(20);
  });
});
