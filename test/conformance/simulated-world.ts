/** The simulated cluster as a scenario's world: manifests in, what is left out. */

import type { Facts } from '../../src/model/facts.ts';
import { factsFromJson } from '../../src/model/facts-from-json.ts';
import { objectFromJson } from '../../src/model/from-json.ts';
import { type JsonRecord, record } from '../../src/model/json.ts';
import type { KubeObject, Uid } from '../../src/model/object.ts';
import type { ResourceType } from '../../src/model/resource-type.ts';
import type { Answer, DeleteOptions } from '../../src/simulation/api-types.ts';
import type { Chooser } from '../../src/simulation/clock.ts';
import { type ProcessSetup, SimulatedCluster } from '../../src/simulation/cluster.ts';
import type { Controller } from '../../src/simulation/controller.ts';
import { controlPlane } from '../../src/simulation/controllers/control-plane.ts';
import { builtInTypes } from '../../src/source/built-in-types.ts';
import { builtIn, NOW } from '../simulation/fixtures.ts';
import type { LeftObject } from './end-state.ts';
import type { DeleteRequest, Place, World, WorldAnswer } from './player.ts';

export interface SimulatedWorldOptions {
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
  constructor({ nodes, scheduler, customTypes, chooser, seed, workloadsLate = 0 }: SimulatedWorldOptions) {
    this.workloadsLate = workloadsLate;
    this.cluster = new SimulatedCluster({
      now: NOW,
      types: [...builtInTypes, ...customTypes],
      objects: Array.from({ length: nodes }, (_, index) => readyNode(index + 1)),
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

  *left(): IterableIterator<LeftObject> {
    for (const object of this.cluster.store.all()) {
      const { kind } = object.type;
      if (kind !== 'Node') yield leftObject(object);
    }
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

function readyNode(number: number): KubeObject {
  const node = objectFromJson(builtIn('Node'), {
    metadata: { name: `node-${number}`, uid: `node-${number}` },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  });
  if (node === undefined) throw new Error('a node needs a name');
  return node;
}

/** A Job's pods are told apart by its uid, unless it says otherwise (pkg/registry/batch/job/strategy.go, v1.36). */
const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';

/** What the API server fills in. */
function withDefaults(facts: Facts | undefined, uid: string, kind: string): Facts | undefined {
  if (facts?.kind === 'Pod') {
    const terminationGracePeriodSeconds = facts.terminationGracePeriodSeconds ?? 30;
    return { ...facts, phase: facts.phase || 'Pending', terminationGracePeriodSeconds };
  }
  if (facts?.kind === 'Workload' && kind === 'Job' && facts.selector === undefined) {
    const labels = [CONTROLLER_UID, uid];
    const selector = { matchLabels: labels, matchExpressions: [] };
    return { ...facts, selector, templateLabels: [...facts.templateLabels, ...labels] };
  }
  if (facts?.kind === 'PersistentVolumeClaim') return { ...facts, phase: facts.phase || 'Pending' };
  return facts;
}

/** Spec fields of workloads that a patch can change. */
function patchedFacts(current: KubeObject, patch: JsonRecord): Facts | undefined {
  const { facts, type } = current;
  const spec = record(patch['spec']);
  const wanted = factsFromJson(type, patch);
  if (facts?.kind !== 'Workload' || wanted?.kind !== 'Workload') return facts;
  const retention = 'persistentVolumeClaimRetentionPolicy' in spec;
  return {
    ...facts,
    ...('replicas' in spec ? { desired: wanted.desired } : {}),
    ...('suspend' in spec || 'paused' in spec ? { suspended: wanted.suspended } : {}),
    ...(retention
      ? { claimsWhenDeleted: wanted.claimsWhenDeleted, claimsWhenScaled: wanted.claimsWhenScaled }
      : {}),
  };
}

function leftObject(object: KubeObject): LeftObject {
  const { type, namespace, name, uid, deletionTimestamp, finalizers, owners } = object;
  return {
    kind: type.kind,
    namespace,
    name,
    uid,
    deleting: deletionTimestamp !== undefined,
    finalizers,
    owners: owners.map(({ controller, blockOwnerDeletion, ...owner }) => ({
      ...owner,
      controller: controller === true,
      block: blockOwnerDeletion === true,
    })),
  };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
