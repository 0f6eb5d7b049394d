/**
 * What an exec plugin writes while it runs without the terminal, such as "open this page and enter that code". It is
 * passed on where the terminal is free; else the terminal is borrowed once the plugin seems to wait for an answer.
 */
import type { PersonsTerminal } from '../../../source/source.ts';
import { concealed, plainText, withoutEscapes } from '../../config/known-credentials.ts';

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

/** A plugin that has written something and runs on for so long may be waiting for the user. */
const WAITS_MS = 1_000;
/** A plugin that stops in the middle of a line for so long shows a prompt. */
const PROMPT_MS = 100;
/** Characters without the end of a line. */
const MOST_BEGUN = 64 * 1024;

export class Words {
  readonly #options: WordsOptions;
  readonly #ended = Promise.withResolvers<void>();
  #said = '';
  /** The beginning of a line: a credential in it may be about to go on. */
  #begun = '';
  /** What was written of the current line, credentials included. */
  #line = '';
  #prompt: NodeJS.Timeout | undefined;
  #timer: NodeJS.Timeout | undefined;
  #write: ((text: string) => void) | undefined;

  constructor(options: WordsOptions) {
    this.#options = options;
  }

  /** Takes text as it comes. */
  readonly hear = (text: string): void => {
    clearTimeout(this.#prompt);
    this.#begun += text;
    const whole = this.#begun.slice(0, endOfWhole(this.#begun));
    this.#begun = this.#begun.slice(whole.length);
    if (whole !== '') this.#tell(whole);
    if (this.#begun.length > MOST_BEGUN) this.#tellBegun();
    else if (this.#begun !== '') this.#prompt = setTimeout(() => this.#tellBegun(), PROMPT_MS);
  };

  /** The plugin has ended: the terminal is given back, and what was not shown is passed on. */
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

  /** Without credentials, as far as the current line shows them. */
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
    // The terminal cannot be borrowed any more.
    if (loan === undefined) this.#pass(this.#said);
    loan?.catch(() => {});
  }

  #pass(text: string): void {
    for (const line of text.split('\n')) if (line.trim() !== '') this.#options.notice(plainText(line));
  }
}

/** Where the last whole line ends, and not within a key. */
function endOfWhole(text: string): number {
  const end = text.lastIndexOf('\n') + 1;
  const key = text.lastIndexOf('-----BEGIN ');
  return key >= 0 && !text.includes('-----END ', key) ? Math.min(end, key) : end;
}

/** Without what would move the cursor about or change colours for good. */
function printable(text: string): string {
  return withoutEscapes(text).replace(/[^\P{C}\n\t]/gu, '');
}
