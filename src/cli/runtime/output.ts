/** Writes blocks to a stream that may be slow, and stops quietly if its reader is gone (`| head`). */
import type { Writable } from 'node:stream';

const BLOCK_CHARACTERS = 64 * 1024;

export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
}

export class Output {
  readonly #stream: Writable;

  constructor(stream: Writable) {
    this.#stream = stream;
    // Writers receive the failure; this listener prevents a crash.
    stream.on('error', () => {});
  }

  /** Rejects with `ReaderGone` if the reader left, and with the stream's other errors. */
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

  /** Resolves once the stream has taken the block, so that a lost reader is noticed even at the last one. */
  #send(block: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#stream.write(block, (error: (Error & { code?: unknown }) | null | undefined) => {
      if (!error) resolve();
      else reject(error.code === 'EPIPE' ? new ReaderGone('broken pipe') : error);
    });
    return promise;
  }
}
