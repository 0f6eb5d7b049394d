/** Shares one opened source among questions, each of which sees its own. Nothing can be sent through it. */
import type { ReadPlan, ReadScope, ResourceType, SourceBatch } from '../../model/index.ts';
import { type JsonObject, type Source, SourceError, type SourceInfo } from '../../source/index.ts';
import type { Io } from '../runtime/io.ts';
import { Follower } from './follower.ts';

/** Scopes to follow at once, each with its own watches. */
const MOST_FOLLOWED = 5;
/** Scopes without questions for this long are no longer followed. */
const IDLE_MILLISECONDS = 10 * 60_000;
const MOST_QUESTIONS = 32;

export interface SharedSourceOptions {
  /** Opens the source without starting it. Rejects with a `SourceError` or a `UsageError`. */
  readonly open: () => Promise<Source>;
  readonly io: Pick<Io, 'now' | 'pause'>;
}

interface Reserved {
  readonly follower: Follower;
  readonly turn: Promise<() => void>;
}

export class SharedSource {
  readonly #options: SharedSourceOptions;
  /** Followers by scope, the most recent last. */
  readonly #followers = new Map<string, Follower>();
  readonly #idle = new Map<Follower, NodeJS.Timeout>();
  readonly #closing: Promise<unknown>[] = [];
  /** The opened source, whose info is read before its data; the first follower reads it. */
  #opened: Promise<Source> | undefined;
  #unread: Source | undefined;
  #starting: Promise<unknown> = Promise.resolve();
  #questions = 0;
  #isClosed = false;

  constructor(options: SharedSourceOptions) {
    this.#options = options;
  }

  /** Opens a source for one question, which closes it. Rejects like opening. */
  async question(): Promise<Source> {
    this.#refuseClosed();
    if (this.#questions >= MOST_QUESTIONS)
      throw new SourceError(`${MOST_QUESTIONS} questions are being answered. Ask again when one is.`);
    this.#questions += 1;
    try {
      this.#opened ??= this.#open();
      return new QuestionSource(this, await this.#opened);
    } catch (error) {
      this.#opened = undefined;
      this.#questions -= 1;
      throw error;
    }
  }

  async #open(): Promise<Source> {
    const source = await this.#options.open();
    this.#unread = source;
    return source;
  }

  /** Returns the follower of a scope. Followers begin one at a time, as each may save others the same discovery. */
  reserve(scope: ReadPlan['scope']): Promise<Reserved> {
    // An existing follower needn't wait for a new one, which may take as long as a silent server.
    const known = this.#known(scope);
    if (known !== undefined) return Promise.resolve({ follower: known, turn: known.turn() });
    const found = this.#starting.then(async () => {
      this.#refuseClosed();
      const follower = this.#known(scope) ?? (await this.#begin(scope));
      return { follower, turn: follower.turn() };
    });
    this.#starting = found.catch(() => {});
    return found;
  }

  #known(scope: ReadPlan['scope']): Follower | undefined {
    const last = [...this.#followers.values()].at(-1);
    const chosen = last && scope?.(last.view.catalog);
    // An unserved kind may be served by now.
    if (last === undefined || chosen?.namespaces.length === 0) return undefined;
    const key = keyOf(chosen);
    const found = this.#followers.get(key);
    if (found === undefined) return undefined;
    this.#followers.delete(key);
    this.#followers.set(key, found);
    return found;
  }

  async #begin(scope: ReadPlan['scope']): Promise<Follower> {
    const source = this.#unread ?? (await this.#options.open());
    this.#unread = undefined;
    const follower = new Follower(source, this.#options.io);
    let chosen: ReadScope | undefined;
    try {
      await follower.begin(
        scope &&
          (catalog => {
            chosen = scope(catalog);
            return chosen;
          }),
      );
      this.#refuseClosed();
    } catch (error) {
      this.#closing.push(source.close());
      throw error;
    }
    const key = keyOf(chosen);
    const older = this.#followers.get(key);
    if (older !== undefined) this.#drop(key, older);
    this.#followers.set(key, follower);
    for (const [each, idle] of [...this.#followers].slice(0, -MOST_FOLLOWED)) this.#drop(each, idle);
    return follower;
  }

  answered(follower: Follower | undefined): void {
    this.#questions -= 1;
    if (follower === undefined || this.#isClosed) return;
    clearTimeout(this.#idle.get(follower));
    const timer = setTimeout(() => {
      const [key] = [...this.#followers].find(([, each]) => each === follower) ?? [];
      if (key !== undefined && follower.isIdle) this.#drop(key, follower);
    }, IDLE_MILLISECONDS);
    this.#idle.set(follower, timer.unref());
  }

  #drop(key: string, follower: Follower): void {
    this.#followers.delete(key);
    clearTimeout(this.#idle.get(follower));
    this.#idle.delete(follower);
    this.#closing.push(follower.turn().then(() => follower.source.close()));
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw new SourceError('this connection was closed.');
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#idle.values()) clearTimeout(timer);
    const open = [...this.#followers.values()].map(({ source }) => source);
    this.#followers.clear();
    await this.#opened?.catch(() => {});
    await Promise.all([...open, ...(this.#unread ? [this.#unread] : [])].map(source => source.close()));
    await this.#starting;
    await Promise.all(this.#closing);
  }
}

function keyOf(scope: ReadScope | undefined): string {
  return scope === undefined ? 'everything' : JSON.stringify(scope.namespaces);
}

class QuestionSource implements Source {
  readonly graphComplete: Promise<void>;
  readonly factsComplete: Promise<void>;
  readonly getMetadata?: NonNullable<Source['getMetadata']>;
  readonly content?: NonNullable<Source['content']>;
  readonly events?: NonNullable<Source['events']>;
  readonly eventsOfGone?: NonNullable<Source['eventsOfGone']>;
  readonly fileLine?: NonNullable<Source['fileLine']>;
  readonly want?: NonNullable<Source['want']>;
  readonly lookUp?: NonNullable<Source['lookUp']>;
  readonly nodeRemovals?: NonNullable<Source['nodeRemovals']>;
  readonly managerPage?: NonNullable<Source['managerPage']>;
  readonly #shared: SharedSource;
  readonly #opened: Source;
  readonly #read = Promise.withResolvers<void>();
  #follower: Follower | undefined;
  #giveBack: (() => void) | undefined;
  #stopTelling: () => void = () => {};
  #isClosed = false;

  /** Offers the opened source's read-only methods. */
  constructor(shared: SharedSource, opened: Source) {
    this.#shared = shared;
    this.#opened = opened;
    this.graphComplete = this.#read.promise;
    this.factsComplete = this.#read.promise;
    const has = opened;
    if (has.getMetadata) this.getMetadata = (...asked) => this.#source.getMetadata!(...asked);
    if (has.content) this.content = object => this.#source.content!(object);
    if (has.events) this.events = (...asked) => this.#source.events!(...asked);
    if (has.eventsOfGone) this.eventsOfGone = (...asked) => this.#source.eventsOfGone!(...asked);
    if (has.fileLine) this.fileLine = uid => this.#source.fileLine!(uid);
    if (has.want) this.want = wants => this.#source.want!(wants);
    if (has.lookUp) this.lookUp = (wanted, how) => this.#source.lookUp!(wanted, how);
    if (has.nodeRemovals) this.nodeRemovals = () => this.#source.nodeRemovals!();
    if (has.managerPage) this.managerPage = (...asked) => this.#source.managerPage!(...asked);
  }

  get #source(): Source {
    return this.#follower?.source ?? this.#opened;
  }

  get info(): SourceInfo {
    return this.#source.info;
  }

  get warnings(): readonly string[] {
    return this.#source.warnings ?? [];
  }

  async start(listener: (batch: SourceBatch) => void, { scope }: ReadPlan = {}): Promise<void> {
    const isCluster = this.info.source === 'cluster';
    const { follower, turn } = await this.#shared.reserve(isCluster ? scope : undefined);
    const giveBack = await turn;
    if (this.#isClosed) return giveBack();
    this.#follower = follower;
    this.#giveBack = giveBack;
    // Earlier answers may be outdated, and this question didn't hear them.
    follower.source.forgetWants?.();
    await follower.read();
    if (this.#giveBack === undefined) return;
    this.#stopTelling = follower.tell(listener);
    this.#read.resolve();
  }

  get(
    type: ResourceType,
    namespace: string,
    name: string,
    signal?: AbortSignal,
  ): Promise<JsonObject | undefined> {
    return this.#source.get(type, namespace, name, signal);
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = true;
    this.#stopTelling();
    this.#giveBack?.();
    this.#giveBack = undefined;
    this.#shared.answered(this.#follower);
    return Promise.resolve();
  }
}
