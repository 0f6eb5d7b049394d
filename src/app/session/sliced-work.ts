/** Work in slices between which input is read: whoever presses a key doesn't wait for it. One piece of work at a time. */
import type { Cancel, Ports } from './ports.ts';

/** How long one slice may keep input waiting. */
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

  /**
   * Takes the place of what still runs. `step` is called until it returns true: then the work is done. `lasting`: milliseconds
   * of the slice that begins, where it isn't a short one.
   */
  start(step: () => boolean, lasting: () => number | undefined = () => undefined): void {
    this.stop();
    const work = {};
    this.#current = work;
    const slice = (): void => {
      const until = this.#ports.now() + (lasting() ?? SLICE_MS);
      do {
        const done = step();
        // A step may stop the work, or start another one.
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
