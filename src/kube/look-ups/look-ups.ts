/**
 * Answers look-ups at the API server: those that are wanted, the first first, a few at once and not too many a second.
 * Where many of a kind are wanted, one list answers them all, as it is one request that costs the server less. Nothing
 * is asked twice at a time; what stayed unknown, or was found where a list lacks it, is asked again later.
 */

import { mapConcurrently } from '../../model/concurrently.ts';
import {
  type AnsweredLookUp,
  keyOfLookUp,
  type LookUp,
  type LookUpAnswer,
} from '../../model/exchange/changes.ts';
import type { KubeObject, Uid } from '../../model/object.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import { Backoff, type Timing } from '../timing.ts';
import { ApiFailure } from '../watch/failure.ts';
import type { Extent } from '../watch/monitor.ts';
import type { Depth } from '../watch/requests.ts';
import {
  foundAs,
  type LookUpContext,
  listObjects,
  mayRemoveFinalizers,
  readObjectAt,
  unreadReason,
  withinLimit,
} from './requests.ts';

export interface LookUpsOptions extends LookUpContext {
  readonly timing: Timing;
  /** Aborts when the source closes. */
  readonly signal: AbortSignal;
  /** The served type of an apiVersion and kind. */
  readonly typeOf: (apiVersion: string, kind: string) => ResourceType | undefined;
  /** Types of which everything can be listed in the namespace; `''` for those that are in none. */
  readonly listed: (namespace: string) => readonly ResourceType[];
  /** How many objects of the type are known. */
  readonly countOf: (type: ResourceType) => number;
  /** How much is listed. Where that is nothing, what is found is read whole and handed on. */
  readonly extentOf: (type: ResourceType, namespace: string) => Extent;
  /** Called with such an object before the answer. */
  readonly found: (object: KubeObject) => void;
  readonly answered: (answers: readonly AnsweredLookUp[]) => void;
}

const AT_ONCE = 8;
/** As many as kubectl's discovery (kubectl v0.36.3, pkg/cmd/cmd.go). */
const PER_SECOND = 50;
/** Milliseconds in which a watch brings what only just came into being: nearly every answer, without any request. */
const SETTLE_MS = 1_000;
const AGAIN_MS = 30_000;
/** An absent object isn't wanted any more once the answer has arrived; if it still is, the answer was forgotten. */
const FORGOTTEN_MS = 10_000;
const MOST_TRIES = 3;
/** From so many look-ups of a kind on, one list is asked for in place of them. */
const MANY = 20;
/** A GET costs about as much as so many objects of a list: 2 to 3 ms, against 15 µs (20,000 pods, loopback). */
const WORTH = 150;

interface Wanted {
  readonly lookUp: LookUp;
  /** When it may be asked; infinite while it is being asked. */
  due: number;
  tries: number;
  /** Answered once; asked again as long as it is wanted. */
  isTold: boolean;
  readonly backoff: Backoff;
}

export class LookUps {
  readonly #options: LookUpsOptions;
  readonly #rate: Rate;
  #wanted = new Map<string, Wanted>();
  /** Types that cannot be listed as a whole, by apiVersion and resource. */
  readonly #unlistable = new Set<string>();
  #waker = new AbortController();
  #running: Promise<void> | undefined;
  readonly #asking = new Set<Promise<void>>();

  constructor(options: LookUpsOptions) {
    this.#options = options;
    this.#rate = new Rate(options.timing, { atOnce: AT_ONCE, perSecond: PER_SECOND });
  }

  /** These and no others, in this order. `urgent`: the user waits for the answers. */
  want(lookUps: Iterable<LookUp>, urgent: boolean): void {
    const now = this.#options.timing.now();
    const wanted = new Map<string, Wanted>();
    for (const lookUp of lookUps) {
      const key = keyOfLookUp(lookUp);
      if (wanted.has(key)) continue;
      const known = this.#wanted.get(key);
      if (known === undefined) {
        const due = urgent ? now : now + SETTLE_MS;
        const backoff = new Backoff(this.#options.timing, 200, 5_000);
        wanted.set(key, { lookUp, due, tries: 0, isTold: false, backoff });
        continue;
      }
      if (urgent && !known.isTold && known.tries === 0) known.due = Math.min(known.due, now);
      wanted.set(key, known);
    }
    this.#wanted = wanted;
    if (wanted.size === 0) return;
    this.#running ??= this.#run();
    this.#wake();
  }

  /** Resolves when no request is left. */
  async stop(): Promise<void> {
    this.#wake();
    await this.#running;
    await Promise.all(this.#asking);
  }

  #wake(): void {
    this.#waker.abort();
    this.#waker = new AbortController();
  }

  async #run(): Promise<void> {
    const { signal, timing } = this.#options;
    while (!signal.aborted) {
      // Taken before, so that nothing that happens while it asks is slept through.
      const woken = AbortSignal.any([signal, this.#waker.signal]);
      const wait = this.#askNext();
      // What is under way wakes this when it ends.
      await timing.sleep(Math.min(wait, AGAIN_MS), woken);
    }
  }

  /** Asks what comes next; returns in how many milliseconds there is more to ask. */
  #askNext(): number {
    const now = this.#options.timing.now();
    let next = Number.POSITIVE_INFINITY;
    for (const wanted of this.#wanted.values()) {
      if (wanted.due > now) {
        next = Math.min(next, wanted.due - now);
        continue;
      }
      const { wait } = this.#rate;
      if (wait > 0) return wait;
      this.#ask(wanted, now);
    }
    return next;
  }

  #ask(wanted: Wanted, now: number): void {
    const { lookUp } = wanted;
    const type = this.#options.typeOf(lookUp.apiVersion, lookUp.kind);
    if (type === undefined) {
      this.#tell([wanted], () => ({ state: 'unknown', reason: `${lookUp.kind} is no longer served` }));
      return;
    }
    if (lookUp.of === 'permission')
      return this.#start([wanted], signal => this.#permission(wanted, type, signal));
    if (lookUp.of === 'dependents') return this.#start([wanted], signal => this.#dependents(wanted, signal));
    const alike = this.#alike(type, lookUp.namespace, now);
    if (alike !== undefined) return this.#start(alike, signal => this.#byList(type, alike, signal));
    this.#start([wanted], async signal => {
      const depth = this.#depthOf(type, lookUp.namespace);
      const object = await this.#read(type, lookUp, { depth, signal });
      if (object !== undefined) this.#found(object);
      this.#tell([wanted], () => (object === undefined ? { state: 'absent' } : foundAs(object)));
    });
  }

  /**
   * By a GET; where that is forbidden and the kind is listed, by a list of the name, for roles without `get`: on every kind
   * it would include `pods/exec`, whose GET ran commands in pods up to v1.34.
   */
  async #read(
    type: ResourceType,
    { namespace, name }: LookUp,
    options: { readonly depth: Depth; readonly signal: AbortSignal },
  ): Promise<KubeObject | undefined> {
    try {
      return await readObjectAt(this.#options, type, { namespace, name }, options);
    } catch (error) {
      const isForbidden = error instanceof ApiFailure && error.code === 403;
      if (!isForbidden || !this.#options.listed(namespace).includes(type)) throw error;
      let found: KubeObject | undefined;
      const where = type.namespaced ? namespace : undefined;
      await listObjects(this.#options, type, { ...options, namespace: where, name }, object => {
        found = object;
      });
      return found;
    }
  }

  #depthOf(type: ResourceType, namespace: string): Depth {
    return this.#options.extentOf(type, namespace) === 'none' ? 'full' : 'metadata';
  }

  /** Asked again: it may be listed by now, and what a watch brings is newer. */
  #found(object: KubeObject): void {
    const { extentOf, found } = this.#options;
    if (extentOf(object.type, object.namespace) === 'none') found(object);
  }

  /** All that are due of a type where it is worth a list, of one namespace where no more is read; else undefined. */
  #alike(type: ResourceType, namespace: string, now: number): readonly Wanted[] | undefined {
    if (this.#wanted.size < MANY || this.#unlistable.has(keyOfType(type))) return undefined;
    const everywhere = this.#options.extentOf(type, namespace) === 'cluster';
    const alike: Wanted[] = [];
    for (const each of this.#wanted.values()) {
      const { of, apiVersion, kind } = each.lookUp;
      if (each.due > now || of !== 'object' || apiVersion !== type.apiVersion || kind !== type.kind) continue;
      if (!everywhere && each.lookUp.namespace !== namespace) continue;
      alike.push(each);
    }
    return alike.length >= MANY && this.#options.countOf(type) <= alike.length * WORTH ? alike : undefined;
  }

  #start(wanted: readonly Wanted[], request: (signal: AbortSignal) => Promise<void>): void {
    if (!this.#rate.enter()) return;
    for (const each of wanted) {
      each.due = Number.POSITIVE_INFINITY;
      each.tries += 1;
    }
    const { timing, signal } = this.#options;
    const asked = withinLimit(timing, signal, request)
      .catch((error: unknown) => this.#failed(wanted, error))
      .finally(() => {
        this.#rate.leave();
        this.#asking.delete(asked);
        this.#wake();
      });
    this.#asking.add(asked);
  }

  async #byList(type: ResourceType, wanted: readonly Wanted[], signal: AbortSignal): Promise<void> {
    const namespaces = new Set(wanted.map(({ lookUp }) => lookUp.namespace));
    const [only] = namespaces;
    const namespace = type.namespaced && namespaces.size === 1 ? only : undefined;
    const byPlace = Map.groupBy(wanted, ({ lookUp }) => placeOf(lookUp));
    const answers = new Map<Wanted, LookUpAnswer>();
    const depth = this.#depthOf(type, only ?? '');
    await listObjects(this.#options, type, { namespace, depth, signal }, object => {
      const asking = byPlace.get(placeOf(object));
      if (asking === undefined) return;
      this.#found(object);
      for (const each of asking) answers.set(each, foundAs(object));
    });
    this.#tell(wanted, each => answers.get(each) ?? { state: 'absent' });
  }

  /** A cluster-scoped dependent holds up a namespaced owner too, wrong as it is. */
  async #dependents(wanted: Wanted, signal: AbortSignal): Promise<void> {
    const { namespace, uid } = wanted.lookUp;
    const uids: Uid[] = [];
    await mapConcurrently(this.#options.listed(namespace), AT_ONCE, async type => {
      const where = type.namespaced && namespace !== '' ? namespace : undefined;
      await listObjects(this.#options, type, { namespace: where, depth: 'metadata', signal }, object => {
        if (object.owners.some(owner => owner.uid === uid)) uids.push(object.uid);
      });
    });
    this.#tell([wanted], () => ({ state: 'dependents', uids }));
  }

  async #permission(wanted: Wanted, type: ResourceType, signal: AbortSignal): Promise<void> {
    const isAllowed = await mayRemoveFinalizers(this.#options, type, wanted.lookUp, signal);
    this.#tell([wanted], () =>
      isAllowed === undefined
        ? { state: 'unknown', reason: 'the API server could not tell' }
        : { state: isAllowed ? 'allowed' : 'denied' },
    );
  }

  #failed(wanted: readonly Wanted[], error: unknown): void {
    if (this.#options.signal.aborted) return;
    const now = this.#options.timing.now();
    const isRefused = error instanceof ApiFailure && (error.code === 403 || error.code === 401);
    const isWorthATry = wanted.every(({ tries }) => tries < MOST_TRIES) && !isRefused;
    if (isWorthATry) {
      const retryAfter = error instanceof ApiFailure ? error.retryAfter : 0;
      for (const each of wanted) each.due = now + Math.max(retryAfter, each.backoff.next());
      return;
    }
    const [first] = wanted;
    const type = first && this.#options.typeOf(first.lookUp.apiVersion, first.lookUp.kind);
    if (wanted.length > 1 && type !== undefined && error instanceof ApiFailure) {
      // One by one they may be readable all the same.
      this.#unlistable.add(keyOfType(type));
      for (const each of wanted) each.due = now;
      return;
    }
    const reason = unreadReason(error);
    this.#tell(isRefused ? this.#sameRefusal(wanted) : wanted, () => ({ state: 'unknown', reason }));
  }

  /** Who may not read one object of a kind in a namespace may read none of them: asking for each would be a storm. */
  #sameRefusal(wanted: readonly Wanted[]): readonly Wanted[] {
    const [first] = wanted;
    if (first === undefined || first.lookUp.of === 'dependents') return wanted;
    if (first.lookUp.of === 'permission') {
      // Whoever may not ask about one user may ask about none.
      const open = [...this.#wanted.values()].filter(
        ({ lookUp, isTold }) => lookUp.of === 'permission' && !isTold,
      );
      return [...new Set([...wanted, ...open])];
    }
    const { apiVersion, kind, namespace } = first.lookUp;
    const others = [...this.#wanted.values()].filter(
      ({ lookUp, due, isTold }) =>
        !isTold &&
        Number.isFinite(due) &&
        lookUp.of === 'object' &&
        lookUp.apiVersion === apiVersion &&
        lookUp.kind === kind &&
        lookUp.namespace === namespace,
    );
    return [...wanted, ...others];
  }

  #tell(wanted: readonly Wanted[], answerTo: (each: Wanted) => LookUpAnswer): void {
    const { timing, answered, signal } = this.#options;
    if (signal.aborted) return;
    const jitter = 0.75 + timing.random() / 2;
    const answers = wanted.map(each => {
      const answer = answerTo(each);
      each.isTold = true;
      each.due = timing.now() + (answer.state === 'absent' ? FORGOTTEN_MS : AGAIN_MS) * jitter;
      each.tries = 0;
      each.backoff.reset();
      return { lookUp: each.lookUp, answer };
    });
    answered(answers);
  }
}

function placeOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

function keyOfType({ apiVersion, resource }: ResourceType): string {
  return `${apiVersion}/${resource}`;
}

export class Rate {
  readonly #timing: Timing;
  readonly #perSecond: number;
  #free: number;
  #tokens: number;
  #filledAt: number;

  constructor(
    timing: Timing,
    { atOnce, perSecond }: { readonly atOnce: number; readonly perSecond: number },
  ) {
    this.#timing = timing;
    this.#perSecond = perSecond;
    this.#free = atOnce;
    this.#tokens = perSecond;
    this.#filledAt = timing.now();
  }

  /** Takes a place, to be given back by `leave`; with false where there is none now. */
  enter(): boolean {
    this.#fill();
    if (this.#free <= 0 || this.#tokens < 1) return false;
    this.#free -= 1;
    this.#tokens -= 1;
    return true;
  }

  leave(): void {
    this.#free += 1;
  }

  /** Milliseconds until the next may be sent; infinite where one of those under way has to end first. */
  get wait(): number {
    this.#fill();
    if (this.#free <= 0) return Number.POSITIVE_INFINITY;
    return this.#tokens >= 1 ? 0 : ((1 - this.#tokens) / this.#perSecond) * 1000;
  }

  #fill(): void {
    const now = this.#timing.now();
    const gained = (Math.max(0, now - this.#filledAt) / 1000) * this.#perSecond;
    this.#tokens = Math.min(this.#perSecond, this.#tokens + gained);
    this.#filledAt = now;
  }
}
