/**
 * What questions are asked about, as a source for each of them: opened once, followed by how much of it is read, and
 * answered from as by a command of its own. Nothing can be changed through it: there is no way to send anything.
 */
import type { SourceBatch } from '../../model/exchange/changes.ts';
import type { ReadPlan, ReadScope } from '../../model/exchange/reads.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import { type JsonObject, type Source, SourceError, type SourceInfo } from '../../source/source.ts';
import type { Io } from '../runtime/io.ts';
import { Follower } from './follower.ts';

/** So many scopes are followed, each by watches of its own. */
const MOST_FOLLOWED = 5;
/** What nobody has asked about for so long isn't followed any more. */
const IDLE_MILLISECONDS = 10 * 60_000;
/** Questions that wait or are being answered. */
const MOST_QUESTIONS = 32;

export interface SharedSourceOptions {
  /** Not started yet. Rejects with a `SourceError` or a `UsageError`. */
  readonly open: () => Promise<Source>;
  readonly io: Pick<Io, 'now' | 'pause'>;
}

/** A follower, and when it is this question's turn: resolves with how to give it back. */
interface Reserved {
  readonly follower: Follower;
  readonly turn: Promise<() => void>;
}

export class SharedSource {
  readonly #options: SharedSourceOptions;
  /** By their scopes, the one that was asked last at the end. */
  readonly #followers = new Map<string, Follower>();
  readonly #idle = new Map<Follower, NodeJS.Timeout>();
  readonly #closing: Promise<unknown>[] = [];
  /** Says what is asked, before that is read; the first follower reads it. */
  #opened: Promise<Source> | undefined;
  #unread: Source | undefined;
  #starting: Promise<unknown> = Promise.resolve();
  #questions = 0;
  #isClosed = false;

  constructor(options: SharedSourceOptions) {
    this.#options = options;
  }

  /** The source of one question, which closes it. Rejects as opening does. */
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

  /** The one that reads so much. One begins at a time: what it brings out spares others the same. */
  reserve(scope: ReadPlan['scope']): Promise<Reserved> {
    // One that is there needn't wait for one that begins, which may take as long as a server is silent.
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
    // What isn't known to be served may be served by now.
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

  /** A question was answered. */
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

  /** Closed once the questions that it was asked are answered. */
  #drop(key: string, follower: Follower): void {
    this.#followers.delete(key);
    clearTimeout(this.#idle.get(follower));
    this.#idle.delete(follower);
    this.#closing.push(follower.turn().then(() => follower.source.close()));
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw new SourceError('this connection was closed.');
  }

  /** Questions that are being answered are broken off. */
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
  readonly said?: NonNullable<Source['said']>;
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

  /** What the source that was opened can be asked can be asked of this one, as far as that only reads. */
  constructor(shared: SharedSource, opened: Source) {
    this.#shared = shared;
    this.#opened = opened;
    this.graphComplete = this.#read.promise;
    this.factsComplete = this.#read.promise;
    const has = opened;
    if (has.getMetadata) this.getMetadata = (...asked) => this.#source.getMetadata!(...asked);
    if (has.said) this.said = uid => this.#source.said!(uid);
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
    // An answer of before may be another one by now, and this question hasn't heard it.
    follower.source.forgetWants?.();
    await follower.read();
    // Given back meanwhile.
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
