/**
 * One action on the screen from the key to its end: what is wanted, by choices in its dialog where there are any, then
 * the course that it takes. Loaded at the first action.
 */
import type { Journal } from '../../actions/journal/journal.ts';
import type { Ports } from '../session/ports.ts';
import type { ActionNews, ActionWish } from './action.ts';
import type { ActionPlace } from './cluster.ts';
import { ActingCluster, Nothing } from './cluster.ts';
import { carryThrough } from './course.ts';
import { ActingDialog } from './dialog.ts';
import { tellForecasts } from './forecasts.ts';
import { intentOf } from './intent.ts';

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
      await this.#cluster.breathe();
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
