/**
 * What one source delivers on its way to the screen: batches are held back until the source is shown, and are then
 * taken over together, at most once a frame.
 */
import type { SourceBatch } from '../../model/exchange/changes.ts';
import type { Cancel, Ports } from './ports.ts';

/**
 * Time between two takeovers of what the source delivered: about 30 a second. At 150,000 objects and 2,000
 * events a second the whole program takes 0.3 of a core with it (200×50, two shared 2.5 GHz cores).
 */
const FRAME_MS = 33;

export class BatchQueue {
  readonly #ports: Pick<Ports, 'now' | 'after'>;
  readonly #take: (batch: SourceBatch, now: number) => void;
  #pending: SourceBatch[] = [];
  #isOpen = false;
  #flushing: Cancel | undefined;
  #lastFlush = 0;
  #flushCost = 0;

  /** `take` is given everything that came since it was called last, as one batch for each state of the connection. */
  constructor(ports: Pick<Ports, 'now' | 'after'>, take: (batch: SourceBatch, now: number) => void) {
    this.#ports = ports;
    this.#take = take;
  }

  push(batch: SourceBatch): void {
    this.#pending.push(batch);
    this.#schedule();
  }

  /** From now on what comes is taken over, beginning with what is there. */
  open(): void {
    this.#isOpen = true;
    this.#schedule();
  }

  /** Takes over at once what has come. */
  flush(): void {
    this.#flushing?.();
    this.#flushing = undefined;
    if (!this.#isOpen || this.#pending.length === 0) return;
    const runs = runsOf(this.#pending);
    this.#pending = [];
    const begin = this.#ports.now();
    for (const run of runs) this.#take(merge(run), begin);
    this.#lastFlush = this.#ports.now();
    this.#flushCost = this.#lastFlush - begin;
  }

  /** Nothing is taken over any more. */
  stop(): void {
    this.#isOpen = false;
    this.#flushing?.();
    this.#flushing = undefined;
  }

  #schedule(): void {
    if (!this.#isOpen || this.#flushing !== undefined) return;
    // Where taking over is slow, as while 150,000 objects arrive, it leaves as much time for everything else.
    const gap = Math.max(FRAME_MS, 2 * this.#flushCost);
    const wait = Math.max(0, this.#lastFlush + gap - this.#ports.now());
    this.#flushing = this.#ports.after(wait, () => this.flush());
  }
}

/** What may be merged: a connection that was lost for a moment is as good a reason for doubt as one lost for long. */
function runsOf(batches: readonly SourceBatch[]): SourceBatch[][] {
  const runs: SourceBatch[][] = [];
  let isTold = false;
  for (const batch of batches) {
    const tells = batch.connection !== undefined;
    const run: SourceBatch[] | undefined = tells && isTold ? undefined : runs.at(-1);
    if (run === undefined) runs.push([batch]);
    else run.push(batch);
    isTold = tells || (isTold && run !== undefined);
  }
  return runs;
}

/** One batch with the effect of several, so that trees and rows are brought up to date once. */
function merge(batches: readonly SourceBatch[]): SourceBatch {
  const [only] = batches;
  if (batches.length === 1 && only !== undefined) return only;
  const merged: { -readonly [key in keyof SourceBatch]: SourceBatch[key] } = {
    changes: batches.flatMap(batch => batch.changes),
  };
  for (const batch of batches) {
    if (batch.types !== undefined) merged.types = batch.types;
    if (batch.failedGroups !== undefined) merged.failedGroups = batch.failedGroups;
    if (batch.statuses !== undefined) merged.statuses = [...(merged.statuses ?? []), ...batch.statuses];
    if (batch.connection !== undefined) merged.connection = batch.connection;
    if (batch.pausing !== undefined) merged.pausing = batch.pausing;
    if (batch.lookUps !== undefined) merged.lookUps = [...(merged.lookUps ?? []), ...batch.lookUps];
  }
  return merged;
}
