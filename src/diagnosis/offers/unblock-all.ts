/**
 * Unblocks objects and everything they wait for, in one run. The steps begin with the objects that decide; each is the
 * safest remedy that frees its object. Forecasts choose them, so an object that is then deleted by itself gets none.
 */
import {
  type ApplicableRemedy,
  type Forecast,
  type Forecaster,
  type Hold,
  holdsOf,
  leadsOn,
  requestWords,
} from '../../forecast/index.ts';
import { type ClusterView, isDeleting } from '../../graph/index.ts';
import {
  ActRequest,
  counted,
  formatCount,
  getOrInsert,
  KubeObject,
  list,
  ORPHAN_FINALIZER,
  objectTitle,
  record,
  text,
  type Uid,
} from '../../model/index.ts';
import type { Diagnosis } from '../engine/diagnosis.ts';
import { bySafety, isApplicable, worstRisk } from '../engine/finding.ts';
import { worldOf } from '../engine/live-holds.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { handlerOn } from '../finalizers/on-object.ts';
import { genericRemedies } from '../remedies/generic.ts';
import { MOST, UNBLOCK_ALL } from '../remedies/many/extent.ts';
import { removeSeveral } from '../remedies/many/finalizers.ts';
import { inTurn } from '../remedies/remedy-requests.ts';
import { riskAsForetold } from '../remedies/taken-along.ts';
import { createHandledForecaster } from '../waits/aftermath.ts';
import { isInUse } from '../waits/protections.ts';
import { waitsOf } from '../waits/wait.ts';

/** Returns undefined if no remedy frees any of the deletions that the objects wait for. */
export function unblockAll(
  diagnosis: Diagnosis,
  objects: readonly KubeObject[],
): ApplicableRemedy | undefined {
  const { tracked } = diagnosis;
  const waiting = new Waiting(
    tracked,
    objects.flatMap(each => deletionsOf(tracked, each)),
  );
  const { steps, left } = new Planner(diagnosis, waiting).plan();
  if (steps.length === 0) return undefined;
  const total = waiting.objects.length;
  const rest =
    left === 0
      ? ''
      : `; ${formatCount(left)} of ${counted(total, 'deletion')} ${left === 1 ? 'stays' : 'stay'} stuck`;
  return composed(
    `${leadOf(objects)}, deciding objects first, in ${counted(steps.length, 'step')}${rest}`,
    steps,
  );
}

function leadOf(objects: readonly KubeObject[]): string {
  const [only, ...others] = objects;
  if (only === undefined || others.length > 0)
    return 'unblock the chosen objects and everything they wait for';
  if (isDeleting(only)) return `unblock ${objectTitle(only)} and everything it waits for`;
  const where = only.facts?.kind === 'Namespace' ? 'in' : 'below';
  return `unblock everything that is being deleted ${where} ${objectTitle(only)}`;
}

function composed(title: string, steps: readonly ApplicableRemedy[]): ApplicableRemedy {
  const risk = worstRisk(steps.map(each => each.risk));
  return {
    ...inTurn({ id: UNBLOCK_ALL, title, risk }, steps),
    steps: steps.map(each => ({ title: each.title, risk: each.risk, requests: each.requests })),
  };
}

/** Lists the deletions in a namespace and its own; otherwise the object's own or, if it stays, those below it. */
function deletionsOf(tracked: TrackedView, object: KubeObject): readonly KubeObject[] {
  if (object.facts?.kind === 'Namespace') {
    const content = [...tracked.contents(object.name)].filter(isDeleting);
    return isDeleting(object) ? [object, ...content] : content;
  }
  if (isDeleting(object)) return [object];
  const found = new Set([object]);
  for (const each of found) {
    const node = tracked.node(each.uid);
    for (const dependent of node === undefined ? [] : tracked.dependents(node)) found.add(dependent);
  }
  return [...found].filter(isDeleting);
}

/** Deletions and those that they wait for, the ones that decide first. */
class Waiting {
  /** The deletions that each one waits for. */
  readonly below = new Map<KubeObject, readonly KubeObject[]>();
  /** Each object follows those that it waits for, except in a cycle. */
  readonly objects: readonly KubeObject[];

  constructor(tracked: TrackedView, first: readonly KubeObject[]) {
    const done = new Set<KubeObject>();
    const open = first.toReversed();
    for (let object = open.at(-1); object !== undefined; object = open.at(-1)) {
      const known = this.below.get(object);
      const below = known ?? awaited(tracked, object).filter(isDeleting);
      this.below.set(object, below);
      if (known === undefined) open.push(...below.filter(each => !this.below.has(each)).toReversed());
      else {
        open.pop();
        done.add(object);
      }
    }
    this.objects = [...done];
  }
}

function awaited(tracked: TrackedView, object: KubeObject): readonly KubeObject[] {
  return holdsOf(worldOf(tracked), object).flatMap(hold => {
    if (leadsOn(hold)) return hold.object;
    if (hold.by !== 'finalizer') return [];
    const waits = waitsOf(tracked, object, handlerOn(tracked, object, hold.finalizer));
    return waits.flatMap(({ on, isMissing }) => (on instanceof KubeObject && !isMissing ? on : []));
  });
}

/** Lets handlers act, and tries one order of work; the forecast before the question also tries others. */
export function planningForecaster(view: ClusterView, now: number): Forecaster {
  return createHandledForecaster(view, { now, scope: 'action', effectsOnly: true, mostOrders: 0 });
}

/** Maximum number of forecasts for one plan; another run continues with the rest. */
const MOST_TRIES = 100;

interface Tried {
  readonly forecast: Forecast;
  readonly freed: ReadonlySet<Uid>;
}

class Planner {
  readonly #diagnosis: Diagnosis;
  readonly #waiting: Waiting;
  readonly #forecaster: Forecaster;
  readonly #paths: ReadonlySet<string>;
  readonly #steps = new Map<KubeObject, ApplicableRemedy>();
  /** Ids of remedies that don't free the object. */
  readonly #failed = new Map<KubeObject, Set<string>>();
  readonly #offered = new Map<KubeObject, readonly ApplicableRemedy[]>();
  #tries = 0;

  constructor(diagnosis: Diagnosis, waiting: Waiting) {
    const { view, now } = diagnosis.tracked;
    this.#diagnosis = diagnosis;
    this.#waiting = waiting;
    this.#paths = new Set(waiting.objects.map(requestWords.objectPath));
    this.#forecaster = planningForecaster(view, now);
  }

  /** `left`: the number of deletions that no step frees. */
  plan(): { readonly steps: readonly ApplicableRemedy[]; readonly left: number } {
    const { objects } = this.#waiting;
    if (objects.length === 0) return { steps: [], left: 0 };
    let reached = this.#try([]);
    while (this.#tries < MOST_TRIES) {
      const chosen = this.#choose(reached);
      if (chosen.size === 0) break;
      reached = this.#take(chosen) ?? reached;
    }
    const left = objects.filter(({ uid }) => !reached.freed.has(uid)).length;
    return { steps: objects.flatMap(each => this.#steps.get(each) ?? []), left };
  }

  /**
   * Chooses the next remedy for each stuck object that waits for no other stuck object. If there is none, as in a
   * cycle, chooses it for the first stuck object.
   */
  #choose(reached: Tried): ReadonlyMap<KubeObject, ApplicableRemedy> {
    const ready = new Map<KubeObject, ApplicableRemedy>();
    const others = new Map<KubeObject, ApplicableRemedy>();
    for (const object of this.#waiting.objects) {
      if (this.#steps.size + ready.size >= MOST) break;
      if (reached.freed.has(object.uid) || this.#steps.has(object)) continue;
      const isReady = this.#waiting.below.get(object)?.every(({ uid }) => reached.freed.has(uid)) === true;
      if (!isReady && (others.size > 0 || ready.size > 0)) continue;
      const tried = this.#failed.get(object);
      const next = this.#remediesOf(object, reached).find(({ id }) => tried?.has(id) !== true);
      if (next !== undefined) (isReady ? ready : others).set(object, next);
    }
    return ready.size > 0 ? ready : others;
  }

  /** Adds the steps that free their objects, and remembers that the others failed. */
  #take(chosen: ReadonlyMap<KubeObject, ApplicableRemedy>): Tried | undefined {
    const all = this.#try([...chosen.values()]);
    const freeing = [...chosen].filter(([{ uid }]) => all.freed.has(uid));
    for (const [object, { id }] of chosen)
      if (!all.freed.has(object.uid)) getOrInsert(this.#failed, object, () => new Set()).add(id);
    if (freeing.length === 0) return undefined;
    const reached = freeing.length === chosen.size ? all : this.#try(freeing.map(([, remedy]) => remedy));
    for (const [object, remedy] of freeing) {
      const risk = riskAsForetold(this.#forecaster.view, reached.forecast, remedy);
      this.#steps.set(object, { ...remedy, risk });
    }
    return reached;
  }

  #try(more: readonly ApplicableRemedy[]): Tried {
    this.#tries += 1;
    const { objects } = this.#waiting;
    const remedy = composed('', [...this.#steps.values(), ...more]);
    const [target] = objects;
    if (target === undefined) throw new Error('nothing is being deleted');
    const forecast = this.#forecaster.forecast({ verb: 'unblock', target, remedy, among: objects });
    return { forecast, freed: freedBy(forecast) };
  }

  /** Lists remedies that delete only what is already being deleted: the safest first, then by number of requests. */
  #remediesOf(object: KubeObject, { forecast }: Tried): readonly ApplicableRemedy[] {
    const { tracked } = this.#diagnosis;
    const held = expectedEnd(forecast).terminating.find(each => each.object.uid === object.uid);
    const offered = getOrInsert(this.#offered, object, () => [
      ...this.#diagnosis.of(object.uid).flatMap(finding => finding.remedies().filter(isApplicable)),
      ...genericRemedies(tracked, object),
    ]);
    const all = [...offered, ...removeSeveral(tracked, object, held?.finalizers ?? [])];
    const isFirst = ({ id }: ApplicableRemedy, at: number): boolean =>
      at === all.findIndex(each => each.id === id);
    const fewest = all
      .filter(isFirst)
      .filter(each => this.#deletesNothingElse(each))
      .filter(each => !removesProtection(tracked, object, each))
      .sort((a, b) => a.requests.length - b.requests.length);
    return bySafety(fewest);
  }

  #deletesNothingElse({ requests }: ApplicableRemedy): boolean {
    return requests.every(
      ({ verb, path }) =>
        this.#paths.has(path) || (verb !== 'DELETE' && verb !== 'POST' && !this.#mayEvict(path)),
    );
  }

  /** Checks for a Node with live pods: a taint deletes those too. */
  #mayEvict(path: string): boolean {
    const { view } = this.#diagnosis.tracked;
    const place = ActRequest.placeOf(path);
    if (place?.group !== '' || place.resource !== 'nodes') return false;
    const pods = view.catalog.resolveKind('v1', 'Pod');
    return (
      pods === undefined ||
      !view.seesAll(pods) ||
      [...view.podsOn(place.name)].some(each => !isDeleting(each))
    );
  }
}

function protectsUse(tracked: TrackedView, object: KubeObject, hold: Hold): boolean {
  if (leadsOn(hold)) return hold.by !== 'dependent' && !isDeleting(hold.object);
  if (hold.by === 'unseenClaim')
    return !tracked.seesAt(tracked.type('v1', 'PersistentVolumeClaim'), hold.namespace, hold.name);
  return hold.by === 'finalizer' && isInUse(tracked, object, hold.finalizer);
}

/** Checks if the remedy removes a finalizer that protects what a live object uses, such as a claim of a pod. */
function removesProtection(
  tracked: TrackedView,
  object: KubeObject,
  { requests }: ApplicableRemedy,
): boolean {
  const protecting = new Set<unknown>();
  for (const hold of holdsOf(worldOf(tracked), object))
    if (protectsUse(tracked, object, hold)) protecting.add(hold.finalizer);
  if (isToKeepDependents(tracked, object)) protecting.add(ORPHAN_FINALIZER);
  return requests.some(({ verb, path: of, body }) =>
    verb === 'DELETE'
      ? of === requestWords.objectPath(object) &&
        protecting.has(ORPHAN_FINALIZER) &&
        record(body)['propagationPolicy'] !== 'Orphan'
      : list(body).some(each => {
          const { path, value } = record(each);
          return text(path).startsWith('/metadata/finalizers/') && protecting.has(value);
        }),
  );
}

/** Checks for a deletion that is to keep live dependents, which are deleted if it ends before it has orphaned them. */
function isToKeepDependents(tracked: TrackedView, object: KubeObject): boolean {
  const node = object.finalizers.includes(ORPHAN_FINALIZER) ? tracked.node(object.uid) : undefined;
  return node !== undefined && [...tracked.dependents(node)].some(each => !isDeleting(each));
}

function expectedEnd(forecast: Forecast): Pick<Forecast, 'deleted' | 'terminating'> {
  return forecast.ifHandled ?? forecast;
}

/** Returns the objects deleted once all handlers that run or may run have acted. */
function freedBy(forecast: Forecast): ReadonlySet<Uid> {
  if (forecast.outcome === 'Refused') return new Set();
  const freed = new Set(expectedEnd(forecast).deleted.map(({ object }) => object.uid));
  for (const { object, outcomes } of forecast.timingDependent)
    if (outcomes.some(({ end }) => end !== 'deleted')) freed.delete(object.uid);
  return freed;
}
