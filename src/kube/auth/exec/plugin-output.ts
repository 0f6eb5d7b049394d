/** Passes a plugin's output on, or borrows a busy terminal for it once the plugin seems to wait for the user. */
import type { PersonsTerminal } from '../../../source/index.ts';
import { concealed, plainText, withoutEscapes } from '../../config/known-credentials.ts';

export interface PluginOutputOptions {
  readonly terminal: PersonsTerminal | undefined;
  readonly notice: (line: string) => void;
  readonly heading: string;
  readonly personAsked: () => void;
}

/** A plugin that has written something and runs this long may be waiting for the user. */
const WAITS_MS = 1_000;
/** A plugin that pauses this long within a line shows a prompt. */
const PROMPT_MS = 100;
const MOST_BEGUN = 64 * 1024;

export class PluginOutput {
  readonly #options: PluginOutputOptions;
  readonly #ended = Promise.withResolvers<void>();
  #said = '';
  /** The start of a line, which may end within a credential. */
  #begun = '';
  #line = '';
  #prompt: NodeJS.Timeout | undefined;
  #timer: NodeJS.Timeout | undefined;
  #write: ((text: string) => void) | undefined;

  constructor(options: PluginOutputOptions) {
    this.#options = options;
  }

  readonly hear = (text: string): void => {
    clearTimeout(this.#prompt);
    this.#begun += text;
    const whole = this.#begun.slice(0, endOfWhole(this.#begun));
    this.#begun = this.#begun.slice(whole.length);
    if (whole !== '') this.#tell(whole);
    if (this.#begun.length > MOST_BEGUN) this.#tellBegun();
    else if (this.#begun !== '') this.#prompt = setTimeout(() => this.#tellBegun(), PROMPT_MS);
  };

  /** Returns the terminal and passes on the text that was not shown. */
  end(): void {
    clearTimeout(this.#prompt);
    this.#tellBegun();
    clearTimeout(this.#timer);
    this.#ended.resolve();
    if (this.#write === undefined) this.#pass(this.#said);
    this.#said = '';
  }

  #tellBegun(): void {
    const text = this.#begun;
    this.#begun = '';
    if (text !== '') this.#tell(text);
  }

  #tell(words: string): void {
    const text = this.#hide(words);
    const { terminal, personAsked } = this.#options;
    if (terminal === undefined || terminal.isFree) {
      personAsked();
      this.#pass(text);
    } else if (this.#write !== undefined) this.#write(printable(text));
    else {
      this.#said += text;
      this.#timer ??= setTimeout(() => this.#show(terminal), WAITS_MS);
    }
  }

  /** Removes credentials that the current line reveals. */
  #hide(words: string): string {
    const before = concealed(this.#line);
    const whole = concealed(this.#line + words);
    this.#line = (this.#line + words).slice(-MOST_BEGUN);
    this.#line = this.#line.slice(this.#line.lastIndexOf('\n') + 1);
    return whole.startsWith(before) ? whole.slice(before.length) : concealed(words);
  }

  #show(terminal: PersonsTerminal): void {
    const { heading, personAsked } = this.#options;
    personAsked();
    const loan = terminal.lend(async write => {
      this.#write = write;
      write(`${heading}\n\n${printable(this.#said)}`);
      await this.#ended.promise;
    });
    if (loan === undefined) this.#pass(this.#said);
    loan?.catch(() => {});
  }

  #pass(text: string): void {
    for (const line of text.split('\n')) if (line.trim() !== '') this.#options.notice(plainText(line));
  }
}

/** Returns the end of the last whole line, outside any key. */
function endOfWhole(text: string): number {
  const end = text.lastIndexOf('\n') + 1;
  const key = text.lastIndexOf('-----BEGIN ');
  return key >= 0 && !text.includes('-----END ', key) ? Math.min(end, key) : end;
}

/** Removes characters that would move the cursor or change colours. */
function printable(text: string): string {
  return withoutEscapes(text).replace(/[^\P{C}\n\t]/gu, '');
}
