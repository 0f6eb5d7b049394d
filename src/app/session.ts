/**
 * Runs the screen without drawing it: holds the state, feeds it messages, and does what the effects ask for.
 * Everything outside comes in as ports, so that tests run it with a clock and a scheduler of their own.
 */
import { ViewChanges } from '../actions/changes.ts';
import type { Uid } from '../model/object.ts';
import { type Source, SourceError } from '../source/source.ts';
import { sanitise } from '../text/sanitise.ts';
import type { Span } from '../text/style.ts';
import { AccessRunner } from './access-runner.ts';
import { ActionRunner } from './action-runner.ts';
import { ClusterModel } from './cluster-model.ts';
import { ExportRunner } from './export-runner.ts';
import { Inflow } from './inflow.ts';
import type { Effect, Message } from './messages.ts';
import { managersOf, yamlOf } from './object-documents.ts';
import { type Asked, askPodGcSigns } from './podgc-signs.ts';
import { SearchRunner } from './search-runner.ts';
import type { Cancel, Ports } from './session-ports.ts';
import { nodeOrder } from './sort.ts';
import { initialState, type ScreenOptions, type State } from './state.ts';
import { update } from './update.ts';

export interface SessionOptions {
  readonly screen: ScreenOptions;
  readonly columns: number;
  readonly rows: number;
  readonly ports: Ports;
}

/** Ages and durations on the screen move this often. */
const TICK_MS = 1_000;
/** How long judging may keep input waiting. */
const SLICE_MS = 6;
/** Objects that are judged between two looks at the clock; a healthy one takes a few microseconds. */
const JUDGED = 100;

interface Connected {
  readonly source: Source;
  readonly inflow: Inflow;
  /** Told after each batch that was taken over. */
  readonly changes: ViewChanges;
}

export class Session {
  private state: State;
  private readonly ports: Ports;
  private readonly listeners = new Set<() => void>();
  private connected: Connected | undefined;
  private readonly searches: SearchRunner;
  private readonly actions: ActionRunner;
  private readonly accesses: AccessRunner;
  private readonly exports: ExportRunner;
  private unfolding: Cancel | undefined;
  private judging: Cancel | undefined;
  private openNumber = 0;
  private ticking: Cancel | undefined;
  private ended = false;

  constructor({ screen, columns, rows, ports }: SessionOptions) {
    this.ports = ports;
    this.searches = new SearchRunner(ports, found => this.dispatch(found));
    this.actions = new ActionRunner({
      ports,
      getState: this.getState,
      tell: (number, news) => this.dispatch({ type: 'action', number, news }),
      describe,
    });
    this.accesses = new AccessRunner(ports, access => this.dispatch({ type: 'access', access }));
    this.exports = new ExportRunner(ports, notice => this.dispatch(notice));
    this.state = initialState({ options: screen, columns, rows, now: ports.now() });
  }

  readonly getState = (): State => this.state;

  readonly subscribe = (listener: () => void): Cancel => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Opens the source and begins to tick. */
  start(): void {
    this.run({ type: 'open', context: undefined });
    this.tick();
  }

  readonly dispatch = (message: Message): void => {
    if (this.ended) return;
    const [next, effects] = update(this.state, message);
    const changed = next !== this.state;
    this.state = next;
    for (const effect of effects) this.run(effect);
    if (changed) for (const listener of this.listeners) listener();
  };

  /** Stops everything that runs and closes the source. */
  async close(): Promise<void> {
    // What was sent is waited for a moment, with the cluster still followed.
    await this.actions.close();
    this.ended = true;
    this.accesses.stop();
    this.ticking?.();
    this.connected?.inflow.stop();
    this.searches.stop();
    this.exports.stop();
    this.unfolding?.();
    this.judging?.();
    this.openNumber += 1;
    const { connected } = this;
    this.connected = undefined;
    await connected?.source.close();
  }

  private tick(): void {
    this.ticking = this.ports.after(TICK_MS, () => {
      this.dispatch({ type: 'tick', now: this.ports.now() });
      if (!this.ended) this.tick();
    });
  }

  private run(effect: Effect): void {
    switch (effect.type) {
      case 'open':
        void this.open(effect.context);
        return;
      case 'listContexts':
        void this.listContexts();
        return;
      case 'search':
        this.searches.search(this.state, effect.query);
        return;
      case 'stopSearch':
        this.searches.forget();
        return;
      case 'showYaml':
        void this.showDocument(effect.title, source => yamlOf(source, effect.node));
        return;
      case 'showManaged':
        void this.showDocument(effect.title, source => managersOf(source, effect.node, this.ports.now()));
        return;
      case 'askPodGcSigns':
        void askPodGcSigns(effect.sign, () => this.current(), this.dispatch);
        return;
      case 'judge':
        this.judging ??= this.ports.soon(() => this.judge());
        return;
      case 'copy':
        this.ports.copy(effect.text);
        return;
      case 'export':
        this.exports.export(this.state);
        return;
      case 'unfoldMore':
        this.unfolding ??= this.ports.soon(() => {
          this.unfolding = undefined;
          this.dispatch({ type: 'unfoldMore' });
        });
        return;
      case 'openAction':
        return this.openAction(effect);
      case 'chooseAction':
        return this.actions.choose(effect.number, effect.choice);
      case 'answerAction':
        return this.actions.answer(effect.number, effect.yes);
      case 'stopAction':
        return this.actions.stop(effect.number);
      case 'askAccess':
        return this.askAccess(effect.uid);
      case 'suspend':
        this.ports.suspend();
        return;
      case 'redraw':
        this.ports.redraw();
        return;
      case 'quit':
        this.ports.quit(effect.code, effect.error);
        return;
    }
  }

  private openAction({ number, wish }: Extract<Effect, { type: 'openAction' }>): void {
    const { connected } = this;
    const { cluster } = this.state;
    if (connected === undefined || cluster === undefined) return;
    const { source, changes } = connected;
    this.actions.open(number, wish, { cluster, source, changed: (ms, signal) => changes.within(ms, signal) });
  }

  private askAccess(uid: Uid): void {
    const { source, cluster } = this.current() ?? {};
    if (source !== undefined && cluster !== undefined) this.accesses.ask(uid, cluster, source);
  }

  /** The cluster on the screen and where it comes from. */
  private current(): Asked | undefined {
    const { source } = this.connected ?? {};
    const { cluster } = this.state;
    return source && cluster && { source, cluster };
  }

  private async open(context: string | undefined): Promise<void> {
    this.openNumber += 1;
    const number = this.openNumber;
    const current = (): boolean => number === this.openNumber && !this.ended;
    let source: Source | undefined;
    try {
      source = await this.ports.open(context);
      if (!current()) return await source.close();
      await this.follow(source, context, current);
    } catch (error) {
      if (current()) this.dispatch({ type: 'openFailed', message: describe(error) });
      await source?.close().catch(() => undefined);
    }
  }

  /** Takes a new source over once it delivers; until then the old one stays on the screen. */
  private async follow(source: Source, context: string | undefined, current: () => boolean): Promise<void> {
    const screen = this.state.options;
    const first = this.state.cluster === undefined;
    const changes = new ViewChanges();
    const inflow = new Inflow(this.ports, (batch, now) => {
      this.dispatch({ type: 'batches', batches: [batch], now });
      changes.notify();
    });
    const connected: Connected = { source, inflow, changes };
    const begin = (): void => {
      if (this.connected === connected) return;
      const old = this.connected;
      // What was begun on another cluster isn't followed any longer.
      if (old !== undefined) void this.actions.close();
      this.connected = connected;
      old?.inflow.stop();
      void old?.source.close().catch(() => undefined);
      const all = first ? screen.allNamespaces : this.state.cluster?.namespace === undefined;
      const named = first ? screen.namespace : undefined;
      const cluster = new ClusterModel({ namespace: all ? undefined : (named ?? source.info.namespace) });
      cluster.setOrder(nodeOrder(this.state.sort));
      cluster.view.settings = {
        serverVersion: source.info.serverVersion,
        terminatedPodGcThreshold: context === undefined ? screen.terminatedPodGcThreshold : undefined,
      };
      this.dispatch({ type: 'opened', info: source.info, cluster });
      inflow.open();
    };
    // What is shown is followed as long as it is, also while another one is being opened, perhaps in vain.
    const isWanted = (): boolean => !this.ended && (this.connected === connected || current());
    // The first cluster is shown from its first batch on; a second one has to answer before it replaces it.
    const starting = source.start(batch => {
      if (!isWanted()) return;
      if (first && current()) begin();
      inflow.push(batch);
    });
    await starting;
    if (!isWanted()) return await source.close();
    begin();
    void source.graphComplete.then(
      () => {
        if (!isWanted()) return;
        inflow.flush();
        this.dispatch({ type: 'graphComplete', info: source.info });
      },
      () => undefined,
    );
    void Promise.all([source.graphComplete, source.factsComplete]).then(
      () => this.startDiagnosis(connected, isWanted),
      () => undefined,
    );
  }

  private async startDiagnosis({ source, inflow }: Connected, isWanted: () => boolean): Promise<void> {
    const { diagnostics } = await import('./diagnostics.ts');
    if (!isWanted()) return;
    inflow.flush();
    this.dispatch({ type: 'factsComplete', info: source.info, diagnostics });
  }

  private async listContexts(): Promise<void> {
    try {
      this.dispatch({ type: 'contexts', names: await this.ports.contexts() });
    } catch (error) {
      this.dispatch({ type: 'contexts', names: [] });
      this.dispatch({ type: 'notice', text: describe(error), style: 'danger' });
    }
  }

  /** Fetches an object and shows what `read` makes of it, in the dialog of this title. */
  private async showDocument(
    title: string,
    read: (source: Source) => Promise<readonly (readonly Span[])[]>,
  ): Promise<void> {
    const source = this.connected?.source;
    if (source === undefined) return;
    try {
      this.dispatch({ type: 'document', title, lines: await read(source) });
    } catch (error) {
      this.dispatch({ type: 'document', title, lines: [[{ text: describe(error), style: 'danger' }]] });
    }
  }

  /** Judges in slices between which input is looked at; tells when it is through. */
  private judge(): void {
    this.judging = undefined;
    const problems = this.state.cluster?.problems;
    if (problems === undefined || this.ended) return;
    const until = this.ports.now() + SLICE_MS;
    let more = true;
    while (more && this.ports.now() < until) more = problems.judgeMore(JUDGED);
    if (more) this.judging = this.ports.soon(() => this.judge());
    else this.dispatch({ type: 'judged' });
  }
}

/** One line for people. Only a SourceError was written for them; anything else is a fault of ours. */
function describe(error: unknown): string {
  if (error instanceof SourceError) return error.message.split('\n').map(sanitise).join(' ');
  return sanitise(`internal error: ${error instanceof Error ? error.message : String(error)}`);
}
