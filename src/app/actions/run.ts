/**
 * One action on the screen from the key to its end, as on the command line (`actions/run/run.ts`): what is to be done,
 * chosen in the dialog where there is a choice, permissions, the question, the requests, what the cluster makes of them.
 * Loaded at the first action.
 */
import { type Prepared, withUnreadable } from '../../actions/prepare/prepare.ts';
import { isNoWorse, promisesTheSame } from '../../actions/prepare/promise.ts';
import { renew } from '../../actions/run/fresh.ts';
import {
  actingSource,
  type Ended,
  type Progress,
  type Question,
  type Refreshed,
  type RunEvent,
} from '../../actions/run/ports.ts';
import { performAction, usualTimeout } from '../../actions/run/run.ts';
import { reversalOf } from '../../actions/undo/undo.ts';
import { remedyFor } from '../../diagnosis/remedies/offered.ts';
import type { Uid } from '../../model/object.ts';
import { collected } from '../../model/slices.ts';
import { showHidden } from '../../model/text/shown.ts';
import { differenceLines } from '../../text/actions/difference.ts';
import { doubtLines, foundSentence } from '../../text/actions/failure.ts';
import { comparedLines, stepWords } from '../../text/actions/outcome.ts';
import { planLines } from '../../text/plan/plan.ts';
import { emptyLine, type TextLine, textLine } from '../../text/terminal/text-line.ts';
import { undoKey } from '../commands/dialog-keys.ts';
import { paintingOf } from '../painting/make.ts';
import type { Ports } from '../session/ports.ts';
import type { ActionChoice, ActionNews, ActionStage, ActionWish } from './action.ts';
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
import { endNews, preparedLines, questionOf, titleOfIntent } from './text.ts';

const CHECKING = 'checking permissions';
const CHANGED = 'the cluster has changed: forecasting again';

interface StandingQuestion {
  readonly asked: Prepared;
  readonly examination: Question['examination'];
  /** What is shown in its place, which promises no more. */
  latest: Prepared | undefined;
}
export interface ScreenActionOptions extends ActionSubject, Pick<ActionSession, 'journal' | 'since'> {
  readonly ports: Pick<Ports, 'now' | 'soon'>;
  readonly show: (news: ActionNews) => void;
  readonly columns: () => number;
}

export class ScreenAction {
  readonly #context: ActionSession;
  #planned: PlannedAction | undefined;
  /** What was shown last with what tools do beside. */
  #shown: Prepared | undefined;
  #sentAt: number | undefined;

  constructor({ cluster, ports, show, columns, ...options }: ScreenActionOptions) {
    const dialog = new DialogPort(show, columns);
    this.#context = {
      ...options,
      cluster: new ActionCluster({ ...options, cluster }, ports, dialog.signal),
      dialog,
    };
  }

  /** Answers come through it; closed, it gives up what was not sent, and nobody follows what was. */
  get dialog(): DialogPort {
    return this.#context.dialog;
  }

  /** Rejects with what the source or the file system answers. */
  async run(wish: ActionWish): Promise<void> {
    try {
      // The dialog shows before the forecast takes its time.
      await this.#context.cluster.yieldToInput();
      if (wish.what === 'plan') await this.#showForecasts(wish.uids);
      else await this.#perform(wish);
    } catch (error) {
      // A forecast that nobody waits for any more.
      if (this.dialog.closed && error === this.dialog.signal.reason) return;
      if (!(error instanceof NothingToDo)) throw error;
      this.dialog.show({ stage: { at: 'ended', outcome: error.message, style: 'warning' } });
    }
  }

  /** Throws `NothingToDo` where the source can only be read. */
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
    const ended = await performAction(prepared, {
      view: cluster.view,
      source: acting,
      journal,
      now: cluster.now,
      changed,
      prepare: (intent, begun) => cluster.prepareOnce(intent, begun),
      confirm: question => this.#confirm(question),
      asksAgain: 'worse',
      tell: event => this.#onEvent(event),
      remedyFor: (...asked) => remedyFor(cluster.diagnosis(), ...asked),
      absencesBehind: objects => {
        const diagnosis = cluster.diagnosis();
        return objects.flatMap(({ uid }) => diagnosis.absencesBehind(uid));
      },
      context: source.info.context,
      secretData: KEEPS_SECRET_DATA,
      timeout: usualTimeout(prepared),
      signal: dialog.signal,
    });
    await this.#end(ended);
  }

  /** Its text, and what it paints on the tree. */
  #shownOf(prepared: Prepared): Pick<ActionNews, 'paintings'> & { readonly lines: readonly TextLine[] } {
    return { lines: this.#linesOf(prepared), paintings: new Map([['', paintingOf(prepared.forecast)]]) };
  }

  /** A new forecast that promises the same leaves to the tools beside what the one before did. */
  #linesOf(promised: Prepared): readonly TextLine[] {
    const { logical = this.#shown?.forecast.logical } = promised.forecast;
    const prepared: Prepared =
      logical === undefined ? promised : { ...promised, forecast: { ...promised.forecast, logical } };
    return preparedLines(prepared, this.#context.cluster.view, this.#planned?.notes?.() ?? []);
  }

  /** Asks, and keeps what is asked about up to date as long as nobody answers. */
  async #confirm(question: Question): Promise<boolean | Refreshed> {
    const { prepared: promised, examination, before } = question;
    const prepared = await this.#context.cluster.told(promised);
    this.#shown = prepared;
    const doubts = doubtLines(examination, 0);
    const below = doubts.length === 0 ? [] : [emptyLine, ...doubts];
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
        // What stands is of the grace period before.
        answered.abort();
        return this.#withOtherGrace(prepared, how);
      }),
      worse.then<boolean | Refreshed>(each => each ?? answer),
    ]);
    answered.abort();
    if (end !== true) return end;
    return standing.latest === undefined ? true : { answer: 'yes', prepared: standing.latest };
  }

  /** The same deletion with another grace period. */
  async #withOtherGrace({ intent }: Prepared, how: string): Promise<Refreshed> {
    if (intent.verb !== 'delete') throw new Error('only a deletion has a grace period');
    const { gracePeriodSeconds, ...rest } = intent;
    const next = nextGrace(gracePeriodSeconds, how);
    const changed = { ...rest, ...(next === undefined ? {} : { gracePeriodSeconds: next }) };
    return { answer: 'again', prepared: await this.#context.cluster.prepare(changed) };
  }

  /** Resolves with what has to be asked about anew; with undefined once the question was answered. */
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
      // What takes long is made less often, so that most of the time is left for keys.
      pause = Math.max(TOGETHER, 4 * (cluster.now() - began));
      if (signal.aborted || dialog.closed) return undefined;
      if (next === undefined || promisesTheSame(standing.latest ?? asked, next)) continue;
      if (!isNoWorse(asked, next)) {
        dialog.show({ stage: { at: 'working', doing: CHANGED, stoppable: true } });
        return { answer: 'again', prepared: next };
      }
      standing.latest = next;
      this.#shown = next;
      const less = textLine(
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

  /** The intent on the cluster as it is now; undefined where nothing is left of it, which is found out after the yes. */
  async #refreshed(
    { asked, examination }: StandingQuestion,
    signal: AbortSignal,
  ): Promise<Prepared | undefined> {
    const { cluster, journal } = this.#context;
    const { view } = cluster;
    const intent = await renew(asked.intent, {
      view,
      journal,
      remedyFor: (...about) => remedyFor(cluster.diagnosis(), ...about),
      done: new Set(),
    });
    if (intent === undefined || signal.aborted) return undefined;
    const prepared = await cluster.prepare(intent, signal);
    return withUnreadable(
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
        return dialog.show(
          working(`sending request ${event.request + 1} of ${event.prepared.requests.length}`, false),
        );
      case 'readBack':
        return dialog.show(working(foundSentence(event.found)));
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
      // The journal of the demo is kept, but its cluster is gone when the screen is left.
      lasting: source.info.source !== 'demo',
      reversal: await reversalOf(ended, { journal, view: cluster.view }),
      afterwards: this.#planned?.afterwards ?? [],
      undoKey: undoKey(),
    });
    const compared = [...comparedLines(ended.compared)];
    dialog.show({
      ...news,
      lines: [
        ...(news.lines ?? []),
        ...(compared.length === 0 ? [] : [...compared, emptyLine]),
        ...this.#linesOf(ended.prepared),
      ],
    });
  }

  /** Forecasts to look at, and nothing to send: the policies, and what happens if nobody acts. */
  async #showForecasts(uids: readonly Uid[]): Promise<void> {
    const { cluster, dialog } = this.#context;
    const { view } = cluster;
    const targets = cluster.objects(uids);
    const prepared = await cluster.preparePolicies(targets);
    const untouched = await cluster.ifNobodyActs();
    if (dialog.closed) return;
    const remedies = targets.length > 1 ? [] : (await remediesOn(cluster, targets, { all: false })).choices;
    const { choices, paintings, table } = await cluster.inTurns(() =>
      policiesShown(prepared, { view, width: dialog.width, whole: true }),
    );
    const [lines, painting] = await cluster.inTurns(function* () {
      const steps = isShort(untouched);
      return [yield* collected(planLines(untouched, { wide: false, steps })), paintingOf(untouched)] as const;
    });
    const nobody: ActionChoice = { id: NOBODY, label: NOBODY, hint: '', style: 'plain', lines };
    dialog.show({
      stage: {
        at: 'choosing',
        question: 'Forecast only: nothing is sent.',
        as: 'row',
        choices: [...choices, nobody],
        cursor: 0,
        looksOnly: true,
      },
      lines: remedyLines(remedies),
      paintings: new Map([...paintings, [NOBODY, painting]]),
      ...(table && { table }),
    });
  }
}

function followingStage(progress: Progress): ActionStage {
  const { done, total, departures, pending } = progress;
  const until = departures.length === 0 ? pending[0]?.until : undefined;
  const words = showHidden(stepWords(progress));
  return { at: 'following', progress: words, done, total, ...(until === undefined ? {} : { until }) };
}

function graceIn({ intent }: Prepared): Pick<ActionNews, 'grace'> {
  const grace = intent.verb === 'delete' ? graceOf(intent.targets, intent.gracePeriodSeconds) : undefined;
  return grace === undefined ? {} : { grace };
}

const NOBODY = 'nobody acts';

/** In front of a forecast that is asked about again: what it brings about in addition. */
function changedLines(before: Prepared | undefined, now: Prepared): readonly TextLine[] {
  // Another grace period was asked for.
  if (before === undefined || graceIn(before).grace?.seconds !== graceIn(now).grace?.seconds) return [];
  const more = differenceLines(before, now);
  const lead = more.length === 0 ? 'and this is what would happen now' : 'and now more would happen';
  return [textLine(`The cluster has changed since you were asked, ${lead}:`, 'warning'), ...more, emptyLine];
}

function remedyLines(remedies: readonly ActionChoice[]): readonly TextLine[] {
  if (remedies.length === 0) return [];
  // The first of their lines is the title again.
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
  return [emptyLine, textLine('What would unblock it', 'title'), ...each];
}
