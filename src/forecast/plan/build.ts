/**
 * One action's forecast, built from its runs: the first order of work, other orders where the order matters, and
 * what happens without the action. Apart from the forecaster, which knows what actions on one snapshot share.
 */
import type { ClusterView } from '../../graph/cluster-view.ts';
import { compareBytes, type Identity } from '../../graph/node.ts';
import { identityOfObject } from '../../graph/ownership-node.ts';
import type { KubeObject, Uid } from '../../model/object.ts';
import { asShown } from '../../model/text/shown.ts';
import type { LoggedRequest } from '../../simulation/api/types.ts';
import type { Action } from '../action.ts';
import { nodeStory } from '../nodes/effects.ts';
import { kubectlTaint } from '../nodes/out-of-service.ts';
import { forcedPods } from '../nodes/run-twice.ts';
import { contestedObjects, LARGEST_CONTEST, type Tried, tryOrders } from '../orders.ts';
import { kubectlDelete, requestIdentity, requestLine } from '../requests.ts';
import { endsOf, type Run, type Stage, USER } from '../run.ts';
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
} from './outcome.ts';
import type { Forecast, Outcome, PlanStep, TimingDependentObject } from './plan.ts';
import { warningsOf } from './warnings.ts';

/** What is known of one action once it has run. */
export interface ForecastInput {
  readonly stage: Stage;
  readonly performed: Action;
  /** In the order of scheduling. */
  readonly run: Run;
  /** What happens without the action; undefined where nothing does. */
  readonly baseline: Ends | undefined;
  /** A deletion that a running collector would have finished. */
  readonly overdue: KubeObject | undefined;
  /** At most so many other orders of work. */
  readonly mostOrders: number;
}

export function buildForecast(input: ForecastInput): Forecast {
  const { stage, performed, run, baseline, overdue, mostOrders } = input;
  const { view, base } = stage;
  const ends = endsOf(stage, run);
  const contested = contestedObjects(stage, performed, ends);
  const dependsOnStart = stage.fresh && ends.size > 0;
  const explored = (contested.size > 0 || dependsOnStart) && ends.size <= LARGEST_CONTEST;
  const tried = explored
    ? tryOrders(stage, performed, { first: ends, contested: contested.size > 0, most: mostOrders })
    : undefined;
  const anyway: Anyway = uid => {
    const without = baseline?.get(uid);
    const end = ends.get(uid);
    if (baseline === undefined) return false;
    return without === undefined
      ? end === undefined
      : end !== undefined && endOf(without).words === endOf(end).words;
  };
  /** Whether it would be deleting at the end, altered on the way or not. */
  const heldAnyway: Anyway = uid => {
    if (baseline === undefined) return false;
    const without = baseline.get(uid);
    const after = without === undefined ? base.byUid(uid) : without.after;
    return after?.deletionTimestamp !== undefined;
  };
  const timingDependent = timingOf(stage, run, tried);
  const uncertain = new Set(timingDependent.map(({ object }) => object.uid));
  const certain = <T extends { readonly object: Identity }>(list: readonly T[]): readonly T[] =>
    uncertain.size === 0 ? list : list.filter(({ object }) => !uncertain.has(object.uid));
  const state = { view, store: run.store, discovery: run.discovery };
  const deleted = certain(deletedObjects(ends, run.log, anyway));
  const terminating = certain(terminatingObjects(state, stillDeleting(stage, ends), heldAnyway));
  const changed = certain(changedObjects(ends, anyway));
  const news = recreatedObjects(ends, uid => run.store.byUid(uid), baseline);
  const nodes = nodeStory({ stage, performed, run, ends, recreated: news });
  const { recreated } = nodes;
  const alarms = [...nodes.alarms, ...forcedPods(stage, run, ends)];
  const outcome = outcomeOf({
    performed,
    run,
    ends,
    tried,
    anyway,
    heldAnyway,
    terminating: stillDeleting(stage, ends),
  });
  const plan = {
    ...describe(view, performed),
    outcome,
    deleted,
    terminating,
    changed,
    recreated,
    timingDependent,
    flapping: run.flapping
      .map(({ owner, child, because }) => ({ object: identityOfObject(owner), kind: child, because }))
      .sort(byIdentity),
    untouched: performed.verb === 'delete' ? untouched(stage, performed.targets, ends, uncertain) : [],
    ordersTried: tried?.orders ?? 0,
  };
  let steps: ReturnType<typeof stepsOf> | undefined;
  return {
    ...plan,
    start: stage.now,
    nodes: nodes.effects,
    alarms,
    steps: () => {
      steps ??= stepsOf(run.log);
      return steps;
    },
    warnings: [
      ...nodes.warnings,
      ...warningsOf({
        stage,
        run,
        ends,
        plan,
        contested: dependsOnStart && tried === undefined ? ends.size : contested.size,
        overdue,
      }),
    ],
  };
}

function describe({ catalog }: ClusterView, action: Action): Pick<Forecast, 'action' | 'kubectl'> {
  const { verb } = action;
  if (verb === 'restart' || verb === 'none') return { action: { verb, targets: [] }, kubectl: [] };
  const targets = (verb === 'unblock' ? [action.target] : action.targets).map(identityOfObject);
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

/** Objects of the snapshot and new ones that are being deleted at the end. */
function* stillDeleting(stage: Stage, ends: Ends): IterableIterator<KubeObject> {
  for (const object of stage.underWay) {
    if (object.deletionTimestamp !== undefined && !ends.has(object.uid)) yield object;
  }
  for (const { after } of ends.values()) if (after?.deletionTimestamp !== undefined) yield after;
}

function timingOf(stage: Stage, run: Run, tried: Tried | undefined): readonly TimingDependentObject[] {
  const found = new Map<Uid, TimingDependentObject>();
  for (const [uid, outcomes] of tried?.differing ?? []) {
    const before = stage.base.byUid(uid);
    if (before === undefined) continue;
    const because = tried?.byStart.has(uid)
      ? 'whether its controllers or the collector are the first at work after the start decides'
      : `the order in which the collector works decides: ${reachedFrom(before)}`;
    found.set(uid, {
      object: identityOfObject(before),
      outcomes: outcomes.toSorted((a, b) => compareBytes(a.words, b.words)),
      because,
    });
  }
  for (const { objects, outcomes, because } of run.uncertain) {
    for (const object of objects) {
      if (stage.base.byUid(object.uid) === undefined || found.has(object.uid)) continue;
      found.set(object.uid, {
        object: identityOfObject(object),
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
  readonly terminating: Iterable<KubeObject>;
}

/** The worst of all orders: what doesn't hold in each of them isn't claimed. */
function outcomeOf({ performed, run, ends, tried, anyway, heldAnyway, terminating }: Result): Outcome {
  const { answers } = run;
  if (answers.length > 0 && answers.every(({ ok }) => !ok)) return 'Refused';
  if (run.end === 'limit') return 'Stuck';
  const targets = new Set<Uid>();
  if (performed.verb === 'delete') for (const { uid } of performed.targets) targets.add(uid);
  if (performed.verb === 'unblock' && performed.target.deletionTimestamp !== undefined) {
    targets.add(performed.target.uid);
  }
  const watching = performed.verb === 'none' || performed.verb === 'restart';
  const isStuck = (uid: Uid, before: KubeObject | undefined): boolean =>
    targets.has(uid) || watching || (before?.deletionTimestamp === undefined && !heldAnyway(uid));
  for (const { uid } of terminating) if (isStuck(uid, ends.get(uid)?.before)) return 'Stuck';
  for (const other of tried?.ends ?? []) {
    for (const [uid, { before, after }] of other)
      if (after?.deletionTimestamp !== undefined && isStuck(uid, before)) return 'Stuck';
  }
  for (const [uid, end] of ends) {
    if (end.before === undefined || (!isKept(end) && !anyway(uid))) return 'Completes';
  }
  const asks = performed.verb === 'unblock' || performed.verb === 'taint';
  return asks && answers.some(({ ok }) => ok) ? 'Completes' : 'NoChange';
}

/** Everything below the targets that stays as it is. */
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

/** Sorted by time, numbered from 1. What only touches a status is left out. */
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
