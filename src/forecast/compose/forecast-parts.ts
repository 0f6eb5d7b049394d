/** Builds one action's forecast from its runs: several orders of work, and the run without the action. */

import { type ClusterView, compareBytes, type Identity, identityOfObject } from '../../graph/index.ts';
import { type KubeObject, Sliced, textEscapes, type Uid } from '../../model/index.ts';
import type { LoggedRequest } from '../../simulation/index.ts';
import { type Action, UnblockAction } from '../action.ts';
import { kubectlDrain } from '../drain-requests.ts';
import type { FinalizerHandler } from '../finalizer-handlers.ts';
import { drainEffects, drainTimeout } from '../nodes/drain-effects.ts';
import { type NodeStory, nodeStory } from '../nodes/node-effects.ts';
import { forcedPods } from '../nodes/run-twice.ts';
import { kubectlTaint } from '../out-of-service.ts';
import type {
  DeletedObject,
  DrainEffects,
  Forecast,
  HandledEnd,
  Outcome,
  PlanStep,
  PossibleEnd,
  RefusedRequest,
  TerminatingObject,
  TimingDependentObject,
  Warning,
} from '../plan/forecast-result.ts';
import { warningsOf } from '../plan/forecast-warnings.ts';
import { type Deciding, type Handled, handlersAfter, letHandled, stillDeleting } from '../plan/handled.ts';
import { handlersFirst } from '../plan/handlers-first.ts';
import { refusedRequests, webhooksLeftBehind } from '../plan/refused.ts';
import { type Doomed, doomedObjects } from '../plan/released.ts';
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
} from '../plan/run-ends.ts';
import { collectorWaits, serverAssumptions } from '../plan/server-assumptions.ts';
import { uninstallWarnings } from '../plan/uninstall-warnings.ts';
import type { EndState } from '../plan/waiting.ts';
import { kubectlDelete, requestIdentity, requestLine } from '../request-paths.ts';
import { refusalsIn } from '../run-admission.ts';
import { endsOf, type Run, type Stage, USER } from '../simulated-run.ts';
import { helmUninstall } from '../uninstall-requests.ts';
import { dependentOnAdmission } from './doubtful-admission.ts';
import { findEndless } from './endless.ts';
import { contestedObjects, isOnlyRequest, LARGEST_CONTEST, type Tried, tryOrders } from './orders.ts';

export interface Baseline {
  readonly ends: Ends;
  /** Deletions among them that may never end. */
  readonly endless: ReadonlySet<Uid>;
  readonly refused: ReadonlySet<string>;
  /** Requests that admission may refuse. */
  readonly doubts: Run['doubts'];
  /** Ends after handlers have acted; computed on demand. */
  handled(): Sliced<Ends>;
  deciding(): Sliced<Deciding>;
  released(): Sliced<Ends>;
  /** Objects whose end depends on the order of work; computed on demand. */
  orders(): Sliced<OrderDoubts>;
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
  /** Objects whose end depends on the order of work, if known already. */
  readonly orders?: OrderDoubts | undefined;
}

export interface BuiltForecast {
  readonly forecast: Forecast;
  /** Ends after handlers have acted, or everything held was released; undefined if neither changes anything. */
  readonly reached: Ends | undefined;
  /** Objects on which handlers depend. */
  readonly deciding: ReadonlySet<Uid>;
  readonly orders: OrderDoubts;
}

export function* buildForecast(input: ForecastInput): Sliced<BuiltForecast> {
  const rest = yield* describeRest(input);
  yield;
  const continued = yield* letOthersAct(input, rest);
  yield;
  const doubts = yield* findDoubts(input, rest, continued);
  yield;
  const forecast = yield* composeForecast(input, { rest, continued, doubts });
  return {
    forecast,
    reached: continued.released?.ends ?? continued.acted?.ends,
    deciding: continued.deciding,
    orders: doubts,
  };
}

/** The end of the first order, before handlers act. */
interface AtRest {
  readonly ends: Ends;
  readonly anyway: Anyway;
  readonly heldAnyway: Anyway;
  /** Requests until then. */
  readonly log: readonly LoggedRequest[];
  readonly deleting: readonly KubeObject[];
  readonly deleted: readonly DeletedObject[];
  readonly terminating: readonly TerminatingObject[];
  readonly refused: readonly RefusedRequest[];
  readonly nodes: NodeStory;
  readonly drain: DrainEffects | undefined;
  readonly alarms: readonly Warning[];
  readonly assumptions: readonly Warning[];
  readonly webhooksLeft: readonly Warning[];
}

/** Reads everything from the run before handlers continue it. */
function* describeRest({ stage, performed, run, baseline, effectsOnly }: ForecastInput): Sliced<AtRest> {
  const ends = endsOf(stage, run);
  const anyway = sameAs(baseline, baseline?.ends, ends);
  const heldAnyway = heldIn(baseline?.ends, stage.base);
  const state = endState(stage, run, effectsOnly && stage.handlers === undefined);
  const log = run.log.slice();
  const deleting = [...stillDeleting(stage, ends)];
  yield;
  const deleted = deletedObjects(ends, log, anyway);
  const terminating = yield* terminatingObjects(state, deleting, heldAnyway);
  yield;
  const refused = refusedRequests(state.refusals, baseline?.refused ?? new Set());
  const recreated = recreatedObjects(ends, uid => run.store.byUid(uid), baseline?.ends);
  yield;
  const nodes = nodeStory({ stage, performed, run, ends, recreated });
  const drain = drainEffects({ stage, performed, run, recreated });
  const forced = forcedPods(stage, run, ends);
  yield;
  const assumptions = effectsOnly ? [] : yield* serverAssumptions(stage, performed, run, ends);
  const webhooksLeft = effectsOnly ? [] : webhooksLeftBehind(stage, run, ends);
  const alarms = [...nodes.alarms, ...forced];
  return {
    ends,
    anyway,
    heldAnyway,
    log,
    deleting,
    deleted,
    terminating,
    refused,
    nodes,
    drain,
    alarms,
    assumptions,
    webhooksLeft,
  };
}

function endState(stage: Stage, run: Run, isFinal = false): EndState {
  const { view, handlers } = stage;
  const { store, discovery } = run;
  const handlerOf = handlers && handlersAfter(handlers, store, view);
  return { view, store, discovery, refusals: refusalsIn(run.log, store), handlerOf, isFinal };
}

/** The run continued by handlers, and then by releases of held objects. */
interface Continued {
  /** The run as handlers left it; after a release, only deletions are reported. */
  readonly settled: Run;
  /** Undefined if no handler has anything to do. */
  readonly acted: Handled | undefined;
  readonly ifHandled: HandledEnd | undefined;
  /** Checks if an object is still being deleted after handlers have acted without the action. */
  readonly heldThen: Anyway;
  readonly released: Doomed | undefined;
  readonly deciding: ReadonlySet<Uid>;
}

function* letOthersAct(input: ForecastInput, rest: AtRest): Sliced<Continued> {
  const { stage, performed, run, baseline, effectsOnly } = input;
  const deciding: Deciding = new Map();
  const acted = run.end === 'limit' ? undefined : yield* letHandled(stage, run, deciding);
  // The action may have left no handler to act.
  const isLost = rest.terminating.some(({ handlers }) => handlers.some(({ state }) => state === 'goesToo'));
  const calm = acted !== undefined || isLost ? baseline && (yield* baseline.handled()) : undefined;
  const heldThen = heldIn(calm, stage.base);
  let ifHandled: HandledEnd | undefined;
  if (acted !== undefined) {
    const alike = sameAs(baseline, calm, acted.ends);
    const deleting = stillDeleting(stage, acted.ends);
    ifHandled = {
      deleted: deletedObjects(acted.ends, run.log, alike),
      terminating: yield* terminatingObjects(endState(stage, run), deleting, heldThen),
      changed: changedObjects(acted.ends, alike),
    };
  }
  yield;
  const { log, uncertain, doubts } = run;
  const settled = { ...run, log: log.slice(), uncertain: uncertain.slice(), doubts: new Map(doubts) };
  const isHeld = rest.terminating.some(({ anyway, object }) => !anyway || isTarget(performed, object.uid));
  const released =
    effectsOnly || run.end === 'limit' || !isHeld
      ? undefined
      : yield* doomedObjects(stage, performed, { going: run, ends: rest.ends, calm: baseline });
  return { settled, acted, ifHandled, heldThen, released, deciding: new Set(deciding.keys()) };
}

/** Changes that another order of work would make. */
export interface OrderDoubts {
  /** Objects whose end another order could change. */
  readonly contested: number;
  readonly tried: Tried | undefined;
}

/** Changes that another order of work, or a refusal by admission, would make. */
interface Doubts extends OrderDoubts {
  readonly onAdmission: ReadonlySet<Uid>;
}

function* findDoubts(
  { stage, performed, mostOrders, effectsOnly, orders }: ForecastInput,
  { ends }: AtRest,
  { settled, acted, released }: Continued,
): Sliced<Doubts> {
  const handled = acted?.ends;
  const known =
    orders ??
    (yield* orderDoubts(stage, performed, {
      settled,
      ends,
      handled,
      released: released?.ends,
      most: mostOrders,
    }));
  const isDoubted = settled.doubts.size > 0 && ends.size <= LARGEST_CONTEST && !effectsOnly;
  const onAdmission = isDoubted
    ? yield* dependentOnAdmission(stage, performed, { ends, handled })
    : new Set<Uid>();
  return { ...known, onAdmission };
}

interface FirstOrder {
  readonly settled: Pick<Run, 'log' | 'store'>;
  readonly ends: Ends;
  readonly handled: Ends | undefined;
  readonly released: Ends | undefined;
  readonly most: number;
}

/** Compares the first order with others. */
export function* orderDoubts(
  stage: Stage,
  performed: Action,
  { settled, ends, handled, released, most }: FirstOrder,
): Sliced<OrderDoubts> {
  const contested = yield* contestedObjects(stage, performed, ends);
  if (handled !== undefined)
    for (const uid of yield* contestedObjects(stage, performed, handled)) contested.add(uid);
  else if (
    contested.size > 0 &&
    released === undefined &&
    (yield* isOnlyRequest(stage, performed, settled.log))
  )
    contested.clear();
  const dependsOnStart = stage.fresh && ends.size > 0;
  const explored =
    (contested.size > 0 || dependsOnStart) && Math.max(ends.size, handled?.size ?? 0) <= LARGEST_CONTEST;
  const tried = explored
    ? yield* tryOrders(stage, performed, {
        first: ends,
        handled,
        released,
        handlerOf: stage.handlers && handlersAfter(stage.handlers, settled.store, stage.view),
        contested: contested.size > 0,
        most,
      })
    : undefined;
  return { contested: dependsOnStart && tried === undefined ? ends.size : contested.size, tried };
}

interface Parts {
  readonly rest: AtRest;
  readonly continued: Continued;
  readonly doubts: Doubts;
}

function* composeForecast(input: ForecastInput, parts: Parts): Sliced<Forecast> {
  const { stage, performed, overdue, effectsOnly } = input;
  const { rest, continued, doubts } = parts;
  const { ends, log, nodes } = rest;
  const { settled, acted } = continued;
  const endless = findEndless(stage, settled, acted?.ends ?? ends);
  const timing = timingOf(stage, settled, { tried: doubts.tried, endless, ends, drain: rest.drain });
  const uncertainThen = uidsOf(timing);
  const plan = planOf(input, parts, timing);
  yield;
  const warnings = [
    ...(acted?.warnings ?? []),
    ...nodes.warnings,
    ...drainTimeout(stage, performed, rest.drain),
    ...(performed.verb === 'delete' ? uninstallWarnings(performed, plan.terminating) : []),
    ...collectorWaits(stage),
    ...rest.assumptions,
    ...warningsOf({
      stage,
      run: { ...settled, log },
      doubtsAnyway: input.baseline?.doubts,
      ends,
      plan,
      contested: doubts.contested,
      overdue,
      effectsOnly,
    }),
  ];
  yield;
  const outcome = outcomeOf(input, parts, plan);
  const ifHandled = continued.ifHandled && {
    deleted: without(continued.ifHandled.deleted, uncertainThen),
    terminating: without(continued.ifHandled.terminating, uncertainThen),
    changed: without(continued.ifHandled.changed, uncertainThen),
  };
  yield;
  const last = continued.released?.ends ?? acted?.ends ?? ends;
  let steps: readonly PlanStep[] | undefined;
  return {
    ...plan,
    outcome,
    ifHandled,
    untouched: performed.verb === 'delete' ? untouched(stage, performed.targets, last, uncertainThen) : [],
    start: stage.now,
    nodes: nodes.effects,
    alarms: [
      ...rest.webhooksLeft,
      ...handlersFirst(stage, performed, [
        ...plan.terminating.map(each => ({ ...each, anyway: continued.heldThen(each.object.uid) })),
        ...(ifHandled?.terminating ?? []),
      ]),
      ...rest.alarms,
    ],
    steps: () => (steps ??= Sliced.atOnce(stepsOf(log))),
    *stepsInSlices() {
      return (steps ??= yield* stepsOf(log));
    },
    warnings,
  };
}

/** Lists what happens, without objects whose end is uncertain. */
function planOf(
  { stage, performed }: ForecastInput,
  { rest, continued, doubts }: Parts,
  timing: readonly Omit<TimingDependentObject, 'handlers'>[],
) {
  const { tried } = doubts;
  const uncertain = uidsOf(timing.filter(({ ifHandled }) => !ifHandled));
  const doomed = without(continued.released?.objects ?? [], uidsOf(timing));
  const handlersOf = (uid: Uid): readonly FinalizerHandler[] =>
    rest.terminating.find(({ object }) => object.uid === uid)?.handlers ?? [];
  // The action is to blame for an object that it takes the handler from.
  const blamed = (each: TerminatingObject): TerminatingObject => {
    const isLost = each.anyway && each.handlers.some(({ state }) => state === 'goesToo');
    return isLost && !continued.heldThen(each.object.uid) ? { ...each, anyway: false } : each;
  };
  return {
    ...describe(stage.view, performed),
    deleted: without(rest.deleted, uncertain),
    terminating: without(rest.terminating, uncertain).map(blamed).sort(byIdentity),
    changed: without(changedObjects(rest.ends, rest.anyway), uncertain),
    doomed: without(doomed, tried?.differingThen ?? new Set<Uid>()),
    refused: without(rest.refused, uncertain),
    recreated: rest.nodes.recreated,
    drain: rest.drain,
    uninstall: performed.verb === 'delete' ? performed.uninstall : undefined,
    timingDependent: timing.map(each => ({
      ...each,
      handlers: each.ifHandled ? [] : handlersOf(each.object.uid),
    })),
    flapping: continued.settled.flapping
      .map(({ owner, child, because }) => ({ object: identityOfObject(owner), kind: child, because }))
      .sort(byIdentity),
    ordersTried: tried?.orders ?? 0,
    dependsOnAdmission: Array.from(doubts.onAdmission, uid => stage.base.byUid(uid))
      .flatMap(object => (object === undefined ? [] : identityOfObject(object)))
      .sort(compareIdentity),
  };
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

function sameAs(baseline: Baseline | undefined, calm: Ends | undefined, ends: Ends): Anyway {
  return uid => {
    const without = calm?.get(uid);
    const end = ends.get(uid);
    if (calm === undefined || baseline?.endless.has(uid) === true) return false;
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
  const targets = (verb === 'unblock' ? UnblockAction.objects(action) : action.targets).map(identityOfObject);
  switch (verb) {
    case 'delete':
      if (action.uninstall !== undefined) {
        const { release: name, namespace, revision } = action.uninstall;
        return {
          action: {
            verb: 'uninstall',
            cascade: action.cascade,
            release: { name, namespace, revision },
            targets,
          },
          kubectl: helmUninstall(action.uninstall),
        };
      }
      return { action: { verb, cascade: action.cascade, targets }, kubectl: kubectlDelete(catalog, action) };
    case 'unblock':
      return { action: { verb, remedy: action.remedy.id, targets }, kubectl: action.remedy.kubectl };
    case 'drain':
      return { action: { verb, targets }, kubectl: kubectlDrain(action) };
    case 'taint':
      return {
        action: { verb, taint: action.taint, targets },
        kubectl: kubectlTaint(action.targets, action.taint),
      };
  }
}

interface Uncertain {
  readonly tried: Tried | undefined;
  readonly endless: ReadonlyMap<Uid, string>;
  readonly ends: Ends;
  readonly drain: DrainEffects | undefined;
}

const endlessEnds: readonly PossibleEnd[] = [
  { end: 'deleted', words: 'deleted' },
  { end: 'stuck', words: 'stuck deleting' },
];

const contendedEnds: readonly PossibleEnd[] = [
  { end: 'deleted', words: 'deleted' },
  { end: 'kept', words: 'kept' },
];

function timingOf(
  stage: Stage,
  run: Run,
  { tried, endless, ends, drain }: Uncertain,
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
      anyway: tried?.elsewhere.has(uid) ?? false,
      mayNotEnd: false,
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
        anyway: false,
        mayNotEnd: false,
        outcomes: outcomes.map(end => ({ end, words: end })),
        because,
      });
    }
  }
  for (const { pod: object, isContended, because } of drain?.pods ?? [])
    if (isContended && !found.has(object.uid))
      found.set(object.uid, {
        object,
        ifHandled: false,
        anyway: false,
        mayNotEnd: false,
        outcomes: contendedEnds,
        because,
      });
  for (const [uid, because] of endless) {
    const before = stage.base.byUid(uid);
    if (before === undefined) continue;
    const ifHandled = !ends.has(uid) || ends.get(uid)?.after !== undefined;
    const object = identityOfObject(before);
    found.set(uid, { object, ifHandled, anyway: false, mayNotEnd: true, outcomes: endlessEnds, because });
  }
  return [...found.values()].sort(byIdentity);
}

function reachedFrom(object: KubeObject): string {
  const owners = [
    ...new Set(object.owners.map(textEscapes.asShown).map(({ kind, name }) => `${kind} ${name}`)),
  ];
  if (owners.length === 0) return 'requests follow each other faster than it does';
  return owners.length === 1
    ? `its owner ${owners[0] ?? ''} is dealt with at the same time`
    : `its owners ${owners.join(', ')} are dealt with at the same time`;
}

/** Returns the worst outcome of all orders. */
function outcomeOf(
  { stage, performed }: ForecastInput,
  { rest, continued, doubts: { tried } }: Parts,
  { refused, timingDependent }: Pick<Forecast, 'refused' | 'timingDependent'>,
): Outcome {
  const { ends, anyway, heldAnyway, deleting } = rest;
  const { settled: run } = continued;
  const handled = continued.acted?.ends;
  const { answers } = run;
  const { pods: drained = [], refusedNodes = [] } = rest.drain ?? {};
  if (performed.verb === 'drain' && refusedNodes.length === performed.targets.length) return 'Refused';
  if (refusedNodes.length > 0 || drained.some(({ fate }) => fate === 'Refused')) return 'Stuck';
  if (performed.verb === 'delete' && performed.uninstall?.stops !== undefined) return 'Refused';
  if (performed.verb !== 'drain' && answers.length > 0 && answers.every(({ ok }) => !ok)) return 'Refused';
  if (run.end === 'limit') return 'Stuck';
  if (refused.some(each => !each.anyway)) return 'Stuck';
  const targets = new Set<Uid>();
  if (performed.verb === 'delete') for (const { uid } of performed.targets) targets.add(uid);
  for (const { pod, fate } of drained) if (fate === 'Evicted') targets.add(pod.uid);
  if (performed.verb === 'unblock')
    for (const { uid, deletionTimestamp } of UnblockAction.objects(performed))
      if (deletionTimestamp !== undefined) targets.add(uid);
  // A restart isn't blamed for deletions that are stuck without it.
  const watching = performed.verb === 'none';
  const isStuck = (uid: Uid, before: KubeObject | undefined, isHeldAnyway = heldAnyway): boolean =>
    targets.has(uid) || watching || (before?.deletionTimestamp === undefined && !isHeldAnyway(uid));
  const isStuckThen: typeof isStuck = (uid, before) => isStuck(uid, before, continued.heldThen);
  const stuck = new Set<Uid>();
  for (const { uid } of deleting) if (isStuck(uid, ends.get(uid)?.before)) stuck.add(uid);
  // No handler was tried on objects stuck only in another order.
  for (const other of tried?.ends ?? [])
    for (const [uid, { before, after }] of other)
      if (after?.deletionTimestamp !== undefined && isStuck(uid, before) && !stuck.has(uid)) return 'Stuck';
  if (
    timingDependent.some(({ mayNotEnd, object: { uid } }) => mayNotEnd && isStuck(uid, stage.base.byUid(uid)))
  )
    return 'Stuck';
  if (stuck.size > 0) {
    const all = handled === undefined ? [] : [handled, ...(tried?.handled.ends ?? [])];
    return all.length > 0 && all.every(each => isOver(each, stuck, isStuckThen)) ? 'Depends' : 'Stuck';
  }
  if (drained.some(({ fate }) => fate === 'Waits')) return 'Depends';
  for (const [uid, end] of ends) {
    if (end.before === undefined || (!isKept(end) && !anyway(uid))) return 'Completes';
  }
  const asks = performed.verb === 'unblock' || performed.verb === 'taint' || performed.verb === 'drain';
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
function* stepsOf(log: readonly LoggedRequest[]): Sliced<readonly PlanStep[]> {
  const steps: PlanStep[] = [];
  yield* Sliced.each(log, request => {
    if (!matters(request)) return;
    const { at, actor, subresource, status, because, before, after } = request;
    const verb = subresource === 'eviction' ? 'evict' : request.verb;
    steps.push({
      n: steps.length + 1,
      at,
      actor,
      verb,
      object: requestIdentity(request),
      request: requestLine(request),
      status,
      because: because ?? '',
      before,
      after,
    });
  });
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
