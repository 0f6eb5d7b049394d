/** Questions to the user at the terminal, one line of answer each; apart, because standard input is read once. */
import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Io } from '../../runtime/io.ts';

export class Prompter {
  readonly #io: Io;
  readonly #signal: AbortSignal;
  readonly #catchInterrupts: () => void;
  #input: Readable | undefined;
  #reader: Interface | undefined;
  #lines: AsyncIterator<string> | undefined;

  /** `signal` ends the wait for an answer; `catchInterrupts` is called before the first. */
  constructor(io: Io, signal: AbortSignal, catchInterrupts: () => void) {
    this.#io = io;
    this.#signal = signal;
    this.#catchInterrupts = catchInterrupts;
  }

  /** The trimmed answer; undefined where there is none: at the end of the input, or interrupted. */
  async ask(question: string): Promise<string | undefined> {
    if (this.#signal.aborted) return undefined;
    this.#catchInterrupts();
    // Nobody may log in at the same place while an answer is waited for.
    const release = await this.#io.terminal.hold({ question });
    try {
      this.#io.stderr.write(question);
      const answer = await Promise.race([this.#next(), this.#aborted()]);
      // What was typed ended its line; what wasn't, leaves the cursor behind the question.
      if (answer === undefined) this.#io.stderr.write('\n');
      return answer?.trim();
    } finally {
      // What is typed from now on may be for somebody else.
      this.#input?.pause();
      release();
    }
  }

  close(): void {
    this.#reader?.close();
  }

  async #next(): Promise<string | undefined> {
    // The terminal edits the line and makes a signal of Ctrl-C, as long as nobody asks it for single keys.
    this.#input ??= this.#io.stdin();
    this.#reader ??= createInterface({ input: this.#input, terminal: false });
    this.#lines ??= this.#reader[Symbol.asyncIterator]();
    this.#input.resume();
    const { done, value } = await this.#lines.next();
    return done === true ? undefined : value;
  }

  #aborted(): Promise<undefined> {
    return new Promise(resolve => {
      this.#signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
  }
}
