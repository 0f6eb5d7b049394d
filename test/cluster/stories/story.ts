/** A story's scenario on a real control plane, with what diagnosis says of it and a hand to apply what it offers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import type { Diagnosis } from '../../../src/diagnosis/engine/diagnosis.ts';
import { isApplicable, type OfferedRemedy } from '../../../src/diagnosis/engine/finding.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { parseScenarios } from '../../../src/source/demo/parse-scenario.ts';
import type { Scenario } from '../../../src/source/demo/scenario.ts';
import {
  compareFindings,
  type FindingDifference,
  lineOf,
  ownFindings,
  waited,
} from '../../conformance/findings/judged.ts';
import type { PrefixedPlayer } from '../../conformance/prefixed-player.ts';
import { ownView, readCluster } from '../../conformance/real/live-view.ts';
import { withOwnGroups } from '../../conformance/real/own-groups.ts';
import { type RunningPlane, startPlane } from '../../conformance/real/plane.ts';
import { playBatch } from '../../conformance/real/run.ts';

export class RealStory {
  readonly plane: RunningPlane;
  readonly player: PrefixedPlayer;

  private constructor(plane: RunningPlane, player: PrefixedPlayer) {
    this.plane = plane;
    this.player = player;
  }

  /** Plays the scenario that the product ships under this name. */
  static async play(name: string): Promise<RealStory> {
    const scenario = shipped(name);
    const { nodes = 0, scheduler = true, quiet = 3 } = scenario;
    const plane = await startPlane({ nodes, scheduler });
    try {
      const own = withOwnGroups(scenario, 'story0');
      const { players } = await playBatch(plane, [own], { prefix: 'story', quiet });
      const [player] = players;
      if (player === undefined) throw new Error('nothing was played');
      return new RealStory(plane, player);
    } catch (error) {
      await plane.stop();
      throw error;
    }
  }

  stop(): Promise<void> {
    return this.plane.stop();
  }

  /** Of the cluster as it is now, read by the product's own source. */
  async diagnosis(): Promise<Diagnosis> {
    const view = ownView(await readCluster(this.plane.cluster), this.player, []);
    return diagnoseCluster(view, Date.now() + waited(this.player.scenario));
  }

  /** Against what the scenario says. */
  async differences(): Promise<FindingDifference> {
    const diagnosis = await this.diagnosis();
    const found = ownFindings(diagnosis, this.player).map(finding => lineOf(finding, this.player));
    return compareFindings(this.player.scenario, found);
  }

  /** By its name in the scenario; undefined where it is gone. */
  object(diagnosis: Diagnosis, name: string): KubeObject | undefined {
    const place = this.player.placed(name);
    for (const { object } of diagnosis.tracked.view.graph.nodes()) {
      const { kind } = object?.type ?? {};
      if (kind === place.kind && object?.name === place.name && object.namespace === place.namespace) {
        return object;
      }
    }
    return undefined;
  }

  /** Sends the requests of a remedy that the findings of the object offer, as they are. */
  async apply(name: string, id: string): Promise<OfferedRemedy> {
    const diagnosis = await this.diagnosis();
    const object = this.object(diagnosis, name);
    const offered = object === undefined ? [] : diagnosis.of(object.uid).flatMap(each => each.remedies());
    const remedy = offered.find(each => each.id === id);
    if (remedy === undefined || !isApplicable(remedy)) {
      throw new Error(`${name} offers no ${id}, but ${offered.map(each => each.id).join(', ')}`);
    }
    for (const { verb, path, query, contentType, body } of remedy.requests) {
      const answer = await this.plane.cluster.api.send({
        method: verb,
        path: query === undefined ? path : `${path}?${query}`,
        body,
        ...(contentType === undefined ? {} : { contentType }),
      });
      if (answer.status > 299) throw new Error(`${verb} ${path}: ${answer.status} ${answer.body}`);
    }
    return remedy;
  }
}

function shipped(name: string): Scenario {
  const file = `${name}.yaml`;
  const path = join(import.meta.dirname, '..', '..', '..', 'src', 'source', 'demo', 'scenarios', file);
  const [scenario] = parseScenarios(readFileSync(path, 'utf8'), file);
  if (scenario === undefined) throw new Error(`${file} holds no scenario`);
  return scenario;
}
