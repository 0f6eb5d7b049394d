/**
 * Forecasts of many actions on one snapshot that doesn't change meanwhile: whatever follows from the snapshot
 * alone is found once, and each action costs what it touches.
 */
import { silentUnlessRenewed } from '../collector/manager.ts';
import type { ClusterView } from '../graph/cluster-view.ts';
import { behaviourOf } from '../graph/server-behaviour.ts';
import { type KubeObject, podFacts, type Uid } from '../model/object.ts';
import { atOnce, type Sliced } from '../model/slices.ts';
import { GraphBase } from '../simulation/runtime/graph-base.ts';
import { type Action, unblocked } from './action.ts';
import { refusalKey, refusalsIn, snapshotKnowledge } from './admission.ts';
import { type Baseline, buildForecast } from './build.ts';
import type { HandlerJudge } from './handlers.ts';
import { MOST_ORDERS } from './orders.ts';
import { letHandled } from './plan/handled.ts';
import type { Ends } from './plan/outcome.ts';
import type { Forecast } from './plan/plan.ts';
import { letReleased } from './plan/released.ts';
import { reportedObjects, undiscoverableTypes, unlistableTypes, unseenOwners } from './plan/unseen.ts';
import { admissionTypes } from './plan/warnings.ts';
import { type Meeting, Regions } from './regions.ts';
import { endsOf, runAction, type Stage } from './run.ts';
import { findUnderWay } from './under-way.ts';

export interface ForecasterOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /**
   * - `running` (default): the collector has dealt with the snapshot, and does what it hears of from now on.
   * - `starting`: the controller manager starts with an empty memory after the action.
   * A restart is always `starting`.
   */
  readonly collector?: 'running' | 'starting';
  /**
   * - `everything` (default): whatever happens anyway is reported, wherever it does.
   * - `action`: only where it can meet the action; what goes on in other namespaces isn't simulated each time.
   * What the action itself does is reported in full in both.
   */
  readonly scope?: 'everything' | 'action';
  /** With the scope `action`: objects of earlier requests of the same action, what goes on about which is reported as well. */
  readonly begun?: ReadonlySet<Uid>;
  /** Other orders of work to try at most, where the order matters; fewer are quicker and find fewer races. */
  readonly mostOrders?: number;
  /**
   * Who removes the finalizers that nobody in the simulation does. Without it these stay, and nothing is said of what
   * follows where somebody removes them.
   */
  readonly handlers?: HandlerJudge;
  /**
   * Only what is deleted, stays and is altered will be told of. Warnings that take a look around are left out: who may
   * refuse requests, whether kube-controller-manager runs, which volumes are deleted, which nodes are missing.
   */
  readonly effectsOnly?: boolean;
}

export interface Forecaster {
  /** What the forecasts start from. */
  readonly view: ClusterView;
  forecast(action: Action): Forecast;
  /** The same in slices, one at a time. Where one is given up half-way, so is the forecaster. */
  forecastInSlices(action: Action): Sliced<Forecast>;
}

/** The view is only read, and must not change as long as the forecaster is in use. */
export function createForecaster(view: ClusterView, options: ForecasterOptions): Forecaster {
  return atOnce(forecasterInSlices(view, options));
}

/** The same, made in slices: it looks through the whole snapshot. */
export function* forecasterInSlices(view: ClusterView, options: ForecasterOptions): Sliced<Forecaster> {
  const {
    now,
    scope = 'everything',
    begun = new Set(),
    mostOrders = MOST_ORDERS,
    effectsOnly = false,
  } = options;
  const behaviour = behaviourOf(view);
  const reported = reportedObjects(view, now);
  yield;
  const unseen = [...unseenOwners(view, now), ...reported];
  const missed = view.scope === undefined ? undefined : view.find.bind(view);
  const base = new GraphBase(view.graph, unseen, missed);
  const { objects: underWay, finishedPods, overdue, atRest } = yield* findUnderWay(view, base, now);
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
    fresh: options.collector === 'starting',
    admission: snapshotKnowledge(view, base, { now, effectsOnly }),
    handlers: options.handlers,
  };
  const baselines = new Map<boolean, Baseline>();
  /** What happens without an action, where anything does. */
  const baselineOf = function* (fresh: boolean): Sliced<Baseline | undefined> {
    if (underWay.length === 0 && !fresh) return undefined;
    let baseline = baselines.get(fresh);
    if (baseline === undefined) {
      const calm = { ...stage, fresh };
      const run = yield* runAction(calm, { verb: 'none' });
      const ends = endsOf(calm, run);
      let handled: Ends | undefined;
      let released: Ends | undefined;
      const refused = new Set(refusalsIn(run.log, run.store).values().map(refusalKey));
      baseline = {
        ends,
        refused,
        *handled() {
          handled ??= (yield* letHandled(calm, run))?.ends ?? ends;
          return handled;
        },
        *released() {
          if (released === undefined) {
            yield* this.handled();
            yield* letReleased(calm, run);
            released = endsOf(calm, run);
          }
          return released;
        },
      };
      baselines.set(fresh, baseline);
    }
    return baseline;
  };
  let regions: Regions | undefined;
  /** As much of what is under way as the action can meet, with what it may turn out to meet besides. */
  const meetingOf = function* (performed: Action): Sliced<Meeting> {
    const targets = targetsOf(performed);
    if (scope === 'everything' || underWay.length === 0 || targets === undefined) {
      return { objects: underWay, extend: () => false };
    }
    regions ??= new Regions(view, underWay, (yield* baselineOf(stage.fresh))?.ends ?? new Map());
    const earlier = [...begun].flatMap(uid => base.byUid(uid) ?? []);
    return regions.meeting([...targets, ...earlier]);
  };
  const forecastInSlices = function* (performed: Action): Sliced<Forecast> {
    const restarts = performed.verb === 'restart';
    const meeting = yield* meetingOf(performed);
    for (;;) {
      const part = { ...stage, fresh: stage.fresh || restarts, underWay: meeting.objects };
      const run = yield* runAction(part, performed);
      // What the action reached may lie where more is under way than was thought of.
      if (meeting.extend(endsOf(part, run))) continue;
      const baseline =
        performed.verb === 'none' ? undefined : yield* baselineOf(restarts ? false : stage.fresh);
      const { forecast: made, reached } = yield* buildForecast({
        stage: part,
        performed,
        run,
        baseline,
        overdue,
        mostOrders,
        effectsOnly,
      });
      // The same of what follows where handlers do their work, or what is held is released.
      if (reached === undefined || !meeting.extend(reached)) return made;
    }
  };
  return { view, forecast: performed => atOnce(forecastInSlices(performed)), forecastInSlices };
}

/** Undefined where the action has none. */
function targetsOf(action: Action): readonly KubeObject[] | undefined {
  switch (action.verb) {
    case 'delete':
    case 'taint':
      return action.targets;
    case 'unblock':
      return unblocked(action);
    case 'restart':
    case 'none':
      return undefined;
  }
}

/**
 * Notes what a forecast about these objects looks for in any case and a scoped read leaves out, so that it needn't be made
 * twice: the nodes of their pods, who may refuse requests, and the lease of kube-controller-manager.
 */
export function noteSurroundings(view: ClusterView, targets: Iterable<KubeObject>): void {
  if (view.scope === undefined) return;
  for (const type of admissionTypes(view)) view.sees(type, '');
  silentUnlessRenewed(view);
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

/**
 * What one action does to the cluster in the view, which must not change meanwhile and is only read. For several
 * actions on one view there is `createForecaster`.
 */
export function forecast(
  view: ClusterView,
  action: Action,
  options: Pick<ForecasterOptions, 'now' | 'collector'>,
): Forecast {
  return createForecaster(view, options).forecast(action);
}
