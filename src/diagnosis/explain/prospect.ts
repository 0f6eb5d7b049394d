/**
 * Predicts an object's future if no user acts or, if nothing happens then, after a restart of kube-controller-manager,
 * which awakens dormant references (docs/kubernetes.md §1.2).
 */
import { type ChangedObject, type FinalizerHandler, Forecast, otherDeleters } from '../../forecast/index.ts';
import type { GraphNode, Identity } from '../../graph/index.ts';
import type { Uid } from '../../model/index.ts';
import type { TrackedView } from '../engine/tracked-view.ts';

/** Lazily made forecasts of one snapshot. */
export interface Prospects {
  /** Includes handlers only if this object waits for one: they require a look at all workloads. */
  ifNobodyActs(uid: Uid): Forecast;
  afterRestart(uid: Uid): Forecast;
}

/** Returns verbatim sentences, or none. */
export function prospectOf(tracked: TrackedView, node: GraphNode, prospects: Prospects): readonly string[] {
  const { object } = node;
  if (object === undefined) return [];
  const calm = sentenceOn(prospects.ifNobodyActs(object.uid), object.uid);
  if (calm !== undefined) return [calm];
  const later = otherDeleters.later(tracked.view, object);
  if (later !== undefined)
    return [`${object.name} is deleted ${later.when}, by ${later.by}: ${later.because}.`];
  const odd = node.owners.some(reference => tracked.ownerStatus(node, reference) !== 'Solid');
  if (!odd) return [];
  const forecast = prospects.afterRestart(object.uid);
  const restarted = sentenceOn(forecast, object.uid);
  if (restarted === undefined) return [];
  const { name } = object;
  // The collector overlooks a dependent that it sees only after its owner began to wait; the order is unknown.
  const isOpen = forecast.timingDependent.some(({ object: { uid } }) => uid === object.uid);
  const outlook = isOpen
    ? `What a restart of kube-controller-manager makes of it is not certain: ${restarted}`
    : `A restart of kube-controller-manager makes it look, and then: ${restarted}`;
  return [
    `As long as the garbage collector has no reason to look at ${name} again, it stays as it is. ${outlook}`,
  ];
}

// Each forecast covers many objects, and many may be asked for.
const sentencesByForecast = new WeakMap<Forecast, ReadonlyMap<Uid, string>>();

function sentenceOn(forecast: Forecast, wanted: Uid): string | undefined {
  let sentences = sentencesByForecast.get(forecast);
  if (sentences === undefined) {
    sentences = new Map(sentencesOf(forecast));
    sentencesByForecast.set(forecast, sentences);
  }
  return sentences.get(wanted);
}

/** Yields one sentence per object; for a deleting object that was altered too, its wait comes first. */
function* sentencesOf(forecast: Forecast): IterableIterator<readonly [Uid, string]> {
  for (const change of forecast.changed)
    yield [change.object.uid, `${change.object.name} stays, and ${alteration(change)}.`];
  const handled = Forecast.awaitingHandlers(forecast);
  for (const { object, waitingFor, handlers } of forecast.terminating) {
    const waits = waitingFor.join('; and for ');
    const waiting = handlers.find(({ awaits = [] }) => awaits.length > 0);
    const words = handled.has(object.uid)
      ? untilHandled(object, handlers, waits)
      : waiting === undefined
        ? `${object.name} stays as it is until a user acts: it waits for ${waits}.`
        : `${object.name} stays as it is while ${waiting.words}.`;
    yield [object.uid, words];
  }
  for (const { object, outcomes, mayNotEnd, because } of forecast.timingDependent) {
    if (mayNotEnd) {
      yield [object.uid, `${object.name} may never be deleted: ${because}.`];
      continue;
    }
    const ends = outcomes.map(({ words }) => words).join(', or ');
    yield [object.uid, `${object.name} ends in one of several ways: ${ends}, because ${because}.`];
  }
  for (const { object, by, reason } of forecast.deleted)
    yield [object.uid, `${object.name} is deleted${reason === '' ? '' : ` by ${by}: ${reason}`}.`];
}

function untilHandled({ name }: Identity, handlers: readonly FinalizerHandler[], waits: string): string {
  if (handlers.length === 0)
    return `${name} stays as it is until the handlers of what it waits for have done their work: it waits for ${waits}.`;
  const each = handlers.map(({ finalizer, words }) => `${finalizer}: ${words}`);
  return `${name} stays as it is until its handlers have removed ${each.join('; and ')}.`;
}

function alteration(change: ChangedObject): string {
  const { ownerReferencesRemoved: removed, ownerReferencesUnblocked: unblocked } = change;
  const words: string[] = [];
  if (removed.length > 0) {
    const left = change.ownerReferencesLeft === 0 ? 'nothing owns it any more' : 'its other owners remain';
    words.push(
      `loses ${removed.length === 1 ? 'an owner reference' : `${removed.length} owner references`}: ${left}`,
    );
  }
  if (unblocked.length > 0) words.push('no longer blocks the deletion of its owner');
  if (change.ownerReferencesAdded.length > 0) words.push('is adopted');
  if (change.finalizersRemoved.length > 0)
    words.push(`loses the finalizer ${change.finalizersRemoved.join(', ')}`);
  if (change.finalizersAdded.length > 0)
    words.push(`gets the finalizer ${change.finalizersAdded.join(', ')}`);
  return words.join(', and ');
}
