/** Something that reads bytes, as the fuzzer sees it. */
export interface Target {
  readonly name: string;
  /** Inputs that are right, to begin with. */
  readonly seeds: () => readonly Buffer[];
  /** Pieces that make sense to it. */
  readonly words: readonly string[];
  /** Throws where a property doesn't hold; what the reader refuses is no reason to. */
  readonly check: (input: Buffer) => void;
}

export function fail(message: string): never {
  throw new Error(message);
}

/** Its message is one for people: one line or two, none of them endless. */
export function demandBrief(error: Error): void {
  const lines = error.message.split('\n');
  if (lines.length > 2 || error.message.length > 2_000)
    fail(`a long error: ${JSON.stringify(error.message.slice(0, 500))}`);
}

/** The same bytes in small chunks whose lengths follow from the bytes. */
export function* chunksOf(input: Buffer): Generator<Buffer> {
  for (let at = 0, size = 1; at < input.length; at += size) {
    size = 1 + ((input[at] ?? 0) % 7);
    yield Buffer.from(input.subarray(at, at + size));
  }
}
