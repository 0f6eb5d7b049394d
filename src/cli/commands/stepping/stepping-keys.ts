import type { Readable } from 'node:stream';

interface MaybeRaw {
  setRawMode?(raw: boolean): void;
}

const ENTER = /^[\r\n]$/u;
const ERASE = /^[\b\u007f]$/u;
const ESCAPE = '\u001b';
const CANCEL = '\u0003';
/** Key sequences of ECMA-48 (CSI), and of function keys (SS3). */
// oxlint-disable-next-line no-control-regex -- how terminals write keys
const SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|O[ -~])/gu;

export class KeyReader {
  readonly #stdin: Readable & MaybeRaw;
  readonly #keys: string[] = [];
  #waiting: ((key: string | undefined) => void) | undefined;
  #ended = false;
  readonly #onData = (data: Buffer | string): void => this.#take(String(data));
  readonly #onEnd = (): void => {
    this.#ended = true;
    this.#deliver();
  };

  constructor(stdin: Readable & MaybeRaw) {
    this.#stdin = stdin;
    stdin.setRawMode?.(true);
    stdin.on('data', this.#onData);
    stdin.on('end', this.#onEnd);
  }

  /** Resolves with undefined once input has ended. */
  next(): Promise<string | undefined> {
    return new Promise(resolve => {
      this.#waiting = resolve;
      this.#deliver();
    });
  }

  /** Reads and echoes a line up to Enter; undefined after Escape or Ctrl-C. */
  async line(echo: (text: string) => void): Promise<string | undefined> {
    let line = '';
    for (;;) {
      const key = await this.next();
      if (key === undefined || key === ESCAPE || key === CANCEL) return undefined;
      if (ENTER.test(key)) return line;
      if (ERASE.test(key)) {
        if (line !== '') echo('\b \b');
        line = line.slice(0, -1);
      } else if (/^[ -~]$/u.test(key)) {
        line += key;
        echo(key);
      }
    }
  }

  close(): void {
    this.#stdin.off('data', this.#onData);
    this.#stdin.off('end', this.#onEnd);
    this.#stdin.setRawMode?.(false);
    this.#stdin.pause();
  }

  /** Drops sequences such as arrow keys, but keeps text that arrives with one. */
  #take(data: string): void {
    this.#keys.push(...data.replace(SEQUENCE, '').split(''));
    this.#deliver();
  }

  #deliver(): void {
    const waiting = this.#waiting;
    if (waiting === undefined || (this.#keys.length === 0 && !this.#ended)) return;
    this.#waiting = undefined;
    waiting(this.#keys.shift());
  }
}
