import {
  type ClusterView,
  type GraphNode,
  type Identity,
  isDeleting,
  objectDeletion,
} from '../../graph/index.ts';
import {
  Connection,
  type KubeObject,
  type OwnerReference,
  ResourceType,
  type Uid,
} from '../../model/index.ts';
import type { EntryOutcome } from '../journal/journal-entry.ts';
import { type Expectation, type Left, uidsBelow } from '../prepare/expectations.ts';
import type { Comparison, Departure, Progress, RunPorts } from './run-ports.ts';

/** Objects expected to stay unchanged are listed only if they changed. */
export function comparisonsOf(
  expectations: readonly Expectation[],
  view: ClusterView,
): readonly Comparison[] {
  return expectations.flatMap(expectation => {
    const { promised: _, until: __, ...standing } = standingOf(expectation, view);
    if (expectation.end === 'kept' && standing.standing === 'asForecast') return [];
    const { end: expected } = expectation;
    if (expectation.end !== 'recreated') return { object: expectation.object, expected, ...standing };
    const { kind, count } = expectation;
    return { object: makerOf(expectation, view), expected, makes: { kind, count }, ...standing };
  });
}

interface Standing extends Pick<Comparison, 'standing' | 'actual'> {
  /** The forecast's words; for departures only. */
  readonly promised?: string;
  /** Like `Progress.pending`'s; for pending ones only. */
  readonly until?: number;
}

const asForecast: Standing = { standing: 'asForecast' };

function pending(actual: string, until?: number): Standing {
  return { standing: 'pending', actual, ...(until === undefined ? {} : { until }) };
}

function departed(promised: string, actual: string): Standing {
  return { standing: 'departed', promised, actual };
}

export function progressOf(expectations: readonly Expectation[], view: ClusterView): Progress {
  const waiting: Progress['pending'][number][] = [];
  const departures: Departure[] = [];
  let done = 0;
  let total = 0;
  for (const expectation of expectations) {
    const { standing, promised = '', actual = '', until } = standingOf(expectation, view);
    const object = expectation.end === 'recreated' ? makerOf(expectation, view) : expectation.object;
    // Objects that stay unchanged aren't counted.
    if (expectation.end !== 'kept') {
      total += 1;
      if (standing === 'asForecast') done += 1;
    }
    if (standing === 'pending')
      waiting.push({ object, state: actual, ...(until === undefined ? {} : { until }) });
    if (standing === 'departed') departures.push({ object, expected: promised, actual });
  }
  return { done, total, pending: waiting, departures };
}

function standingOf(expectation: Expectation, view: ClusterView): Standing {
  if (expectation.end === 'recreated') return recreated(expectation, view);
  const object = view.graph.get(expectation.object.uid)?.object;
  switch (expectation.end) {
    case 'gone':
      if (object === undefined) return asForecast;
      return isDeleting(object) ? pending('is being deleted', graceEnd(object)) : pending('is still there');
    case 'held':
      return held(object, expectation);
    case 'changed':
      return changed(object, expectation);
    case 'made':
      if (object === undefined) return pending('has not shown up yet');
      return isDeleting(object) ? pending('is being deleted') : asForecast;
    case 'bound':
      return bound(object, expectation.former, view);
    case 'kept':
      return kept(object, expectation.owners);
  }
}

/** Only pods have a grace period, which ends at `deletionTimestamp` (docs/kubernetes.md §4.5). */
function graceEnd({ deletionTimestamp, deletionGracePeriodSeconds }: KubeObject): number | undefined {
  return (deletionGracePeriodSeconds ?? 0) > 0 ? deletionTimestamp : undefined;
}

function held(
  object: KubeObject | undefined,
  left: Extract<Expectation, { readonly end: 'held' }>,
): Standing {
  if (object === undefined) {
    if (left.mayGo) return { ...asForecast, actual: 'is gone' };
    return departed(`is being deleted and stays, held by ${left.finalizers.join(' and ')}`, 'is gone');
  }
  if (!isDeleting(object)) return pending('is not being deleted yet');
  const finalizers = objectDeletion.finalizers(object);
  // Existing handlers may have removed theirs.
  if (left.mayGo && new Set(finalizers).isSubsetOf(new Set(left.finalizers))) return asForecast;
  if (!sameMembers(finalizers, left.finalizers))
    return pending(`carries ${finalizers.join(', ') || 'no finalizer'}`);
  return isLeft(object, left) ? asForecast : pending('is not altered yet');
}

function changed(object: KubeObject | undefined, left: Left): Standing {
  if (object === undefined) return departed('is altered and stays', 'is gone');
  return isLeft(object, left) ? asForecast : pending('is not altered yet');
}

function isLeft(object: KubeObject, { owners, unblocked, altered, finalizers }: Left): boolean {
  const uids = new Set(object.owners.map(({ uid }) => uid));
  return (
    (owners === undefined ||
      (object.owners.length === owners.count && [...owners.uids].every(uid => uids.has(uid)))) &&
    !object.owners.some(owner => owner.blockOwnerDeletion === true && unblocked.includes(owner.uid)) &&
    !object.owners.some(owner => altered.some(before => isSame(owner, before))) &&
    sameMembers(objectDeletion.finalizers(object), finalizers)
  );
}

function isSame(a: OwnerReference, b: OwnerReference): boolean {
  return (
    a.uid === b.uid &&
    a.name === b.name &&
    a.kind === b.kind &&
    a.apiVersion === b.apiVersion &&
    a.controller === b.controller &&
    a.blockOwnerDeletion === b.blockOwnerDeletion
  );
}

function kept(object: KubeObject | undefined, owners: ReadonlySet<Uid>): Standing {
  const promised = 'stays as it is';
  if (object === undefined) return departed(promised, 'is gone');
  if (isDeleting(object)) return departed(promised, 'is being deleted');
  const now = object.owners.map(({ uid }) => uid);
  if (sameMembers(now, [...owners])) return asForecast;
  return departed(promised, now.length < owners.size ? 'lost an owner reference' : 'has other owners');
}

function bound(object: KubeObject | undefined, former: string, { graph }: ClusterView): Standing {
  if (object === undefined) return departed('is bound to a new claim', 'is gone');
  const { facts } = object;
  if (facts?.kind !== 'PersistentVolume' || facts.phase !== 'Bound' || facts.claimUid === former)
    return pending('is not bound to a new claim yet');
  return graph.get(facts.claimUid as Uid)?.object === undefined
    ? pending('is bound to a claim that has not shown up yet')
    : asForecast;
}

type Recreation = Extract<Expectation, { readonly end: 'recreated' }>;

function makerOf(expectation: Recreation, view: ClusterView): Identity {
  const { by, above } = expectation;
  if (above === undefined) return by;
  return makersOf(expectation, view)[0]?.identity ?? { ...by, uid: '' as Uid };
}

function makersOf({ by, above, before }: Recreation, { graph }: ClusterView): readonly GraphNode[] {
  const node = graph.get((above ?? by).uid);
  if (node === undefined) return [];
  if (above === undefined) return [node];
  // Not by name, which may contain a hash unknown to the forecast.
  return [...node.dependents].filter(
    ({ uid, identity }) => ResourceType.isSameKind(identity, by) && !before.has(uid),
  );
}

function recreated(expectation: Recreation, view: ClusterView): Standing {
  const { above, kind, count, before } = expectation;
  const created = makersOf(expectation, view).reduce((sum, node) => {
    const below = uidsBelow(node, expectation);
    return sum + (above === undefined ? below.difference(before) : below).size;
  }, 0);
  return created >= count ? asForecast : pending(`has created ${created} of ${count} new ${kind}s`);
}

function sameMembers(a: readonly string[], b: readonly string[]): boolean {
  return new Set(a).symmetricDifference(new Set(b)).size === 0;
}

/** Time for which an outcome must hold, so departures arriving together are reported together. */
const SETTLE_MILLISECONDS = 1_000;

export interface Followed {
  readonly outcome: Exclude<EntryOutcome, 'refused'>;
  readonly progress: Progress;
  readonly compared: readonly Comparison[];
}

/** Watches until the cluster is as forecast, has departed, or time is up. */
export async function followOn(
  expectations: readonly Expectation[],
  ports: Pick<RunPorts, 'view' | 'now' | 'changed' | 'tell' | 'timeout' | 'signal'>,
): Promise<Followed> {
  const { view, signal } = ports;
  const deadline = ports.now() + ports.timeout;
  let reported = '';
  let state: Followed['outcome'] = 'unfinished';
  let since = ports.now();
  for (;;) {
    const progress = progressOf(expectations, view);
    const report = JSON.stringify(progress);
    if (report !== reported) ports.tell({ event: 'progress', progress });
    reported = report;
    const now = ports.now();
    const before: Followed['outcome'] = state;
    state = stateOf(progress, Connection.isBehind(view.connection));
    if (state !== before) since = now;
    const settled = state === 'unfinished' ? deadline : since + SETTLE_MILLISECONDS;
    if (now >= settled) return { outcome: state, progress, compared: comparisonsOf(expectations, view) };
    if (now >= deadline || signal?.aborted === true) {
      const outcome = state === 'departed' ? state : 'unfinished';
      return { outcome, progress, compared: comparisonsOf(expectations, view) };
    }
    await ports.changed(Math.max(1, Math.min(deadline, settled) - now), signal);
  }
}

function stateOf({ pending: waiting, departures }: Progress, blind: boolean): Followed['outcome'] {
  if (departures.length > 0) return 'departed';
  // Without a connection, other changes are unknown.
  return waiting.length > 0 || blind ? 'unfinished' : 'reached';
}

/** Wakes followers of a view when a batch is applied. */
export class ViewSubscription {
  readonly #waiting = new Set<() => void>();

  notify(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Resolves at the next change, after `milliseconds`, or when the signal aborts. */
  within(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise(resolve => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, milliseconds);
      this.#waiting.add(wake);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }
}
