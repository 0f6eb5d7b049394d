/** Shows an action's current state in one line on standard error, rewritten in place. */

import type { ViewSubscription } from '../../actions/index.ts';
import type { ClusterView } from '../../graph/index.ts';
import { connectionWords } from '../../text/index.ts';
import type { Io } from './io.ts';
import { say, statusWords } from './say.ts';

const LONG_PAUSE_MILLISECONDS = 2_000;
const REFRESH_MILLISECONDS = 1_000;

type Out = Pick<Io, 'stderr' | 'stderrIsTerminal' | 'terminal' | 'errorColumns' | 'ascii' | 'now'>;

export class StatusLine {
  readonly #io: Out;
  #doing = '';

  constructor(io: Out) {
    this.#io = io;
  }

  show(doing: string): void {
    this.#doing = doing;
    this.#write(doing);
  }

  wipe(): void {
    this.#doing = '';
    this.#clear();
  }

  /** Reports until the signal aborts that a request is backing off; without a terminal, once for each long pause. */
  async showPauses(view: ClusterView, changes: ViewSubscription, signal: AbortSignal): Promise<void> {
    let told: number | undefined;
    while (!signal.aborted) {
      const { pausing } = view;
      if (pausing !== undefined) {
        const now = this.#io.now();
        const words = connectionWords.pausing(pausing, now);
        if (this.#io.stderrIsTerminal) this.#write(words);
        else if (told === undefined && pausing.until - now >= LONG_PAUSE_MILLISECONDS)
          say(this.#io, `kubectl gc-tree: ${words}\n`);
        told = pausing.until;
      } else if (told !== undefined) {
        told = undefined;
        if (this.#doing === '') this.#clear();
        else this.#write(this.#doing);
      }
      await changes.within(REFRESH_MILLISECONDS, signal);
    }
  }

  #write(line: string): void {
    this.#io.terminal.status(statusWords(this.#io, line));
  }

  #clear(): void {
    this.#io.terminal.status('');
  }
}
