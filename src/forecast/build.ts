/** Builds one action's forecast from its runs: several orders of work, and the run without the action. */
import type { ClusterView } from '../graph/cluster-view.ts';
import { compareBytes, type Identity } from '../graph/node.ts';
import { identityOfObject } from '../graph/ownership-node.ts';
import type { KubeObject, Uid } from '../model/object.ts';
import type { Sliced } from '../model/slices.ts';
import { asShown } from '../model/text/shown.ts';
import type { LoggedRequest } from '../simulation/api/types.ts';
import { type Action, unblocked } from './action.ts';
import { refusalsIn } from './admission.ts';
import { nodeStory } from './nodes/effects.ts';
import { kubectlTaint } from './nodes/out-of-service.ts';
import { forcedPods } from './nodes/run-twice.ts';
import { contestedObjects, LARGEST_CONTEST, type Tried, tryOrders } from './orders.ts';
import { dependentOnAdmission } from './plan/doubtful.ts';
import { handlersAfter, letHandled, stillDeleting } from './plan/handled.ts';
import { handlersFirst } from './plan/handlers-first.ts';
import {
  type Anyway,
  byIdentity,
  changedObjects,
  compareIdentity,
  deletedObjects,
  type Ends,
  endOf,
  isKept,
  recreatedObjects,
  terminatingObjects,
} from './plan/outcome.ts';
import type {
  Forecast,
  Outcome,
  PlanStep,
  PossibleEnd,
  RefusedRequest,
  TimingDependentObject,
} from './plan/plan.ts';
import { refusedRequests, webhooksLeftBehind } from './plan/refused.ts';
import { doomedObjects } from './plan/released.ts';
import { collectorWaits, serverAssumptions } from './plan/server.ts';
import { warningsOf } from './plan/warnings.ts';
import { kubectlDelete, requestIdentity, requestLine } from './requests.ts';
import { endsOf, type Run, type Stage, USER } from './run.ts';

export interface Baseline {
  readonly ends: Ends;
  readonly refused: ReadonlySet<string>;
  /** Ends after handlers have acted; computed on demand. */
  handled(): Sliced<Ends>;
  released(): Sliced<Ends>;
}

export interface ForecastInput {
  readonly stage: Stage;
  readonly performed: Action;
  readonly run: Run;
  readonly baseline: Baseline | undefined;
  /** A deletion that a running collector would have finished. */
  readonly overdue: KubeObject | undefined;
  readonly mostOrders: number;
  readonly effectsOnly: boolean;
}

export interface BuiltForecast {
  readonly forecast: Forecast;
  /** Ends after handlers have acted, or everything held was released; undefined if neither changes anything. */
  readonly reached: Ends | undefined;
}

export function* buildForecast(input: ForecastInput): Sliced<BuiltForecast> {
  const { stage, performed, run: going, baseline: calm, overdue, mostOrders, effectsOnly } = input;
  const { view, base } = stage;
  const baseline = calm?.ends;
  let run = going;
  const ends = endsOf(stage, run);
  const anyway = sameAs(baseline, ends);
  const heldAnyway = heldIn(baseline, base);
  let refusals = refusalsIn(run.log, run.store);
  const state = {
    refusals: () => refusals,
    view,
    store: run.store,
    discovery: run.discovery,
    handlerOf: stage.handlers && handlersAfter(stage.handlers, run.store, view),
  };
  // Read everything from the run before handlers continue it.
  const log = run.log.slice();
  const atRest = [...stillDeleting(stage, ends)];
  yield;
  const gone = deletedObjects(ends, log, anyway);
  const held = yield* terminatingObjects(state, atRest, heldAnyway);
  yield;
  const allRefused = refusedRequests(refusals, calm?.refused ?? new Set());
  const news = recreatedObjects(ends, uid => run.store.byUid(uid), baseline);
  yield;
  const nodes = nodeStory({ stage, performed, run, ends, recreated: news });
  const { recreated } = nodes;
  const alarms = [...nodes.alarms, ...forcedPods(stage, run, ends)];
  yield;
  const assumptions = effectsOnly ? [] : yield* serverAssumptions(stage, performed, run, ends);
  const webhooksLeft = effectsOnly ? [] : webhooksLeftBehind(stage, run, ends);
  const acted = run.end === 'limit' ? undefined : yield* letHandled(stage, run);
  const handled = acted?.ends;
  refusals = refusalsIn(run.log, run.store);
  const calmly = handled && calm && (yield* calm.handled());
  const heldThen =
    handled === undefined
      ? []
      : yield* terminatingObjects(state, stillDeleting(stage, handled), heldIn(calmly, base));
  yield;
  // After a release, only deletions are reported.
  run = { ...run, log: run.log.slice(), uncertain: run.uncertain.slice(), doubts: new Map(run.doubts) };
  const isHeld = held.some(({ anyway, object }) => !anyway || isTarget(performed, object.uid));
  const released =
    effectsOnly || run.end === 'limit' || !isHeld
      ? undefined
      : yield* doomedObjects(stage, performed, { going, ends, calm });
  yield;
  const contested = yield* contestedObjects(stage, performed, ends);
  if (handled !== undefined)
    for (const uid of yield* contestedObjects(stage, performed, handled)) contested.add(uid);
  const dependsOnStart = stage.fresh && ends.size > 0;
  const explored =
    (contested.size > 0 || dependsOnStart) && Math.max(ends.size, handled?.size ?? 0) <= LARGEST_CONTEST;
  const tried = explored
    ? yield* tryOrders(stage, performed, {
        first: ends,
        handled,
        released: released?.ends,
        handlerOf: state.handlerOf,
        contested: contested.size > 0,
        most: mostOrders,
      })
    : undefined;
  const doubted = run.doubts.size > 0 && ends.size <= LARGEST_CONTEST && !effectsOnly;
  const doubtful = doubted
    ? yield* dependentOnAdmission(stage, performed, { ends, handled })
    : new Set<Uid>();
  yield;
  const timing = timingOf(stage, run, tried);
  const uncertain = uidsOf(timing.filter(({ ifHandled }) => !ifHandled));
  const uncertainThen = uidsOf(timing);
  const deleted = without(gone, uncertain);
  const terminating = without(held, uncertain);
  const timingDependent = timing.map(each => ({
    ...each,
    handlers: each.ifHandled
      ? []
      : (held.find(({ object }) => object.uid === each.object.uid)?.handlers ?? []),
  }));
  const changed = without(changedObjects(ends, anyway), uncertain);
  const refused = without(allRefused, uncertain);
  const doomed = without(
    without(released?.objects ?? [], uncertainThen),
    tried?.differingThen ?? new Set<Uid>(),
  );
  const plan = {
    ...describe(view, performed),
    deleted,
    terminating,
    changed,
    doomed,
    refused,
    recreated,
    timingDependent,
    flapping: run.flapping
      .map(({ owner, child, because }) => ({ object: identityOfObject(owner), kind: child, because }))
      .sort(byIdentity),
    ordersTried: tried?.orders ?? 0,
    dependsOnAdmission: Array.from(doubtful, uid => base.byUid(uid))
      .flatMap(object => (object === undefined ? [] : identityOfObject(object)))
      .sort(compareIdentity),
  };
  yield;
  const warnings = [
    ...nodes.warnings,
    ...collectorWaits(stage),
    ...assumptions,
    ...warningsOf({
      stage,
      run: { ...run, log },
      ends,
      plan,
      contested: dependsOnStart && tried === undefined ? ends.size : contested.size,
      overdue,
      effectsOnly,
    }),
  ];
  yield;
  const result = {
    performed,
    run,
    ends,
    tried,
    anyway,
    heldAnyway,
    refused,
    terminating: atRest,
  };
  const outcome = outcomeOf(result, handled);
  let ifHandled: Forecast['ifHandled'];
  if (handled !== undefined) {
    const alike = sameAs(calmly, handled);
    ifHandled = {
      deleted: without(deletedObjects(handled, run.log, alike), uncertainThen),
      terminating: without(heldThen, uncertainThen),
      changed: without(changedObjects(handled, alike), uncertainThen),
    };
  }
  yield;
  let steps: ReturnType<typeof stepsOf> | undefined;
  const forecast: Forecast = {
    ...plan,
    outcome,
    ifHandled,
    untouched:
      performed.verb === 'delete'
        ? untouched(stage, performed.targets, released?.ends ?? handled ?? ends, uncertainThen)
        : [],
    start: stage.now,
    nodes: nodes.effects,
    alarms: [
      ...webhooksLeft,
      ...handlersFirst(stage, performed, [...terminating, ...(ifHandled?.terminating ?? [])]),
      ...alarms,
    ],
    steps: () => {
      steps ??= stepsOf(log);
      return steps;
    },
    warnings: [...(acted?.warnings ?? []), ...warnings],
  };
  return { forecast, reached: released?.ends ?? handled };
}

function isTarget(action: Action, uid: Uid): boolean {
  return action.verb === 'delete' && action.targets.some(each => each.uid === uid);
}

function uidsOf(list: readonly { readonly object: Identity }[]): ReadonlySet<Uid> {
  return new Set(list.map(({ object }) => object.uid));
}

function without<T extends { readonly object: Identity }>(
  list: readonly T[],
  uids: ReadonlySet<Uid>,
): readonly T[] {
  return uids.size === 0 ? list : list.filter(({ object }) => !uids.has(object.uid));
}

function sameAs(baseline: Ends | undefined, ends: Ends): Anyway {
  return uid => {
    const without = baseline?.get(uid);
    const end = ends.get(uid);
    if (baseline === undefined) return false;
    return without === undefined
      ? end === undefined
      : end !== undefined && endOf(without).words === endOf(end).words;
  };
}

/** Checks if it would be deleting at the end without the action, even if altered meanwhile. */
function heldIn(baseline: Ends | undefined, base: Stage['base']): Anyway {
  return uid => {
    if (baseline === undefined) return false;
    const without = baseline.get(uid);
    const after = without === undefined ? base.byUid(uid) : without.after;
    return after?.deletionTimestamp !== undefined;
  };
}

function describe({ catalog }: ClusterView, action: Action): Pick<Forecast, 'action' | 'kubectl'> {
  const { verb } = action;
  if (verb === 'restart' || verb === 'none') return { action: { verb, targets: [] }, kubectl: [] };
  const targets = (verb === 'unblock' ? unblocked(action) : action.targets).map(identityOfObject);
  switch (verb) {
    case 'delete':
      return { action: { verb, cascade: action.cascade, targets }, kubectl: kubectlDelete(catalog, action) };
    case 'unblock':
      return { action: { verb, remedy: action.remedy.id, targets }, kubectl: action.remedy.kubectl };
    case 'taint':
      return {
        action: { verb, taint: action.taint, targets },
        kubectl: kubectlTaint(action.targets, action.taint),
      };
  }
}

function timingOf(
  stage: Stage,
  run: Run,
  tried: Tried | undefined,
): readonly Omit<TimingDependentObject, 'handlers'>[] {
  const found = new Map<Uid, Omit<TimingDependentObject, 'handlers'>>();
  const add = (uid: Uid, outcomes: readonly PossibleEnd[], ifHandled: boolean): void => {
    const before = stage.base.byUid(uid);
    if (before === undefined || found.has(uid)) return;
    const order = tried?.byStart.has(uid)
      ? 'whether its controllers or the collector are the first at work after the start decides, and whether the collector knows of everything by then'
      : `the order in which the collector works decides: ${reachedFrom(before)}`;
    found.set(uid, {
      object: identityOfObject(before),
      ifHandled,
      outcomes: outcomes.toSorted((a, b) => compareBytes(a.words, b.words)),
      because: ifHandled ? `where handlers do their work, ${order}` : order,
    });
  };
  for (const [uid, outcomes] of tried?.differing ?? []) add(uid, outcomes, false);
  for (const [uid, outcomes] of tried?.handled.differing ?? []) add(uid, outcomes, true);
  for (const { objects, outcomes, because } of run.uncertain) {
    for (const object of objects) {
      if (stage.base.byUid(object.uid) === undefined || found.has(object.uid)) continue;
      found.set(object.uid, {
        object: identityOfObject(object),
        ifHandled: false,
        outcomes: outcomes.map(end => ({ end, words: end })),
        because,
      });
    }
  }
  return [...found.values()].sort(byIdentity);
}

function reachedFrom(object: KubeObject): string {
  const owners = [...new Set(object.owners.map(asShown).map(({ kind, name }) => `${kind} ${name}`))];
  if (owners.length === 0) return 'requests follow each other faster than it does';
  return owners.length === 1
    ? `its owner ${owners[0] ?? ''} is dealt with at the same time`
    : `its owners ${owners.join(', ')} are dealt with at the same time`;
}

interface Result {
  readonly performed: Action;
  readonly run: Run;
  readonly ends: Ends;
  readonly tried: Tried | undefined;
  readonly anyway: Anyway;
  readonly heldAnyway: Anyway;
  readonly refused: readonly RefusedRequest[];
  readonly terminating: readonly KubeObject[];
}

/** Returns the worst outcome of all orders. `handled`: ends of the first order after handlers have acted. */
function outcomeOf(
  { performed, run, ends, tried, anyway, heldAnyway, refused, terminating }: Result,
  handled: Ends | undefined,
): Outcome {
  const { answers } = run;
  if (answers.length > 0 && answers.every(({ ok }) => !ok)) return 'Refused';
  if (run.end === 'limit') return 'Stuck';
  if (refused.some(each => !each.anyway)) return 'Stuck';
  const targets = new Set<Uid>();
  if (performed.verb === 'delete') for (const { uid } of performed.targets) targets.add(uid);
  if (performed.verb === 'unblock')
    for (const { uid, deletionTimestamp } of unblocked(performed))
      if (deletionTimestamp !== undefined) targets.add(uid);
  // A restart isn't blamed for what is stuck without it.
  const watching = performed.verb === 'none';
  const isStuck = (uid: Uid, before: KubeObject | undefined): boolean =>
    targets.has(uid) || watching || (before?.deletionTimestamp === undefined && !heldAnyway(uid));
  const stuck = new Set<Uid>();
  for (const { uid } of terminating) if (isStuck(uid, ends.get(uid)?.before)) stuck.add(uid);
  // No handler was tried on objects stuck only in another order.
  for (const other of tried?.ends ?? [])
    for (const [uid, { before, after }] of other)
      if (after?.deletionTimestamp !== undefined && isStuck(uid, before) && !stuck.has(uid)) return 'Stuck';
  if (stuck.size > 0) {
    const all = handled === undefined ? [] : [handled, ...(tried?.handled.ends ?? [])];
    return all.length > 0 && all.every(each => isOver(each, stuck, isStuck)) ? 'Depends' : 'Stuck';
  }
  for (const [uid, end] of ends) {
    if (end.before === undefined || (!isKept(end) && !anyway(uid))) return 'Completes';
  }
  const asks = performed.verb === 'unblock' || performed.verb === 'taint';
  return asks && answers.some(({ ok }) => ok) ? 'Completes' : 'NoChange';
}

/** Checks that nothing stuck remains, including objects whose deletion began later. */
function isOver(
  handled: Ends,
  stuck: ReadonlySet<Uid>,
  isStuck: (uid: Uid, before: KubeObject | undefined) => boolean,
): boolean {
  for (const uid of stuck) {
    const end = handled.get(uid);
    if (end === undefined || end.after !== undefined) return false;
  }
  for (const [uid, { before, after }] of handled)
    if (after?.deletionTimestamp !== undefined && isStuck(uid, before)) return false;
  return true;
}

function untouched(
  stage: Stage,
  targets: readonly KubeObject[],
  ends: Ends,
  uncertain: ReadonlySet<Uid>,
): readonly Identity[] {
  const found: Identity[] = [];
  const seen = new Set<Uid>(targets.map(({ uid }) => uid));
  const open = [...seen];
  for (let uid = open.pop(); uid !== undefined; uid = open.pop()) {
    for (const object of stage.base.ownedBy(uid)) {
      if (seen.has(object.uid)) continue;
      seen.add(object.uid);
      open.push(object.uid);
      const end = ends.get(object.uid);
      const same = end === undefined || isKept(end);
      const deleting = object.deletionTimestamp !== undefined;
      if (same && !deleting && !uncertain.has(object.uid)) found.push(identityOfObject(object));
    }
  }
  return found.sort(compareIdentity);
}

/** Lists steps by time, numbered from 1, without status writes. */
function stepsOf(log: readonly LoggedRequest[]): readonly PlanStep[] {
  const steps: PlanStep[] = [];
  for (const request of log) {
    if (!matters(request)) continue;
    const { at, actor, verb, status, because } = request;
    steps.push({
      n: steps.length + 1,
      at,
      actor,
      verb,
      object: requestIdentity(request),
      request: requestLine(request),
      status,
      because: because ?? '',
    });
  }
  return steps;
}

function matters({ actor, verb, before, after }: LoggedRequest): boolean {
  if (actor === USER) return true;
  if (verb === 'deletecollection') return false;
  if (before === undefined) return after !== undefined;
  if (after === undefined) return true;
  return (
    before.deletionTimestamp !== after.deletionTimestamp ||
    before.finalizers !== after.finalizers ||
    before.owners !== after.owners ||
    specFinalizers(before) !== specFinalizers(after)
  );
}

function specFinalizers({ facts }: KubeObject): number {
  return facts?.kind === 'Namespace' ? facts.specFinalizers.length : 0;
}
