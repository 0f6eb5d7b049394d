/** Notifies only of visible changes: drawing costs ten times as much as computing the lines. */

import { withKnown } from '../../model/index.ts';
import type { Cancel, Ports } from '../background/ports.ts';
import { type ScreenLines, screenLines } from '../screen/screen-lines.ts';
import type { Message } from '../state/messages.ts';
import type { ScreenSession } from './session.ts';

/** Interval until everything is judged; at 30 frames a second, drawing took a third of the processor time. */
const FILLING_MS = 250;
const fills: ReadonlySet<Message['type']> = new Set(['opened', 'batch', 'diagnosticsLoaded']);

export class Frames {
  readonly #session: Pick<ScreenSession, 'getState' | 'subscribe'>;
  readonly #after: Ports['after'];
  readonly #listeners = new Set<() => void>();
  #drawn: ScreenLines;
  #isDue = false;
  /** A postponed frame; any earlier one replaces it. */
  #later: Cancel | undefined;

  constructor(session: Pick<ScreenSession, 'getState' | 'subscribe'>, { after }: Pick<Ports, 'after'>) {
    this.#session = session;
    this.#after = after;
    this.#drawn = screenLines(session.getState());
    // This lasts as long as the session, which ends with the program.
    session.subscribe(message => this.#changed(message));
  }

  /** Returns the same value, and the same lines, while they look the same. */
  readonly current = (): ScreenLines => this.#drawn;

  readonly subscribe = (listener: () => void): Cancel => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #changed({ type }: Message): void {
    const { cluster } = this.#session.getState();
    const isFilling = cluster !== undefined && !(cluster.allKnown && cluster.problems?.complete === true);
    if (isFilling && fills.has(type)) this.#later ??= this.#after(FILLING_MS, () => this.#draw());
    else this.#draw();
  }

  /** Draws keys that were read together as one frame. */
  #draw(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      this.#later?.();
      this.#later = undefined;
      const drawn = withKnown(this.#drawn, screenLines(this.#session.getState()));
      if (drawn === this.#drawn) return;
      this.#drawn = drawn;
      for (const listener of this.#listeners) listener();
    });
  }
}
