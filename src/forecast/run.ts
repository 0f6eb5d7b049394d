/** One run of the simulation over a snapshot: the action taken, and everything that follows, until it rests. */
import type { ClusterView } from '../graph/cluster-view.ts';
import { type KubeObject, podFacts, type Uid } from '../model/object.ts';
import type { ServerBehaviour } from '../model/server/server-behaviour.ts';
import type { Sliced } from '../model/slices.ts';
import type { ResourceType } from '../model/types/resource-type.ts';
import { podGcAtWork } from '../podgc/passes/rules-of-version.ts';
import type { SnapshotKnowledge } from '../simulation/api/admission/world.ts';
import type { SimulatedDiscovery } from '../simulation/api/discovery.ts';
import { tryPatch } from '../simulation/api/rest.ts';
import type { AdmissionDoubt } from '../simulation/api/server.ts';
import type { ApiStore } from '../simulation/api/store.ts';
import type { ApiAnswer, ApiClient, LoggedRequest } from '../simulation/api/types.ts';
import type { Chooser, RunOutcome, VirtualClock } from '../simulation/clock.ts';
import { type ControlPlaneOptions, controlPlane } from '../simulation/controllers/control-plane.ts';
import { type ProcessSetup, SimulatedCluster } from '../simulation/runtime/cluster.ts';
import type { Controller, Flapping, Uncertainty } from '../simulation/runtime/controller.ts';
import type { GraphBase } from '../simulation/runtime/graph-base.ts';
import { type Action, type DeleteAction, propagationPolicies } from './action.ts';
import { type HandlerJudge, type HandlerOf, haveHandlersAct } from './handlers.ts';
import { hasTaint, taintOperations } from './nodes/out-of-service.ts';

/** Whoever takes the action. */
export const USER = 'user';

/** What every run over one snapshot shares. */
export interface Stage {
  readonly view: ClusterView;
  readonly base: GraphBase;
  readonly now: number;
  /** What the server does, by its version. */
  readonly behaviour: ServerBehaviour;
  /** Owners and content of namespaces that cannot be seen and are taken to exist. */
  readonly unseen: readonly KubeObject[];
  /** Stand-ins for group/versions whose discovery fails. */
  readonly undiscoverable: readonly ResourceType[];
  /** Kinds that the collector waits for when it starts, for ever, in versions that do that. */
  readonly unlistable: readonly ResourceType[];
  /** Types of `unseen` objects that the snapshot doesn't know. */
  readonly unheardOf: ReadonlySet<ResourceType>;
  /** What goes on whether somebody acts or not, as far as the action can meet it. */
  readonly underWay: readonly KubeObject[];
  /** Of these, what nobody who has run all the time looks at again by itself. */
  readonly atRest: ReadonlySet<KubeObject>;
  /** Of the whole snapshot. */
  readonly finishedPods: readonly KubeObject[];
  /** Whether the controller manager begins with an empty memory, after the action. */
  readonly fresh: boolean;
  /** What is known of who may refuse requests. */
  readonly admission: SnapshotKnowledge;
  /** Knows who removes the finalizers that nobody in the simulation does; undefined where nobody is asked. */
  readonly handlers: HandlerJudge | undefined;
}

export interface RunOptions {
  readonly chooser?: Chooser;
  /** Items of one queue may overtake each other. */
  readonly anyOrder?: boolean;
  /** Requests that admission may refuse are refused. */
  readonly doubtsRefused?: boolean;
  /** How kinds come where a namespace is emptied; left to chance where left out. */
  readonly unordered?: 'forwards' | 'backwards' | undefined;
  /** Of what is left to chance. */
  readonly seed?: number;
  /** Handlers are at work from the beginning. */
  readonly handlerOf?: HandlerOf | undefined;
  /** Objects of the snapshot that a controller manager which starts sees in lists, type by type. */
  readonly listed?: readonly KubeObject[];
  /**
   * Of a controller manager that starts: the collector is at work before the controllers of workloads are. These
   * start side by side, and either may be the first.
   */
  readonly workloadsLate?: boolean;
  /** Of a controller manager that starts: the collector's workers are at work before its graph is complete. */
  readonly collectorEarly?: boolean;
}

export interface Run {
  readonly end: RunOutcome;
  readonly store: ApiStore;
  readonly discovery: SimulatedDiscovery;
  readonly clock: VirtualClock;
  readonly log: readonly LoggedRequest[];
  /** Who may have refused requests that were let through. */
  readonly doubts: ReadonlyMap<string, AdmissionDoubt>;
  /** The answers to the action's own requests, in order. */
  readonly answers: readonly ApiAnswer[];
  /** What controllers had to choose without knowing enough. */
  readonly uncertain: readonly Uncertainty[];
  /** Workloads whose controllers would go on for ever. */
  readonly flapping: readonly Flapping[];
  /** The cluster as another one sees it who does something then. */
  as(actor: string): ApiClient;
  /** Until everything is at rest again. Everything above is of both. */
  goOn(): Sliced<RunOutcome>;
}

/** Milliseconds in which the collector's workers start and deal with what they find. */
const HEAD_START = 150;

/** Tasks after which a simulation counts as one that never rests: many for each object, and then some. */
function taskLimit(stage: Stage): number {
  return 200_000 + 100 * stage.view.graph.size;
}

/** Pauses between tasks; nobody else sees the cluster that it runs in. */
export function* runAction(stage: Stage, action: Action, options: RunOptions = {}): Sliced<Run> {
  const { view, base, now, undiscoverable, unheardOf } = stage;
  const { listed = [], workloadsLate = false, collectorEarly = false, handlerOf, ...order } = options;
  const uncertain: Uncertainty[] = [];
  const cluster = new SimulatedCluster({
    now,
    behaviour: stage.behaviour,
    types:
      undiscoverable.length + unheardOf.size === 0
        ? view.catalog.types
        : [...view.catalog.types, ...undiscoverable, ...unheardOf],
    ...(unheardOf.size === 0 && { catalog: view.catalog }),
    undiscoverable,
    base: view.graph,
    reader: base,
    // A controller manager that starts is shown what is there; others find it when they look.
    objects: stage.fresh ? [...stage.unseen, ...listed] : listed,
    processes: processes(
      {
        nodesKnown: knowsOneByOne(view, 'Node'),
        finishedPods: stage.finishedPods,
        podGc: podGcAtWork(view),
        collector: stage.behaviour.collector,
        awaitsEvictions: true,
        atRest: stage.atRest,
        early: collectorEarly,
        report: each => uncertain.push(each),
      },
      stage.fresh ? 'apart' : options.chooser === undefined ? 'together' : 'manager and others',
    ),
    namespacesKnown: knowsOneByOne(view, 'Namespace'),
    admission: stage.admission,
    ...order,
  });
  // One that runs has listed them before.
  if (stage.fresh) for (const type of stage.unlistable) cluster.discovery.setAvailability(type, 'failing');
  if (handlerOf !== undefined) haveHandlersAct(cluster, handlerOf);
  const answers: ApiAnswer[] = [];
  if (stage.fresh || options.chooser !== undefined) cluster.start('resume', OTHERS);
  if (stage.fresh) {
    take(action, cluster.as(USER), answers);
    cluster.start('replay', CONTROLLER_MANAGER);
    if (workloadsLate) cluster.runFor(HEAD_START);
    cluster.start('replay', WORKLOADS);
  } else {
    cluster.start('resume', CONTROLLER_MANAGER);
    schedule(action, cluster, answers);
  }
  const { store, log, doubts } = cluster.api;
  /** Of what is at rest a kubelet has these, and no controller manager. */
  const isKubelets = (each: KubeObject): boolean =>
    stage.atRest.has(each) && (each.deletionGracePeriodSeconds ?? 0) > 0;
  if (stage.fresh) {
    const woken = stage.underWay.filter(each => !isKubelets(each));
    const isListed = new Set(listed);
    // Whoever starts has seen those as they were listed.
    const { others = [], everybody = [] } = Object.groupBy(woken, each =>
      isListed.has(each) ? 'others' : 'everybody',
    );
    cluster.wake(others, OTHERS);
    cluster.wake([...everybody, ...podsOnChangedNodes(view, log.entries)]);
  } else cluster.wake(stage.underWay.filter(each => !stage.atRest.has(each)));
  const end = yield* cluster.runInSlices({ tasks: taskLimit(stage) });
  const flapping = [...cluster.flapping.values()];
  return {
    end,
    store,
    discovery: cluster.discovery,
    clock: cluster.clock,
    log: log.entries,
    doubts,
    answers,
    uncertain,
    flapping,
    as: actor => cluster.as(actor),
    goOn: () => cluster.runInSlices({ tasks: taskLimit(stage) }),
  };
}

/**
 * Pods whose node the action has changed before a controller manager starts: nothing has happened to them, so that
 * it wouldn't find them by itself.
 */
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

/**
 * The controller manager, which may be restarted, and all others in one. `together`: even these two see what
 * happens at the same time, which halves the cost. `apart`: the collector and the controllers of workloads start
 * one by one.
 */
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

/** Whether all objects of a kind of the core group can be seen. */
export function seesAllOf(view: ClusterView, kind: string): boolean {
  const type = view.catalog.resolveKind('v1', kind);
  return type !== undefined && view.seesAll(type);
}

/** Whether objects of a kind of the core group that aren't known don't exist, or will be read as soon as they are missed. */
function knowsOneByOne(view: ClusterView, kind: string): boolean {
  const type = view.catalog.resolveKind('v1', kind);
  return type !== undefined && (view.wants.canBeRead(type) || view.sees(type, ''));
}

/** The requests of an action, each to be sent when the one before was answered. */
function requestsOf(action: Action, api: ApiClient): (() => ApiAnswer | readonly ApiAnswer[])[] {
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
        .map(node => () => tryPatch(asked, node, taintOperations(node, taint)));
    }
    case 'delete':
      return deletions(action, asked);
  }
}

function deletions(action: DeleteAction, asked: ApiClient): (() => ApiAnswer)[] {
  const { cascade, targets, gracePeriodSeconds } = action;
  const options = {
    propagationPolicy: propagationPolicies[cascade],
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
  };
  return targets.map(target => () => asked.delete(target, options));
}

function take(action: Action, api: ApiClient, answers: ApiAnswer[]): void {
  for (const request of requestsOf(action, api)) answers.push(...[request()].flat());
}

/** Others may act between two requests. */
function schedule(action: Action, cluster: SimulatedCluster, answers: ApiAnswer[]): void {
  for (const request of requestsOf(action, cluster.as(USER))) {
    cluster.clock.schedule(USER, () => answers.push(...[request()].flat()));
  }
}

/** What became of an object that existed before or was written in the run. */
export interface End {
  readonly before: KubeObject | undefined;
  /** Undefined where it is gone. */
  readonly after: KubeObject | undefined;
}

/** Every object that the run wrote; those that cannot be seen are left out. */
export function endsOf(stage: Stage, run: Run): Map<Uid, End> {
  const ends = new Map<Uid, End>();
  for (const [uid, object] of run.store.changes()) {
    if (!stage.base.isAssumed(uid))
      ends.set(uid, { before: stage.base.byUid(uid), after: object ?? undefined });
  }
  return ends;
}
