/** The findings of scenarios on a real control plane, many at once, read through the product's own live source. */

import { setTimeout as sleep } from 'node:timers/promises';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import type { Scenario } from '../../../src/source/demo/scenario.ts';
import { compareFindings, type FindingDifference, lineOf, ownFindings, timeOf } from '../findings/judged.ts';
import type { PrefixedPlayer } from '../prefixed-player.ts';
import { playAll } from './batches.ts';
import { ownView, readCluster } from './live-view.ts';

/** Seconds until a difference counts as one: conditions and retries can be late. */
const PATIENCE = 240;

/**
 * A StatefulSet that is being deleted in the foreground writes its revision again when it is looked at after the
 * collector took it (getStatefulSetRevisions, v1.36). Whether the collector looks at the owner once more after that, or the
 * new one stays until kube-controller-manager restarts, is a race, and the finding says what came of it.
 */
const WRITTEN_AGAIN = /^(?:CollectionOverdue|PendingCollection) ControllerRevision /u;

export async function realFindings(
  scenarios: readonly Scenario[],
  say?: (line: string) => void,
): Promise<ReadonlyMap<Scenario, FindingDifference>> {
  const results = new Map<Scenario, FindingDifference>();
  const seen: PrefixedPlayer[] = [];
  await playAll(
    scenarios.map(scenario => ({ scenario })),
    async ({ players, playedAt }, runs, { cluster }) => {
      const planned = new Map(players.map((player, index) => [player, runs[index]?.scenario]));
      seen.push(...players);
      const deadline = Date.now() + PATIENCE * 1000;
      let open = players;
      while (open.length > 0) {
        const all = await readCluster(cluster);
        open = open.filter(player => {
          const others = seen.filter(other => other !== player);
          const diagnosis = diagnoseCluster(ownView(all, player, others), timeOf(player.scenario, playedAt));
          const found = ownFindings(diagnosis, player).map(finding => lineOf(finding, player));
          const { missing, unexpected } = compareFindings(player.scenario, found);
          const difference = { missing, unexpected: unexpected.filter(line => !WRITTEN_AGAIN.test(line)) };
          const scenario = planned.get(player);
          if (scenario !== undefined) results.set(scenario, difference);
          return difference.missing.length + difference.unexpected.length > 0;
        });
        if (Date.now() > deadline) return;
        if (open.length > 0) await sleep(1000);
      }
    },
    { say },
  );
  return results;
}
