/**
 * One action on the screen from the key to its end: what is wanted, by choices in its dialog where there are any, then
 * the course that it takes. Loaded at the first action.
 */
import type { Journal } from '../../actions/journal/journal.ts';
import type { Prepared } from '../../actions/prepare/prepare.ts';
import {
  type ActingSource,
  actingSource,
  type Ended,
  type Question,
  type RunEvent,
} from '../../actions/run/ports.ts';
import { performAction } from '../../actions/run/run.ts';
import { reversalOf } from '../../actions/undo/reversal.ts';
import { remedyFor } from '../../diagnosis/remedies/offered.ts';
import { cascades } from '../../forecast/action.ts';
import type { Forecast } from '../../forecast/plan/plan.ts';
import type { KubeObject } from '../../model/object.ts';
import { doubtLines, foundSentence } from '../../text/actions/failure.ts';
import { progressLine } from '../../text/actions/outcome.ts';
import { endAlike, type PolicyForecasts, policyLines } from '../../text/actions/policies.ts';
import { planLines } from '../../text/plan/plan.ts';
import { sanitise } from '../../text/terminal/sanitise.ts';
import { emptyLine, type TextLine, textLine } from '../../text/terminal/text-line.ts';
import type { Ports } from '../session/ports.ts';
import type { ActionChoice, ActionNews, ActionWish } from './action.ts';
import { ActingCluster, ActingDialog, type ActionPlace, KEEPS_SECRET_DATA, Nothing } from './context.ts';
import { intentOf, remedyChoices, type Wanted } from './intent.ts';
import { endNews, notesOf, preparedLines, questionOf, titleOfIntent } from './text.ts';

export interface ActingOptions extends ActionPlace {
  readonly ports: Pick<Ports, 'now' | 'soon'>;
  readonly journal: Journal;
  readonly tell: (news: ActionNews) => void;
  readonly columns: () => number;
  /** Milliseconds since the epoch: when the screen was opened. */
  readonly since: number;
}

export class Acting {
  readonly #options: ActingOptions;
  readonly #cluster: ActingCluster;
  readonly #dialog: ActingDialog;

  constructor(options: ActingOptions) {
    this.#options = options;
    this.#cluster = new ActingCluster(options.cluster, options.ports);
    this.#dialog = new ActingDialog(options.tell, options.columns);
  }

  choose(id: string): void {
    this.#dialog.choose(id);
  }

  answer(yes: boolean): void {
    this.#dialog.answer(yes);
  }

  /** Gives up what was not sent; nobody follows what was. */
  stop(): void {
    this.#dialog.close();
  }

  /** Rejects with what the source or the file system answers. */
  async run(wish: ActionWish): Promise<void> {
    try {
      // The dialog shows before the forecast takes its time.
      await this.#cluster.yieldToInput();
      await this.#fulfil(wish);
    } catch (error) {
      if (!(error instanceof Nothing)) throw error;
      this.#dialog.tell({ stage: { at: 'ended', outcome: error.message, style: 'warning' } });
    }
  }

  async #fulfil(wish: ActionWish): Promise<void> {
    const cluster = this.#cluster;
    const dialog = this.#dialog;
    const { source, journal, changed, since } = this.#options;
    if (wish.what === 'plan') return tellForecasts(cluster.objects(wish.uids), { cluster, dialog });
    const wanted = await intentOf(wish, { cluster, dialog, journal, info: source.info, since });
    if (wanted === undefined || dialog.closed) return;
    await carryThrough(wanted, { cluster, dialog, journal, source, changed });
  }
}

export interface CoursePlace extends Pick<ActionPlace, 'source' | 'changed'> {
  readonly cluster: ActingCluster;
  readonly dialog: ActingDialog;
  readonly journal: Journal;
}

const PATIENCE_MILLISECONDS = 60_000;

/** Throws `Nothing` where the source can only be read; rejects with what it or the file system answers. */
async function carryThrough(wanted: Wanted, place: CoursePlace): Promise<void> {
  const prepared = await place.cluster.prepare(wanted.intent);
  const source = actingSource(place.source);
  if (source === undefined) throw new Nothing('This cannot be changed: it is only read.');
  await new Course(wanted, place).run(prepared, source);
}

class Course {
  readonly #wanted: Wanted;
  readonly #place: CoursePlace;
  #sentAt: number | undefined;

  constructor(wanted: Wanted, place: CoursePlace) {
    this.#wanted = wanted;
    this.#place = place;
  }

  async run(prepared: Prepared, acting: ActingSource): Promise<void> {
    const { cluster, dialog, journal, source, changed } = this.#place;
    dialog.tell({
      title: titleOfIntent(prepared.intent),
      stage: { at: 'working', doing: 'asking whether it is permitted', stoppable: true },
      lines: this.#linesOf(prepared),
    });
    const ended = await performAction(prepared, {
      view: cluster.view,
      source: acting,
      journal,
      now: cluster.now,
      changed,
      confirm: question => this.#confirm(question),
      tell: event => this.#hear(event),
      remedyFor: (target, id) => remedyFor(cluster.diagnosis(), target, id),
      absencesBehind: ({ uid }) => cluster.diagnosis().absencesBehind(uid),
      context: source.info.context,
      secretData: KEEPS_SECRET_DATA,
      timeout: PATIENCE_MILLISECONDS + timeOf(prepared.forecast),
      signal: dialog.signal,
    });
    await this.#end(ended);
  }

  #linesOf(prepared: Prepared): readonly TextLine[] {
    return preparedLines(prepared, this.#place.cluster.view, this.#wanted.notes?.() ?? []);
  }

  #confirm({ prepared, examination, before }: Question): Promise<boolean> {
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
    return this.#place.dialog.confirmation({
      ...questionOf(prepared),
      lines: [...changed, ...this.#linesOf(prepared), ...(doubts.length === 0 ? [] : [emptyLine, ...doubts])],
    });
  }

  #hear(event: RunEvent): void {
    const { cluster, dialog } = this.#place;
    switch (event.event) {
      case 'examining':
        dialog.tell({ stage: { at: 'working', doing: 'asking whether it is permitted', stoppable: true } });
        return;
      case 'examined':
        return;
      case 'changed':
        dialog.tell({
          stage: { at: 'working', doing: 'the cluster has changed: forecasting anew', stoppable: true },
          lines: this.#linesOf(event.prepared),
        });
        return;
      case 'sending': {
        this.#sentAt ??= cluster.now();
        const doing = `sending request ${event.request + 1} of ${event.prepared.requests.length}`;
        dialog.tell({ stage: { at: 'working', doing, stoppable: false } });
        return;
      }
      case 'readBack':
        dialog.tell({ stage: { at: 'working', doing: foundSentence(event.found), stoppable: true } });
        return;
      case 'sent':
        return;
      case 'progress':
        dialog.tell({ stage: { at: 'following', progress: sanitise(progressLine(event.progress)) } });
    }
  }

  async #end(ended: Ended): Promise<void> {
    const { cluster, dialog, journal, source } = this.#place;
    // What an undo has made again, nothing takes away.
    const isUndo = ended.prepared.intent.verb === 'undo';
    const news = endNews(ended, {
      took: this.#sentAt === undefined ? 0 : cluster.now() - this.#sentAt,
      // The journal of the demo is kept, but its cluster is gone when the screen is left.
      lasting: source.info.source !== 'demo',
      reversal: isUndo ? undefined : await reversalOf(ended, { journal, view: cluster.view }),
      afterwards: this.#wanted.afterwards ?? [],
    });
    dialog.tell({ ...news, lines: [...(news.lines ?? []), ...this.#linesOf(ended.prepared)] });
  }
}

/** Milliseconds that the forecast itself takes: grace periods, kubelets, controllers. */
function timeOf(forecast: Forecast): number {
  const steps = forecast.steps();
  return (steps.at(-1)?.at ?? 0) - (steps[0]?.at ?? 0);
}

/** Forecasts to read, and nothing to send. */
async function tellForecasts(
  targets: readonly [KubeObject, ...KubeObject[]],
  { cluster, dialog }: { readonly cluster: ActingCluster; readonly dialog: ActingDialog },
): Promise<void> {
  const { prepared, forecasts } = await cluster.preparePolicies(targets);
  if (dialog.closed) return;
  const { view } = cluster;
  const remedies =
    targets.length > 1
      ? []
      : remedyChoices(cluster.diagnosis(), targets[0], { all: false, view, now: cluster.now() }).choices;
  const notes = notesOf(prepared.background, view);
  const lines = forecastLines({ forecasts, notes, remedies, width: dialog.width });
  dialog.tell({ stage: { at: 'ended', outcome: 'Forecast only: nothing was sent.', style: 'muted' }, lines });
}

interface ForecastLinesOptions {
  readonly forecasts: PolicyForecasts;
  readonly notes: readonly TextLine[];
  /** With their effects. */
  readonly remedies: readonly ActionChoice[];
  /** Columns. */
  readonly width: number;
}

function forecastLines({ forecasts, notes, remedies, width }: ForecastLinesOptions): readonly TextLine[] {
  const plans: Iterable<TextLine> = endAlike(forecasts)
    ? planLines(forecasts.background, { wide: false, steps: true })
    : [
        ...policyLines(forecasts, { all: true, width }),
        ...cascades.flatMap(each => [
          emptyLine,
          textLine(`With --cascade=${each}`, 'title'),
          ...planLines(forecasts[each], { wide: true, steps: true }),
        ]),
      ];
  return [...plans, ...notes, ...remedyLines(remedies)];
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
