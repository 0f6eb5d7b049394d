/**
 * Work that can be done in slices: a generator that pauses after so many steps, however long these take, because what
 * does the work reads no clock. Whoever drives it decides by a clock of its own whether to let others go first.
 */

/** Yields where it may pause; what it reads must not change until it is done. Returns its result. */
export type Sliced<T> = Generator<undefined, T, undefined>;

/** Does it without a pause, as where nobody waits for anything else. */
export function atOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
