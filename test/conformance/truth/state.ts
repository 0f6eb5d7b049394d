/**
 * A random scenario an hour after everything came to rest, and what diagnosis and forecast say of it: what the
 * properties in `truth-*.ts` are held against.
 */
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import type { Diagnosis } from '../../../src/diagnosis/engine/diagnosis.ts';
import type { Finding } from '../../../src/diagnosis/engine/finding.ts';
import { createHandledForecaster } from '../../../src/diagnosis/waits/aftermath.ts';
import type { Forecaster } from '../../../src/forecast/compose/forecaster.ts';
import type { Forecast } from '../../../src/forecast/plan/forecast-result.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { Uid } from '../../../src/model/object.ts';
import type { Scenario } from '../../../src/source/demo/scenario.ts';
import type { SimulatedWorld } from '../../../src/source/demo/world/simulated-world.ts';
import { viewOf } from '../findings/judge-simulated.ts';
import { graphTypes } from '../fuzz/random-graphs.ts';
import type { PrefixedPlayer } from '../prefixed-player.ts';
import { playSimulated } from '../simulate.ts';

const HOUR = 3_600_000;

export interface TruthState {
  readonly scenario: Scenario;
  readonly world: SimulatedWorld;
  readonly player: PrefixedPlayer;
  readonly view: ClusterView;
  readonly diagnosis: Diagnosis;
  readonly forecaster: Forecaster;
  /** Whether the controller manager is. */
  readonly running: boolean;
  readonly calm: Forecast;
  readonly restarted: Forecast;
}

/** What is said and isn't so. `rule` names the property, `what` the object and the finding. */
export interface Violation {
  readonly rule: string;
  readonly what: string;
}

/** `after`: milliseconds. */
export async function arrive(scenario: Scenario, after = HOUR): Promise<TruthState> {
  const { world, player } = await playSimulated(scenario, { prefix: 's0', customTypes: graphTypes });
  if (after > 0) world.wait(after);
  return stateOf(scenario, world, player);
}

function stateOf(scenario: Scenario, world: SimulatedWorld, player: PrefixedPlayer): TruthState {
  const view = viewOf(world.cluster);
  const running = world.cluster.isRunning('kube-controller-manager');
  const forecaster = createHandledForecaster(view, { now: world.now });
  return {
    scenario,
    world,
    player,
    view,
    diagnosis: diagnoseCluster(view, world.now),
    forecaster,
    running,
    calm: forecaster.forecast({ verb: 'none' }),
    restarted: forecaster.forecast({ verb: 'restart' }),
  };
}

/** In the scenario's names. */
export function nameIn({ player, view }: Pick<TruthState, 'player' | 'view'>, uid: Uid): string {
  const made = player.naming.made.get(uid);
  if (made !== undefined) return made;
  const { kind, namespace, name } = view.graph.get(uid)?.identity ?? { kind: uid, namespace: '', name: '' };
  return `${kind} ${namespace}/${name}`;
}

export function told(findings: readonly Finding[]): string {
  return findings.map(({ code, severity }) => `${code} (${severity})`).join(', ') || 'nothing';
}
