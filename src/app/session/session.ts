/** Runs the screen without drawing it: holds the state, handles messages and runs effects through ports. */

import type { CollectorState } from '../../collector/index.ts';
import { credentials, showHidden, type Uid } from '../../model/index.ts';
import { Source, SourceError } from '../../source/index.ts';
import type { AccessReviews } from '../actions/access.ts';
import { ActionRunner } from '../actions/runner.ts';
import type { Cancel, Ports } from '../background/ports.ts';
import { SlicedWork } from '../background/sliced-work.ts';
import type { ClusterModel } from '../cluster/model.ts';
import { undoKey } from '../dialogs/footer-keys.ts';
import { update } from '../shell/update.ts';
import type { Message } from '../state/messages.ts';
import { asOf, type Effect, initialState, type ScreenOptions, type State } from '../state/state.ts';
import { DetailReads } from './detail-reads.ts';
import { ExportRunner } from './export.ts';
import { SearchRunner } from './object-search.ts';
import { KubectlRunner } from './run-kubectl.ts';
import { LookUpRunner } from './session-look-ups.ts';
import { SourceRunner } from './source.ts';
import { StatementRunner } from './statements.ts';
import { SteppingRunner } from './stepping.ts';
import { TimelineRunner } from './timeline.ts';

export interface SessionOptions {
  readonly screen: ScreenOptions;
  readonly columns: number;
  readonly rows: number;
  readonly ports: Ports;
}

const inputs: ReadonlySet<Message['type']> = new Set(['key', 'paste', 'wheel', 'click', 'drag']);
const TICK_MS = 1_000;
/** Milliseconds of rest before access is requested: the cursor only passes most objects. */
const REST_MS = 150;
/** Objects handled between two looks at the clock; a healthy one takes a few microseconds. */
const JUDGED = 100;

type Runner<Type extends Effect['type']> = (effect: Extract<Effect, { type: Type }>) => void;

export class ScreenSession {
  #state: State;
  readonly #ports: Ports;
  readonly #listeners = new Set<(message: Message) => void>();
  readonly #sources: SourceRunner;
  readonly #searches: SearchRunner;
  readonly #actions: ActionRunner;
  readonly #exports: ExportRunner;
  readonly #preparing: SlicedWork;
  readonly #judging: SlicedWork;
  readonly #collecting: SlicedWork;
  readonly #sorting: SlicedWork;
  readonly #makingSteps: SlicedWork;
  readonly #lookUps: LookUpRunner;
  readonly #statements: StatementRunner;
  readonly #details: DetailReads;
  readonly #timeline: TimelineRunner;
  readonly #stepping: SteppingRunner;
  readonly #kubectl: KubectlRunner;
  #unfolding: Cancel | undefined;
  #restingCursor: Cancel | undefined;
  #access: { readonly source: Source; readonly reviews: AccessReviews } | undefined;
  #ticking: Cancel | undefined;
  #ended = false;

  constructor({ screen, columns, rows, ports }: SessionOptions) {
    this.#ports = ports;
    this.#sources = new SourceRunner({
      ports,
      getState: this.getState,
      dispatch: this.dispatch,
      // Actions on the previous cluster are no longer followed.
      changing: () => void this.#actions.close(),
      describe,
    });
    this.#searches = new SearchRunner(ports, found => this.dispatch(found));
    this.#actions = new ActionRunner({
      ports,
      getState: this.getState,
      show: (number, news) => this.dispatch({ type: 'action', number, news }),
      describe,
      undoKey,
    });
    this.#exports = new ExportRunner(ports, notice => this.dispatch(notice));
    this.#preparing = new SlicedWork(ports);
    this.#judging = new SlicedWork(ports);
    this.#collecting = new SlicedWork(ports);
    this.#sorting = new SlicedWork(ports);
    this.#makingSteps = new SlicedWork(ports);
    this.#lookUps = new LookUpRunner({
      getState: this.getState,
      source: () => this.#sources.shown?.source,
      now: () => ports.now(),
    });
    const followed = {
      getState: this.getState,
      source: () => this.#sources.shown?.source,
      now: () => ports.now(),
      dispatch: this.dispatch,
    };
    this.#statements = new StatementRunner(followed);
    this.#details = new DetailReads({ ...followed, describe });
    this.#timeline = new TimelineRunner({
      ports,
      getState: this.getState,
      source: () => this.#sources.shown?.source,
      dispatch: this.dispatch,
      describe,
    });
    this.#stepping = new SteppingRunner({
      ports,
      source: () => this.#sources.shown?.source,
      dispatch: this.dispatch,
      describe,
    });
    this.#kubectl = new KubectlRunner({
      ports,
      getState: this.getState,
      shown: () => this.#sources.shown,
      dispatch: this.dispatch,
      describe,
    });
    this.#state = initialState({ options: screen, columns, rows, now: ports.now() });
  }

  readonly getState = (): State => this.#state;

  readonly subscribe = (listener: (message: Message) => void): Cancel => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  start(): void {
    this.#run({ type: 'open', context: undefined });
    this.#tick();
  }

  readonly dispatch = (message: Message): void => {
    if (this.#ended) return;
    if (inputs.has(message.type)) this.#sources.giveWay();
    if (message.type === 'batch' || message.type === 'tick') this.#tellCollector();
    const [next, effects] = update(this.#state, message);
    const changed = next !== this.#state;
    this.#state = next;
    for (const effect of effects) this.#run(effect);
    this.#sources.follow();
    this.#lookUps.follow();
    this.#statements.follow();
    this.#details.follow();
    if (changed) for (const listener of this.#listeners) listener(message);
  };

  async close(): Promise<void> {
    // Requests under way get a moment while the cluster is still followed.
    await this.#actions.close();
    this.#ended = true;
    this.#restingCursor?.();
    this.#ticking?.();
    this.#searches.stop();
    this.#exports.stop();
    this.#unfolding?.();
    this.#collecting.stop();
    this.#preparing.stop();
    this.#judging.stop();
    this.#sorting.stop();
    this.#makingSteps.stop();
    this.#statements.stop();
    this.#timeline.stop();
    this.#stepping.close();
    await this.#sources.close();
  }

  #tick(): void {
    this.#ticking = this.#ports.after(TICK_MS, () => {
      this.dispatch({ type: 'tick', now: this.#ports.now() });
      if (!this.#ended) this.#tick();
    });
  }

  readonly #effects: { readonly [Type in Effect['type']]: Runner<Type> } = {
    open: ({ context }) => this.#sources.open(context),
    prefer: ({ namespace }) => this.#sources.shown?.source.prefer?.(namespace),
    listContexts: () => void this.#listContexts(),
    search: ({ query }) => this.#searches.search(this.#state, query),
    stopSearch: () => this.#searches.stop(),
    showDocument: effect => void this.#showDocument(effect),
    askPodGcSigns: ({ sign }) => void this.#askPodGcSigns(sign),
    prepare: () => this.#prepare(),
    judge: () => this.#judge(),
    sortManagers: () => this.#sortManagers(),
    copy: ({ text }) => void this.#copy(text),
    cast: () => void this.#exports.cast(),
    export: () => this.#exports.export(this.#state),
    unfoldMore: () => {
      this.#unfolding ??= this.#ports.soon(() => {
        this.#unfolding = undefined;
        this.dispatch({ type: 'unfoldMore' });
      });
    },
    openAction: effect => this.#openAction(effect),
    chooseAction: ({ number, choice }) => this.#actions.dialogOf(number)?.choose(choice),
    lookAtChoice: ({ number, choice }) => this.#actions.dialogOf(number)?.onLook?.(choice),
    answerAction: ({ number, yes }) => this.#actions.dialogOf(number)?.answer(yes),
    stopAction: ({ number }) => this.#actions.dialogOf(number)?.close(),
    makeSteps: ({ making, key }) =>
      this.#makingSteps.start(() => {
        if (making.next().done !== true) return false;
        this.dispatch({ type: 'stepsMade', key });
        return true;
      }),
    askAccess: ({ uid }) => this.#askAccess(uid),
    seek: ({ moment }) => this.#timeline.seek(moment),
    seekChange: ({ direction }) => this.#timeline.seekChange(direction),
    play: () => this.#timeline.play(),
    markDeletions: () => this.#timeline.mark(),
    followCollector: () => this.#followCollector(),
    step: ({ wish }) => void this.#stepping.take(wish),
    stopStepping: () => this.#stepping.close(),
    kubectl: ({ call }) => void this.#kubectl.run(call),
    readKubectl: ({ call, title }) => void this.#kubectl.read(call, title),
    stopReading: () => this.#kubectl.stopReading(),
    askContainers: ({ uid, wish }) => void this.#kubectl.askContainers(uid, wish),
    suspend: () => this.#suspend(),
    redraw: () => this.#ports.redraw(),
    quit: ({ code, error }) => this.#ports.quit(code, error),
  };

  #run(effect: Effect): void {
    (this.#effects[effect.type] as Runner<Effect['type']>)(effect as never);
  }

  #suspend(): void {
    const refusal = this.#ports.suspend();
    if (refusal !== undefined) this.dispatch({ type: 'notice', text: refusal, style: 'warning' });
  }

  #openAction({ number, wish }: Extract<Effect, { type: 'openAction' }>): void {
    const { shown } = this.#sources;
    const { cluster } = this.#state;
    if (shown === undefined || cluster === undefined) return;
    const { source, changes, still } = shown;
    void this.#actions.open(number, wish, {
      cluster,
      source,
      changed: (ms, signal) => changes.within(ms, signal),
      still,
    });
  }

  #askAccess(uid: Uid): void {
    this.#restingCursor?.();
    this.#restingCursor = this.#ports.after(REST_MS, () => {
      // Without an answer keys stay enabled; the action itself asks again.
      void this.#reviewAccess(uid).catch(() => undefined);
    });
  }

  async #reviewAccess(uid: Uid): Promise<void> {
    const { source, cluster } = this.#current() ?? {};
    const object = cluster?.node(uid)?.object;
    if (source?.act === undefined || cluster === undefined || object === undefined) return;
    const { AccessReviews } = await import('../actions/access.ts');
    if (this.#access?.source !== source)
      this.#access = { source, reviews: new AccessReviews(source, () => this.#ports.now()) };
    this.dispatch({ type: 'access', access: await this.#access.reviews.of(object, cluster) });
  }

  /** Sorts by manager, if that isn't under way and the view is shown. */
  #sortManagers(): void {
    if (this.#sorting.running) return;
    this.#sorting.start(() => {
      const { cluster, view } = this.#state;
      if (view !== 'managers' || cluster?.managers?.sortMore(JUDGED) !== true) {
        if (view === 'managers') this.dispatch({ type: 'sorted' });
        return true;
      }
      return false;
    });
  }

  /** Starts soon, so that the key that opens the view is answered first. */
  #followCollector(): void {
    if (this.#collecting.running) return;
    this.#collecting.start(() => {
      const { cluster, view } = this.#state;
      const { collector } = cluster ?? {};
      if (collector === undefined || view !== 'collector') return true;
      if (this.#state.replay.known) {
        this.#timeline.again();
        return true;
      }
      const now = asOf({ ...this.#state, now: this.#ports.now() });
      if (!collector.following) {
        this.#tellCollector();
        collector.begin(now, { inParts: true });
      }
      if (collector.lookMore(JUDGED, now)) return false;
      this.dispatch({ type: 'collected' });
      return true;
    });
  }

  #tellCollector(): void {
    const { source } = this.#sources.shown ?? {};
    const { cluster, view } = this.#state;
    const told = view === 'collector' && source !== undefined ? collectorStateOf(source) : undefined;
    if (told !== undefined) cluster?.collector?.tell(told);
  }

  #prepare(): void {
    const { cluster } = this.#state;
    this.#preparing.start(() => {
      if (cluster !== this.#state.cluster) return true;
      if (cluster?.prepareMore(asOf({ ...this.#state, now: this.#ports.now() })) === true) return false;
      this.dispatch({ type: 'prepared' });
      return true;
    });
  }

  #judge(): void {
    if (this.#judging.running) return;
    this.#judging.start(() => {
      const { problems } = this.#state.cluster ?? {};
      if (problems === undefined) return true;
      const wasComplete = problems.complete;
      const isThrough = !problems.judgeMore(JUDGED);
      if (isThrough || problems.complete !== wasComplete) this.dispatch({ type: 'judged' });
      return isThrough;
    });
  }

  /** Reads deletions of nodes or the manager's lease for PodGC; ignores failures and answers for another cluster. */
  async #askPodGcSigns(sign: 'removals' | 'manager'): Promise<void> {
    const { source, cluster } = this.#current() ?? {};
    if (source === undefined || cluster === undefined) return;
    const removals = sign === 'removals' ? await source.nodeRemovals?.().catch(() => undefined) : undefined;
    const lease = sign === 'manager' ? await Source.managerLease(source, cluster.view.catalog) : undefined;
    if (this.#current()?.source !== source) return;
    if (sign === 'manager') this.dispatch({ type: 'manager', lease });
    else if (removals !== undefined) this.dispatch({ type: 'removals', removals });
  }

  #current(): { readonly source: Source; readonly cluster: ClusterModel } | undefined {
    const { source } = this.#sources.shown ?? {};
    const { cluster } = this.#state;
    return source && cluster && { source, cluster };
  }

  async #copy(text: string): Promise<void> {
    const { how } = await this.#ports.copy(text);
    this.dispatch({ type: 'copied', text, how });
  }

  async #listContexts(): Promise<void> {
    try {
      this.dispatch({ type: 'contexts', names: await this.#ports.contexts() });
    } catch (error) {
      this.dispatch({ type: 'contexts', names: [] });
      this.dispatch({ type: 'notice', text: describe(error), style: 'danger' });
    }
  }

  async #showDocument({ title, node, content }: Extract<Effect, { type: 'showDocument' }>): Promise<void> {
    const { source, cluster } = this.#current() ?? {};
    if (source === undefined || cluster === undefined) return;
    try {
      const { managersOf, usesOf, yamlOf } = await import('./object-documents.ts');
      const reads = {
        yaml: () => yamlOf(source, node),
        managers: () => managersOf(source, node, this.#ports.now()),
        uses: () => usesOf(source, cluster.view, node),
      };
      const lines = await reads[content]();
      this.dispatch({ type: 'document', title, lines });
    } catch (error) {
      this.dispatch({ type: 'document', title, lines: [[{ text: describe(error), style: 'danger' }]] });
    }
  }
}

function collectorStateOf(source: Source): CollectorState | undefined {
  return 'collectorState' in source ? (source as SimulatedSource).collectorState : undefined;
}

interface SimulatedSource extends Source {
  readonly collectorState: CollectorState | undefined;
}

/** Returns one line for the user. Only a SourceError was written for users; other errors are internal. */
function describe(error: unknown): string {
  const message = credentials.removed(error instanceof Error ? error.message : String(error));
  if (error instanceof SourceError) return message.split('\n').map(showHidden).join(' ');
  return showHidden(`internal error: ${message}`);
}
