/** Lets one who follows a view sleep until it changes: whoever applies batches says so here. */

export class ViewSubscription {
  readonly #waiting = new Set<() => void>();

  /** The view has changed. */
  notify(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Resolves at the next change, and after so many milliseconds or when the signal aborts at the latest. */
  within(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise(resolve => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, milliseconds);
      this.#waiting.add(wake);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }
}
