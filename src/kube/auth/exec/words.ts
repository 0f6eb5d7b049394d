/**
 * What an exec plugin says while it runs without the terminal, such as "open this page and enter that code". Where
 * nobody draws on the terminal it is passed on; else the terminal is borrowed once the plugin waits for an answer.
 */
import type { PersonsTerminal } from '../../../source/terminal.ts';
import { plainText } from '../plain-text.ts';

export interface WordsOptions {
  /** Undefined where no person is. */
  readonly terminal: PersonsTerminal | undefined;
  /** Takes one line. */
  readonly notice: (line: string) => void;
  /** Stands above what it says. */
  readonly heading: string;
  /** Somebody is asked for something. */
  readonly personAsked: () => void;
}

/** Whoever says something and goes on for so long may be waiting for a person. */
const WAITS_MS = 1_000;

export class Words {
  readonly #options: WordsOptions;
  readonly #ended = Promise.withResolvers<void>();
  #said = '';
  #timer: NodeJS.Timeout | undefined;
  #write: ((text: string) => void) | undefined;

  constructor(options: WordsOptions) {
    this.#options = options;
  }

  /** Takes text as it comes. */
  readonly hear = (text: string): void => {
    const { terminal, personAsked } = this.#options;
    if (terminal === undefined || terminal.isFree) {
      personAsked();
      this.#pass(text);
    } else if (this.#write !== undefined) this.#write(printable(text));
    else {
      this.#said += text;
      this.#timer ??= setTimeout(() => this.#show(terminal), WAITS_MS);
    }
  };

  /** The plugin has ended: the terminal goes back, and what nobody had to see at once is passed on. */
  end(): void {
    clearTimeout(this.#timer);
    this.#ended.resolve();
    if (this.#write === undefined) this.#pass(this.#said);
    this.#said = '';
  }

  #show(terminal: PersonsTerminal): void {
    const { heading, personAsked } = this.#options;
    personAsked();
    const loan = terminal.lend(async write => {
      this.#write = write;
      write(`${heading}\n\n${printable(this.#said)}`);
      await this.#ended.promise;
    });
    // Whoever had the terminal has gone, or doesn't let go of it.
    if (loan === undefined) this.#pass(this.#said);
    loan?.catch(() => {});
  }

  #pass(text: string): void {
    for (const line of text.split('\n')) if (line.trim() !== '') this.#options.notice(plainText(line));
  }
}

/** Without what would move the cursor about or change colours for good. */
function printable(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex -- escape sequences are what is taken out
      .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '')
      .replace(/[^\P{C}\n\t]/gu, '')
  );
}
