/** Work in slices: a generator that pauses after a number of steps, because it reads no clock of its own. */

/** Yields at each pause, so that its driver can let other work go first. Its input must not change meanwhile. */
export type Sliced<T> = Generator<undefined, T, undefined>;

function atOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** About one millisecond of work. */
const OBJECTS_OF_A_SLICE = 500;

function* paused<T>(items: Iterable<T>, each: (item: T) => void): Sliced<void> {
  let count = 0;
  for (const item of items) {
    each(item);
    count += 1;
    if (count % OBJECTS_OF_A_SLICE === 0) yield;
  }
}

function* collected<T>(made: Iterable<T>): Sliced<T[]> {
  const all: T[] = [];
  for (const each of made) {
    all.push(each);
    yield;
  }
  return all;
}

export const Sliced = { atOnce, each: paused, list: collected };
