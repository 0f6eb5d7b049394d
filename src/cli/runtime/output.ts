/**
 * Writing to a stream that may be slower than we are, or closed: pieces are gathered into blocks, the writer
 * waits while the stream is full, and a reader that has gone (`| head`) ends the output quietly.
 */
import type { Writable } from 'node:stream';

const BLOCK_CHARACTERS = 64 * 1024;

/** The reader closed its end: nobody is left to write for, and what was found isn't all told. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
}

export class Output {
  readonly #stream: Writable;

  constructor(stream: Writable) {
    this.#stream = stream;
    // Whoever writes gets the failure; without a listener it would end the process with a stack trace as well.
    stream.on('error', () => {});
  }

  /** Writes all pieces. Rejects with `ReaderGone` when the reader left, and with the stream's other errors. */
  async write(pieces: Iterable<string>): Promise<void> {
    let block = '';
    for (const piece of pieces) {
      block += piece;
      if (block.length < BLOCK_CHARACTERS) continue;
      await this.#send(block);
      block = '';
    }
    if (block !== '') await this.#send(block);
  }

  /** Resolves when the stream has taken the block, so that a reader that is gone is noticed at the last one, too. */
  #send(block: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#stream.write(block, (error: (Error & { code?: unknown }) | null | undefined) => {
      if (!error) resolve();
      else reject(error.code === 'EPIPE' ? new ReaderGone('broken pipe') : error);
    });
    return promise;
  }
}
