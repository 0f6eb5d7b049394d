/** Answers look-ups in order and rate-limited; one list replaces many. Unknown answers are looked up again later. */

import {
  type AnsweredLookUp,
  type KubeObject,
  LookUp,
  type LookUpAnswer,
  mapConcurrently,
  type ResourceType,
  type Uid,
} from '../../model/index.ts';
import { Backoff, type Timing } from '../transport/timing.ts';
import { ApiFailure } from '../watch/api-failure.ts';
import type { Depth } from '../watch/collection-requests.ts';
import type { Extent } from '../watch/type-monitor.ts';
import {
  foundAs,
  type LookUpContext,
  listObjects,
  mayRemoveFinalizers,
  readContentAt,
  readObjectAt,
  unreadReason,
  withinLimit,
} from './look-up-requests.ts';

export interface LookUpsOptions extends LookUpContext {
  readonly timing: Timing;
  readonly signal: AbortSignal;
  readonly typeOf: (apiVersion: string, kind: string) => ResourceType | undefined;
  /** The types that can be listed completely in the namespace; `''` for cluster-scoped ones. */
  readonly listed: (namespace: string) => readonly ResourceType[];
  readonly countOf: (type: ResourceType) => number;
  readonly extentOf: (type: ResourceType, namespace: string) => Extent;
  readonly found: (object: KubeObject) => void;
  readonly answered: (answers: readonly AnsweredLookUp[]) => void;
}

const AT_ONCE = 8;
/** The limit of kubectl's discovery (kubectl v0.36.3, pkg/cmd/cmd.go). */
const PER_SECOND = 50;
/** Milliseconds in which a watch usually brings a new object, without a request. */
const SETTLE_MS = 1_000;
const AGAIN_MS = 30_000;
/** A look-up still wanted this long after the answer `absent` means that the answer was forgotten. */
const FORGOTTEN_MS = 10_000;
const MOST_TRIES = 3;
const MANY = 20;
/** The number of listed objects that cost as much as a GET: 2 to 3 ms, against 15 µs each (20,000 pods, loopback). */
const WORTH = 150;

interface Wanted {
  readonly lookUp: LookUp;
  due: number;
  tries: number;
  isTold: boolean;
  readonly backoff: Backoff;
}

export class LookUps {
  readonly #options: LookUpsOptions;
  readonly #rate: Rate;
  #wanted = new Map<string, Wanted>();
  readonly #unlistable = new Set<string>();
  #waker = new AbortController();
  #running: Promise<void> | undefined;
  readonly #asking = new Set<Promise<void>>();

  constructor(options: LookUpsOptions) {
    this.#options = options;
    this.#rate = new Rate(options.timing, { atOnce: AT_ONCE, perSecond: PER_SECOND });
  }

  /** Replaces all wanted look-ups, in this order. `urgent`: the user waits for the answers. */
  want(lookUps: Iterable<LookUp>, urgent: boolean): void {
    const now = this.#options.timing.now();
    const wanted = new Map<string, Wanted>();
    for (const lookUp of lookUps) {
      const key = LookUp.key(lookUp);
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
      const woken = AbortSignal.any([signal, this.#waker.signal]);
      const wait = this.#askNext();
      await timing.sleep(Math.min(wait, AGAIN_MS), woken);
    }
  }

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
    if (lookUp.of === 'content')
      return this.#start([wanted], async signal => {
        const content = await readContentAt(this.#options, type, lookUp, signal);
        this.#tell([wanted], () =>
          content === undefined ? { state: 'absent' } : { state: 'content', content },
        );
      });
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
   * Reads by a GET; if that is forbidden, by a list of the name, for roles without `get`: on every kind it would
   * include `pods/exec`, whose GET ran commands in pods up to v1.34.
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

  /** Checks the extent again: the type may be listed by now, and a watch's objects are newer. */
  #found(object: KubeObject): void {
    const { extentOf, found } = this.#options;
    if (extentOf(object.type, object.namespace) === 'none') found(object);
  }

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

  /** Includes cluster-scoped dependents: they block a namespaced owner although such references are invalid. */
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
        ? { state: 'unknown', reason: 'the API server could not decide' }
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
      this.#unlistable.add(keyOfType(type));
      for (const each of wanted) each.due = now;
      return;
    }
    const reason = unreadReason(error);
    this.#tell(isRefused ? this.#sameRefusal(wanted) : wanted, () => ({ state: 'unknown', reason }));
  }

  /** Returns all look-ups that will be refused, because permissions cover a kind and namespace. */
  #sameRefusal(wanted: readonly Wanted[]): readonly Wanted[] {
    const [first] = wanted;
    if (first === undefined || first.lookUp.of === 'dependents') return wanted;
    if (first.lookUp.of === 'permission') {
      // A user who may not review one account's access may review none.
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

  /** Takes a place, to be returned by `leave`; false if none is free. */
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

  /** Milliseconds until the next request; infinite if one under way must end first. */
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
