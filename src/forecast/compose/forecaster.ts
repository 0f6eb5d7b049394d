/** Forecasts many actions on one unchanging snapshot: work that depends on the snapshot alone is done once. */
import { managerSigns } from '../../collector/index.ts';
import { behaviourOf, type ClusterView } from '../../graph/index.ts';
import { type KubeObject, podFacts, Sliced, type Uid } from '../../model/index.ts';
import { PodGcRules } from '../../podgc/index.ts';
import { AdmissionControl, GraphBase, type Objection, useProtections } from '../../simulation/index.ts';
import { type Action, UnblockAction } from '../action.ts';
import type { HandlerJudge } from '../finalizer-handlers.ts';
import type { Forecast } from '../plan/forecast-result.ts';
import { admissionTypes } from '../plan/forecast-warnings.ts';
import { type Deciding, letHandled } from '../plan/handled.ts';
import { letReleased } from '../plan/released.ts';
import type { Ends } from '../plan/run-ends.ts';
import {
  reportedObjects,
  undiscoverableTypes,
  unlistableTypes,
  unseenOwners,
} from '../plan/unseen-objects.ts';
import { refusalKey, refusalsIn, snapshotKnowledge, snapshotWorld } from '../run-admission.ts';
import { endsOf, type Run, runAction, type Stage } from '../simulated-run.ts';
import { findUnderWay } from '../under-way.ts';
import { findEndless } from './endless.ts';
import {
  type Baseline,
  type BuiltForecast,
  buildForecast,
  type OrderDoubts,
  orderDoubts,
} from './forecast-parts.ts';
import { MOST_ORDERS, withElsewhere } from './orders.ts';
import { type Meeting, Regions } from './regions.ts';

export interface ForecasterOptions {
  readonly now: number;
  /**
   * - `running` (default): the collector has processed the snapshot, and reacts to changes.
   * - `starting`: the controller manager starts after the action, without memory. A restart always uses it.
   */
  readonly collector?: 'running' | 'starting';
  /**
   * - `everything` (default): reports whatever happens anyway, anywhere.
   * - `action`: simulates that only if it can meet the action. The action's own effects are complete either way.
   */
  readonly scope?: 'everything' | 'action';
  /** With scope `action`: objects of earlier requests of the action, whose changes are reported too. */
  readonly begun?: ReadonlySet<Uid>;
  /** Maximum number of other orders to try; fewer are quicker but find fewer races. */
  readonly mostOrders?: number;
  /** Knows the handlers of foreign finalizers. Without it these stay, and no release is explored. */
  readonly handlers?: HandlerJudge;
  /** Reports only deletions and changes, and omits the warnings that need reads of their own. */
  readonly effectsOnly?: boolean;
}

export interface Forecaster {
  readonly view: ClusterView;
  readonly now: number;
  forecast(action: Action): Forecast;
  /** Like `forecast`, in slices. If one is abandoned half-way, so is the forecaster. */
  forecastInSlices(action: Action): Sliced<Forecast>;
  /** Returns true if the same requests for either object meet the same objects under way. */
  meetAlike(a: KubeObject, b: KubeObject): Sliced<boolean>;
}

function createForecaster(view: ClusterView, options: ForecasterOptions): Forecaster {
  return Sliced.atOnce(forecasterInSlices(view, options));
}

/** Like `createForecaster`, in slices: it scans the whole snapshot. */
function* forecasterInSlices(view: ClusterView, options: ForecasterOptions): Sliced<Forecaster> {
  const { now, effectsOnly = false } = options;
  const behaviour = behaviourOf(view);
  const reported = reportedObjects(view, now);
  yield;
  const unseen = [...unseenOwners(view, now), ...reported];
  const missed = view.scope === undefined ? undefined : view.find.bind(view);
  const base = new GraphBase(view.graph, unseen, missed);
  const admission = snapshotKnowledge(view, base, { now, effectsOnly });
  const control = new AdmissionControl(snapshotWorld(view, base, admission), 'policies');
  const isDenied = (object: KubeObject): boolean =>
    object.finalizers.some(each => control.objectionsToRemoval(object, each).some(isRefused));
  const {
    objects: underWay,
    finishedPods,
    overdue,
    atRest,
  } = yield* findUnderWay(view, base, { now, isDenied });
  const stage: Stage = {
    view,
    base,
    now,
    behaviour,
    unseen,
    undiscoverable: undiscoverableTypes(view),
    unlistable: behaviour.has('worksUnsynced') ? [] : unlistableTypes(view),
    unheardOf: new Set(reported.map(({ type }) => type).filter(type => !view.catalog.serves(type))),
    underWay,
    atRest,
    finishedPods,
    podGc: PodGcRules.atWork(view),
    fresh: options.collector === 'starting',
    admission,
    handlers: options.handlers,
  };
  return new SnapshotForecaster(stage, overdue, options);
}

function isRefused({ answer }: Objection): boolean {
  return answer === 'refused';
}

class SnapshotForecaster implements Forecaster {
  readonly view: ClusterView;
  readonly now: number;
  readonly #stage: Stage;
  readonly #overdue: KubeObject | undefined;
  readonly #options: ForecasterOptions;
  /** By whether the controller manager starts. */
  readonly #baselines = new Map<boolean, Baseline>();
  #regions: Regions | undefined;

  constructor(stage: Stage, overdue: KubeObject | undefined, options: ForecasterOptions) {
    this.view = stage.view;
    this.now = stage.now;
    this.#stage = stage;
    this.#overdue = overdue;
    this.#options = options;
  }

  forecast(performed: Action): Forecast {
    return Sliced.atOnce(this.forecastInSlices(performed));
  }

  *forecastInSlices(performed: Action): Sliced<Forecast> {
    const { underWay, fresh } = this.#stage;
    const { scope = 'everything' } = this.#options;
    const targets = targetsOf(performed);
    const everything = { objects: () => underWay, extend: () => false };
    const isWhole = underWay.length === 0 || targets === undefined || (scope === 'everything' && fresh);
    if (isWhole) return (yield* this.#build(performed, everything)).forecast;
    const met = yield* this.#meetingAround(targets);
    const own = yield* this.#build(performed, met);
    const baseline = yield* this.#baselineOf(fresh);
    const { meets } = met;
    if (scope === 'action')
      return { ...own.forecast, endElsewhere: uid => this.#endElsewhere(uid, meets, baseline) };
    if (met.objects().length === underWay.length) return own.forecast;
    // Orders are tried on what the action meets, so that a narrowed forecast tries the same ones.
    const without = baseline && (yield* baseline.orders());
    const isElsewhere = (uid: Uid): boolean => {
      const object = this.#stage.base.byUid(uid);
      return object !== undefined && !meets(object);
    };
    const isUntried = without?.tried === undefined || (own.orders.contested > 0 && !own.orders.tried);
    const orders = isUntried
      ? own.orders
      : { ...own.orders, tried: withElsewhere(own.orders.tried, without.tried, isElsewhere) };
    return (yield* this.#build(performed, everything, orders)).forecast;
  }

  *#build(
    performed: Action,
    meeting: Pick<Meeting, 'objects' | 'extend'>,
    orders?: OrderDoubts,
  ): Sliced<BuiltForecast> {
    const { mostOrders = MOST_ORDERS, effectsOnly = false } = this.#options;
    const restarts = performed.verb === 'restart';
    const { fresh } = this.#stage;
    for (;;) {
      const stage = { ...this.#stage, fresh: fresh || restarts, underWay: meeting.objects() };
      const run = yield* runAction(stage, performed);
      // The action may have reached a region with more under way.
      if (meeting.extend(endsOf(stage, run))) continue;
      const baseline = performed.verb === 'none' ? undefined : yield* this.#baselineOf(fresh && !restarts);
      const built = yield* buildForecast({
        stage,
        performed,
        run,
        baseline,
        overdue: this.#overdue,
        mostOrders,
        effectsOnly,
        orders,
      });
      // Handlers or a release may have reached further too, or what a handler depends on.
      if (!meeting.extend(built.reached ?? new Map(), built.deciding)) return built;
    }
  }

  #endElsewhere(
    uid: Uid,
    meets: (object: KubeObject) => boolean,
    baseline: Baseline | undefined,
  ): 'deleted' | 'terminating' | undefined {
    const before = this.#stage.base.byUid(uid);
    if (before === undefined || meets(before)) return undefined;
    const end = baseline?.ends.get(uid);
    const left = end === undefined ? before : end.after;
    if (baseline !== undefined) {
      const tried = Sliced.atOnce(baseline.orders()).tried;
      const uncertain = tried?.differing.get(uid) ?? tried?.handled.differing.get(uid);
      if (uncertain?.some(each => each.end !== 'kept') === true) return 'terminating';
      const handled = Sliced.atOnce(baseline.handled()).get(uid);
      if (left !== undefined && handled !== undefined && handled.after === undefined) return 'terminating';
    }
    if (left === undefined) return 'deleted';
    return left.deletionTimestamp === undefined ? undefined : 'terminating';
  }

  /** Selects the objects under way that the action can meet; the run may add others. */
  *#meetingAround(targets: readonly KubeObject[]): Sliced<Meeting> {
    const { begun = new Set() } = this.#options;
    const { underWay, base, fresh } = this.#stage;
    const baseline = yield* this.#baselineOf(fresh);
    this.#regions ??= new Regions(this.view, underWay, {
      withoutAction: baseline?.ends ?? new Map(),
      deciding: baseline === undefined ? new Map() : yield* baseline.deciding(),
    });
    const earlier = [...begun].flatMap(uid => base.byUid(uid) ?? []);
    return this.#regions.meeting([...targets, ...earlier]);
  }

  *meetAlike(a: KubeObject, b: KubeObject): Sliced<boolean> {
    if (a === b || this.#options.scope !== 'action' || this.#stage.underWay.length === 0) return true;
    const [first, second] = [yield* this.#meetingAround([a]), yield* this.#meetingAround([b])];
    const met = new Set(first.objects());
    return met.size === second.objects().length && second.objects().every(each => met.has(each));
  }

  *#baselineOf(fresh: boolean): Sliced<Baseline | undefined> {
    if (this.#stage.underWay.length === 0 && !fresh) return undefined;
    const known = this.#baselines.get(fresh);
    if (known !== undefined) return known;
    const stage = { ...this.#stage, fresh };
    const { mostOrders = MOST_ORDERS } = this.#options;
    const baseline = baselineOf(stage, yield* runAction(stage, { verb: 'none' }), mostOrders);
    this.#baselines.set(fresh, baseline);
    return baseline;
  }
}

/** Describes the run without an action. */
function baselineOf(stage: Stage, run: Run, most: number): Baseline {
  const ends = endsOf(stage, run);
  const deciding: Deciding = new Map();
  let orders: OrderDoubts | undefined;
  let handled: Ends | undefined;
  let released: Ends | undefined;
  return {
    ends,
    endless: new Set(findEndless(stage, run, ends).keys()),
    refused: new Set(refusalsIn(run.log, run.store).values().map(refusalKey)),
    doubts: run.doubts,
    *handled() {
      handled ??= (yield* letHandled(stage, run, deciding))?.ends ?? ends;
      return handled;
    },
    *deciding() {
      yield* this.handled();
      return deciding;
    },
    *released() {
      if (released === undefined) {
        yield* this.handled();
        yield* letReleased(stage, run);
        released = endsOf(stage, run);
      }
      return released;
    },
    *orders() {
      if (orders === undefined) {
        const log = run.log.slice();
        const handled = yield* this.handled();
        const released = yield* this.released();
        const acted = handled === ends ? undefined : handled;
        const first = { settled: { ...run, log }, ends, handled: acted, released, most };
        orders = yield* orderDoubts(stage, { verb: 'none' }, first);
      }
      return orders;
    },
  };
}

function targetsOf(action: Action): readonly KubeObject[] | undefined {
  switch (action.verb) {
    case 'delete':
    case 'taint':
    case 'drain':
      return action.targets;
    case 'unblock':
      return UnblockAction.objects(action);
    case 'restart':
    case 'none':
      return undefined;
  }
}

/** Requests early what every forecast reads: the nodes of pods, admission, and kube-controller-manager's lease. */
function noteSurroundings(view: ClusterView, targets: Iterable<KubeObject>): void {
  if (view.scope === undefined) return;
  for (const type of admissionTypes(view)) view.sees(type, '');
  targets = [...targets];
  for (const target of targets) seeUsers(view, target);
  managerSigns.silentUnlessRenewed(view);
  const nodeType = view.catalog.resolveKind('v1', 'Node');
  const seen = new Set<Uid>();
  const open = [...targets];
  for (let object = open.pop(); object !== undefined; object = open.pop()) {
    if (seen.has(object.uid)) continue;
    seen.add(object.uid);
    const nodeName = podFacts(object)?.nodeName ?? '';
    if (nodeName !== '' && nodeType !== undefined) view.find(nodeType, '', nodeName);
    for (const dependent of view.graph.get(object.uid)?.dependents ?? [])
      if (dependent.object !== undefined) open.push(dependent.object);
  }
}

/** Requests the kinds that may use a protected object: pods in its namespace, other kinds in all namespaces. */
function seeUsers(view: ClusterView, object: KubeObject): void {
  for (const [apiVersion, kind] of useProtections.of(object)?.usedBy ?? []) {
    const type = view.catalog.resolveKind(apiVersion, kind);
    if (type !== undefined) view.sees(type, kind === 'Pod' ? object.namespace : '');
  }
}

/** Forecasts one action on a view that must not change meanwhile. Use `createForecaster` for several. */
export function forecast(
  view: ClusterView,
  action: Action,
  options: Pick<ForecasterOptions, 'now' | 'collector'>,
): Forecast {
  return createForecaster(view, options).forecast(action);
}

export const Forecaster = { create: createForecaster, createInSlices: forecasterInSlices, noteSurroundings };
