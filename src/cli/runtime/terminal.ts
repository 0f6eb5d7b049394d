/**
 * Who may draw on the terminal and read what is typed there: a line of progress, a question, the screen, or for a while
 * a plugin that somebody logs in with. One at a time; what has to be said meanwhile waits.
 */
import type { Writable } from 'node:stream';
import type { PersonsTerminal } from '../../source/source.ts';

/** Lets somebody else have it: whatever was drawn is gone while `meanwhile` runs, and drawn again after it. */
export type StepAside = (meanwhile: () => Promise<void>) => Promise<void>;

/** Who has it for good. */
type Holder =
  | { readonly stepAside: StepAside; readonly question?: undefined }
  /** Waits for an answer behind these words, and doesn't step aside. */
  | { readonly question: string; readonly stepAside?: undefined };

const WIPE = '\r\u001B[K';

/** Lines that are kept while they would be drawn over something. */
const MOST_LINES = 1_000;

export class Terminal implements PersonsTerminal {
  readonly #stderr: Writable;
  readonly #isTerminal: boolean;
  #holder: Holder | undefined;
  #loans: Promise<unknown> = Promise.resolve();
  #isLent = false;
  #hasStatus = false;
  #kept: string[] = [];

  /** `isTerminal`: standard error is drawn on the terminal, and isn't read from a file later. */
  constructor(stderr: Writable, isTerminal: boolean) {
    this.#stderr = stderr;
    this.#isTerminal = isTerminal;
  }

  get isFree(): boolean {
    return this.#holder === undefined;
  }

  lend<T>(use: (write: (text: string) => void) => Promise<T>): Promise<T> | undefined {
    if (this.#holder !== undefined && this.#holder.stepAside === undefined) return undefined;
    const loan = this.#loans.then(() => this.#lendNow(use));
    this.#loans = loan.catch(() => {});
    return loan;
  }

  async #lendNow<T>(use: (write: (text: string) => void) => Promise<T>): Promise<T> {
    this.status('');
    this.#isLent = true;
    const write = (text: string): void => void this.#stderr.write(text);
    try {
      const stepAside = this.#holder?.stepAside;
      if (stepAside === undefined) return await use(write);
      const result = Promise.withResolvers<T>();
      // It may fail before whoever stepped aside is back.
      result.promise.catch(() => {});
      await stepAside(async () => {
        await use(write).then(result.resolve, result.reject);
      });
      return await result.promise;
    } finally {
      this.#isLent = false;
      this.#sayKept();
    }
  }

  /** Gives it away until the returned function is called; whoever borrowed it gives it back first. */
  async hold(holder: Holder): Promise<() => void> {
    await this.#loans;
    this.status('');
    this.#holder = holder;
    return () => {
      if (this.#holder === holder) this.#holder = undefined;
      this.#sayKept();
    };
  }

  /** Draws a line that the next one replaces; `''` wipes it. Nothing while somebody else has the terminal. */
  status(line: string): void {
    if (!this.#isTerminal || this.#isLent || this.#holder !== undefined) return;
    if (line === '' && !this.#hasStatus) return;
    this.#hasStatus = line !== '';
    this.#stderr.write(`${WIPE}${line}`);
  }

  /** Writes a line to standard error: at once, or when the terminal is back where it would be drawn over something. */
  say(line: string): void {
    const isCovered = this.#isTerminal && (this.#isLent || this.#holder?.stepAside !== undefined);
    if (isCovered) {
      this.#kept.push(line);
      if (this.#kept.length > MOST_LINES) this.#kept.shift();
      return;
    }
    this.status('');
    const { question } = this.#holder ?? {};
    // What was typed so far is no longer seen, but it counts.
    const around = question === undefined || !this.#isTerminal ? ['', ''] : [WIPE, question];
    this.#stderr.write(`${around[0]}${line}\n${around[1]}`);
  }

  #sayKept(): void {
    if (this.#isLent || this.#holder?.stepAside !== undefined) return;
    for (const line of this.#kept.splice(0)) this.say(line);
  }
}
