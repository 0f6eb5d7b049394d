import {
  type AnsweredLookUp,
  type Change,
  Connection,
  type LookUp,
  type Pausing,
  type ReadPlan,
  type ReadScope,
  type ResourceType,
  ServerBehaviour,
  type SourceBatch,
  TypeCatalog,
  type Want,
} from '../model/index.ts';
import { v8Memory } from '../platform/index.ts';
import type { Source, SourceInfo } from '../source/index.ts';
import type { Discovery } from './discovery/discovery.ts';
import type { Catalogue } from './discovery/type-catalogue.ts';
import { LookUps } from './look-ups/look-ups.ts';
import { WantedReads } from './look-ups/wanted-reads.ts';
import { ObjectRequests } from './objects/object-requests.ts';
import type { ServerClock } from './transport/server-clock.ts';
import { systemTiming, type Timing } from './transport/timing.ts';
import type { Transport } from './transport/transport.ts';
import type { Pauses } from './transport/with-retries.ts';
import { giveWay } from './watch/collection-requests.ts';
import { ConnectionMonitor } from './watch/connection-monitor.ts';
import { FollowedTypes } from './watch/followed-types.ts';
import { Gate } from './watch/gate.ts';
import type { First, MonitorContext } from './watch/type-monitor.ts';
import { Pool } from './wire/pool.ts';

export interface ClusterSourceOptions {
  readonly transport: Transport;
  readonly discovery: Pick<Discovery, 'refresh' | 'cached' | 'recalled'>;
  readonly context: string | undefined;
  readonly namespace: string;
  /** The namespaces to read if the whole cluster may not be listed; `[namespace]` by default. */
  readonly namespaces?: readonly string[];
  readonly timing?: Timing;
  readonly clock?: ServerClock;
  readonly warnings?: { readonly lines: readonly string[] };
  readonly pauses?: Pauses;
}

const PLACES = 16;
/** Concurrent lists in the background, so that others find a place. */
const PLACES_BEHIND = 8;
/** Lists of one namespace are small: all kinds are listed at once to save round trips. */
const PLACES_IN_NAMESPACES = 64;
/** Changes are collected this long, less than a frame of the screen. */
const BATCH_MS = 10;
/** The most look-up answers in one batch, because thousands of dependents may be judged again. */
const MOST_ANSWERS = 100;
/** The types served last time are read this long without confirmation; a longer wait is usually a login. */
const GUESS_MS = 2_000;
const LOOK_MS = 100;
/** Matches kube-controller-manager (docs/kubernetes.md §5). */
const REDISCOVERY_MS = 30_000;
/** Pauses after a CRD or APIService changed: a type may be served shortly before or after. */
const SOON_MS: readonly number[] = [200, 800, 2_000];
/** The longest wait of other reads for the first namespace. */
const FIRST_PATIENCE_MS = 2_000;
/** The longest wait of watches for the lists of all kinds. */
const LISTED_PATIENCE_MS = 5_000;

export class ClusterSource extends ObjectRequests implements Source {
  readonly graphComplete: Promise<void>;
  readonly factsComplete: Promise<void>;
  readonly #options: ClusterSourceOptions;
  readonly #timing: Timing;
  readonly #closing = new AbortController();
  readonly #connection: ConnectionMonitor;
  readonly #monitorContext: MonitorContext;
  readonly #types: FollowedTypes;
  #wants: WantedReads;
  readonly #running: Promise<unknown>[] = [];
  readonly #graph = Promise.withResolvers<void>();
  readonly #facts = Promise.withResolvers<void>();
  /** Resolves once the served types are known, or on close. */
  readonly #begun = Promise.withResolvers<void>();
  readonly #listed = Promise.withResolvers<void>();
  #listener: ((batch: SourceBatch) => void) | undefined;
  #changes: Change[] = [];
  #catalogue: Catalogue | undefined;
  /** The types served last time, read until the server confirms them. */
  #guess: Catalogue | undefined;
  #forgotten = 0;
  #catalogueChanged = false;
  #follows = true;
  #readsFacts = true;
  #readsStates = false;
  #scope: ReadScope | undefined;
  #first: First | undefined;
  #preferred: string | undefined;
  #scopeChanged = false;
  #connectionChange: Connection | undefined;
  #pausingChanged = false;
  readonly #answers: AnsweredLookUp[] = [];
  #lookUps: LookUps | undefined;
  #catalog: TypeCatalog | undefined;
  #collecting: AbortController | undefined;
  #started = false;
  #rediscover = new AbortController();
  readonly #rediscovery = {};
  #hurry: readonly number[] = [];

  constructor(options: ClusterSourceOptions) {
    super(options.transport);
    this.#options = options;
    this.#timing = options.timing ?? systemTiming;
    this.graphComplete = this.#graph.promise;
    this.factsComplete = this.#facts.promise;
    this.#connection = new ConnectionMonitor({
      transport: options.transport,
      timing: this.#timing,
      signal: this.#closing.signal,
      report: connection => this.#reportConnection(connection),
      anew: () => {
        this.#types.beginAnew();
        this.#rediscoverSoon();
      },
      begun: this.#begun.promise,
    });
    if (options.pauses !== undefined) {
      options.pauses.changed = () => {
        this.#pausingChanged = true;
        this.#scheduleFlush();
      };
    }
    this.#monitorContext = {
      transport: options.transport,
      connection: this.#connection,
      pool: new Pool(),
      gate: new Gate(PLACES, PLACES_BEHIND),
      gateOfNamespaces: new Gate(PLACES_IN_NAMESPACES, PLACES_IN_NAMESPACES),
      timing: this.#timing,
      namespaces: options.namespaces ?? [options.namespace],
      follows: () => this.#follows,
      first: () => this.#first,
      // A server with kept ETags is recent enough.
      newestIsCheap: () => this.#guess !== undefined || this.#listsFromCache(),
      listed: this.#listed.promise,
      facts: () => this.#readsFacts,
      states: () => this.#readsStates,
      waiting: pause => options.pauses?.begin(pause) ?? (() => {}),
      vanished: () => this.#rediscoverSoon(),
    };
    this.#types = new FollowedTypes({
      context: this.#monitorContext,
      scope: () => this.#scope,
      statusChanged: () => this.#arrived(),
      objectChanged: change => {
        this.#changes.push(change);
        this.#scheduleFlush();
      },
      definitionChanged: () => {
        // During the first lists nothing has changed yet.
        if (this.#isListed) this.#rediscoverSoon();
      },
    });
    this.#wants = this.#newWants();
  }

  #reportConnection(connection: Connection): void {
    const offset = this.#options.clock?.offset ?? 0;
    // Every state is reported, however short: objects confirmed before a loss may be outdated after it.
    if (this.#connectionChange !== undefined && this.#started) this.#flush();
    this.#connectionChange = Connection.isBehind(connection)
      ? { ...connection, since: connection.since + offset }
      : connection;
    this.#scheduleFlush();
    if (connection.state !== 'lost') this.#types.wake();
  }

  get warnings(): readonly string[] {
    return this.#options.warnings?.lines ?? [];
  }

  get info(): SourceInfo {
    const { context, namespace, clock } = this.#options;
    const serverVersion = this.#catalogue?.serverVersion;
    return { source: 'cluster', context, namespace, serverVersion, clockOffset: clock?.offset };
  }

  async start(listener: (batch: SourceBatch) => void, reading: ReadPlan = {}): Promise<void> {
    this.#listener = listener;
    this.#follows = reading.follows ?? true;
    this.#readsFacts = reading.facts ?? true;
    this.#readsStates = reading.states ?? false;
    const discovering = new AbortController();
    void this.#tellWaiting(listener, AbortSignal.any([discovering.signal, this.#closing.signal]));
    const catalogue = await this.#discover(reading).finally(() => discovering.abort());
    if (this.#closing.signal.aborted) return;
    if (this.#guess === undefined) this.#beginScope(reading, catalogue);
    this.#connectionChange = { state: 'live' };
    if (this.#guess === undefined) this.#readTypes(reading, () => this.#adopt(catalogue));
    else this.#adopt(catalogue);
    this.#guess = undefined;
    this.#wantNamespaces(catalogue);
    this.#started = true;
    this.#flush();
    if (this.#preferred !== undefined) this.prefer(this.#preferred);
    this.#begun.resolve();
    this.#running.push(this.#connection.run(this.#follows));
    if (this.#follows) this.#running.push(this.#rediscoverForEver());
    void this.#timing.sleep(LISTED_PATIENCE_MS, this.#closing.signal).then(() => this.#listed.resolve());
  }

  /**
   * Reads the types served last time meanwhile, but reports nothing of them until the server confirms them. They are
   * dropped if it serves others or is slow.
   */
  async #discover(reading: ReadPlan): Promise<Catalogue> {
    const { discovery } = this.#options;
    const guess = await discovery.recalled();
    if (guess !== undefined && !this.#closing.signal.aborted) this.#readAhead(reading, guess);
    try {
      const catalogue = await discovery.refresh();
      if (this.#guess !== undefined && !isSame(this.#guess.types, catalogue.types)) this.#forgetGuess();
      return catalogue;
    } catch (error) {
      this.#forgetGuess();
      throw error;
    }
  }

  #readAhead(reading: ReadPlan, guess: Catalogue): void {
    try {
      this.#beginScope(reading, guess);
    } catch {
      return;
    }
    this.#guess = guess;
    this.#readTypes(reading, () => this.#types.adopt(guess));
    this.#wantNamespaces(guess);
    void this.#timing.sleep(GUESS_MS, this.#closing.signal).then(() => this.#forgetGuess());
  }

  #forgetGuess(): void {
    if (this.#guess === undefined) return;
    this.#guess = undefined;
    this.#forgotten++;
    this.#types.forget();
    this.#wants = this.#newWants();
    this.#changes = [];
    this.#answers.splice(0);
  }

  #beginScope({ scope }: ReadPlan, { types }: Catalogue): void {
    if (scope !== undefined) this.#scope = scope(new TypeCatalog(types));
    if (this.#scope === undefined) v8Memory.expectMuch();
    else if (!this.#follows) v8Memory.expectLittle();
    this.#scopeChanged = this.#scope !== undefined;
  }

  /** Reads the scope's namespaces, because their deletion always matters. */
  #wantNamespaces({ types }: Catalogue): void {
    const type = types.find(({ group, resource }) => group === '' && resource === 'namespaces');
    if (this.#scope === undefined || type === undefined) return;
    this.#wants.want(this.#scope.namespaces.map(name => ({ type, namespace: '', name })));
  }

  /** Reads the types that `adopt` adds, with the first namespace before the rest. */
  #readTypes({ first, afterFirst }: ReadPlan, adopt: () => void): void {
    if (this.#scope !== undefined || first === undefined) return adopt();
    const listed = Promise.withResolvers<void>();
    this.#first = { namespace: first, listed: listed.promise };
    adopt();
    this.#first = undefined;
    void this.#tellFirst(first, afterFirst).then(listed.resolve);
    void this.#timing.sleep(FIRST_PATIENCE_MS, this.#closing.signal).then(listed.resolve);
  }

  async #tellFirst(first: string, afterFirst: ReadPlan['afterFirst']): Promise<void> {
    const forgotten = this.#forgotten;
    await this.#types.seen(first);
    await this.#begun.promise;
    if (forgotten !== this.#forgotten || this.#closing.signal.aborted) return;
    if (this.#collecting !== undefined) this.#flush();
    await afterFirst?.();
  }

  get #pausing(): Pausing | undefined {
    const pausing = this.#options.pauses?.current;
    const offset = this.#options.clock?.offset ?? 0;
    return pausing && { ...pausing, until: pausing.until + offset };
  }

  async #tellWaiting(listener: (batch: SourceBatch) => void, signal: AbortSignal): Promise<void> {
    let told: string | undefined;
    for (;;) {
      await this.#timing.sleep(LOOK_MS, signal);
      if (signal.aborted) return;
      const who = this.#options.transport.waiting?.who ?? this.#options.pauses?.who;
      if (who === told) continue;
      told = who;
      listener({
        changes: [],
        connection: { state: 'connecting', ...(who !== undefined && { waitingFor: who }) },
      });
    }
  }

  want(wants: Iterable<Want>): void {
    this.#wants.want(wants);
  }

  forgetWants(): void {
    this.#wants.forget();
  }

  prefer(namespace: string): void {
    this.#preferred = namespace;
    if (this.#started && this.#scope === undefined) this.#types.prefer(namespace);
  }

  giveWay(milliseconds: number): void {
    giveWay(milliseconds);
  }

  lookUp(wanted: Iterable<LookUp>, { urgent }: { readonly urgent: boolean }): void {
    this.#lookUps ??= this.#newLookUps();
    this.#lookUps.want(wanted, urgent);
  }

  #newWants(): WantedReads {
    const wants: WantedReads = new WantedReads({
      ...this.#monitorContext,
      types: this.#types,
      signal: this.#closing.signal,
      answered: answer => {
        if (this.#wants !== wants) return;
        this.#answers.push(answer);
        this.#arrived();
      },
    });
    return wants;
  }

  #newLookUps(): LookUps {
    return new LookUps({
      ...this.#monitorContext,
      signal: this.#closing.signal,
      typeOf: (apiVersion, kind) => this.#typeOf(apiVersion, kind),
      listed: namespace =>
        this.#types.statuses
          .filter(({ type, state, namespaces }) => {
            if (state !== 'synced') return false;
            return namespaces === undefined || (type.namespaced && namespaces.includes(namespace));
          })
          .map(({ type }) => type),
      countOf: type => this.#types.countOf(type),
      extentOf: (type, namespace) =>
        this.#scope === undefined ? 'cluster' : this.#types.extentOf(type, namespace),
      found: object => this.#wants.keep(object),
      answered: answers => {
        this.#answers.push(...answers);
        this.#scheduleFlush();
      },
    });
  }

  #typeOf(apiVersion: string, kind: string): ResourceType | undefined {
    this.#catalog ??= new TypeCatalog(this.#catalogue?.types ?? []);
    return this.#catalog.resolveKind(apiVersion, kind);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#begun.resolve();
    this.#listener = undefined;
    this.#endCollecting();
    await Promise.all([this.#types.stop(), this.#lookUps?.stop(), this.#options.transport.close()]);
    await Promise.all(this.#running);
  }

  #adopt(catalogue: Catalogue): void {
    if (catalogue.types.length === 0) return;
    const isNews = catalogue !== this.#catalogue;
    if (isNews) {
      this.#catalogue = catalogue;
      this.#catalog = undefined;
      this.#catalogueChanged = true;
    }
    this.#types.adopt(catalogue);
    if (isNews) this.#scheduleFlush();
  }

  async #rediscoverForEver(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const pause = this.#hurry[0] ?? REDISCOVERY_MS;
      await this.#timing.sleep(pause, AbortSignal.any([signal, this.#rediscover.signal]));
      if (signal.aborted) return;
      if (this.#rediscover.signal.aborted) {
        this.#rediscover = new AbortController();
        continue;
      }
      this.#hurry = this.#hurry.slice(1);
      this.#connection.fellBehind(this.#rediscovery);
      try {
        const catalogue = await this.#options.discovery.refresh();
        if (signal.aborted) return;
        this.#connection.follows(this.#rediscovery);
        this.#adopt(catalogue);
      } catch (error) {
        if (signal.aborted) return;
        await this.#connection.failed(error instanceof Error ? error.message : '');
      }
    }
  }

  #rediscoverSoon(): void {
    // A burst of changes costs one discovery request.
    if (this.#hurry.length === SOON_MS.length) return;
    this.#hurry = SOON_MS;
    this.#rediscover.abort();
  }

  #arrived(): void {
    const isOne = this.#scope !== undefined && !this.#follows;
    if (isOne && this.#started && !this.#isReading) this.#flush();
    else this.#scheduleFlush();
  }

  get #isReading(): boolean {
    return this.#wants.areAsked || this.#types.areListing;
  }

  #scheduleFlush(): void {
    if (!this.#started || this.#collecting !== undefined || this.#closing.signal.aborted) return;
    const collecting = new AbortController();
    this.#collecting = collecting;
    void this.#timing.sleep(BATCH_MS, collecting.signal).then(() => {
      if (this.#collecting === collecting) this.#flush();
    });
  }

  #endCollecting(): void {
    const collecting = this.#collecting;
    this.#collecting = undefined;
    collecting?.abort();
  }

  #flush(): void {
    this.#endCollecting();
    if (this.#listener === undefined) return;
    const statuses = this.#types.takeChanged();
    const catalogue = this.#catalogueChanged ? this.#catalogue : undefined;
    const scope = this.#scopeChanged ? this.#scope : undefined;
    const batch: SourceBatch = {
      ...(catalogue !== undefined && { types: catalogue.types, failedGroups: catalogue.failedGroups }),
      ...(scope !== undefined && { scope }),
      changes: this.#changes,
      ...(statuses.length > 0 && { statuses }),
      ...(this.#connectionChange !== undefined && { connection: this.#connectionChange }),
      ...(this.#pausingChanged && { pausing: this.#pausing ?? null }),
      ...(this.#answers.length > 0 && { lookUps: this.#answers.splice(0, MOST_ANSWERS) }),
    };
    this.#catalogueChanged = false;
    this.#scopeChanged = false;
    this.#changes = [];
    this.#connectionChange = undefined;
    this.#pausingChanged = false;
    if (this.#answers.length > 0) this.#scheduleFlush();
    this.#listener(batch);
    this.#settle();
  }

  #isListed = false;

  /** On v1.36, a consistent list from the cache takes 1 to 2 ms more than one at any version. */
  #listsFromCache(): boolean {
    const behaviour = new ServerBehaviour(this.#catalogue?.serverVersion);
    return behaviour.unproven !== 'unknown' && behaviour.has('consistentListFromCache');
  }

  #settle(): void {
    if (this.#isListed || this.#isReading) return;
    this.#isListed = true;
    this.#listed.resolve();
    this.#graph.resolve();
    if (this.#readsFacts) this.#facts.resolve();
  }
}

function isSame(a: readonly ResourceType[], b: readonly ResourceType[]): boolean {
  return a.length === b.length && a.every((type, index) => type === b[index]);
}
