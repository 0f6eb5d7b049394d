/** Runs kubectl beside the screen and hands over what it prints, line by line. */
import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import type { KubectlCall, KubectlEnd } from '../../app/index.ts';
import { childFamily, programs } from '../../platform/index.ts';
import type { KubectlAccess } from '../../source/index.ts';

/** Characters after which a line without an end counts as one. */
const LONGEST = 10_000;

/** Resolves once it has ended and all is read; never rejects. The program cannot ask: it reads no keys. */
export async function readKubectl(
  call: KubectlCall,
  { program, words }: Pick<KubectlAccess, 'program' | 'words'>,
  { take, left }: { readonly take: (line: string) => void; readonly left: AbortSignal },
): Promise<KubectlEnd> {
  const started = programs.invocation(program, [...words, ...call.words], process.env);
  return new Promise(resolve => {
    const child = spawn(started.file, started.args, {
      ...started.options,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    childFamily.guard(child);
    const stop = (): void => void childFamily.end(child);
    left.addEventListener('abort', stop, { once: true });
    if (left.aborted) stop();
    const done = (end: KubectlEnd): void => {
      left.removeEventListener('abort', stop);
      resolve(end);
    };
    const flushes = [child.stdout, child.stderr].map(output => {
      const cutter = new LineCutter(take);
      output.setEncoding('utf8').on('data', (text: string) => cutter.add(text));
      return () => cutter.end();
    });
    child.once('error', error => done({ failure: error.message }));
    // 'close' comes after all output has been read.
    child.once('close', (code, signal) => {
      for (const flush of flushes) flush();
      done({ code, signal });
    });
  });
}

class LineCutter {
  readonly #take: (line: string) => void;
  #rest = '';

  constructor(take: (line: string) => void) {
    this.#take = take;
  }

  add(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#tell(line);
    if (this.#rest.length > LONGEST) this.end();
  }

  end(): void {
    if (this.#rest !== '') this.#tell(this.#rest);
    this.#rest = '';
  }

  #tell(line: string): void {
    const clean = stripVTControlCharacters(line.slice(0, LONGEST)).replace(/\r$/u, '');
    this.#take(clean.replaceAll('\t', '    '));
  }
}
