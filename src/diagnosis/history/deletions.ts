/**
 * Reads from an audit log how one object was deleted: who requested it and how, what finished it, and what the garbage
 * collector did to its dependents. If a name was reused, each object that had it has a history of its own.
 */
import {
  type AuditEvent,
  type AuditOwner,
  FOREGROUND_FINALIZER,
  getOrInsert,
  ORPHAN_FINALIZER,
} from '../../model/index.ts';
import { auditActors } from './actors.ts';

export interface HistorySubject {
  readonly isOf: (group: string, resource: string) => boolean;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid?: string | undefined;
}

interface Deletion {
  readonly event: AuditEvent;
  /** `Foreground`, `Background` or `Orphan`; undefined if the log doesn't show it. */
  readonly policy: string | undefined;
  /**
   * - `request`: the request asked for it.
   * - `finalizers`: the finalizers that the API server set show it.
   * - `default`: neither says any, so that it was the default of the kind.
   */
  readonly policyFrom: 'request' | 'finalizers' | 'default' | undefined;
}

/** A request of the collector for another object that follows from the deletion. */
interface Effect {
  readonly event: AuditEvent;
  /** `changed`: it keeps the reference, as one that no longer blocks. `refused`: the API server answered with an error. */
  readonly what: 'deleted' | 'orphaned' | 'changed' | 'refused';
}

export interface ObjectHistory {
  readonly resource: string;
  readonly group: string;
  readonly namespace: string;
  readonly name: string;
  /** `''` if the log doesn't show it. */
  readonly uid: string;
  readonly createdAt: number | undefined;
  /** Who created it; undefined if that isn't in the log. */
  readonly created: AuditEvent | undefined;
  /** The requests that were accepted, in their order; the first one decided. */
  readonly deletions: readonly Deletion[];
  /** Attempts that were refused. */
  readonly refused: readonly AuditEvent[];
  /** Requests for the object since its first deletion; without one, those of the collector. */
  readonly since: readonly AuditEvent[];
  /** The request with which it was gone; undefined if the log doesn't show it. */
  readonly end: AuditEvent | undefined;
  readonly owners: readonly AuditOwner[];
  readonly effects: readonly Effect[];
  /** The deletion of its namespace, for an object that was deleted along with it. */
  readonly namespaceDeletion: AuditEvent | undefined;
}

/** Maximum number kept of each, as a log may hold millions. */
const MOST_EVENTS = 20_000;
const CHANGES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** Quoted, as they stand in the lines that matter. */
export function wordsOf({ name }: HistorySubject): string[] {
  return [JSON.stringify(name), auditActors.collector, '"deletecollection"', '"namespaces"'];
}

/** Takes the events of a log as they come, in any order, and keeps what the subject may need. */
export class DeletionLog {
  readonly #subject: HistorySubject;
  readonly #own = new Map<string, AuditEvent>();
  readonly #collector = new Map<string, AuditEvent>();
  readonly #dependents = new Map<string, AuditEvent>();
  readonly #namespaces = new Map<string, AuditEvent>();
  /** More was there than is kept. */
  truncated = false;
  /** Some of it has no bodies. */
  hasMetadataOnly = false;
  from: number | undefined;
  to: number | undefined;

  constructor(subject: HistorySubject) {
    this.#subject = subject;
  }

  take(event: AuditEvent): void {
    const { object, verb, at, subresource } = event;
    this.from = Math.min(this.from ?? at, at);
    this.to = Math.max(this.to ?? at, at);
    if (!CHANGES.has(verb) || event.dryRun) return;
    if (this.#isOwn(event)) {
      this.hasMetadataOnly ||= event.level === 'Metadata';
      this.#keep(this.#own, event);
      return;
    }
    if (object.resource === 'namespaces' && object.group === '' && verb === 'delete' && subresource === '')
      this.#keep(this.#namespaces, event);
    if (auditActors.controller(event) === auditActors.collector) this.#keep(this.#collector, event);
    const { name } = this.#subject;
    if (event.result?.owners.some(owner => owner.name === name) === true) this.#keep(this.#dependents, event);
  }

  /** The objects that had the name, in the order of time. */
  histories(): ObjectHistory[] {
    return livesOf(sorted(this.#own), this.#subject)
      .filter(({ uid }) => this.#subject.uid === undefined || uid === this.#subject.uid)
      .map(life => this.#historyOf(life));
  }

  #isOwn({ object, verb, collection }: AuditEvent): boolean {
    const { isOf, namespace, name } = this.#subject;
    if (!isOf(object.group, object.resource)) return false;
    if (namespace !== undefined && object.namespace !== '' && object.namespace !== namespace) return false;
    if (verb !== 'deletecollection') return object.name === name;
    return collection?.some(each => each.name === name) === true;
  }

  #keep(where: Map<string, AuditEvent>, event: AuditEvent): void {
    if (where.size >= MOST_EVENTS) this.truncated = true;
    else getOrInsert(where, `${event.id} ${event.verb}`, () => event);
  }

  #historyOf({ uid, events }: Life): ObjectHistory {
    const accepted = events.filter(isDeletion);
    const isDone = ({ code }: AuditEvent): boolean => code >= 200 && code < 300;
    const deletions = accepted.filter(isDone).map(deletionOf);
    const begin = deletions[0]?.event.at ?? Number.POSITIVE_INFINITY;
    const since = events.filter(event =>
      deletions.length === 0 ? auditActors.controller(event) === auditActors.collector : event.at >= begin,
    );
    const [first] = events;
    const last = events.findLast(({ result }) => result !== undefined)?.result;
    const { object } = events.find(each => each.verb !== 'deletecollection') ?? first ?? noEvent();
    const namespace = object.namespace;
    const byNamespace =
      deletions[0] !== undefined && auditActors.controller(deletions[0].event) === 'namespace-controller';
    return {
      group: object.group,
      resource: object.resource,
      namespace,
      name: this.#subject.name,
      uid,
      createdAt: last?.createdAt ?? events.find(isCreation)?.at,
      created: events.find(isCreation),
      deletions,
      refused: accepted.filter(each => !isDone(each)),
      since,
      end: since.find(each => endsIt(each, this.#subject.name)),
      owners: events.findLast(each => (each.result?.owners.length ?? 0) > 0)?.result?.owners ?? [],
      effects: this.#effectsOf(uid, begin),
      namespaceDeletion: byNamespace
        ? sorted(this.#namespaces).findLast(
            each => each.object.name === namespace && each.at <= begin && isDone(each),
          )
        : undefined,
    };
  }

  /** Lists the collector's requests for objects that referred to it, if bodies in the log show that. */
  #effectsOf(uid: string, begin: number): Effect[] {
    if (uid === '' || begin === Number.POSITIVE_INFINITY) return [];
    const dependents = new Set<string>();
    for (const event of this.#dependents.values())
      if (event.result?.owners.some(owner => owner.uid === uid) === true) dependents.add(keyOf(event));
    return sorted(this.#collector).flatMap((event): Effect[] => {
      const isNamed = event.named.includes(uid);
      if (event.at < begin || !(isNamed || dependents.has(keyOf(event)))) return [];
      return [{ event, what: effectOf(event, uid, isNamed) }];
    });
  }
}

interface Life {
  readonly uid: string;
  readonly events: readonly AuditEvent[];
}

/** Splits the events of one name into those of each object: by uid or, if the log has none, by creations. */
function livesOf(events: readonly AuditEvent[], { name }: HistorySubject): Life[] {
  const lives: { uid: string; place: string; events: AuditEvent[] }[] = [];
  for (const event of events) {
    const uid =
      event.verb === 'deletecollection'
        ? (event.collection?.find(each => each.name === name)?.uid ?? '')
        : event.object.uid;
    const place = event.object.namespace;
    const life = lives.findLast(
      each => each.place === place && (uid === '' || each.uid === uid || each.uid === ''),
    );
    const isNew = uid === '' && isCreation(event) && event.code < 300;
    if (life === undefined || isNew) lives.push({ uid, place, events: [event] });
    else {
      life.uid ||= uid;
      life.events.push(event);
    }
  }
  return lives;
}

function deletionOf(event: AuditEvent): Deletion {
  const { policy, result, level } = event;
  if (policy !== undefined) return { event, policy, policyFrom: 'request' };
  if (result?.finalizers.includes(FOREGROUND_FINALIZER) === true)
    return { event, policy: 'Foreground', policyFrom: 'finalizers' };
  if (result?.finalizers.includes(ORPHAN_FINALIZER) === true)
    return { event, policy: 'Orphan', policyFrom: 'finalizers' };
  return { event, policy: undefined, policyFrom: level === 'Metadata' ? undefined : 'default' };
}

function isDeletion({ verb, subresource }: AuditEvent): boolean {
  return (verb === 'delete' || verb === 'deletecollection') && subresource === '';
}

/** Also a patch that creates, as of a server-side apply. */
function isCreation({ verb, subresource, code }: AuditEvent): boolean {
  return subresource === '' && (verb === 'create' || (verb === 'patch' && code === 201));
}

/**
 * Returns true if the request removed the object: a deletion that nothing holds, or the last finalizer's removal. An
 * update of an object that is being deleted removes it once neither a finalizer nor a grace period is left
 * (k8s.io/apiserver pkg/registry/generic/registry/store.go, v1.36), and one of a Namespace once its spec has none.
 */
function endsIt(
  { verb, level, code, result, subresource, collection, object }: AuditEvent,
  name: string,
): boolean {
  // The answer isn't in the log.
  if (code >= 300 || subresource === 'status' || level !== 'RequestResponse') return false;
  const after = verb === 'deletecollection' ? collection?.find(each => each.name === name) : result;
  // A Status in place of the object says that it is gone.
  if (after === undefined) return verb === 'delete';
  if (after.finalizers.length > 0 || after.specFinalizers.length > 0) return false;
  if (after.deletionTimestamp === undefined) return verb !== 'update' && verb !== 'patch';
  return (
    after.deletionGracePeriodSeconds === 0 || (object.resource === 'namespaces' && subresource === 'finalize')
  );
}

function effectOf({ verb, code, result }: AuditEvent, uid: string, isNamed: boolean): Effect['what'] {
  if (code >= 300) return 'refused';
  if (verb === 'delete') return 'deleted';
  const isLost = result === undefined ? isNamed : !result.owners.some(owner => owner.uid === uid);
  return isLost ? 'orphaned' : 'changed';
}

function keyOf({ object: { group, resource, namespace, name } }: AuditEvent): string {
  return JSON.stringify([group, resource, namespace, name]);
}

function sorted(events: ReadonlyMap<string, AuditEvent>): AuditEvent[] {
  return [...events.values()].sort((a, b) => a.at - b.at);
}

function noEvent(): never {
  throw new Error('a life without events');
}
