/**
 * Forecasts of many actions on one snapshot that doesn't change meanwhile: whatever follows from the snapshot
 * alone is found once, and each action costs what it touches.
 */
import { silentUnlessRenewed } from '../collector/manager.ts';
import type { ClusterView } from '../graph/cluster-view.ts';
import { type KubeObject, podFacts, type Uid } from '../model/object.ts';
import { GraphBase } from '../simulation/runtime/graph-base.ts';
import type { Action } from './action.ts';
import { MOST_ORDERS } from './orders.ts';
import { buildForecast } from './plan/build.ts';
import type { Ends } from './plan/outcome.ts';
import type { Forecast } from './plan/plan.ts';
import { reportedObjects, undiscoverableTypes, unseenOwners } from './plan/unseen.ts';
import { admissionTypes } from './plan/warnings.ts';
import { Regions } from './regions.ts';
import { endsOf, type Run, runAction, type Stage } from './run.ts';
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
}

export interface Forecaster {
  /** What the forecasts start from. */
  readonly view: ClusterView;
  forecast(action: Action): Forecast;
}

/** The view is only read, and must not change as long as the forecaster is in use. */
export function createForecaster(view: ClusterView, options: ForecasterOptions): Forecaster {
  const { now, scope = 'everything', begun = new Set(), mostOrders = MOST_ORDERS } = options;
  const reported = reportedObjects(view);
  const unseen = [...unseenOwners(view, now), ...reported];
  const missed = view.scope === undefined ? undefined : view.find.bind(view);
  const base = new GraphBase(view.graph, unseen, missed);
  const { objects: underWay, finishedPods, overdue, atRest } = findUnderWay(view, base, now);
  const stage: Stage = {
    view,
    base,
    now,
    unseen,
    undiscoverable: undiscoverableTypes(view),
    unheardOf: new Set(reported.map(({ type }) => type).filter(type => !view.catalog.serves(type))),
    underWay,
    atRest,
    finishedPods,
    fresh: options.collector === 'starting',
  };
  const baselines = new Map<boolean, Ends>();
  /** What happens without an action, where anything does. */
  const baselineOf = (fresh: boolean): Ends | undefined => {
    if (underWay.length === 0 && !fresh) return undefined;
    let ends = baselines.get(fresh);
    if (ends === undefined) {
      const calm = { ...stage, fresh };
      ends = endsOf(calm, runAction(calm, { verb: 'none' }));
      baselines.set(fresh, ends);
    }
    return ends;
  };
  let regions: Regions | undefined;
  /** The action's run, and as much of what is under way as it can meet. */
  const runFor = (performed: Action): { readonly stage: Stage; readonly run: Run } => {
    const whole = performed.verb === 'restart' ? { ...stage, fresh: true } : stage;
    const targets = targetsOf(performed);
    if (scope === 'everything' || underWay.length === 0 || targets === undefined) {
      return { stage: whole, run: runAction(whole, performed) };
    }
    regions ??= new Regions(view, underWay, baselineOf(stage.fresh) ?? new Map());
    const earlier = [...begun].flatMap(uid => base.byUid(uid) ?? []);
    const meeting = regions.meeting([...targets, ...earlier]);
    for (;;) {
      const part = { ...whole, underWay: meeting.objects };
      const run = runAction(part, performed);
      // What the action reached may lie where more is under way than was thought of.
      if (!meeting.extend(endsOf(part, run))) return { stage: part, run };
    }
  };
  return {
    view,
    forecast: performed => {
      const { stage: ran, run } = runFor(performed);
      const baseline =
        performed.verb === 'none'
          ? undefined
          : baselineOf(performed.verb === 'restart' ? false : stage.fresh);
      return buildForecast({ stage: ran, performed, run, baseline, overdue, mostOrders });
    },
  };
}

/** Undefined where the action has none. */
function targetsOf(action: Action): readonly KubeObject[] | undefined {
  switch (action.verb) {
    case 'delete':
    case 'taint':
      return action.targets;
    case 'unblock':
      return [action.target];
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
