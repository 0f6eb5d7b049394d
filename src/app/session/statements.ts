/**
 * Has the object under the cursor say why it stays, and keeps that fresh while its details are shown: whoever is asked is
 * asked again when it has changed. Looked at after every message.
 */
import type { Statement } from '../../diagnosis/explain/statements.ts';
import { identityOfObject } from '../../graph/ownership-node.ts';
import type { KubeObject } from '../../model/object.ts';
import { saidOf } from '../../source/said-of.ts';
import { type Source, SourceError } from '../../source/source.ts';
import { currentNode } from '../state/current.ts';
import { layoutOf } from '../state/layout.ts';
import type { Message } from '../state/messages.ts';
import type { State } from '../state/state.ts';

/** The cursor passes by most objects, and one that changes all the time is asked no more often. */
const PAUSE_MS = 500;

export interface StatementRunnerOptions {
  readonly now: () => number;
  readonly getState: () => State;
  /** The one that is shown. */
  readonly source: () => Source | undefined;
  readonly dispatch: (message: Extract<Message, { type: 'statements' }>) => void;
}

export class StatementRunner {
  readonly #options: StatementRunnerOptions;
  /** What was looked at last: somebody else may be asked when one of it changes. */
  #seen: readonly unknown[] = [];
  #seenAt = Number.NEGATIVE_INFINITY;
  /** The versions of whom was asked last. */
  #asked = '';
  #askedOf: Source | undefined;
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
    const seen = [source, node.uid, state.revision];
    if (seen.every((part, index) => part === this.#seen[index])) return;
    const now = this.#options.now();
    // The screen's clock looks here every second.
    if (now - this.#seenAt < PAUSE_MS) return;
    this.#seen = seen;
    this.#seenAt = now;
    const speakers = problems.diagnostics.speakersOf(problems.diagnosis, node);
    const asked = [node.uid, ...speakers.map(({ uid, resourceVersion }) => `${uid} ${resourceVersion}`)].join(
      '\n',
    );
    if (asked === this.#asked && source === this.#askedOf) return;
    this.#asked = asked;
    this.#askedOf = source;
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    void this.#ask(source, speakers, asking.signal).then(said => {
      if (!asking.signal.aborted)
        this.#options.dispatch({ type: 'statements', statements: { uid: node.uid, said } });
    });
  }

  stop(): void {
    this.#asking?.abort();
  }

  /** What cannot be read says nothing. */
  async #ask(source: Source, speakers: readonly KubeObject[], signal: AbortSignal): Promise<Statement[]> {
    const asked = speakers.map(async speaker => {
      const { type, namespace, name } = speaker;
      const object = identityOfObject(speaker);
      try {
        const said = await saidOf(source, speaker, () => source.get(type, namespace, name, signal));
        return said.map(each => ({ ...each, object }));
      } catch (error) {
        if (error instanceof SourceError || signal.aborted) return [];
        throw error;
      }
    });
    return (await Promise.all(asked)).flat();
  }
}
