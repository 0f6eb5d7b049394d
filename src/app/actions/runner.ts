/**
 * Runs the actions of the screen: one dialog at a time, and what was sent to its end even where its dialog was closed.
 * What forecasts and acts is loaded at the first action, because the first frame needn't wait for it.
 */
import type { Journal } from '../../actions/journal/journal.ts';
import { NotPrivateError } from '../../disk/person.ts';
import { sanitise } from '../../text/terminal/sanitise.ts';
import type { Ports } from '../session/ports.ts';
import type { State } from '../state/state.ts';
import type { ActionNews, ActionWish } from './action.ts';
import type { ActionPlace } from './context.ts';
import type { Acting } from './run.ts';

export interface ActionRunnerOptions {
  readonly ports: Pick<Ports, 'now' | 'soon' | 'journal'>;
  readonly getState: () => State;
  readonly tell: (number: number, news: ActionNews) => void;
  /** One line for people of whatever was thrown. */
  readonly describe: (error: unknown) => string;
}

/** How long leaving the screen waits for the answer to a request that is under way. */
const LEAVE_MS = 3_000;

export class ActionRunner {
  readonly #options: ActionRunnerOptions;
  readonly #running = new Map<number, { readonly acting: Acting; readonly end: Promise<void> }>();
  readonly #began: number;
  #journals: Promise<Journal> | undefined;

  constructor(options: ActionRunnerOptions) {
    this.#options = options;
    this.#began = options.ports.now();
  }

  open(number: number, wish: ActionWish, place: ActionPlace): void {
    void this.#begin(number, wish, place);
  }

  choose(number: number, choice: string): void {
    this.#running.get(number)?.acting.choose(choice);
  }

  answer(number: number, yes: boolean): void {
    this.#running.get(number)?.acting.answer(yes);
  }

  stop(number: number): void {
    this.#running.get(number)?.acting.stop();
  }

  /** Gives up what was not sent, and waits a moment for what was, so that the journal says how it ended. */
  async close(): Promise<void> {
    const ends = [...this.#running.values()].map(({ acting, end }) => {
      acting.stop();
      return end;
    });
    if (ends.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise(resolve => {
      timer = setTimeout(resolve, LEAVE_MS);
    });
    await Promise.race([Promise.all(ends), late]);
    clearTimeout(timer);
  }

  async #begin(number: number, wish: ActionWish, place: ActionPlace): Promise<void> {
    const { ports, tell, describe, getState } = this.#options;
    const fail = (error: unknown): void =>
      tell(number, {
        stage: { at: 'ended', outcome: journalFailure(error) ?? describe(error), style: 'danger' },
      });
    try {
      const [{ Acting }, journal] = await Promise.all([
        import('./run.ts'),
        (this.#journals ??= ports.journal(place.source.info.source)),
      ]);
      const acting = new Acting({
        ...place,
        ports,
        journal,
        tell: news => tell(number, news),
        columns: () => getState().columns,
        since: this.#began,
      });
      const end = acting
        .run(wish)
        .catch(fail)
        .finally(() => this.#running.delete(number));
      this.#running.set(number, { acting, end });
      // Closed before it could begin.
      const { dialog } = getState();
      if (dialog?.kind !== 'action' || dialog.number !== number) acting.stop();
      await end;
    } catch (error) {
      fail(error);
    }
  }
}

/** What is wrong with a journal or backup that cannot be read or written, or isn't the user's alone; undefined for other errors. */
function journalFailure(error: unknown): string | undefined {
  if (error instanceof NotPrivateError)
    return sanitise(
      `The journal cannot be trusted, so nothing was sent: ${error.message}. Mend that, or point XDG_STATE_HOME to a folder that only you can change.`,
    );
  if (!(error instanceof Error) || !('syscall' in error) || !('path' in error)) return undefined;
  return sanitise(
    `The journal cannot be read or written, so nothing was sent: ${error.message}. Make room or mend the permissions there, or point XDG_STATE_HOME to another folder.`,
  );
}
