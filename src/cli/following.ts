/** What a command that watches says when it sees nothing new any more, and when it does again. */
import { isBehind } from '../model/changes.ts';
import { behindSentence } from '../text/connection.ts';
import type { Io } from './io.ts';
import { momentOf } from './moment.ts';
import type { Session } from './session.ts';

export class Following {
  readonly #session: Session;
  readonly #io: Io;
  /** Since it was last followed; each of them once. */
  readonly #said = new Set<string>();

  constructor(session: Session, io: Io) {
    this.#session = session;
    this.#io = io;
  }

  /**
   * To be called whenever something arrived. Says on standard error what is new about the connection; returns whether
   * anything was said, which is a reason to print a document anew.
   */
  tell(): boolean {
    const { connection } = this.#session.view;
    if (!isBehind(connection)) {
      if (this.#said.size === 0) return false;
      this.#said.clear();
      this.#write('The cluster is followed again.');
      return true;
    }
    const what = connection.state === 'lost' ? connection.reason : connection.cause;
    if (this.#said.has(what)) return false;
    this.#said.add(what);
    this.#write(behindSentence(connection, momentOf(this.#session, this.#io)));
    return true;
  }

  #write(line: string): void {
    this.#io.stderr.write(`${line}\n`);
  }
}
