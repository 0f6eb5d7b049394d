/** Forecasts many actions on one unchanging snapshot: work that depends on the snapshot alone is done once. */
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
  forecast(action: Action): Forecast;
  /** Like `forecast`, in slices. If one is abandoned half-way, so is the forecaster. */
  forecastInSlices(action: Action): Sliced<Forecast>;
}

export function createForecaster(view: ClusterView, options: ForecasterOptions): Forecaster {
  return atOnce(forecasterInSlices(view, options));
}

/** Like `createForecaster`, in slices: it scans the whole snapshot. */
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
  /** Selects what is under way where the action can meet it; the run may extend that. */
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
      // The action may have reached a region with more under way.
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
      // Handlers or a release may have reached further too.
      if (reached === undefined || !meeting.extend(reached)) return made;
    }
  };
  return { view, forecast: performed => atOnce(forecastInSlices(performed)), forecastInSlices };
}

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

/** Requests early what every forecast reads: the nodes of pods, admission, and kube-controller-manager's lease. */
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

/** Forecasts one action on a view that must not change meanwhile. Use `createForecaster` for several. */
export function forecast(
  view: ClusterView,
  action: Action,
  options: Pick<ForecasterOptions, 'now' | 'collector'>,
): Forecast {
  return createForecaster(view, options).forecast(action);
}
