/** Shares the terminal between progress, questions, the screen, and login plugins; messages wait meanwhile. */
import type { Writable } from 'node:stream';
import type { PersonsTerminal } from '../../source/index.ts';

/** Lends the terminal: wipes the holder's drawing, runs `meanwhile`, and draws again. */
export type StepAside = (meanwhile: () => Promise<void>) => Promise<void>;

type Holder =
  | { readonly stepAside: StepAside; readonly question?: undefined }
  /** A prompt, which doesn't step aside. */
  | { readonly question: string; readonly stepAside?: undefined };

const WIPE = '\r\u001B[K';

/** Lines to keep while they would overwrite a drawing. */
const MOST_LINES = 1_000;

export class Terminal implements PersonsTerminal {
  readonly #stderr: Writable;
  readonly #isTerminal: boolean;
  #holder: Holder | undefined;
  #loans: Promise<unknown> = Promise.resolve();
  #isLent = false;
  #hasStatus = false;
  #kept: string[] = [];

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

  /** Takes the terminal, after any loan, until the returned function is called. */
  async hold(holder: Holder): Promise<() => void> {
    await this.#loans;
    this.status('');
    this.#holder = holder;
    return () => {
      if (this.#holder === holder) this.#holder = undefined;
      this.#sayKept();
    };
  }

  /** Draws a line that the next one replaces; `''` wipes it. Does nothing while the terminal is taken. */
  status(line: string): void {
    if (!this.#isTerminal || this.#isLent || this.#holder !== undefined) return;
    if (line === '' && !this.#hasStatus) return;
    this.#hasStatus = line !== '';
    this.#stderr.write(`${WIPE}${line}`);
  }

  /** Writes a line to standard error at once, or later if it would overwrite a drawing. */
  say(line: string): void {
    const isCovered = this.#isTerminal && (this.#isLent || this.#holder?.stepAside !== undefined);
    if (isCovered) {
      this.#kept.push(line);
      if (this.#kept.length > MOST_LINES) this.#kept.shift();
      return;
    }
    this.status('');
    const { question } = this.#holder ?? {};
    // Typed characters are no longer visible, but still count.
    const around = question === undefined || !this.#isTerminal ? ['', ''] : [WIPE, question];
    this.#stderr.write(`${around[0]}${line}\n${around[1]}`);
  }

  #sayKept(): void {
    if (this.#isLent || this.#holder?.stepAside !== undefined) return;
    for (const line of this.#kept.splice(0)) this.say(line);
  }
}
