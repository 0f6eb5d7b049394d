/** Runs one action from key to end, like the command line (`actions/run/action-run.ts`). Loaded at the first action. */
import {
  actingSource,
  actionRun,
  type Ended,
  Prepared,
  promises,
  type Question,
  type Refreshed,
  type RunEvent,
  renew,
  Undo,
} from '../../actions/index.ts';
import { offeredRemedies } from '../../diagnosis/index.ts';
import type { Cascade } from '../../forecast/index.ts';
import { Sliced, showHidden, type Uid } from '../../model/index.ts';
import {
  differenceLines,
  failureWords,
  outcomeWords,
  planWords,
  questionWords,
  TextLine,
} from '../../text/index.ts';
import type { Ports } from '../background/ports.ts';
import { paintingOf } from '../painting/make.ts';
import type { ActionChoice, ActionNews, ActionStage, ActionWish } from '../state/action-dialog.ts';
import { endNews, preparedLines, questionOf, titleOfIntent } from './action-text.ts';
import {
  ActionCluster,
  type ActionSession,
  type ActionSubject,
  DialogPort,
  KEEPS_SECRET_DATA,
  NothingToDo,
  TOGETHER,
} from './context.ts';
import { graceOf, nextGrace } from './grace.ts';
import {
  type IntentWish,
  isShort,
  type PlannedAction,
  plannedAction,
  policiesShown,
  remediesOn,
} from './intent.ts';

type Targets = ReturnType<ActionCluster['objects']>;

const CHECKING = 'checking permissions';
const CHANGED = 'the cluster has changed: forecasting again';

interface StandingQuestion {
  readonly asked: Prepared;
  readonly examination: Question['examination'];
  /** The forecast shown instead, which promises no more. */
  latest: Prepared | undefined;
}
export interface ScreenActionOptions extends ActionSubject, Pick<ActionSession, 'journal' | 'since'> {
  readonly ports: Pick<Ports, 'now' | 'soon'>;
  readonly show: (news: ActionNews) => void;
  readonly columns: () => number;
  /** Key of the list of actions to undo, for the outcome. */
  readonly undoKey: string;
}

export class ScreenAction {
  readonly #context: ActionSession;
  readonly #undoKey: string;
  #planned: PlannedAction | undefined;
  #shown: Prepared | undefined;
  #sentAt: number | undefined;

  constructor({ cluster, ports, show, columns, undoKey, ...options }: ScreenActionOptions) {
    this.#undoKey = undoKey;
    const dialog = new DialogPort(show, columns);
    this.#context = {
      ...options,
      cluster: new ActionCluster({ ...options, cluster }, ports, dialog.signal),
      dialog,
    };
  }

  /** Passes on answers; closing it drops unsent requests and stops following sent ones. */
  get dialog(): DialogPort {
    return this.#context.dialog;
  }

  /** Rejects with errors of the source or the file system. */
  async run(wish: ActionWish): Promise<void> {
    try {
      // The dialog is shown before the forecast starts.
      await this.#context.cluster.yieldToInput();
      if (wish.what === 'plan') await this.#showForecasts(wish.uids);
      else await this.#perform(wish);
    } catch (error) {
      // The user no longer waits for this forecast.
      if (this.dialog.closed && error === this.dialog.signal.reason) return;
      if (!(error instanceof NothingToDo)) throw error;
      this.dialog.show({ stage: { at: 'ended', outcome: error.message, style: 'warning' } });
    }
  }

  /** Throws `NothingToDo` if the source is read-only. */
  async #perform(wish: IntentWish): Promise<void> {
    const { cluster, dialog, journal, source, changed } = this.#context;
    this.#planned = await plannedAction(wish, this.#context);
    if (this.#planned === undefined || dialog.closed) return;
    const prepared = await cluster.prepare(this.#planned.intent);
    this.#shown = prepared;
    const acting = actingSource(source);
    if (acting === undefined) throw new NothingToDo('This cannot be changed: it is only read.');
    dialog.show({
      title: titleOfIntent(prepared.intent),
      stage: { at: 'working', doing: CHECKING, stoppable: true },
      ...this.#shownOf(prepared),
    });
    await cluster.yieldToInput();
    const ended = await actionRun.perform(prepared, {
      view: cluster.view,
      source: acting,
      journal,
      now: cluster.now,
      changed,
      prepare: (intent, begun) => cluster.prepareOnce(intent, begun),
      confirm: question => this.#confirm(question),
      asksAgain: 'worse',
      tell: event => this.#onEvent(event),
      remedyFor: (...asked) => offeredRemedies.byId(cluster.diagnosis(), ...asked),
      absencesBehind: objects => {
        const diagnosis = cluster.diagnosis();
        return objects.flatMap(({ uid }) => diagnosis.absencesBehind(uid));
      },
      context: source.info.context,
      secretData: KEEPS_SECRET_DATA,
      timeout: actionRun.usualTimeout(prepared),
      signal: dialog.signal,
    });
    await this.#end(ended);
  }

  #shownOf(prepared: Prepared): Pick<ActionNews, 'paintings'> & { readonly lines: readonly TextLine[] } {
    return { lines: this.#linesOf(prepared), paintings: new Map([['', paintingOf(prepared.forecast)]]) };
  }

  /** Reuses the tools' earlier actions for a new forecast with the same promises. */
  #linesOf(promised: Prepared): readonly TextLine[] {
    const { logical = this.#shown?.forecast.logical } = promised.forecast;
    const prepared: Prepared =
      logical === undefined ? promised : { ...promised, forecast: { ...promised.forecast, logical } };
    return preparedLines(prepared, this.#context.cluster.view, this.#planned?.notes?.() ?? []);
  }

  /** Asks, and updates the forecast until there is an answer. */
  async #confirm(question: Question): Promise<boolean | Refreshed> {
    const { prepared: promised, examination, before } = question;
    const prepared = await this.#context.cluster.told(promised);
    this.#shown = prepared;
    const doubts = failureWords.doubt(examination, 0);
    const below = doubts.length === 0 ? [] : [TextLine.empty, ...doubts];
    const answered = new AbortController();
    const { signal } = answered;
    const answer = this.dialog.confirmation({
      ...questionOf(prepared),
      ...this.#shownOf(prepared),
      ...graceIn(prepared),
      lines: [...changedLines(before, prepared), ...this.#linesOf(prepared), ...below],
    });
    const standing: StandingQuestion = { asked: prepared, examination, latest: undefined };
    const worse = this.#keepUpToDate(standing, below, signal).catch(() => undefined);
    const end = await Promise.race<boolean | Refreshed>([
      answer,
      this.dialog.option().then(how => {
        // The current forecast is for the previous grace period.
        answered.abort();
        return this.#withOtherGrace(prepared, how);
      }),
      worse.then<boolean | Refreshed>(each => each ?? answer),
    ]);
    answered.abort();
    if (end !== true) return end;
    return standing.latest === undefined ? true : { answer: 'yes', prepared: standing.latest };
  }

  async #withOtherGrace({ intent }: Prepared, how: string): Promise<Refreshed> {
    if (intent.verb !== 'delete') throw new Error('only a deletion has a grace period');
    const { gracePeriodSeconds, ...rest } = intent;
    const next = nextGrace(gracePeriodSeconds, how);
    const changed = { ...rest, ...(next === undefined ? {} : { gracePeriodSeconds: next }) };
    return { answer: 'again', prepared: await this.#context.cluster.prepare(changed) };
  }

  /** Resolves with a question to ask again, or with undefined after an answer. */
  async #keepUpToDate(
    standing: StandingQuestion,
    below: readonly TextLine[],
    signal: AbortSignal,
  ): Promise<Refreshed | undefined> {
    const { cluster, dialog } = this.#context;
    const { asked } = standing;
    let pause = TOGETHER;
    while (await cluster.hasChanged(pause, signal)) {
      const began = cluster.now();
      const next = await this.#refreshed(standing, signal);
      // Slow forecasts come less often, leaving most of the time for keys.
      pause = Math.max(TOGETHER, 4 * (cluster.now() - began));
      if (signal.aborted || dialog.closed) return undefined;
      if (next === undefined || promises.areSame(standing.latest ?? asked, next)) continue;
      if (!promises.areNoWorse(asked, next)) {
        dialog.show({ stage: { at: 'working', doing: CHANGED, stoppable: true } });
        return { answer: 'again', prepared: next };
      }
      standing.latest = next;
      this.#shown = next;
      const less = TextLine.of(
        'The cluster has changed, and less happens now than when this was asked:',
        'muted',
      );
      const { lines, paintings } = this.#shownOf(next);
      const { question, word } = questionOf(next);
      dialog.show({
        lines: [less, ...lines, ...below],
        ...(paintings && { paintings }),
        ...(word === questionOf(asked).word && { question }),
      });
    }
    return undefined;
  }

  /** Renews the intent; undefined if nothing is left of it, which is reported after the yes. */
  async #refreshed(
    { asked, examination }: StandingQuestion,
    signal: AbortSignal,
  ): Promise<Prepared | undefined> {
    const { cluster, journal } = this.#context;
    const { view } = cluster;
    const intent = await renew(asked.intent, {
      view,
      journal,
      remedyFor: (...about) => offeredRemedies.byId(cluster.diagnosis(), ...about),
      done: new Set(),
    });
    if (intent === undefined || signal.aborted) return undefined;
    const prepared = await cluster.prepare(intent, signal);
    return Prepared.withUnreadable(
      prepared,
      examination.unreadable.flatMap(({ objects }) => objects),
      view,
    );
  }

  #onEvent(event: RunEvent): void {
    const { cluster, dialog } = this.#context;
    const working = (doing: string, stoppable = true): ActionNews => ({
      stage: { at: 'working', doing, stoppable },
    });
    switch (event.event) {
      case 'examining':
        return dialog.show(working(CHECKING));
      case 'changed':
        return dialog.show({
          ...working(CHANGED),
          ...this.#shownOf(event.prepared),
        });
      case 'sending':
        this.#sentAt ??= cluster.now();
        return dialog.show(working(`sending ${questionWords.sending(event.prepared, event.request)}`, false));
      case 'readBack':
        return dialog.show(working(failureWords.found(event.found)));
      case 'progress':
        return dialog.show({ stage: followingStage(event.progress) });
      case 'examined':
      case 'sent':
    }
  }

  async #end(ended: Ended): Promise<void> {
    const { cluster, dialog, journal, source } = this.#context;
    const news = endNews(ended, {
      took: this.#sentAt === undefined ? 0 : cluster.now() - this.#sentAt,
      // The demo's cluster ends with the screen, its journal doesn't.
      lasting: source.info.source !== 'demo',
      reversal: await Undo.reversal(ended, { journal, view: cluster.view }),
      afterwards: this.#planned?.afterwards ?? [],
      undoKey: this.#undoKey,
    });
    const compared = [...outcomeWords.compared(ended.compared)];
    dialog.show({
      ...news,
      lines: [
        ...(news.lines ?? []),
        ...(compared.length === 0 ? [] : [...compared, TextLine.empty]),
        ...this.#linesOf(ended.prepared),
      ],
    });
  }

  /** Keeps the forecasts up to date until the dialog closes. */
  async #showForecasts(uids: readonly Uid[]): Promise<void> {
    const { cluster, dialog } = this.#context;
    let shown: readonly Prepared[] | undefined;
    let pause = TOGETHER;
    do {
      const began = cluster.now();
      const targets = cluster.objects(uids);
      const prepared = await cluster.preparePolicies(targets);
      const all = Object.values(prepared);
      const isNew =
        shown?.every((each, i) => all[i] !== undefined && promises.areSame(each, all[i])) !== true;
      if (isNew && !dialog.closed) await this.#showPolicies(targets, prepared, shown !== undefined);
      shown = all;
      // Slow forecasts come less often, leaving most of the time for keys.
      pause = Math.max(TOGETHER, 4 * (cluster.now() - began));
    } while (!dialog.closed && (await cluster.hasChanged(pause, dialog.signal)));
  }

  async #showPolicies(
    targets: Targets,
    prepared: Readonly<Record<Cascade, Prepared>>,
    again: boolean,
  ): Promise<void> {
    const { cluster, dialog } = this.#context;
    const { view } = cluster;
    const untouched = await cluster.ifNobodyActs();
    const remedies = targets.length > 1 ? [] : (await remediesOn(cluster, targets, { all: false })).choices;
    const { choices, paintings, table } = await cluster.inTurns(() =>
      policiesShown(prepared, { view, width: dialog.width, whole: true }),
    );
    const [lines, painting] = await cluster.inTurns(function* () {
      const steps = isShort(untouched);
      return [
        yield* Sliced.list(planWords.lines(untouched, { wide: false, steps })),
        paintingOf(untouched),
      ] as const;
    });
    if (dialog.closed) return;
    const nobody: ActionChoice = { id: NOBODY, label: NOBODY, hint: '', style: 'plain', lines };
    const stage = {
      at: 'choosing',
      question: again
        ? 'The cluster has changed: forecast again. Nothing is sent.'
        : 'Forecast only: nothing is sent.',
      as: 'row',
      choices: [...choices, nobody],
      cursor: 0,
      looksOnly: true,
    } as const;
    dialog.show({
      ...(again ? { question: stage.question, choices: stage.choices } : { stage }),
      lines: remedyLines(remedies),
      paintings: new Map([...paintings, [NOBODY, painting]]),
      ...(table && { table }),
    });
  }
}

function followingStage(progress: NonNullable<Ended['progress']>): ActionStage {
  const { done, total, departures, pending } = progress;
  const until = departures.length === 0 ? pending[0]?.until : undefined;
  const words = showHidden(outcomeWords.step(progress));
  return { at: 'following', progress: words, done, total, ...(until === undefined ? {} : { until }) };
}

function graceIn({ intent }: Prepared): Pick<ActionNews, 'grace'> {
  const grace = intent.verb === 'delete' ? graceOf(intent.targets, intent.gracePeriodSeconds) : undefined;
  return grace === undefined ? {} : { grace };
}

const NOBODY = 'no user acts';

/** Lists additional effects above a renewed question. */
function changedLines(before: Prepared | undefined, now: Prepared): readonly TextLine[] {
  if (before === undefined || graceIn(before).grace?.seconds !== graceIn(now).grace?.seconds) return [];
  const more = differenceLines(before, now);
  const lead = more.length === 0 ? 'and this is what would happen now' : 'and now more would happen';
  return [
    TextLine.of(`The cluster has changed since you were asked, ${lead}:`, 'warning'),
    ...more,
    TextLine.empty,
  ];
}

function remedyLines(remedies: readonly ActionChoice[]): readonly TextLine[] {
  if (remedies.length === 0) return [];
  // The first of their lines repeats the title.
  const each = remedies.flatMap(({ label, hint, style, lines }): readonly TextLine[] => [
    {
      spans: [
        { text: `  ${hint}  `, style },
        { text: label, style: 'plain' },
      ],
      indent: 6,
    },
    ...lines.slice(1),
  ]);
  return [TextLine.empty, TextLine.of('What would unblock it', 'title'), ...each];
}
