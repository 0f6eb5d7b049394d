/** Runs the simulation over a snapshot: the action and its consequences, until everything rests. */
import type { ClusterView } from '../graph/index.ts';
import {
  type KubeObject,
  podFacts,
  type ResourceType,
  type ServerBehaviour,
  type Sliced,
  type Uid,
} from '../model/index.ts';
import {
  type AdmissionDoubt,
  type ApiAnswer,
  type ApiClient,
  type ApiStore,
  type Chooser,
  type Controller,
  type ControlPlaneOptions,
  controlPlane,
  type Flapping,
  type GraphBase,
  type LoggedRequest,
  Operation,
  type ProcessSetup,
  type RunOutcome,
  SimulatedCluster,
  type SimulatedDiscovery,
  type SnapshotKnowledge,
  type Uncertainty,
  type VirtualClock,
} from '../simulation/index.ts';
import { type Action, Cascade, type DeleteAction, type SendRequest } from './action.ts';
import { drainRequests } from './drain-requests.ts';
import { type HandlerJudge, type HandlerOf, haveHandlersAct } from './finalizer-handlers.ts';
import { hasTaint, taintOperations } from './out-of-service.ts';
import { UninstallRequests } from './uninstall-requests.ts';

/** The actor of the action's own requests. */
export const USER = 'user';

export interface Stage {
  readonly view: ClusterView;
  readonly base: GraphBase;
  readonly now: number;
  readonly behaviour: ServerBehaviour;
  /** Unseen owners and namespace content that count as existing. */
  readonly unseen: readonly KubeObject[];
  readonly undiscoverable: readonly ResourceType[];
  /** Kinds for which a starting collector waits forever, in versions that do so. */
  readonly unlistable: readonly ResourceType[];
  readonly unheardOf: ReadonlySet<ResourceType>;
  /** Objects under way even without the action, if it can meet them. */
  readonly underWay: readonly KubeObject[];
  /** Objects under way that running controllers won't look at again. */
  readonly atRest: ReadonlySet<KubeObject>;
  readonly finishedPods: readonly KubeObject[];
  readonly podGc: NonNullable<ControlPlaneOptions['podGc']>;
  /** True if the controller manager starts without memory after the action. */
  readonly fresh: boolean;
  readonly admission: SnapshotKnowledge;
  /** Knows the handlers of foreign finalizers; undefined without a judge. */
  readonly handlers: HandlerJudge | undefined;
}

export interface RunOptions {
  readonly chooser?: Chooser;
  /** Items of one queue may overtake each other. */
  readonly anyOrder?: boolean;
  /** Refuses requests that admission may refuse. */
  readonly doubtsRefused?: boolean;
  /** Order of kinds when a namespace is emptied; random if missing. */
  readonly unordered?: 'forwards' | 'backwards' | undefined;
  readonly seed?: number;
  /** Lets handlers act from the start. */
  readonly handlerOf?: HandlerOf | undefined;
  /** Snapshot objects that a starting controller manager lists, type by type. */
  readonly listed?: readonly KubeObject[];
  /** At a start, the collector works before the workload controllers; they start concurrently. */
  readonly workloadsLate?: boolean;
  /** At a start, the collector's workers begin before its graph is complete. */
  readonly collectorEarly?: boolean;
}

export interface Run {
  readonly end: RunOutcome;
  readonly store: ApiStore;
  readonly discovery: SimulatedDiscovery;
  readonly clock: VirtualClock;
  readonly log: readonly LoggedRequest[];
  /** Accepted requests that admission may have refused. */
  readonly doubts: ReadonlyMap<string, AdmissionDoubt>;
  readonly answers: readonly ApiAnswer[];
  /** Choices controllers made without enough information. */
  readonly uncertain: readonly Uncertainty[];
  readonly flapping: readonly Flapping[];
  /** Returns a client for another actor at that point. */
  as(actor: string): ApiClient;
  /** Runs until everything rests again; the fields above include it. */
  goOn(): Sliced<RunOutcome>;
}

/** Milliseconds in which the collector's workers start and process what they find. */
const HEAD_START = 150;

/** Limits the tasks of a simulation; beyond it, the cluster never rests. */
function taskLimit(stage: Stage): number {
  return 200_000 + 100 * stage.view.graph.size;
}

export function* runAction(stage: Stage, action: Action, options: RunOptions = {}): Sliced<Run> {
  const { listed = [], workloadsLate = false, handlerOf, chooser } = options;
  const uncertain: Uncertainty[] = [];
  const cluster = simulatedCluster(stage, options, each => uncertain.push(each));
  // A running collector has listed them before.
  if (stage.fresh) for (const type of stage.unlistable) cluster.discovery.setAvailability(type, 'failing');
  if (handlerOf !== undefined) haveHandlersAct(cluster, handlerOf);
  const answers: ApiAnswer[] = [];
  if (stage.fresh || chooser !== undefined) cluster.start('resume', OTHERS);
  const going = { cluster, answers, next: batchesOf(action, cluster, stage.view), tasks: taskLimit(stage) };
  if (stage.fresh) {
    for (const request of going.next() ?? []) answers.push(...[request()].flat());
    cluster.start('replay', CONTROLLER_MANAGER);
    if (workloadsLate) cluster.runFor(HEAD_START);
    cluster.start('replay', WORKLOADS);
    wakeAtStart(stage, cluster, listed);
  } else {
    cluster.start('resume', CONTROLLER_MANAGER);
    scheduleRequests(going);
    cluster.wake(stage.underWay.filter(each => !stage.atRest.has(each)));
  }
  const goOn = (): Sliced<RunOutcome> => runToRest(going);
  const end = yield* goOn();
  const { store, log, doubts } = cluster.api;
  return {
    end,
    store,
    discovery: cluster.discovery,
    clock: cluster.clock,
    log: log.entries,
    doubts,
    answers,
    uncertain,
    flapping: [...cluster.flapping.values()],
    as: actor => cluster.as(actor),
    goOn,
  };
}

interface Going {
  readonly cluster: SimulatedCluster;
  readonly answers: ApiAnswer[];
  /** Returns the action's next requests, which are sent once everything rests; undefined if there are none. */
  readonly next: () => readonly SendRequest[] | undefined;
  readonly tasks: number;
}

/** Stays outside `runAction`: V8 keeps what a generator function captures until its next full collection. */
function* runToRest(going: Going): Sliced<RunOutcome> {
  const { cluster, tasks } = going;
  for (;;) {
    const rest = yield* cluster.runInSlices({ tasks });
    if (!scheduleRequests(going)) return rest;
  }
}

function simulatedCluster(
  stage: Stage,
  options: RunOptions,
  report: (uncertain: Uncertainty) => void,
): SimulatedCluster {
  const { view, base, undiscoverable, unheardOf, fresh, podGc } = stage;
  const {
    listed = [],
    collectorEarly = false,
    workloadsLate: _late,
    handlerOf: _handlers,
    ...order
  } = options;
  const unknownTypes = [...undiscoverable, ...unheardOf];
  const controllers = {
    nodesKnown: knowsOneByOne(view, 'Node'),
    finishedPods: stage.finishedPods,
    podGc,
    collector: stage.behaviour.collector,
    awaitsEvictions: true,
    atRest: stage.atRest,
    early: collectorEarly,
    report,
  };
  return new SimulatedCluster({
    now: stage.now,
    behaviour: stage.behaviour,
    types: unknownTypes.length === 0 ? view.catalog.types : [...view.catalog.types, ...unknownTypes],
    ...(unheardOf.size === 0 && { catalog: view.catalog }),
    undiscoverable,
    base: view.graph,
    reader: base,
    // A starting controller manager lists objects; others find them when needed.
    objects: fresh ? [...stage.unseen, ...listed] : listed,
    processes: processes(
      controllers,
      fresh ? 'apart' : order.chooser === undefined ? 'together' : 'manager and others',
    ),
    namespacesKnown: knowsOneByOne(view, 'Namespace'),
    admission: stage.admission,
    ...order,
  });
}

/** Wakes what a starting controller manager finds under way. */
function wakeAtStart(stage: Stage, cluster: SimulatedCluster, listed: readonly KubeObject[]): void {
  /** Objects at rest that a kubelet must finish, and no controller manager. */
  const isKubelets = (each: KubeObject): boolean =>
    stage.atRest.has(each) && (each.deletionGracePeriodSeconds ?? 0) > 0;
  const woken = stage.underWay.filter(each => !isKubelets(each));
  const isListed = new Set(listed);
  // A starting process has seen listed objects already.
  const { others = [], everybody = [] } = Object.groupBy(woken, each =>
    isListed.has(each) ? 'others' : 'everybody',
  );
  cluster.wake(others, OTHERS);
  cluster.wake([...everybody, ...podsOnChangedNodes(stage.view, cluster.api.log.entries)]);
}

/** Finds pods on nodes changed before the start: unchanged themselves, they need a wake-up. */
function podsOnChangedNodes(view: ClusterView, log: readonly LoggedRequest[]): KubeObject[] {
  const names = new Set<string>();
  for (const { before } of log)
    if (before?.type.kind === 'Node' && before.type.group === '') names.add(before.name);
  const type = names.size === 0 ? undefined : view.catalog.resolveKind('v1', 'Pod');
  if (type === undefined) return [];
  const pods: KubeObject[] = [];
  for (const { object } of view.graph.ofType(type))
    if (object !== undefined && names.has(podFacts(object)?.nodeName ?? '')) pods.push(object);
  return pods;
}

const CONTROLLER_MANAGER = 'kube-controller-manager';
const WORKLOADS = 'workload controllers';
const OTHERS = 'others';
const COLLECTOR = 'garbage-collector';

/** Groups components. `together`: one process, at half the cost. `apart`: the collector starts separately. */
function processes(
  options: ControlPlaneOptions,
  grouping: 'together' | 'manager and others' | 'apart',
): ProcessSetup[] {
  const setups = controlPlane(options);
  const process = (
    name: string,
    members: readonly ProcessSetup[],
    belongs: (controller: Controller) => boolean = () => true,
  ): ProcessSetup => ({
    name,
    controllers: () => members.flatMap(({ controllers }) => controllers()).filter(belongs),
  });
  if (grouping === 'together') return [process(CONTROLLER_MANAGER, setups)];
  const { manager = [], rest = [] } = Object.groupBy(setups, ({ name }) =>
    name === CONTROLLER_MANAGER ? 'manager' : 'rest',
  );
  const others = process(OTHERS, rest);
  if (grouping === 'manager and others') return [process(CONTROLLER_MANAGER, manager), others];
  const isCollector = ({ name }: Controller): boolean => name === COLLECTOR;
  return [
    process(CONTROLLER_MANAGER, manager, isCollector),
    process(WORKLOADS, manager, each => !isCollector(each)),
    others,
  ];
}

/** Checks if all objects of a core kind are visible. */
export function seesAllOf(view: ClusterView, kind: string): boolean {
  const type = view.catalog.resolveKind('v1', kind);
  return type !== undefined && view.seesAll(type);
}

/** Checks if an unknown object of a core kind doesn't exist, or is read once it is missed. */
function knowsOneByOne(view: ClusterView, kind: string): boolean {
  const type = view.catalog.resolveKind('v1', kind);
  return type !== undefined && (view.wants.canBeRead(type) || view.sees(type, ''));
}

function batchesOf(action: Action, cluster: SimulatedCluster, view: ClusterView): Going['next'] {
  const api = cluster.as(USER);
  if (action.verb === 'delete' && action.uninstall !== undefined) {
    const exists = (uid: Uid): boolean => cluster.api.store.byUid(uid) !== undefined;
    const requests = new UninstallRequests(action, action.uninstall, exists);
    return () => requests.next(api.because('asked for'));
  }
  let first: readonly SendRequest[] | undefined = requestsOf(action, api, view);
  let remedy = action.verb === 'unblock' ? action.remedy : undefined;
  return () => {
    const requests = first;
    first = undefined;
    if (requests !== undefined) return requests;
    const late = remedy?.finish?.(api);
    if (late === undefined) return undefined;
    remedy = undefined;
    return [() => late];
  };
}

/** Returns the action's requests, each sent after the previous answer. */
function requestsOf(action: Action, api: ApiClient, view: ClusterView): SendRequest[] {
  const asked = api.because('asked for');
  switch (action.verb) {
    case 'restart':
    case 'none':
      return [];
    case 'unblock':
      return [() => action.remedy.apply(api)];
    case 'taint': {
      const { taint, targets } = action;
      return targets
        .filter(node => !hasTaint(node, taint))
        .map(node => () => Operation.tryPatch(asked, node, taintOperations(node, taint)));
    }
    case 'drain':
      return drainRequests(view, action, asked);
    case 'delete':
      return deletions(action, asked);
  }
}

function deletions(action: DeleteAction, asked: ApiClient): (() => ApiAnswer)[] {
  const { cascade, targets, gracePeriodSeconds } = action;
  const options = {
    propagationPolicy: Cascade.policies[cascade],
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
  };
  return targets.map(target => () => asked.delete(target, options));
}

/** Other actors may act between two requests. Returns false if there are none. */
function scheduleRequests({ cluster, answers, next }: Going): boolean {
  const requests = next();
  for (const request of requests ?? [])
    cluster.clock.schedule(USER, () => answers.push(...[request()].flat()));
  return requests !== undefined;
}

export interface End {
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
}

/** Returns every object that the run wrote, except stand-ins. */
export function endsOf(stage: Stage, run: Run): Map<Uid, End> {
  const ends = new Map<Uid, End>();
  for (const [uid, object] of run.store.changes()) {
    if (!stage.base.isAssumed(uid))
      ends.set(uid, { before: stage.base.byUid(uid), after: object ?? undefined });
  }
  return ends;
}
