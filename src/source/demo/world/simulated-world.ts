/** The simulated cluster as a scenario's world: accepts manifests and fills in an API server's defaults. */
import type { CollectorOnlooker } from '../../../collector/index.ts';
import {
  type JsonRecord,
  type KubeObject,
  type NodeFacts,
  objectJson,
  type PodFacts,
  type ResourceType,
  record,
  type ServerBehaviour,
  secretValues,
  text,
  type Uid,
} from '../../../model/index.ts';
import {
  type ApiAnswer,
  type Chooser,
  type Controller,
  type ControlPlaneOptions,
  controlPlane,
  type DeleteOptions,
  type ObjectKey,
  type ProcessSetup,
  Random,
  type ReportDeparture,
  type RunLimits,
  SimulatedCluster,
} from '../../../simulation/index.ts';
import { builtInTypes } from '../../built-in-types.ts';
import type { ObjectAddress, PlayedDelete, World, WorldAnswer } from '../player.ts';
import { type NodeStep, type PatchedSubresource, ScenarioError } from '../scenario.ts';
import { ClaimBindingController, DeploymentStatusController } from './controllers.ts';
import {
  cordonedNodeFacts,
  mergedLabels,
  patchedFinalizers,
  patchedStatus,
  patchedWorkload,
  readinessOnNode,
  readyNode,
  readyNodeFacts,
  startedNodeFacts,
  stoppedNodeFacts,
  taintedNodeFacts,
  withDefaults,
} from './scenario-facts.ts';

export interface SimulatedWorldOptions {
  /** Start, in virtual milliseconds since the epoch. */
  readonly now: number;
  readonly nodes: number;
  readonly scheduler: boolean;
  readonly customTypes: readonly ResourceType[];
  /** Decides every order, even within one queue. */
  readonly chooser?: Chooser | undefined;
  readonly seed: number;
  /** Defaults to the newest known version. */
  readonly behaviour?: ServerBehaviour | undefined;
  readonly podGc?: ControlPlaneOptions['podGc'];
  /** Delay of the workload controllers after the collector, in ms; at a real start either may be first. */
  readonly workloadsLate?: number | undefined;
  /** Starts the collector's workers before its graph is complete. */
  readonly collectorEarly?: boolean;
  readonly onlooker?: CollectorOnlooker | undefined;
  /** Called when the first collector departs from today's. */
  readonly departed?: ReportDeparture | undefined;
}

const MANAGER = 'kube-controller-manager';
const WORKLOADS = 'workload controllers';
/** No scenario takes that many; one that never rests would run forever. */
const TASKS = 20_000;
export const untilRest: RunLimits = { tasks: TASKS };
export const RESTLESS = 'the simulation does not rest';
/** Milliseconds simulated at either end of a long wait; in between nothing happens. */
const LIVED = 20 * 60_000;

export const policies = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const;

export class SimulatedWorld implements World {
  readonly cluster: SimulatedCluster;
  readonly #workloadsLate: number;
  readonly #manifests = new Map<string, JsonRecord>();
  readonly #deaf = new Set<string>();
  #made = 0;

  /** Starts everything except the controller manager. */
  constructor(options: SimulatedWorldOptions) {
    const {
      now,
      nodes,
      scheduler,
      customTypes,
      chooser,
      seed,
      podGc,
      behaviour,
      workloadsLate = 0,
      collectorEarly = false,
      onlooker,
      departed,
    } = options;
    this.#workloadsLate = workloadsLate;
    this.cluster = new SimulatedCluster({
      now,
      ...(behaviour === undefined ? {} : { behaviour }),
      types: [...builtInTypes, ...customTypes],
      objects: Array.from({ length: nodes }, (_, index) => readyNode(`node-${index + 1}`, now)),
      processes: controlPlane({
        ...(podGc === undefined ? {} : { podGc }),
        collector: behaviour?.collector,
        early: collectorEarly,
        departed,
        isDeaf: name => this.#deaf.has(name),
      }).flatMap(inTwo),
      seed,
      namespacesKnown: true,
      onlooker,
      ...(chooser === undefined ? {} : { chooser, anyOrder: true }),
    });
    // Forecasts of this cluster number new objects in their own way.
    this.cluster.api.identifyAs({ revision: 1000, uid: number => uidOf(2 * number) });
    const running = ['kube-apiserver', 'kubelet', ...(scheduler ? ['kube-scheduler'] : [])];
    for (const name of running) this.cluster.start('replay', name);
  }

  get now(): number {
    return this.cluster.clock.now;
  }

  /** Returns the manifest that created an object, if any, without Secret data. */
  manifest(uid: string): JsonRecord | undefined {
    return this.#manifests.get(uid);
  }

  control(state: 'start' | 'stop'): void {
    if (state === 'stop') {
      for (const name of [MANAGER, WORKLOADS]) this.cluster.stop(name);
      return;
    }
    this.cluster.start('replay', MANAGER);
    if (this.#workloadsLate > 0) this.cluster.runFor(this.#workloadsLate);
    this.cluster.start('replay', WORKLOADS);
  }

  settle(): void {
    this.#run(untilRest);
  }

  wait(milliseconds: number): void {
    for (const limits of this.waiting(milliseconds)) this.#run(limits);
  }

  /** Yields the runs of a wait, for callers that step through them. */
  *waiting(milliseconds: number): Generator<RunLimits, void, void> {
    const end = this.now + milliseconds;
    if (milliseconds > 2 * LIVED) {
      yield { until: this.now + LIVED };
      yield untilRest;
      this.cluster.clock.skip(Math.max(0, end - LIVED - this.now));
    }
    yield { until: end };
  }

  #run(limits: RunLimits): void {
    if (this.cluster.run(limits) === 'limit') throw new Error(RESTLESS);
  }

  advance(until: number): void {
    this.cluster.run({ until });
  }

  create(manifest: JsonRecord): Promise<WorldAnswer> {
    const type = this.#typeOf(text(manifest['apiVersion']), text(manifest['kind']));
    this.#made++;
    const uid = uidOf(2 * this.#made + 1);
    const object = objectJson.read(type, { ...manifest, metadata: { ...record(manifest['metadata']), uid } });
    if (object === undefined) throw new Error(`not an object: ${JSON.stringify(manifest)}`);
    const { namespace, name, finalizers, owners, labels, annotations, facts } = object;
    const draft = {
      type,
      namespace,
      name,
      finalizers,
      owners,
      labels,
      annotations,
      facts: withDefaults(facts, uid, type.kind),
      generation: 1,
    };
    const answer = this.cluster.as('user').create({ ...draft, uid });
    // The product never holds Secret data, not even a scenario's.
    if (answer.ok) this.#manifests.set(uid, secretValues.hiddenBelow(manifest, 'hidden'));
    if (answer.ok && facts?.kind === 'Service') this.#allocate(facts.clusterIPs);
    return Promise.resolve(answered(answer));
  }

  /** Creates the IPAddresses of a new Service (pkg/registry/core/service/ipallocator/ipallocator.go, v1.36). */
  #allocate(addresses: readonly string[]): void {
    const type = this.#typeOf('networking.k8s.io/v1', 'IPAddress');
    const labels = ['ipaddress.kubernetes.io/managed-by', 'ipallocator.k8s.io'];
    for (const name of addresses)
      this.cluster.as('kube-apiserver').create({ type, namespace: '', name, labels });
  }

  patch(place: ObjectAddress, patch: JsonRecord, subresource?: PatchedSubresource): Promise<WorldAnswer> {
    if (subresource !== undefined) return Promise.resolve(this.#patchPart(place, patch, subresource));
    const metadata = record(patch['metadata']);
    const answer = this.cluster.as('user').patch(this.#key(place), current => {
      const parsed = objectJson.read(current.type, {
        ...patch,
        metadata: { ...metadata, name: current.name, uid: current.uid },
      });
      return {
        ...('ownerReferences' in metadata ? { owners: parsed?.owners ?? [] } : {}),
        ...('finalizers' in metadata ? { finalizers: parsed?.finalizers ?? [] } : {}),
        ...('labels' in metadata ? { labels: mergedLabels(current.labels, metadata['labels']) } : {}),
        ...('spec' in patch ? { facts: patchedWorkload(current, patch) } : {}),
      };
    });
    return Promise.resolve(answered(answer));
  }

  #patchPart(place: ObjectAddress, patch: JsonRecord, subresource: PatchedSubresource): WorldAnswer {
    const patched = subresource === 'status' ? patchedStatus : patchedFinalizers;
    const change = (object: KubeObject) => ({ facts: patched(object, patch) });
    return answered(this.cluster.as('user').patch(this.#key(place), change, { subresource }));
  }

  delete(place: ObjectAddress, request: PlayedDelete): Promise<WorldAnswer> {
    const { cascade, gracePeriodSeconds } = request;
    const options: DeleteOptions = {
      ...(cascade === 'default' ? {} : { propagationPolicy: policies[cascade] }),
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    };
    return Promise.resolve(answered(this.cluster.as('user').delete(this.#key(place), options)));
  }

  node({ name, state, effect }: NodeStep['node']): void {
    const type = this.#typeOf('v1', 'Node');
    const key = { type, namespace: '', name };
    if (state === 'deleted') {
      this.cluster.as('user').delete(key);
      return;
    }
    if (state === 'deaf') {
      this.#deaf.add(name);
      return;
    }
    if (state === 'started') this.#deaf.delete(name);
    if (state === 'started' && this.cluster.store.find(type, '', name) === undefined) {
      this.#made++;
      const { labels, facts } = readyNode(name, this.now);
      this.cluster.as('kubelet').create({ type, name, labels, facts, uid: uidOf(2 * this.#made + 1) });
      return;
    }
    const changed = (facts: NodeFacts): NodeFacts => {
      if (state === 'stopped') return stoppedNodeFacts(facts, this.now);
      if (state === 'started') return startedNodeFacts(facts, this.now);
      return state === 'cordoned' ? cordonedNodeFacts(facts) : taintedNodeFacts(facts, effect);
    };
    const isByPerson = state === 'tainted' || state === 'cordoned';
    const actor = isByPerson ? 'user' : 'node-lifecycle-controller';
    const answer = this.cluster.as(actor).patch(key, ({ facts }) => ({
      facts: changed(facts?.kind === 'Node' ? facts : readyNodeFacts(this.now)),
    }));
    if (!answer.ok) throw new ScenarioError(`node ${name} cannot be ${state}: ${answer.message}`);
    if (!isByPerson) this.#tellPods(name, state === 'started');
  }

  find(place: ObjectAddress): KubeObject | undefined {
    const { type, namespace, name } = this.#key(place);
    return this.cluster.store.find(type, namespace, name);
  }

  /** Marks pods of a lost node not ready, and ready once it is back. */
  #tellPods(nodeName: string, isReady: boolean): void {
    const type = this.#typeOf('v1', 'Pod');
    const api = this.cluster.as('node-lifecycle-controller');
    for (const pod of this.cluster.store.list(type)) {
      if (pod.facts?.kind !== 'Pod' || pod.facts.nodeName !== nodeName || pod.facts.phase !== 'Running')
        continue;
      const facts: PodFacts = readinessOnNode(pod.facts, isReady, this.now);
      api.patch(pod, { facts }, { uid: pod.uid, subresource: 'status' });
    }
  }

  #key({ apiVersion, kind, namespace, name }: ObjectAddress): ObjectKey {
    return { type: this.#typeOf(apiVersion, kind), namespace, name };
  }

  #typeOf(apiVersion: string, kind: string): ResourceType {
    const { discovery } = this.cluster;
    const type =
      discovery.catalog.resolveKind(apiVersion, kind) ??
      discovery.known.find(each => each.apiVersion === apiVersion && each.kind === kind);
    if (type === undefined) throw new ScenarioError(`${apiVersion} ${kind} is not served`);
    return type;
  }
}

/** Splits the controller manager into two processes, and adds controllers for a cluster starting empty. */
function inTwo(setup: ProcessSetup): readonly ProcessSetup[] {
  const { name, controllers } = setup;
  if (name !== MANAGER) return [setup];
  const isCollector = (controller: Controller): boolean => controller.name === 'garbage-collector';
  return [
    { name, controllers: () => controllers().filter(isCollector) },
    {
      name: WORKLOADS,
      controllers: () => [
        ...controllers().filter(each => !isCollector(each)),
        new ClaimBindingController(),
        new DeploymentStatusController(),
      ],
    },
  ];
}

function answered(answer: ApiAnswer): WorldAnswer {
  return answer.ok ? { status: answer.status, uid: answer.object.uid } : { status: answer.status };
}

const uidShape = 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx';

/** Returns a uid for a number: the same at each start, and unique among those a demo reaches. */
function uidOf(number: number): Uid {
  const random = new Random(number);
  const digits = Array.from(uidShape, each => {
    if (each === 'x') return random.below(16).toString(16);
    return each === 'y' ? '89ab'.charAt(random.below(4)) : each;
  });
  // Branded here: the simulated API server identifies its objects.
  return digits.join('') as Uid;
}
