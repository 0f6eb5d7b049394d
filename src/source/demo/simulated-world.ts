/**
 * The simulated cluster as a scenario's world: it takes manifests, and fills in what an API server fills in.
 * Apart from the simulation, which speaks of objects and facts alone.
 */
import type { NodeFacts } from '../../model/facts.ts';
import { objectFromJson } from '../../model/from-json.ts';
import { type JsonRecord, record, text } from '../../model/json.ts';
import type { Uid } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { Answer, DeleteOptions } from '../../simulation/api-types.ts';
import type { Chooser } from '../../simulation/clock.ts';
import { type ProcessSetup, SimulatedCluster } from '../../simulation/cluster.ts';
import type { Controller } from '../../simulation/controller.ts';
import { controlPlane } from '../../simulation/controllers/control-plane.ts';
import { builtInTypes } from '../built-in-types.ts';
import { patchedFacts, withDefaults } from './admitted-facts.ts';
import {
  readyNode,
  readyNodeFacts,
  startedNodeFacts,
  stoppedNodeFacts,
  taintedNodeFacts,
} from './node-states.ts';
import type { DeleteRequest, Place, World, WorldAnswer } from './player.ts';
import { type NodeStep, ScenarioError } from './scenario.ts';

export interface SimulatedWorldOptions {
  /** Virtual milliseconds since the epoch at which it begins. */
  readonly now: number;
  readonly nodes: number;
  readonly scheduler: boolean;
  /** Custom types that are there from the start. */
  readonly customTypes: readonly ResourceType[];
  /** Takes every choice of order, also among the items of one queue. */
  readonly chooser?: Chooser | undefined;
  readonly seed: number;
  /**
   * The controllers of workloads start so many milliseconds after the collector. Those of one controller manager
   * start side by side, and any of them can be the first at work.
   */
  readonly workloadsLate?: number | undefined;
}

const MANAGER = 'kube-controller-manager';
const WORKLOADS = 'workload controllers';
/** No scenario takes as many; one that doesn't rest would run for ever. */
const TASKS = 20_000;

export class SimulatedWorld implements World {
  readonly cluster: SimulatedCluster;
  private readonly workloadsLate: number;
  private uids = 0;

  /** Everything runs but the controller manager. */
  constructor(options: SimulatedWorldOptions) {
    const { now, nodes, scheduler, customTypes, chooser, seed, workloadsLate = 0 } = options;
    this.workloadsLate = workloadsLate;
    this.cluster = new SimulatedCluster({
      now,
      types: [...builtInTypes, ...customTypes],
      objects: Array.from({ length: nodes }, (_, index) => readyNode(`node-${index + 1}`, now)),
      processes: controlPlane().flatMap(inTwo),
      seed,
      namespacesKnown: true,
      ...(chooser === undefined ? {} : { chooser, anyOrder: true }),
    });
    const running = ['kube-apiserver', 'kubelet', ...(scheduler ? ['kube-scheduler'] : [])];
    for (const name of running) this.cluster.start('replay', name);
  }

  control(state: 'start' | 'stop'): void {
    if (state === 'stop') {
      for (const name of [MANAGER, WORKLOADS]) this.cluster.stop(name);
      return;
    }
    this.cluster.start('replay', MANAGER);
    if (this.workloadsLate > 0) this.cluster.runFor(this.workloadsLate);
    this.cluster.start('replay', WORKLOADS);
  }

  settle(): void {
    if (this.cluster.run({ tasks: TASKS }) === 'limit') throw new Error('the simulation does not rest');
  }

  create(manifest: JsonRecord): Promise<WorldAnswer> {
    const type = this.typeOf(text(manifest['apiVersion']), text(manifest['kind']));
    this.uids++;
    const uid = `u-${this.uids}`;
    const object = objectFromJson(type, {
      ...manifest,
      metadata: { ...record(manifest['metadata']), uid },
    });
    if (object === undefined) throw new Error(`not an object: ${JSON.stringify(manifest)}`);
    const { namespace, name, finalizers, owners, labels, facts } = object;
    const draft = {
      type,
      namespace,
      name,
      finalizers,
      owners,
      labels,
      facts: withDefaults(facts, uid, type.kind),
      generation: 1,
    };
    return Promise.resolve(answered(this.cluster.as('user').create({ ...draft, uid: uid as Uid })));
  }

  patch(place: Place, patch: JsonRecord): Promise<WorldAnswer> {
    const metadata = record(patch['metadata']);
    const answer = this.cluster.as('user').patch(this.key(place), current => {
      const parsed = objectFromJson(current.type, {
        ...patch,
        metadata: { ...metadata, name: current.name, uid: current.uid },
      });
      return {
        ...('ownerReferences' in metadata ? { owners: parsed?.owners ?? [] } : {}),
        ...('finalizers' in metadata ? { finalizers: parsed?.finalizers ?? [] } : {}),
        ...('labels' in metadata ? { labels: parsed?.labels ?? [] } : {}),
        ...('spec' in patch ? { facts: patchedFacts(current, patch) } : {}),
      };
    });
    return Promise.resolve(answered(answer));
  }

  delete(place: Place, request: DeleteRequest): Promise<WorldAnswer> {
    const { cascade, gracePeriodSeconds } = request;
    const options: DeleteOptions = {
      ...(cascade === 'default' ? {} : { propagationPolicy: policies[cascade] }),
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    };
    return Promise.resolve(answered(this.cluster.as('user').delete(this.key(place), options)));
  }

  /** Something happens to a machine; see `NodeState`. */
  node({ name, state }: NodeStep['node']): void {
    const type = this.typeOf('v1', 'Node');
    const key = { type, namespace: '', name };
    const { now } = this.cluster.clock;
    if (state === 'deleted') {
      this.cluster.as('user').delete(key);
      return;
    }
    const lifecycle = this.cluster.as(state === 'tainted' ? 'user' : 'node-lifecycle-controller');
    if (state === 'started' && this.cluster.store.find(type, '', name) === undefined) {
      this.cluster.as('kubelet').create({ ...readyNode(name, now), uid: name as Uid });
      return;
    }
    const changed = (facts: NodeFacts): NodeFacts => {
      if (state === 'stopped') return stoppedNodeFacts(facts, now);
      return state === 'started' ? startedNodeFacts(facts, now) : taintedNodeFacts(facts);
    };
    const answer = lifecycle.patch(key, ({ facts }) => ({
      facts: changed(facts?.kind === 'Node' ? facts : readyNodeFacts(now)),
    }));
    if (!answer.ok) throw new ScenarioError(`node ${name} can't be ${state}: ${answer.message}`);
  }

  private key({ apiVersion, kind, namespace, name }: Place): {
    type: ResourceType;
    namespace: string;
    name: string;
  } {
    return { type: this.typeOf(apiVersion, kind), namespace, name };
  }

  private typeOf(apiVersion: string, kind: string): ResourceType {
    const { discovery } = this.cluster;
    const type =
      discovery.catalog.resolveKind(apiVersion, kind) ??
      discovery.known.find(each => each.apiVersion === apiVersion && each.kind === kind);
    if (type === undefined) throw new Error(`${apiVersion} ${kind} is not served`);
    return type;
  }
}

/** The controller manager as two processes that stop together and needn't start together. */
function inTwo(setup: ProcessSetup): readonly ProcessSetup[] {
  const { name, controllers } = setup;
  if (name !== MANAGER) return [setup];
  const isCollector = (controller: Controller): boolean => controller.name === 'garbage-collector';
  return [
    { name, controllers: () => controllers().filter(isCollector) },
    { name: WORKLOADS, controllers: () => controllers().filter(each => !isCollector(each)) },
  ];
}

export const policies = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const;

function answered(answer: Answer): WorldAnswer {
  return answer.ok ? { status: answer.status, uid: answer.object.uid } : { status: answer.status };
}
