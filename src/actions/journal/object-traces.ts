/** Finds the journal entries about one object, and deletions that were forecast to delete it too. */
import type { Identity } from '../../graph/index.ts';
import { ActRequest, list, parseApiVersion, type ResourceType, record, text } from '../../model/index.ts';
import { type Effect, type Entry, effectOf } from './journal-entry.ts';

export interface TracedPlace {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
}

export interface Trace {
  readonly entry: Entry;
  readonly effect: Exclude<Effect, 'no'>;
  readonly what: TracedAct;
}

/**
 * - `finalizers`, `owners`: removed from the object; `removed` names those that the request names.
 * - `otherwise`: another change. `around`: an `unblock` of the object that changed others.
 * - `along`: no request named the object, but a deletion was forecast to delete it.
 */
export type TracedAct =
  | { readonly of: 'deletion' | 'otherwise' | 'around' | 'along' }
  | { readonly of: 'finalizers' | 'owners'; readonly removed: readonly string[] };

/** Lists them oldest first, without those that certainly took no effect. */
export function tracesOf(entries: readonly Entry[], place: TracedPlace): readonly Trace[] {
  const found = entries.flatMap(entry => {
    const { requests } = entry.intended;
    return requests.some(request => isAbout(request, place)) ? direct(entry, place) : indirect(entry, place);
  });
  return found.sort((a, b) => a.entry.intended.at - b.entry.intended.at);
}

function direct(entry: Entry, place: TracedPlace): readonly Trace[] {
  return entry.intended.requests.flatMap((request, index): readonly Trace[] => {
    const effect = effectOf(entry.requests[index]);
    return effect !== 'no' && isAbout(request, place) ? [{ entry, effect, what: actOf(request) }] : [];
  });
}

/** The backup of a deletion holds the objects the forecast deletes. */
function indirect(entry: Entry, place: TracedPlace): readonly Trace[] {
  const { verb, object, backup } = entry.intended;
  const isTraced =
    verb === 'delete'
      ? backup.some(note => isAt(note.object, place))
      : verb === 'unblock' && isAt(object, place);
  const effects = entry.requests.map(effectOf);
  if (!isTraced || effects.every(effect => effect === 'no')) return [];
  const effect = effects.every(each => each === 'yes') ? 'yes' : 'perhaps';
  return [{ entry, effect, what: { of: verb === 'delete' ? 'along' : 'around' } }];
}

function isAbout({ path }: ActRequest, { type, namespace, name }: TracedPlace): boolean {
  const place = ActRequest.placeOf(path);
  return (
    place?.group === type.group &&
    place.resource === type.resource &&
    place.namespace === namespace &&
    place.name === name
  );
}

function isAt({ apiVersion, kind, ...object }: Identity, { type, namespace, name }: TracedPlace): boolean {
  return (
    kind === type.kind &&
    parseApiVersion(apiVersion).group === type.group &&
    object.namespace === namespace &&
    object.name === name
  );
}

function actOf({ method, path, body }: ActRequest): TracedAct {
  if (method === 'DELETE') return { of: 'deletion' };
  if (ActRequest.placeOf(path)?.subresource === 'finalize') return { of: 'finalizers', removed: [] };
  const operations = list(body).map(record);
  const removals = operations.filter(({ op }) => op === 'remove').map(({ path: at }) => String(at));
  // A test operation names each value removed.
  const removed = (field: RegExp): readonly unknown[] | undefined => {
    const fitting = removals.filter(at => field.test(at));
    if (fitting.length === 0) return undefined;
    return operations
      .filter(({ op, path: at }) => op === 'test' && fitting.includes(String(at)))
      .flatMap(({ value }) => value);
  };
  const finalizers = removed(/^\/metadata\/finalizers(\/\d+)?$/u);
  if (finalizers !== undefined) return { of: 'finalizers', removed: finalizers.map(String) };
  const owners = removed(/^\/metadata\/ownerReferences(\/\d+)?$/u);
  if (owners === undefined) return { of: 'otherwise' };
  return { of: 'owners', removed: owners.map(record).map(({ kind, name }) => `${text(kind)} ${text(name)}`) };
}
