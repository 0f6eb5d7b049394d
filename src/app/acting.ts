/**
 * One action on the screen from the key to its end: forecasts to choose from, then the same course as on the command
 * line (`actions/run.ts`), told as the lines of the dialog. Loaded at the first action.
 */

import type { Examination } from '../actions/examine.ts';
import type { Intent } from '../actions/intent.ts';
import type { Journal } from '../actions/journal/journal.ts';
import type { Prepared } from '../actions/prepare.ts';
import { prepareNow, run } from '../actions/run.ts';
import { actingSource, type Ended, type RunEvent } from '../actions/run-ports.ts';
import { Diagnosis } from '../diagnosis/diagnosis.ts';
import { remedyFor } from '../diagnosis/remedies/offered.ts';
import type { Cascade } from '../forecast/action.ts';
import type { Forecast } from '../forecast/plan.ts';
import type { KubeObject, Uid } from '../model/object.ts';
import { doubtLines } from '../text/action-failure.ts';
import { progressLine } from '../text/action-outcome.ts';
import { endAlike, type PolicyForecasts, policyLines } from '../text/action-policies.ts';
import { sanitise } from '../text/sanitise.ts';
import { emptyLine, type TextLine, textLine } from '../text/text-line.ts';
import { forecastLines } from './acting-forecasts.ts';
import { entryChoices, remedyChoices } from './acting-offers.ts';
import type { ActionChoice, ActionNews, ActionWish } from './action.ts';
import type { ActionPlace } from './action-runner.ts';
import { endNews, notesOf, preparedLines, questionOf, titleOfIntent } from './action-text.ts';
import type { Ports } from './session-ports.ts';

export interface ActingOptions extends ActionPlace {
  readonly ports: Pick<Ports, 'now' | 'soon'>;
  readonly journal: Journal;
  readonly tell: (news: ActionNews) => void;
  readonly columns: () => number;
  /** Milliseconds since the epoch: when the screen was opened. */
  readonly since: number;
}

const PATIENCE_MILLISECONDS = 60_000;
const cascades = ['background', 'foreground', 'orphan'] as const;

/** Nothing is to be done: told in one line, and no fault. */
class Nothing extends Error {}

export class Acting {
  private readonly options: ActingOptions;
  private readonly controller = new AbortController();
  private chosen: ((id: string | undefined) => void) | undefined;
  private answered: ((yes: boolean) => void) | undefined;
  /** What is told besides the forecast: what an undo takes back, and what it can't. */
  private extra: (prepared: Prepared) => readonly TextLine[] = () => [];
  private afterwards: readonly TextLine[] = [];
  private sentAt: number | undefined;

  constructor(options: ActingOptions) {
    this.options = options;
    this.controller.signal.addEventListener('abort', () => {
      this.chosen?.(undefined);
      this.answered?.(false);
    });
  }

  choose(id: string): void {
    this.chosen?.(id);
  }

  answer(yes: boolean): void {
    this.answered?.(yes);
  }

  /** Gives up what was not sent; nobody follows what was. */
  stop(): void {
    this.controller.abort();
  }

  /** Rejects with what the source or the file system answers. */
  async run(wish: ActionWish): Promise<void> {
    try {
      // The dialog shows before the forecast takes its time.
      await this.breathe();
      const intent = await this.intentOf(wish);
      if (intent === undefined || this.stopped) return;
      await this.breathe();
      await this.perform(prepareNow(intent, this.clock));
    } catch (error) {
      if (!(error instanceof Nothing)) throw error;
      this.options.tell({ stage: { at: 'ended', outcome: error.message, style: 'warning' } });
    }
  }

  private get stopped(): boolean {
    return this.controller.signal.aborted;
  }

  private get clock() {
    const { cluster, ports } = this.options;
    return { view: cluster.view, now: () => ports.now() };
  }

  /** Lets input that waits go first. */
  private breathe(): Promise<void> {
    return new Promise(resolve => this.options.ports.soon(resolve));
  }

  /** What the person wants, once it was chosen; undefined where nothing is to be done. */
  private async intentOf(wish: ActionWish): Promise<Intent | undefined> {
    switch (wish.what) {
      case 'delete':
        return this.deletion(this.objects(wish.uids));
      case 'orphan':
        return { verb: 'delete', targets: this.objects(wish.uids), cascade: 'orphan' };
      case 'unblock':
      case 'remedies':
        return this.unblocking(this.object(wish.uid), wish.what);
      case 'undo':
        return this.undoing();
      case 'plan':
        await this.plan(this.objects(wish.uids));
        return undefined;
    }
  }

  private objects(uids: readonly Uid[]): readonly KubeObject[] {
    const { cluster } = this.options;
    const found = uids.flatMap(uid => cluster.node(uid)?.object ?? []);
    if (found.length === 0) throw new Nothing('It is gone.');
    return found;
  }

  private object(uid: Uid): KubeObject {
    const [object] = this.objects([uid]);
    if (object === undefined) throw new Nothing('It is gone.');
    return object;
  }

  private async policies(targets: readonly KubeObject[]): Promise<{
    readonly prepared: Readonly<Record<Cascade, Prepared>>;
    readonly forecasts: PolicyForecasts;
  }> {
    const prepareAs = async (cascade: Cascade): Promise<Prepared> => {
      await this.breathe();
      return prepareNow({ verb: 'delete', targets, cascade }, this.clock);
    };
    const prepared = {
      background: await prepareAs('background'),
      foreground: await prepareAs('foreground'),
      orphan: await prepareAs('orphan'),
    };
    const { background, foreground, orphan } = prepared;
    return {
      prepared,
      forecasts: {
        background: background.forecast,
        foreground: foreground.forecast,
        orphan: orphan.forecast,
      },
    };
  }

  /** The three policies side by side; where it makes no difference, kubectl's default. */
  private async deletion(targets: readonly KubeObject[]): Promise<Intent | undefined> {
    const { prepared, forecasts } = await this.policies(targets);
    if (this.stopped) return undefined;
    if (endAlike(forecasts)) return { verb: 'delete', targets, cascade: 'background' };
    const lines = [
      ...policyLines(forecasts, { all: false, width: this.options.columns() - 2 }),
      ...notesOf(prepared.background, this.options.cluster.view),
    ];
    const choices = cascades.map(id => ({
      id,
      label: id,
      hint: '',
      style: forecasts[id].outcome === 'Refused' ? ('muted' as const) : ('plain' as const),
      lines: [],
      refused: forecasts[id].outcome === 'Refused',
    }));
    const id = await this.choice('Which policy?', 'row', choices, lines);
    const cascade = cascades.find(each => each === id);
    return cascade === undefined ? undefined : { verb: 'delete', targets, cascade };
  }

  private async unblocking(target: KubeObject, what: 'unblock' | 'remedies'): Promise<Intent | undefined> {
    const { cluster } = this.options;
    const offered = remedyChoices(this.diagnosis(), target, {
      all: what === 'remedies',
      view: cluster.view,
      now: this.clock.now(),
    });
    if (what === 'unblock') {
      const [recommended] = offered.remedies;
      if (recommended === undefined)
        throw new Nothing('Nothing is known that would unblock it. U lists what else can be done.');
      return { verb: 'unblock', target, remedy: recommended };
    }
    if (offered.choices.length === 0) throw new Nothing('Nothing is known to be in its way.');
    const id = await this.choice('What to do?', 'list', offered.choices, [], firstOf(offered.choices));
    const remedy = offered.remedies.find(each => each.id === id);
    return remedy === undefined ? undefined : { verb: 'unblock', target, remedy };
  }

  private async undoing(): Promise<Intent | undefined> {
    const { cluster, journal, source, since } = this.options;
    const offered = await entryChoices({
      journal,
      view: cluster.view,
      info: source.info,
      since,
      now: this.clock.now(),
    });
    if (offered.choices.length === 0)
      throw new Nothing(
        'The journal has nothing of this cluster: nothing was done to it with delete, unblock or undo.',
      );
    const id = await this.choice(
      'Which one is taken back?',
      'list',
      offered.choices,
      [],
      firstOf(offered.choices),
    );
    if (id === undefined) return undefined;
    // The cluster may have moved while somebody chose.
    const undone = await offered.take(id);
    if (undone === undefined) throw new Nothing('Nothing of it can be taken back now.');
    this.extra = () => undone.notes(this.clock.now());
    this.afterwards = undone.lost;
    return undone.intent;
  }

  /** Forecasts to read, and nothing to send. */
  private async plan(targets: readonly KubeObject[]): Promise<void> {
    const { cluster, columns, tell } = this.options;
    const { prepared, forecasts } = await this.policies(targets);
    if (this.stopped) return;
    const [target] = targets;
    const remedies =
      targets.length !== 1 || target === undefined
        ? []
        : remedyChoices(this.diagnosis(), target, {
            all: false,
            view: cluster.view,
            now: this.clock.now(),
          }).choices;
    const notes = notesOf(prepared.background, cluster.view);
    const lines = forecastLines({ forecasts, notes, remedies, width: columns() - 2 });
    tell({ stage: { at: 'ended', outcome: 'Forecast only: nothing was sent.', style: 'muted' }, lines });
  }

  /** Resolves with what was chosen; undefined where the dialog was closed. */
  private choice(
    question: string,
    as: 'row' | 'list',
    choices: readonly ActionChoice[],
    lines: readonly TextLine[],
    cursor = 0,
  ): Promise<string | undefined> {
    if (this.stopped) return Promise.resolve(undefined);
    this.options.tell({ stage: { at: 'choosing', question, as, choices, cursor }, lines });
    return new Promise(resolve => {
      this.chosen = id => {
        this.chosen = undefined;
        resolve(id);
      };
    });
  }

  /** What the screen keeps up to date, where that is through; else made anew. */
  private diagnosis(): Diagnosis {
    const { cluster, ports } = this.options;
    const { problems } = cluster;
    return problems?.diagnosis.judged === true
      ? problems.diagnosis
      : new Diagnosis(cluster.view, ports.now());
  }

  private async perform(prepared: Prepared): Promise<void> {
    const { cluster, source, journal, ports, changed } = this.options;
    const acting = actingSource(source);
    if (acting === undefined) throw new Nothing("This can't be changed: it is only read.");
    this.show(prepared);
    const ended = await run(prepared, {
      view: cluster.view,
      source: acting,
      journal,
      now: () => ports.now(),
      changed,
      confirm: ({ prepared: now, examination, before }) =>
        this.confirm(now, examination, before !== undefined),
      tell: event => this.hear(event),
      remedyFor: (target, id) => remedyFor(this.diagnosis(), target, id),
      context: source.info.context,
      // Backups hold the data of Secrets where the command line asks for it, not by a key.
      secretData: false,
      timeout: PATIENCE_MILLISECONDS + timeOf(prepared.forecast),
      signal: this.controller.signal,
    });
    this.end(ended);
  }

  private show(prepared: Prepared): void {
    this.options.tell({
      title: titleOfIntent(prepared.intent),
      stage: { at: 'working', doing: 'asking whether it is permitted', stoppable: true },
      lines: this.linesOf(prepared),
    });
  }

  private linesOf(prepared: Prepared): readonly TextLine[] {
    return preparedLines(prepared, this.options.cluster.view, this.extra(prepared));
  }

  private confirm(prepared: Prepared, examination: Examination, again: boolean): Promise<boolean> {
    if (this.stopped) return Promise.resolve(false);
    const changed = again
      ? [
          textLine(
            'The cluster has changed since the forecast, and this is what would happen now:',
            'warning',
          ),
          emptyLine,
        ]
      : [];
    const doubts = doubtLines(examination, 0);
    this.options.tell({
      stage: { at: 'asking', typed: '', ...questionOf(prepared) },
      lines: [...changed, ...this.linesOf(prepared), ...(doubts.length === 0 ? [] : [emptyLine, ...doubts])],
    });
    return new Promise(resolve => {
      this.answered = yes => {
        this.answered = undefined;
        resolve(yes);
      };
    });
  }

  private hear(event: RunEvent): void {
    const { tell } = this.options;
    switch (event.event) {
      case 'examining':
        tell({ stage: { at: 'working', doing: 'asking whether it is permitted', stoppable: true } });
        return;
      case 'examined':
        return;
      case 'changed':
        tell({
          stage: { at: 'working', doing: 'the cluster has changed: forecasting anew', stoppable: true },
          lines: this.linesOf(event.prepared),
        });
        return;
      case 'sending': {
        this.sentAt ??= this.options.ports.now();
        const doing = `sending request ${event.request + 1} of ${event.prepared.requests.length}`;
        tell({ stage: { at: 'working', doing, stoppable: false } });
        return;
      }
      case 'sent':
        return;
      case 'progress':
        tell({ stage: { at: 'following', progress: sanitise(progressLine(event.progress)) } });
    }
  }

  private end(ended: Ended): void {
    const { source, tell, ports } = this.options;
    const news = endNews(ended, {
      took: this.sentAt === undefined ? 0 : ports.now() - this.sentAt,
      // The journal of the demo is kept, but its cluster is gone when the screen is left.
      lasting: source.info.source !== 'demo',
      afterwards: this.afterwards,
    });
    tell({ ...news, lines: [...(news.lines ?? []), ...this.linesOf(ended.prepared)] });
  }
}

/** The first that can be taken. */
function firstOf(choices: readonly ActionChoice[]): number {
  return Math.max(
    0,
    choices.findIndex(({ refused }) => refused !== true),
  );
}

/** Milliseconds that the forecast itself takes: grace periods, kubelets, controllers. */
function timeOf(forecast: Forecast): number {
  const steps = forecast.steps();
  return (steps.at(-1)?.at ?? 0) - (steps[0]?.at ?? 0);
}
