/**
 * What one source delivers on its way to the screen: batches are held back until the source is shown, and are then
 * taken over together, at most once a frame, and no more at once than keeps a key waiting unnoticed.
 */
import type { SourceBatch } from '../../model/exchange/changes.ts';
import type { Cancel, Ports } from './ports.ts';

/**
 * Time between two takeovers of what the source delivered: about 30 a second. At 150,000 objects and 2,000
 * events a second the whole program takes 0.3 of a core with it (200×50, two shared 2.5 GHz cores).
 */
const FRAME_MS = 33;
/** Changes that are taken over between two looks at the clock while somebody is at the keys: half a millisecond, with what the screen makes of them. */
const SLICE = 100;
/** The same while nobody is: what the screen makes of a slice costs the more the more it shows, however few changes. */
const LARGE_SLICE = 400;
/**
 * What has waited for so long is behind. The further it is, the more is taken over at once: on a machine that gives this
 * program little time, what comes would otherwise be shown ever later, and be kept until then.
 */
const BEHIND_MS = 1_000;
/** How long what comes may keep a key waiting. */
const TURN_MS = 4;
/** Where more is waiting, input and the source have as long as the last turn took, and no less than this. */
const PAUSE_MS = 4;
/** While somebody is at the keys, the rest gets this many times as long as what comes. */
const GIVING_WAY = 3;
/** From a key on nothing is taken over for so long: until what the key does is on the screen. */
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
  /** What is due has waited for a key already: however fast keys come, it is taken over. */
  #hasWaited = false;
  #holds = 0;
  readonly #toHold: (() => void)[] = [];

  /** `take` is given what came since it was called last, as one batch for each state of the connection. */
  constructor(ports: Pick<Ports, 'now' | 'after'>, take: (batch: SourceBatch, now: number) => void) {
    this.#ports = ports;
    this.#take = take;
  }

  push(batch: SourceBatch): void {
    const at = this.#ports.now();
    for (const slice of slicesOf(batch)) this.#pending.push({ at, batch: slice });
    this.#schedule();
  }

  /** Runs as soon as everything that came before has been taken over. */
  afterwards(run: () => void): void {
    if (this.#pending.length === 0) return run();
    this.#pending.push(run);
    this.#flushing?.();
    this.#flushing = undefined;
    this.#schedule(0);
  }

  /** From now on what comes is taken over, beginning with what is there. */
  open(): void {
    this.#isOpen = true;
    this.#schedule();
  }

  /**
   * Resolves, once what waits has had its turn, with what ends it: until that is called, nothing is taken over, so that what
   * is being made of the cluster is of one moment. To be called within about a second: batches pile up meanwhile.
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

  /** For so many milliseconds from now what comes is taken over more slowly. It is taken over nevertheless. */
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

  /** The batches at the front, as far as they may be taken over together. */
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

  /** Nothing is taken over any more. */
  stop(): void {
    this.#isOpen = false;
    this.#flushing?.();
    this.#flushing = undefined;
    this.#beginHolds();
  }

  #beginHolds(): void {
    for (const hold of this.#toHold.splice(0)) hold();
  }

  /** `gap`: milliseconds since it was done last. */
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

/** Parts of a batch with the effect of all of it: what is served comes first, and what is said of the objects after them. */
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
    if (batch.scope !== undefined) merged.scope = batch.scope;
    if (batch.statuses !== undefined) merged.statuses = [...(merged.statuses ?? []), ...batch.statuses];
    if (batch.connection !== undefined) merged.connection = batch.connection;
    if (batch.pausing !== undefined) merged.pausing = batch.pausing;
    if (batch.lookUps !== undefined) merged.lookUps = [...(merged.lookUps ?? []), ...batch.lookUps];
  }
  return merged;
}
