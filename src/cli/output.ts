/**
 * Writing to a stream that may be slower than we are, or closed: pieces are gathered into blocks, the writer
 * waits while the stream is full, and a reader that has gone (`| head`) ends the output quietly.
 */
import type { Writable } from 'node:stream';

const BLOCK_CHARACTERS = 64 * 1024;

/** The reader closed its end: nothing is wrong, there is just nobody left to write for. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
}

export class Output {
  readonly #stream: Writable;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
    // Without a listener a broken pipe would end the process with a stack trace. It stays for the stream's
    // lifetime, because the error may come after the last write.
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.#failure = error.code === 'EPIPE' ? new ReaderGone('broken pipe') : error;
      this.#wake?.();
    });
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
    await this.#send(block);
  }

  async #send(block: string): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (block === '') return;
    if (!this.#stream.write(block)) {
      await new Promise<void>(resolve => {
        this.#wake = resolve;
        this.#stream.once('drain', resolve);
      });
    }
    if (this.#failure !== undefined) throw this.#failure;
  }
}
