/** Runs one piece of work in slices, reading input between them. */
import type { Cancel, Ports } from './ports.ts';

/** Milliseconds per slice. */
const SLICE_MS = 4;

export class SlicedWork {
  readonly #ports: Pick<Ports, 'now' | 'soon'>;
  #cancel: Cancel | undefined;
  #current: object | undefined;

  constructor(ports: Pick<Ports, 'now' | 'soon'>) {
    this.#ports = ports;
  }

  get running(): boolean {
    return this.#current !== undefined;
  }

  /** Replaces the running work; calls `step` until it returns true. `lasting`: length of the next slice in ms. */
  start(step: () => boolean, lasting: () => number | undefined = () => undefined): void {
    this.stop();
    const work = {};
    this.#current = work;
    const slice = (): void => {
      const until = this.#ports.now() + (lasting() ?? SLICE_MS);
      do {
        const done = step();
        // A step may stop the work, or start another.
        if (this.#current !== work) return;
        if (done) {
          this.#current = undefined;
          return;
        }
      } while (this.#ports.now() < until);
      this.#cancel = this.#ports.soon(slice);
    };
    this.#cancel = this.#ports.soon(slice);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#current = undefined;
  }
}
