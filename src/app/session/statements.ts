/** Rereads, after each message, statements on why the object under the cursor stays, if they may have changed. */
import type { Speakers, Statement } from '../../diagnosis/index.ts';
import { identityOfObject } from '../../graph/index.ts';
import type { KubeObject } from '../../model/index.ts';
import { hear, type JsonObject, type Source, SourceError } from '../../source/index.ts';
import { layoutOf } from '../state/layout.ts';
import type { Message } from '../state/messages.ts';
import type { State } from '../state/state.ts';
import { currentNode } from '../views/current.ts';

/** Milliseconds between requests, also for a passing cursor or a busy object. */
const PAUSE_MS = 500;
/** Milliseconds until events, which aren't watched, are read again. */
const FRESH_MS = 30_000;

export interface StatementRunnerOptions {
  readonly now: () => number;
  readonly getState: () => State;
  readonly source: () => Source | undefined;
  readonly dispatch: (message: Extract<Message, { type: 'statements' }>) => void;
}

export class StatementRunner {
  readonly #options: StatementRunnerOptions;
  /** Inputs of the last request; a change may need other speakers. */
  #seen: readonly unknown[] = [];
  #seenAt = Number.NEGATIVE_INFINITY;
  #asked = '';
  #askedOf: Source | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: AbortController | undefined;

  constructor(options: StatementRunnerOptions) {
    this.#options = options;
  }

  follow(): void {
    const state = this.#options.getState();
    const source = this.#options.source();
    const node = currentNode(state);
    const { problems } = state.cluster ?? {};
    if (source === undefined || node?.beingDeleted !== true || problems?.covers(node.identity) !== true)
      return;
    if (layoutOf(state).details === undefined) return;
    const now = this.#options.now();
    const seen = [source, node.uid, state.revision];
    const isFresh = source.events === undefined || now - this.#askedAt < FRESH_MS;
    if (isFresh && seen.every((part, index) => part === this.#seen[index])) return;
    if (now - this.#seenAt < PAUSE_MS) return;
    this.#seen = seen;
    this.#seenAt = now;
    const speakers = problems.diagnostics.speakersOf(problems.diagnosis, node);
    // The expected actor changes all the time, without news, and is left out.
    const versions = [...speakers.own, ...speakers.events.slice(0, 1)].map(
      each => `${each.uid} ${each.resourceVersion}`,
    );
    const asked = [node.uid, ...versions].join('\n');
    if (isFresh && asked === this.#asked && source === this.#askedOf) return;
    this.#asked = asked;
    this.#askedOf = source;
    this.#askedAt = now;
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    void this.#ask(source, speakers, asking.signal).then(said => {
      if (said !== undefined && !asking.signal.aborted)
        this.#options.dispatch({ type: 'statements', statements: { uid: node.uid, said } });
    });
  }

  stop(): void {
    this.#asking?.abort();
  }

  /** Skips unreadable speakers; resolves to undefined if aborted. */
  async #ask(
    source: Source,
    speakers: Speakers,
    signal: AbortSignal,
  ): Promise<readonly Statement[] | undefined> {
    const read = async ({ type, namespace, name }: KubeObject): Promise<JsonObject | undefined> => {
      try {
        return await source.get(type, namespace, name, signal);
      } catch (error) {
        if (error instanceof SourceError || signal.aborted) return undefined;
        throw error;
      }
    };
    const { statements } = await hear(source, speakers, { read, identityOf: identityOfObject, signal });
    return signal.aborted ? undefined : statements;
  }
}
