/** Compares one history under the first collector and today's; recorded departures are the only reasons. */
import { orphanedByFirst } from '../../collector/index.ts';
import { type Identity, identityOfObject } from '../../graph/index.ts';
import { getOrInsert, type KubeObject, ORPHAN_FINALIZER, type Uid } from '../../model/index.ts';
import type { LoggedRequest, Verb } from '../api/api-client.ts';
import { defaultPolicy, deletionFinalizers } from '../api/delete-rules.ts';
import { asFirstUnderstood, firstDeletionFinalizers } from '../api/first-deletion.ts';
import { type CollectorChangeCode, collectorChanges, type Departure } from '../collector/first/departures.ts';

export interface ComparedRun {
  readonly log: readonly LoggedRequest[];
  readonly left: Iterable<KubeObject>;
}

/**
 * `deleted`: `by` is the requesting component. `stuck`: a deletion that doesn't end. `orphaned`: lost all owner
 * references. `left`: still has its owners. `neverMade`: exists in the other history only.
 */
type ComparedEnd =
  | { readonly end: 'deleted'; readonly by: string }
  | { readonly end: 'stuck'; readonly finalizers: readonly string[]; readonly owners: readonly string[] }
  | {
      readonly end: 'orphaned' | 'left';
      readonly finalizers: readonly string[];
      /** `ConfigMap settings`, in the order of the references. */
      readonly owners: readonly string[];
    }
  | { readonly end: 'neverMade' };

interface ComparedObject {
  readonly object: Identity;
  readonly first: ComparedEnd;
  readonly today: ComparedEnd;
  /** Empty if it only follows from other objects. */
  readonly because: readonly CollectorChangeCode[];
}

/** The collector's changing requests by verb, including refused ones. */
type RequestCounts = Readonly<Partial<Record<Verb, number>>>;

export interface CollectorComparison {
  /** Differently ended objects, by kind, namespace and name. */
  readonly objects: readonly ComparedObject[];
  readonly alike: number;
  readonly requests: { readonly first: RequestCounts; readonly today: RequestCounts };
  /** Departures in this history, in the order of `collectorChanges`; without objects if no end shows them. */
  readonly changes: readonly { readonly code: CollectorChangeCode; readonly objects: readonly Identity[] }[];
}

const COLLECTOR = 'garbage-collector';

export function compareRuns(
  first: ComparedRun,
  today: ComparedRun,
  departures: readonly Departure[],
): CollectorComparison {
  const [ran, runs] = [new History(first), new History(today)];
  const causes = causesIn(ran, [...departures, ...serverDepartures(first.log)]);
  const objects: ComparedObject[] = [];
  let alike = 0;
  for (const [key, object] of new Map([...runs.objects, ...ran.objects])) {
    const [then, now] = [ran.endOf(key), runs.endOf(key)];
    if (isSame(then, now)) alike++;
    else
      objects.push({
        object,
        first: then,
        today: now,
        because: causesOf(key, then, causes, [ran, runs]),
      });
  }
  objects.sort((a, b) => (keyOf(a.object) < keyOf(b.object) ? -1 : 1));
  const met = new Set([...causes.values()].flatMap(codes => [...codes]));
  return {
    objects,
    alike,
    requests: { first: countsIn(first.log), today: countsIn(today.log) },
    changes: (Object.keys(collectorChanges) as CollectorChangeCode[])
      .filter(code => met.has(code))
      .map(code => ({
        code,
        objects: objects.filter(({ because }) => because.includes(code)).map(({ object }) => object),
      })),
  };
}

/** Lists deletions that today's API server would understand differently. */
function serverDepartures(log: readonly LoggedRequest[]): Departure[] {
  return log.flatMap((request): Departure[] => {
    const { verb, actor, before, options = {}, type } = request;
    if (verb !== 'delete' || request.uid === undefined || request.status >= 300) return [];
    if (options.propagationPolicy === 'Foreground') return [{ code: 'ForegroundDeletion', uid: request.uid }];
    if (before === undefined) return [];
    const { uid, finalizers } = before;
    if (actor === COLLECTOR) {
      const orphaned = orphanedByFirst(type) && !finalizers.includes(ORPHAN_FINALIZER);
      return orphaned ? [{ code: 'BackgroundCascade', uid }] : [];
    }
    const was = firstDeletionFinalizers(finalizers, asFirstUnderstood(options), type);
    const is = deletionFinalizers(finalizers, options, defaultPolicy(type));
    return was.includes(ORPHAN_FINALIZER) === is.includes(ORPHAN_FINALIZER)
      ? []
      : [{ code: type.kind === 'Job' ? 'JobPolicy' : 'DefaultPolicy', uid }];
  });
}

/** Indexes objects by kind, namespace and name, because uids differ between histories. */
class History {
  readonly objects = new Map<string, Identity>();
  readonly #left = new Map<string, KubeObject>();
  readonly #deletedBy = new Map<string, string>();
  readonly #owned = new Set<string>();
  readonly #keys = new Map<Uid, string>();
  readonly #owners = new Map<string, Set<string>>();

  constructor({ log, left }: ComparedRun) {
    const states: KubeObject[] = [];
    for (const { before, after } of log)
      for (const each of [before, after]) if (each !== undefined) states.push(each);
    for (const object of left) {
      states.push(object);
      this.#left.set(keyOf(identityOfObject(object)), object);
    }
    for (const object of states) {
      const identity = identityOfObject(object);
      const key = keyOf(identity);
      this.objects.set(key, identity);
      this.#keys.set(object.uid, key);
      if (object.owners.length > 0) this.#owned.add(key);
    }
    for (const object of states)
      for (const { uid } of object.owners)
        getOrInsert(this.#owners, keyOf(identityOfObject(object)), () => new Set()).add(this.keyOfUid(uid));
    for (const { verb, actor, before, status } of log)
      if (verb === 'delete' && before !== undefined && status < 300)
        this.#deletedBy.set(keyOf(identityOfObject(before)), actor);
  }

  /** Returns the uid for an owner that never existed. */
  keyOfUid(uid: Uid): string {
    return this.#keys.get(uid) ?? uid;
  }

  ownersOf(key: string): ReadonlySet<string> {
    return this.#owners.get(key) ?? new Set();
  }

  endOf(key: string): ComparedEnd {
    const object = this.#left.get(key);
    if (object === undefined) {
      if (!this.objects.has(key)) return { end: 'neverMade' };
      return { end: 'deleted', by: this.#deletedBy.get(key) ?? '' };
    }
    const { finalizers } = object;
    const owners = object.owners.map(({ kind, name }) => `${kind} ${name}`);
    if (object.deletionTimestamp !== undefined) return { end: 'stuck', finalizers, owners };
    const isOrphaned = owners.length === 0 && this.#owned.has(key);
    return { end: isOrphaned ? 'orphaned' : 'left', finalizers, owners };
  }
}

function keyOf({ apiVersion, kind, namespace, name }: Identity): string {
  return `${kind} ${apiVersion} ${namespace}/${name}`;
}

function isSame(a: ComparedEnd, b: ComparedEnd): boolean {
  if (a.end === 'deleted' || a.end === 'neverMade' || b.end === 'deleted' || b.end === 'neverMade')
    return a.end === b.end;
  return (
    a.end === b.end &&
    a.owners.join('\n') === b.owners.join('\n') &&
    [...a.finalizers].sort().join('\n') === [...b.finalizers].sort().join('\n')
  );
}

type Causes = ReadonlyMap<string, ReadonlySet<CollectorChangeCode>>;

function causesIn(history: History, departures: readonly Departure[]): Causes {
  const causes = new Map<string, Set<CollectorChangeCode>>();
  for (const { code, uid } of departures)
    getOrInsert(causes, history.keyOfUid(uid), () => new Set()).add(code);
  return causes;
}

/**
 * Prefers other reasons over an unchecked reference for a deletion. It is the only reason if an object refers to its
 * owner rightly and wrongly: today's collector removes both references.
 */
function causesOf(
  key: string,
  then: ComparedEnd,
  causes: Causes,
  histories: readonly History[],
): readonly CollectorChangeCode[] {
  const all = (each: string): CollectorChangeCode[] => [...(causes.get(each) ?? [])];
  const active = (each: string): CollectorChangeCode[] =>
    all(each).filter(code => code !== 'UncheckedReference');
  const found = then.end === 'deleted' ? nearestCauses(key, active, histories) : [];
  return found.length > 0 ? found : nearestCauses(key, all, histories);
}

/** Returns the object's own causes, else those of its nearest owners with any. */
function nearestCauses(
  key: string,
  causesAt: (key: string) => readonly CollectorChangeCode[],
  histories: readonly History[],
): readonly CollectorChangeCode[] {
  const seen = new Set([key]);
  for (let level = [key]; level.length > 0; ) {
    const found = new Set(level.flatMap(causesAt));
    if (found.size > 0) return [...found];
    const next = level.flatMap(each => histories.flatMap(history => [...history.ownersOf(each)]));
    level = [...new Set(next)].filter(each => !seen.has(each));
    for (const each of level) seen.add(each);
  }
  return [];
}

function countsIn(log: readonly LoggedRequest[]): RequestCounts {
  const counts: Partial<Record<Verb, number>> = {};
  for (const { actor, verb } of log)
    if (actor === COLLECTOR && verb !== 'get' && verb !== 'list') counts[verb] = (counts[verb] ?? 0) + 1;
  return counts;
}
