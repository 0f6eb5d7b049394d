/** What a command that watches says of how it watches: what it cannot see or watch, and when it sees nothing new any more. */

import { isBehind } from '../../model/exchange/changes.ts';
import { behindSentence } from '../../text/connection/connection.ts';
import { reservationLines } from '../commands/tree/run.ts';
import type { Io } from '../runtime/io.ts';
import { say } from '../runtime/say.ts';
import type { ClusterSession } from './session.ts';

export class Following {
  readonly #session: ClusterSession;
  readonly #io: Io;
  readonly #withReservations: boolean;
  /** What is reserved now. */
  #reserved: ReadonlySet<string>;
  /** Since it was last followed; each of them once. */
  readonly #said = new Set<string>();

  /** What is reserved by now was said with the first answer; `withReservations` is off where documents say it. */
  constructor(session: ClusterSession, io: Io, withReservations: boolean) {
    this.#session = session;
    this.#io = io;
    this.#withReservations = withReservations;
    this.#reserved = new Set(reservationLines(session));
  }

  /**
   * To be called whenever something arrived. Says on standard error what is new; returns whether that was about the
   * connection, which is a reason to print a document anew.
   */
  tell(): boolean {
    if (this.#withReservations) this.#tellReservations();
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
    this.#write(behindSentence(connection, this.#session.now()));
    return true;
  }

  #tellReservations(): void {
    const lines = reservationLines(this.#session);
    for (const line of lines) if (!this.#reserved.has(line)) say(this.#io, line);
    this.#reserved = new Set(lines);
  }

  #write(line: string): void {
    say(this.#io, `${line}\n`);
  }
}
