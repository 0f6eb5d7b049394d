/**
 * What is wanted, carried through as on the command line (`actions/run/run.ts`), and told in the dialog: permissions, the
 * question, the requests, what the cluster makes of them, and how it ended.
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
import type { Forecast } from '../../forecast/plan/plan.ts';
import { doubtLines, foundSentence } from '../../text/actions/failure.ts';
import { progressLine } from '../../text/actions/outcome.ts';
import { sanitise } from '../../text/terminal/sanitise.ts';
import { emptyLine, type TextLine, textLine } from '../../text/terminal/text-line.ts';
import type { ActionPlace } from './cluster.ts';
import { type ActingCluster, KEEPS_SECRET_DATA, Nothing } from './cluster.ts';
import type { ActingDialog } from './dialog.ts';
import type { Wanted } from './intent.ts';
import { endNews, preparedLines, questionOf, titleOfIntent } from './text.ts';

export interface CoursePlace extends Pick<ActionPlace, 'source' | 'changed'> {
  readonly cluster: ActingCluster;
  readonly dialog: ActingDialog;
  readonly journal: Journal;
}

const PATIENCE_MILLISECONDS = 60_000;

/** Throws `Nothing` where the source can only be read; rejects with what it or the file system answers. */
export async function carryThrough(wanted: Wanted, place: CoursePlace): Promise<void> {
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
