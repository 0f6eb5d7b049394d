/**
 * One action on the screen from the key to its end, as on the command line (`actions/run/run.ts`): what is to be done,
 * chosen in the dialog where there is a choice, permissions, the question, the requests, what the cluster makes of them.
 * Loaded at the first action.
 */
import type { Prepared } from '../../actions/prepare/prepare.ts';
import { actingSource, type Ended, type Question, type RunEvent } from '../../actions/run/ports.ts';
import { performAction, usualTimeout } from '../../actions/run/run.ts';
import { reversalOf } from '../../actions/undo/undo.ts';
import { remedyFor } from '../../diagnosis/remedies/offered.ts';
import { cascades } from '../../forecast/action.ts';
import type { Uid } from '../../model/object.ts';
import { showHidden } from '../../model/text/shown.ts';
import { doubtLines, foundSentence } from '../../text/actions/failure.ts';
import { progressLine } from '../../text/actions/outcome.ts';
import { endAlike, policyLines } from '../../text/actions/policies.ts';
import { planLines } from '../../text/plan/plan.ts';
import { emptyLine, type TextLine, textLine } from '../../text/terminal/text-line.ts';
import { paintingOf } from '../painting/make.ts';
import type { Ports } from '../session/ports.ts';
import type { ActionChoice, ActionNews, ActionWish } from './action.ts';
import {
  ActionCluster,
  type ActionSession,
  type ActionSubject,
  DialogPort,
  KEEPS_SECRET_DATA,
  NothingToDo,
} from './context.ts';
import { type IntentWish, type PlannedAction, plannedAction, remedyChoices } from './intent.ts';
import { endNews, lossNotes, preparedLines, questionOf, titleOfIntent } from './text.ts';

const CHECKING = 'checking permissions';
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
    this.#context = {
      ...options,
      cluster: new ActionCluster({ cluster, source: options.source, changed: options.changed }, ports),
      dialog: new DialogPort(show, columns),
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
    const ended = await performAction(prepared, {
      view: cluster.view,
      source: acting,
      journal,
      now: cluster.now,
      changed,
      confirm: question => this.#confirm(question),
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

  async #confirm({ prepared: promised, examination, before }: Question): Promise<boolean> {
    const prepared = await this.#context.cluster.told(promised);
    this.#shown = prepared;
    const changed =
      before === undefined
        ? []
        : [
            textLine(
              'The cluster has changed since the forecast, and this is what would happen now:',
              'warning',
            ),
            emptyLine,
          ];
    const doubts = doubtLines(examination, 0);
    return this.dialog.confirmation({
      ...questionOf(prepared),
      ...this.#shownOf(prepared),
      lines: [...changed, ...this.#linesOf(prepared), ...(doubts.length === 0 ? [] : [emptyLine, ...doubts])],
    });
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
          ...working('the cluster has changed: forecasting again'),
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
        return dialog.show({
          stage: { at: 'following', progress: showHidden(progressLine(event.progress)) },
        });
      case 'examined':
      case 'sent':
    }
  }

  async #end(ended: Ended): Promise<void> {
    const { cluster, dialog, journal, source } = this.#context;
    // Nothing reverses an undo.
    const isUndo = ended.prepared.intent.verb === 'undo';
    const news = endNews(ended, {
      took: this.#sentAt === undefined ? 0 : cluster.now() - this.#sentAt,
      // The journal of the demo is kept, but its cluster is gone when the screen is left.
      lasting: source.info.source !== 'demo',
      reversal: isUndo ? undefined : await reversalOf(ended, { journal, view: cluster.view }),
      afterwards: this.#planned?.afterwards ?? [],
    });
    dialog.show({ ...news, lines: [...(news.lines ?? []), ...this.#linesOf(ended.prepared)] });
  }

  /** Forecasts to read, and nothing to send. */
  async #showForecasts(uids: readonly Uid[]): Promise<void> {
    const { cluster, dialog } = this.#context;
    const { view } = cluster;
    const targets = cluster.objects(uids);
    const { prepared, forecasts } = await cluster.preparePolicies(targets);
    if (dialog.closed) return;
    const remedies =
      targets.length > 1
        ? []
        : remedyChoices(cluster.diagnosis(), targets[0], { all: false, view, now: cluster.now() }).choices;
    const plans = endAlike(forecasts)
      ? planLines(forecasts.background, { wide: false, steps: true })
      : [
          ...policyLines(forecasts, { all: true, width: dialog.width }),
          ...cascades.flatMap(each => [
            emptyLine,
            textLine(`With --cascade=${each}`, 'title'),
            ...planLines(forecasts[each], { wide: true, steps: true }),
          ]),
        ];
    dialog.show({
      stage: { at: 'ended', outcome: 'Forecast only: nothing was sent.', style: 'muted' },
      lines: [...plans, ...lossNotes(prepared.background, view), ...remedyLines(remedies)],
    });
  }
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
