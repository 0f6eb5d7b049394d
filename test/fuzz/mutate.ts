/** Inputs made of others: bits, bytes, numbers and pieces of them changed, doubled, moved and put together. */
export type Random = () => number;

/** The same numbers for the same seed (xorshift32). */
export function randomFrom(seed: number): Random {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const MOST_BYTES = 4_096;

const numbers = [0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff];

interface Draw {
  readonly below: (limit: number) => number;
  readonly of: <T>(values: readonly T[]) => T | undefined;
}

type Mutation = (input: Buffer, draw: Draw, others: readonly Buffer[], words: readonly string[]) => Buffer;

const mutations: readonly Mutation[] = [
  (input, { below }) => changed(input, below(input.length), byte => byte ^ (1 << below(8))),
  (input, { below }) => changed(input, below(input.length), () => below(256)),
  (input, { below }) => changed(input, below(input.length), byte => (byte + below(9) + 252) & 0xff),
  // A part left out, doubled, or put elsewhere.
  (input, { below }) => {
    const [from, to] = span(input, below);
    return Buffer.concat([input.subarray(0, from), input.subarray(to)]);
  },
  (input, { below }) => {
    const [from, to] = span(input, below);
    return Buffer.concat([input.subarray(0, to), input.subarray(from)]);
  },
  (input, { below }) => {
    const [from, to] = span(input, below);
    const at = below(input.length + 1);
    return Buffer.concat([input.subarray(0, at), input.subarray(from, to), input.subarray(at)]);
  },
  (input, { below }) => input.subarray(0, below(input.length + 1)),
  (input, { below, of }) => {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(of(numbers) ?? 0);
    const at = below(input.length + 1);
    const width = of([1, 2, 4]) ?? 4;
    return Buffer.concat([input.subarray(0, at), number.subarray(4 - width), input.subarray(at + width)]);
  },
  (input, { below, of }, _others, words) => {
    const at = below(input.length + 1);
    const over = below(2) === 0 ? 0 : below(8);
    return Buffer.concat([input.subarray(0, at), Buffer.from(of(words) ?? ''), input.subarray(at + over)]);
  },
  (input, { below, of }, others) => {
    const other = of(others) ?? input;
    return Buffer.concat([
      input.subarray(0, below(input.length + 1)),
      other.subarray(below(other.length + 1)),
    ]);
  },
];

/** One to eight mutations of one of the inputs. */
export function mutated(
  inputs: readonly Buffer[],
  words: readonly string[],
  random: Random,
  input = inputs[Math.floor(random() * inputs.length)] ?? Buffer.alloc(0),
): Buffer {
  const below = (limit: number): number => Math.floor(random() * limit);
  const of = <T>(values: readonly T[]): T | undefined => values[below(values.length)];
  let made = input;
  for (let left = 2 ** below(4); left > 0; left--)
    made = (of(mutations) ?? (same => same))(made, { below, of }, inputs, words);
  return Buffer.from(made.subarray(0, MOST_BYTES));
}

function changed(input: Buffer, at: number, make: (byte: number) => number): Buffer {
  const made = Buffer.from(input);
  if (at < made.length) made[at] = make(made[at] ?? 0) & 0xff;
  return made;
}

function span(input: Buffer, below: Draw['below']): readonly [number, number] {
  const from = below(input.length + 1);
  return [from, Math.min(input.length, from + 1 + below(32))];
}
