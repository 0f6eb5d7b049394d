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

/** Objects that are looked at between two pauses: a millisecond's, as a rule. */
const OBJECTS_OF_A_SLICE = 500;

/** Does something with each of them, and pauses now and then. */
export function* paused<T>(items: Iterable<T>, each: (item: T) => void): Sliced<void> {
  let count = 0;
  for (const item of items) {
    each(item);
    count += 1;
    if (count % OBJECTS_OF_A_SLICE === 0) yield;
  }
}

/** Everything that is made one after the other, with a pause after each. */
export function* collected<T>(made: Iterable<T>): Sliced<T[]> {
  const all: T[] = [];
  for (const each of made) {
    all.push(each);
    yield;
  }
  return all;
}
