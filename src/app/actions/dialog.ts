/**
 * The dialog of an action as whoever acts sees it: told what is under way, and asked for a choice or for a yes. Apart
 * from the action, because each question waits for a person, who may close the dialog instead.
 */
import type { TextLine } from '../../text/terminal/text-line.ts';
import type { ActionChoice, ActionNews } from './action.ts';

export interface ChoiceQuestion {
  readonly question: string;
  /** `row`: side by side, with what they have in common below; `list`: one below the other. */
  readonly as: 'row' | 'list';
  readonly choices: readonly ActionChoice[];
  /** Where the cursor stands at first; -1 where nobody is to take one by enter alone. */
  readonly preselected: number;
  readonly lines: readonly TextLine[];
}

export interface YesQuestion {
  readonly question: string;
  /** What has to be typed; undefined where a key is enough. */
  readonly word: string | undefined;
  readonly lines: readonly TextLine[];
}

export class ActingDialog {
  readonly tell: (news: ActionNews) => void;
  readonly #columns: () => number;
  readonly #controller = new AbortController();
  #chosen: ((id: string | undefined) => void) | undefined;
  #answered: ((yes: boolean) => void) | undefined;

  constructor(tell: (news: ActionNews) => void, columns: () => number) {
    this.tell = tell;
    this.#columns = columns;
    this.#controller.signal.addEventListener('abort', () => {
      this.#chosen?.(undefined);
      this.#answered?.(false);
    });
  }

  /** Aborted when the dialog is closed. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get closed(): boolean {
    return this.signal.aborted;
  }

  /** Columns for a line of text. */
  get width(): number {
    return this.#columns() - 2;
  }

  choose(id: string): void {
    this.#chosen?.(id);
  }

  answer(yes: boolean): void {
    this.#answered?.(yes);
  }

  close(): void {
    this.#controller.abort();
  }

  /** Resolves with what was chosen; undefined where the dialog was closed. */
  choice({ question, as, choices, preselected: cursor, lines }: ChoiceQuestion): Promise<string | undefined> {
    if (this.closed) return Promise.resolve(undefined);
    this.tell({ stage: { at: 'choosing', question, as, choices, cursor }, lines });
    return new Promise(resolve => {
      this.#chosen = id => {
        this.#chosen = undefined;
        resolve(id);
      };
    });
  }

  /** Resolves with false also where the dialog was closed. */
  confirmation({ question, word, lines }: YesQuestion): Promise<boolean> {
    if (this.closed) return Promise.resolve(false);
    this.tell({ stage: { at: 'asking', typed: '', question, word }, lines });
    return new Promise(resolve => {
      this.#answered = yes => {
        this.#answered = undefined;
        resolve(yes);
      };
    });
  }
}
