/** Holds a source's batches until it is shown, then merges them in slices short enough not to delay a key. */
import type { SourceBatch } from '../../model/index.ts';
import type { Cancel, Ports } from '../background/ports.ts';

/**
 * Milliseconds between merges: about 30 a second. At 150,000 objects and 2,000 events a second the whole program takes
 * 0.3 of a core with it (200×50, two shared 2.5 GHz cores).
 */
const FRAME_MS = 33;
/** Changes between two looks at the clock while the user types: half a millisecond, with the screen's work. */
const SLICE = 100;
/** Slice size otherwise: the screen's work per slice grows with its content, however few the changes. */
const LARGE_SLICE = 400;
/** Waiting time of a late batch; later ones come in larger slices, so that a slow machine catches up. */
const BEHIND_MS = 1_000;
/** Milliseconds that a merge may delay a key. */
const TURN_MS = 4;
/** Minimum pause between merges; at least as long as the last one took. */
const PAUSE_MS = 4;
/** Factor by which pauses outlast merges while the user types. */
const GIVING_WAY = 3;
/** Milliseconds without a merge after a key, until its effect is on the screen. */
const KEY_MS = 15;

interface Arrived {
  readonly at: number;
  readonly batch: SourceBatch;
}

export class BatchQueue {
  readonly #ports: Pick<Ports, 'now' | 'after'>;
  readonly #take: (batch: SourceBatch, now: number) => void;
  readonly #pending: (Arrived | (() => void))[] = [];
  #isOpen = false;
  #flushing: Cancel | undefined;
  #lastFlush = 0;
  #dueAt = 0;
  #flushCost = 0;
  #givesWayUntil = 0;
  #keyUntil = 0;
  /** Due batches have already waited for a key and don't wait for another. */
  #hasWaited = false;
  #holds = 0;
  readonly #toHold: (() => void)[] = [];

  /** `take` gets the batches since its last call, merged per state of the connection. */
  constructor(ports: Pick<Ports, 'now' | 'after'>, take: (batch: SourceBatch, now: number) => void) {
    this.#ports = ports;
    this.#take = take;
  }

  push(batch: SourceBatch): void {
    const at = this.#ports.now();
    for (const slice of slicesOf(batch)) this.#pending.push({ at, batch: slice });
    this.#schedule();
  }

  /** Runs once everything that came before is merged. */
  afterwards(run: () => void): void {
    if (this.#pending.length === 0) return run();
    this.#pending.push(run);
    this.#flushing?.();
    this.#flushing = undefined;
    this.#schedule(0);
  }

  open(): void {
    this.#isOpen = true;
    this.#schedule();
  }

  /**
   * Holds batches once waiting ones had their turn; resolves with a function that ends the hold. Until then nothing is
   * merged, so work sees one moment. Call it within about a second, because batches pile up.
   */
  still(): Promise<() => void> {
    return new Promise(resolve => {
      const hold = (): void => {
        this.#holds += 1;
        this.#flushing?.();
        this.#flushing = undefined;
        let isHeld = true;
        resolve(() => {
          if (isHeld) this.#holds -= 1;
          isHeld = false;
          this.#schedule();
        });
      };
      if (this.#pending.length === 0 || !this.#isOpen || this.#holds > 0) return hold();
      this.#toHold.push(hold);
      this.#flushing?.();
      this.#flushing = undefined;
      this.#schedule(0);
    });
  }

  /** Slows merging for this many milliseconds; never stops it. */
  giveWay(milliseconds: number): void {
    this.#givesWayUntil = this.#ports.now() + milliseconds;
    if (this.#hasWaited) return;
    this.#keyUntil = this.#ports.now() + Math.min(milliseconds, KEY_MS);
    if (this.#flushing === undefined) return;
    this.#hasWaited = true;
    this.#flushing();
    this.#flushWhenDue();
  }

  #flush(): void {
    this.#flushing = undefined;
    this.#hasWaited = false;
    const begin = this.#ports.now();
    do {
      for (const run of runsOf(this.#nextSlice())) this.#take(merge(run), begin);
      for (let [next] = this.#pending; typeof next === 'function' && this.#isOpen; [next] = this.#pending) {
        this.#pending.shift();
        next();
      }
    } while (this.#pending.length > 0 && this.#isOpen && this.#ports.now() - begin < TURN_MS);
    this.#lastFlush = this.#ports.now();
    this.#flushCost = this.#lastFlush - begin;
    this.#beginHolds();
    const times = this.#lastFlush < this.#givesWayUntil ? GIVING_WAY : 1;
    if (this.#pending.length > 0) this.#schedule(times * Math.max(PAUSE_MS, this.#flushCost));
  }

  /** Takes the batches at the front that may be merged together. */
  #nextSlice(): SourceBatch[] {
    const now = this.#ports.now();
    const [first] = this.#pending;
    const waited = typeof first === 'object' ? now - first.at : 0;
    const most = (now < this.#givesWayUntil ? SLICE : LARGE_SLICE) * Math.max(1, waited / BEHIND_MS);
    const slice: SourceBatch[] = [];
    let changes = 0;
    for (const next of this.#pending) {
      if (typeof next === 'function') break;
      changes += next.batch.changes.length;
      if (slice.length > 0 && changes > most) break;
      slice.push(next.batch);
    }
    this.#pending.splice(0, slice.length);
    return slice;
  }

  stop(): void {
    this.#isOpen = false;
    this.#flushing?.();
    this.#flushing = undefined;
    this.#beginHolds();
  }

  #beginHolds(): void {
    for (const hold of this.#toHold.splice(0)) hold();
  }

  /** Schedules a merge `gap` milliseconds after the last one. */
  #schedule(gap = Math.max(FRAME_MS, 2 * this.#flushCost)): void {
    if (!this.#isOpen || this.#holds > 0 || this.#flushing !== undefined) return;
    this.#dueAt = this.#lastFlush + gap;
    this.#flushWhenDue();
  }

  #flushWhenDue(): void {
    const wait = Math.max(this.#dueAt, this.#keyUntil) - this.#ports.now();
    this.#flushing = this.#ports.after(Math.max(0, wait), () => this.#flush());
  }
}

function slicesOf(batch: SourceBatch): SourceBatch[] {
  const { changes, types, failedGroups, scope, ...said } = batch;
  if (changes.length <= SLICE) return [batch];
  const slices: SourceBatch[] = [];
  for (let at = 0; at < changes.length; at += SLICE) slices.push({ changes: changes.slice(at, at + SLICE) });
  const served = {
    ...(types !== undefined && { types }),
    ...(failedGroups !== undefined && { failedGroups }),
    ...(scope !== undefined && { scope }),
  };
  return slices.map((slice, nth) => ({
    ...slice,
    ...(nth === 0 && served),
    ...(nth === slices.length - 1 && said),
  }));
}

/** Groups mergeable batches. Even a short loss of connection must stay visible. */
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

function merge(batches: readonly SourceBatch[]): SourceBatch {
  const [only] = batches;
  if (batches.length === 1 && only !== undefined) return only;
  const merged: { -readonly [key in keyof SourceBatch]: SourceBatch[key] } = {
    changes: batches.flatMap(batch => batch.changes),
  };
  for (const batch of batches) {
    if (batch.types !== undefined) merged.types = batch.types;
    if (batch.failedGroups !== undefined) merged.failedGroups = batch.failedGroups;
    if (batch.scope !== undefined) merged.scope = batch.scope;
    if (batch.statuses !== undefined) merged.statuses = [...(merged.statuses ?? []), ...batch.statuses];
    if (batch.connection !== undefined) merged.connection = batch.connection;
    if (batch.pausing !== undefined) merged.pausing = batch.pausing;
    if (batch.lookUps !== undefined) merged.lookUps = [...(merged.lookUps ?? []), ...batch.lookUps];
  }
  return merged;
}
