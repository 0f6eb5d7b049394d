/** The cluster and the dialog that an action works with. */
import { actionRun, type Intent, type Journal, Prepared } from '../../actions/index.ts';
import {
  CascadeReads,
  type Diagnosis,
  diagnoseCluster,
  handledForecasterInSlices,
} from '../../diagnosis/index.ts';
import type { Cascade, Forecast } from '../../forecast/index.ts';
import type { ClusterView } from '../../graph/index.ts';
import type { KubeObject, Sliced, Uid } from '../../model/index.ts';
import { type Source, wholeReads } from '../../source/index.ts';
import type { TextLine } from '../../text/index.ts';
import type { Ports } from '../background/ports.ts';
import type { ClusterModel } from '../cluster/model.ts';
import type { ActionNews, ActionStage, GraceChoice, Paintings } from '../state/action-dialog.ts';
import { inTurns } from './in-turns.ts';

/** Only the command line can back up the data of Secrets. */
export const KEEPS_SECRET_DATA = false;

/** There is nothing to do; the message is shown as an outcome, not as a fault. */
export class NothingToDo extends Error {}

/** The cluster an action began with, whichever is shown later. */
export interface ActionSubject {
  readonly cluster: ClusterModel;
  readonly source: Source;
  readonly changed: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly still?: () => Promise<() => void>;
}

export interface ActionSession extends Pick<ActionSubject, 'source' | 'changed'> {
  readonly cluster: ActionCluster;
  readonly dialog: DialogPort;
  readonly journal: Journal;
  readonly since: number;
}

/** Milliseconds that a forecast waits for look-ups; it also holds without them. */
const ANSWER_PATIENCE = 2_000;
const MOST_ROUNDS = 3;

/** Debounce in milliseconds for changes, and the longest age of a forecast. */
export const TOGETHER = 300;
const REFRESH_LATEST = 60_000;

export class ActionCluster {
  readonly #subject: ActionSubject;
  readonly #ports: Pick<Ports, 'now' | 'soon'>;
  readonly #reads: CascadeReads;
  readonly #signal: AbortSignal | undefined;

  constructor(subject: ActionSubject, ports: Pick<Ports, 'now' | 'soon'>, signal?: AbortSignal) {
    this.#subject = subject;
    this.#ports = ports;
    this.#signal = signal;
    this.#reads = new CascadeReads({
      view: subject.cluster.view,
      ...wholeReads(subject.source),
      work: begin => this.inTurns(begin),
    });
  }

  get #cluster(): ClusterModel {
    return this.#subject.cluster;
  }

  get view(): ClusterView {
    return this.#cluster.view;
  }

  readonly now = (): number => this.#ports.now();

  /** Returns the existing objects; throws `NothingToDo` if there are none. */
  objects(uids: readonly Uid[]): readonly [KubeObject, ...KubeObject[]] {
    const [first, ...others] = uids.flatMap(uid => this.#cluster.node(uid)?.object ?? []);
    if (first === undefined) throw new NothingToDo('It no longer exists.');
    return [first, ...others];
  }

  /** Returns the screen's diagnosis if complete, else a new one. */
  diagnosis(): Diagnosis {
    const { problems, view } = this.#cluster;
    const { judged = false, namespace } = problems?.diagnosis ?? {};
    if (problems !== undefined && judged && namespace === undefined) return problems.diagnosis;
    return diagnoseCluster(view, this.now());
  }

  /** Rejects once the dialog is closed, or `signal` aborted. */
  async prepare(intent: Intent, signal?: AbortSignal): Promise<Prepared> {
    let prepared = await this.#prepareTold(intent, signal);
    // An answer may raise another question.
    for (let round = 0; round < MOST_ROUNDS && (await this.#askForMore()); round++)
      prepared = await this.#prepareTold(intent, signal);
    return this.told(prepared);
  }

  /** Includes the tools' own actions, unless that needs a read, during which the view may change. */
  #prepareTold(intent: Intent, signal: AbortSignal | undefined): Promise<Prepared> {
    const { view } = this;
    const [ports, reads] = [this.#preparing, this.#reads];
    return this.inTurns(function* () {
      const prepared = yield* actionRun.prepareInSlices(intent, ports);
      const forecast = yield* reads.known(prepared.forecast);
      return forecast === undefined ? prepared : Prepared.withAssumed(prepared, forecast, view);
    }, signal);
  }

  /** Prepares without asking the source. `begun`: objects of its earlier requests. */
  prepareOnce(intent: Intent, begun: ReadonlySet<Uid>, signal?: AbortSignal): Promise<Prepared> {
    return this.inTurns(() => actionRun.prepareInSlices(intent, this.#preparing, begun), signal);
  }

  get #preparing(): Parameters<typeof actionRun.prepareInSlices>[1] {
    return { view: this.view, now: this.now, secretData: KEEPS_SECRET_DATA };
  }

  /** Works in slices on an unchanging view: see `inTurns`. */
  inTurns<T>(begin: () => Sliced<T>, signal?: AbortSignal): Promise<T> {
    const signals = [this.#signal, signal].filter(each => each !== undefined);
    return inTurns(begin, {
      ports: this.#ports,
      view: this.view,
      still: this.#subject.still,
      signal: AbortSignal.any(signals),
    });
  }

  /** Adds the actions of managing tools, and what breaks. */
  async told(prepared: Prepared): Promise<Prepared> {
    const { logical, breaks } = prepared.forecast;
    if (logical !== undefined && breaks !== undefined) return prepared;
    const told =
      logical === undefined ? this.#reads.told(prepared.forecast) : this.#reads.withBreaks(prepared.forecast);
    return Prepared.withAssumed(prepared, await told, this.view);
  }

  async #askForMore(): Promise<boolean> {
    const { source, changed } = this.#subject;
    const { absences } = this.view;
    const asked = source.lookUp === undefined ? [] : absences.takeAsked();
    const until = this.now() + ANSWER_PATIENCE;
    for (;;) {
      const open = asked.filter(each => !absences.isAnswered(each));
      const left = until - this.now();
      if (open.length === 0 || left <= 0) return open.length < asked.length;
      source.lookUp?.(open, { urgent: true });
      await changed(left);
    }
  }

  async preparePolicies(
    targets: readonly KubeObject[],
    gracePeriodSeconds?: number,
  ): Promise<Readonly<Record<Cascade, Prepared>>> {
    const deletion = {
      verb: 'delete',
      targets,
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    } as const;
    const background = await this.prepare({ ...deletion, cascade: 'background' });
    const foreground = await this.prepare({ ...deletion, cascade: 'foreground' });
    const orphan = await this.prepare({ ...deletion, cascade: 'orphan' });
    return { background, foreground, orphan };
  }

  /** Forecasts the whole cluster without any action. */
  ifNobodyActs(): Promise<Forecast> {
    const { view, now } = this;
    return this.inTurns(function* () {
      const forecaster = yield* handledForecasterInSlices(view, { now: now() });
      return yield* forecaster.forecastInSlices({ verb: 'none' });
    });
  }

  /** Sleeps until the cluster changes, then for `pause` milliseconds; resolves to false if aborted. */
  async hasChanged(pause: number, signal: AbortSignal): Promise<boolean> {
    const { changed } = this.#subject;
    await changed(REFRESH_LATEST, signal);
    const until = this.now() + pause;
    for (let left = pause; left > 0 && !signal.aborted; left = until - this.now())
      await changed(left, signal);
    return !signal.aborted;
  }

  yieldToInput(): Promise<void> {
    return new Promise(resolve => this.#ports.soon(resolve));
  }
}

type Choosing = Extract<ActionStage, { at: 'choosing' }>;
type Asking = Extract<ActionStage, { at: 'asking' }>;

export interface ChoiceQuestion extends Pick<Choosing, 'question' | 'as' | 'choices'> {
  /** First cursor; -1 if Enter alone must not choose. */
  readonly preselected: number;
  readonly lines: readonly TextLine[];
  readonly paintings?: Paintings;
  readonly table?: readonly TextLine[];
  readonly grace?: GraceChoice;
}

export interface YesQuestion extends Pick<Asking, 'question' | 'word'> {
  readonly lines: readonly TextLine[];
  readonly paintings?: Paintings;
  readonly grace?: GraceChoice;
}

export class DialogPort {
  readonly show: (news: ActionNews) => void;
  readonly #columns: () => number;
  readonly #controller = new AbortController();
  #chosen: ((id: string | undefined) => void) | undefined;
  #answered: ((yes: boolean) => void) | undefined;
  #opted: ((id: string) => void) | undefined;
  onLook: ((id: string) => void) | undefined;

  constructor(show: (news: ActionNews) => void, columns: () => number) {
    this.show = show;
    this.#columns = columns;
    this.#controller.signal.addEventListener('abort', () => {
      this.#chosen?.(undefined);
      this.#answered?.(false);
    });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get closed(): boolean {
    return this.signal.aborted;
  }

  /** Columns of a line as wide as the screen. */
  get width(): number {
    return this.#columns() - 4;
  }

  choose(id: string): void {
    if (this.#answered !== undefined) this.#opted?.(id);
    else this.#chosen?.(id);
  }

  /** Resolves with an option of the current question; never if none is chosen. */
  option(): Promise<string> {
    return new Promise(resolve => {
      this.#opted = id => {
        this.#opted = undefined;
        this.#answered = undefined;
        resolve(id);
      };
    });
  }

  answer(yes: boolean): void {
    this.#answered?.(yes);
  }

  close(): void {
    this.#controller.abort();
  }

  choice({
    question,
    as,
    choices,
    preselected: cursor,
    ...shown
  }: ChoiceQuestion): Promise<string | undefined> {
    if (this.closed) return Promise.resolve(undefined);
    this.show({ ...shown, stage: { at: 'choosing', question, as, choices, cursor } });
    return new Promise(resolve => {
      this.#chosen = id => {
        this.#chosen = undefined;
        resolve(id);
      };
    });
  }

  /** Resolves to false if the dialog is closed. */
  confirmation({ question, word, ...shown }: YesQuestion): Promise<boolean> {
    if (this.closed) return Promise.resolve(false);
    this.show({ ...shown, stage: { at: 'asking', typed: '', question, word } });
    return new Promise(resolve => {
      this.#answered = yes => {
        this.#answered = undefined;
        resolve(yes);
      };
    });
  }
}
