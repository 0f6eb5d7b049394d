/**
 * What is drawn just now, and who draws it: told only where something on the screen is another thing than before. Most
 * of what happens in a cluster, and most seconds, change nothing of it, and drawing a frame costs ten times as much as
 * working its lines out.
 */

import { withKnown } from '../../model/equal.ts';
import { type ScreenLines, screenLines } from '../lines/screen.ts';
import type { Message } from '../state/messages.ts';
import type { Cancel, Ports } from './ports.ts';
import type { ScreenSession } from './session.ts';

/**
 * Until all of a cluster was judged, what comes of it is drawn so often. Each of these frames takes as long as hundreds of
 * objects to read: drawn 30 times a second, they took a third of the processor time until then.
 */
const FILLING_MS = 250;
const fills: ReadonlySet<Message['type']> = new Set(['opened', 'batch', 'diagnosticsLoaded']);

export class Frames {
  readonly #session: Pick<ScreenSession, 'getState' | 'subscribe'>;
  readonly #after: Ports['after'];
  readonly #listeners = new Set<() => void>();
  #drawn: ScreenLines;
  #isDue = false;
  /** A frame that is drawn later, unless something else has one drawn before. */
  #later: Cancel | undefined;

  constructor(session: Pick<ScreenSession, 'getState' | 'subscribe'>, { after }: Pick<Ports, 'after'>) {
    this.#session = session;
    this.#after = after;
    this.#drawn = screenLines(session.getState());
    // As long as the session: it ends with the program.
    session.subscribe(message => this.#changed(message));
  }

  /** The same one as long as the screen looks the same; lines of it that look the same are the same from one to the next. */
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

  /** Keys that were read together are one frame. */
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
