/**
 * What is drawn just now, and who draws it: told only where something on the screen is another thing than before. Most
 * of what happens in a cluster, and most seconds, change nothing of it, and drawing a frame costs ten times as much as
 * working its lines out.
 */

import { withKnown } from '../../model/equal.ts';
import { type ScreenLines, screenLines } from '../lines/screen.ts';
import type { Cancel } from './ports.ts';
import type { ScreenSession } from './session.ts';

export class Frames {
  readonly #session: Pick<ScreenSession, 'getState' | 'subscribe'>;
  readonly #listeners = new Set<() => void>();
  #drawn: ScreenLines;
  #isDue = false;

  constructor(session: Pick<ScreenSession, 'getState' | 'subscribe'>) {
    this.#session = session;
    this.#drawn = screenLines(session.getState());
    // As long as the session: it ends with the program.
    session.subscribe(() => this.#changed());
  }

  /** The same one as long as the screen looks the same; lines of it that look the same are the same from one to the next. */
  readonly current = (): ScreenLines => this.#drawn;

  readonly subscribe = (listener: () => void): Cancel => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Keys that were read together are one frame. */
  #changed(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      const drawn = withKnown(this.#drawn, screenLines(this.#session.getState()));
      if (drawn === this.#drawn) return;
      this.#drawn = drawn;
      for (const listener of this.#listeners) listener();
    });
  }
}
