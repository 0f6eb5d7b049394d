/** Records what is written to the terminal as an asciicast of version 2 (docs.asciinema.org/manual/asciicast/v2). */

type Output = Pick<NodeJS.WriteStream, 'write' | 'columns' | 'rows' | 'on' | 'off'>;

/** Characters after which nothing more is recorded. */
const MOST = 20_000_000;

/** Text for the clipboard, and for a multiplexer to pass on: a player would copy it again. */
// oxlint-disable-next-line no-control-regex -- how such sequences begin
const copied = /^\u001B(?:\]52|P)/u;

export class Cast {
  readonly #output: Output;
  readonly #now: () => number;
  readonly #began: number;
  readonly #write: Output['write'];
  readonly #events: string[];
  #size = 0;

  /** Records from now on; `title` is shown by players. */
  constructor(output: Output, now: () => number, title: string) {
    this.#output = output;
    this.#now = now;
    this.#began = now();
    const timestamp = Math.floor(this.#began / 1_000);
    this.#events = [
      JSON.stringify({ version: 2, width: output.columns, height: output.rows, timestamp, title }),
    ];
    this.#write = output.write;
    output.write = ((...args: Parameters<Output['write']>) => {
      // A terminal's line discipline writes both, a player neither.
      this.#add('o', String(args[0]).replaceAll(/\r?\n/gu, '\r\n'));
      return this.#write.apply(output, args);
    }) as Output['write'];
    output.on('resize', this.#resized);
  }

  /** Stops recording and returns the file's text. */
  end(): string {
    this.#output.write = this.#write;
    this.#output.off('resize', this.#resized);
    return `${this.#events.join('\n')}\n`;
  }

  readonly #resized = (): void => this.#add('r', `${this.#output.columns}x${this.#output.rows}`);

  #add(event: 'o' | 'r', data: string): void {
    if (data === '' || copied.test(data) || this.#size > MOST) return;
    this.#size += data.length;
    this.#events.push(JSON.stringify([(this.#now() - this.#began) / 1_000, event, data]));
  }
}
