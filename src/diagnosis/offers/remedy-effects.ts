/** Sums up a remedy's forecast in one phrase. */
import type {
  ApplicableRemedy,
  ChangedObject,
  Forecast,
  Forecaster,
  RecreatedObjects,
  TerminatingObject,
} from '../../forecast/index.ts';
import { type Identity, identityOfObject, isDeleting } from '../../graph/index.ts';
import {
  enumerated,
  FOREGROUND_FINALIZER,
  type KubeObject,
  ORPHAN_FINALIZER,
  Sliced,
  type Uid,
} from '../../model/index.ts';
import { specialStores } from '../../simulation/index.ts';
import { bySafety, isApplicable, type OfferedRemedy } from '../engine/finding.ts';
import { riskAsForetold, takenAlong } from '../remedies/taken-along.ts';
import { remediesForMany } from './remedies-for-many.ts';
import { planningForecaster } from './unblock-all.ts';

/** Maximum number of objects of each sort to name; the rest are counted. */
const NAMED = 4;

/** Returns each remedy with its effect and forecast risk, safest first; advice has no effect. */
function withEffects(
  forecaster: Forecaster,
  target: KubeObject,
  remedies: readonly OfferedRemedy[],
  among?: readonly KubeObject[],
): OfferedRemedy[] {
  return Sliced.atOnce(withEffectsInSlices(forecaster, target, remedies, among));
}

/** Like `withEffects`, in slices; the forecaster's view must not change in between. */
function* withEffectsInSlices(
  forecaster: Forecaster,
  target: KubeObject,
  remedies: readonly OfferedRemedy[],
  among?: readonly KubeObject[],
): Sliced<OfferedRemedy[]> {
  const foretold: OfferedRemedy[] = [];
  for (const remedy of remedies) {
    if (isApplicable(remedy)) {
      const { view, now } = forecaster;
      const by = remedy.steps === undefined ? forecaster : planningForecaster(view, now);
      const forecast = yield* by.forecastInSlices(remediesForMany.action(target, remedy, among));
      foretold.push(foretoldBy(forecaster, forecast, remedy));
    } else foretold.push(remedy);
  }
  return bySafety(foretold);
}

/** Returns the remedies that delete nothing unasked and let the target's deletion end, with their forecast risks. */
export function* freeingInSlices(
  forecaster: Forecaster,
  target: KubeObject,
  remedies: readonly ApplicableRemedy[],
): Sliced<ApplicableRemedy[]> {
  const freeing: ApplicableRemedy[] = [];
  for (const remedy of remedies) {
    const forecast = yield* forecaster.forecastInSlices(remediesForMany.action(target, remedy));
    const isHarmless =
      forecast.outcome !== 'Refused' && takenAlong(forecaster.view, forecast, remedy).length === 0;
    if (isHarmless && (!isDeleting(target) || frees(forecast, target)))
      freeing.push(foretoldBy(forecaster, forecast, remedy));
  }
  return freeing;
}

function frees({ deleted, timingDependent }: Forecast, { uid }: KubeObject): boolean {
  return (
    deleted.some(({ object, anyway }) => object.uid === uid && !anyway) &&
    timingDependent.every(({ object }) => object.uid !== uid)
  );
}

function foretoldBy({ view }: Forecaster, forecast: Forecast, remedy: ApplicableRemedy): ApplicableRemedy {
  return { ...remedy, risk: riskAsForetold(view, forecast, remedy), effect: remedyEffect(forecast) };
}

export interface OfferedFor {
  readonly target: KubeObject;
  readonly remedies: readonly OfferedRemedy[];
}

/** Returns each offer's remedies as `withEffects` does; equal requests that meet the same objects share a forecast. */
function* withSharedEffects(
  forecaster: Forecaster,
  offers: readonly OfferedFor[],
): Sliced<OfferedRemedy[][]> {
  const asked = offers.flatMap(({ target, remedies }) =>
    remedies.filter(isApplicable).map(remedy => ({ target, remedy })),
  );
  const foretold = new Map<OfferedRemedy, OfferedRemedy>();
  for (const alike of Map.groupBy(asked, ({ remedy }) => JSON.stringify(remedy.requests)).values()) {
    for (const { target, remedy } of alike) {
      if (foretold.has(remedy)) continue;
      const forecast = yield* forecaster.forecastInSlices(remediesForMany.action(target, remedy));
      for (const other of alike) {
        if (foretold.has(other.remedy) || !(yield* forecaster.meetAlike(target, other.target))) continue;
        const action = { ...forecast.action, targets: [identityOfObject(other.target)] };
        foretold.set(other.remedy, foretoldBy(forecaster, { ...forecast, action }, other.remedy));
      }
    }
  }
  return offers.map(({ remedies }) => bySafety(remedies.map(each => foretold.get(each) ?? each)));
}

/** Like `withEffectsInSlices`, but keeps the order, so that a raised risk changes no number. */
function* withEffectsInPlace(
  forecaster: Forecaster,
  target: KubeObject,
  remedies: readonly OfferedRemedy[],
  among?: readonly KubeObject[],
): Sliced<OfferedRemedy[]> {
  const foretold: OfferedRemedy[] = [];
  for (const each of remedies)
    foretold.push(...(yield* withEffectsInSlices(forecaster, target, [each], among)));
  return foretold;
}

const NOT_FORECAST = 'not forecast';

/** Like `withEffects`, but without forecasts. No remedy is called safe then, as it might delete other objects. */
function withoutEffects(remedies: readonly OfferedRemedy[]): OfferedRemedy[] {
  return bySafety(
    remedies.map(remedy =>
      isApplicable(remedy)
        ? { ...remedy, risk: remedy.risk === 'safe' ? 'caution' : remedy.risk, effect: NOT_FORECAST }
        : remedy,
    ),
  );
}

/**
 * Returns one phrase without a full stop that leaves out what happens anyway:
 * `web is deleted, and ControllerRevision web-6985bf7774 with it; Pod web-2 stays, held by example.com/drain`.
 */
export function remedyEffect(forecast: Forecast): string {
  const { action, outcome } = forecast;
  const [target] = action.targets;
  if (outcome === 'Refused') return refusedBecause(forecast);
  const names = new Names(target);
  const end = forecast.ifHandled ?? forecast;
  const altered = end.changed.filter(({ anyway }) => !anyway);
  const touched = new Set<Uid>(altered.map(({ object }) => object.uid));
  if (target !== undefined) touched.add(target.uid);
  const held = end.terminating.filter(({ object, anyway }) => !anyway || touched.has(object.uid));
  const heldUids = new Set(held.map(({ object }) => object.uid));
  const parts = [
    ...deletions(names, freed(forecast, end.deleted), target),
    ...holds(names, held),
    ...alterations(
      names,
      altered.filter(({ object }) => !heldUids.has(object.uid)),
    ),
    ...newOnes(names, forecast.recreated),
    ...uncertain(names, forecast.timingDependent),
  ];
  if (parts.length === 0) parts.push(asItWouldAnyway(forecast, target));
  if (forecast.ifHandled !== undefined)
    parts.push(`${parts.pop()}, once controllers have removed the finalizers that are theirs`);
  for (const warning of forecast.warnings)
    if (warning.code === 'ownsElsewhere')
      parts.push(`and what ${names.of(warning.object)} owns in other namespaces, which only -A reads`);
  for (const warning of forecast.warnings)
    if (warning.code === 'unseenContent')
      parts.push(
        `but ${target?.name === warning.namespace ? warning.namespace : `Namespace ${warning.namespace}`} stays if it holds something that cannot be seen`,
      );
  for (const warning of forecast.warnings)
    if (warning.code === 'dataKept')
      parts.push(`${enumerated(warning.volumes)} keeps its data, for the new ${names.list(warning.claims)}`);
    else if (warning.code === 'dataDeleted')
      parts.push(`the data on ${enumerated(warning.volumes)} is deleted too`);
  if (isAssumed(forecast)) parts.push('as far as can be seen from here');
  return parts.join('; ');
}

/** Returns true if unseen objects could change the outcome; the forecast's warning names them. */
function isAssumed({ warnings }: Forecast): boolean {
  return warnings.some(({ code }) => code === 'unseenKinds' || code === 'notListedYet');
}

/** Phrases a forecast in which the action changes nothing, but its target may be deleted anyway. */
function asItWouldAnyway({ deleted, ifHandled }: Forecast, target: Identity | undefined): string {
  const end = ifHandled?.deleted ?? deleted;
  const isDeleted = target !== undefined && end.some(({ object }) => object.uid === target.uid);
  if (!isDeleted) return 'nothing is deleted or changed';
  // Handlers may not act.
  return `${target.name} is deleted${ifHandled === undefined ? ', as it would be anyway' : ''}`;
}

class Names {
  readonly #target: Identity | undefined;

  constructor(target: Identity | undefined) {
    this.#target = target;
  }

  of({ kind, namespace, name, uid }: Identity): string {
    if (uid === this.#target?.uid) return name;
    const elsewhere = namespace !== '' && namespace !== this.#target?.namespace;
    return `${kind} ${elsewhere ? `${namespace}/` : ''}${name}`;
  }

  list(objects: readonly Identity[]): string {
    return enumerated(
      objects.map(each => this.of(each)),
      NAMED,
    );
  }
}

function refusedBecause({ warnings }: Forecast): string {
  const refused = warnings.find(({ code }) => code === 'refused');
  return `the API server refuses it${refused?.code === 'refused' ? `: ${refused.message}` : ''}`;
}

/** Lists deletions that the action causes, even if controllers may later release the same objects. */
function freed({ action, deleted, ifHandled }: Forecast, all: Forecast['deleted']): readonly Identity[] {
  const own = new Set(deleted.filter(({ anyway }) => !anyway).map(({ object }) => object.uid));
  const targets = new Set(
    own.size === 0 || ifHandled === undefined ? [] : action.targets.map(({ uid }) => uid),
  );
  return all
    .filter(({ object: { uid }, anyway }) => !anyway || own.has(uid) || targets.has(uid))
    .map(({ object }) => object);
}

function deletions(names: Names, objects: readonly Identity[], target: Identity | undefined): string[] {
  if (objects.length === 0) return [];
  const others = objects.filter(({ uid }) => uid !== target?.uid);
  if (others.length === objects.length)
    return [`${names.list(others)} ${others.length === 1 ? 'is' : 'are'} deleted`];
  const itself = target === undefined ? '' : `${target.name} is deleted`;
  return [others.length === 0 ? itself : `${itself}, and ${names.list(others)} with it`];
}

function holds(names: Names, held: readonly TerminatingObject[]): string[] {
  const parts = held.slice(0, NAMED).map(each => `${names.of(each.object)} stays, ${holdOf(each)}`);
  if (held.length > NAMED) parts.push(`${held.length - NAMED} more stay`);
  return parts;
}

/** Finalizers that are better explained by what their controllers wait for. */
const explainedByWaiting: ReadonlySet<string> = new Set([
  FOREGROUND_FINALIZER,
  ORPHAN_FINALIZER,
  specialStores.namespaceFinalizer,
  specialStores.crdFinalizer,
]);

function holdOf(held: TerminatingObject): string {
  const foreign = held.finalizers.filter(each => !explainedByWaiting.has(each));
  if (foreign.length > 0) return `held by ${enumerated(foreign)}`;
  const [first, ...more] = held.waitingFor;
  if (first === undefined) return 'held';
  return `waiting for ${first}${more.length === 0 ? '' : `, and for ${more.length} more`}`;
}

function alterations(names: Names, changed: readonly ChangedObject[]): string[] {
  const all = changed.flatMap(each =>
    Array.from(alterationsOf(each), words => ({ words, object: each.object })),
  );
  return [...Map.groupBy(all, ({ words }) => words)].map(([words, alike]) => {
    const [one = '', many = one] = words.split('|');
    const objects = alike.map(({ object }) => object);
    return `${names.list(objects)} ${objects.length === 1 ? one : many}`;
  });
}

/** Yields each phrase in singular and plural: `gets …|get …`. */
function* alterationsOf(change: ChangedObject): IterableIterator<string> {
  const { ownerReferencesRemoved: removed, ownerReferencesAdded: added, ownerReferencesLeft: left } = change;
  if (added.length > 0 && removed.length === 0 && left === added.length) yield 'gets an owner|get an owner';
  else if (added.length > 0) yield 'gets another owner|get another owner';
  else if (removed.length > 0 && left === 0) yield 'stays without an owner|stay without an owner';
  else if (removed.length > 0 && change.keepsRemovedOwner)
    yield 'loses a reference and keeps another reference to the same owner|lose a reference and keep another reference to the same owner';
  else if (removed.length > 0)
    yield 'loses a reference and keeps its other owners|lose a reference and keep their other owners';
  if (change.ownerReferencesUnblocked.length > 0) yield 'no longer blocks|no longer block';
  if (change.ownerReferencesAltered.length > 0) {
    yield 'stays, with its owner reference altered|stay, with their owner references altered';
  }
  if (change.finalizersAdded.length > 0) {
    const words = enumerated(change.finalizersAdded);
    yield `gets the finalizer ${words}|get the finalizer ${words}`;
  }
  if (change.finalizersRemoved.length > 0) {
    const words = enumerated(change.finalizersRemoved);
    yield `loses the finalizer ${words}|lose the finalizer ${words}`;
  }
}

function newOnes(names: Names, recreated: readonly RecreatedObjects[]): string[] {
  return recreated
    .filter(({ anyway }) => !anyway)
    .map(({ by, actor, kind, count }) => {
      const made = `${count} new ${kind}${count === 1 ? ' is created' : 's are created'}`;
      const creator = by === undefined ? actor : names.of(by);
      return creator === undefined ? made : `${made} by ${creator}`;
    });
}

function uncertain(names: Names, timing: readonly Forecast['timingDependent'][number][]): string[] {
  const alike = Map.groupBy(timing, ({ outcomes }) => outcomes.map(({ words }) => words).join(' or '));
  return [...alike].map(([ends, objects]) => {
    const named = names.list(objects.map(({ object }) => object));
    return `whether ${named} ${objects.length === 1 ? 'ends' : 'end'} ${ends} depends on timing`;
  });
}

export const remedyEffects = {
  added: withEffects,
  addedInPlace: withEffectsInPlace,
  addedInSlices: withEffectsInSlices,
  addedShared: withSharedEffects,
  removed: withoutEffects,
};
