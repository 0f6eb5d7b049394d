/** What a namespace and what is wanted beside tell of its objects on a real control plane, held against everything. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openCluster } from '../../../src/kube/open-cluster.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { needsOwnCluster, type Scenario } from '../../../src/source/demo/scenario.ts';
import type { Source } from '../../../src/source/source.ts';
import { command } from '../../cli/console.ts';
import {
  type Comparison,
  compareAnswers,
  crossing,
  type Told,
  toldBy,
  verbs,
  wordsFor,
} from '../../cli/scoped-answers.ts';
import { findingFiles } from '../../conformance/findings/files.ts';
import type { PrefixedPlayer } from '../../conformance/prefixed-player.ts';
import { playAll } from '../../conformance/real/batches.ts';
import { isForeignTo, readCluster } from '../../conformance/real/live-view.ts';
import { signature, together } from '../../conformance/real/run.ts';
import { truthScenario } from '../../conformance/truth/worlds.ts';

/** `GC_TREE_SCOPED=all` asks everything about every scenario, for half an hour. */
const ALL = process.env['GC_TREE_SCOPED'] === 'all';

/** Those with as many that can be played at once on one control plane: others would take a minute each. */
function alike(scenarios: readonly Scenario[], least: number): readonly Scenario[] {
  if (ALL) return scenarios;
  const shared = scenarios.filter(each => !needsOwnCluster(each));
  const groups = Map.groupBy(shared, each => `${signature(each)} ${each.scheduler ?? true}`);
  return [...groups.values()].filter(({ length }) => length >= least).flat();
}

const findings = alike(
  findingFiles().flatMap(({ scenarios }) => scenarios),
  20,
);
const graphs = alike(
  Array.from({ length: 60 }, (_, index) => truthScenario(index + 1)),
  8,
);

/** Times that a difference is asked about again: states move, and on a busy machine look-ups come late. */
const AGAIN = 5;

interface Difference extends Comparison {
  readonly what: string;
}

describe('what a scoped read tells', () => {
  it.each([
    ['the finding scenarios', findings],
    ['random graphs', graphs],
  ] as const)(
    'is what everything tells, for every object of %s',
    { timeout: 3_600_000 },
    async (_title, scenarios) => {
      const differences: Difference[] = [];
      let compared = 0;
      let scoped = 0;
      const runs = scenarios.map(scenario => ({ scenario }));
      await playAll(runs, async ({ players }, _runs, { cluster }) => {
        const kubeconfig = await cluster.kubeconfig();
        // Everything is told as of one moment.
        const now = Date.now();
        const view = await readCluster(cluster);
        const objects = [...view.graph.nodes()].flatMap(({ object }) => object ?? []);
        const left = crossing(objects);
        const playerOf = ({ namespace }: KubeObject): PrefixedPlayer | undefined =>
          players.find(({ placement }) => placement.prefix === namespace.split('-')[0]);
        const asked = objects.filter(each => !left.has(each.uid) && !isInEveryNamespace(each));
        const tell = async (words: string, player: PrefixedPlayer): Promise<Told> => {
          const source = aloneOn(openCluster({ kubeconfig }, quiet), player, players);
          return toldBy(await command(words, { source, now: () => now }));
        };
        await together(asked, async (object, index) => {
          const player = playerOf(object);
          if (player === undefined) return;
          const { namespace } = object;
          const [why, ...others] = verbs;
          for (const verb of ALL ? verbs : [why, others[index % others.length]]) {
            const words = `${verb} ${wordsFor(object)}`;
            for (let times = AGAIN; ; times--) {
              const near = await tell(words, player);
              const far = await tell(`${words} -A`, player);
              if (times === AGAIN && scopeOf(near) !== undefined) scoped += 1;
              expect(scopeOf(far), words).toBeUndefined();
              const comparison = compareAnswers(near, far, { namespace, left });
              if (comparison === 'same' || isHedged(comparison)) break;
              if (times === 0) {
                differences.push({ what: `${player.scenario.title}: ${words}`, ...comparison });
                break;
              }
              await sleep(500);
            }
            compared += 1;
          }
        });
      });
      expect(differences).toEqual([]);
      expect(compared).toBeGreaterThan(scenarios.length);
      // Lists of remedies and errors don't say what was read.
      expect(scoped).toBeGreaterThan(compared / 2);
    },
  );
});

const quiet = { env: {}, verbosity: 0, log: () => {} };

/** What a document says that was read of the cluster; undefined for everything. */
function scopeOf({ basis }: Told): unknown {
  return (basis as { readonly scope?: unknown } | undefined)?.scope;
}

/** Where it knows less, it says so, and says nothing else. */
function isHedged({ hedged, scoped, whole }: Comparison): boolean {
  return hedged && JSON.stringify(scoped) === JSON.stringify(whole);
}

function isInEveryNamespace({ type, name }: KubeObject): boolean {
  return name === 'kube-root-ca.crt' || (type.kind === 'ServiceAccount' && name === 'default');
}

/** As if the player's objects were alone there: what goes on in the runs beside it is no part of an answer. */
function aloneOn(source: Source, player: PrefixedPlayer, players: readonly PrefixedPlayer[]): Source {
  const isForeign = isForeignTo(
    player,
    players.filter(each => each !== player),
  );
  const start = source.start.bind(source);
  source.start = (listener, reading) =>
    start(batch => {
      const changes = batch.changes.filter(each => each.op !== 'upsert' || !isForeign(each.object));
      listener({ ...batch, changes });
    }, reading);
  return source;
}
