/** Runs actions, one dialog at a time, and finishes sent requests even after a dialog closes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Journal, journalFailure } from '../../actions/index.ts';
import { showHidden, wordForms } from '../../model/index.ts';
import type { Ports } from '../background/ports.ts';
import type { ActionNews, ActionWish } from '../state/action-dialog.ts';
import type { State } from '../state/state.ts';
import type { ActionSubject, DialogPort } from './context.ts';
import type { ScreenAction } from './screen-action.ts';

export interface ActionRunnerOptions {
  readonly ports: Pick<Ports, 'now' | 'soon' | 'journal'>;
  readonly getState: () => State;
  readonly show: (number: number, news: ActionNews) => void;
  readonly describe: (error: unknown) => string;
  readonly undoKey: () => string;
}

/** Milliseconds that leaving the screen waits for a request under way. */
const LEAVE_MS = 3_000;

export class ActionRunner {
  readonly #options: ActionRunnerOptions;
  readonly #running = new Map<number, { readonly run: ScreenAction; readonly end: Promise<void> }>();
  readonly #began: number;
  #journals: Promise<Journal> | undefined;

  constructor(options: ActionRunnerOptions) {
    this.#options = options;
    this.#began = options.ports.now();
  }

  dialogOf(number: number): DialogPort | undefined {
    return this.#running.get(number)?.run.dialog;
  }

  /** Drops unsent requests and waits a moment for sent ones, so that the journal records their end. */
  async close(): Promise<void> {
    const ends = [...this.#running.values()].map(({ run, end }) => {
      run.dialog.close();
      return end;
    });
    if (ends.length === 0) return;
    const late = new AbortController();
    const { signal } = late;
    await Promise.race([Promise.all(ends), sleep(LEAVE_MS, undefined, { signal }).catch(() => undefined)]);
    late.abort();
  }

  /** Resolves when the action ended in any way. */
  async open(number: number, wish: ActionWish, subject: ActionSubject): Promise<void> {
    const { ports, show, describe, getState, undoKey } = this.#options;
    const fail = (error: unknown): void =>
      show(number, {
        stage: { at: 'ended', outcome: withoutJournal(error) ?? describe(error), style: 'danger' },
      });
    try {
      const [{ ScreenAction }, journal] = await Promise.all([
        import('./screen-action.ts'),
        (this.#journals ??= ports.journal(subject.source.info.source)),
      ]);
      const run = new ScreenAction({
        ...subject,
        ports,
        journal,
        show: news => show(number, news),
        columns: () => getState().columns,
        since: this.#began,
        undoKey: undoKey(),
      });
      const end = run
        .run(wish)
        .catch(fail)
        .finally(() => this.#running.delete(number));
      this.#running.set(number, { run, end });
      // The dialog was closed before the action began.
      const { dialog } = getState();
      if (dialog?.kind !== 'action' || dialog.number !== number) run.dialog.close();
      await end;
    } catch (error) {
      fail(error);
    }
  }
}

function withoutJournal(error: unknown): string | undefined {
  const failure = journalFailure(error);
  return failure && showHidden(wordForms.capital(`${failure.because} ${failure.remedy}`));
}
