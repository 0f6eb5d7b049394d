/**
 * Runs the screen without drawing it: holds the state, feeds it messages, and does what the effects ask for.
 * Everything outside comes in as ports, so that tests run it with a clock and a scheduler of their own.
 */

import type { Uid } from '../../model/object.ts';
import { withoutCredentials } from '../../model/text/credentials.ts';
import { type Source, SourceError } from '../../source/source.ts';
import { sanitise } from '../../text/terminal/sanitise.ts';
import type { Span } from '../../text/terminal/style.ts';
import { AccessRunner } from '../actions/access/runner.ts';
import { ActionRunner } from '../actions/runner.ts';
import { managersOf, yamlOf } from '../details/object-documents.ts';
import { SearchRunner } from '../search/runner.ts';
import type { Effect, Message } from '../state/messages.ts';
import { initialState, type ScreenOptions, type State } from '../state/state.ts';
import { update } from '../state/update.ts';
import { ExportRunner } from './export-runner.ts';
import { JudgeRunner } from './judge.ts';
import { LookUpRunner } from './look-ups.ts';
import { askPodGcSigns, type PodGcSignsContext } from './podgc-signs.ts';
import type { Cancel, Ports } from './ports.ts';
import { SourceRunner } from './source.ts';

export interface SessionOptions {
  readonly screen: ScreenOptions;
  readonly columns: number;
  readonly rows: number;
  readonly ports: Ports;
}

/** Ages and durations on the screen move this often. */
const TICK_MS = 1_000;
export class ScreenSession {
  #state: State;
  readonly #ports: Ports;
  readonly #listeners = new Set<() => void>();
  readonly #sources: SourceRunner;
  readonly #searches: SearchRunner;
  readonly #actions: ActionRunner;
  readonly #accesses: AccessRunner;
  readonly #exports: ExportRunner;
  readonly #judge: JudgeRunner;
  readonly #lookUps: LookUpRunner;
  #unfolding: Cancel | undefined;
  #ticking: Cancel | undefined;
  #ended = false;

  constructor({ screen, columns, rows, ports }: SessionOptions) {
    this.#ports = ports;
    this.#sources = new SourceRunner({
      ports,
      getState: this.getState,
      tell: this.dispatch,
      // What was begun on another cluster isn't followed any longer.
      changing: () => void this.#actions.close(),
      describe,
    });
    this.#searches = new SearchRunner(ports, found => this.dispatch(found));
    this.#actions = new ActionRunner({
      ports,
      getState: this.getState,
      tell: (number, news) => this.dispatch({ type: 'action', number, news }),
      describe,
    });
    this.#accesses = new AccessRunner(ports, access => this.dispatch({ type: 'access', access }));
    this.#exports = new ExportRunner(ports, notice => this.dispatch(notice));
    this.#judge = new JudgeRunner({
      ports,
      getState: this.getState,
      done: () => this.dispatch({ type: 'judged' }),
    });
    this.#lookUps = new LookUpRunner({
      getState: this.getState,
      source: () => this.#sources.shown?.source,
      now: () => ports.now(),
    });
    this.#state = initialState({ options: screen, columns, rows, now: ports.now() });
  }

  readonly getState = (): State => this.#state;

  readonly subscribe = (listener: () => void): Cancel => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Opens the source and begins to tick. */
  start(): void {
    this.#run({ type: 'open', context: undefined });
    this.#tick();
  }

  readonly dispatch = (message: Message): void => {
    if (this.#ended) return;
    const [next, effects] = update(this.#state, message);
    const changed = next !== this.#state;
    this.#state = next;
    for (const effect of effects) this.#run(effect);
    this.#lookUps.follow();
    if (changed) for (const listener of this.#listeners) listener();
  };

  /** Stops everything that runs and closes the source. */
  async close(): Promise<void> {
    // What was sent is waited for a moment, with the cluster still followed.
    await this.#actions.close();
    this.#ended = true;
    this.#accesses.stop();
    this.#ticking?.();
    this.#searches.stop();
    this.#exports.stop();
    this.#unfolding?.();
    this.#judge.stop();
    await this.#sources.close();
  }

  #tick(): void {
    this.#ticking = this.#ports.after(TICK_MS, () => {
      this.dispatch({ type: 'tick', now: this.#ports.now() });
      if (!this.#ended) this.#tick();
    });
  }

  #run(effect: Effect): void {
    switch (effect.type) {
      case 'open':
        return this.#sources.open(effect.context);
      case 'listContexts':
        void this.#listContexts();
        return;
      case 'search':
        this.#searches.search(this.#state, effect.query);
        return;
      case 'stopSearch':
        this.#searches.forget();
        return;
      case 'showYaml':
        void this.#showDocument(effect.title, source => yamlOf(source, effect.node));
        return;
      case 'showManaged':
        void this.#showDocument(effect.title, source => managersOf(source, effect.node, this.#ports.now()));
        return;
      case 'askPodGcSigns':
        void askPodGcSigns(effect.sign, () => this.#current(), this.dispatch);
        return;
      case 'judge':
        return this.#judge.start();
      case 'copy':
        this.#ports.copy(effect.text);
        return;
      case 'export':
        this.#exports.export(this.#state);
        return;
      case 'unfoldMore':
        this.#unfolding ??= this.#ports.soon(() => {
          this.#unfolding = undefined;
          this.dispatch({ type: 'unfoldMore' });
        });
        return;
      case 'openAction':
        return this.#openAction(effect);
      case 'chooseAction':
        return this.#actions.choose(effect.number, effect.choice);
      case 'answerAction':
        return this.#actions.answer(effect.number, effect.yes);
      case 'stopAction':
        return this.#actions.stop(effect.number);
      case 'askAccess':
        return this.#askAccess(effect.uid);
      case 'suspend':
        this.#ports.suspend();
        return;
      case 'redraw':
        this.#ports.redraw();
        return;
      case 'quit':
        this.#ports.quit(effect.code, effect.error);
        return;
    }
  }

  #openAction({ number, wish }: Extract<Effect, { type: 'openAction' }>): void {
    const { shown } = this.#sources;
    const { cluster } = this.#state;
    if (shown === undefined || cluster === undefined) return;
    const { source, changes } = shown;
    this.#actions.open(number, wish, {
      cluster,
      source,
      changed: (ms, signal) => changes.within(ms, signal),
    });
  }

  #askAccess(uid: Uid): void {
    const { source, cluster } = this.#current() ?? {};
    if (source !== undefined && cluster !== undefined) this.#accesses.ask(uid, cluster, source);
  }

  /** The cluster on the screen and where it comes from. */
  #current(): PodGcSignsContext | undefined {
    const { source } = this.#sources.shown ?? {};
    const { cluster } = this.#state;
    return source && cluster && { source, cluster };
  }

  async #listContexts(): Promise<void> {
    try {
      this.dispatch({ type: 'contexts', names: await this.#ports.contexts() });
    } catch (error) {
      this.dispatch({ type: 'contexts', names: [] });
      this.dispatch({ type: 'notice', text: describe(error), style: 'danger' });
    }
  }

  /** Fetches an object and shows what `read` makes of it, in the dialog of this title. */
  async #showDocument(
    title: string,
    read: (source: Source) => Promise<readonly (readonly Span[])[]>,
  ): Promise<void> {
    const source = this.#sources.shown?.source;
    if (source === undefined) return;
    try {
      this.dispatch({ type: 'document', title, lines: await read(source) });
    } catch (error) {
      this.dispatch({ type: 'document', title, lines: [[{ text: describe(error), style: 'danger' }]] });
    }
  }
}

/** One line for people. Only a SourceError was written for them; anything else is a fault of ours. */
function describe(error: unknown): string {
  const message = withoutCredentials(error instanceof Error ? error.message : String(error));
  if (error instanceof SourceError) return message.split('\n').map(sanitise).join(' ');
  return sanitise(`internal error: ${message}`);
}
