/**
 * The collector's queues: first in, first out, and what waits already isn't queued twice. Without clocks: who
 * drives the queue decides what a rate-limited addition means.
 */
export class WorkQueue<T> {
  private readonly waiting = new Set<T>();

  add(item: T): void {
    this.waiting.add(item);
  }

  /** Takes the oldest item. It may be queued again while it is being worked on. */
  take(): T | undefined {
    const next = this.waiting.values().next();
    if (next.done) return undefined;
    this.waiting.delete(next.value);
    return next.value;
  }

  get size(): number {
    return this.waiting.size;
  }

  /** From the oldest to the newest. */
  items(): T[] {
    return [...this.waiting];
  }
}
