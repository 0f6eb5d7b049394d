/** Runs kubectl while the screen stays open, and passes on its output line by line. */
import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import type { KubectlCall, KubectlEnd } from '../../app/index.ts';
import { programs } from '../../platform/index.ts';
import type { KubectlAccess } from '../../source/index.ts';
import { endOf } from './borrow-for-kubectl.ts';

/** Characters after which a line without an end counts as one. */
const LONGEST = 10_000;

/** Resolves once it has ended and all is read; never rejects. The program cannot ask: it reads no keys. */
export async function readKubectl(
  call: KubectlCall,
  { program, words }: Pick<KubectlAccess, 'program' | 'words'>,
  { take, left }: { readonly take: (line: string) => void; readonly left: AbortSignal },
): Promise<KubectlEnd> {
  const started = programs.invocation(program, [...words, ...call.words], process.env);
  const child = spawn(started.file, started.args, { ...started.options, stdio: ['ignore', 'pipe', 'pipe'] });
  const cutters = [child.stdout, child.stderr].map(output => {
    const cutter = new LineCutter(take);
    output.setEncoding('utf8').on('data', (text: string) => cutter.add(text));
    return cutter;
  });
  // 'close' comes after all output has been read.
  const end = await endOf(child, 'close', left);
  for (const cutter of cutters) cutter.end();
  return end;
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
